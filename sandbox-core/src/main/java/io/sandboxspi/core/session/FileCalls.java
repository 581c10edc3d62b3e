package io.sandboxspi.core.session;

import io.sandboxspi.ErrorCode;
import io.sandboxspi.Operation;
import io.sandboxspi.Registration;
import io.sandboxspi.Retryable;
import io.sandboxspi.SandboxException;
import io.sandboxspi.core.session.SandboxPath.Use;
import io.sandboxspi.core.time.Callback;
import io.sandboxspi.core.time.Caller;
import io.sandboxspi.core.time.LaneTask;
import io.sandboxspi.spi.BackendFiles;
import io.sandboxspi.spi.Deadline;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Calls to the files of a session's backend: path policy, gate, bounds and events. */
final class FileCalls {
  static final Duration BRIEF = Duration.ofSeconds(30);
  static final Duration TRANSFER = Duration.ofHours(1);

  private static final Logger LOG = LoggerFactory.getLogger(FileCalls.class);

  private final SessionCore core;
  private final Optional<String> user;

  FileCalls(SessionCore core) {
    this(core, Optional.empty());
  }

  /**
   * Calls as a user.
   *
   * @param user an account of the sandbox; empty for the backend's own
   */
  FileCalls(SessionCore core, Optional<String> user) {
    this.core = core;
    this.user = user;
  }

  /** A call to the backend. */
  interface FileCall<T> {
    T run(BackendFiles files, String path, Deadline deadline)
        throws InterruptedException, IOException;
  }

  /** A call without a value. */
  interface FileAction {
    void run(BackendFiles files, String path, Deadline deadline)
        throws InterruptedException, IOException;
  }

  void run(Operation operation, Use use, String path, Duration limit, FileAction action)
      throws InterruptedException {
    call(
        operation,
        use,
        path,
        limit,
        (files, normal, deadline) -> {
          action.run(files, normal, deadline);
          return true;
        });
  }

  <T> T call(Operation operation, Use use, String path, Duration limit, FileCall<T> call)
      throws InterruptedException {
    return core.events()
        .call(
            operation,
            path,
            caller -> {
              Registration change = use == Use.WRITE ? core.changes().begin() : () -> {};
              boolean begun = false;
              try {
                core.gate().check(operation);
                Deadline deadline = core.clock().deadline(limit);
                LaneTask<T> task = begin(operation, use, path, deadline, call);
                begun = true;
                Callback.when(task, (value, failure) -> change.close());
                return await(caller, task, deadline, operation, path, limit);
              } finally {
                if (!begun) {
                  change.close();
                }
              }
            });
  }

  private <T> LaneTask<T> begin(
      Operation operation, Use use, String path, Deadline deadline, FileCall<T> call) {
    BackendFiles all = core.backend().files();
    SandboxPath where = resolve(path, all, use, operation);
    return core.work()
        .call(
            () -> {
              BackendFiles files = files(all, where);
              checkBackslash(files, where.path(), path, operation, deadline);
              return call.run(files, where.path(), deadline);
            });
  }

  /** Where a second path of a call leads; it must have the same root as the first. */
  String second(String path, String first, Operation operation) {
    BackendFiles files = core.backend().files();
    SandboxPath one = resolve(first, files, Use.WRITE, operation);
    SandboxPath other = resolve(path, files, Use.WRITE, operation);
    if (!one.grant().equals(other.grant())) {
      throw SandboxPath.invalid(operation, path, "and \"" + first + "\" are in different roots");
    }
    if (other.path().indexOf('\\') >= 0) {
      throw backslash(operation, path);
    }
    return other.path();
  }

  private SandboxPath resolve(String path, BackendFiles files, Use use, Operation operation) {
    return SandboxPath.resolve(path, files.workspace(), core.spec().grants(), use, operation);
  }

  private BackendFiles files(BackendFiles all, SandboxPath where) {
    BackendFiles files = where.grant().isEmpty() ? all : all.within(where.grant().get().path());
    return user.isEmpty() ? files : files.asUser(user.get());
  }

  /** A backslash is part of a name that is there already, but makes no new one. */
  private static void checkBackslash(
      BackendFiles files, String normal, String asked, Operation operation, Deadline deadline)
      throws InterruptedException {
    if (normal.indexOf('\\') < 0) {
      return;
    }
    try {
      Object unused = files.stat(normal, deadline);
    } catch (SandboxException e) {
      throw e.code() == ErrorCode.FILE_NOT_FOUND ? backslash(operation, asked) : e;
    }
  }

  private static SandboxException backslash(Operation operation, String path) {
    return SandboxPath.invalid(
        operation, path, "has a backslash, which separates nothing, and no entry has that name");
  }

  private <T> T await(
      Caller caller,
      LaneTask<T> task,
      Deadline deadline,
      Operation operation,
      String path,
      Duration limit)
      throws InterruptedException {
    Caller.Wait wait = settled(task, deadline, caller);
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
  }

  /** Done also when the session ends, which a call must not outlive (spec S-LIFE-09). */
  private Caller.Wait settled(LaneTask<?> task, Deadline deadline, Caller caller) {
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

  static SandboxException failed(
      Operation operation, String path, String what, @Nullable Throwable cause) {
    SandboxException.Builder builder =
        SandboxException.builder(
                ErrorCode.FILE_FAILED, operation, operation + " of \"" + path + "\" " + what)
            .retryable(Retryable.UNKNOWN);
    return (cause == null ? builder : builder.cause(cause)).build();
  }
}
