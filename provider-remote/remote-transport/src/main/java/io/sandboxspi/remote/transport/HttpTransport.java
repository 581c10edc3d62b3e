package io.sandboxspi.remote.transport;

import io.sandboxspi.SandboxException;
import io.sandboxspi.core.time.Callback;
import io.sandboxspi.core.time.Lane;
import io.sandboxspi.remote.transport.RemoteException.Kind;
import io.sandboxspi.spi.Deadline;
import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;

/**
 * Calls, streams and sockets of one vendor. Redirects are not followed. A call that is interrupted,
 * too late or given up frees its connection at once. Thread-safe; needs no closing: connections end
 * with their peers or when nobody has the transport any more.
 */
public final class HttpTransport {
  private static final long REFUSAL_LIMIT = 64L << 10;
  private static final Duration LEAST = Duration.ofMillis(1);
  private static final Duration MOST = Duration.ofDays(30);

  private final HttpClient client;
  private final AtomicReference<HttpClient> prompt = new AtomicReference<>();
  private final Lane lane = Lane.light("sandbox-remote-late");
  private final ClientOptions options;
  private final RetryPolicy retries;
  private final ErrorBody.Reader errors;

  private HttpTransport(ClientOptions options, RetryPolicy retries, ErrorBody.Reader errors) {
    this.options = options;
    this.client = SharedClients.of(options);
    this.retries = retries;
    this.errors = errors;
  }

  /** Makes no connection. */
  public static HttpTransport of(
      ClientOptions options, RetryPolicy retries, ErrorBody.Reader errors) {
    return new HttpTransport(options, retries, errors);
  }

  /**
   * Sends a call and reads the whole answer.
   *
   * @param deadline for all attempts, their pauses and bodies
   * @throws RemoteException without an answer, or with a status that is not 2xx
   * @throws InterruptedException when interrupted; the call may have had its effect
   */
  public HttpReply call(HttpCall call, Deadline deadline) throws InterruptedException {
    for (int made = 1; ; made++) {
      try {
        return once(call, deadline);
      } catch (RemoteException failure) {
        Optional<Duration> pause = retries.pause(made, call.repeat(), failure, deadline);
        if (pause.isEmpty()) {
          throw failure;
        }
        RetryPolicy.await(pause.get());
      }
    }
  }

  private HttpReply once(HttpCall call, Deadline deadline) throws InterruptedException {
    HttpResponse.BodyHandler<Answer> handler =
        info -> wanted(info) ? whole(call, info, deadline) : refusal(call, deadline);
    HttpResponse<Answer> response =
        call.upload().isPresent()
            ? send(client, call, handler, deadline)
            : ask(prompt(call), call, handler, deadline);
    if (response.body() instanceof Answer.Whole whole && wanted(response.statusCode())) {
      return new HttpReply(
          response.statusCode(), lowerCase(response.headers().map()), whole.bytes(), call.what());
    }
    throw refused(call, response);
  }

  /**
   * Sends a call once and hands over the answer as it comes.
   *
   * @param idle longest silence; not counted while the listener has had enough
   * @param deadline for the answer's head only
   * @throws RemoteException as {@link #call}; the listener hears nothing then
   */
  public OpenStream stream(HttpCall call, StreamListener listener, Duration idle, Deadline deadline)
      throws InterruptedException {
    AtomicReference<StreamBody> begun = new AtomicReference<>();
    boolean open = false;
    try {
      HttpResponse<Answer> response =
          ask(client, call, info -> begin(call, info, listener, idle, begun, deadline), deadline);
      if (response.body() instanceof Answer.Streaming streaming) {
        open = true;
        return streaming.stream();
      }
      throw refused(call, response);
    } catch (RemoteException failure) {
      StreamBody body = begun.get();
      if (body == null || failure.kind() == Kind.TIMEOUT) {
        throw failure;
      }
      // It broke while its head was handed over: the listener may have heard something.
      open = true;
      body.onError(failure);
      return body;
    } finally {
      StreamBody body = begun.get();
      if (!open && body != null) {
        body.close();
      }
    }
  }

  private HttpResponse.BodySubscriber<Answer> begin(
      HttpCall call,
      HttpResponse.ResponseInfo info,
      StreamListener listener,
      Duration idle,
      AtomicReference<StreamBody> begun,
      Deadline deadline) {
    if (!wanted(info)) {
      return refusal(call, deadline);
    }
    StreamBody body = new StreamBody(call, listener, idle, lane::execute);
    begun.set(body);
    return body;
  }

  /**
   * Sends a call and gives out the answer as a stream, which fails when it ends too early.
   *
   * @param idle longest time that one read may wait
   * @param deadline for the answer's head only
   * @throws RemoteException as {@link #call}
   */
  public InputStream download(HttpCall call, Duration idle, Deadline deadline)
      throws InterruptedException {
    HttpResponse<Answer> response =
        send(
            prompt(call),
            call,
            info -> wanted(info) ? new ReadBody() : refusal(call, deadline),
            deadline);
    if (response.body() instanceof Answer.Reading open) {
      return new Download(call, open.stream(), idle);
    }
    throw refused(call, response);
  }

  /**
   * Opens a WebSocket.
   *
   * @param call a GET of an address of {@code ws} or {@code wss}; its headers are sent along
   * @param deadline for the handshake
   * @throws RemoteException as {@link #call}
   */
  public WebSocketLink webSocket(
      HttpCall call, WebSocketOptions socket, WebSocketListener listener, Deadline deadline)
      throws InterruptedException {
    return WebSocketLink.open(
        client, options.userAgent(), errors, lane::execute, call, socket, listener, deadline);
  }

  private static void timely(HttpCall call, Deadline deadline) {
    if (deadline.expired()) {
      throw new RemoteException(
          Kind.UNREACHABLE, call.what() + ": the deadline had passed before it was sent");
    }
  }

  /**
   * Sends from the calling thread, which the JDK's asynchronous way does not: it starts one or two
   * threads for a call. The deadline is the JDK's for the head, and the body's own behind it.
   */
  private HttpResponse<Answer> ask(
      HttpClient by, HttpCall call, HttpResponse.BodyHandler<Answer> handler, Deadline deadline)
      throws InterruptedException {
    timely(call, deadline);
    HttpRequest request =
        call.request()
            .header("User-Agent", options.userAgent())
            .timeout(limit(deadline.remaining()))
            .build();
    try {
      return by.send(request, handler);
    } catch (IOException e) {
      RemoteException failure = Failures.of(call, e);
      throw failure.kind() == Kind.TIMEOUT ? Failures.timeout(call) : failure;
    }
  }

  private static Duration limit(Duration left) {
    Duration least = left.compareTo(LEAST) < 0 ? LEAST : left;
    return least.compareTo(MOST) > 0 ? MOST : least;
  }

  /** What is not encrypted is read by the client's own thread, which is never kept waiting. */
  private HttpClient prompt(HttpCall call) {
    if (!"http".equalsIgnoreCase(call.uri().getScheme())) {
      return client;
    }
    HttpClient known = prompt.get();
    if (known == null) {
      known = SharedClients.prompt(options);
      prompt.set(known);
    }
    return known;
  }

  private HttpResponse<Answer> send(
      HttpClient by, HttpCall call, HttpResponse.BodyHandler<Answer> handler, Deadline deadline)
      throws InterruptedException {
    timely(call, deadline);
    Optional<UploadStream> upload = call.upload().map(UploadStream::new);
    HttpCall sent =
        upload.isPresent() ? call.upload(call.value("Content-Type"), upload.get()) : call;
    HttpRequest request = sent.request().header("User-Agent", options.userAgent()).build();
    CompletableFuture<HttpResponse<Answer>> future = by.sendAsync(request, handler);
    boolean answered = false;
    try {
      HttpResponse<Answer> response = future.get(deadline.remainingNanos(), TimeUnit.NANOSECONDS);
      answered = true;
      return response;
    } catch (TimeoutException e) {
      throw Failures.timeout(call);
    } catch (ExecutionException e) {
      Optional<Exception> unread = upload.flatMap(UploadStream::failure);
      if (unread.isPresent() && unread.get() instanceof SandboxException refused) {
        throw refused;
      }
      if (unread.isPresent()) {
        throw new RemoteException(
            Kind.CLOSED, call.what() + ": its content cannot be read", unread.get());
      }
      throw Failures.of(call, e);
    } finally {
      if (!answered) {
        giveUp(future);
      }
    }
  }

  /** Frees the connection, also when the answer is just coming. */
  private static void giveUp(CompletableFuture<HttpResponse<Answer>> future) {
    Callback.when(
        future,
        (late, failure) -> {
          if (late != null && late.body() instanceof Answer.Streaming open) {
            open.stream().close();
          } else if (late != null && late.body() instanceof Answer.Reading open) {
            closeQuietly(open.stream());
          }
        });
    boolean unused = future.cancel(true);
  }

  private static void closeQuietly(InputStream stream) {
    try {
      stream.close();
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  private static boolean wanted(HttpResponse.ResponseInfo info) {
    return wanted(info.statusCode());
  }

  private static boolean wanted(int status) {
    return status >= 200 && status < 300;
  }

  private static HttpResponse.BodySubscriber<Answer> whole(
      HttpCall call, HttpResponse.ResponseInfo info, Deadline deadline) {
    long length = info.headers().firstValueAsLong("content-length").orElse(0);
    // A longer one is not even begun.
    return new WholeBody(call, length > call.limit() ? 0 : call.limit(), false, deadline);
  }

  private static HttpResponse.BodySubscriber<Answer> refusal(HttpCall call, Deadline deadline) {
    return new WholeBody(call, REFUSAL_LIMIT, true, deadline);
  }

  private RemoteException refused(HttpCall call, HttpResponse<Answer> response) {
    byte[] body = response.body() instanceof Answer.Whole whole ? whole.bytes() : new byte[0];
    return Failures.refused(call, response.statusCode(), response.headers(), body, errors);
  }

  private static Map<String, List<String>> lowerCase(Map<String, List<String>> headers) {
    return headers.entrySet().stream()
        .collect(
            Collectors.toUnmodifiableMap(
                header -> header.getKey().toLowerCase(java.util.Locale.ROOT),
                Map.Entry::getValue,
                (first, second) -> first));
  }

  @Override
  public String toString() {
    return "HttpTransport[" + options.userAgent() + "]";
  }
}
