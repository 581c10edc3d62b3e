package io.sandboxspi.cli;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The sandboxes that have names, below {@code $XDG_STATE_HOME/sandbox}: one file each, replaced
 * whole, and one lock each that the system lets go of when its holder dies (spec S-CLI-08).
 */
final class NamedSandboxes {
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9_.-]{0,62}");
  private static final String SUFFIX = ".json";
  private static final Duration PATIENCE = Duration.ofSeconds(10);
  private static final long PAUSE_NANOS = Duration.ofMillis(20).toNanos();
  private static final FileAttribute<?> OWNER_DIRECTORY =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));
  private static final FileAttribute<?> OWNER_FILE =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

  private final Path base;

  NamedSandboxes(Path base) {
    this.base = base;
  }

  /** Where the environment says. */
  static NamedSandboxes here() {
    String state = System.getenv("XDG_STATE_HOME");
    Path home =
        state != null && state.startsWith("/")
            ? Path.of(state)
            : Path.of(System.getProperty("user.home"), ".local", "state");
    return new NamedSandboxes(home.resolve("sandbox"));
  }

  /** A held lock. */
  interface Held extends AutoCloseable {
    @Override
    void close();
  }

  static String checked(String name) {
    if (!NAME.matcher(name).matches()) {
      throw CliFailure.usage(
          "the name is '"
              + name
              + "'; allowed: 1 to 63 letters, digits, '_', '.', '-', the first a letter or digit");
    }
    return name;
  }

  /** Several at once may use a sandbox. */
  Held using(String name) {
    return lock(checked(name), true);
  }

  /** One alone may change it. */
  Held changing(String name) {
    return lock(checked(name), false);
  }

  private Held lock(String name, boolean shared) {
    try {
      Path file = directory("locks").resolve(name);
      FileChannel channel = open(file);
      boolean done = false;
      try {
        long end = System.nanoTime() + PATIENCE.toNanos();
        FileLock lock = channel.tryLock(0, Long.MAX_VALUE, shared);
        while (lock == null) {
          if (System.nanoTime() > end || Thread.currentThread().isInterrupted()) {
            throw CliFailure.sandbox(
                "sandbox " + name + " is in use by another sandbox command", null);
          }
          LockSupport.parkNanos(PAUSE_NANOS);
          lock = channel.tryLock(0, Long.MAX_VALUE, shared);
        }
        done = true;
        return () -> close(channel);
      } finally {
        if (!done) {
          channel.close();
        }
      }
    } catch (IOException e) {
      throw failed(e);
    }
  }

  private static FileChannel open(Path file) throws IOException {
    try {
      Files.createFile(file, OWNER_FILE);
    } catch (FileAlreadyExistsException there) {
      return FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE);
    }
    return FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE);
  }

  private static void close(FileChannel channel) {
    try {
      channel.close();
    } catch (IOException e) {
      throw failed(e);
    }
  }

  /** What is remembered of a sandbox. */
  Optional<NamedSandbox> find(String name) {
    try {
      Path file = base.resolve("sandboxes").resolve(checked(name) + SUFFIX);
      return Optional.of(NamedSandbox.fromJson(name, Files.readString(file)));
    } catch (NoSuchFileException unknown) {
      return Optional.empty();
    } catch (IOException e) {
      throw failed(e);
    }
  }

  /** What is remembered of a sandbox that must be known. */
  NamedSandbox get(String name) {
    return find(name)
        .orElseThrow(
            () ->
                CliFailure.usage(
                    "there is no sandbox " + name + "; known: " + String.join(", ", names())));
  }

  List<String> names() {
    List<String> names = new ArrayList<>();
    try (Stream<Path> files = Files.list(base.resolve("sandboxes"))) {
      files
          .map(file -> file.getFileName().toString())
          .filter(file -> file.endsWith(SUFFIX) && !file.startsWith("."))
          .map(file -> file.substring(0, file.length() - SUFFIX.length()))
          .sorted()
          .forEach(names::add);
      return names;
    } catch (NoSuchFileException none) {
      return names;
    } catch (IOException e) {
      throw failed(e);
    }
  }

  /** Remembers a sandbox; after a crash either the old or the new text is there. */
  void put(NamedSandbox sandbox) {
    try {
      Path directory = directory("sandboxes");
      Path temporary = directory.resolve("." + UUID.randomUUID() + ".tmp");
      try {
        Files.createFile(temporary, OWNER_FILE);
        try (FileChannel channel = FileChannel.open(temporary, StandardOpenOption.WRITE)) {
          ByteBuffer text = ByteBuffer.wrap(sandbox.toJson().getBytes(StandardCharsets.UTF_8));
          while (text.hasRemaining()) {
            int unused = channel.write(text);
          }
          channel.force(true);
        }
        Files.move(
            temporary, directory.resolve(sandbox.name() + SUFFIX), StandardCopyOption.ATOMIC_MOVE);
      } finally {
        Files.deleteIfExists(temporary);
      }
      sync(directory);
    } catch (IOException e) {
      throw failed(e);
    }
  }

  void remove(String name) {
    try {
      Path directory = directory("sandboxes");
      Files.deleteIfExists(directory.resolve(name + SUFFIX));
      sync(directory);
    } catch (IOException e) {
      throw failed(e);
    }
  }

  /** A directory for workspaces of this machine. */
  Path workspaces() {
    try {
      return directory("workspaces");
    } catch (IOException e) {
      throw failed(e);
    }
  }

  private Path directory(String name) throws IOException {
    Path directory = base.resolve(name);
    if (!Files.isDirectory(directory)) {
      Files.createDirectories(base.getParent());
      make(base);
      make(directory);
    }
    return directory;
  }

  private static void make(Path directory) throws IOException {
    try {
      Files.createDirectory(directory, OWNER_DIRECTORY);
    } catch (FileAlreadyExistsException there) {
      if (!Files.isDirectory(directory)) {
        throw there;
      }
    }
  }

  private static void sync(Path directory) throws IOException {
    try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
      channel.force(true);
    }
  }

  private static CliFailure failed(IOException cause) {
    return CliFailure.sandbox(
        "the state of the sandboxes cannot be kept: "
            + cause.getClass().getSimpleName()
            + " "
            + cause.getMessage(),
        cause);
  }
}
