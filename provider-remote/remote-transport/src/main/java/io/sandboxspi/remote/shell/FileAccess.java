package io.sandboxspi.remote.shell;

import io.sandboxspi.ErrorCode;
import io.sandboxspi.Operation;
import io.sandboxspi.SandboxException;
import io.sandboxspi.core.files.FileCarrier;
import io.sandboxspi.core.files.ShellAccess;
import io.sandboxspi.core.posix.ControlShell;
import io.sandboxspi.core.posix.ShellText;
import io.sandboxspi.remote.transport.RemoteException;
import io.sandboxspi.spi.Deadline;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks files of a kept shell. What is small travels in questions and answers; what is large through
 * a file of its own in the sandbox, by the vendor's calls for files, which carry bytes as they are;
 * where these take any path, through none.
 */
final class FileAccess implements ShellAccess {
  private static final Logger LOG = LoggerFactory.getLogger(FileAccess.class);
  private static final int SMALL_WRITE = 48 * 1024;
  private static final int SMALL_READ = 256 * 1024;
  private static final Duration TIDY = Duration.ofSeconds(5);

  private final ControlLink link;
  private final Machine machine;
  private final String scratch;
  private final Optional<FileCarrier> carrier;

  /**
   * Makes no call.
   *
   * @param scratch a directory of the sandbox, made when needed
   */
  FileAccess(ControlLink link, Machine machine, String scratch) {
    this.link = link;
    this.machine = machine;
    this.scratch = scratch;
    this.carrier = machine.inPlace() ? Optional.of(new InPlace(machine)) : Optional.empty();
  }

  @Override
  public byte[] ask(String text, Deadline deadline) throws InterruptedException {
    try {
      return link.ask(text.stripTrailing(), deadline).output();
    } catch (RemoteException e) {
      throw failed(e);
    }
  }

  static SandboxException failed(RemoteException e) {
    boolean refused = e.kind() == RemoteException.Kind.REFUSED;
    return e.as(refused ? ErrorCode.FILE_FAILED : ErrorCode.TRANSPORT, Operation.FILE_STAT).build();
  }

  private static SandboxException failed(String why) {
    return SandboxException.of(ErrorCode.FILE_FAILED, Operation.FILE_STAT, why);
  }

  /**
   * In a shell of its own: some texts put a program in its place. With the redirection inside: dash
   * and busybox forget the one of a subshell in a group that has one too.
   */
  private static String apart(String redirection, String text) {
    return "( exec " + redirection + "\n" + text.stripTrailing() + "\n)";
  }

  private String fresh() {
    return scratch + "/" + UUID.randomUUID();
  }

  @Override
  public InputStream read(String text, Deadline deadline) throws InterruptedException {
    String file = fresh();
    String command =
        "mkdir -p -m 700 "
            + ShellText.quote(scratch)
            + " && "
            + apart(">" + ShellText.quote(file), text);
    boolean done = false;
    try {
      ControlShell.Answer answer = link.ask(command, deadline);
      if (answer.code() != 0) {
        throw failed("the sandbox's shell failed with code " + answer.code());
      }
      InputStream content = machine.read(file, deadline);
      done = true;
      return new FilterInputStream(content) {
        @Override
        public void close() throws IOException {
          try {
            super.close();
          } finally {
            forget(file);
          }
        }
      };
    } catch (RemoteException e) {
      throw failed(e);
    } finally {
      if (!done) {
        forget(file);
      }
    }
  }

  @Override
  public byte[] write(String text, InputStream content, Deadline deadline)
      throws InterruptedException {
    String file = fresh();
    try {
      machine.write(file, content, deadline);
      String command = apart("<" + ShellText.quote(file), text);
      ControlShell.Answer answer = link.ask(command, deadline);
      if (answer.code() != 0) {
        throw failed("the sandbox's shell failed with code " + answer.code());
      }
      return answer.output();
    } catch (RemoteException e) {
      throw failed(e);
    } finally {
      forget(file);
    }
  }

  @Override
  public Optional<FileCarrier> carrier() {
    return carrier;
  }

  /** In a bound of its own, whatever the caller is at. */
  private void forget(String file) {
    boolean interrupted = Thread.interrupted();
    try {
      Object unused = link.ask("rm -f " + ShellText.quote(file), Deadline.after(TIDY));
    } catch (InterruptedException e) {
      interrupted = true;
    } catch (RemoteException e) {
      LOG.warn("a part of a file transfer may be left in the sandbox", e);
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public int smallRead() {
    return SMALL_READ;
  }

  @Override
  public int smallWrite() {
    return SMALL_WRITE;
  }
}
