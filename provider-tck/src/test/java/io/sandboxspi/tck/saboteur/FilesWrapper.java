package io.sandboxspi.tck.saboteur;

import io.sandboxspi.FileInfo;
import io.sandboxspi.SandboxFiles;
import java.io.InputStream;
import java.util.List;

/** Delegates. */
class FilesWrapper implements SandboxFiles {
  protected final SandboxFiles delegate;

  FilesWrapper(SandboxFiles delegate) {
    this.delegate = delegate;
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
}
