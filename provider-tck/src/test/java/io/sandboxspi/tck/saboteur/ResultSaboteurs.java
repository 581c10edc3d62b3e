package io.sandboxspi.tck.saboteur;

import io.sandboxspi.CapturedOutput;
import io.sandboxspi.Command;
import io.sandboxspi.ErrorCode;
import io.sandboxspi.ExecResult;
import io.sandboxspi.Operation;
import io.sandboxspi.PtyExit;
import io.sandboxspi.PtyUpdate;
import io.sandboxspi.Ptys;
import io.sandboxspi.Registration;
import io.sandboxspi.Retryable;
import io.sandboxspi.SandboxException;
import io.sandboxspi.SandboxFiles;
import io.sandboxspi.SandboxSession;
import io.sandboxspi.SessionState;
import io.sandboxspi.YieldOptions;
import java.util.Arrays;
import java.util.OptionalInt;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/** Engines that tell their callers something wrong. */
final class ResultSaboteurs {
  private ResultSaboteurs() {}

  private static Saboteur result(
      String name, UnaryOperator<ExecResult> wrap, String tests, String... breaks) {
    return Saboteur.session(
        name,
        (session, ledger) ->
            new SessionWrapper(session) {
              @Override
              public ExecResult exec(Command command) throws InterruptedException {
                return wrap.apply(super.exec(command));
              }
            },
        tests,
        breaks);
  }

  private static PtyUpdate update(PtyUpdate update, OptionalInt id, String output) {
    return new PtyUpdate(
        id,
        output,
        update.endReason(),
        update.exit(),
        update.originalTokens(),
        update.droppedBytes(),
        update.outputIncomplete(),
        update.duration());
  }

  private static SandboxException retryable(SandboxException e) {
    return SandboxException.builder(e.code(), e.operation(), "" + e.getMessage())
        .retryable(Retryable.YES)
        .build();
  }

  private static SandboxException as(ErrorCode code) {
    return SandboxException.of(code, Operation.FILE_READ, "told wrong");
  }

  static Stream<Saboteur> all() {
    return Stream.of(
        result(
            "streams that are not apart",
            r ->
                new ExecResult(
                    r.status(),
                    CapturedOutput.of(
                        (r.stdout().text() + r.stderr().text())
                            .getBytes(java.nio.charset.StandardCharsets.UTF_8),
                        r.stdout().totalBytes() + r.stderr().totalBytes()),
                    CapturedOutput.empty(),
                    r.duration(),
                    r.outputIncomplete()),
            "S_EXEC_01_status.*|S_EXEC_0[26].*|S_OUT_05.*",
            "S-EXEC-01"),
        result(
            "a cut that is not told",
            r ->
                new ExecResult(
                    r.status(),
                    CapturedOutput.of(r.stdout().bytes(), r.stdout().bytes().length),
                    r.stderr(),
                    r.duration(),
                    r.outputIncomplete()),
            "S_EXEC_0[1256].*",
            "S-EXEC-05"),
        result(
            "an incomplete result that is not told",
            r -> new ExecResult(r.status(), r.stdout(), r.stderr(), r.duration(), false),
            "S_EXEC_0[17].*",
            "S-EXEC-07"),
        Saboteur.session(
            "failures that invite to retry",
            (session, ledger) ->
                new SessionWrapper(session) {
                  @Override
                  public ExecResult exec(Command command) throws InterruptedException {
                    try {
                      return super.exec(command);
                    } catch (SandboxException e) {
                      throw retryable(e);
                    }
                  }
                },
            "S_ERR_02.*|S_EXEC_06.*",
            "S-ERR-02"),
        Saboteur.ptys(
            "output that comes twice",
            ptys ->
                new PtysWrapper(ptys) {
                  @Override
                  public PtyUpdate poll(int id, YieldOptions options) throws InterruptedException {
                    PtyUpdate next = super.poll(id, options);
                    String all = next.output();
                    int from = Math.max(0, all.length() - 6);
                    return update(next, next.liveId(), all + all.substring(from));
                  }
                },
            "S_OUT_01.*|S_PTY_0[146].*",
            "S-OUT-01"),
        Saboteur.ptys(
            "the id of a dead PTY",
            ptys ->
                new PtysWrapper(ptys) {
                  @Override
                  public PtyUpdate terminate(int id) throws InterruptedException {
                    PtyUpdate last = super.terminate(id);
                    return update(last, OptionalInt.of(id), last.output());
                  }
                },
            "S_PTY_0[1468].*",
            "S-PTY-04"),
        Saboteur.ptys(
            "an end that is told twice",
            ptys ->
                new PtysWrapper(ptys) {
                  @Override
                  public Registration onExit(int id, Consumer<PtyExit> listener) {
                    return super.onExit(
                        id,
                        exit -> {
                          listener.accept(exit);
                          listener.accept(exit);
                        });
                  }
                },
            "S_PTY_(0[1468]|1[12]).*",
            "S-PTY-12"),
        Saboteur.session(
            "a closed session that answers",
            (session, ledger) ->
                new SessionWrapper(session) {
                  @Override
                  public SandboxFiles files() {
                    return new FilesWrapper(super.files()) {
                      @Override
                      public byte[] read(String path) throws InterruptedException {
                        if (state() != SessionState.ACTIVE) {
                          return new byte[0];
                        }
                        return super.read(path);
                      }
                    };
                  }
                },
            "S_LIFE_0[12].*",
            "S-LIFE-01"),
        Saboteur.session(
            "a close that does not delete",
            (session, ledger) ->
                new SessionWrapper(session) {
                  @Override
                  public void close() {
                    try {
                      super.shutdown();
                    } catch (InterruptedException e) {
                      Thread.currentThread().interrupt();
                    }
                  }
                },
            "S_LIFE_0[23].*",
            "S-LIFE-03"),
        Saboteur.files(
            "paths that are clipped",
            files ->
                new FilesWrapper(files) {
                  @Override
                  public byte[] read(String path) throws InterruptedException {
                    return super.read(path.replace("../", "").replace("..", "."));
                  }
                },
            "S_FILE_(01_[ar]|0[34]).*",
            "S-FILE-01"),
        Saboteur.files(
            "long files that are cut",
            files ->
                new FilesWrapper(files) {
                  @Override
                  public byte[] read(String path) throws InterruptedException {
                    byte[] all = super.read(path);
                    return all.length > 1_000_000 ? Arrays.copyOf(all, 1_000_000) : all;
                  }
                },
            "S_FILE_03_b.*|S_FILE_04.*",
            "S-FILE-03"),
        Saboteur.files(
            "missing files told as failures",
            files ->
                new FilesWrapper(files) {
                  @Override
                  public byte[] read(String path) throws InterruptedException {
                    try {
                      return super.read(path);
                    } catch (SandboxException e) {
                      throw e.code() == ErrorCode.FILE_NOT_FOUND ? as(ErrorCode.FILE_FAILED) : e;
                    }
                  }
                },
            "S_FILE_03_b.*|S_FILE_04.*",
            "S-FILE-04"));
  }

  /** For sessions whose PTYs and close are both replaced. */
  static SandboxSession with(SandboxSession session, Ptys ptys) {
    return new SessionWrapper(session) {
      @Override
      public Ptys ptys() {
        return ptys;
      }
    };
  }
}
