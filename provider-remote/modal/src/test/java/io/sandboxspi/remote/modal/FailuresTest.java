package io.sandboxspi.remote.modal;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Any;
import com.google.protobuf.ByteString;
import io.grpc.Metadata;
import io.grpc.Status;
import io.sandboxspi.Retryable;
import io.sandboxspi.remote.modal.wire.RPCRetryPolicy;
import io.sandboxspi.remote.modal.wire.RPCStatus;
import io.sandboxspi.remote.modal.wire.TaskExecWaitResponse;
import io.sandboxspi.remote.transport.RemoteException;
import io.sandboxspi.remote.transport.RemoteException.Kind;
import java.net.ConnectException;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import javax.net.ssl.SSLHandshakeException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What statuses, tokens and ends of processes mean. */
class FailuresTest {
  private static final Metadata.Key<byte[]> DETAILS =
      Metadata.Key.of("grpc-status-details-bin", Metadata.BINARY_BYTE_MARSHALLER);

  private static RemoteException of(Status status, Metadata trailers) {
    return Failures.of("the call", status, trailers, text -> text.replace("as-key", "***"));
  }

  private static RemoteException of(Status status) {
    return of(status, new Metadata());
  }

  @ParameterizedTest
  @CsvSource({
    "UNAVAILABLE,BROKEN,UNKNOWN,true",
    "CANCELLED,BROKEN,UNKNOWN,true",
    "DEADLINE_EXCEEDED,TIMEOUT,UNKNOWN,true",
    "INTERNAL,REFUSED,UNKNOWN,true",
    "UNKNOWN,REFUSED,UNKNOWN,true",
    "RESOURCE_EXHAUSTED,REFUSED,YES,false",
    "NOT_FOUND,REFUSED,NO,false",
    "INVALID_ARGUMENT,REFUSED,NO,false",
    "ALREADY_EXISTS,REFUSED,NO,false",
    "PERMISSION_DENIED,REFUSED,NO,false",
    "UNAUTHENTICATED,REFUSED,NO,false",
    "FAILED_PRECONDITION,REFUSED,NO,false"
  })
  void eachStatusHasOneMeaning(
      Status.Code code, Kind kind, Retryable retryable, boolean transientOne) {
    RemoteException failure = of(Status.fromCode(code).withDescription("it says as-key"));
    assertThat(failure.kind()).isEqualTo(kind);
    assertThat(failure.retryable()).isEqualTo(retryable);
    assertThat(Failures.transientOne(failure)).isEqualTo(transientOne);
    assertThat(failure).hasMessageContaining("it says ***");
  }

  @Test
  void whatWasNeverSentIsToldFromWhatBroke() {
    assertThat(of(Status.UNAVAILABLE.withCause(new ConnectException("refused"))).kind())
        .isEqualTo(Kind.UNREACHABLE);
    assertThat(of(Status.UNAVAILABLE.withCause(new UnknownHostException("x"))).kind())
        .isEqualTo(Kind.UNREACHABLE);
    assertThat(of(Status.UNAVAILABLE.withCause(new SSLHandshakeException("x"))).kind())
        .isEqualTo(Kind.TLS);
  }

  @Test
  void aPageInsteadOfAnAnswerIsNoAnswerAndIsNotQuoted() {
    Metadata page = new Metadata();
    page.put(
        Metadata.Key.of("content-type", Metadata.ASCII_STRING_MARSHALLER),
        "text/html; charset=utf-8");
    RemoteException failure =
        of(
            Status.UNKNOWN.withDescription(
                "HTTP status code 200\ninvalid content-type\nDATA---\n<html>sign in</html>"),
            page);
    assertThat(failure.kind()).isEqualTo(Kind.MALFORMED);
    assertThat(failure).hasMessageNotContaining("html");
  }

  @Test
  void aLongMessageIsToldFromAFullAccount() {
    assertThat(
            of(Status.RESOURCE_EXHAUSTED.withDescription(
                    "gRPC message exceeds maximum size 104857600: 104857601"))
                .kind())
        .isEqualTo(Kind.TOO_LARGE);
  }

  @Test
  void thePauseThatTheVendorAsksForIsFoundWhateverTheStatusIs() {
    Any policy =
        Any.newBuilder()
            .setTypeUrl("type.modal.com/modal.client.RPCRetryPolicy")
            .setValue(RPCRetryPolicy.newBuilder().setRetryAfterSecs(1.5f).build().toByteString())
            .build();
    Any other = Any.newBuilder().setTypeUrl("x/y").setValue(ByteString.copyFromUtf8("z")).build();
    Metadata trailers = new Metadata();
    trailers.put(
        DETAILS, RPCStatus.newBuilder().addDetails(other).addDetails(policy).build().toByteArray());
    for (Status status : new Status[] {Status.UNAVAILABLE, Status.RESOURCE_EXHAUSTED}) {
      RemoteException failure = of(status, trailers);
      assertThat(failure.kind()).isEqualTo(Kind.REFUSED);
      assertThat(failure.retryAfter()).contains(Duration.ofMillis(1500));
    }
    Metadata spoiled = new Metadata();
    spoiled.put(DETAILS, new byte[] {1, 2, 3});
    assertThat(of(Status.INTERNAL, spoiled).retryAfter()).isEmpty();
  }

  @Test
  void aTokenIsOldWhenHalfOfItsTimeIsOverAndTheClockIsNotBelieved() {
    assertThat(Jwt.of("x", "no-jwt").over()).isFalse();
    long now = System.currentTimeMillis() / 1000;
    Jwt good = Jwt.of("x", token(now + 600));
    assertThat(good.due()).isFalse();
    assertThat(Duration.ofNanos(good.dueNanos() - System.nanoTime()))
        .isBetween(Duration.ofSeconds(270), Duration.ofSeconds(362));
    Jwt skewed = Jwt.of("x", token(now - 3600));
    assertThat(skewed.over()).as("one that has just come is of use").isFalse();
  }

  private static String token(long end) {
    return "e30."
        + Base64.getUrlEncoder()
            .withoutPadding()
            .encodeToString(("{\"exp\":" + end + "}").getBytes(StandardCharsets.UTF_8))
        + ".sig";
  }

  @Test
  void anEndThatIsNotSaidIsNoCode() {
    assertThat(ModalProcess.status(TaskExecWaitResponse.getDefaultInstance())).isEmpty();
    assertThat(ModalProcess.status(TaskExecWaitResponse.newBuilder().setCode(-1).build()))
        .isEmpty();
    assertThat(ModalProcess.status(TaskExecWaitResponse.newBuilder().setCode(0).build()))
        .isPresent();
    assertThat(ModalProcess.status(TaskExecWaitResponse.newBuilder().setSignal(9).build()))
        .isPresent();
  }
}
