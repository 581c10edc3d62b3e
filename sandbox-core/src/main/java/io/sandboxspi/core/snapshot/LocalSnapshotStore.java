package io.sandboxspi.core.snapshot;

import io.sandboxspi.SandboxException;
import io.sandboxspi.Snapshot;
import io.sandboxspi.core.snapshot.JsonObject.MalformedException;
import io.sandboxspi.spi.Deadline;
import io.sandboxspi.spi.SnapshotStore;
import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A directory for each lineage. A snapshot is a content file, synced to the disk, and then a record
 * of it, synced and renamed into place: the rename is what makes it be there. A content without a
 * record was torn by a crash and is removed by the next writer.
 */
final class LocalSnapshotStore implements SnapshotStore {
  private static final Logger LOG = LoggerFactory.getLogger(LocalSnapshotStore.class);
  private static final Pattern LINEAGE = Pattern.compile("[a-z0-9-]{1,64}");
  private static final Pattern RECORD = Pattern.compile("([1-9][0-9]{0,17})\\.json");
  private static final Pattern CONTENT = Pattern.compile("[0-9a-f-]{36}\\.content");
  private static final long RECORD_LIMIT = 1 << 20;
  private static final String FILE = "file";
  private static final String SHA256 = "sha256";
  private static final FileAttribute<?> OWNER_ONLY =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));
  private static final FileAttribute<?> OWNER_FILE =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

  private final Path base;

  LocalSnapshotStore(Path base) {
    this.base = base;
  }

  /** A record that was read: the snapshot, its content and the content's digest. */
  private record Found(Snapshot snapshot, String file, String sha256) {}

  @Override
  public Snapshot save(Draft draft, Content content, Deadline deadline)
      throws InterruptedException {
    try {
      Path directory = directory(draft.lineage());
      makeDirectories(directory);
      try (LineageLock lock = lock(directory, deadline)) {
        return save(directory, draft, content);
      }
    } catch (IOException e) {
      throw SnapshotErrors.failed(SnapshotFiles.reason(e), e);
    }
  }

  private Snapshot save(Path directory, Draft draft, Content content)
      throws IOException, InterruptedException {
    List<Found> there = read(directory);
    sweep(directory, there);
    String file = UUID.randomUUID() + ".content";
    Path target = directory.resolve(file);
    boolean done = false;
    try {
      SnapshotFiles.Written written;
      String fingerprint;
      Files.createFile(target, OWNER_FILE);
      try (SnapshotFiles.Sink sink = new SnapshotFiles.Sink(target)) {
        fingerprint = content.writeTo(sink);
        written = sink.finish();
      }
      long newest = there.isEmpty() ? 0 : there.get(0).snapshot().sequence();
      Snapshot snapshot =
          new Snapshot(
              LocalSnapshots.NAME,
              draft.lineage(),
              Math.max(Math.max(1, draft.oldest()), newest + 1),
              draft.kind(),
              fingerprint,
              written.size(),
              Instant.now(),
              draft.data());
      commit(directory, snapshot, file, written.sha256());
      done = true;
      return snapshot;
    } finally {
      if (!done) {
        Files.deleteIfExists(target);
      }
    }
  }

  private static void commit(Path directory, Snapshot snapshot, String file, String sha256)
      throws IOException {
    JsonObject record = SnapshotJson.of(snapshot).put(FILE, file).put(SHA256, sha256);
    Path temporary = directory.resolve("." + UUID.randomUUID() + ".tmp");
    Path target = directory.resolve(snapshot.sequence() + ".json");
    try {
      Files.createFile(temporary, OWNER_FILE);
      try (FileChannel channel = FileChannel.open(temporary, StandardOpenOption.WRITE)) {
        SnapshotFiles.writeFully(channel, record.toString().getBytes(StandardCharsets.UTF_8));
        channel.force(true);
      }
      // The content's name must be on the disk before the record that needs it.
      SnapshotFiles.sync(directory);
      Files.move(temporary, target, StandardCopyOption.ATOMIC_MOVE);
      SnapshotFiles.sync(directory);
    } finally {
      Files.deleteIfExists(temporary);
    }
  }

  @Override
  public List<Snapshot> list(String lineage, Deadline deadline) {
    try {
      return read(directory(lineage)).stream().map(Found::snapshot).toList();
    } catch (IOException e) {
      throw SnapshotErrors.unreadable(SnapshotFiles.reason(e), e);
    }
  }

  @Override
  public InputStream open(Snapshot snapshot, Deadline deadline) {
    try {
      Path directory = directory(snapshot.lineage());
      Found found = find(directory, snapshot).orElseThrow(() -> SnapshotErrors.missing(snapshot));
      Path content = directory.resolve(found.file());
      return new CheckedStream(
          Files.newInputStream(content, LinkOption.NOFOLLOW_LINKS),
          found.snapshot().size(),
          found.sha256());
    } catch (NoSuchFileException e) {
      throw SnapshotErrors.missing(snapshot);
    } catch (IOException e) {
      throw SnapshotErrors.unreadable(SnapshotFiles.reason(e), e);
    }
  }

  /** The record first: what is not listed needs no content. */
  @Override
  public void delete(Snapshot snapshot, Deadline deadline) throws InterruptedException {
    Path directory = directory(snapshot.lineage());
    if (!Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS)) {
      return;
    }
    try (LineageLock lock = lock(directory, deadline)) {
      Optional<Found> found = find(directory, snapshot);
      if (found.isPresent()) {
        Files.deleteIfExists(directory.resolve(snapshot.sequence() + ".json"));
        SnapshotFiles.sync(directory);
        Files.deleteIfExists(directory.resolve(found.get().file()));
      }
    } catch (IOException e) {
      throw SnapshotErrors.failed("it cannot be deleted: " + SnapshotFiles.reason(e), e);
    }
  }

  private static Optional<Found> find(Path directory, Snapshot snapshot) throws IOException {
    return read(directory).stream()
        .filter(each -> each.snapshot().sequence() == snapshot.sequence())
        .findFirst();
  }

  private LineageLock lock(Path directory, Deadline deadline)
      throws IOException, InterruptedException {
    return LineageLock.take(directory.resolve(".lock"), deadline)
        .orElseThrow(() -> SnapshotErrors.failed("another writer did not end in time"));
  }

  private Path directory(String lineage) {
    if (!LINEAGE.matcher(lineage).matches()) {
      throw SandboxException.invalid("lineage", '"' + lineage + '"', LINEAGE.pattern());
    }
    return base.resolve(lineage);
  }

  private static void makeDirectories(Path directory) throws IOException {
    if (Files.isDirectory(directory)) {
      return;
    }
    Path parent = directory.getParent();
    if (parent != null) {
      makeDirectories(parent);
    }
    try {
      Files.createDirectory(directory, OWNER_ONLY);
    } catch (FileAlreadyExistsException raced) {
      if (!Files.isDirectory(directory)) {
        throw raced;
      }
      return;
    }
    if (parent != null) {
      SnapshotFiles.sync(parent);
    }
  }

  /** Everything that can be restored, newest first. */
  private static List<Found> read(Path directory) throws IOException {
    List<Found> found = new ArrayList<>();
    try (Stream<Path> entries = Files.list(directory)) {
      for (Path entry : entries.toList()) {
        Matcher name = RECORD.matcher(entry.getFileName().toString());
        if (name.matches()) {
          read(entry, Long.parseLong(name.group(1))).ifPresent(found::add);
        }
      }
    } catch (NoSuchFileException nothingYet) {
      return List.of();
    }
    found.sort(Comparator.comparing((Found each) -> each.snapshot().sequence()).reversed());
    return found;
  }

  private static Optional<Found> read(Path record, long sequence) throws IOException {
    try {
      if (Files.size(record) > RECORD_LIMIT) {
        throw new MalformedException("it is too long");
      }
      JsonObject json = JsonObject.parse(Files.readString(record));
      Snapshot snapshot = SnapshotJson.read(json);
      String file = json.text(FILE);
      Path content = record.resolveSibling(file);
      boolean whole =
          snapshot.sequence() == sequence
              && CONTENT.matcher(file).matches()
              && Files.isRegularFile(content, LinkOption.NOFOLLOW_LINKS)
              && Files.size(content) == snapshot.size();
      return whole ? Optional.of(new Found(snapshot, file, json.text(SHA256))) : Optional.empty();
    } catch (NoSuchFileException raced) {
      return Optional.empty();
    } catch (MalformedException | java.nio.charset.CharacterCodingException e) {
      LOG.warn("the snapshot record {} cannot be read", record.getFileName(), e);
      return Optional.empty();
    }
  }

  /** Under the lock nobody else writes: what has no record was left by a crash. */
  private static void sweep(Path directory, List<Found> there) throws IOException {
    Set<String> used = new HashSet<>();
    there.forEach(each -> used.add(each.file()));
    try (Stream<Path> entries = Files.list(directory)) {
      for (Path entry : entries.toList()) {
        String name = entry.getFileName().toString();
        boolean torn = CONTENT.matcher(name).matches() && !used.contains(name);
        if (torn || name.endsWith(".tmp")) {
          Files.deleteIfExists(entry);
        }
      }
    }
  }

  @Override
  public String toString() {
    return "LocalSnapshotStore[" + base + "]";
  }
}
