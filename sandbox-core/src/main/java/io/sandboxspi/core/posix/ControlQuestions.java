package io.sandboxspi.core.posix;

import io.sandboxspi.spi.Deadline;
import io.sandboxspi.spi.LaunchId;
import io.sandboxspi.spi.OutputChannel;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * What is asked of one {@link ControlShell} and not answered yet. The owner of the shell's streams
 * writes each question whole, in the order they were begun, and hands over what the shell says.
 * Thread-safe.
 */
public final class ControlQuestions {
  private final Object lock = new Object();
  // Guarded by the lock.
  private final ControlShell protocol = new ControlShell();
  private final Map<LaunchId, Question> open = new HashMap<>();
  private boolean over;

  /** Nothing is asked yet. */
  public ControlQuestions() {}

  /** A question under way. */
  public static final class Question {
    private final ControlShell.Request request;
    private final CompletableFuture<ControlShell.Answer> answer = new CompletableFuture<>();

    private Question(ControlShell.Request request) {
      this.request = request;
    }

    /** To write to the shell, whole. */
    public byte[] bytes() {
      return request.bytes();
    }

    /**
     * Waits for the answer.
     *
     * @throws ExecutionException with the reason of {@link ControlQuestions#fail}
     */
    public ControlShell.Answer await(Deadline deadline)
        throws InterruptedException, ExecutionException, TimeoutException {
      return answer.get(deadline.remainingNanos(), TimeUnit.NANOSECONDS);
    }
  }

  /** Makes a question; its answer is expected from now on. */
  public Question begin(String command) {
    synchronized (lock) {
      Question question = new Question(protocol.request(command));
      open.put(question.request.id(), question);
      return question;
    }
  }

  /** Whoever asked does not wait any more; the shell may still be busy with it. */
  public void forget(Question question) {
    synchronized (lock) {
      open.remove(question.request.id());
    }
  }

  /** Takes what the shell said. Waits for nothing. */
  public void feed(OutputChannel channel, ByteBuffer bytes) {
    while (channel == OutputChannel.STDOUT && bytes.hasRemaining()) {
      Optional<ControlShell.Answer> answer;
      Optional<Question> question;
      synchronized (lock) {
        answer = protocol.feed(bytes);
        question = answer.flatMap(whole -> Optional.ofNullable(open.remove(whole.request())));
      }
      answer.ifPresent(whole -> question.ifPresent(asked -> asked.answer.complete(whole)));
    }
  }

  /** Whether nothing more can be learned from this shell. */
  public boolean over() {
    synchronized (lock) {
      return over;
    }
  }

  /**
   * Nothing more can be learned from this shell: fails what waits.
   *
   * @return whether that is news
   */
  public boolean fail(RuntimeException reason) {
    List<Question> waiting;
    boolean news;
    synchronized (lock) {
      news = !over;
      over = true;
      waiting = List.copyOf(open.values());
      open.clear();
    }
    waiting.forEach(question -> question.answer.completeExceptionally(reason));
    return news;
  }
}
