package io.sandboxspi.remote.modal.wire;

import com.google.protobuf.Message;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.protobuf.ProtoUtils;

/** Describes calls. */
final class Calls {
  private Calls() {}

  static <Q extends Message, A extends Message> MethodDescriptor<Q, A> unary(
      String service, String name, Q request, A answer) {
    return of(MethodType.UNARY, service, name, request, answer);
  }

  static <Q extends Message, A extends Message> MethodDescriptor<Q, A> serverStreaming(
      String service, String name, Q request, A answer) {
    return of(MethodType.SERVER_STREAMING, service, name, request, answer);
  }

  static <Q extends Message, A extends Message> MethodDescriptor<Q, A> clientStreaming(
      String service, String name, Q request, A answer) {
    return of(MethodType.CLIENT_STREAMING, service, name, request, answer);
  }

  private static <Q extends Message, A extends Message> MethodDescriptor<Q, A> of(
      MethodType type, String service, String name, Q request, A answer) {
    return MethodDescriptor.<Q, A>newBuilder()
        .setType(type)
        .setFullMethodName(MethodDescriptor.generateFullMethodName(service, name))
        .setRequestMarshaller(ProtoUtils.marshaller(request))
        .setResponseMarshaller(ProtoUtils.marshaller(answer))
        .build();
  }
}
