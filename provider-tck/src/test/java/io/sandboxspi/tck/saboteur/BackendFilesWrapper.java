package io.sandboxspi.tck.saboteur;

import io.sandboxspi.FileInfo;
import io.sandboxspi.spi.BackendFiles;
import io.sandboxspi.spi.Deadline;
import io.sandboxspi.spi.FileTree;
import java.io.InputStream;
import java.util.List;

/** Delegates. */
class BackendFilesWrapper implements BackendFiles {
  protected final BackendFiles delegate;

  BackendFilesWrapper(BackendFiles delegate) {
    this.delegate = delegate;
  }

  @Override
  public String workspace() {
    return delegate.workspace();
  }

  @Override
  public InputStream open(String path, Deadline deadline) throws InterruptedException {
    return delegate.open(path, deadline);
  }

  @Override
  public void write(String path, InputStream content, Deadline deadline)
      throws InterruptedException {
    delegate.write(path, content, deadline);
  }

  @Override
  public FileInfo stat(String path, Deadline deadline) throws InterruptedException {
    return delegate.stat(path, deadline);
  }

  @Override
  public List<FileInfo> list(String path, Deadline deadline) throws InterruptedException {
    return delegate.list(path, deadline);
  }

  @Override
  public void makeDirectories(String path, Deadline deadline) throws InterruptedException {
    delegate.makeDirectories(path, deadline);
  }

  @Override
  public void remove(String path, boolean tree, Deadline deadline) throws InterruptedException {
    delegate.remove(path, tree, deadline);
  }

  @Override
  public void move(String from, String to, Deadline deadline) throws InterruptedException {
    delegate.move(from, to, deadline);
  }

  @Override
  public void setMode(String path, int mode, Deadline deadline) throws InterruptedException {
    delegate.setMode(path, mode, deadline);
  }

  @Override
  public FileTree readTree(String path, List<String> excludes, Deadline deadline)
      throws InterruptedException {
    return delegate.readTree(path, excludes, deadline);
  }

  @Override
  public void writeTree(String path, FileTree tree, Deadline deadline) throws InterruptedException {
    delegate.writeTree(path, tree, deadline);
  }

  @Override
  public void replaceContent(String path, String staged, Deadline deadline)
      throws InterruptedException {
    delegate.replaceContent(path, staged, deadline);
  }

  @Override
  public BackendFiles within(String root) {
    return delegate.within(root);
  }

  @Override
  public BackendFiles asUser(String user) {
    return delegate.asUser(user);
  }
}
