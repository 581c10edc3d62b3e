package io.sandboxspi.core;

import io.sandboxspi.Checkpoint;
import io.sandboxspi.ErrorCode;
import io.sandboxspi.Operation;
import io.sandboxspi.SandboxException;
import io.sandboxspi.SandboxSession;
import io.sandboxspi.SandboxSpec;
import io.sandboxspi.core.session.EngineOptions;
import io.sandboxspi.core.session.EngineSession;
import io.sandboxspi.spi.Availability;
import io.sandboxspi.spi.SandboxProvider;
import java.util.List;
import java.util.stream.Collectors;

/** Opens sandboxes by the name of their provider. Thread-safe. */
public final class Sandboxes {
  private Sandboxes() {}

  /**
   * Opens a sandbox. The caller closes the session.
   *
   * @param provider the provider's name
   * @throws SandboxException {@link ErrorCode#PROVIDER_NOT_FOUND} listing the known ones, {@link
   *     ErrorCode#PROVIDER_CONFLICT}, {@link ErrorCode#PROVIDER_UNAVAILABLE}, {@link
   *     ErrorCode#INVALID_ARGUMENT} for a bad option, {@link ErrorCode#CREATE_FAILED}
   * @throws InterruptedException when interrupted; a backend that comes late is deleted
   */
  public static SandboxSession open(String provider, SandboxSpec spec) throws InterruptedException {
    return open(provider(provider), spec);
  }

  /** Opens a sandbox of a provider that the caller made. */
  public static SandboxSession open(SandboxProvider provider, SandboxSpec spec)
      throws InterruptedException {
    return EngineSession.open(provider, spec, EngineOptions.defaults());
  }

  /**
   * Opens a session from a checkpoint: on its backend while that lives, from a snapshot that is at
   * least as new when the backend is proven gone (spec S-RESUME-02). Nothing is made when neither
   * is known. The caller closes the session.
   *
   * @param spec what the sandbox was opened with; a checkpoint holds neither options nor variables
   * @throws SandboxException {@link ErrorCode#CHECKPOINT_FOREIGN}, {@link
   *     ErrorCode#CHECKPOINT_PENDING}, {@link ErrorCode#BACKEND_UNREACHABLE}, {@link
   *     ErrorCode#SNAPSHOT_NOT_FOUND}, {@link ErrorCode#RESTORE_FAILED}, or as {@link #open}
   * @throws InterruptedException when interrupted; a replacement that comes late is deleted
   */
  public static SandboxSession resume(Checkpoint checkpoint, SandboxSpec spec)
      throws InterruptedException {
    return resume(provider(checkpoint.provider()), checkpoint, spec);
  }

  /** As {@link #resume(Checkpoint, SandboxSpec)} for a provider that the caller made. */
  public static SandboxSession resume(
      SandboxProvider provider, Checkpoint checkpoint, SandboxSpec spec)
      throws InterruptedException {
    return EngineSession.resume(provider, checkpoint, spec, false, EngineOptions.defaults());
  }

  /**
   * As {@link #resume(Checkpoint, SandboxSpec)}, with the workspace put back to the checkpoint's
   * snapshot also if the backend lives; nothing is moved if its fingerprint says that it is as it
   * was (spec S-RESUME-04).
   */
  public static SandboxSession restore(Checkpoint checkpoint, SandboxSpec spec)
      throws InterruptedException {
    return restore(provider(checkpoint.provider()), checkpoint, spec);
  }

  /** As {@link #restore(Checkpoint, SandboxSpec)} for a provider that the caller made. */
  public static SandboxSession restore(
      SandboxProvider provider, Checkpoint checkpoint, SandboxSpec spec)
      throws InterruptedException {
    return EngineSession.resume(provider, checkpoint, spec, true, EngineOptions.defaults());
  }

  /**
   * The provider of this name.
   *
   * @throws SandboxException {@link ErrorCode#PROVIDER_NOT_FOUND} listing the known ones, {@link
   *     ErrorCode#PROVIDER_CONFLICT}
   */
  public static SandboxProvider provider(String name) {
    List<ProviderLoader.Found> found = ProviderLoader.load();
    List<SandboxProvider> named =
        found.stream()
            .filter(each -> each.name().equals(name))
            .flatMap(each -> each.provider().stream())
            .toList();
    if (named.size() > 1) {
      throw SandboxException.of(
          ErrorCode.PROVIDER_CONFLICT,
          Operation.DISCOVER,
          "provider " + name + " is claimed by " + implementations(named) + "; remove all but one");
    }
    if (named.isEmpty()) {
      throw SandboxException.of(
          ErrorCode.PROVIDER_NOT_FOUND,
          Operation.DISCOVER,
          "no provider \"" + name + "\"; known: " + known(found));
    }
    return named.get(0);
  }

  /** Every provider on the class path, broken ones too; in the order in which they were found. */
  public static List<ProviderInfo> providers() {
    return ProviderLoader.load().stream().map(each -> each.info().get()).toList();
  }

  private static String implementations(List<SandboxProvider> found) {
    return found.stream()
        .map(each -> each.getClass().getName())
        .collect(Collectors.joining(" and "));
  }

  private static String known(List<ProviderLoader.Found> found) {
    if (found.isEmpty()) {
      return "none; add a provider to the class path";
    }
    return found.stream()
        .map(each -> describe(each.info().get()))
        .collect(Collectors.joining(", "));
  }

  private static String describe(ProviderInfo info) {
    return info.availability() instanceof Availability.Unavailable unavailable
        ? info.name() + " (" + unavailable.reason() + ")"
        : info.name();
  }
}
