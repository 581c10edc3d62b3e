package io.sandboxspi.fake;

import com.sun.jna.Native;
import com.sun.jna.Pointer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Calls of the system that the JDK lacks. */
public final class Posix {
  /** SIGKILL. */
  public static final int KILL = 9;

  /** SIGSTOP on Linux. */
  public static final int STOP = 19;

  /** SIGCONT on Linux. */
  public static final int CONT = 18;

  static {
    Native.register(Posix.class, "c");
  }

  private Posix() {}

  private static native int mkfifo(String path, int mode);

  private static native int kill(int pid, int signal);

  static native int posix_openpt(int flags);

  static native int grantpt(int master);

  static native int unlockpt(int master);

  static native int ptsname_r(int master, byte[] name, long size);

  static native int ioctl(int descriptor, long request, byte[] argument);

  static native int poll(Pointer descriptors, long count, int milliseconds);

  static native long read(int descriptor, byte[] into, long size);

  static native long write(int descriptor, byte[] from, long size);

  static native int pipe2(int[] ends, int flags);

  static native int close(int descriptor);

  static void pipe(Path path) throws IOException {
    if (mkfifo(path.toString(), 0600) != 0) {
      throw new IOException("no pipe can be made: error " + Native.getLastError());
    }
  }

  /** Signals one process; whether it was there. */
  public static boolean signal(long pid, int signal) {
    return kill((int) pid, signal) == 0;
  }

  /** Processes with this setting in their environment; not the dead. */
  public static List<Long> with(String setting) {
    List<Long> found = new ArrayList<>();
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(Path.of("/proc"), "[0-9]*")) {
      for (Path entry : entries) {
        if (environment(entry).contains("\0" + setting + "\0")) {
          found.add(Long.parseLong(entry.getFileName().toString()));
        }
      }
    } catch (IOException noProc) {
      return found;
    }
    return found;
  }

  /** Processes of this session; not the dead. */
  public static List<Long> inSession(long leader) {
    List<Long> found = new ArrayList<>();
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(Path.of("/proc"), "[0-9]*")) {
      for (Path entry : entries) {
        String[] fields = stat(entry);
        if (fields.length > 3 && !fields[0].equals("Z") && fields[3].equals("" + leader)) {
          found.add(Long.parseLong(entry.getFileName().toString()));
        }
      }
    } catch (IOException noProc) {
      return found;
    }
    return found;
  }

  /** State, parent, group, session and so on. */
  private static String[] stat(Path entry) {
    try {
      String text = Files.readString(entry.resolve("stat"), StandardCharsets.ISO_8859_1);
      // The name, in parentheses, may hold anything.
      return text.substring(text.lastIndexOf(')') + 2).split(" ");
    } catch (IOException ended) {
      return new String[0];
    }
  }

  private static String environment(Path entry) {
    try {
      return "\0"
          + new String(Files.readAllBytes(entry.resolve("environ")), StandardCharsets.ISO_8859_1)
          + "\0";
    } catch (IOException endedOrForeign) {
      return "";
    }
  }

  /** Ends all processes with this setting, until none is found, in bounds. */
  public static void endAll(String setting) {
    for (int i = 0; i < 200; i++) {
      List<Long> left = with(setting);
      if (left.isEmpty()) {
        return;
      }
      left.forEach(pid -> signal(pid, KILL));
      Thread.onSpinWait();
    }
  }
}
