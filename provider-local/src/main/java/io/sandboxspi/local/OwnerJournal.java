package io.sandboxspi.local;

import io.sandboxspi.ErrorCode;
import io.sandboxspi.Operation;
import io.sandboxspi.Retryable;
import io.sandboxspi.SandboxException;
import io.sandboxspi.local.sweep.Outcome;
import io.sandboxspi.local.sweep.ProcessSweep;
import io.sandboxspi.local.sweep.Target;
import io.sandboxspi.spi.Deadline;
import io.sandboxspi.spi.LaunchId;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The launches of one backend in a workspace that outlives its JVM, on disk: when the JVM is
 * killed, who attaches next ends what it left (spec S-LOCAL-06). Thread-safe.
 */
final class OwnerJournal implements AutoCloseable {
  private static final String DIRECTORY = "owners";
  private static final Pattern NAME = Pattern.compile("([0-9]{1,10})-([0-9]{1,19})-[0-9a-f-]{36}");

  private final Path file;
  private final FileChannel channel;

  private OwnerJournal(Path file, FileChannel channel) {
    this.file = file;
    this.channel = channel;
  }

  static OwnerJournal open(LocalWorkspace workspace) throws IOException {
    ProcessHandle self = ProcessHandle.current();
    Path directory = Files.createDirectories(workspace.base().resolve(DIRECTORY));
    Path file = directory.resolve(self.pid() + "-" + startedAt(self) + "-" + UUID.randomUUID());
    return new OwnerJournal(
        file,
        FileChannel.open(
            file,
            StandardOpenOption.CREATE_NEW,
            StandardOpenOption.WRITE,
            StandardOpenOption.APPEND));
  }

  private static long startedAt(ProcessHandle process) {
    return process.info().startInstant().map(Instant::toEpochMilli).orElse(0L);
  }

  /** Before the process may exist. */
  void launching(LaunchId id) {
    ByteBuffer line = ByteBuffer.wrap((id.value() + "\n").getBytes(StandardCharsets.US_ASCII));
    try {
      while (line.hasRemaining()) {
        int unused = channel.write(line);
      }
    } catch (IOException e) {
      throw SandboxException.builder(
              ErrorCode.LAUNCH_FAILED,
              Operation.COMMAND_START,
              "the launch cannot be noted in the workspace's journal")
          .cause(e)
          .retryable(Retryable.YES)
          .build();
    }
  }

  /** Nothing of it lives any more. */
  @Override
  public void close() throws IOException {
    channel.close();
    Files.deleteIfExists(file);
  }

  /**
   * Ends what JVMs that have died left in a workspace.
   *
   * @throws SandboxException {@link ErrorCode#TERMINATION_UNCONFIRMED} when something of it lives
   */
  static void endOrphans(LocalWorkspace workspace, Deadline deadline)
      throws IOException, InterruptedException {
    List<Path> dead = journals(workspace).filter(OwnerJournal::ownerIsDead).toList();
    end(dead, deadline);
    for (Path file : dead) {
      Files.deleteIfExists(file);
    }
  }

  /**
   * Ends what anybody but one owner has launched in a workspace.
   *
   * @param own the owner; empty for nobody
   */
  static void endOthers(LocalWorkspace workspace, Optional<OwnerJournal> own, Deadline deadline)
      throws IOException, InterruptedException {
    end(
        journals(workspace).filter(file -> own.isEmpty() || !file.equals(own.get().file)).toList(),
        deadline);
  }

  private static Stream<Path> journals(LocalWorkspace workspace) throws IOException {
    try (Stream<Path> files = Files.list(workspace.base().resolve(DIRECTORY))) {
      return files.toList().stream();
    } catch (NoSuchFileException none) {
      return Stream.empty();
    }
  }

  private static void end(List<Path> journals, Deadline deadline)
      throws IOException, InterruptedException {
    List<Target> targets = new ArrayList<>();
    for (Path file : journals) {
      try {
        for (String line : Files.readAllLines(file, StandardCharsets.US_ASCII)) {
          targets.add(Target.unknown(line));
        }
      } catch (NoSuchFileException left) {
        continue; // its owner has ended all of it
      }
    }
    boolean gone =
        ProcessSweep.killAll(targets, LocalProcess.nanos(deadline)).values().stream()
            .allMatch(outcome -> outcome.kind() != Outcome.Kind.UNCONFIRMED);
    if (!gone) {
      throw SandboxException.builder(
              ErrorCode.TERMINATION_UNCONFIRMED,
              Operation.STOP,
              "processes that another owner launched are not proven ended")
          .retryable(Retryable.YES)
          .build();
    }
  }

  private static boolean ownerIsDead(Path file) {
    Matcher name = NAME.matcher(file.getFileName().toString());
    if (!name.matches()) {
      return false;
    }
    Optional<ProcessHandle> owner = ProcessHandle.of(Long.parseLong(name.group(1)));
    return owner.isEmpty() || startedAt(owner.get()) != Long.parseLong(name.group(2));
  }
}
