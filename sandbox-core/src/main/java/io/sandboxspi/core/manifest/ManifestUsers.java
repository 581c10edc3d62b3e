package io.sandboxspi.core.manifest;

import io.sandboxspi.Command;
import io.sandboxspi.ErrorCode;
import io.sandboxspi.ExecResult;
import io.sandboxspi.Operation;
import io.sandboxspi.SandboxException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Makes the accounts that a manifest names (spec S-USER-03). */
public final class ManifestUsers {
  private static final Duration LIMIT = Duration.ofMinutes(1);

  /**
   * useradd where it is, else the adduser of busybox (another has other options), else by hand:
   * some busyboxes have none.
   */
  private static final String TEXT =
      """
      for user; do
        if id -u "$user" >/dev/null 2>&1; then
          continue
        elif command -v useradd >/dev/null; then
          useradd -M -U -s /bin/false -- "$user"
        elif command -v adduser >/dev/null; then
          adduser -D -H -s /bin/false "$user"
        else
          number=1000
          while cut -d: -f3 /etc/passwd /etc/group 2>/dev/null | grep -qx "$number"; do
            number=$((number + 1))
          done
          echo "$user:x:$number:" >> /etc/group &&
            echo "$user:x:$number:$number::/:/bin/false" >> /etc/passwd
        fi || exit 1
      done
      """;

  private ManifestUsers() {}

  /** Runs a command in the sandbox. */
  public interface Runner {
    /** To its end. */
    ExecResult run(Command command) throws InterruptedException;
  }

  /**
   * Makes those that are missing.
   *
   * @throws SandboxException {@link ErrorCode#CREATE_FAILED} with what the sandbox said
   */
  public static void make(List<String> users, Runner runner) throws InterruptedException {
    List<String> argv = new ArrayList<>(List.of("sh", "-c", TEXT, "sandbox-users"));
    argv.addAll(users);
    ExecResult result = runner.run(Command.of(argv).timeout(LIMIT));
    if (!result.successful()) {
      throw SandboxException.builder(
              ErrorCode.CREATE_FAILED,
              Operation.MANIFEST_APPLY,
              "the manifest's users " + users + " were not made: " + result.stderr().text().strip())
          .context("status", result.status())
          .build();
    }
  }
}
