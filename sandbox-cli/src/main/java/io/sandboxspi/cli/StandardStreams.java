package io.sandboxspi.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/**
 * What the standard descriptors of this process are. Linux is asked through {@code /proc}, which is
 * far cheaper than loading native code and, unlike {@link System#console()}, tells them apart.
 */
final class StandardStreams {
  /** What standard input is. */
  enum Input {
    /** A terminal. */
    TERMINAL,
    /** Nothing to read: closed, or the null device. */
    NONE,
    /** A pipe, a file or a socket: read to its end. */
    PIPED
  }

  static final int IN = 0;
  static final int OUT = 1;
  static final int ERR = 2;

  private static final Path DESCRIPTORS = Path.of("/proc/self/fd");
  private static final int TYPE_MASK = 0170000;
  private static final int CHARACTER_DEVICE = 0020000;
  private static final int FIFO = 0010000;
  private static final int SOCKET = 0140000;
  private static final int MEMORY_DEVICES = 1;
  private static final long NULL_DEVICE = (MEMORY_DEVICES << 8) | 3;
  private static final int FIRST_PSEUDO_TERMINAL = 136;
  private static final int LAST_PSEUDO_TERMINAL = 143;

  private StandardStreams() {}

  static Input input() {
    if (isTerminal(IN)) {
      return Input.TERMINAL;
    }
    if (!Files.isDirectory(DESCRIPTORS)) {
      return Input.PIPED;
    }
    try {
      Path path = path(IN);
      boolean empty = type(path) == CHARACTER_DEVICE && device(path) == NULL_DEVICE;
      return empty || belongsToTheJvm(path) ? Input.NONE : Input.PIPED;
    } catch (IOException closed) {
      return Input.NONE;
    }
  }

  static boolean isTerminal(int descriptor) {
    if (!Files.isDirectory(DESCRIPTORS)) {
      return TerminalLibrary.C.isatty(descriptor) == 1;
    }
    try {
      Path path = path(descriptor);
      if (type(path) != CHARACTER_DEVICE) {
        return false;
      }
      long major = major(device(path));
      if (major >= FIRST_PSEUDO_TERMINAL && major <= LAST_PSEUDO_TERMINAL) {
        return true;
      }
      return major != MEMORY_DEVICES && TerminalLibrary.C.isatty(descriptor) == 1;
    } catch (IOException closed) {
      return false;
    }
  }

  /** Whether a failed write to the descriptor can only mean that its reader has gone. */
  static boolean isPipe(int descriptor) {
    try {
      int type = type(path(descriptor));
      return type == FIFO || type == SOCKET;
    } catch (IOException unknown) {
      return true;
    }
  }

  /** A JVM that is started with a closed descriptor gives its number to a file of its own. */
  private static boolean belongsToTheJvm(Path descriptor) throws IOException {
    return type(descriptor) != FIFO
        && type(descriptor) != SOCKET
        && Files.readSymbolicLink(descriptor).startsWith(System.getProperty("java.home"));
  }

  private static Path path(int descriptor) {
    return DESCRIPTORS.resolve(Integer.toString(descriptor));
  }

  private static int type(Path path) throws IOException {
    return (Integer) attributes(path).getOrDefault("mode", 0) & TYPE_MASK;
  }

  private static long device(Path path) throws IOException {
    return (Long) attributes(path).getOrDefault("rdev", 0L);
  }

  private static long major(long device) {
    return ((device >> 8) & 0xfff) | ((device >> 32) & ~0xfffL);
  }

  private static Map<String, Object> attributes(Path path) throws IOException {
    return Files.readAttributes(path, "unix:mode,rdev");
  }
}
