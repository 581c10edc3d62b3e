package io.sandboxspi.local.driver.posix;

/** A descriptor in the reactor and what is wanted of it. */
final class Watch {
  private final Reactor reactor;
  private final long token;
  final Fd fd;
  private int wanted;
  private int armed;

  /** Takes over a descriptor without watching it yet. */
  Watch(Reactor reactor, int descriptor, Reactor.Handler handler) {
    this.reactor = reactor;
    this.fd = new Fd(descriptor, reactor::closeWatched);
    this.token = reactor.register(handler);
  }

  /**
   * Asks for events or no longer does; on the reactor's thread, or before anybody else knows of the
   * descriptor. Without any interest it leaves the set, as a hang-up would be reported for ever.
   */
  boolean want(int events, boolean on) {
    wanted = on ? wanted | events : wanted & ~events;
    if (wanted == armed || !fd.enter()) {
      return true;
    }
    try {
      int before = armed;
      armed = wanted;
      return reactor.change(fd.number, before, wanted, token);
    } finally {
      fd.leave();
    }
  }

  /** Stops watching and closes once no call on the descriptor is under way; from any thread. */
  void close() {
    reactor.unregister(token);
    fd.close();
  }
}
