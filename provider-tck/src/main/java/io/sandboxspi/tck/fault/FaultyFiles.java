package io.sandboxspi.tck.fault;

import io.sandboxspi.FileInfo;
import io.sandboxspi.spi.BackendFiles;
import io.sandboxspi.spi.Deadline;
import io.sandboxspi.spi.FileTree;
import java.io.InputStream;
import java.util.List;
import java.util.Optional;

/** Wraps the files of a backend; every operation meets {@link FaultPoint#FILE_BEFORE}. */
final class FaultyFiles implements BackendFiles {
  private final BackendFiles delegate;
  private final FaultySeam seam;

  FaultyFiles(BackendFiles delegate, FaultySeam seam) {
    this.delegate = delegate;
    this.seam = seam;
  }

  private void meet(String what) throws InterruptedException {
    Optional<Object> ignored = seam.at(FaultPoint.FILE_BEFORE, "", what);
  }

  @Override
  public String workspace() {
    return delegate.workspace();
  }

  @Override
  public InputStream open(String path, Deadline deadline) throws InterruptedException {
    meet("open");
    return delegate.open(path, deadline);
  }

  @Override
  public void write(String path, InputStream content, Deadline deadline)
      throws InterruptedException {
    meet("write");
    delegate.write(path, content, deadline);
  }

  @Override
  public void write(String path, InputStream content, long size, Deadline deadline)
      throws InterruptedException {
    meet("write");
    delegate.write(path, content, size, deadline);
  }

  @Override
  public FileInfo stat(String path, Deadline deadline) throws InterruptedException {
    meet("stat");
    return delegate.stat(path, deadline);
  }

  @Override
  public List<FileInfo> list(String path, Deadline deadline) throws InterruptedException {
    meet("list");
    return delegate.list(path, deadline);
  }

  @Override
  public void makeDirectories(String path, Deadline deadline) throws InterruptedException {
    meet("makeDirectories");
    delegate.makeDirectories(path, deadline);
  }

  @Override
  public void remove(String path, boolean tree, Deadline deadline) throws InterruptedException {
    meet("remove");
    delegate.remove(path, tree, deadline);
  }

  @Override
  public void move(String from, String to, Deadline deadline) throws InterruptedException {
    meet("move");
    delegate.move(from, to, deadline);
  }

  @Override
  public void setMode(String path, int mode, Deadline deadline) throws InterruptedException {
    meet("setMode");
    delegate.setMode(path, mode, deadline);
  }

  @Override
  public FileTree readTree(String path, List<String> excludes, Deadline deadline)
      throws InterruptedException {
    meet("readTree");
    return delegate.readTree(path, excludes, deadline);
  }

  @Override
  public void writeTree(String path, FileTree tree, Deadline deadline) throws InterruptedException {
    meet("writeTree");
    delegate.writeTree(path, tree, deadline);
  }

  @Override
  public void replaceContent(String path, String staged, Deadline deadline)
      throws InterruptedException {
    meet("replaceContent");
    delegate.replaceContent(path, staged, deadline);
  }

  @Override
  public BackendFiles within(String root) {
    return new FaultyFiles(delegate.within(root), seam);
  }

  @Override
  public BackendFiles asUser(String user) {
    return new FaultyFiles(delegate.asUser(user), seam);
  }
}
