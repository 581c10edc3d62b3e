package io.sandboxspi.remote.cloudflare;

import io.sandboxspi.core.posix.ShellText;
import io.sandboxspi.core.time.Lane;
import io.sandboxspi.remote.relay.Relays;
import io.sandboxspi.remote.shell.Machine;
import io.sandboxspi.remote.shell.Output;
import io.sandboxspi.remote.shell.Running;
import io.sandboxspi.remote.transport.RemoteException;
import io.sandboxspi.remote.transport.RemoteException.Kind;
import io.sandboxspi.spi.Deadline;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.Arrays;
import java.util.Optional;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One sandbox of a bridge. Its commands have no input, make text of their output and successes of
 * their failures: so every process runs behind a terminal of its own.
 */
final class CloudflareMachine implements Machine {
  private static final Logger LOG = LoggerFactory.getLogger(CloudflareMachine.class);
  private static final Duration TIDY = Duration.ofSeconds(10);

  /** The bridge takes 32 MiB; less, because a part is held in memory. */
  private static final int PART = 8 << 20;

  private final Sandbox sandbox;
  private final Relays relays;
  private final Lane lane;

  /** Makes no call. */
  CloudflareMachine(Sandbox sandbox, Lane lane) {
    this.sandbox = sandbox;
    this.lane = lane;
    this.relays =
        new Relays(
            session -> new CloudflareTerminal(sandbox, session, lane),
            before(sandbox.ref()),
            sandbox.ref().state() + "-relays",
            lane);
  }

  /**
   * In the container that was made and in no other; with a terminal that controls the program,
   * which the server's own does not.
   */
  private static String before(CloudflareRef ref) {
    return "[ -f "
        + ShellText.quote(ref.mark())
        + " ] || { printf '\\035%s FAILED instance\\035' WORD; exit 1; }; unset "
        + CloudflareTerminal.MARK
        + " PROMPT_COMMAND; exec setsid -c";
  }

  /** How relays hear that their output was taken. */
  void asking(Relays.Asking value) {
    relays.asking(value);
  }

  @Override
  public Running start(Start start, Output output, Deadline deadline) throws InterruptedException {
    return relays.start(start, output, deadline);
  }

  @Override
  public Optional<Condition> condition(Deadline deadline) throws InterruptedException {
    return Optional.of(Condition.of(sandbox.state(deadline)));
  }

  private String fresh(String kind) {
    return sandbox.ref().root() + "/.sandbox-spi-" + kind + "-" + UUID.randomUUID();
  }

  /**
   * By a link in the workspace, where the bridge reads, with a name that says that it is no text. A
   * file that is missing or cut looks like a shorter one, so its length is known before.
   */
  @Override
  public InputStream read(String path, Deadline deadline) throws InterruptedException {
    String link = fresh("read") + ".bin";
    String quoted = ShellText.quote(link);
    boolean done = false;
    try {
      String length =
          sandbox.ask(
              "reading a file",
              "ln -s " + ShellText.quote(path) + " " + quoted + " && wc -c <" + quoted,
              deadline);
      long size = length.strip().matches("[0-9]{1,18}") ? Long.parseLong(length.strip()) : -1;
      if (size < 0) {
        throw new RemoteException(Kind.MALFORMED, "reading a file: its size is not known");
      }
      InputStream content =
          new WholeStream(sandbox.get(link, deadline), size, () -> remove(quoted));
      done = true;
      return content;
    } finally {
      if (!done) {
        remove(quoted);
      }
    }
  }

  private void remove(String quoted) {
    lane.execute(
        () -> {
          try {
            String unused = sandbox.ask("tidying up", "rm -rf " + quoted, Deadline.after(TIDY));
          } catch (RemoteException e) {
            LOG.debug("a part of a file transfer is left in the sandbox", e);
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
        });
  }

  /** By parts in the workspace, where the bridge writes. */
  @Override
  public void write(String path, InputStream content, Deadline deadline)
      throws InterruptedException {
    String directory = fresh("write");
    String target = ShellText.quote(path);
    String quoted = ShellText.quote(directory);
    boolean first = true;
    boolean done = false;
    try {
      byte[] part = new byte[PART];
      int size;
      do {
        size = content.readNBytes(part, 0, PART);
        sandbox.put(directory + "/part.bin", Arrays.copyOf(part, size), deadline);
        String parent = ShellText.quote(path.substring(0, path.lastIndexOf('/')));
        String unused =
            sandbox.ask(
                "writing a file",
                (first ? "umask 077; mkdir -p " + parent + " && : >" + target + " && " : "")
                    + "cat "
                    + quoted
                    + "/part.bin >>"
                    + target
                    + " && rm -rf "
                    + quoted,
                deadline);
        first = false;
      } while (size == PART);
      done = true;
    } catch (IOException e) {
      throw new RemoteException(Kind.CLOSED, "writing a file: its content cannot be read", e);
    } finally {
      if (!done) {
        remove(quoted);
      }
    }
  }
}
