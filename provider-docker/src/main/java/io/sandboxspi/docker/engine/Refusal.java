package io.sandboxspi.docker.engine;

/** The engine answered with an HTTP status that is no success. */
public final class Refusal extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final int status;

  /** With the engine's own words. */
  public Refusal(int status, String message) {
    super(message);
    this.status = status;
  }

  /** HTTP status. */
  public int status() {
    return status;
  }

  /** What was asked for does not exist. */
  public boolean notFound() {
    return status == 404;
  }

  /** It exists in a state that forbids the call. */
  public boolean conflict() {
    return status == 409;
  }
}
