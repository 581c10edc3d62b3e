package io.sandboxspi.local;

import io.sandboxspi.Signal;

/** Numbers of signals, which are not all the same everywhere. */
final class SignalNumbers {
  private static final boolean LINUX = "Linux".equals(System.getProperty("os.name"));

  private SignalNumbers() {}

  static int of(Signal signal) {
    return switch (signal) {
      case HUP -> 1;
      case INT -> 2;
      case QUIT -> 3;
      case KILL -> 9;
      case TERM -> 15;
      case USR1 -> LINUX ? 10 : 30;
      case USR2 -> LINUX ? 12 : 31;
      case CONT -> LINUX ? 18 : 19;
      case STOP -> LINUX ? 19 : 17;
      case TSTP -> LINUX ? 20 : 18;
    };
  }
}
