package io.sandboxspi.local.driver.posix;

import java.util.function.IntSupplier;

/** The calling thread's blocked signals. */
public final class SignalMask {
  private static final int SIZE = 128;
  private static final int SIG_SETMASK = Os.LINUX ? 2 : 3;

  private SignalMask() {}

  /** Runs an action while no signal is blocked. */
  public static int whileEmpty(IntSupplier action) {
    NativeBuffer masks = new NativeBuffer(2 * SIZE);
    long before = masks.address + SIZE;
    Posix.pthread_sigmask(SIG_SETMASK, masks.address, before);
    try {
      return action.getAsInt();
    } finally {
      Posix.pthread_sigmask(SIG_SETMASK, before, 0);
    }
  }
}
