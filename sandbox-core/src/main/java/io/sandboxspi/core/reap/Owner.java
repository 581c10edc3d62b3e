package io.sandboxspi.core.reap;

import io.sandboxspi.spi.BackendRequest;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.util.HexFormat;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The process that made a backend, as text that fits any vendor's label: {@code place.pid.start},
 * at most 63 letters, digits and dots. It names nobody: the place is a hash.
 */
public final class Owner {
  /** Nobody: the backend is durable, and only its deletion ends it; its state is unknown. */
  public static final String DURABLE = "durable";

  private static final Pattern FORM =
      Pattern.compile("(?<place>[0-9a-f]{16})\\.(?<pid>[0-9]{1,10})\\.(?<start>[0-9]{1,19})");
  private static final Path PROC = Path.of("/proc");

  /** Whether the process lives. */
  public enum State {
    /** It does. */
    ALIVE,
    /** It is proven to have ended. */
    GONE,
    /** It cannot be told from here: another machine, another boot, another container. */
    UNKNOWN
  }

  private Owner() {}

  /** This process. */
  public static String current() {
    ProcessHandle self = ProcessHandle.current();
    return place() + "." + self.pid() + "." + start(self.pid()).orElse(0L);
  }

  /** The owner of a backend that this process makes. */
  public static String of(BackendRequest request) {
    return request.durable() ? DURABLE : current();
  }

  /** Whether the owner lives; anything that {@link #current} does not write is unknown. */
  public static State state(String owner) {
    Matcher parts = FORM.matcher(owner);
    if (!parts.matches() || !parts.group("place").equals(place())) {
      return State.UNKNOWN;
    }
    long pid = Long.parseLong(parts.group("pid"));
    long start = Long.parseLong(parts.group("start"));
    Optional<Long> now = start(pid);
    if (now.isPresent()) {
      // The number may be another process's by now.
      return now.get() == start ? State.ALIVE : State.GONE;
    }
    return canSeeOthers() && start(pid).isEmpty() ? State.GONE : State.UNKNOWN;
  }

  /** A process's start: ticks on Linux, milliseconds elsewhere; empty if there is none. */
  private static Optional<Long> start(long pid) {
    if (!Files.isDirectory(PROC.resolve("self"))) {
      return ProcessHandle.of(pid)
          .filter(ProcessHandle::isAlive)
          .map(handle -> handle.info().startInstant().map(Instant::toEpochMilli).orElse(0L));
    }
    try {
      String stat = Files.readString(PROC.resolve(pid + "/stat"), StandardCharsets.ISO_8859_1);
      // The name, in parentheses, may hold anything.
      String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
      boolean ended = fields[0].equals("Z") || fields[0].equals("X");
      return ended ? Optional.empty() : Optional.of(Long.parseLong(fields[19]));
    } catch (IOException gone) {
      return Optional.empty();
    }
  }

  /** False where the system hides the processes of others. */
  private static boolean canSeeOthers() {
    return !Files.isDirectory(PROC.resolve("self")) || Files.isReadable(PROC.resolve("1/stat"));
  }

  /** A boot of a machine and, on Linux, a space of process numbers in it. */
  private static String place() {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      byte[] hash = digest.digest(placeName().getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(hash, 0, 8);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  private static String placeName() {
    try {
      return Files.readString(PROC.resolve("sys/kernel/random/boot_id")).strip()
          + Files.readSymbolicLink(PROC.resolve("self/ns/pid"));
    } catch (NoSuchFileException notLinux) {
      return hostName();
    } catch (IOException e) {
      return "unreadable " + e.getClass().getName() + ProcessHandle.current().pid();
    }
  }

  private static String hostName() {
    try {
      return InetAddress.getLocalHost().getHostName();
    } catch (UnknownHostException e) {
      return "unknown " + ProcessHandle.current().pid();
    }
  }
}
