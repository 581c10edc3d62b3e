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
 * Other users of the sandbox, which its manifest makes; without {@link Capability#USERS} everything
 * that names one is refused.
 */
public interface UserRules extends KitAccess {
  /** The user of these tests. */
  String USER = "tck-user";

  /** A session of a sandbox that has the user. */
  private SandboxSession withUser() throws InterruptedException {
    Manifest manifest = Manifest.builder().user(USER).build();
    return kit().open(spec -> spec.manifest(manifest));
  }

  private boolean supported() throws InterruptedException {
    return kit().has(Capability.USERS) && kit().session().capabilities().contains(Capability.USERS);
  }

  /** A process is the user's from its start to its end, and so is what escapes from it. */
  @Test
  @Rule("S-USER-01")
  default void S_USER_01_aProcessIsAnotherUsers() throws Exception {
    if (!supported()) {
      SandboxSession session = kit().session();
      Command command = Command.of("id").user(USER);
      Expect.code("S-USER-01", ErrorCode.UNSUPPORTED, () -> session.exec(command));
      Expect.code(
          "S-USER-01",
          ErrorCode.UNSUPPORTED,
          () -> session.ptys().start(kit().pty("a", "id").user(USER)));
      Expect.that("S-USER-01", kit().log().count(FaultPoint.OPEN_BEFORE) == 0, "it was launched");
      return;
    }
    SandboxSession session = withUser();
    String said =
        session
            .exec(
                Command.of("sh", "-c", "id -un; printf '%s|' \"$V\" \"$@\"", "sh", "a b", "$c")
                    .env("V", "v")
                    .user(USER))
            .stdout()
            .text();
    Expect.same("S-USER-01", USER + "\nv|a b|$c|", said, "what the user's process sees");
    Expect.code(
        "S-USER-01",
        ErrorCode.USER_NOT_FOUND,
        () -> session.exec(Command.of("id").user("no-such-user")));
    session.files().write("hb-a", new byte[0]);
    session.files().setPermissions("hb-a", "0666");
    String escapes = "(setsid sh -c \"" + kit().beating("a") + "\" > /dev/null 2>&1 &); sleep 60";
    PtyUpdate start = session.ptys().start(kit().pty("a", "echo up; " + escapes).user(USER));
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
    if (!supported()) {
      Expect.code("S-USER-02", ErrorCode.UNSUPPORTED, () -> kit().files().asUser(USER));
      return;
    }
    SandboxSession session = withUser();
    SandboxFiles files = session.files();
    files.write("own/secret", "s".getBytes(UTF_8));
    files.setPermissions("own/secret", "0600");
    files.makeDirectories("shared");
    files.setPermissions("shared", "0777");
    SandboxFiles theirs = files.asUser(USER);
    theirs.write("shared/f", "theirs".getBytes(UTF_8));
    Expect.same("S-USER-02", "theirs", new String(theirs.read("shared/f"), UTF_8), "a file");
    String owner = session.exec(Command.of("stat", "-c", "%U", "shared/f")).stdout().text().strip();
    Expect.same("S-USER-02", USER, owner, "the owner of what the user made");
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
    if (!kit().has(Capability.USERS)) {
      Expect.code("S-USER-03", ErrorCode.UNSUPPORTED, this::withUser);
      Expect.that("S-USER-03", kit().provider().backends().isEmpty(), "a backend was made");
    } else if (!supported()) {
      Expect.code("S-USER-03", ErrorCode.UNSUPPORTED, this::withUser);
    } else {
      Command command = Command.of("id", "-un").user(USER);
      Expect.same("S-USER-03", USER + "\n", withUser().exec(command).stdout().text(), "a user");
    }
  }
}
