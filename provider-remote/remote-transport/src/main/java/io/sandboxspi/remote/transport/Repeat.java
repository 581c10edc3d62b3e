package io.sandboxspi.remote.transport;

/** When a failed call may be sent again. */
public enum Repeat {
  /** Never: it starts something, or its effect adds up. */
  NEVER,
  /** When the peer refused it before it had an effect: too many requests, or busy. */
  REFUSED,
  /** Also when nobody knows whether it had its effect: twice is as good as once. */
  ALWAYS
}
