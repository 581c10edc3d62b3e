package io.sandboxspi.remote.modal.wire;

import com.google.protobuf.Empty;
import io.grpc.MethodDescriptor;

/** Calls of the control plane; the generator for these is not to be had everywhere. */
public final class ModalClient {
  private static final String SERVICE = "modal.client.ModalClient";

  /** AuthTokenGet. */
  public static final MethodDescriptor<AuthTokenGetRequest, AuthTokenGetResponse> AUTH_TOKEN_GET =
      Calls.unary(
          SERVICE,
          "AuthTokenGet",
          AuthTokenGetRequest.getDefaultInstance(),
          AuthTokenGetResponse.getDefaultInstance());

  /** AppGetOrCreate. */
  public static final MethodDescriptor<AppGetOrCreateRequest, AppGetOrCreateResponse>
      APP_GET_OR_CREATE =
          Calls.unary(
              SERVICE,
              "AppGetOrCreate",
              AppGetOrCreateRequest.getDefaultInstance(),
              AppGetOrCreateResponse.getDefaultInstance());

  /** EnvironmentGetOrCreate. */
  public static final MethodDescriptor<
          EnvironmentGetOrCreateRequest, EnvironmentGetOrCreateResponse>
      ENVIRONMENT_GET_OR_CREATE =
          Calls.unary(
              SERVICE,
              "EnvironmentGetOrCreate",
              EnvironmentGetOrCreateRequest.getDefaultInstance(),
              EnvironmentGetOrCreateResponse.getDefaultInstance());

  /** SecretGetOrCreate. */
  public static final MethodDescriptor<SecretGetOrCreateRequest, SecretGetOrCreateResponse>
      SECRET_GET_OR_CREATE =
          Calls.unary(
              SERVICE,
              "SecretGetOrCreate",
              SecretGetOrCreateRequest.getDefaultInstance(),
              SecretGetOrCreateResponse.getDefaultInstance());

  /** ImageGetOrCreate. */
  public static final MethodDescriptor<ImageGetOrCreateRequest, ImageGetOrCreateResponse>
      IMAGE_GET_OR_CREATE =
          Calls.unary(
              SERVICE,
              "ImageGetOrCreate",
              ImageGetOrCreateRequest.getDefaultInstance(),
              ImageGetOrCreateResponse.getDefaultInstance());

  /** ImageJoinStreaming. */
  public static final MethodDescriptor<ImageJoinStreamingRequest, ImageJoinStreamingResponse>
      IMAGE_JOIN_STREAMING =
          Calls.serverStreaming(
              SERVICE,
              "ImageJoinStreaming",
              ImageJoinStreamingRequest.getDefaultInstance(),
              ImageJoinStreamingResponse.getDefaultInstance());

  /** ImageFromId. */
  public static final MethodDescriptor<ImageFromIdRequest, ImageFromIdResponse> IMAGE_FROM_ID =
      Calls.unary(
          SERVICE,
          "ImageFromId",
          ImageFromIdRequest.getDefaultInstance(),
          ImageFromIdResponse.getDefaultInstance());

  /** ImageDelete. */
  public static final MethodDescriptor<ImageDeleteRequest, Empty> IMAGE_DELETE =
      Calls.unary(
          SERVICE,
          "ImageDelete",
          ImageDeleteRequest.getDefaultInstance(),
          Empty.getDefaultInstance());

  /** SandboxCreate. */
  public static final MethodDescriptor<SandboxCreateRequest, SandboxCreateResponse> SANDBOX_CREATE =
      Calls.unary(
          SERVICE,
          "SandboxCreate",
          SandboxCreateRequest.getDefaultInstance(),
          SandboxCreateResponse.getDefaultInstance());

  /** SandboxCreateV2. */
  public static final MethodDescriptor<SandboxCreateV2Request, SandboxCreateV2Response>
      SANDBOX_CREATE_V2 =
          Calls.unary(
              SERVICE,
              "SandboxCreateV2",
              SandboxCreateV2Request.getDefaultInstance(),
              SandboxCreateV2Response.getDefaultInstance());

  /** SandboxWait. */
  public static final MethodDescriptor<SandboxWaitRequest, SandboxWaitResponse> SANDBOX_WAIT =
      Calls.unary(
          SERVICE,
          "SandboxWait",
          SandboxWaitRequest.getDefaultInstance(),
          SandboxWaitResponse.getDefaultInstance());

  /** SandboxWaitV2. */
  public static final MethodDescriptor<SandboxWaitRequest, SandboxWaitResponse> SANDBOX_WAIT_V2 =
      Calls.unary(
          SERVICE,
          "SandboxWaitV2",
          SandboxWaitRequest.getDefaultInstance(),
          SandboxWaitResponse.getDefaultInstance());

  /** SandboxTerminate. */
  public static final MethodDescriptor<SandboxTerminateRequest, SandboxTerminateResponse>
      SANDBOX_TERMINATE =
          Calls.unary(
              SERVICE,
              "SandboxTerminate",
              SandboxTerminateRequest.getDefaultInstance(),
              SandboxTerminateResponse.getDefaultInstance());

  /** SandboxTerminateV2. */
  public static final MethodDescriptor<SandboxTerminateRequest, SandboxTerminateResponse>
      SANDBOX_TERMINATE_V2 =
          Calls.unary(
              SERVICE,
              "SandboxTerminateV2",
              SandboxTerminateRequest.getDefaultInstance(),
              SandboxTerminateResponse.getDefaultInstance());

  /** SandboxGetTaskId. */
  public static final MethodDescriptor<SandboxGetTaskIdRequest, SandboxGetTaskIdResponse>
      SANDBOX_GET_TASK_ID =
          Calls.unary(
              SERVICE,
              "SandboxGetTaskId",
              SandboxGetTaskIdRequest.getDefaultInstance(),
              SandboxGetTaskIdResponse.getDefaultInstance());

  /** SandboxGetTaskIdV2. */
  public static final MethodDescriptor<SandboxGetTaskIdRequest, SandboxGetTaskIdResponse>
      SANDBOX_GET_TASK_ID_V2 =
          Calls.unary(
              SERVICE,
              "SandboxGetTaskIdV2",
              SandboxGetTaskIdRequest.getDefaultInstance(),
              SandboxGetTaskIdResponse.getDefaultInstance());

  /** SandboxGetTunnels. */
  public static final MethodDescriptor<SandboxGetTunnelsRequest, SandboxGetTunnelsResponse>
      SANDBOX_GET_TUNNELS =
          Calls.unary(
              SERVICE,
              "SandboxGetTunnels",
              SandboxGetTunnelsRequest.getDefaultInstance(),
              SandboxGetTunnelsResponse.getDefaultInstance());

  /** SandboxGetTunnelsV2. */
  public static final MethodDescriptor<SandboxGetTunnelsRequest, SandboxGetTunnelsResponse>
      SANDBOX_GET_TUNNELS_V2 =
          Calls.unary(
              SERVICE,
              "SandboxGetTunnelsV2",
              SandboxGetTunnelsRequest.getDefaultInstance(),
              SandboxGetTunnelsResponse.getDefaultInstance());

  /** SandboxGetFromName. */
  public static final MethodDescriptor<SandboxGetFromNameRequest, SandboxGetFromNameResponse>
      SANDBOX_GET_FROM_NAME =
          Calls.unary(
              SERVICE,
              "SandboxGetFromName",
              SandboxGetFromNameRequest.getDefaultInstance(),
              SandboxGetFromNameResponse.getDefaultInstance());

  /** SandboxGetFromNameV2. */
  public static final MethodDescriptor<SandboxGetFromNameRequest, SandboxGetFromNameResponse>
      SANDBOX_GET_FROM_NAME_V2 =
          Calls.unary(
              SERVICE,
              "SandboxGetFromNameV2",
              SandboxGetFromNameRequest.getDefaultInstance(),
              SandboxGetFromNameResponse.getDefaultInstance());

  /** SandboxList. */
  public static final MethodDescriptor<SandboxListRequest, SandboxListResponse> SANDBOX_LIST =
      Calls.unary(
          SERVICE,
          "SandboxList",
          SandboxListRequest.getDefaultInstance(),
          SandboxListResponse.getDefaultInstance());

  /** SandboxListV2. */
  public static final MethodDescriptor<SandboxListRequest, SandboxListResponse> SANDBOX_LIST_V2 =
      Calls.unary(
          SERVICE,
          "SandboxListV2",
          SandboxListRequest.getDefaultInstance(),
          SandboxListResponse.getDefaultInstance());

  /** SandboxTagsGet. */
  public static final MethodDescriptor<SandboxTagsGetRequest, SandboxTagsGetResponse>
      SANDBOX_TAGS_GET =
          Calls.unary(
              SERVICE,
              "SandboxTagsGet",
              SandboxTagsGetRequest.getDefaultInstance(),
              SandboxTagsGetResponse.getDefaultInstance());

  /** SandboxTagsGetV2. */
  public static final MethodDescriptor<SandboxTagsGetRequest, SandboxTagsGetResponse>
      SANDBOX_TAGS_GET_V2 =
          Calls.unary(
              SERVICE,
              "SandboxTagsGetV2",
              SandboxTagsGetRequest.getDefaultInstance(),
              SandboxTagsGetResponse.getDefaultInstance());

  /** SandboxTagsSet. */
  public static final MethodDescriptor<SandboxTagsSetRequest, Empty> SANDBOX_TAGS_SET =
      Calls.unary(
          SERVICE,
          "SandboxTagsSet",
          SandboxTagsSetRequest.getDefaultInstance(),
          Empty.getDefaultInstance());

  /** SandboxTagsSetV2. */
  public static final MethodDescriptor<SandboxTagsSetRequest, Empty> SANDBOX_TAGS_SET_V2 =
      Calls.unary(
          SERVICE,
          "SandboxTagsSetV2",
          SandboxTagsSetRequest.getDefaultInstance(),
          Empty.getDefaultInstance());

  /** TaskGetCommandRouterAccess. */
  public static final MethodDescriptor<
          TaskGetCommandRouterAccessRequest, TaskGetCommandRouterAccessResponse>
      TASK_GET_COMMAND_ROUTER_ACCESS =
          Calls.unary(
              SERVICE,
              "TaskGetCommandRouterAccess",
              TaskGetCommandRouterAccessRequest.getDefaultInstance(),
              TaskGetCommandRouterAccessResponse.getDefaultInstance());

  /** SandboxGetCommandRouterAccess. */
  public static final MethodDescriptor<
          SandboxGetCommandRouterAccessRequest, SandboxGetCommandRouterAccessResponse>
      SANDBOX_GET_COMMAND_ROUTER_ACCESS =
          Calls.unary(
              SERVICE,
              "SandboxGetCommandRouterAccess",
              SandboxGetCommandRouterAccessRequest.getDefaultInstance(),
              SandboxGetCommandRouterAccessResponse.getDefaultInstance());

  private ModalClient() {}
}
