package io.sandboxspi.core.posix;

import static org.assertj.core.api.Assertions.assertThat;

import io.sandboxspi.core.pty.Within;
import io.sandboxspi.spi.LaunchId;
import io.sandboxspi.spi.LaunchRequest;
import io.sandboxspi.spi.TerminationOutcome;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Runs commands over one kept shell of each kind. */
class ControlShellTest {
  /** A shell on pipes. */
  private static final class Kept {
    final ControlShell protocol = new ControlShell();
    final Process process;
    private ByteBuffer rest = ByteBuffer.allocate(0);

    Kept(Bed bed) throws Exception {
      process = bed.start(List.of(bed.state.shell()));
      write(ControlShell.bootstrap());
    }

    LaunchId send(String command) throws IOException {
      ControlShell.Request request = protocol.request(command);
      write(request.bytes());
      return request.id();
    }

    void write(byte[] bytes) throws IOException {
      process.getOutputStream().write(bytes);
      process.getOutputStream().flush();
    }

    ControlShell.Answer answer() throws Exception {
      return Within.get(Within.start(this::read).result());
    }

    private ControlShell.Answer read() throws IOException {
      InputStream in = process.getInputStream();
      byte[] buffer = new byte[7000];
      while (true) {
        Optional<ControlShell.Answer> answer = protocol.feed(rest);
        if (answer.isPresent()) {
          return answer.get();
        }
        int count = in.read(buffer);
        if (count < 0) {
          throw new IOException("the shell has ended");
        }
        rest = ByteBuffer.wrap(buffer.clone(), 0, count);
      }
    }

    ControlShell.Answer call(String command) throws Exception {
      LaunchId id = send(command);
      ControlShell.Answer answer = answer();
      assertThat(answer.request()).isEqualTo(id);
      return answer;
    }
  }

  @ParameterizedTest
  @EnumSource
  @Tag("S-POSIX-09")
  void answersAreWholeWhateverTheyHold(World world) throws Exception {
    try (Bed bed = new Bed(world)) {
      Kept shell = new Kept(bed);
      assertThat(shell.call("echo one; false").text()).isEqualTo("one\n");
      assertThat(shell.call("(exit 7)").code()).isEqualTo(7);
      assertThat(shell.call("true").output()).isEmpty();
      StringBuilder octal = new StringBuilder();
      for (int i = 0; i < 256; i++) {
        octal.append(String.format("\\%03o", i));
      }
      byte[] all = shell.call("printf '" + octal + "'").output();
      assertThat(all).hasSize(256);
      for (int i = 0; i < 256; i++) {
        assertThat(all[i]).isEqualTo((byte) i);
      }
      // A child that reads its input must not get the next request.
      assertThat(shell.call("cat; echo \"it's\"").text()).isEqualTo("it's\n");
      assertThat(shell.call("head -c 300000 /dev/zero").output()).hasSize(300_000);
      assertThat(shell.call("echo x >&2; no-such-program").code()).isEqualTo(127);
    }
  }

  @ParameterizedTest
  @EnumSource
  @Tag("S-POSIX-09")
  void itFindsItsWayAfterGarbageAndAbandonedRequests(World world) throws Exception {
    try (Bed bed = new Bed(world)) {
      Kept shell = new Kept(bed);
      shell.write("printf 'greeting \\036\\036 no mark'\n".getBytes(StandardCharsets.UTF_8));
      LaunchId lost = shell.send("echo late; sleep 0.2; echo later");
      LaunchId kept = shell.send("echo kept");
      LaunchId last = shell.send("printf '\\036%s >0\\036' " + LaunchId.random());
      shell.protocol.abandon(lost);
      ControlShell.Answer answer = shell.answer();
      assertThat(answer.request()).isEqualTo(kept);
      assertThat(answer.text()).isEqualTo("kept\n");
      answer = shell.answer();
      assertThat(answer.request()).isEqualTo(last);
      assertThat(answer.text()).endsWith(" >0\u001e").hasSize(41);
    }
  }

  @ParameterizedTest
  @EnumSource
  @Tag("S-POSIX-09")
  void oneShellDoesAllThereIsToDo(World world) throws Exception {
    try (Bed bed = new Bed(world)) {
      Kept shell = new Kept(bed);
      for (int i = 0; i < 3; i++) {
        String sleep = bed.unique();
        LaunchRequest request = bed.script("sleep " + sleep + " & sleep " + sleep);
        LaunchId id = request.id();
        LaunchId spare = bed.request("x").id();
        bed.start(bed.launcher().spare(spare));
        List<LaunchId> both = List.of(spare, id);
        String status = PosixStatus.command(bed.state, both);
        while (PosixStatus.parse(both, shell.call(status).text()).get(spare)
            != LaunchReport.Waiting.INSTANCE) {
          assertThat(shell.process.isAlive()).isTrue();
        }
        String release = bed.launcher().release(spare, request, "/");
        assertThat(PosixLauncher.released(spare, shell.call(release).text())).isTrue();
        assertThat(PosixLauncher.released(spare, shell.call(release).text())).isFalse();
        Within.until(() -> Bed.alive(sleep).size() == 2);
        String kill = PosixKill.command(bed.state, List.of(id), Duration.ofSeconds(20));
        assertThat(PosixKill.parse(List.of(id), shell.call(kill).text()))
            .containsValue(TerminationOutcome.confirmed());
        assertThat(PosixKill.parse(List.of(id), shell.call(kill).text()))
            .containsValue(TerminationOutcome.alreadyGone());
        assertThat(Bed.alive(sleep)).isEmpty();
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  @Tag("S-POSIX-05")
  void sparesThatAreDismissedEndAndAreForgotten(World world) throws Exception {
    try (Bed bed = new Bed(world)) {
      LaunchId spare = bed.request("x").id();
      LaunchId other = bed.request("y").id();
      Process waiting = bed.start(bed.launcher().spare(spare));
      Process taken = bed.start(bed.launcher().spare(other));
      Within.until(() -> bed.status(spare) == LaunchReport.Waiting.INSTANCE);
      Within.until(() -> bed.status(other) == LaunchReport.Waiting.INSTANCE);
      LaunchRequest launch = bed.request("sleep", bed.unique());
      bed.run(bed.state.argv(bed.launcher().release(other, launch, "/")));
      Within.until(() -> bed.status(launch.id()) instanceof LaunchReport.Started);
      bed.run(bed.state.argv(bed.launcher().dismiss(List.of(spare, other))));
      assertThat(waiting.waitFor(20, TimeUnit.SECONDS)).isTrue();
      assertThat(bed.kept(spare)).isEmpty();
      assertThat(taken.isAlive()).isTrue();
      assertThat(bed.kill(launch.id())).containsValue(TerminationOutcome.confirmed());
    }
  }

  @Test
  @Tag("S-POSIX-09")
  void answersMayComeInPieces() {
    ControlShell protocol = new ControlShell();
    LaunchId a = protocol.request("x").id();
    LaunchId b = protocol.request("y").id();
    String stream =
        "noise\u001e"
            + a
            + " <\u001eA\u001e"
            + b
            + " >1\u001e\u001e"
            + a
            + " >0\u001e"
            + "more\u001e"
            + b
            + " <\u001eB\u001e"
            + b
            + " >255\u001e";
    StringBuilder got = new StringBuilder();
    for (byte one : stream.getBytes(StandardCharsets.UTF_8)) {
      protocol
          .feed(ByteBuffer.wrap(new byte[] {one}))
          .ifPresent(answer -> got.append(answer.text()).append(answer.code()).append('|'));
    }
    assertThat(got).hasToString("A\u001e" + b + " >1\u001e0|B255|");
  }

  @Test
  @Tag("S-POSIX-02")
  void marksMayComeInPiecesAndDoNotEatOutput() {
    LaunchId id = LaunchId.random();
    LaunchId mark = LaunchId.random();
    String program = "\u001e" + mark + "\u001e" + mark + " x\n\u001e\u001e" + id + " REFUSED\u001e";
    String stream =
        "motd\u001e"
            + id
            + " STARTED 12\u001e"
            + program
            + "\u001e"
            + mark
            + " EXIT signal 9\u001erest";
    StringBuilder got = new StringBuilder();
    LaunchMarks marks =
        LaunchMarks.of(
            id,
            mark,
            report -> got.append(report).append('|'),
            bytes -> got.append(StandardCharsets.UTF_8.decode(bytes)));
    for (byte one : stream.getBytes(StandardCharsets.UTF_8)) {
      marks.feed(ByteBuffer.wrap(new byte[] {one}));
    }
    marks.finish();
    assertThat(got)
        .hasToString("Started[pid=12]|" + program + "Ended[status=Signalled[signal=9]]|");
  }
}
