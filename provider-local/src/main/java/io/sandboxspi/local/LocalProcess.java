package io.sandboxspi.local;

import io.sandboxspi.ErrorCode;
import io.sandboxspi.Operation;
import io.sandboxspi.Retryable;
import io.sandboxspi.SandboxException;
import io.sandboxspi.Signal;
import io.sandboxspi.TerminalSize;
import io.sandboxspi.local.driver.ClosedInputException;
import io.sandboxspi.local.driver.DriverProcess;
import io.sandboxspi.local.driver.InputTimeoutException;
import io.sandboxspi.local.driver.WindowSize;
import io.sandboxspi.spi.Deadline;
import io.sandboxspi.spi.InputClosedException;
import io.sandboxspi.spi.SandboxProcess;
import java.io.IOException;
import java.nio.ByteBuffer;

/** A driver's process in the SPI's words. */
record LocalProcess(DriverProcess process) implements SandboxProcess {
  @Override
  public boolean tryWrite(ByteBuffer bytes) {
    return process.tryWrite(bytes);
  }

  @Override
  public void write(ByteBuffer bytes, Deadline deadline)
      throws InterruptedException, InputClosedException {
    try {
      process.write(bytes, nanos(deadline));
    } catch (ClosedInputException e) {
      throw new InputClosedException(String.valueOf(e.getMessage()));
    } catch (InputTimeoutException e) {
      throw timeout(e);
    } catch (IOException e) {
      throw broken(e);
    }
  }

  @Override
  public void closeInput(Deadline deadline) throws InterruptedException {
    try {
      process.closeInput(nanos(deadline));
    } catch (InputTimeoutException e) {
      throw timeout(e);
    } catch (IOException e) {
      throw broken(e);
    }
  }

  @Override
  public void resize(TerminalSize size, Deadline deadline) {
    process.resize(new WindowSize(size.columns(), size.rows()));
  }

  @Override
  public void signal(Signal signal, Deadline deadline) {
    if (!process.exited()) {
      process.signalGroup(SignalNumbers.of(signal));
    }
  }

  @Override
  public void resumeOutput() {
    process.resumeOutput();
  }

  @Override
  public void release() {
    process.release();
  }

  /** The driver's clock is the real one, whatever the engine's is. */
  static long nanos(Deadline deadline) {
    return System.nanoTime() + deadline.remainingNanos();
  }

  private static SandboxException timeout(InputTimeoutException cause) {
    return SandboxException.builder(
            ErrorCode.WRITE_TIMEOUT,
            Operation.PTY_WRITE,
            "the input was not taken before the deadline")
        .cause(cause)
        .retryable(Retryable.UNKNOWN)
        .build();
  }

  private static SandboxException broken(IOException cause) {
    return SandboxException.builder(
            ErrorCode.TRANSPORT, Operation.PTY_WRITE, "the input cannot be written")
        .cause(cause)
        .retryable(Retryable.UNKNOWN)
        .build();
  }
}
