package io.sandboxspi.tck.plain;

import io.sandboxspi.spi.Deadline;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;

/** Ends processes by a setting in their environment. */
final class Processes {
  private Processes() {}

  /** Kills until two looks in a row find none; whether that came before the deadline. */
  static boolean end(Set<String> cookies, Deadline deadline) throws InterruptedException {
    int empty = 0;
    while (empty < 2) {
      Set<Long> found = find(cookies);
      empty = found.isEmpty() ? empty + 1 : 0;
      found.forEach(pid -> ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly));
      if (Thread.interrupted()) {
        throw new InterruptedException();
      }
      if (empty < 2 && deadline.expired()) {
        return false;
      }
      LockSupport.parkNanos(3_000_000);
    }
    return true;
  }

  static Set<Long> find(Set<String> cookies) {
    Set<Long> found = new HashSet<>();
    try (DirectoryStream<Path> proc = Files.newDirectoryStream(Path.of("/proc"), "[0-9]*")) {
      for (Path entry : proc) {
        String environment = "\0" + read(entry.resolve("environ")) + "\0";
        if (cookies.stream().anyMatch(cookie -> environment.contains("\0" + cookie + "\0"))) {
          found.add(Long.parseLong(entry.getFileName().toString()));
        }
      }
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
    return found;
  }

  private static String read(Path file) {
    try {
      return new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1);
    } catch (IOException goneOrForeign) {
      return "";
    }
  }
}
