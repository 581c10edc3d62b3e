package io.sandboxspi.remote.modal.wire;

import com.google.protobuf.Empty;
import io.grpc.MethodDescriptor;

/** Calls of the router of a task; the generator for these is not to be had everywhere. */
public final class TaskCommandRouter {
  private static final String SERVICE = "modal.task_command_router.TaskCommandRouter";

  /** TaskExecStart. */
  public static final MethodDescriptor<TaskExecStartRequest, TaskExecStartResponse>
      TASK_EXEC_START =
          Calls.unary(
              SERVICE,
              "TaskExecStart",
              TaskExecStartRequest.getDefaultInstance(),
              TaskExecStartResponse.getDefaultInstance());

  /** TaskExecStdioRead. */
  public static final MethodDescriptor<TaskExecStdioReadRequest, TaskExecStdioReadResponse>
      TASK_EXEC_STDIO_READ =
          Calls.serverStreaming(
              SERVICE,
              "TaskExecStdioRead",
              TaskExecStdioReadRequest.getDefaultInstance(),
              TaskExecStdioReadResponse.getDefaultInstance());

  /** TaskExecStdinWrite. */
  public static final MethodDescriptor<TaskExecStdinWriteRequest, TaskExecStdinWriteResponse>
      TASK_EXEC_STDIN_WRITE =
          Calls.unary(
              SERVICE,
              "TaskExecStdinWrite",
              TaskExecStdinWriteRequest.getDefaultInstance(),
              TaskExecStdinWriteResponse.getDefaultInstance());

  /** TaskExecStdinStatus. */
  public static final MethodDescriptor<TaskExecStdinStatusRequest, TaskExecStdinStatusResponse>
      TASK_EXEC_STDIN_STATUS =
          Calls.unary(
              SERVICE,
              "TaskExecStdinStatus",
              TaskExecStdinStatusRequest.getDefaultInstance(),
              TaskExecStdinStatusResponse.getDefaultInstance());

  /** TaskExecStdinWriteStream. */
  public static final MethodDescriptor<
          TaskExecStdinWriteStreamRequest, TaskExecStdinWriteStreamResponse>
      TASK_EXEC_STDIN_WRITE_STREAM =
          Calls.clientStreaming(
              SERVICE,
              "TaskExecStdinWriteStream",
              TaskExecStdinWriteStreamRequest.getDefaultInstance(),
              TaskExecStdinWriteStreamResponse.getDefaultInstance());

  /** TaskExecPoll. */
  public static final MethodDescriptor<TaskExecPollRequest, TaskExecPollResponse> TASK_EXEC_POLL =
      Calls.unary(
          SERVICE,
          "TaskExecPoll",
          TaskExecPollRequest.getDefaultInstance(),
          TaskExecPollResponse.getDefaultInstance());

  /** TaskExecWait. */
  public static final MethodDescriptor<TaskExecWaitRequest, TaskExecWaitResponse> TASK_EXEC_WAIT =
      Calls.unary(
          SERVICE,
          "TaskExecWait",
          TaskExecWaitRequest.getDefaultInstance(),
          TaskExecWaitResponse.getDefaultInstance());

  /** TaskSnapshotFilesystem. */
  public static final MethodDescriptor<
          TaskSnapshotFilesystemRequest, TaskSnapshotFilesystemResponse>
      TASK_SNAPSHOT_FILESYSTEM =
          Calls.unary(
              SERVICE,
              "TaskSnapshotFilesystem",
              TaskSnapshotFilesystemRequest.getDefaultInstance(),
              TaskSnapshotFilesystemResponse.getDefaultInstance());

  /** TaskSnapshotDirectory. */
  public static final MethodDescriptor<TaskSnapshotDirectoryRequest, TaskSnapshotDirectoryResponse>
      TASK_SNAPSHOT_DIRECTORY =
          Calls.unary(
              SERVICE,
              "TaskSnapshotDirectory",
              TaskSnapshotDirectoryRequest.getDefaultInstance(),
              TaskSnapshotDirectoryResponse.getDefaultInstance());

  /** TaskMountDirectory. */
  public static final MethodDescriptor<TaskMountDirectoryRequest, Empty> TASK_MOUNT_DIRECTORY =
      Calls.unary(
          SERVICE,
          "TaskMountDirectory",
          TaskMountDirectoryRequest.getDefaultInstance(),
          Empty.getDefaultInstance());

  /** TaskUnmountDirectory. */
  public static final MethodDescriptor<TaskUnmountDirectoryRequest, Empty> TASK_UNMOUNT_DIRECTORY =
      Calls.unary(
          SERVICE,
          "TaskUnmountDirectory",
          TaskUnmountDirectoryRequest.getDefaultInstance(),
          Empty.getDefaultInstance());

  private TaskCommandRouter() {}
}
