package io.sandboxspi.local.driver.posix;

import com.sun.jna.Native;
import com.sun.jna.NativeLibrary;
import java.io.File;

/**
 * Keeps the JVM's descriptors out of children: not all that Java opens is close-on-exec. One action
 * with glibc 2.34 or newer; else one for each descriptor that is open at the time.
 */
final class CloseFrom {
  private static final boolean NATIVE = found();

  private CloseFrom() {}

  static void add(long actions) {
    if (Os.SPAWN_CLOSE_REST != 0) {
      return;
    }
    if (NATIVE) {
      Glibc234.posix_spawn_file_actions_addclosefrom_np(actions, 3);
      return;
    }
    String[] open = new File("/dev/fd").list();
    for (String fd : open == null ? new String[0] : open) {
      int number = Integer.parseInt(fd);
      if (number > 2) {
        Posix.posix_spawn_file_actions_addclose(actions, number);
      }
    }
  }

  private static boolean found() {
    try {
      NativeLibrary.getProcess().getFunction("posix_spawn_file_actions_addclosefrom_np");
      return true;
    } catch (UnsatisfiedLinkError older) {
      return false;
    }
  }

  private static final class Glibc234 {
    static {
      Native.register(Glibc234.class, NativeLibrary.getProcess());
    }

    static native int posix_spawn_file_actions_addclosefrom_np(long actions, int from);
  }
}
