package io.sandboxspi.local.sweep;

import io.sandboxspi.local.driver.posix.NativeBuffer;
import io.sandboxspi.local.driver.posix.Posix;
import java.io.File;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Reads {@code /proc} by plain system calls into one buffer. Not thread-safe. */
final class ProcFiles implements AutoCloseable {
  /** What was found in an environment. */
  enum Environment {
    /** The variable is there; its value is {@link #cookie()}. */
    FOUND,
    /** It was read and the variable is not there. */
    ABSENT,
    /** Nothing to read: the process may be just starting a program. */
    EMPTY,
    /** It belongs to somebody else, or the process has gone. */
    UNREADABLE
  }

  private static final String ROOT = "/proc";
  private static final byte[] NAME =
      (ProcessSweep.VARIABLE + "=").getBytes(StandardCharsets.US_ASCII);

  /** More than the kernel's limit for one variable; longer environments are read in parts. */
  private static final int CONTENT = 256 * 1024;

  private static final int PATH = 64;

  /** The start time is the 19th number after the state. */
  private static final int LAST_FIELD = 19;

  private static final int MAX_COOKIE = 128;

  private static final NativeBuffer.Pool PATHS = new NativeBuffer.Pool(PATH);
  private static final NativeBuffer.Pool CONTENTS = new NativeBuffer.Pool(CONTENT);

  private final NativeBuffer path = PATHS.take(PATH);
  private final NativeBuffer content = CONTENTS.take(CONTENT);
  private String cookie = "";

  static boolean available() {
    return new File("/proc/self/stat").exists();
  }

  /** Gives the buffer back; not used afterwards. */
  @Override
  public void close() {
    PATHS.give(path);
    CONTENTS.give(content);
  }

  /** Ids of all processes that can be seen. */
  List<Integer> pids() {
    String[] names = new File(ROOT).list();
    List<Integer> pids = new ArrayList<>();
    for (String name : names == null ? new String[0] : names) {
      if (Character.isDigit(name.charAt(0))) {
        pids.add(Integer.parseInt(name));
      }
    }
    return pids;
  }

  /** The number given to the newest process or thread; 0 if it is not known. */
  int newestPid() {
    int size = read(ROOT + "/loadavg");
    int at = size - 1;
    while (at > 0 && content.bytes.get(at - 1) != ' ') {
      at--;
    }
    return size <= 0 ? 0 : Integer.parseInt(text(at, size).strip());
  }

  /** Numbers start again from the bottom above this. */
  int maxPid() {
    int size = read(ROOT + "/sys/kernel/pid_max");
    return size <= 0 ? 0 : Integer.parseInt(text(0, size).strip());
  }

  Optional<ProcEntry> stat(int pid) {
    int size = read(pid, "/stat");
    return size <= 0 ? Optional.empty() : parse(pid, size);
  }

  /** Looks for the cookie; after {@code FOUND} it is in {@link #cookie()}. */
  Environment environment(int pid) {
    int size = read(pid, "/environ");
    if (size <= 0) {
      return size < 0 ? Environment.UNREADABLE : Environment.EMPTY;
    }
    ByteBuffer bytes = content.bytes;
    int start = 0;
    for (int i = 0; i < size; i++) {
      if (bytes.get(i) == 0) {
        start = i + 1;
      } else if (i == start + NAME.length - 1 && named(start)) {
        cookie = text(i + 1, size);
        return Environment.FOUND;
      }
    }
    return Environment.ABSENT;
  }

  String cookie() {
    return cookie;
  }

  private boolean named(int start) {
    for (int i = 0; i < NAME.length; i++) {
      if (content.bytes.get(start + i) != NAME[i]) {
        return false;
      }
    }
    return true;
  }

  private String text(int from, int size) {
    byte[] value = new byte[MAX_COOKIE];
    int length = 0;
    while (length < MAX_COOKIE && from + length < size && content.bytes.get(from + length) != 0) {
      value[length] = content.bytes.get(from + length);
      length++;
    }
    return new String(value, 0, length, StandardCharsets.UTF_8);
  }

  /** Reads a file of a process; -1 if it cannot be. */
  private int read(int pid, String file) {
    return read(ROOT + "/" + pid + file);
  }

  private int read(String file) {
    byte[] name = file.getBytes(StandardCharsets.US_ASCII);
    path.bytes.put(0, name).put(name.length, (byte) 0);
    int fd = Posix.openForReading(path.address);
    if (fd < 0) {
      return -1;
    }
    int size = 0;
    long count;
    do {
      count = Posix.read(fd, content.address + size, CONTENT - size);
      size += (int) Math.max(0, count);
    } while (count > 0 && size < CONTENT);
    Posix.close(fd);
    return count < 0 && size == 0 ? -1 : size;
  }

  /** The name in the second field may hold anything; what counts begins after its last bracket. */
  private Optional<ProcEntry> parse(int pid, int size) {
    int at = size - 1;
    while (at > 0 && content.bytes.get(at) != ')') {
      at--;
    }
    at += 2;
    char state = (char) content.bytes.get(at);
    long[] numbers = new long[LAST_FIELD];
    int fields = numbers(at + 2, size, numbers);
    if (fields < LAST_FIELD) {
      return Optional.empty();
    }
    return Optional.of(
        new ProcEntry(
            pid,
            (int) numbers[0],
            (int) numbers[1],
            (int) numbers[2],
            state,
            (int) numbers[16],
            numbers[18]));
  }

  /** Reads numbers with one blank between two; how many there were. */
  private int numbers(int from, int size, long[] numbers) {
    int at = from;
    int count = 0;
    while (count < numbers.length && at < size) {
      boolean negative = content.bytes.get(at) == '-';
      if (negative) {
        at++;
      }
      long value = 0;
      while (at < size && content.bytes.get(at) >= '0' && content.bytes.get(at) <= '9') {
        value = 10 * value + (content.bytes.get(at) - '0');
        at++;
      }
      numbers[count++] = negative ? -value : value;
      at++;
    }
    return count;
  }
}
