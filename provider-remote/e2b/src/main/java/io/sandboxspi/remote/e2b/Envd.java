package io.sandboxspi.remote.e2b;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sandboxspi.remote.transport.ConnectFrames;
import io.sandboxspi.remote.transport.HttpCall;
import io.sandboxspi.remote.transport.HttpReply;
import io.sandboxspi.remote.transport.HttpTransport;
import io.sandboxspi.remote.transport.OpenStream;
import io.sandboxspi.remote.transport.RemoteException;
import io.sandboxspi.remote.transport.Repeat;
import io.sandboxspi.spi.Deadline;
import java.io.InputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * Calls to the daemon in one sandbox. Where it refuses because the sandbox does not run or the
 * token has changed, the control plane is asked and the call sent once more: it had no effect.
 */
final class Envd {
  static final int PORT = 49983;

  private static final int FRAME_LIMIT = 4 << 20;

  private final HttpTransport transport;
  private final Optional<String> user;
  private final Duration keepAlive;
  private final Duration silence;
  private final Renewal renewal;
  private final Semaphore turn = new Semaphore(1, true);
  private volatile Access access;

  /** Finds out how the sandbox is reached now. */
  interface Renewal {
    /**
     * Asks the control plane.
     *
     * @throws RemoteException the refusal, when the sandbox does not run
     */
    Access renew(RemoteException refusal, Deadline deadline) throws InterruptedException;
  }

  /**
   * Makes no call.
   *
   * @param keepAlive how often an idle stream says that it lives; two may be missed
   */
  Envd(
      HttpTransport transport,
      Access access,
      Optional<String> user,
      Duration keepAlive,
      Renewal renewal) {
    this.keepAlive = keepAlive;
    this.silence = keepAlive.multipliedBy(3);
    this.transport = transport;
    this.access = access;
    this.user = user;
    this.renewal = renewal;
  }

  /** How the sandbox is reached now. */
  Access access() {
    return access;
  }

  private HttpCall call(String what, String method, String path) {
    Access now = access;
    HttpCall call =
        HttpCall.of(what, method, URI.create(now.daemon() + path))
            .header("E2b-Sandbox-Id", now.sandbox())
            .header("E2b-Sandbox-Port", String.valueOf(PORT));
    if (now.token().isPresent()) {
      call = call.secret("X-Access-Token", now.token().get());
    }
    if (user.isPresent()) {
      byte[] pair = (user.get() + ":").getBytes(StandardCharsets.UTF_8);
      call = call.header("Authorization", "Basic " + Base64.getEncoder().encodeToString(pair));
    }
    return call;
  }

  /** A call that can be made again with other access. */
  private interface Attempt<T> {
    T run() throws InterruptedException;
  }

  private <T> T renewed(Attempt<T> attempt, Deadline deadline) throws InterruptedException {
    Access before = access;
    try {
      return attempt.run();
    } catch (RemoteException refusal) {
      if (!refusal.refusedWith(401) && !refusal.refusedWith(502)) {
        throw refusal;
      }
      renew(before, refusal, deadline);
      return attempt.run();
    }
  }

  /** Once for all calls that were refused together. */
  private void renew(Access before, RemoteException refusal, Deadline deadline)
      throws InterruptedException {
    if (!turn.tryAcquire(deadline.remainingNanos(), TimeUnit.NANOSECONDS)) {
      throw refusal;
    }
    try {
      if (access == before) {
        access = renewal.renew(refusal, deadline);
      }
    } finally {
      turn.release();
    }
  }

  /** A call with one answer. */
  ObjectNode unary(String method, ObjectNode request, Repeat repeat, Deadline deadline)
      throws InterruptedException {
    return renewed(() -> once(method, request, repeat, deadline), deadline);
  }

  /** As {@link #unary}, of a sandbox that runs: it is not woken for this. */
  ObjectNode once(String method, ObjectNode request, Repeat repeat, Deadline deadline)
      throws InterruptedException {
    return transport
        .call(
            call("the call " + method, "POST", "/process.Process/" + method)
                .header("Connect-Protocol-Version", "1")
                .json(request)
                .repeat(repeat),
            deadline)
        .object();
  }

  /** A call with many answers; sent once. */
  OpenStream stream(
      String method, ObjectNode request, ConnectFrames.Listener listener, Deadline deadline)
      throws InterruptedException {
    String what = "the call " + method;
    return renewed(
        () ->
            transport.stream(
                call(what, "POST", "/process.Process/" + method)
                    .header("Connect-Protocol-Version", "1")
                    .header("Keepalive-Ping-Interval", String.valueOf(keepAlive.toSeconds()))
                    .bytes(ConnectFrames.CONTENT_TYPE, ConnectFrames.envelope(request)),
                new ConnectFrames(what, FRAME_LIMIT, listener),
                silence,
                deadline),
        deadline);
  }

  /** A file by its absolute path. */
  InputStream read(String path, Deadline deadline) throws InterruptedException {
    return renewed(
        () -> transport.download(call("reading a file", "GET", files(path)), silence, deadline),
        deadline);
  }

  /** Writes a file in place. */
  void write(String path, InputStream content, Deadline deadline) throws InterruptedException {
    HttpReply unused =
        transport.call(
            call("writing a file", "POST", files(path)).upload("application/octet-stream", content),
            deadline);
  }

  private String files(String path) {
    return "/files?path="
        + HttpCall.encode(path)
        + user.map(name -> "&username=" + HttpCall.encode(name)).orElse("");
  }
}
