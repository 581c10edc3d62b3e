package io.sandboxspi.tck.scripted;

import io.sandboxspi.ErrorCode;
import io.sandboxspi.FileInfo;
import io.sandboxspi.Operation;
import io.sandboxspi.SandboxException;
import io.sandboxspi.spi.BackendFiles;
import io.sandboxspi.spi.Deadline;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Files in memory: names to bytes; directories are entries without bytes. */
final class ScriptedFiles implements BackendFiles {
  private final Map<String, Optional<byte[]>> entries = new TreeMap<>();

  ScriptedFiles() {
    entries.put(".", Optional.empty());
  }

  @Override
  public String workspace() {
    return "/workspace";
  }

  @Override
  public synchronized InputStream open(String path, Deadline deadline) {
    return new ByteArrayInputStream(
        entry(path, Operation.FILE_READ)
            .orElseThrow(() -> failed(Operation.FILE_READ, "a directory has no content")));
  }

  @Override
  public void write(String path, InputStream content, Deadline deadline) {
    byte[] bytes;
    try {
      bytes = content.readAllBytes();
    } catch (IOException e) {
      throw SandboxException.builder(
              ErrorCode.FILE_FAILED, Operation.FILE_WRITE, "the content cannot be read")
          .cause(e)
          .build();
    }
    synchronized (this) {
      makeParents(path);
      entries.put(path, Optional.of(bytes));
    }
  }

  @Override
  public synchronized FileInfo stat(String path, Deadline deadline) {
    return info(path, entry(path, Operation.FILE_STAT));
  }

  @Override
  public synchronized List<FileInfo> list(String path, Deadline deadline) {
    if (entry(path, Operation.FILE_LIST).isPresent()) {
      throw failed(Operation.FILE_LIST, "not a directory");
    }
    List<FileInfo> found = new ArrayList<>();
    entries.forEach(
        (name, content) -> {
          if (!name.equals(".") && parent(name).equals(path)) {
            found.add(info(name, content));
          }
        });
    return found;
  }

  @Override
  public synchronized void makeDirectories(String path, Deadline deadline) {
    makeParents(path);
    entries.putIfAbsent(path, Optional.empty());
  }

  @Override
  public synchronized void remove(String path, boolean tree, Deadline deadline) {
    if (tree) {
      entries.keySet().removeIf(name -> name.equals(path) || name.startsWith(path + "/"));
      return;
    }
    entry(path, Operation.FILE_REMOVE);
    if (entries.keySet().stream().anyMatch(name -> name.startsWith(path + "/"))) {
      throw failed(Operation.FILE_REMOVE, "the directory is not empty");
    }
    entries.remove(path);
  }

  private void makeParents(String path) {
    for (String at = parent(path); !at.equals("."); at = parent(at)) {
      entries.putIfAbsent(at, Optional.empty());
    }
  }

  private Optional<byte[]> entry(String path, Operation operation) {
    Optional<byte[]> found = entries.get(path);
    if (found == null) {
      throw SandboxException.of(ErrorCode.FILE_NOT_FOUND, operation, "no such file");
    }
    return found;
  }

  private static FileInfo info(String path, Optional<byte[]> content) {
    FileInfo.Kind kind = content.isPresent() ? FileInfo.Kind.FILE : FileInfo.Kind.DIRECTORY;
    int size = content.map(bytes -> bytes.length).orElse(0);
    return new FileInfo(path, kind, size, content.isPresent() ? "0644" : "0755", Instant.EPOCH);
  }

  private static String parent(String path) {
    int slash = path.lastIndexOf('/');
    return slash < 0 ? "." : path.substring(0, slash);
  }

  private static SandboxException failed(Operation operation, String message) {
    return SandboxException.of(ErrorCode.FILE_FAILED, operation, message);
  }
}
