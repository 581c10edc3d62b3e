package io.sandboxspi.tck.saboteur;

import io.sandboxspi.ArchiveFormat;
import io.sandboxspi.ArchiveLimits;
import io.sandboxspi.ArchiveSummary;
import io.sandboxspi.FileInfo;
import io.sandboxspi.SandboxFiles;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.List;
import java.util.function.LongConsumer;

/** Delegates. */
class FilesWrapper implements SandboxFiles {
  protected final SandboxFiles delegate;

  FilesWrapper(SandboxFiles delegate) {
    this.delegate = delegate;
  }

  @Override
  public SandboxFiles asUser(String name) {
    return delegate.asUser(name);
  }

  @Override
  public byte[] read(String path) throws InterruptedException {
    return delegate.read(path);
  }

  @Override
  public InputStream open(String path) throws InterruptedException {
    return delegate.open(path);
  }

  @Override
  public void write(String path, byte[] content) throws InterruptedException {
    delegate.write(path, content);
  }

  @Override
  public void write(String path, InputStream content) throws InterruptedException {
    delegate.write(path, content);
  }

  @Override
  public FileInfo stat(String path) throws InterruptedException {
    return delegate.stat(path);
  }

  @Override
  public List<FileInfo> list(String path) throws InterruptedException {
    return delegate.list(path);
  }

  @Override
  public void makeDirectories(String path) throws InterruptedException {
    delegate.makeDirectories(path);
  }

  @Override
  public void remove(String path) throws InterruptedException {
    delegate.remove(path);
  }

  @Override
  public void removeTree(String path) throws InterruptedException {
    delegate.removeTree(path);
  }

  @Override
  public byte[] read(String path, int maxBytes) throws InterruptedException {
    return delegate.read(path, maxBytes);
  }

  @Override
  public void move(String from, String to) throws InterruptedException {
    delegate.move(from, to);
  }

  @Override
  public void setPermissions(String path, String permissions) throws InterruptedException {
    delegate.setPermissions(path, permissions);
  }

  @Override
  public void upload(Path source, String path) throws InterruptedException {
    delegate.upload(source, path);
  }

  @Override
  public void download(String path, Path target) throws InterruptedException {
    delegate.download(path, target);
  }

  @Override
  public void upload(Path source, String path, LongConsumer moved) throws InterruptedException {
    delegate.upload(source, path, moved);
  }

  @Override
  public void download(String path, Path target, LongConsumer moved) throws InterruptedException {
    delegate.download(path, target, moved);
  }

  @Override
  public ArchiveSummary persist(
      String path, List<String> excludes, ArchiveFormat format, OutputStream target)
      throws InterruptedException {
    return delegate.persist(path, excludes, format, target);
  }

  @Override
  public ArchiveSummary hydrate(String path, InputStream archive, ArchiveLimits limits)
      throws InterruptedException {
    return delegate.hydrate(path, archive, limits);
  }

  @Override
  public ArchiveSummary extract(String path, InputStream archive, ArchiveLimits limits)
      throws InterruptedException {
    return delegate.extract(path, archive, limits);
  }
}
