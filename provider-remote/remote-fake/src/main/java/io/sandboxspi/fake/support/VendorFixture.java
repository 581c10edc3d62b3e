package io.sandboxspi.fake.support;

import io.sandboxspi.CleanupTimings;
import io.sandboxspi.Command;
import io.sandboxspi.ExecResult;
import io.sandboxspi.SandboxException;
import io.sandboxspi.SandboxSession;
import io.sandboxspi.SandboxSpec;
import io.sandboxspi.YieldOptions;
import io.sandboxspi.core.session.EngineOptions;
import io.sandboxspi.core.session.EngineSession;
import io.sandboxspi.fake.FakeVendor;
import io.sandboxspi.spi.Deadline;
import io.sandboxspi.spi.SandboxProvider;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * A fake, providers that talk to it, and sessions on both.
 *
 * @param <F> the fake
 * @param <P> the provider
 */
public class VendorFixture<F extends FakeVendor.Service, P extends SandboxProvider>
    implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final Duration SECONDS = Duration.ofSeconds(5);
  private static final Duration SHORT = Duration.ofMillis(50);
  private static final Duration COMMAND = Duration.ofSeconds(60);

  private final F fake;
  private final Function<Map<String, String>, P> providers;

  /**
   * For one fake, which is closed with this.
   *
   * @param providers makes one from settings
   */
  public VendorFixture(F fake, Function<Map<String, String>, P> providers) {
    this.fake = fake;
    this.providers = providers;
  }

  /** The fake. */
  public F fake() {
    return fake;
  }

  /** A provider that talks to the fake. */
  public P provider() {
    return providers.apply(fake.settings());
  }

  /** One with another value of a setting. */
  public P provider(String name, String value) {
    Map<String, String> settings = new HashMap<>(fake.settings());
    settings.put(name, value);
    return providers.apply(settings);
  }

  /** Opens a session. */
  public SandboxSession open(Map<String, String> options) throws InterruptedException {
    return open(provider(), options);
  }

  /** Opens a session whose cleanup may take long, so that it is whole on a busy machine too. */
  public SandboxSession openPatient(Map<String, String> options) throws InterruptedException {
    SandboxSpec.Builder spec =
        SandboxSpec.builder().timings(new CleanupTimings(PATIENCE, SECONDS, PATIENCE, COMMAND));
    options.forEach(spec::option);
    return EngineSession.open(provider(), spec.build(), EngineOptions.defaults());
  }

  /** Opens a session with a provider of the caller's. */
  public static SandboxSession open(SandboxProvider provider, Map<String, String> options)
      throws InterruptedException {
    SandboxSpec.Builder spec = SandboxSpec.builder();
    options.forEach(spec::option);
    return EngineSession.open(provider, spec.build(), EngineOptions.defaults());
  }

  /** Runs a command of the shell. */
  public static ExecResult run(SandboxSession session, String text) throws InterruptedException {
    return session.exec(Command.shell(text).timeout(COMMAND));
  }

  /** What a command of the shell prints. */
  public static String output(SandboxSession session, String text) throws InterruptedException {
    return run(session, text).stdout().text();
  }

  /** Polls a terminal until its output, with what was seen before, holds a text; all of it. */
  public static String seen(SandboxSession session, int pty, String before, String wanted)
      throws InterruptedException {
    StringBuilder all = new StringBuilder(before);
    long end = System.nanoTime() + PATIENCE.toNanos();
    while (all.indexOf(wanted) < 0 && System.nanoTime() < end) {
      all.append(session.ptys().poll(pty, YieldOptions.forPoll().quietAfter(SHORT)).output());
    }
    return all.toString();
  }

  /** A deadline from now on. */
  public static Deadline seconds(int value) {
    return Deadline.after(Duration.ofSeconds(value));
  }

  /** Waits until it is so; whether it is. */
  public static boolean until(Callable<Boolean> condition) throws Exception {
    long end = System.nanoTime() + PATIENCE.toNanos();
    while (!condition.call()) {
      if (System.nanoTime() > end) {
        return false;
      }
      boolean unused = new CountDownLatch(1).await(10, TimeUnit.MILLISECONDS);
    }
    return true;
  }

  /** Everything that a failure says anywhere: no secret may be in it. */
  public static String words(Throwable failure) {
    StringBuilder text = new StringBuilder(failure.toString());
    if (failure instanceof SandboxException known) {
      text.append(known.context());
    }
    for (Throwable other : failure.getSuppressed()) {
      text.append('\n').append(words(other));
    }
    Throwable cause = failure.getCause();
    return cause == null ? text.toString() : text.append('\n').append(words(cause)).toString();
  }

  @Override
  public void close() {
    fake.close();
  }
}
