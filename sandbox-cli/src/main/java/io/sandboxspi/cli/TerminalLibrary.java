package io.sandboxspi.cli;

import com.sun.jna.Library;
import com.sun.jna.Native;
import com.sun.jna.NativeLong;
import com.sun.jna.Platform;

/**
 * The terminal calls of the C library. A {@code termios} is passed about unread, so its layout does
 * not matter and the modes are given back exactly; JLine's native layer does not keep the line
 * discipline.
 */
interface TerminalLibrary extends Library {
  TerminalLibrary C = Native.load("c", TerminalLibrary.class);

  /** More than a {@code termios} of any platform. */
  int TERMIOS_BYTES = 256;

  /** Change at once; 0 everywhere. */
  int TCSANOW = 0;

  /** The request for {@code struct winsize}: rows, columns and two more shorts. */
  long TIOCGWINSZ = Platform.isLinux() ? 0x5413 : 0x40087468;

  int isatty(int descriptor);

  int tcgetattr(int descriptor, byte[] termios);

  int tcsetattr(int descriptor, int when, byte[] termios);

  void cfmakeraw(byte[] termios);

  /** Variadic in C, which some platforms pass in another way. */
  int ioctl(int descriptor, NativeLong request, Object... arguments);
}
