package io.sandboxspi.tck.rules;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.sandboxspi.Command;
import io.sandboxspi.ErrorCode;
import io.sandboxspi.FileInfo;
import io.sandboxspi.PathGrant;
import io.sandboxspi.SandboxFiles;
import io.sandboxspi.SandboxSession;
import io.sandboxspi.tck.Rule;
import io.sandboxspi.tck.Scenario;
import io.sandboxspi.tck.kit.Expect;
import io.sandboxspi.tck.kit.HostDirectory;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Moves, permissions, grants, and copies between the sandbox and its caller. */
public interface FileChangeRules extends KitAccess {
  private String shell(String text) throws InterruptedException {
    return kit().session().exec(Command.shell(text)).stdout().text();
  }

  private String text(String path) throws InterruptedException {
    return new String(kit().files().read(path), UTF_8);
  }

  /** Backslashes and Windows forms; what is there under such a name can be used. */
  @Test
  @Rule("S-FILE-01")
  default void S_FILE_01_windowsFormsAreRefused() throws Exception {
    SandboxFiles files = kit().files();
    for (String path : List.of("C:\\x", "c:/x", "\\\\srv\\share", "..\\up", "a\\..\\..\\up")) {
      Expect.code("S-FILE-01", ErrorCode.INVALID_PATH, () -> files.stat(path));
      Expect.code("S-FILE-01", ErrorCode.INVALID_PATH, () -> files.write(path, new byte[1]));
    }
    Expect.code("S-FILE-01", ErrorCode.INVALID_PATH, () -> files.write("new\\name", new byte[1]));
    Expect.code("S-FILE-01", ErrorCode.INVALID_PATH, () -> files.read("no\\such"));
    Object unused = shell("printf there > 'back\\slash'");
    Expect.same("S-FILE-01", "there", text("back\\slash"), "a name with a backslash");
    files.remove("back\\slash");
  }

  /** Files, links and directories get other names. */
  @Test
  @Rule("S-FILE-05")
  default void S_FILE_05_aMoveRenames() throws Exception {
    SandboxFiles files = kit().files();
    files.write("a", "1".getBytes(UTF_8));
    files.move("a", "new/parents/b");
    Expect.same("S-FILE-05", "1", text("new/parents/b"), "the moved file");
    Expect.code("S-FILE-05", ErrorCode.FILE_NOT_FOUND, () -> files.stat("a"));
    files.write("c", "2".getBytes(UTF_8));
    files.move("c", "new/parents/b");
    Expect.same("S-FILE-05", "2", text("new/parents/b"), "the replaced file");
    files.move("new/parents", "dir");
    Expect.same("S-FILE-05", "2", text("dir/b"), "a file in a moved directory");
    Object unused = shell("ln -s dir/b link; mkdir full; touch full/f; ln -s full to; touch x");
    files.move("link", "moved");
    Expect.same("S-FILE-05", FileInfo.Kind.LINK, files.stat("moved").kind(), "a moved link");
    Expect.same("S-FILE-05", "2", text("dir/b"), "its target");
    Expect.code("S-FILE-05", ErrorCode.FILE_FAILED, () -> files.move("x", "full"));
    files.move("x", "to");
    Expect.same("S-FILE-05", FileInfo.Kind.FILE, files.stat("to").kind(), "a replaced link");
    Expect.same("S-FILE-05", 1, files.list("full").size(), "entries of its target");
    Expect.code("S-FILE-05", ErrorCode.FILE_NOT_FOUND, () -> files.move("no", "y"));
    Expect.code("S-FILE-05", ErrorCode.INVALID_PATH, () -> files.move("to", "../y"));
    Expect.code("S-FILE-05", ErrorCode.INVALID_PATH, () -> files.move(".", "y"));
    Object unusedOut = shell("ln -s /etc out");
    Expect.code("S-FILE-05", ErrorCode.INVALID_PATH, () -> files.move("to", "out/y"));
    Expect.code("S-FILE-05", ErrorCode.INVALID_PATH, () -> files.move("out/passwd", "y"));
  }

  /** What is set is what the sandbox sees. */
  @Test
  @Rule("S-FILE-06")
  @Scenario("B60")
  default void S_FILE_06_permissionsAreOctal() throws Exception {
    SandboxFiles files = kit().files();
    files.write("run", "#!/bin/sh\necho ran\n".getBytes(UTF_8));
    files.setPermissions("run", "0755");
    Expect.same("S-FILE-06", "0755", files.stat("run").permissions(), "permissions");
    Expect.same("S-FILE-06", "ran\n", shell("./run"), "an executable file");
    files.write("run", "#!/bin/sh\necho again\n".getBytes(UTF_8));
    Expect.same("S-FILE-06", "again\n", shell("./run"), "a replaced file keeps its permissions");
    files.setPermissions("run", "640");
    Expect.same("S-FILE-06", "640\n", shell("stat -c %a run"), "permissions in the sandbox");
    files.makeDirectories("dir");
    files.setPermissions("dir", "0700");
    Expect.same("S-FILE-06", "0700", files.stat("dir").permissions(), "a directory's");
    for (String bad : List.of("", "9", "u+x", "07777 ", "10000")) {
      Expect.code("S-FILE-06", ErrorCode.INVALID_ARGUMENT, () -> files.setPermissions("run", bad));
    }
    Object unused = shell("ln -s /etc/passwd out");
    Expect.code("S-FILE-06", ErrorCode.INVALID_PATH, () -> files.setPermissions("out", "0777"));
    Expect.code("S-FILE-06", ErrorCode.FILE_NOT_FOUND, () -> files.setPermissions("no", "0644"));
  }

  /** Absolute paths in granted directories. */
  @Test
  @Rule("S-FILE-07")
  default void S_FILE_07_grantsOpenDirectories() throws Exception {
    String own = "/tmp/sandbox-tck-" + UUID.randomUUID();
    SandboxSession session =
        kit()
            .open(
                spec ->
                    spec.grant(PathGrant.readWrite("/tmp"))
                        .grant(PathGrant.readOnly("/etc"))
                        .grant(PathGrant.readOnly(own + "/ro")));
    SandboxFiles files = session.files();
    try {
      files.write(own + "/dir/f", "granted".getBytes(UTF_8));
      Expect.same("S-FILE-07", "granted", new String(files.read(own + "/dir/f"), UTF_8), "a file");
      Expect.same("S-FILE-07", 1, files.list(own).size(), "entries");
      Expect.that("S-FILE-07", files.read("/etc/passwd").length > 0, "nothing can be read");
      files.makeDirectories(own + "/dir/sub");
      files.move(own + "/dir/f", own + "/dir/g");
      for (String path : List.of(own + "/ro/new", own + "/ro/sub/new")) {
        Expect.code("S-FILE-07", ErrorCode.INVALID_PATH, () -> files.write(path, new byte[1]));
        Expect.code("S-FILE-07", ErrorCode.INVALID_PATH, () -> files.removeTree(path));
        Expect.code("S-FILE-07", ErrorCode.INVALID_PATH, () -> files.move(own + "/dir/g", path));
      }
      Expect.code("S-FILE-07", ErrorCode.INVALID_PATH, () -> files.read("/usr/bin/env"));
      Expect.code("S-FILE-07", ErrorCode.INVALID_PATH, () -> files.move(own + "/dir/g", "w"));
      Object unused = session.exec(Command.shell("ln -s /etc link"));
      Expect.code("S-FILE-07", ErrorCode.INVALID_PATH, () -> files.read("link/passwd"));
    } finally {
      files.removeTree(own);
      session.close();
    }
  }

  /** Trees go in and come back. */
  @Test
  @Rule("S-FILE-08")
  @Scenario("B60")
  default void S_FILE_08_treesGoInAndComeBack() throws Exception {
    SandboxFiles files = kit().files();
    try (HostDirectory host = HostDirectory.make()) {
      Path in = Files.createDirectories(host.path("in/d/e"));
      Files.writeString(in.resolve("f"), "deep");
      Files.writeString(host.path("in/-n x\n'é"), "odd");
      Files.writeString(host.path("in/run"), "#!/bin/sh\necho ran\n");
      Files.setPosixFilePermissions(
          host.path("in/run"), PosixFilePermissions.fromString("rwxr-x---"));
      Files.createSymbolicLink(host.path("in/link"), Path.of("d/e/f"));
      files.write("up/before", "kept".getBytes(UTF_8));
      files.write("up/d/e/f", "replaced".getBytes(UTF_8));
      files.upload(host.path("in"), "up");
      Expect.same("S-FILE-08", "deep", text("up/d/e/f"), "an uploaded file");
      Expect.same("S-FILE-08", "kept", text("up/before"), "what was there");
      Expect.same("S-FILE-08", "odd", text("up/-n x\n'é"), "an odd name");
      Expect.same("S-FILE-08", FileInfo.Kind.LINK, files.stat("up/link").kind(), "a link");
      Expect.same("S-FILE-08", "ran\n", shell("up/run"), "an executable file");
      Expect.same("S-FILE-08", 5, files.list("up").size(), "entries, none left over");
      files.download("up", host.path("back"));
      Expect.same(
          "S-FILE-08", "deep", Files.readString(host.path("back/d/e/f")), "a downloaded file");
      Expect.that("S-FILE-08", Files.isExecutable(host.path("back/run")), "no longer executable");
      Expect.that("S-FILE-08", Files.isSymbolicLink(host.path("back/link")), "no longer a link");
      files.upload(host.path("in/run"), "one");
      Expect.same("S-FILE-08", "0750", files.stat("one").permissions(), "of an uploaded file");
      AtomicLong moved = new AtomicLong();
      files.download("one", host.path("one"), moved::addAndGet);
      Expect.same("S-FILE-08", Files.size(host.path("one")), moved.get(), "bytes that were told");
      Expect.that("S-FILE-08", Files.isExecutable(host.path("one")), "a file's permissions");
    }
  }

  /** Nothing outside is copied in either direction. */
  @Test
  @Rule("S-FILE-08")
  default void S_FILE_08_linksThatLeadOutAreRefused() throws Exception {
    SandboxFiles files = kit().files();
    try (HostDirectory host = HostDirectory.make()) {
      Files.createDirectory(host.path("in"));
      Files.writeString(host.path("in/f"), "f");
      Files.createSymbolicLink(host.path("in/out"), Path.of("/etc/passwd"));
      Expect.code(
          "S-FILE-08", ErrorCode.INVALID_ARCHIVE, () -> files.upload(host.path("in"), "up"));
      Expect.same("S-FILE-08", 0, files.list("up").size(), "entries of a refused upload");
      Object unused = shell("mkdir down; touch down/f; ln -s /etc down/out");
      Expect.code(
          "S-FILE-08", ErrorCode.INVALID_ARCHIVE, () -> files.download("down", host.path("b")));
      Expect.that(
          "S-FILE-08",
          !Files.exists(host.path("b"), LinkOption.NOFOLLOW_LINKS),
          "a refused download left something");
      Object unusedOut = shell("rm -rf up; mkdir up; mkdir other; ln -s ../other up/d");
      Files.delete(host.path("in/out"));
      Files.createDirectories(host.path("in/d"));
      Files.writeString(host.path("in/d/x"), "x");
      Expect.code(
          "S-FILE-08", ErrorCode.INVALID_ARCHIVE, () -> files.upload(host.path("in"), "up"));
      Expect.same("S-FILE-08", 0, files.list("other").size(), "entries behind a link");
      Expect.code("S-FILE-08", ErrorCode.FILE_NOT_FOUND, () -> files.stat("up/f"));
    }
  }

  /** A bound is kept. */
  @Test
  @Rule("S-FILE-10")
  default void S_FILE_10_aReadIsBounded() throws Exception {
    SandboxFiles files = kit().files();
    files.write("f", new byte[1_000]);
    Expect.same("S-FILE-10", 1_000, files.read("f", 1_000).length, "a file that fits");
    Expect.code("S-FILE-10", ErrorCode.LIMIT_EXCEEDED, () -> files.read("f", 999));
    Expect.code("S-FILE-10", ErrorCode.INVALID_ARGUMENT, () -> files.read("f", -1));
    files.write("empty", new byte[0]);
    Expect.same("S-FILE-10", 0, files.read("empty", 0).length, "an empty file");
  }
}
