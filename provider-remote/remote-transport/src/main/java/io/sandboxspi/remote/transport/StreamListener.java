package io.sandboxspi.remote.transport;

import java.nio.ByteBuffer;
import java.util.Optional;

/** Told what comes on a stream: one call at a time, on threads that must not be blocked. */
public interface StreamListener {
  /**
   * Takes bytes, all or some.
   *
   * @param bytes valid during the call only
   * @return whether to go on; after {@code false} the rest and all that follows comes after {@link
   *     OpenStream#resume()}, which may be called before this returns
   * @throws RemoteException when they are not what they should be: the stream is closed and ends
   *     with it
   */
  boolean onBytes(ByteBuffer bytes);

  /** Nothing more comes; once, unless this side closed the stream before. */
  void onEnd(Optional<RemoteException> failure);
}
