package io.sandboxspi.bench.worker;

/** A worker could not do what it was told; one sentence. */
public final class WorkerFailure extends Exception {
  private static final long serialVersionUID = 1L;

  /** With one sentence. */
  public WorkerFailure(String message) {
    super(message);
  }
}
