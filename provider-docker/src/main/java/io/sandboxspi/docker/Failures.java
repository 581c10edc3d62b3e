package io.sandboxspi.docker;

import io.sandboxspi.ErrorCode;
import io.sandboxspi.Operation;
import io.sandboxspi.Retryable;
import io.sandboxspi.SandboxException;
import io.sandboxspi.docker.engine.EngineException;
import io.sandboxspi.docker.engine.Refusal;
import java.io.Closeable;
import java.io.IOException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Failures of the engine in the SPI's words. */
final class Failures {
  private static final Logger LOG = LoggerFactory.getLogger(Failures.class);

  private Failures() {}

  static SandboxException.Builder create(String why) {
    return SandboxException.builder(ErrorCode.CREATE_FAILED, Operation.CREATE, why);
  }

  /** The engine did not answer. */
  static SandboxException of(Operation operation, EngineException failure) {
    boolean sent = failure.kind() != EngineException.Kind.UNREACHABLE;
    ErrorCode code =
        failure.kind() == EngineException.Kind.TIMEOUT
            ? ErrorCode.BACKEND_UNRESPONSIVE
            : ErrorCode.TRANSPORT;
    return SandboxException.builder(code, operation, String.valueOf(failure.getMessage()))
        .cause(failure)
        .retryable(sent ? Retryable.UNKNOWN : Retryable.YES)
        .context("failure", failure.kind())
        .build();
  }

  /** A launch got no answer. */
  static SandboxException ofLaunch(EngineException failure) {
    if (failure.kind() != EngineException.Kind.TIMEOUT) {
      return of(Operation.COMMAND_START, failure);
    }
    return SandboxException.builder(
            ErrorCode.OPEN_TIMEOUT,
            Operation.COMMAND_START,
            "the program was not open in time: " + failure.getMessage())
        .cause(failure)
        .retryable(Retryable.UNKNOWN)
        .build();
  }

  /** The engine refused a call that concerns a container. */
  static SandboxException of(Operation operation, Refusal refusal) {
    ErrorCode code = refusal.notFound() ? ErrorCode.BACKEND_GONE : ErrorCode.LAUNCH_FAILED;
    return SandboxException.builder(code, operation, "the engine refuses: " + refusal.getMessage())
        .cause(refusal)
        .context("status", refusal.status())
        .build();
  }

  static void closeQuietly(Closeable closeable) {
    try {
      closeable.close();
    } catch (IOException e) {
      LOG.debug("closed with an error", e);
    }
  }
}
