package io.sandboxspi.fake;

import com.sun.jna.Memory;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * A program whose three streams are a terminal that controls nobody: the program leads no session
 * and no process group. For servers that open a terminal and forget the rest.
 */
public final class LooseTerminal {
  private static final int READ_WRITE = 2;
  private static final int NO_CONTROL = 0400;
  private static final int NON_BLOCKING = 04000;
  private static final int CLOSE_ON_EXEC = 02000000;
  private static final long SET_SIZE = 0x5414;
  private static final int IN = 1;
  private static final int OUT = 4;
  private static final int CHUNK = 128 * 1024;
  private static final int POLL_SIZE = 8;
  private static final int PAUSE = 10;

  /** Says a word when the terminal is open. */
  private static final String SCRIPT =
      "(exec 3>&1 <>\"$0\" >&0 2>&0; echo >&3; exec \"$@\" 3>&-); exit $?";

  private final Listener listener;
  private final int master;
  private final int[] wake = new int[2];
  private final Process process;
  private final BlockingQueue<byte[]> input = new LinkedBlockingQueue<>();
  private volatile boolean closed;
  private volatile boolean exited;

  /** Told what it does; may block, which holds the terminal up. */
  public interface Listener {
    /** Output. */
    void onOutput(byte[] bytes);

    /** The program has ended; output may still come. */
    void onExit();
  }

  private LooseTerminal(int master, Process process, Listener listener) {
    this.master = master;
    this.process = process;
    this.listener = listener;
  }

  /**
   * Starts a program; the listener hears nothing before {@link #begin}.
   *
   * @param environment all of it
   */
  public static LooseTerminal start(
      List<String> argv,
      Map<String, String> environment,
      String directory,
      int columns,
      int rows,
      Listener listener)
      throws IOException {
    int master = Posix.posix_openpt(READ_WRITE | NO_CONTROL | NON_BLOCKING | CLOSE_ON_EXEC);
    byte[] name = new byte[64];
    if (master < 0
        || Posix.grantpt(master) != 0
        || Posix.unlockpt(master) != 0
        || Posix.ptsname_r(master, name, name.length) != 0) {
      throw new IOException("no terminal can be made");
    }
    String slave = new String(name, StandardCharsets.US_ASCII).split("\0", 2)[0];
    size(master, columns, rows);
    // The shell between leads the session, so that nothing of this JVM's terminal is in reach.
    List<String> command = new ArrayList<>(List.of("setsid", "/bin/sh", "-c", SCRIPT, slave));
    command.addAll(argv);
    ProcessBuilder builder = new ProcessBuilder(command).directory(new File(directory));
    builder.environment().clear();
    builder.environment().putAll(environment);
    File nothing = new File("/dev/null");
    builder.redirectInput(nothing).redirectError(nothing);
    boolean done = false;
    try {
      LooseTerminal terminal = new LooseTerminal(master, builder.start(), listener);
      terminal.awaitProgram();
      if (Posix.pipe2(terminal.wake, CLOSE_ON_EXEC) != 0) {
        throw new IOException("no pipe can be made");
      }
      done = true;
      return terminal;
    } finally {
      if (!done) {
        int unused = Posix.close(master);
      }
    }
  }

  /** Begins to carry input and output. */
  public void begin() {
    FakeThreads.start("terminal-output", this::pump);
    FakeThreads.start("terminal-input", this::feed);
    FakeThreads.start("terminal-wait", this::await);
  }

  /**
   * Until it has the terminal: a number that nobody holds is given to the next terminal, and one
   * that is closed before would let this program in there.
   */
  private void awaitProgram() throws IOException {
    try (InputStream word = process.getInputStream()) {
      if (word.read() < 0) {
        throw new IOException("the terminal's program does not start");
      }
    }
  }

  private static void size(int master, int columns, int rows) {
    byte[] size = {
      (byte) rows, (byte) (rows >> 8), (byte) columns, (byte) (columns >> 8), 0, 0, 0, 0
    };
    int unused = Posix.ioctl(master, SET_SIZE, size);
  }

  private void pump() {
    byte[] chunk = new byte[CHUNK];
    while (!closed) {
      long n = Posix.read(master, chunk, chunk.length);
      if (n > 0) {
        listener.onOutput(java.util.Arrays.copyOf(chunk, (int) n));
      } else if (!await(IN)) {
        // Nobody has the other side: nobody yet, or nobody any more.
        if (exited) {
          break;
        }
        pause();
      }
    }
    synchronized (this) {
      closed = true;
      int unused = Posix.close(master) + Posix.close(wake[0]) + Posix.close(wake[1]);
    }
    input.add(new byte[0]);
  }

  /** Waits until something can be done; false for a terminal whose other side is closed. */
  private boolean await(int what) {
    try (Memory descriptors = new Memory(2L * POLL_SIZE)) {
      descriptors.setInt(0, master);
      descriptors.setInt(4, what);
      descriptors.setInt(POLL_SIZE, what == IN ? wake[0] : -1);
      descriptors.setInt(POLL_SIZE + 4, IN);
      int unused = Posix.poll(descriptors, 2, 500);
      int seen = descriptors.getInt(4) >>> 16;
      return seen == 0 || (seen & what) != 0;
    }
  }

  private static void pause() {
    java.util.concurrent.locks.LockSupport.parkNanos(PAUSE * 1_000_000L);
  }

  private void feed() {
    try {
      while (!closed) {
        byte[] bytes = input.take();
        int sent = 0;
        while (sent < bytes.length && !closed) {
          byte[] rest = java.util.Arrays.copyOfRange(bytes, sent, bytes.length);
          long n;
          synchronized (this) {
            n = closed ? 0 : Posix.write(master, rest, rest.length);
          }
          if (n > 0) {
            sent += (int) n;
          } else if (!closed) {
            await(OUT);
            pause();
          }
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void await() {
    try {
      int unused = process.waitFor();
      exited = true;
      listener.onExit();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Takes input, however much. */
  public void write(byte[] bytes) {
    input.add(bytes);
  }

  /** Changes the size. */
  public synchronized void resize(int columns, int rows) {
    if (!closed) {
      size(master, columns, rows);
    }
  }

  /** The program's number, while it lives. */
  public Optional<Long> pid() {
    return process.children().findFirst().map(ProcessHandle::pid);
  }

  /** Hangs up. */
  public synchronized void close() {
    if (!closed) {
      closed = true;
      long unused = Posix.write(wake[1], new byte[1], 1);
    }
  }

  /** Waits until the program has ended. */
  public void join() throws InterruptedException {
    int unused = process.waitFor();
  }
}
