package io.sandboxspi.remote.cloudflare;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Facts of terminals: see {@link BridgeFactsTest}. */
class BridgeTerminalFactsTest extends BridgeFacts {
  @Test
  void aTerminalNeedsAnUpgradeASizeAndANameThatAreValid() throws Exception {
    assertThat(client.said("GET", BOX + "/pty", "")).startsWith("400");
    for (String query : new String[] {"cols=0", "rows=x", "session=a..b"}) {
      assertThat(
              org.assertj.core.api.Assertions.catchThrowable(
                  () -> client.pty(BOX + "/pty?" + query)))
          .cause()
          .isInstanceOfSatisfying(
              java.net.http.WebSocketHandshakeException.class,
              refused -> assertThat(refused.getResponse().statusCode()).isEqualTo(400));
    }
  }

  @Test
  void aTerminalIsReadyThenClearsItsScreenAndPrompts() throws Exception {
    PlainClient.Socket socket = pty(session(""), "").ready();
    assertThat(socket.until("\033[H\033[2J\033[3J".replace("\033", "\u001b"))).isNotEmpty();
    socket.type("echo $((40+2))\n").until("42\r\n");
    assertThat(socket.order.get(0)).isEqualTo("{\"type\":\"ready\"}");
  }

  @Test
  void aShellThatIsMissingIsAnErrorAndTheEnd() throws Exception {
    PlainClient.Socket socket = pty(session(""), "&shell=/nope");
    assertThat(socket.text()).contains("Failed to create PTY: ENOENT", "posix_spawn '/nope'");
    assertThat(socket.closed.get(20, TimeUnit.SECONDS)).startsWith("1011 Failed to create PTY");
  }

  @Test
  void aSessionHasOneTerminalAndAllSeeIt() throws Exception {
    String name = session("");
    PlainClient.Socket first = pty(name, "").ready();
    first.type("x=$((40+1)); echo one$x\n").until("one41\r\n");
    PlainClient.Socket second = pty(name, "");
    second.until("one41\r\n");
    second.ready();
    assertThat(second.order.get(0)).as("what is kept comes before the word").isEqualTo("b");
    second.type("echo two$x\n");
    first.until("two41\r\n");
  }

  @Test
  void theSizeCountsAtTheBeginningAndChangesByAMessage() throws Exception {
    String name = session("");
    PlainClient.Socket first = client.pty(BOX + "/pty?cols=70&rows=20&session=" + name).ready();
    first.type("stty size; echo a$((1))\n").until("20 70\r\n");
    PlainClient.Socket second = client.pty(BOX + "/pty?cols=99&rows=33&session=" + name).ready();
    second.type("stty size; echo b$((1))\n").until("b1\r\n");
    assertThat(second.output()).doesNotContain("33 99");
    second.say("{\"type\":\"resize\",\"cols\":120,\"rows\":30}");
    second.type("stty size\n").until("30 120\r\n");
  }

  @Test
  void messagesThatMakeNoSenseAreToldOrIgnored() throws Exception {
    PlainClient.Socket socket = pty(session(""), "").ready();
    socket.say("{\"type\":\"resize\",\"cols\":0,\"rows\":30}");
    assertThat(socket.text())
        .isEqualTo(
            "{\"type\":\"error\",\"message\":"
                + "\"Invalid dimensions: cols and rows must be positive\"}");
    socket.say("{\"type\":\"signal\"}").say("not json");
    assertThat(socket.text()).contains("\"error\"");
  }

  @Test
  void noTerminalControlsAProgramSoThatAnInterruptIsEchoedOnly() throws Exception {
    PlainClient.Socket socket = pty(session(""), "").ready();
    socket.until("no job control in this shell");
    socket.type("(: </dev/tty) 2>/dev/null || echo no$((1))tty\n").until("no1tty\r\n");
    socket.type("echo up$((2)); until [ -e go ]; do sleep 0.02; done; echo slept$((2))\n");
    socket.until("up2\r\n");
    socket.type("\u0003").until("^C");
    Files.createFile(container().workspace().resolve("go"));
    socket.until("slept2\r\n");
  }

  @Test
  void aSessionOfItsOwnGetsTheTerminalAndKeepsItsNumber() throws Exception {
    PlainClient.Socket socket = pty(session(""), "").ready();
    socket.type("echo pid=$$.\n");
    String pid = pid(socket);
    socket.type(
        "exec setsid -c sh -c 'stty noflsh; trap \"echo int4\" INT; echo same=$$; exec 3</dev/tty"
            + " && echo tty$((3)); until [ -e over ]; do sleep 0.05; done; echo over4'\n");
    socket.until("same=" + pid + "\r\n");
    socket.until("tty3\r\n");
    socket.type("\u0003").until("int4\r\n");
    Files.createFile(container().workspace().resolve("over"));
    socket.until("over4\r\n");
  }

  @Test
  void nobodyHearsOfAnEnd() throws Exception {
    String name = session("");
    PlainClient.Socket socket = pty(name, "").ready();
    socket.say("{\"type\":\"resize\",\"cols\":81,\"rows\":24}");
    socket.type("echo last$((5)); exit 7\n").until("last5\r\n");
    // Asked again and again: alive it says nothing.
    assertThat(
            until(
                () -> {
                  socket.say("{\"type\":\"resize\",\"cols\":80,\"rows\":24}");
                  return "{\"type\":\"error\",\"message\":\"Invalid control message\"}"
                      .equals(socket.texts.poll(20, TimeUnit.MILLISECONDS));
                }))
        .isTrue();
    assertThat(socket.closed.isDone()).isFalse();
    PlainClient.Socket again = pty(name, "");
    again.until("last5\r\n");
    again.ready();
    assertThat(again.type("x").closed.get(20, TimeUnit.SECONDS)).isEqualTo("1011 Internal error");
  }

  @Test
  void aTerminalGoesOnWithoutConnections() throws Exception {
    String name = session("");
    PlainClient.Socket socket = pty(name, "").ready();
    socket.type("(sleep 0.3; echo away$((6))) & echo x\n").until("x\r\n");
    socket.abort();
    assertThat(
            until(
                () -> {
                  PlainClient.Socket again = pty(name, "").ready();
                  boolean seen = again.output().contains("away6\r\n");
                  again.abort();
                  return seen;
                }))
        .isTrue();
  }

  @Test
  void somuchIsKept() throws Exception {
    String name = session("");
    PlainClient.Socket socket = pty(name, "").ready();
    socket.type("head -c 300000 /dev/zero | tr '\\0' z; echo end$((7))\n").until("end7\r\n");
    PlainClient.Socket again = pty(name, "");
    again.until("end7\r\n");
    again.ready();
    assertThat(again.output().indexOf("end7\r\n")).isBetween(200_000, 256 * 1024);
  }

  @Test
  void aSessionsDirectoryAndVariablesAreItsTerminals() throws Exception {
    Files.createDirectories(container().workspace().resolve("sub"));
    String more = ",\"cwd\":\"" + container().workspace() + "/sub\",\"env\":{\"COLOUR\":\"blue\"}";
    PlainClient.Socket socket = pty(session(more), "").ready();
    socket.type("echo $COLOUR-$PWD\n").until("blue-" + container().workspace() + "/sub\r\n");
  }

  @Test
  void anIdleTerminalIsDeletedAtOnceAndItsConnectionsHearNothing() throws Exception {
    String name = session("");
    PlainClient.Socket socket = pty(name, "").ready();
    socket.type("echo a$((8))\n").until("a8\r\n");
    assertThat(client.said("DELETE", BOX + "/session/" + name, "")).startsWith("200");
    assertThat(endsIn(socket.closed, 200)).isFalse();
    assertThat(socket.type("x").closed.get(20, TimeUnit.SECONDS)).isEqualTo("1011 Internal error");
  }

  @Test
  void aDeletionWaitsForWhatRunsUntilThatIsKilled() throws Exception {
    String name = session(",\"env\":{\"OAI_PTY\":\"mark-9\"}");
    PlainClient.Socket socket = pty(name, "").ready();
    socket.type("echo up$((9)); sleep 61\n").until("up9\r\n");
    CompletableFuture<HttpResponse<byte[]>> deletion =
        client.http.sendAsync(
            client.request("DELETE", BOX + "/session/" + name, new byte[0]).build(),
            HttpResponse.BodyHandlers.ofByteArray());
    assertThat(endsIn(deletion, 500)).isFalse();
    // Others are not held up.
    assertThat(
            exec(sh(
                    "grep -lzxF OAI_PTY=mark-9 /proc/[0-9]*/environ 2>/dev/null"
                        + " | cut -d/ -f3 | xargs -r kill -KILL"))
                .events())
        .contains("exit");
    assertThat(deletion.get(20, TimeUnit.SECONDS).statusCode()).isEqualTo(200);
  }

  @Test
  void aProgramWithTheTerminalIsEndedByADeletion() throws Exception {
    String name = session("");
    PlainClient.Socket socket = pty(name, "").ready();
    socket.type("exec setsid -c sh -c 'echo pid=$$.; sleep 51; :'\n");
    String pid = pid(socket);
    assertThat(client.said("DELETE", BOX + "/session/" + name, "")).startsWith("200");
    assertThat(ProcessHandle.of(Long.parseLong(pid)).filter(ProcessHandle::isAlive)).isEmpty();
  }

  @Test
  void aCodeComesByAMarkThatTheEchoDoesNotHold() throws Exception {
    PlainClient.Socket socket = pty(session(""), "").ready();
    socket.type("(exit 7); printf '\\033]777;exit;%d\\007' $?\n");
    assertThat(socket.until("\u001b]777;exit;7\u0007")).isNotEmpty();
  }
}
