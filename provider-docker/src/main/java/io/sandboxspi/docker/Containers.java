package io.sandboxspi.docker;

import com.github.dockerjava.api.command.InspectContainerResponse;
import io.sandboxspi.docker.engine.Engine;
import io.sandboxspi.docker.engine.Refusal;
import io.sandboxspi.spi.Deadline;
import io.sandboxspi.spi.ReleaseOutcome;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What is done with a container as a whole. Each call has the deadline it is given. */
final class Containers {
  private final Engine engine;

  Containers(Engine engine) {
    this.engine = engine;
  }

  /** What a container is at. */
  enum State {
    /** Its processes run. */
    RUNNING,
    /** Its processes are frozen. */
    PAUSED,
    /** It has none. */
    STOPPED,
    /** It is proven not to exist. */
    GONE
  }

  /**
   * A container as the engine describes it.
   *
   * @param state what it is at
   * @param id its full id; empty when it is gone
   * @param startedAt when it was started last, in the engine's words
   * @param labels its labels
   */
  record Description(State state, String id, String startedAt, Map<String, String> labels) {
    Description {
      labels = Map.copyOf(labels);
    }
  }

  /** Describes a container by its id or name. */
  Description describe(String container, Deadline deadline) throws InterruptedException {
    InspectContainerResponse answer;
    try {
      answer = engine.call(deadline, client -> client.inspectContainerCmd(container).exec());
    } catch (Refusal refusal) {
      if (refusal.notFound()) {
        return new Description(State.GONE, "", "", Map.of());
      }
      throw refusal;
    }
    InspectContainerResponse.ContainerState state = answer.getState();
    Map<String, String> labels =
        answer.getConfig().getLabels() == null ? Map.of() : answer.getConfig().getLabels();
    return new Description(state(state), answer.getId(), text(state.getStartedAt()), labels);
  }

  private static State state(InspectContainerResponse.ContainerState state) {
    if (Boolean.TRUE.equals(state.getPaused())) {
      return State.PAUSED;
    }
    return Boolean.TRUE.equals(state.getRunning()) ? State.RUNNING : State.STOPPED;
  }

  private static String text(@Nullable String value) {
    return value == null ? "" : value;
  }

  /** Removes a container with its processes and anonymous volumes. */
  ReleaseOutcome remove(String container, Deadline deadline) throws InterruptedException {
    try {
      Optional<Object> unused =
          engine.call(
              deadline,
              client -> {
                client.removeContainerCmd(container).withForce(true).withRemoveVolumes(true).exec();
                return Optional.empty();
              });
      return ReleaseOutcome.DESTROYED;
    } catch (Refusal refusal) {
      if (refusal.notFound()) {
        return ReleaseOutcome.ALREADY_GONE;
      }
      if (refusal.conflict()) {
        // Somebody else removes it.
        return awaitGone(container, deadline);
      }
      throw refusal;
    }
  }

  private ReleaseOutcome awaitGone(String container, Deadline deadline)
      throws InterruptedException {
    Pause pause = new Pause();
    while (describe(container, deadline).state() != State.GONE) {
      pause.next(deadline);
    }
    return ReleaseOutcome.ALREADY_GONE;
  }

  /** Starts a container that has stopped, or lets a paused one go on. */
  void awaken(String container, State state, Deadline deadline) throws InterruptedException {
    Optional<Object> unused =
        engine.call(
            deadline,
            client -> {
              if (state == State.PAUSED) {
                client.unpauseContainerCmd(container).exec();
              } else if (state == State.STOPPED) {
                client.startContainerCmd(container).exec();
              }
              return Optional.empty();
            });
  }

  /** Stops a container; its main process ends at once when asked to, and so do all others. */
  ReleaseOutcome stop(String container, Deadline deadline) throws InterruptedException {
    try {
      Optional<Object> unused =
          engine.call(
              deadline,
              client -> {
                client.stopContainerCmd(container).withTimeout(2).exec();
                return Optional.empty();
              });
    } catch (Refusal refusal) {
      if (refusal.notFound()) {
        return ReleaseOutcome.ALREADY_GONE;
      }
      boolean stoppedBefore = refusal.status() == 304;
      if (!stoppedBefore) {
        throw refusal;
      }
    }
    return ReleaseOutcome.STOPPED;
  }
}
