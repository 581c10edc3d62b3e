package io.sandboxspi.remote.shell;

import io.sandboxspi.ErrorCode;
import io.sandboxspi.Operation;
import io.sandboxspi.Retryable;
import io.sandboxspi.SandboxException;
import io.sandboxspi.remote.transport.RemoteException;
import io.sandboxspi.spi.BackendRef;

/** The errors that all vendors' providers tell alike. */
public final class SandboxFailures {
  private SandboxFailures() {}

  /**
   * A sandbox was not made, or not found again.
   *
   * @param stranger whether the vendor refused the key
   */
  public static SandboxException creation(RemoteException e, boolean stranger) {
    ErrorCode code =
        switch (e.kind()) {
          case UNREACHABLE, TLS -> ErrorCode.PROVIDER_UNAVAILABLE;
          case TIMEOUT -> ErrorCode.BACKEND_UNRESPONSIVE;
          default -> stranger ? ErrorCode.PROVIDER_UNAVAILABLE : ErrorCode.CREATE_FAILED;
        };
    return e.as(code, Operation.CREATE).build();
  }

  /** A sandbox was not deleted, or not left as it should be: what may be tried again. */
  public static SandboxException release(Operation operation, String sandbox, RemoteException e) {
    return e.as(ErrorCode.BACKEND_RELEASE_FAILED, operation)
        .retryable(e.retryable() == Retryable.NO ? Retryable.NO : Retryable.YES)
        .context("sandbox", sandbox)
        .build();
  }

  /** There is nothing to attach to. */
  public static SandboxException gone(String sandbox) {
    return gone(Operation.CREATE, sandbox);
  }

  /** There is nothing that this could be done with. */
  public static SandboxException gone(Operation operation, String sandbox) {
    return SandboxException.builder(
            ErrorCode.BACKEND_GONE, operation, "the sandbox does not exist any more")
        .context("sandbox", sandbox)
        .build();
  }

  /** A reference of another provider, or one that is not whole. */
  public static SandboxException foreign(BackendRef ref, String provider) {
    return SandboxException.invalid(
        "backend reference", "of " + ref.provider(), "one of provider " + provider);
  }
}
