package io.sandboxspi.core.session;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Serves calls on one PTY in the order they came (spec S-PTY-07). Thread-safe. */
final class Turns {
  private final Deque<CompletableFuture<Boolean>> queue = new ArrayDeque<>();

  /** Takes a place; the future completes when it is this call's turn. */
  CompletableFuture<Boolean> take() {
    CompletableFuture<Boolean> turn = new CompletableFuture<>();
    boolean first;
    synchronized (queue) {
      first = queue.isEmpty();
      queue.add(turn);
    }
    if (first) {
      turn.complete(true);
    }
    return turn;
  }

  /** Gives the place back, reached or not. */
  void leave(CompletableFuture<Boolean> turn) {
    @Nullable CompletableFuture<Boolean> next;
    synchronized (queue) {
      boolean head = queue.peek() == turn;
      queue.remove(turn);
      next = head ? queue.peek() : null;
    }
    if (next != null) {
      next.complete(true);
    }
  }
}
