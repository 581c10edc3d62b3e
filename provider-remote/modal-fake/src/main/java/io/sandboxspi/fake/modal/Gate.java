package io.sandboxspi.fake.modal;

import com.google.protobuf.Any;
import io.grpc.Context;
import io.grpc.Contexts;
import io.grpc.ForwardingServerCall.SimpleForwardingServerCall;
import io.grpc.Grpc;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.Status;
import io.sandboxspi.fake.Fault;
import io.sandboxspi.fake.Faults;
import io.sandboxspi.remote.modal.wire.RPCRetryPolicy;
import io.sandboxspi.remote.modal.wire.RPCStatus;
import java.net.InetSocketAddress;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** What every call passes: who calls, and what goes wrong. */
final class Gate implements ServerInterceptor {
  /** The headers of a call. */
  static final Context.Key<Metadata> HEADERS = Context.key("headers");

  private static final Metadata.Key<byte[]> DETAILS =
      Metadata.Key.of("grpc-status-details-bin", Metadata.BINARY_BYTE_MARSHALLER);

  private final Tokens tokens;
  private final Faults faults;
  private final Optional<Relay> relay;

  Gate(Tokens tokens, Faults faults, Optional<Relay> relay) {
    this.tokens = tokens;
    this.faults = faults;
    this.relay = relay;
  }

  static String header(Metadata headers, String name) {
    String value = headers.get(Metadata.Key.of(name, Metadata.ASCII_STRING_MARSHALLER));
    return value == null ? "" : value;
  }

  @Override
  public <Q, A> ServerCall.Listener<Q> interceptCall(
      ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
    String name = String.valueOf(call.getMethodDescriptor().getBareMethodName());
    Optional<Fault> fault = faults.take(name);
    Fault met = fault.orElse(null);
    if (met instanceof Fault.Refuse refuse) {
      call.close(status(refuse.status()), details(refuse));
      return new ServerCall.Listener<>() {};
    }
    if (met instanceof Fault.CutBefore) {
      cut(call);
      return new ServerCall.Listener<>() {};
    }
    if (met instanceof Fault.Delay delay) {
      pause(delay);
    }
    Status refusal =
        call.getMethodDescriptor().getFullMethodName().startsWith("modal.client.")
            ? stranger(name, headers)
            : Status.OK;
    if (!refusal.isOk()) {
      call.close(refusal, new Metadata());
      return new ServerCall.Listener<>() {};
    }
    ServerCall<Q, A> faulty = met == null ? call : new Faulty<>(call, met);
    return Contexts.interceptCall(
        Context.current().withValue(HEADERS, headers), faulty, headers, next);
  }

  private static void pause(Fault.Delay delay) {
    try {
      boolean unused = new CountDownLatch(1).await(delay.time().toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private Status stranger(String name, Metadata headers) {
    boolean known =
        header(headers, "x-modal-token-id").equals(ModalFake.TOKEN_ID)
            && header(headers, "x-modal-token-secret").equals(ModalFake.TOKEN_SECRET);
    if (!known) {
      return Status.UNAUTHENTICATED.withDescription("Token ID is malformed or unknown");
    }
    if (header(headers, "x-modal-client-version").isEmpty()
        || header(headers, "x-modal-client-type").isEmpty()) {
      return Status.FAILED_PRECONDITION.withDescription("the client does not say what it is");
    }
    String token = header(headers, "x-modal-auth-token");
    boolean needed = name.endsWith("V2") || name.equals("SandboxGetCommandRouterAccess");
    boolean wrong = token.isEmpty() ? needed : !tokens.good(token, "control");
    return wrong ? Status.UNAUTHENTICATED.withDescription("auth token is not good") : Status.OK;
  }

  private static Status status(int http) {
    Status status =
        switch (http) {
          case 400 -> Status.FAILED_PRECONDITION;
          case 401 -> Status.UNAUTHENTICATED;
          case 403 -> Status.PERMISSION_DENIED;
          case 404 -> Status.NOT_FOUND;
          case 429 -> Status.RESOURCE_EXHAUSTED;
          case 502, 503 -> Status.UNAVAILABLE;
          case 504 -> Status.DEADLINE_EXCEEDED;
          default -> Status.INTERNAL;
        };
    return status.withDescription("it failed");
  }

  private static Metadata details(Fault.Refuse refuse) {
    Metadata trailers = new Metadata();
    if (refuse.retryAfter() >= 0) {
      RPCRetryPolicy policy =
          RPCRetryPolicy.newBuilder().setRetryAfterSecs(refuse.retryAfter()).build();
      trailers.put(
          DETAILS,
          RPCStatus.newBuilder()
              .setCode(8)
              .addDetails(
                  Any.newBuilder()
                      .setTypeUrl("type.modal.com/modal.client.RPCRetryPolicy")
                      .setValue(policy.toByteString()))
              .build()
              .toByteArray());
    }
    return trailers;
  }

  private void cut(ServerCall<?, ?> call) {
    Object peer = call.getAttributes().get(Grpc.TRANSPORT_ATTR_REMOTE_ADDR);
    if (peer instanceof InetSocketAddress address && relay.isPresent()) {
      relay.get().cut(address.getPort());
    } else {
      call.close(Status.UNAVAILABLE.withDescription("cut"), new Metadata());
    }
  }

  /** A call whose answers meet a fault. */
  private final class Faulty<Q, A> extends SimpleForwardingServerCall<Q, A> {
    private final Fault fault;
    private final AtomicInteger sent = new AtomicInteger();

    Faulty(ServerCall<Q, A> call, Fault fault) {
      super(call);
      this.fault = fault;
    }

    private boolean silent() {
      return fault instanceof Fault.Stall
          || (fault instanceof Fault.SilentStream silent && sent.get() >= silent.messages());
    }

    @Override
    public void sendMessage(A message) {
      if (fault instanceof Fault.CutAfter) {
        cut(delegate());
        return;
      }
      if (fault instanceof Fault.CutStream stream && sent.get() == stream.messages()) {
        int unused = sent.incrementAndGet();
        super.close(Status.UNAVAILABLE.withDescription("the stream was cut"), new Metadata());
        return;
      }
      boolean over = fault instanceof Fault.CutStream stream && sent.get() > stream.messages();
      if (!silent() && !over) {
        int unused = sent.incrementAndGet();
        super.sendMessage(message);
      }
    }

    @Override
    public void sendHeaders(Metadata headers) {
      if (!silent()) {
        super.sendHeaders(headers);
      }
    }

    @Override
    public void close(Status status, Metadata trailers) {
      boolean over =
          fault instanceof Fault.CutAfter
              || (fault instanceof Fault.CutStream stream && sent.get() > stream.messages());
      if (!silent() && !over) {
        super.close(status, trailers);
      }
    }
  }
}
