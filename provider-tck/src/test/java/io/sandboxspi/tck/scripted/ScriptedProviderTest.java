package io.sandboxspi.tck.scripted;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.sandboxspi.Command;
import io.sandboxspi.ExecResult;
import io.sandboxspi.ExitStatus;
import io.sandboxspi.PtyEndReason;
import io.sandboxspi.PtyRequest;
import io.sandboxspi.PtyUpdate;
import io.sandboxspi.SandboxSession;
import io.sandboxspi.SandboxSpec;
import io.sandboxspi.Signal;
import io.sandboxspi.TerminalSize;
import io.sandboxspi.core.session.EngineOptions;
import io.sandboxspi.core.session.EngineSession;
import org.junit.jupiter.api.Test;

/** The scripted provider under the engine. */
class ScriptedProviderTest {
  private static SandboxSession open(ScriptedProvider provider) throws InterruptedException {
    return EngineSession.open(provider, SandboxSpec.defaults(), EngineOptions.defaults());
  }

  @Test
  void aCommandPrintsAndExits() throws InterruptedException {
    ScriptedProvider provider =
        new ScriptedProvider()
            .onLaunch(
                process -> {
                  process.emit("hello " + process.request().argv().get(1));
                  process.exit(3);
                });
    try (SandboxSession session = open(provider)) {
      ExecResult result = session.exec(Command.of("greet", "you"));
      assertThat(result.stdout().text()).isEqualTo("hello you");
      assertThat(result.status()).isEqualTo(new ExitStatus.Exited(3));
      session.files().write("a/b", "c".getBytes(UTF_8));
      assertThat(session.files().list("a")).extracting("path").containsExactly("a/b");
    }
    assertThat(provider.backends().get(0).releases()).isEqualTo(1);
  }

  @Test
  void aTerminalAnswersWhatIsTyped() throws InterruptedException {
    ScriptedProvider provider =
        new ScriptedProvider()
            .onLaunch(
                process -> {
                  process.emit("ready");
                  process.onInput(
                      text -> {
                        process.emit("got " + text);
                        if (text.equals("bye")) {
                          process.exit(0);
                        }
                      });
                });
    try (SandboxSession session = open(provider)) {
      PtyUpdate start =
          session.ptys().start(PtyRequest.of("x").collectFor(java.time.Duration.ZERO));
      assertThat(start.output()).isEqualTo("ready");
      session.ptys().resize(start.id(), new TerminalSize(10, 20));
      session.ptys().signal(start.id(), Signal.USR1);
      PtyUpdate end = session.ptys().write(start.id(), "bye");
      assertThat(end.output()).isEqualTo("got bye");
      assertThat(end.endReason()).contains(PtyEndReason.EXITED);
      ScriptedProcess process = provider.backends().get(0).last();
      assertThat(process.size()).contains(new TerminalSize(10, 20));
      assertThat(process.signals()).containsExactly(Signal.USR1);
      assertThat(process.input()).isEqualTo("bye");
    }
  }

  @Test
  void aKillEndsAndALossIsALoss() throws InterruptedException {
    ScriptedProvider provider = new ScriptedProvider();
    try (SandboxSession session = open(provider)) {
      PtyRequest request = PtyRequest.of("x").collectFor(java.time.Duration.ZERO);
      PtyUpdate first = session.ptys().start(request);
      assertThat(session.ptys().terminate(first.id()).endReason()).contains(PtyEndReason.KILLED);
      assertThat(provider.backends().get(0).last().kills()).isEqualTo(1);
      PtyUpdate second = session.ptys().start(request);
      provider.backends().get(0).last().lose("gone");
      assertThat(session.ptys().poll(second.id()).endReason()).contains(PtyEndReason.LOST);
    }
  }
}
