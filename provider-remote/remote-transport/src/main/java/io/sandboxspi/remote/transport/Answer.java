package io.sandboxspi.remote.transport;

import java.io.InputStream;

/** The body of an answer in one of its forms. */
sealed interface Answer {
  /** All of it. */
  @SuppressWarnings("ArrayRecordComponent")
  record Whole(byte[] bytes) implements Answer {}

  /** Still coming, to a listener. */
  record Streaming(OpenStream stream) implements Answer {}

  /** Still coming, to a reader. */
  record Reading(InputStream stream) implements Answer {}
}
