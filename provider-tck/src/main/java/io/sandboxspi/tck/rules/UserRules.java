package io.sandboxspi.tck.rules;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.sandboxspi.Capability;
import io.sandboxspi.Command;
import io.sandboxspi.ErrorCode;
import io.sandboxspi.Manifest;
import io.sandboxspi.PtyUpdate;
import io.sandboxspi.SandboxFiles;
import io.sandboxspi.SandboxSession;
import io.sandboxspi.tck.Rule;
import io.sandboxspi.tck.fault.FaultPoint;
import io.sandboxspi.tck.kit.Expect;
import org.junit.jupiter.api.Test;

/**
 * Other users of the sandbox; with {@link Capability#USERS} it has the account {@code nobody}, and
 * without it everything that names one is refused.
 */
public interface UserRules extends KitAccess {
  /** A process is the user's from its start to its end, and so is what escapes from it. */
  @Test
  @Rule("S-USER-01")
  default void S_USER_01_aProcessIsAnotherUsers() throws Exception {
    SandboxSession session = kit().session();
    if (!session.capabilities().contains(Capability.USERS)) {
      Command command = Command.of("id").user("nobody");
      Expect.code("S-USER-01", ErrorCode.UNSUPPORTED, () -> session.exec(command));
      Expect.code(
          "S-USER-01",
          ErrorCode.UNSUPPORTED,
          () -> session.ptys().start(kit().pty("a", "id").user("nobody")));
      Expect.that("S-USER-01", kit().log().count(FaultPoint.OPEN_BEFORE) == 0, "it was launched");
      return;
    }
    String said =
        session
            .exec(
                Command.of("sh", "-c", "id -un; printf '%s|' \"$V\" \"$@\"", "sh", "a b", "$c")
                    .env("V", "v")
                    .user("nobody"))
            .stdout()
            .text();
    Expect.same("S-USER-01", "nobody\nv|a b|$c|", said, "what the user's process sees");
    Expect.code(
        "S-USER-01",
        ErrorCode.USER_NOT_FOUND,
        () -> session.exec(Command.of("id").user("no-such-user")));
    session.files().write("hb-a", new byte[0]);
    session.files().setPermissions("hb-a", "0666");
    String escapes = "(setsid sh -c \"" + kit().beating("a") + "\" > /dev/null 2>&1 &); sleep 60";
    PtyUpdate start = session.ptys().start(kit().pty("a", "echo up; " + escapes).user("nobody"));
    kit().awaitBeat("a");
    Object unused = session.ptys().terminate(start.id());
    if (kit().has(Capability.KILL_ESCAPED)) {
      kit().dead("S-USER-01", "a");
    }
  }

  /** Files are seen and made as the user may. */
  @Test
  @Rule("S-USER-02")
  default void S_USER_02_filesAreAnotherUsers() throws Exception {
    SandboxFiles files = kit().files();
    if (!kit().session().capabilities().contains(Capability.USERS)) {
      Expect.code("S-USER-02", ErrorCode.UNSUPPORTED, () -> files.asUser("nobody"));
      return;
    }
    files.write("own/secret", "s".getBytes(UTF_8));
    files.setPermissions("own/secret", "0600");
    files.makeDirectories("shared");
    files.setPermissions("shared", "0777");
    SandboxFiles theirs = files.asUser("nobody");
    theirs.write("shared/f", "theirs".getBytes(UTF_8));
    Expect.same("S-USER-02", "theirs", new String(theirs.read("shared/f"), UTF_8), "a file");
    String owner =
        kit().session().exec(Command.of("stat", "-c", "%U", "shared/f")).stdout().text().strip();
    Expect.same("S-USER-02", "nobody", owner, "the owner of what the user made");
    Expect.code("S-USER-02", ErrorCode.FILE_FAILED, () -> theirs.read("own/secret"));
    Expect.code(
        "S-USER-02", ErrorCode.FILE_FAILED, () -> theirs.write("own/secret", "x".getBytes(UTF_8)));
    Expect.same("S-USER-02", "s", new String(files.read("own/secret"), UTF_8), "what was closed");
    Expect.code(
        "S-USER-02", ErrorCode.USER_NOT_FOUND, () -> files.asUser("no-such-user").read("shared/f"));
  }

  /** The users of a manifest are there before the session is handed out. */
  @Test
  @Rule("S-USER-03")
  default void S_USER_03_aManifestHasUsers() throws Exception {
    Manifest manifest = Manifest.builder().user("nobody").user("tck-user").build();
    if (!kit().has(Capability.USERS)) {
      Expect.code(
          "S-USER-03", ErrorCode.UNSUPPORTED, () -> kit().open(spec -> spec.manifest(manifest)));
      Expect.that("S-USER-03", kit().provider().backends().isEmpty(), "a backend was made");
      return;
    }
    if (!kit().session().capabilities().contains(Capability.USERS)) {
      Expect.code(
          "S-USER-03", ErrorCode.UNSUPPORTED, () -> kit().open(spec -> spec.manifest(manifest)));
      return;
    }
    SandboxSession session = kit().open(spec -> spec.manifest(manifest));
    String name = session.exec(Command.of("id", "-un").user("tck-user")).stdout().text().strip();
    Expect.same("S-USER-03", "tck-user", name, "the user of a process");
  }
}
