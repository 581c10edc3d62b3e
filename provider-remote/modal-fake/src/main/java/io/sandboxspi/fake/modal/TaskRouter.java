package io.sandboxspi.fake.modal;

import com.google.protobuf.ByteString;
import com.google.protobuf.Empty;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;
import io.sandboxspi.fake.FakeThreads;
import io.sandboxspi.fake.Trees;
import io.sandboxspi.remote.modal.wire.TaskCommandRouter;
import io.sandboxspi.remote.modal.wire.TaskExecPollResponse;
import io.sandboxspi.remote.modal.wire.TaskExecStartResponse;
import io.sandboxspi.remote.modal.wire.TaskExecStdinStatusResponse;
import io.sandboxspi.remote.modal.wire.TaskExecStdinWriteResponse;
import io.sandboxspi.remote.modal.wire.TaskExecStdinWriteStreamRequest;
import io.sandboxspi.remote.modal.wire.TaskExecStdinWriteStreamResponse;
import io.sandboxspi.remote.modal.wire.TaskExecStdioFileDescriptor;
import io.sandboxspi.remote.modal.wire.TaskExecStdioReadRequest;
import io.sandboxspi.remote.modal.wire.TaskExecStdioReadResponse;
import io.sandboxspi.remote.modal.wire.TaskExecWaitResponse;
import io.sandboxspi.remote.modal.wire.TaskSnapshotDirectoryResponse;
import io.sandboxspi.remote.modal.wire.TaskSnapshotFilesystemResponse;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** The router in front of all tasks. */
final class TaskRouter {
  private final Sandboxes sandboxes;
  private final Tokens tokens;

  TaskRouter(Sandboxes sandboxes, Tokens tokens) {
    this.sandboxes = sandboxes;
    this.tokens = tokens;
  }

  /** The sandbox of a task, for who has a token for it. */
  private FakeSandbox sandbox(String task) {
    String bearer = Gate.header(Gate.HEADERS.get(), "authorization");
    if (!bearer.startsWith("Bearer ") || !tokens.good(bearer.substring(7), task)) {
      throw Status.UNAUTHENTICATED.withDescription("the token is not good").asRuntimeException();
    }
    return sandboxes.ofTask(task);
  }

  ServerServiceDefinition service() {
    ServerServiceDefinition.Builder service =
        ServerServiceDefinition.builder("modal.task_command_router.TaskCommandRouter");
    Services.unary(
        service,
        TaskCommandRouter.TASK_EXEC_START,
        request -> {
          Object unused = sandbox(request.getTaskId()).start(request);
          return TaskExecStartResponse.getDefaultInstance();
        });
    ServerServiceDefinition.Builder unused =
        service
            .addMethod(
                TaskCommandRouter.TASK_EXEC_STDIO_READ,
                ServerCalls.asyncServerStreamingCall(this::read))
            .addMethod(
                TaskCommandRouter.TASK_EXEC_STDIN_WRITE_STREAM,
                ServerCalls.asyncClientStreamingCall(InputStreamed::new));
    Services.unary(
        service,
        TaskCommandRouter.TASK_EXEC_STDIN_WRITE,
        request -> {
          sandbox(request.getTaskId())
              .exec(request.getExecId())
              .write(request.getOffset(), request.getData().toByteArray(), request.getEof());
          return TaskExecStdinWriteResponse.getDefaultInstance();
        });
    Services.unary(
        service,
        TaskCommandRouter.TASK_EXEC_STDIN_STATUS,
        request -> {
          Exec exec = sandbox(request.getTaskId()).exec(request.getExecId());
          return TaskExecStdinStatusResponse.newBuilder()
              .setNumBytesWritten(exec.written())
              .setClosed(exec.inputClosed())
              .build();
        });
    ends(service);
    snapshots(service);
    return service.build();
  }

  private void ends(ServerServiceDefinition.Builder service) {
    Services.unary(
        service,
        TaskCommandRouter.TASK_EXEC_POLL,
        request -> {
          int[] end =
              sandbox(request.getTaskId()).exec(request.getExecId()).exit().getNow(new int[0]);
          TaskExecPollResponse.Builder answer = TaskExecPollResponse.newBuilder();
          if (end.length > 0) {
            TaskExecPollResponse.Builder same =
                end[1] != 0 ? answer.setSignal(end[1]) : answer.setCode(end[0]);
            assert same == answer;
          }
          return answer.build();
        });
    Services.later(
        service,
        TaskCommandRouter.TASK_EXEC_WAIT,
        request ->
            sandbox(request.getTaskId())
                .exec(request.getExecId())
                .exit()
                .thenApply(
                    end ->
                        end[1] != 0
                            ? TaskExecWaitResponse.newBuilder().setSignal(end[1]).build()
                            : TaskExecWaitResponse.newBuilder().setCode(end[0]).build()));
  }

  private void snapshots(ServerServiceDefinition.Builder service) {
    Services.unary(
        service,
        TaskCommandRouter.TASK_SNAPSHOT_FILESYSTEM,
        request -> {
          ttl(request.hasTtlSeconds() ? request.getTtlSeconds() : 0);
          FakeSandbox sandbox = settled(request.getTaskId());
          return TaskSnapshotFilesystemResponse.newBuilder()
              .setImageId(sandboxes.images().take(request.getSnapshotId(), sandbox.root()))
              .build();
        });
    Services.unary(
        service,
        TaskCommandRouter.TASK_SNAPSHOT_DIRECTORY,
        request -> {
          ttl(request.hasTtlSeconds() ? request.getTtlSeconds() : 0);
          FakeSandbox unused = settled(request.getTaskId());
          Path path = Path.of(request.getPath().toStringUtf8());
          if (!Files.isDirectory(path)) {
            throw Sandboxes.notFound("directory " + path);
          }
          return TaskSnapshotDirectoryResponse.newBuilder()
              .setImageId(sandboxes.images().take(request.getSnapshotId(), path))
              .build();
        });
    Services.unary(
        service,
        TaskCommandRouter.TASK_MOUNT_DIRECTORY,
        request -> {
          FakeSandbox sandbox = sandbox(request.getTaskId());
          mount(sandbox, Path.of(request.getPath().toStringUtf8()), request.getImageId());
          return Empty.getDefaultInstance();
        });
  }

  /** A sandbox in which nothing has run yet may not be ready for a snapshot. */
  private FakeSandbox settled(String task) {
    FakeSandbox sandbox = sandbox(task);
    if (sandbox.execs() == 0) {
      throw Status.FAILED_PRECONDITION
          .withDescription("the container is not ready")
          .asRuntimeException();
    }
    return sandbox;
  }

  private static void ttl(long seconds) {
    if (seconds != -1 && seconds <= 0) {
      throw Status.INVALID_ARGUMENT
          .withDescription("ttl_seconds must be positive or -1")
          .asRuntimeException();
    }
  }

  /** What was there is gone. */
  private void mount(FakeSandbox sandbox, Path path, String image) {
    if (!path.startsWith(sandbox.root()) || path.equals(sandbox.root())) {
      throw Status.INVALID_ARGUMENT.withDescription("not a mount point").asRuntimeException();
    }
    try {
      Trees.delete(path);
      Files.createDirectories(path);
      if (!image.isEmpty()) {
        sandboxes.images().check(image);
        Trees.copy(sandboxes.images().content(image).orElseThrow(), path);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** All output from an offset on, to its end. */
  private void read(
      TaskExecStdioReadRequest request, StreamObserver<TaskExecStdioReadResponse> answers) {
    FakeSandbox sandbox;
    Exec exec;
    try {
      sandbox = sandbox(request.getTaskId());
      exec = sandbox.exec(request.getExecId());
    } catch (StatusRuntimeException e) {
      answers.onError(e);
      return;
    }
    Stdio stdio =
        request.getFileDescriptor()
                == TaskExecStdioFileDescriptor.TASK_EXEC_STDIO_FILE_DESCRIPTOR_STDERR
            ? exec.stderr()
            : exec.stdout();
    ServerCallStreamObserver<TaskExecStdioReadResponse> client =
        (ServerCallStreamObserver<TaskExecStdioReadResponse>) answers;
    client.setOnReadyHandler(stdio::wake);
    client.setOnCancelHandler(stdio::wake);
    FakeThreads.start("stdio", () -> send(sandbox, stdio, request.getOffset(), client));
  }

  private static void send(
      FakeSandbox sandbox,
      Stdio stdio,
      long from,
      ServerCallStreamObserver<TaskExecStdioReadResponse> client) {
    long offset = from;
    try {
      while (!client.isCancelled()) {
        byte[] bytes = stdio.next(offset, client::isReady, client::isCancelled);
        if (bytes.length == 0) {
          break;
        }
        client.onNext(
            TaskExecStdioReadResponse.newBuilder().setData(ByteString.copyFrom(bytes)).build());
        offset += bytes.length;
      }
      if (client.isCancelled()) {
        return;
      }
      if (sandbox.ending()) {
        client.onError(Sandboxes.notFound("task " + sandbox.task()));
      } else {
        client.onCompleted();
      }
    } catch (StatusRuntimeException | IllegalStateException cancelled) {
      assert client.isCancelled() || cancelled.getMessage() != null;
    }
  }

  /** Input that comes as a stream; only its last message ends the process's. */
  private final class InputStreamed implements StreamObserver<TaskExecStdinWriteStreamRequest> {
    private final StreamObserver<TaskExecStdinWriteStreamResponse> answer;
    private @Nullable Exec exec;
    private long offset;
    private boolean failed;

    InputStreamed(StreamObserver<TaskExecStdinWriteStreamResponse> answer) {
      this.answer = answer;
    }

    @Override
    public void onNext(TaskExecStdinWriteStreamRequest message) {
      if (failed) {
        return;
      }
      try {
        switch (message.getPayloadCase()) {
          case START -> {
            exec = sandbox(message.getStart().getTaskId()).exec(message.getStart().getExecId());
            offset = message.getStart().getOffset();
          }
          case DATA -> {
            started().write(offset, message.getData().toByteArray(), false);
            offset += message.getData().size();
          }
          case END -> started().write(offset, new byte[0], true);
          case PAYLOAD_NOT_SET ->
              throw Status.INVALID_ARGUMENT.withDescription("no payload").asRuntimeException();
        }
      } catch (StatusRuntimeException e) {
        failed = true;
        answer.onError(e);
      }
    }

    private Exec started() {
      Exec known = exec;
      if (known == null) {
        throw Status.INVALID_ARGUMENT.withDescription("no start").asRuntimeException();
      }
      return known;
    }

    @Override
    public void onError(Throwable broken) {
      failed = true;
    }

    @Override
    public void onCompleted() {
      if (!failed) {
        answer.onNext(TaskExecStdinWriteStreamResponse.getDefaultInstance());
        answer.onCompleted();
      }
    }
  }
}
