package io.sandboxspi.tck.fault;

import io.sandboxspi.FileInfo;
import io.sandboxspi.spi.BackendFiles;
import io.sandboxspi.spi.Deadline;
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
}
