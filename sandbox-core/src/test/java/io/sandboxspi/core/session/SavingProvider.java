package io.sandboxspi.core.session;

import io.sandboxspi.Capability;
import io.sandboxspi.ErrorCode;
import io.sandboxspi.FileInfo;
import io.sandboxspi.Operation;
import io.sandboxspi.SandboxException;
import io.sandboxspi.spi.BackendFiles;
import io.sandboxspi.spi.BackendRef;
import io.sandboxspi.spi.BackendRequest;
import io.sandboxspi.spi.Deadline;
import io.sandboxspi.spi.FileTree;
import io.sandboxspi.spi.ReleaseOutcome;
import io.sandboxspi.spi.SandboxBackend;
import io.sandboxspi.spi.TerminationOutcome;
import io.sandboxspi.spi.TreeEntry;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.EnumSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListMap;

/** A fake backend with a flat workspace that can be archived, left and attached to again. */
class SavingProvider extends FakeProvider {
  final Map<String, byte[]> work = new ConcurrentSkipListMap<>();
  volatile boolean gone;
  volatile Optional<RuntimeException> attachFails = Optional.empty();
  volatile TerminationOutcome others = TerminationOutcome.confirmed();
  volatile Script onArchive = id -> {};
  volatile Script onFill = id -> {};

  SavingProvider() {
    files = new WorkFiles();
  }

  void put(String name, String text) {
    work.put(name, text.getBytes(StandardCharsets.UTF_8));
  }

  String text(String name) {
    return new String(work.getOrDefault(name, new byte[0]), StandardCharsets.UTF_8);
  }

  @Override
  public Set<Capability> capabilities() {
    Set<Capability> all = EnumSet.allOf(Capability.class);
    all.remove(Capability.NATIVE_SNAPSHOTS);
    return all;
  }

  @Override
  public SandboxBackend create(BackendRequest request, Deadline deadline) {
    gone = false;
    return super.create(request, deadline);
  }

  @Override
  public SandboxBackend attach(BackendRef ref, Deadline deadline) {
    calls.add("attach");
    attachFails.ifPresent(
        failure -> {
          throw failure;
        });
    if (gone) {
      throw SandboxException.of(ErrorCode.BACKEND_GONE, Operation.RESUME, "gone");
    }
    return this;
  }

  @Override
  public TerminationOutcome killOthers(Deadline deadline) {
    return others;
  }

  @Override
  public void detach(Deadline deadline) {
    calls.add("detach");
  }

  @Override
  public ReleaseOutcome delete(BackendRef ref, Deadline deadline) throws InterruptedException {
    ReleaseOutcome outcome = super.delete(ref, deadline);
    gone = true;
    work.clear();
    return outcome;
  }

  private final class WorkFiles implements BackendFiles {
    private final Map<String, Map<String, byte[]>> staged = new ConcurrentSkipListMap<>();

    @Override
    public String workspace() {
      return "/workspace";
    }

    @Override
    public InputStream open(String path, Deadline deadline) {
      return new ByteArrayInputStream(work.getOrDefault(path, new byte[0]));
    }

    @Override
    public void write(String path, InputStream content, Deadline deadline) {
      try {
        work.put(path, content.readAllBytes());
      } catch (IOException e) {
        throw new IllegalStateException(e);
      }
    }

    @Override
    public FileInfo stat(String path, Deadline deadline) {
      throw SandboxException.of(ErrorCode.FILE_NOT_FOUND, Operation.FILE_STAT, path);
    }

    @Override
    public List<FileInfo> list(String path, Deadline deadline) {
      return List.of();
    }

    @Override
    public void makeDirectories(String path, Deadline deadline) {}

    @Override
    public void remove(String path, boolean tree, Deadline deadline) {
      staged.remove(path);
    }

    @Override
    public FileTree readTree(String path, List<String> excludes, Deadline deadline)
        throws InterruptedException {
      calls.add("archive");
      onArchive.run("");
      return new MapTree(new TreeMap<>(work));
    }

    @Override
    public void writeTree(String path, FileTree tree, Deadline deadline)
        throws InterruptedException {
      calls.add("fill");
      onFill.run("");
      Map<String, byte[]> fresh = new TreeMap<>();
      try {
        for (Optional<TreeEntry> next = tree.next(); next.isPresent(); next = tree.next()) {
          byte[] content = new byte[(int) next.get().size()];
          int at = 0;
          while (at < content.length) {
            at += tree.read(content, at, content.length - at);
          }
          fresh.put(next.get().path(), content);
        }
      } catch (IOException e) {
        throw SandboxException.builder(ErrorCode.FILE_FAILED, Operation.RESTORE, "bad tree")
            .cause(e)
            .build();
      }
      staged.put(path, fresh);
    }

    @Override
    public void replaceContent(String path, String from, Deadline deadline) {
      calls.add("switch");
      work.clear();
      work.putAll(staged.remove(from));
    }
  }

  /** Files of a map. */
  private static final class MapTree implements FileTree {
    private final Iterator<Map.Entry<String, byte[]>> entries;
    private InputStream current = InputStream.nullInputStream();

    MapTree(Map<String, byte[]> files) {
      this.entries = files.entrySet().iterator();
    }

    @Override
    public Optional<TreeEntry> next() {
      if (!entries.hasNext()) {
        return Optional.empty();
      }
      Map.Entry<String, byte[]> entry = entries.next();
      current = new ByteArrayInputStream(entry.getValue());
      return Optional.of(
          TreeEntry.file(entry.getKey(), 0644, entry.getValue().length, Instant.EPOCH));
    }

    @Override
    public int read(byte[] target, int offset, int length) throws IOException {
      return current.read(target, offset, length);
    }

    @Override
    public void close() {}
  }
}
