package io.sandboxspi.remote.modal;

import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.stub.MetadataUtils;
import io.sandboxspi.remote.modal.Rpc.Again;
import io.sandboxspi.remote.modal.wire.AuthTokenGetRequest;
import io.sandboxspi.remote.modal.wire.ModalClient;
import io.sandboxspi.remote.transport.ClientOptions;
import io.sandboxspi.remote.transport.ConnectCode;
import io.sandboxspi.remote.transport.RemoteException;
import io.sandboxspi.remote.transport.RemoteException.Kind;
import io.sandboxspi.remote.transport.Secret;
import io.sandboxspi.spi.Deadline;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;

/**
 * Calls to the control plane: who one is, tokens, servers in turn, repetitions. Attempts at one
 * call have one key, by which the vendor takes them for one. Thread-safe.
 */
final class ControlCalls {
  // The vendor has no number for Java. This pair does not age with its releases, and the last
  // header says who it really is.
  private static final String CLIENT_TYPE = "9";
  private static final String CLIENT_VERSION = "1.0.0";
  private static final String CLIENT = "sandbox-spi-java/0.1";

  private final Settings settings;
  private final Settings.Credentials credentials;
  private final ClientOptions options;
  private final Rpc rpc;
  private final AuthTokens tokens;
  private final AtomicInteger server = new AtomicInteger();

  ControlCalls(Settings settings, ClientOptions options) {
    this.settings = settings;
    this.credentials = settings.neededCredentials();
    this.options = options;
    this.rpc = new Rpc(this::hide, settings.maxThrottleWait());
    this.tokens = new AuthTokens(this::fetch);
  }

  Settings settings() {
    return settings;
  }

  ClientOptions options() {
    return options;
  }

  Rpc rpc() {
    return rpc;
  }

  /** The server that answered last. */
  Server server() {
    return settings.servers().get(server.get() % settings.servers().size());
  }

  private String hide(String text) {
    return credentials.secret().hideIn(credentials.id().hideIn(text));
  }

  private Jwt fetch(Deadline deadline) throws InterruptedException {
    String token =
        rpc.call(
                "asking for a token",
                ModalClient.AUTH_TOKEN_GET,
                AuthTokenGetRequest.getDefaultInstance(),
                attempts(Optional.empty()),
                Again.CONTROL,
                deadline)
            .getToken();
    if (token.isEmpty()) {
      throw new RemoteException(Kind.MALFORMED, "asking for a token: the answer has none");
    }
    return Jwt.of("token", token);
  }

  private Rpc.Attempts attempts(Optional<Secret> token) {
    String key = UUID.randomUUID().toString();
    return new Rpc.Attempts() {
      @Override
      public Channel channel() {
        return Channels.shared(server(), options);
      }

      @Override
      public Metadata headers(int made, int throttled, Duration elapsed) {
        Metadata headers = who(token);
        put(headers, "x-idempotency-key", key);
        put(headers, "x-retry-attempt", String.valueOf(made));
        put(headers, "x-throttle-retry-attempt", String.valueOf(throttled));
        String seconds = String.format(java.util.Locale.ROOT, "%.3f", elapsed.toNanos() / 1e9);
        if (made > 0) {
          put(headers, "x-retry-delay", seconds);
        }
        if (throttled > 0) {
          put(headers, "x-throttle-retry-delay", seconds);
        }
        return headers;
      }

      @Override
      public void unreachable() {
        int unused = server.incrementAndGet();
      }
    };
  }

  private Metadata who(Optional<Secret> token) {
    Metadata headers = new Metadata();
    put(headers, "x-modal-token-id", credentials.id().reveal());
    put(headers, "x-modal-token-secret", credentials.secret().reveal());
    put(headers, "x-modal-client-type", CLIENT_TYPE);
    put(headers, "x-modal-client-version", CLIENT_VERSION);
    put(headers, "x-modal-libmodal-version", CLIENT);
    token.ifPresent(value -> put(headers, "x-modal-auth-token", value.reveal()));
    return headers;
  }

  private static void put(Metadata headers, String name, String value) {
    headers.put(Metadata.Key.of(name, Metadata.ASCII_STRING_MARSHALLER), value);
  }

  /** A call with one answer. */
  <Q, A> A call(String what, MethodDescriptor<Q, A> method, Q request, Deadline deadline)
      throws InterruptedException {
    Secret token = tokens.current(deadline);
    try {
      return rpc.call(what, method, request, attempts(Optional.of(token)), Again.CONTROL, deadline);
    } catch (RemoteException e) {
      if (!Failures.refused(e, ConnectCode.UNAUTHENTICATED)) {
        throw e;
      }
    }
    // It had no effect. The clocks may differ, so that the token seemed to be good.
    tokens.refused(token);
    return rpc.call(
        what,
        method,
        request,
        attempts(Optional.of(tokens.current(deadline))),
        Again.CONTROL,
        deadline);
  }

  /**
   * A call with many answers, read until one is wanted; empty when they end before.
   *
   * @throws RemoteException when the stream breaks
   */
  <Q, A> Optional<A> first(
      String what, MethodDescriptor<Q, A> method, Q request, Predicate<A> wanted, Deadline deadline)
      throws InterruptedException {
    Metadata headers = who(Optional.of(tokens.current(deadline)));
    long nanos = deadline.remainingNanos();
    ClientCall<Q, A> call =
        MetadataUtils.newAttachHeadersInterceptor(headers)
            .interceptCall(
                method,
                CallOptions.DEFAULT.withDeadlineAfter(nanos, TimeUnit.NANOSECONDS),
                Channels.shared(server(), options));
    CompletableFuture<Optional<A>> found = new CompletableFuture<>();
    call.start(
        new ClientCall.Listener<>() {
          @Override
          public void onMessage(A message) {
            if (wanted.test(message)) {
              boolean unused = found.complete(Optional.of(message));
            }
            call.request(1);
          }

          @Override
          public void onClose(Status status, Metadata trailers) {
            boolean unused =
                status.isOk()
                    ? found.complete(Optional.empty())
                    : found.completeExceptionally(rpc.failure(what, status, trailers));
          }
        },
        new Metadata());
    call.sendMessage(request);
    call.halfClose();
    call.request(1);
    try {
      return found.get(nanos, TimeUnit.NANOSECONDS);
    } catch (ExecutionException e) {
      throw e.getCause() instanceof RemoteException failure
          ? failure
          : new RemoteException(Kind.BROKEN, what + ": it failed", e);
    } catch (TimeoutException e) {
      throw new RemoteException(Kind.TIMEOUT, what + ": no answer came before the deadline", e);
    } finally {
      call.cancel("it is not needed any more", null);
    }
  }
}
