package io.sandboxspi.tck.rules;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.sandboxspi.ArchiveFormat;
import io.sandboxspi.ArchiveLimits;
import io.sandboxspi.ArchiveSummary;
import io.sandboxspi.Command;
import io.sandboxspi.ErrorCode;
import io.sandboxspi.FileInfo;
import io.sandboxspi.SandboxFiles;
import io.sandboxspi.tck.Rule;
import io.sandboxspi.tck.Scenario;
import io.sandboxspi.tck.kit.Expect;
import io.sandboxspi.tck.kit.TestArchive;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Directories as archives and back. */
public interface ArchiveRules extends KitAccess {
  private String shell(String text) throws InterruptedException {
    return kit().session().exec(Command.shell(text)).stdout().text();
  }

  private static ByteArrayInputStream in(byte[] archive) {
    return new ByteArrayInputStream(archive);
  }

  private byte[] persist(String path, ArchiveFormat format, String... excludes)
      throws InterruptedException {
    ByteArrayOutputStream archive = new ByteArrayOutputStream();
    Object unused = kit().files().persist(path, List.of(excludes), format, archive);
    return archive.toByteArray();
  }

  private List<String> names(String path) throws InterruptedException {
    List<String> names = new ArrayList<>();
    for (FileInfo info : kit().files().list(path)) {
      names.add(info.path());
    }
    return names;
  }

  private void fill() throws InterruptedException {
    Object unused =
        shell(
            "mkdir -p from/d/e from/cache/x 'from/a b'; echo deep > from/d/e/f; echo c > from/cache/x/y;"
                + " echo odd > \"from/a b/-n '$(printf 'x\\ny')\"; printf '\\000\\377' > from/bin;"
                + " ln -s d/e from/link; ln -s nowhere from/dangling;"
                + " echo run > from/run; chmod 750 from/run; chmod 700 from/d;"
                + " touch -d '2001-02-03 04:05:06' from/run || touch -t 200102030405.06 from/run");
  }

  /** Everything comes back but what was left out. */
  @Test
  @Rule({"S-ARCH-01", "S-ARCH-06"})
  @Scenario("B56")
  default void S_ARCH_01_aDirectoryComesBackFromItsArchive() throws Exception {
    fill();
    SandboxFiles files = kit().files();
    for (ArchiveFormat format : List.of(ArchiveFormat.TAR, ArchiveFormat.TAR_GZIP)) {
      ByteArrayOutputStream archive = new ByteArrayOutputStream();
      ArchiveSummary out = files.persist("from", List.of("cache/x"), format, archive);
      files.write("to/before", new byte[1]);
      ArchiveSummary in = files.hydrate("to", in(archive.toByteArray()), ArchiveLimits.defaults());
      Expect.same("S-ARCH-06", out, in, "what was read");
      String list =
          "find . | sort; ls -ld d run | cut -c1-10; stat -c %Y run; readlink link; cat d/e/f;"
              + " readlink dangling; od -c bin";
      Object unused = shell("rm -rf from/cache/x");
      String expected = shell("cd from && { " + list + "; }");
      String seen = shell("cd to && { " + list + "; }");
      Expect.same("S-ARCH-01", expected, seen, "what came back");
      Object unusedAgain = shell("mkdir from/cache/x");
    }
  }

  /** What may not be unpacked is refused, and nothing is changed. */
  @Test
  @Rule({"S-ARCH-02", "S-ARCH-04", "S-ARCH-07"})
  @Scenario({"B62", "B63"})
  default void S_ARCH_02_badMembersAreRefused() throws Exception {
    SandboxFiles files = kit().files();
    files.write("in/to/before", "kept".getBytes(UTF_8));
    List<TestArchive> bad =
        List.of(
            TestArchive.tar().file("good", "x").file("../up", "x"),
            TestArchive.tar().file("/tmp/abs-evil", "x"),
            TestArchive.tar().file("a/../../up2", "x"),
            TestArchive.tar().file("..\\up3", "x"),
            TestArchive.tar().file("C:/up4", "x"),
            TestArchive.tar().link("out", "..").file("out/x", "x"),
            TestArchive.tar().link("out", "../../../../etc"),
            TestArchive.tar().link("out", "/etc"),
            TestArchive.tar().file("a", "1").file("a", "2"),
            TestArchive.tar().hardLink("x", "/etc/passwd"),
            TestArchive.tar().file("v", "").hardLink("door/h", "v").link("door", "../outside"),
            TestArchive.tar().device("null"),
            TestArchive.zip().file("good", "x").file("../up", "x"),
            TestArchive.zip().file("/tmp/abs-evil", "x"),
            TestArchive.zip().file("..\\up3", "x"));
    for (TestArchive archive : bad) {
      byte[] bytes = archive.build();
      Expect.code(
          "S-ARCH-02",
          ErrorCode.INVALID_ARCHIVE,
          () -> files.hydrate("in/to", in(bytes), ArchiveLimits.defaults()));
      Expect.same("S-ARCH-04", List.of("in/to/before"), names("in/to"), "after a hydrate");
      Expect.code(
          "S-ARCH-02",
          ErrorCode.INVALID_ARCHIVE,
          () -> files.extract("in/to", in(bytes), ArchiveLimits.defaults()));
      Expect.same("S-ARCH-07", List.of("in/to/before"), names("in/to"), "after an extract");
      Expect.same("S-ARCH-02", List.of("in/to"), names("in"), "beside it");
    }
  }

  /** An archive that ends too early leaves the old content. */
  @Test
  @Rule("S-ARCH-04")
  default void S_ARCH_04_aTornArchiveChangesNothing() throws Exception {
    fill();
    SandboxFiles files = kit().files();
    byte[] whole = persist("from", ArchiveFormat.TAR);
    byte[] packed = persist("from", ArchiveFormat.TAR_GZIP);
    files.write("to/before", new byte[1]);
    for (byte[] torn :
        List.of(
            new byte[0],
            Arrays.copyOf(whole, 512),
            Arrays.copyOf(whole, whole.length / 2),
            Arrays.copyOf(packed, packed.length / 2))) {
      Expect.code(
          "S-ARCH-04",
          ErrorCode.INVALID_ARCHIVE,
          () -> files.hydrate("to", in(torn), ArchiveLimits.defaults()));
      Expect.same("S-ARCH-04", List.of("to/before"), names("to"), "after a torn archive");
    }
    Object unused = files.hydrate("to", in(whole), ArchiveLimits.defaults());
    Expect.same("S-ARCH-04", 7, names("to").size(), "entries after a whole one");
  }

  /** Bombs are met before they go off. */
  @Test
  @Rule("S-ARCH-03")
  default void S_ARCH_03_boundsAreKept() throws Exception {
    SandboxFiles files = kit().files();
    files.write("to/before", new byte[1]);
    ArchiveLimits limits = ArchiveLimits.defaults();
    byte[] three = TestArchive.tar().file("a", "12345").file("b", "12345").file("c", "").build();
    byte[] zip = TestArchive.zip().file("a", "12345").file("b", "12345").file("c", "").build();
    byte[] bomb = TestArchive.tar().file("zeros", new byte[20 << 20]).gzip();
    for (byte[] archive : List.of(three, zip)) {
      for (ArchiveLimits tight :
          List.of(limits.members(2), limits.bytesOut(9), limits.bytesIn(archive.length - 1))) {
        Expect.code(
            "S-ARCH-03", ErrorCode.LIMIT_EXCEEDED, () -> files.hydrate("to", in(archive), tight));
      }
    }
    Expect.code(
        "S-ARCH-03",
        ErrorCode.LIMIT_EXCEEDED,
        () -> files.hydrate("to", in(bomb), limits.ratio(100)));
    Expect.same("S-ARCH-03", List.of("to/before"), names("to"), "what was there");
  }

  /** What is unpacked comes to what is there. */
  @Test
  @Rule("S-ARCH-07")
  default void S_ARCH_07_anExtractAddsToADirectory() throws Exception {
    SandboxFiles files = kit().files();
    files.write("to/before", new byte[1]);
    files.write("to/d/f", "old".getBytes(UTF_8));
    for (TestArchive archive : List.of(TestArchive.tar(), TestArchive.zip())) {
      byte[] bytes = archive.file("d/f", "new").file("d/g", "g").directory("empty/").build();
      ArchiveSummary summary = files.extract("to", in(bytes), ArchiveLimits.defaults());
      Expect.same("S-ARCH-07", 3L, summary.members(), "members");
      Expect.same("S-ARCH-07", "new", new String(files.read("to/d/f"), UTF_8), "replaced");
      Expect.same("S-ARCH-07", List.of("to/d/f", "to/d/g"), names("to/d"), "merged");
      Expect.same(
          "S-ARCH-07", List.of("to/before", "to/d", "to/empty"), names("to"), "the directory");
      files.write("to/d/f", "old".getBytes(UTF_8));
    }
    byte[] over = TestArchive.tar().file("x", "x").file("before/f", "x").build();
    Expect.code(
        "S-ARCH-07",
        ErrorCode.INVALID_ARCHIVE,
        () -> files.extract("to", in(over), ArchiveLimits.defaults()));
    Expect.same("S-ARCH-07", 3, names("to").size(), "after one that does not fit");
  }
}
