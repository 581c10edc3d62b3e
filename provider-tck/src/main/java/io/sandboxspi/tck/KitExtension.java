package io.sandboxspi.tck;

import io.sandboxspi.Command;
import io.sandboxspi.PtyRequest;
import io.sandboxspi.SandboxSession;
import io.sandboxspi.SandboxSpec;
import io.sandboxspi.core.session.EngineOptions;
import io.sandboxspi.tck.kit.TckKit;
import java.time.Duration;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.opentest4j.TestAbortedException;

/** Gives each test a kit, and takes away what it left. */
final class KitExtension implements BeforeEachCallback, AfterEachCallback {
  private static final ExtensionContext.Namespace WARM =
      ExtensionContext.Namespace.create(KitExtension.class);

  @Override
  public void beforeEach(ExtensionContext context) throws Exception {
    KitTests test = (KitTests) context.getRequiredTestInstance();
    if (test instanceof ConfiguredTck configured) {
      configured.configure(context.getConfigurationParameter(ConfiguredTck.PARAMETER));
    }
    TckEnvironment environment = test.environment();
    Object key = context.getRequiredTestClass();
    ExtensionContext.Store store = context.getRoot().getStore(WARM);
    if (store.get(key) == null) {
      store.put(key, true);
      warmUp(environment);
    }
    test.kit(new TckKit(environment));
  }

  @Override
  public void afterEach(ExtensionContext context) throws Exception {
    KitTests test = (KitTests) context.getRequiredTestInstance();
    Throwable thrown = context.getExecutionException().orElse(null);
    if (thrown instanceof TestAbortedException) {
      test.kit().close(false);
    } else {
      test.kit().close(thrown == null);
    }
  }

  /** So that classes, readers and pools that stay are there before descriptors are counted. */
  private static void warmUp(TckEnvironment environment) throws InterruptedException {
    SandboxSpec.Builder spec = SandboxSpec.builder().timings(environment.timings());
    environment.options().forEach(spec::option);
    try (SandboxSession session =
        environment
            .sessions()
            .open(environment.provider(), spec.build(), EngineOptions.defaults())
            .session()) {
      Object unused = session.exec(Command.shell("true"));
      unused =
          session
              .ptys()
              .start(
                  PtyRequest.shell("echo warm")
                      .withoutTerminal()
                      .collectFor(Duration.ofSeconds(1)));
      session.files().write("warm", new byte[1]);
      unused = session.files().list(".");
    }
  }
}
