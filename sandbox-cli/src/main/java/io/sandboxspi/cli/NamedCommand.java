package io.sandboxspi.cli;

import io.sandboxspi.Checkpoint;
import io.sandboxspi.ErrorCode;
import io.sandboxspi.SandboxException;
import io.sandboxspi.SandboxFiles;
import io.sandboxspi.SandboxSession;
import java.util.List;

/** A command about a sandbox that has a name. */
abstract class NamedCommand extends CliCommand {
  private final Engine engine;
  private final NamedSandboxes sandboxes = NamedSandboxes.here();

  NamedCommand(Engine engine, String name, String description, String... footer) {
    super(name, description, footer);
    this.engine = engine;
  }

  @Override
  boolean optionsAnywhere() {
    return true;
  }

  final Engine engine() {
    return engine;
  }

  final NamedSandboxes sandboxes() {
    return sandboxes;
  }

  /** The words after the options, of which there must be so many. */
  final List<String> words(int least, int most) {
    List<String> words = words();
    if (words.size() < least || words.size() > most) {
      throw CliFailure.usage("wrong number of words (see sandbox " + spec().name() + " --help)");
    }
    return words;
  }

  /** Declares the account for {@link #files}. */
  final void declareUser(String description) {
    text("--user", "USER", description);
  }

  /** The sandbox's files, as the account of {@code --user} sees them. */
  final SandboxFiles files(SandboxSession session) {
    SandboxFiles files = session.files();
    return this.<String>value("--user").map(files::asUser).orElse(files);
  }

  /** Work in a sandbox. */
  interface Work {
    int run(SandboxSession session, ShutdownGuard guard) throws InterruptedException;
  }

  /** Works in a live sandbox and leaves it again; others may do so at the same time. */
  final int within(String name, Work work) throws InterruptedException {
    try (ShutdownGuard guard = ShutdownGuard.open();
        NamedSandboxes.Held held = sandboxes.using(name);
        Leaving attached = attach(sandboxes.get(name), false)) {
      return work.run(attached.session(), guard);
    }
  }

  /**
   * A session that is left at the end, and its backend to itself.
   *
   * @param session the session
   */
  record Leaving(SandboxSession session) implements AutoCloseable {
    @Override
    public void close() throws InterruptedException {
      try {
        Object unused = session.detach();
      } catch (CliFailure told) {
        // Who is told to end has been told by the call that it ended.
        if (!told.isQuiet()) {
          throw told;
        }
      }
    }
  }

  /**
   * Attaches to the backend.
   *
   * @param saving whether what is made of it is remembered: only then one that is gone is made
   *     again
   */
  final Leaving attach(NamedSandbox sandbox, boolean saving) throws InterruptedException {
    if (sandbox.state() != NamedSandbox.State.LIVE) {
      throw gone(sandbox, null);
    }
    Checkpoint whole = where(sandbox);
    Checkpoint live = Checkpoint.of(whole.provider(), whole.lineage(), whole.oldest());
    live = whole.backend().map(live::backend).orElse(live);
    try {
      return new Leaving(engine.resume(saving ? whole : live, sandbox.spec(saving)));
    } catch (SandboxException e) {
      throw e.code() == ErrorCode.SNAPSHOT_NOT_FOUND ? gone(sandbox, e) : e;
    }
  }

  static CliFailure gone(NamedSandbox sandbox, @org.jspecify.annotations.Nullable Throwable cause) {
    String name = sandbox.name();
    return CliFailure.sandbox(
        switch (sandbox.state()) {
          case CREATING -> "sandbox " + name + " was never finished; rm it and create it again";
          case LIVE -> "the backend of sandbox " + name + " is gone; resume it from its snapshot";
          case SAVED -> "sandbox " + name + " is not live; resume it first";
        },
        cause);
  }

  static Checkpoint where(NamedSandbox sandbox) {
    return sandbox.where().orElseThrow(() -> gone(sandbox, null));
  }
}
