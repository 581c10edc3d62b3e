package io.sandboxspi.core.session;

import io.sandboxspi.ErrorCode;
import io.sandboxspi.FileInfo;
import io.sandboxspi.Operation;
import io.sandboxspi.Registration;
import io.sandboxspi.Retryable;
import io.sandboxspi.SandboxException;
import io.sandboxspi.SandboxFiles;
import io.sandboxspi.core.time.Callback;
import io.sandboxspi.core.time.Caller;
import io.sandboxspi.core.time.LaneTask;
import io.sandboxspi.spi.BackendFiles;
import io.sandboxspi.spi.Deadline;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Files of a session: path policy, gate, bounds and events over a backend's. */
final class EngineFiles implements SandboxFiles {
  private static final Logger LOG = LoggerFactory.getLogger(EngineFiles.class);
  private static final Duration BRIEF = Duration.ofSeconds(30);
  private static final Duration TRANSFER = Duration.ofHours(1);

  private final EngineSession session;
  private final SessionCore core;

  EngineFiles(EngineSession session, SessionCore core) {
    this.session = session;
    this.core = core;
  }

  /** A call to the backend. */
  private interface FileCall<T> {
    T run(BackendFiles files, String path, Deadline deadline)
        throws InterruptedException, IOException;
  }

  @Override
  public byte[] read(String path) throws InterruptedException {
    return call(
        Operation.FILE_READ,
        path,
        TRANSFER,
        (files, normal, deadline) -> {
          try (InputStream in = files.open(normal, deadline)) {
            return in.readAllBytes();
          }
        });
  }

  @Override
  public InputStream open(String path) throws InterruptedException {
    return new KeepingStream(
        call(Operation.FILE_READ, path, TRANSFER, BackendFiles::open), session);
  }

  @Override
  public void write(String path, byte[] content) throws InterruptedException {
    write(path, new ByteArrayInputStream(content));
  }

  @Override
  public void write(String path, InputStream content) throws InterruptedException {
    call(
        Operation.FILE_WRITE,
        path,
        TRANSFER,
        (files, normal, deadline) -> {
          files.write(normal, content, deadline);
          return true;
        });
  }

  @Override
  public FileInfo stat(String path) throws InterruptedException {
    return call(Operation.FILE_STAT, path, BRIEF, BackendFiles::stat);
  }

  @Override
  public List<FileInfo> list(String path) throws InterruptedException {
    return call(Operation.FILE_LIST, path, BRIEF, BackendFiles::list).stream()
        .sorted(Comparator.comparing(FileInfo::path))
        .toList();
  }

  @Override
  public void makeDirectories(String path) throws InterruptedException {
    call(
        Operation.FILE_MAKE_DIRECTORY,
        path,
        BRIEF,
        (files, normal, deadline) -> {
          files.makeDirectories(normal, deadline);
          return true;
        });
  }

  @Override
  public void remove(String path) throws InterruptedException {
    remove(path, false);
  }

  @Override
  public void removeTree(String path) throws InterruptedException {
    remove(path, true);
  }

  private void remove(String path, boolean tree) throws InterruptedException {
    call(
        Operation.FILE_REMOVE,
        path,
        tree ? TRANSFER : BRIEF,
        (files, normal, deadline) -> {
          if (normal.equals(".")) {
            throw SandboxException.of(
                ErrorCode.INVALID_PATH,
                Operation.FILE_REMOVE,
                "the workspace itself cannot be removed");
          }
          files.remove(normal, tree, deadline);
          return true;
        });
  }

  private <T> T call(Operation operation, String path, Duration limit, FileCall<T> call)
      throws InterruptedException {
    return core.events()
        .call(
            operation,
            path,
            caller -> {
              core.gate().check(operation);
              BackendFiles files = core.backend().files();
              String normal = SandboxPath.normalise(path, files.workspace(), operation);
              Deadline deadline = core.clock().deadline(limit);
              LaneTask<T> task = core.work().call(() -> call.run(files, normal, deadline));
              Caller.Wait wait = await(task, deadline, caller);
              if (wait != Caller.Wait.DONE || !task.isDone()) {
                task.interrupt();
                Callback.when(task, (late, failure) -> closeLate(late));
                caller.throwIfCancelled(List.of());
                core.gate().check(operation);
              }
              if (wait == Caller.Wait.DEADLINE) {
                throw failed(operation, path, "did not end in " + limit, null);
              }
              Throwable failure = task.handle((value, thrown) -> thrown).join();
              if (failure instanceof RuntimeException e) {
                throw e;
              }
              if (failure != null) {
                throw failed(operation, path, "failed", failure);
              }
              return task.join();
            });
  }

  /** Done also when the session ends, which a call must not outlive (spec S-LIFE-09). */
  private Caller.Wait await(LaneTask<?> task, Deadline deadline, Caller caller) {
    Callback.when(task, (value, failure) -> caller.wake());
    try (Registration watch = core.watchingEnd(caller::wake)) {
      return caller.await(() -> task.isDone() || core.ending(), deadline);
    }
  }

  /** A stream that comes when its caller has left is nobody's. */
  private void closeLate(@Nullable Object late) {
    if (late instanceof InputStream stream) {
      core.work()
          .execute(
              () -> {
                try {
                  stream.close();
                } catch (IOException e) {
                  LOG.debug("a file that was opened for nobody could not be closed", e);
                }
              });
    }
  }

  private static SandboxException failed(
      Operation operation, String path, String what, @Nullable Throwable cause) {
    SandboxException.Builder builder =
        SandboxException.builder(
                ErrorCode.FILE_FAILED, operation, operation + " of \"" + path + "\" " + what)
            .retryable(Retryable.UNKNOWN);
    return (cause == null ? builder : builder.cause(cause)).build();
  }

  @Override
  public String toString() {
    return "SandboxFiles[session=" + session.id() + "]";
  }
}
