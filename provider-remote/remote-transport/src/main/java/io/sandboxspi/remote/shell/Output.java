package io.sandboxspi.remote.shell;

import io.sandboxspi.ExitStatus;
import io.sandboxspi.remote.transport.RemoteException;
import io.sandboxspi.spi.OutputChannel;
import java.nio.ByteBuffer;
import java.util.Optional;

/** Told what a process of a {@link Machine} does: one call at a time; the methods do not block. */
public interface Output {
  /**
   * How the streams ended.
   *
   * @param status what the vendor says of the process; empty when it says nothing
   * @param broken what broke the connection; empty for an orderly end
   */
  record End(Optional<ExitStatus> status, Optional<RemoteException> broken) {
    /** In order. */
    public static End of(ExitStatus status) {
      return new End(Optional.of(status), Optional.empty());
    }

    /** By a failure. */
    public static End broken(RemoteException failure) {
      return new End(Optional.empty(), Optional.of(failure));
    }
  }

  /**
   * Takes output.
   *
   * @param bytes valid during the call only; consumed whole
   * @return whether to go on; otherwise nothing comes before {@link Running#resume()}, which may be
   *     called before this returns
   */
  boolean onOutput(OutputChannel channel, ByteBuffer bytes);

  /** Nothing more comes; once, unless this side closed the process's streams. */
  void onEnd(End end);
}
