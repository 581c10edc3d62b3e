package io.sandboxspi.local.driver.pty4j;

import io.sandboxspi.local.driver.ProgramSearch;
import io.sandboxspi.local.driver.SpawnException;
import io.sandboxspi.local.driver.SpawnException.Kind;
import io.sandboxspi.local.driver.SpawnRequest;
import java.io.FileInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * Tells by the first bytes whether a program can run: pty4j's child just exits when it cannot, as
 * if the program had.
 */
final class FileFormat {
  private static final int HEAD = 256;
  private static final int ENOENT = 2;
  private static final int ENOEXEC = 8;

  private FileFormat() {}

  static void check(SpawnRequest request, String program, ProgramSearch search)
      throws SpawnException {
    byte[] head;
    try (FileInputStream file = new FileInputStream(program)) {
      head = file.readNBytes(HEAD);
    } catch (IOException unreadable) {
      // A program may be executable and not readable; then it is a binary.
      return;
    }
    String name = request.argv().get(0);
    if (head.length > 1 && head[0] == '#' && head[1] == '!') {
      String line = new String(head, 2, head.length - 2, StandardCharsets.UTF_8).strip();
      String interpreter = line.split("\\s", 2)[0];
      if (!search.runnable(interpreter)) {
        throw new SpawnException(
            Kind.NOT_EXECUTABLE, ENOENT, "the interpreter or loader of " + name + " is missing");
      }
    } else if (!isBinary(head)) {
      throw new SpawnException(
          Kind.NOT_EXECUTABLE, ENOEXEC, "program " + name + " has no format the system can run");
    }
  }

  /** ELF, or Mach-O in either byte order, thin or fat. */
  private static boolean isBinary(byte[] head) {
    if (head.length < 4) {
      return false;
    }
    int magic = ByteBuffer.wrap(head).getInt();
    return switch (magic) {
      case 0x7f454c46, 0xfeedface, 0xfeedfacf, 0xcefaedfe, 0xcffaedfe, 0xcafebabe, 0xcafebabf ->
          true;
      default -> false;
    };
  }
}
