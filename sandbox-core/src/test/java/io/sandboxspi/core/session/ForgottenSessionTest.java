package io.sandboxspi.core.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.sandboxspi.Command;
import io.sandboxspi.SandboxSpec;
import io.sandboxspi.core.pty.Within;
import java.io.File;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Sessions that nobody closes, and those that only look forgotten. */
class ForgottenSessionTest {
  private final FakeProvider provider = new FakeProvider();

  private EngineSession open() throws InterruptedException {
    return EngineSession.open(provider, SandboxSpec.defaults(), EngineOptions.defaults());
  }

  @Test
  @Tag("S-LIFE-07")
  void aSessionIsNotForgottenWhileItsOutputIsRead() throws Exception {
    InputStream output = openAndStream();
    collectGarbage();
    provider.next().print("x");
    assertThat(output.read()).isEqualTo('x');
    assertThat(provider.calls).doesNotContain("kill", "delete");
    output.close();
  }

  private InputStream openAndStream() throws InterruptedException {
    return open().start(Command.of("x").streaming()).stdout();
  }

  @Test
  @Tag("S-LIFE-07")
  void aSessionIsNotForgottenWhileItsFileIsRead() throws Exception {
    InputStream file = openFile();
    collectGarbage();
    assertThat(new String(file.readAllBytes(), StandardCharsets.UTF_8)).isEqualTo("name");
    assertThat(provider.calls).doesNotContain("delete");
    file.close();
  }

  private InputStream openFile() throws InterruptedException {
    return open().files().open("name");
  }

  /** Until something that is really forgotten has been noticed. */
  private static void collectGarbage() throws InterruptedException {
    FakeProvider other = new FakeProvider();
    EngineSession.open(other, SandboxSpec.defaults(), EngineOptions.defaults());
    Within.until(
        () -> {
          System.gc();
          return other.calls.contains("delete");
        });
  }

  @Test
  @Tag("S-LIFE-08")
  void whatIsOpenedWhileTheJvmEndsIsClosedOrRefused() throws Exception {
    String path =
        System.getProperty("java.class.path")
            + File.pathSeparator
            + Objects.requireNonNullElse(System.getProperty("jdk.module.path"), "");
    Process jvm =
        new ProcessBuilder(
                List.of(
                    System.getProperty("java.home") + "/bin/java",
                    "-cp",
                    path + File.pathSeparator + "target/test-classes",
                    JvmEnd.class.getName()))
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    jvm.getOutputStream().close();
    String printed = new String(jvm.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(jvm.waitFor(60, TimeUnit.SECONDS)).isTrue();
    assertThat(printed).contains("refused SESSION_CLOSED").contains("deleted");
  }
}
