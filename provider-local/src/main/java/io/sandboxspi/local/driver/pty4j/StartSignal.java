package io.sandboxspi.local.driver.pty4j;

import io.sandboxspi.local.driver.ProgramSearch;
import io.sandboxspi.local.driver.SpawnException;
import io.sandboxspi.local.driver.posix.NativeBuffer;
import io.sandboxspi.local.driver.posix.Os;
import io.sandboxspi.local.driver.posix.Posix;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.locks.LockSupport;

/**
 * Tells when a forked child has its terminal and is about to run its program. pty4j's child closes
 * every other descriptor just before that, so a pipe that it inherited comes to its end. Until then
 * the terminal must stay open: a child that cannot open it would go on as a copy of this JVM.
 */
final class StartSignal implements AutoCloseable {
  private static final int LIMIT_MILLIS = 10_000;
  private static final int ENTRY = 8;
  private static final long PROGRAM_NANOS = 1_000_000_000L;
  private static final long PAUSE_NANOS = 50_000;

  /** Index of the flags after the name, and the flag of a process that has run no program. */
  private static final int FLAGS = 6;

  private static final long FORKED_ONLY = 0x40;

  private final NativeBuffer memory = new NativeBuffer(2 * ENTRY);
  private final int end;
  private int childsEnd;

  StartSignal() throws SpawnException {
    if (Posix.pipe(memory.address) != 0) {
      throw ProgramSearch.limit("pipe", Posix.errno());
    }
    end = memory.bytes.getInt(0);
    childsEnd = memory.bytes.getInt(Integer.BYTES);
  }

  /** After the fork; false if the child did not get there. */
  boolean await(int pid) {
    closeChildsEnd();
    memory.bytes.putInt(ENTRY, end).putInt(ENTRY + Integer.BYTES, Posix.IN);
    boolean near = Posix.poll(memory.address + ENTRY, 1, LIMIT_MILLIS) > 0;
    if (near) {
      awaitProgram(pid);
    }
    return near;
  }

  /**
   * Until the program runs, the JVM's handlers swallow signals, a hang-up among them. Only Linux
   * tells when that is; elsewhere a moment remains.
   */
  private static void awaitProgram(int pid) {
    Path stat = Path.of("/proc", Integer.toString(pid), "stat");
    long deadline = System.nanoTime() + PROGRAM_NANOS;
    try {
      while (Os.LINUX && System.nanoTime() < deadline) {
        String text = Files.readString(stat, StandardCharsets.ISO_8859_1);
        String[] fields = text.substring(text.lastIndexOf(')') + 2).split(" ", FLAGS + 2);
        if ((Long.parseLong(fields[FLAGS]) & FORKED_ONLY) == 0) {
          return;
        }
        LockSupport.parkNanos(PAUSE_NANOS);
      }
    } catch (IOException gone) {
      // It has ended and was not reaped, or /proc is not there; either way nothing to wait for.
      return;
    }
  }

  private void closeChildsEnd() {
    if (childsEnd >= 0) {
      Posix.close(childsEnd);
      childsEnd = -1;
    }
  }

  @Override
  public void close() {
    closeChildsEnd();
    Posix.close(end);
  }
}
