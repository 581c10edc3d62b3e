package io.sandboxspi.tck;

import io.sandboxspi.spi.SandboxProvider;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.function.Predicate;
import org.junit.platform.engine.FilterResult;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.Launcher;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.PostDiscoveryFilter;
import org.junit.platform.launcher.core.LauncherConfig;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/**
 * Runs the kit outside a build. Immutable: each method returns a changed copy. Writes nothing by
 * itself.
 */
public final class TckRunner {
  private final TckEnvironment environment;
  private final Predicate<String> methods;
  private final int parallelism;

  private TckRunner(TckEnvironment environment, Predicate<String> methods, int parallelism) {
    this.environment = environment;
    this.methods = methods;
    this.parallelism = parallelism;
  }

  /** Everything, one after another. */
  public static TckRunner of(TckEnvironment environment) {
    return new TckRunner(environment, method -> true, 1);
  }

  /**
   * Runs everything against a provider.
   *
   * @param options for every session
   */
  public static TckReport run(
      SandboxProvider provider, Map<String, String> options, TckProgress progress) {
    return of(TckEnvironment.of(provider).options(options)).run(progress);
  }

  /** Only test methods with such a name. */
  public TckRunner only(Predicate<String> name) {
    return new TckRunner(environment, name, parallelism);
  }

  /** So many tests at a time; the environment must not audit descriptors then. */
  public TckRunner parallel(int tests) {
    return new TckRunner(environment, methods, tests);
  }

  /** Runs; blocks until all tests have ended. */
  public TckReport run(TckProgress progress) {
    String run = UUID.randomUUID().toString();
    ConfiguredTck.register(run, environment);
    ReportListener listener = new ReportListener(progress);
    Instant startedAt = Instant.now();
    long from = System.nanoTime();
    try {
      launcher().execute(request(run), listener);
    } finally {
      ConfiguredTck.forget(run);
    }
    return new TckReport(
        environment.provider().name(),
        facts(),
        startedAt,
        Duration.ofNanos(System.nanoTime() - from),
        listener.tests());
  }

  private static Launcher launcher() {
    return LauncherFactory.create(
        LauncherConfig.builder()
            .enableLauncherDiscoveryListenerAutoRegistration(false)
            .enableLauncherSessionListenerAutoRegistration(false)
            .enablePostDiscoveryFilterAutoRegistration(false)
            .enableTestExecutionListenerAutoRegistration(false)
            .build());
  }

  private LauncherDiscoveryRequest request(String run) {
    LauncherDiscoveryRequestBuilder request =
        LauncherDiscoveryRequestBuilder.request()
            .selectors(DiscoverySelectors.selectClass(ConfiguredTck.class))
            .filters(filter())
            .enableImplicitConfigurationParameters(false)
            .configurationParameter(ConfiguredTck.PARAMETER, run);
    if (parallelism > 1) {
      request
          .configurationParameter("junit.jupiter.execution.parallel.enabled", "true")
          .configurationParameter("junit.jupiter.execution.parallel.mode.default", "concurrent")
          .configurationParameter("junit.jupiter.execution.parallel.config.strategy", "fixed")
          .configurationParameter(
              "junit.jupiter.execution.parallel.config.executor-service", "FORK_JOIN_POOL")
          .configurationParameter(
              "junit.jupiter.execution.parallel.config.fixed.parallelism", "" + parallelism)
          .configurationParameter(
              "junit.jupiter.execution.parallel.config.fixed.max-pool-size", "" + parallelism);
    }
    return request.build();
  }

  private PostDiscoveryFilter filter() {
    return descriptor ->
        descriptor
            .getSource()
            .filter(MethodSource.class::isInstance)
            .map(source -> ((MethodSource) source).getMethodName())
            .map(name -> FilterResult.includedIf(methods.test(name)))
            .orElseGet(() -> FilterResult.included("not a method"));
  }

  private Map<String, String> facts() {
    SandboxProvider provider = environment.provider();
    Map<String, String> facts = new TreeMap<>();
    facts.put("kit version", version(TckRunner.class));
    facts.put("provider class", provider.getClass().getName());
    facts.put("provider version", version(provider.getClass()));
    facts.put("capabilities", new TreeSet<>(provider.capabilities()).toString());
    facts.put("options", new TreeSet<>(environment.options().keySet()).toString());
    facts.put("timings", environment.timings().toString());
    for (String key : List.of("java.version", "java.vendor", "os.name", "os.version", "os.arch")) {
      facts.put(key, System.getProperty(key, "unknown"));
    }
    return facts;
  }

  private static String version(Class<?> type) {
    Package home = type.getPackage();
    String version = home == null ? null : home.getImplementationVersion();
    return version == null ? "development" : version;
  }
}
