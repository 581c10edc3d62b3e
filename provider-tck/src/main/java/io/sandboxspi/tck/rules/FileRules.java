package io.sandboxspi.tck.rules;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.sandboxspi.Command;
import io.sandboxspi.ErrorCode;
import io.sandboxspi.FileInfo;
import io.sandboxspi.SandboxFiles;
import io.sandboxspi.SandboxSession;
import io.sandboxspi.tck.Rule;
import io.sandboxspi.tck.Scenario;
import io.sandboxspi.tck.kit.Caller;
import io.sandboxspi.tck.kit.Expect;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Files of the workspace. */
public interface FileRules extends KitAccess {
  private void shell(String text) throws InterruptedException {
    Expect.same("S-EXEC-01", 0, kit().session().exec(Command.shell(text)).code().orElse(-1), text);
  }

  /** What is outside is refused. */
  @ParameterizedTest
  @ValueSource(strings = {"", "..", "../x", "a/../../x", "/etc/passwd", "/", "a\u0000b"})
  @Rule("S-FILE-01")
  default void S_FILE_01_aPathThatLeavesTheWorkspaceIsInvalid(String path) throws Exception {
    SandboxFiles files = kit().files();
    int calls = kit().log().size();
    List<Expect.Work> works = new ArrayList<>();
    works.add(() -> files.read(path));
    works.add(() -> files.write(path, new byte[0]));
    works.add(() -> files.stat(path));
    works.add(() -> files.list(path));
    works.add(() -> files.makeDirectories(path));
    works.add(() -> files.remove(path));
    works.add(() -> files.removeTree(path));
    for (Expect.Work work : works) {
      Expect.code("S-FILE-01", ErrorCode.INVALID_PATH, work);
    }
    Expect.same("S-FILE-01", calls, kit().log().size(), "calls to the backend");
  }

  /** Relative, absolute and roundabout names of one file. */
  @Test
  @Rule("S-FILE-01")
  default void S_FILE_01_relativeAndAbsolutePathsMeanTheSame() throws Exception {
    SandboxSession session = kit().session();
    SandboxFiles files = session.files();
    String workspace = kit().backend().files().workspace();
    files.write(workspace + "/dir/file", "one".getBytes(UTF_8));
    Expect.same("S-FILE-01", "one", text("dir/file"), "read by a relative path");
    Expect.same("S-FILE-01", "one", text("./dir//../dir/./file"), "by a roundabout one");
    Expect.same("S-FILE-01", "one", text(workspace + "/dir/file"), "by an absolute one");
    String pwd = session.exec(Command.of("pwd")).stdout().text().trim();
    Expect.same("S-FILE-01", workspace, pwd, "the workspace is where commands start");
    Expect.same("S-FILE-01", 1, files.list(".").size(), "entries of the workspace");
    Expect.same(
        "S-FILE-01", "one", session.exec(Command.of("cat", "dir/file")).stdout().text(), "cat");
  }

  private String text(String path) throws InterruptedException {
    return new String(kit().files().read(path), UTF_8);
  }

  /** Links that lead out. */
  @Test
  @Rule("S-FILE-02")
  @Scenario("B62")
  default void S_FILE_02_linksThatLeadOutAreRefused() throws Exception {
    SandboxFiles files = kit().files();
    // A directory of its own: a provider that follows links must not harm the machine it runs on.
    String outside = "/tmp/sandbox-tck-" + UUID.randomUUID();
    shell(
        ("mkdir %1$s; echo outside > %1$s/f; ln -s %1$s/f file; ln -s %1$s dir; ln -s %2$s%1$s up;"
                + " mkdir in; echo inside > in/f; ln -s in/f good; ln -s in gooddir;"
                + " ln -s loop loop; ln -s /nowhere/else dangling")
            .formatted(outside, "../".repeat(12)));
    for (String path : List.of("file", "dir/f", "up/f")) {
      Expect.code("S-FILE-02", ErrorCode.INVALID_PATH, () -> files.read(path));
    }
    for (String path : List.of("dir/new", "up/new", "dir/sub/new")) {
      Expect.code("S-FILE-02", ErrorCode.INVALID_PATH, () -> files.write(path, new byte[1]));
    }
    Expect.code("S-FILE-02", ErrorCode.INVALID_PATH, () -> files.list("dir"));
    Expect.code("S-FILE-02", ErrorCode.INVALID_PATH, () -> files.makeDirectories("dir/new"));
    Expect.same("S-FILE-02", "inside\n", text("good"), "a link that stays inside");
    Expect.same("S-FILE-02", "inside\n", text("gooddir/f"), "a directory link inside");
    Expect.same("S-FILE-02", FileInfo.Kind.LINK, files.stat("file").kind(), "a link is a link");
    boolean looped = false;
    try {
      byte[] unused = files.read("loop");
    } catch (io.sandboxspi.SandboxException e) {
      looped = true;
    }
    Expect.that("S-FILE-02", looped, "a loop of links is an error");
    files.remove("good");
    Expect.same("S-FILE-02", "inside\n", text("in/f"), "the target of a removed link");
    Expect.code("S-FILE-02", ErrorCode.FILE_NOT_FOUND, () -> files.stat("good"));
    files.remove("dangling");
    files.removeTree("gooddir");
    Expect.same("S-FILE-02", "inside\n", text("in/f"), "the target of a removed tree link");
    shell("mkdir t; ln -s ../in t/link; ln -s " + outside + " t/out");
    files.removeTree("t");
    Expect.same("S-FILE-02", "inside\n", text("in/f"), "what a removed tree linked to");
    shell("test -e " + outside + "/f && test ! -e " + outside + "/new && rm -r " + outside);
  }

  /** Bytes come back, parents are made, the old content is replaced. */
  @Test
  @Rule("S-FILE-03")
  default void S_FILE_03_bytesComeBackUnchanged() throws Exception {
    SandboxFiles files = kit().files();
    byte[] content = new byte[3_000_000];
    for (int i = 0; i < content.length; i++) {
      content[i] = (byte) (i * 17 + i / 255);
    }
    files.write("a/b/c/file", content);
    Expect.that(
        "S-FILE-03", Arrays.equals(content, files.read("a/b/c/file")), "other bytes came back");
    try (InputStream in = files.open("a/b/c/file")) {
      Expect.that("S-FILE-03", Arrays.equals(content, in.readAllBytes()), "a stream differs");
    }
    FileInfo info = files.stat("a/b/c/file");
    Expect.same("S-FILE-03", (long) content.length, info.size(), "size");
    Expect.same("S-FILE-03", FileInfo.Kind.FILE, info.kind(), "kind");
    files.write("a/b/c/file", new ByteArrayInputStream("short".getBytes(UTF_8)));
    Expect.same("S-FILE-03", "short", text("a/b/c/file"), "the replaced content");
    files.write("empty", new byte[0]);
    Expect.same("S-FILE-03", 0L, files.stat("empty").size(), "size of an empty file");
    Expect.same("S-FILE-03", 1, files.list("a/b/c").size(), "no temporary file is left");
    files.makeDirectories("a/b");
    Expect.same("S-FILE-03", FileInfo.Kind.DIRECTORY, files.stat("a/b").kind(), "a directory");
    shell("ln -s c a/b/link");
    Expect.same("S-FILE-03", FileInfo.Kind.LINK, files.stat("a/b/link").kind(), "a link");
    Expect.same(
        "S-FILE-03",
        List.of("a", "empty"),
        files.list(".").stream().map(FileInfo::path).toList(),
        "a list is by name");
  }

  /** A reader sees the old or the new content, whole. */
  @Test
  @Rule("S-FILE-03")
  default void S_FILE_03_aWriteReplacesAtOnceAndWhole() throws Exception {
    SandboxFiles files = kit().files();
    byte[][] contents = new byte[2][400_000];
    Arrays.fill(contents[0], (byte) 'a');
    Arrays.fill(contents[1], (byte) 'b');
    files.write("file", contents[0]);
    AtomicBoolean stop = new AtomicBoolean();
    Caller<Boolean> writer =
        kit()
            .run(
                () -> {
                  for (int i = 0; !stop.get(); i++) {
                    files.write("file", contents[i % 2]);
                  }
                });
    try {
      for (int i = 0; i < 30; i++) {
        byte[] seen = files.read("file");
        boolean whole = Arrays.equals(seen, contents[0]) || Arrays.equals(seen, contents[1]);
        Expect.that("S-FILE-03", whole, "a reader saw %d mixed bytes", seen.length);
      }
    } finally {
      stop.set(true);
    }
    writer.returnsWithin("S-FILE-03", kit().bound()).value("S-FILE-03");
  }

  /** Names are bytes, not words. */
  @Test
  @Rule("S-FILE-03")
  @Scenario({"B65", "B66"})
  default void S_FILE_03_oddNamesWork() throws Exception {
    SandboxFiles files = kit().files();
    List<String> names =
        List.of(
            "a b",
            "-n",
            "--help",
            "$(touch pwn)",
            "quote'q",
            "dq\"d",
            "x\ny",
            "*",
            "back\\slash",
            ".hidden",
            "café",
            "x'; touch pwn; '",
            " lead",
            "trail ");
    // A name with a backslash cannot be made by the API, but used.
    shell("mkdir odd; touch 'odd/back\\slash'");
    for (String name : names) {
      files.write("odd/" + name, name.getBytes(UTF_8));
    }
    shell("ln -s 'a b' 'odd/l -> m'");
    TreeSet<String> expected = new TreeSet<>();
    names.forEach(name -> expected.add("odd/" + name));
    expected.add("odd/l -> m");
    TreeSet<String> seen = new TreeSet<>();
    for (FileInfo info : files.list("odd")) {
      seen.add(info.path());
      boolean link = info.path().equals("odd/l -> m");
      Expect.same(
          "S-FILE-03",
          link ? FileInfo.Kind.LINK : FileInfo.Kind.FILE,
          info.kind(),
          "kind of " + info.path());
    }
    Expect.same("S-FILE-03", expected, seen, "names listed");
    for (String name : names) {
      Expect.same("S-FILE-03", name, text("odd/" + name), "content of " + name);
      Expect.same(
          "S-FILE-03",
          (long) name.getBytes(UTF_8).length,
          files.stat("odd/" + name).size(),
          "size of " + name);
      files.write("odd/" + name, new byte[] {'2'});
      Expect.same("S-FILE-03", "2", text("odd/" + name), "overwritten " + name);
      files.remove("odd/" + name);
    }
    Expect.same("S-FILE-03", 1, files.list("odd").size(), "the link is left");
    Expect.code("S-FILE-03", ErrorCode.FILE_NOT_FOUND, () -> files.stat("pwn"));
  }

  /** Missing files and full directories. */
  @Test
  @Rule("S-FILE-04")
  default void S_FILE_04_missingFilesAndFullDirectories() throws Exception {
    SandboxFiles files = kit().files();
    List<Expect.Work> works = new ArrayList<>();
    works.add(() -> files.read("missing"));
    works.add(() -> files.open("missing").close());
    works.add(() -> files.stat("missing"));
    works.add(() -> files.list("missing"));
    works.add(() -> files.remove("missing"));
    works.add(() -> files.read("no/such/parent"));
    for (Expect.Work work : works) {
      Expect.code("S-FILE-04", ErrorCode.FILE_NOT_FOUND, work);
    }
    files.removeTree("missing");
    files.write("dir/sub/file", new byte[1]);
    Expect.code("S-FILE-04", ErrorCode.FILE_FAILED, () -> files.remove("dir"));
    Expect.code("S-FILE-04", ErrorCode.FILE_FAILED, () -> files.read("dir"));
    Expect.code("S-FILE-04", ErrorCode.FILE_FAILED, () -> files.list("dir/sub/file"));
    Expect.code("S-FILE-04", ErrorCode.FILE_FAILED, () -> files.write("dir", new byte[1]));
    Expect.code("S-FILE-04", ErrorCode.FILE_FAILED, () -> files.makeDirectories("dir/sub/file"));
    Expect.same("S-FILE-04", 1L, files.stat("dir/sub/file").size(), "it is still there");
    files.removeTree("dir");
    Expect.code("S-FILE-04", ErrorCode.FILE_NOT_FOUND, () -> files.stat("dir"));
    files.makeDirectories("empty");
    files.remove("empty");
    Expect.code("S-FILE-04", ErrorCode.FILE_NOT_FOUND, () -> files.stat("empty"));
  }
}
