package io.sandboxspi.fake.modal;

import io.grpc.MethodDescriptor;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/** Adds calls to a service. */
final class Services {
  private Services() {}

  /** One answer; the work may block. */
  static <Q, A> void unary(
      ServerServiceDefinition.Builder service, MethodDescriptor<Q, A> method, Function<Q, A> work) {
    ServerServiceDefinition.Builder unused =
        service.addMethod(
            method,
            ServerCalls.asyncUnaryCall(
                (request, answers) -> {
                  A answer;
                  try {
                    answer = work.apply(request);
                  } catch (StatusRuntimeException e) {
                    answers.onError(e);
                    return;
                  } catch (RuntimeException e) {
                    answers.onError(Status.INTERNAL.withCause(e).asRuntimeException());
                    return;
                  }
                  answers.onNext(answer);
                  answers.onCompleted();
                }));
  }

  /** One answer, later. */
  static <Q, A> void later(
      ServerServiceDefinition.Builder service,
      MethodDescriptor<Q, A> method,
      Function<Q, CompletableFuture<A>> work) {
    ServerServiceDefinition.Builder unused =
        service.addMethod(
            method,
            ServerCalls.asyncUnaryCall(
                (request, answers) -> {
                  try {
                    Object ignored =
                        work.apply(request)
                            .whenComplete((answer, failure) -> finish(answers, answer, failure));
                  } catch (StatusRuntimeException e) {
                    answers.onError(e);
                  }
                }));
  }

  private static <A> void finish(
      StreamObserver<A> answers, A answer, @org.jspecify.annotations.Nullable Throwable failure) {
    try {
      if (failure == null) {
        answers.onNext(answer);
        answers.onCompleted();
      } else {
        answers.onError(Status.INTERNAL.withCause(failure).asRuntimeException());
      }
    } catch (StatusRuntimeException cancelled) {
      assert cancelled.getStatus() != null;
    }
  }
}
