package io.sandboxspi.remote.cloudflare;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sandboxspi.fake.Exchange;
import io.sandboxspi.fake.cloudflare.CloudflareFake;
import io.sandboxspi.fake.cloudflare.Container;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

/**
 * The bridge has no client of its own to prove the fake: so each test is one fact that was seen of
 * the vendor's server, spoken without this provider. One sandbox serves most of them.
 */
class BridgeFactsTest {
  private static final CloudflareFake FAKE = new CloudflareFake();
  private static final PlainClient CLIENT = new PlainClient(FAKE.uri());
  private static final AtomicInteger NEXT = new AtomicInteger();
  private static final String ID = "aaaabbbbccccdddd";
  private static final String BOX = "/v1/sandbox/" + ID;

  @AfterAll
  static void stop() {
    FAKE.close();
  }

  private static PlainClient.Seen exec(ObjectNode body, String... headers) throws Exception {
    return PlainClient.seen(CLIENT.send("POST", BOX + "/exec", body.toString(), headers).body());
  }

  private static ObjectNode argv(String... argv) {
    ObjectNode body = Exchange.JSON.createObjectNode();
    ArrayNode items = body.putArray("argv");
    for (String item : argv) {
      items.add(item);
    }
    return body;
  }

  private static ObjectNode sh(String text) {
    return argv("sh", "-c", text);
  }

  private static Container container() throws Exception {
    assertThat(CLIENT.said("GET", BOX + "/running", "")).isEqualTo("200 {\"running\":true}");
    return FAKE.running(ID).orElseThrow();
  }

  private static String session(String more) throws Exception {
    String name = "t" + NEXT.incrementAndGet();
    assertThat(CLIENT.said("POST", BOX + "/session", "{\"id\":\"" + name + "\"" + more + "}"))
        .isEqualTo("200 {\"id\":\"" + name + "\"}");
    return name;
  }

  private static PlainClient.Socket pty(String session, String more) throws Exception {
    return CLIENT.pty(BOX + "/pty?cols=80&rows=24&session=" + session + more);
  }

  private static boolean until(Callable<Boolean> condition) throws Exception {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(PlainClient.PATIENCE);
    while (!condition.call()) {
      if (System.nanoTime() > end) {
        return false;
      }
      boolean unused = new CountDownLatch(1).await(10, TimeUnit.MILLISECONDS);
    }
    return true;
  }

  private static String pid(PlainClient.Socket socket) throws Exception {
    assertThat(until(() -> socket.output().matches("(?s).*pid=[0-9]+\\..*"))).isTrue();
    return socket.output().replaceAll("(?s).*pid=([0-9]+)\\..*", "$1");
  }

  private static boolean endsIn(CompletableFuture<?> future, int millis) throws Exception {
    try {
      Object unused = future.get(millis, TimeUnit.MILLISECONDS);
      return true;
    } catch (java.util.concurrent.TimeoutException e) {
      return false;
    }
  }

  // Keys and ids

  @Test
  void healthNeedsNoKey() throws Exception {
    assertThat(CLIENT.said("GET", "/health", "", "Authorization", "none"))
        .isEqualTo("200 {\"ok\":true}");
  }

  @Test
  void aWrongKeyIs401() throws Exception {
    assertThat(CLIENT.said("POST", "/v1/sandbox", "", "Authorization", "Bearer wrong"))
        .isEqualTo("401 {\"error\":\"Unauthorized\",\"code\":\"unauthorized\"}");
  }

  @Test
  void theSchemesCaseCountsForThePoolOnly() throws Exception {
    String lower = "bearer " + CloudflareFake.KEY;
    assertThat(CLIENT.said("POST", "/v1/sandbox", "", "Authorization", lower)).startsWith("200");
    assertThat(CLIENT.said("GET", "/v1/pool/stats", "", "Authorization", lower)).startsWith("401");
  }

  @Test
  void theListOfRoutesTakesAToken() throws Exception {
    String path = "/v1/openapi.json?token=" + CloudflareFake.KEY;
    assertThat(CLIENT.said("GET", path, "", "Authorization", "none"))
        .startsWith("200")
        .contains("1.0.0", "/v1/sandbox/{id}/pty");
  }

  @Test
  void anIdIsMadeUpAndNothingStarts() throws Exception {
    int before = FAKE.containers();
    assertThat(CLIENT.said("POST", "/v1/sandbox", "")).matches("200 \\{\"id\":\"[a-z2-7]{26}\"}");
    assertThat(FAKE.containers()).isEqualTo(before);
  }

  @Test
  void anyCallStartsAContainerForAnyId() throws Exception {
    assertThat(FAKE.running("neverseen")).isEmpty();
    assertThat(CLIENT.said("GET", "/v1/sandbox/neverseen/running", ""))
        .isEqualTo("200 {\"running\":true}");
    assertThat(FAKE.running("neverseen")).isPresent();
  }

  @Test
  void aDeletionIsAlways204AndTheIdGetsAnotherContainer() throws Exception {
    String box = "/v1/sandbox/deleted";
    assertThat(CLIENT.said("PUT", box + "/file" + workspace("deleted") + "/f.bin", "x"))
        .startsWith("200");
    for (int i = 0; i < 2; i++) {
      assertThat(CLIENT.said("DELETE", box, "")).isEqualTo("204 ");
    }
    assertThat(CLIENT.said("GET", box + "/file" + workspace("deleted") + "/f.bin", ""))
        .isEqualTo("200 ");
  }

  private static String workspace(String id) throws Exception {
    Object unused = CLIENT.said("GET", "/v1/sandbox/" + id + "/running", "");
    return FAKE.running(id).orElseThrow().workspace().toString();
  }

  @Test
  void anIdOfAnotherFormIs400() throws Exception {
    assertThat(CLIENT.said("GET", "/v1/sandbox/UPPER/running", ""))
        .isEqualTo("400 {\"error\":\"Invalid sandbox ID format\",\"code\":\"invalid_request\"}");
  }

  @Test
  void tooManyInstancesAre503() throws Exception {
    try (CloudflareFake small = new CloudflareFake()) {
      small.limit(1);
      PlainClient client = new PlainClient(small.uri());
      assertThat(client.said("GET", "/v1/sandbox/one/running", "")).startsWith("200");
      assertThat(client.said("GET", "/v1/sandbox/two/running", ""))
          .isEqualTo(
              "503 {\"error\":\"instance limit reached (1/1)\",\"code\":\"capacity_exceeded\"}");
      assertThat(client.said("GET", "/v1/pool/stats", ""))
          .startsWith("200 {\"warm\":0,\"assigned\":1,\"total\":1");
    }
  }

  @Test
  void aContainerThatNobodyUsesIsStoppedAndItsDiskIsLost() throws Exception {
    try (CloudflareFake sleepy = new CloudflareFake()) {
      sleepy.sleepAfter(Duration.ofMillis(150));
      PlainClient client = new PlainClient(sleepy.uri());
      Object unused = client.said("GET", "/v1/sandbox/one/running", "");
      Container first = sleepy.running("one").orElseThrow();
      assertThat(until(() -> sleepy.containers() == 0)).isTrue();
      assertThat(until(() -> !Files.exists(first.workspace()))).isTrue();
      assertThat(client.said("GET", "/v1/sandbox/one/running", ""))
          .isEqualTo("200 {\"running\":true}");
      assertThat(sleepy.running("one").orElseThrow()).isNotSameAs(first);
    }
  }

  @Test
  void anUnknownPathIsPlainText() throws Exception {
    assertThat(CLIENT.said("GET", "/other", "")).isEqualTo("404 Not Found");
  }

  // Sessions

  @Test
  void aSessionHasANameOfItsOwnAndOneOnly() throws Exception {
    String name = session("");
    assertThat(CLIENT.said("POST", BOX + "/session", "{\"id\":\"" + name + "\"}"))
        .startsWith("502")
        .contains("session_error", "session create failed: Session '" + name + "' already exists");
    assertThat(CLIENT.said("POST", BOX + "/session", "{}")).matches("200 .*\"session-[0-9]+\".*");
  }

  @Test
  void aSessionIsDeletedWithABodyAndAnUnknownOneIs502() throws Exception {
    String name = session("");
    String path = BOX + "/session/" + name;
    assertThat(CLIENT.said("DELETE", path, ""))
        .startsWith("200 {\"success\":true,\"sessionId\":\"" + name + "\",\"timestamp\":");
    assertThat(CLIENT.said("DELETE", path, "")).startsWith("502").contains("not found");
  }

  @Test
  void anUnknownSessionIsMadeAndAnInvalidOneIs400() throws Exception {
    assertThat(exec(argv("echo", "a"), "Session-Id", "on.the-fly").stdout()).isEqualTo("a\n");
    assertThat(CLIENT.said("DELETE", BOX + "/session/on.the-fly", "")).startsWith("200");
    assertThat(CLIENT.said("POST", BOX + "/exec", argv("true").toString(), "Session-Id", "a..b"))
        .startsWith("400");
  }

  // Commands

  @Test
  void aCommandIsToldInEvents() throws Exception {
    HttpResponse<byte[]> response =
        CLIENT.send("POST", BOX + "/exec", sh("echo a; sleep 0.1; echo b >&2; exit 3").toString());
    assertThat(response.headers().firstValue("Content-Type")).contains("text/event-stream");
    assertThat(new String(response.body(), UTF_8))
        .isEqualTo(
            "event: stdout\ndata: YQo=\n\nevent: stderr\ndata: Ygo=\n\n"
                + "event: exit\ndata: {\"exit_code\":3}\n\n");
  }

  @Test
  void argumentsComeAsTheyAre() throws Exception {
    assertThat(exec(argv("printf", "<%s>", "a'b", "", "c\n\td", "é\"$x\\")).stdout())
        .isEqualTo("<a'b><><c\n\td><é\"$x\\>");
  }

  @Test
  void argumentsMustBeThereAndTheDirectoryInside() throws Exception {
    assertThat(CLIENT.said("POST", BOX + "/exec", "{\"argv\":[]}")).startsWith("400");
    assertThat(CLIENT.said("POST", BOX + "/exec", argv("true").put("cwd", "/etc").toString()))
        .startsWith("403")
        .contains("invalid_request");
  }

  @Test
  void aDirectoryThatIsMissingIsAnEvent() throws Exception {
    PlainClient.Seen seen = exec(argv("true").put("cwd", container().workspace() + "/none"));
    assertThat(seen.events()).containsExactly("error");
    assertThat(seen.end()).contains("exec_error");
  }

  @Test
  void whatIsNoTextIsReplaced() throws Exception {
    assertThat(exec(sh("printf 'a\\377'")).stdout()).isEqualTo("a\ufffd");
  }

  @Test
  void outputHasNoLineBreakThatTheCommandDidNotWrite() throws Exception {
    assertThat(exec(sh("printf x")).stdout()).isEqualTo("x");
  }

  @Test
  void inputIsEmptyAndTheWorkspaceIsTheDirectory() throws Exception {
    assertThat(exec(sh("cat; pwd")).stdout()).isEqualTo(container().workspace() + "\n");
  }

  @Test
  void codesAreThoseOfTheShell() throws Exception {
    assertThat(exec(argv("no-such-program")).end()).isEqualTo("{\"exit_code\":127}");
    assertThat(exec(argv("/etc/passwd")).end()).isEqualTo("{\"exit_code\":126}");
    assertThat(exec(sh("kill -9 $$")).end()).isEqualTo("{\"exit_code\":137}");
  }

  @Test
  void aTimeoutLooksLikeAnEndWithCode124() throws Exception {
    PlainClient.Seen seen = exec(argv("sleep", "30").put("timeout_ms", 200));
    assertThat(seen.stderr()).endsWith("Command timed out after 200ms\n");
    assertThat(seen.end()).isEqualTo("{\"exit_code\":124}");
  }

  @Test
  void inASessionATimeoutIsIgnored() throws Exception {
    PlainClient.Seen seen =
        exec(sh("sleep 0.6; echo late").put("timeout_ms", 100), "Session-Id", session(""));
    assertThat(seen.stdout()).isEqualTo("late\n");
    assertThat(seen.end()).isEqualTo("{\"exit_code\":0}");
  }

  @Test
  void aCommandRunsOnWhenNobodyListens() throws Exception {
    String body = sh("echo a; sleep 0.4; echo > on").toString();
    HttpResponse<InputStream> response =
        CLIENT.http.send(
            CLIENT.request("POST", BOX + "/exec", body.getBytes(UTF_8)).build(),
            HttpResponse.BodyHandlers.ofInputStream());
    response.body().close();
    assertThat(until(() -> Files.exists(container().workspace().resolve("on")))).isTrue();
  }

  @Test
  void theEndOfASessionMakesUpASuccess() throws Exception {
    String name = session("");
    CompletableFuture<HttpResponse<byte[]>> running =
        CLIENT.http.sendAsync(
            CLIENT
                .request(
                    "POST", BOX + "/exec", sh("echo > up; sleep 60").toString().getBytes(UTF_8))
                .header("Session-Id", name)
                .build(),
            HttpResponse.BodyHandlers.ofByteArray());
    assertThat(until(() -> Files.exists(container().workspace().resolve("up")))).isTrue();
    assertThat(CLIENT.said("DELETE", BOX + "/session/" + name, "")).startsWith("200");
    assertThat(PlainClient.seen(running.get(20, TimeUnit.SECONDS).body()).end())
        .isEqualTo("{\"exit_code\":0}");
  }

  @Test
  void aSessionAddsLineBreaksAndForgetsWhereItWas() throws Exception {
    String name = session("");
    assertThat(exec(sh("cd /; printf x"), "Session-Id", name).stdout()).isEqualTo("x\n");
    assertThat(exec(argv("pwd"), "Session-Id", name).stdout())
        .isEqualTo(container().workspace() + "\n");
  }

  @Test
  void anExitAsACommandOfASessionHangs() throws Exception {
    CompletableFuture<HttpResponse<byte[]>> running =
        CLIENT.http.sendAsync(
            CLIENT
                .request("POST", BOX + "/exec", argv("exit", "3").toString().getBytes(UTF_8))
                .header("Session-Id", session(""))
                .build(),
            HttpResponse.BodyHandlers.ofByteArray());
    assertThat(endsIn(running, 400)).isFalse();
    boolean unused = running.cancel(true);
  }

  @Test
  void aSilentCommandIsGivenUpAndRunsOn() throws Exception {
    container().silence(Duration.ofMillis(200));
    try {
      PlainClient.Seen seen = exec(sh("sleep 0.7; echo > quiet"));
      assertThat(seen.end()).contains("exec_transport_error");
      assertThat(until(() -> Files.exists(container().workspace().resolve("quiet")))).isTrue();
    } finally {
      container().silence(Duration.ofMinutes(5));
    }
  }

  // Terminals

  @Test
  void aTerminalNeedsAnUpgradeASizeAndANameThatAreValid() throws Exception {
    assertThat(CLIENT.said("GET", BOX + "/pty", "")).startsWith("400");
    for (String query : new String[] {"cols=0", "rows=x", "session=a..b"}) {
      assertThat(
              org.assertj.core.api.Assertions.catchThrowable(
                  () -> CLIENT.pty(BOX + "/pty?" + query)))
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
    PlainClient.Socket first = CLIENT.pty(BOX + "/pty?cols=70&rows=20&session=" + name).ready();
    first.type("stty size; echo a$((1))\n").until("20 70\r\n");
    PlainClient.Socket second = CLIENT.pty(BOX + "/pty?cols=99&rows=33&session=" + name).ready();
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
    socket.type("sleep 1; echo slept$((2))\n");
    boolean unused = new CountDownLatch(1).await(200, TimeUnit.MILLISECONDS);
    socket.type("\u0003").until("slept2\r\n");
    assertThat(socket.output()).contains("^C");
  }

  @Test
  void aSessionOfItsOwnGetsTheTerminalAndKeepsItsNumber() throws Exception {
    PlainClient.Socket socket = pty(session(""), "").ready();
    socket.type("echo pid=$$.\n");
    String pid = pid(socket);
    socket.type(
        "exec setsid -c sh -c 'trap \"echo int4\" INT; echo same=$$; exec 3</dev/tty && echo tty$((3)); "
            + "sleep 60; echo over'\n");
    socket.until("same=" + pid + "\r\n");
    socket.until("tty3\r\n");
    // One that comes before the program sleeps waits for it.
    assertThat(until(() -> socket.type("\u0003").output().contains("int4\r\n"))).isTrue();
    socket.until("over\r\n");
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
    assertThat(CLIENT.said("DELETE", BOX + "/session/" + name, "")).startsWith("200");
    assertThat(endsIn(socket.closed, 200)).isFalse();
    assertThat(socket.type("x").closed.get(20, TimeUnit.SECONDS)).isEqualTo("1011 Internal error");
  }

  @Test
  void aDeletionWaitsForWhatRunsUntilThatIsKilled() throws Exception {
    String name = session(",\"env\":{\"OAI_PTY\":\"mark-9\"}");
    PlainClient.Socket socket = pty(name, "").ready();
    socket.type("echo up$((9)); sleep 61\n").until("up9\r\n");
    CompletableFuture<HttpResponse<byte[]>> deletion =
        CLIENT.http.sendAsync(
            CLIENT.request("DELETE", BOX + "/session/" + name, new byte[0]).build(),
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
    assertThat(CLIENT.said("DELETE", BOX + "/session/" + name, "")).startsWith("200");
    assertThat(ProcessHandle.of(Long.parseLong(pid)).filter(ProcessHandle::isAlive)).isEmpty();
  }

  @Test
  void aCodeComesByAMarkThatTheEchoDoesNotHold() throws Exception {
    PlainClient.Socket socket = pty(session(""), "").ready();
    socket.type("(exit 7); printf '\\033]777;exit;%d\\007' $?\n");
    assertThat(socket.until("\u001b]777;exit;7\u0007")).isNotEmpty();
  }

  // Files

  private static String file(String name) throws Exception {
    return BOX + "/file" + container().workspace() + "/" + name;
  }

  @Test
  void aFileThatIsNoTextComesBackAsItIs() throws Exception {
    byte[] bytes = {0, (byte) 255, 1, '\r', '\n', (byte) 0xef, (byte) 0xbb, (byte) 0xbf};
    HttpResponse<byte[]> put = CLIENT.send("PUT", file("new/dir/a.bin"), bytes);
    assertThat(new String(put.body(), UTF_8)).isEqualTo("{\"ok\":true}");
    assertThat(CLIENT.send("GET", file("new/dir/a.bin"), "").body()).isEqualTo(bytes);
  }

  @Test
  void aFileThatIsTextComesBackChanged() throws Exception {
    byte[] bytes = {(byte) 0xef, (byte) 0xbb, (byte) 0xbf, 'a', (byte) 255};
    Object unused = CLIENT.send("PUT", file("r.json"), bytes);
    assertThat(new String(CLIENT.send("GET", file("r.json"), "").body(), UTF_8))
        .isEqualTo("a\ufffd");
    assertThat(Files.readAllBytes(container().workspace().resolve("r.json"))).isEqualTo(bytes);
  }

  @Test
  void aMissingFileIsAnEmptyOne() throws Exception {
    assertThat(CLIENT.said("GET", file("none.bin"), "")).isEqualTo("200 ");
    assertThat(CLIENT.said("GET", file(""), "")).isEqualTo("200 ");
  }

  @Test
  void aPathIsResolvedAndMustStayInside() throws Exception {
    Object unused = CLIENT.said("PUT", file("a/.././/b.bin"), "x");
    assertThat(container().workspace().resolve("b.bin")).exists();
    assertThat(CLIENT.said("GET", BOX + "/file/etc/passwd", ""))
        .isEqualTo(
            "403 {\"error\":\"path must resolve to a location within /workspace\","
                + "\"code\":\"invalid_request\"}");
    assertThat(CLIENT.said("GET", BOX + "/file/", "")).startsWith("400");
  }

  @Test
  void onlyAPartOfAnAddressIsDecoded() throws Exception {
    Object unused = CLIENT.said("PUT", file("a%20b%C3%A9%23c%25d:@&=+$,;e.bin"), "x");
    assertThat(container().workspace().resolve("a bé%23c%25d:@&=+$,;e.bin")).exists();
  }

  @Test
  void aFileOfMoreThan32MiBIs413() throws Exception {
    HttpResponse<byte[]> refused = CLIENT.send("PUT", file("large.bin"), new byte[(32 << 20) + 1]);
    assertThat(refused.statusCode()).isEqualTo(413);
    assertThat(new String(refused.body(), UTF_8)).contains("payload_too_large");
  }

  @Test
  void aDirectoryIsNotWrittenTo() throws Exception {
    Object unused = CLIENT.said("PUT", file("dir/x.bin"), "x");
    assertThat(CLIENT.said("PUT", file("dir"), "x"))
        .startsWith("502")
        .contains("workspace_archive_write_error");
  }

  @Test
  void theWorkspaceIsAnArchiveOfDots() throws Exception {
    Object unused = CLIENT.said("PUT", file("kept/a.bin"), "x");
    Object unusedToo = CLIENT.said("PUT", file("left/b.bin"), "x");
    byte[] tar = CLIENT.send("POST", BOX + "/persist?excludes=left", "").body();
    assertThat(tar.length % 512).isZero();
    String text = new String(tar, ISO_8859_1);
    assertThat(text).contains("./kept/a.bin").doesNotContain("./left");
    assertThat(CLIENT.said("POST", BOX + "/persist?excludes=../x", "")).startsWith("400");
  }

  @Test
  void anArchiveIsPutOverWhatIsThereAlsoACompressedOne() throws Exception {
    Object unused = CLIENT.said("PUT", file("over/a.bin"), "x");
    byte[] tar = CLIENT.send("POST", BOX + "/persist", "").body();
    java.io.ByteArrayOutputStream packed = new java.io.ByteArrayOutputStream();
    try (java.util.zip.GZIPOutputStream gzip = new java.util.zip.GZIPOutputStream(packed)) {
      long unusedLength = new ByteArrayInputStream(tar).transferTo(gzip);
    }
    Object unusedToo =
        CLIENT.said("PUT", "/v1/sandbox/other/file" + workspace("other") + "/b.bin", "x");
    HttpResponse<byte[]> done =
        CLIENT.send("POST", "/v1/sandbox/other/hydrate", packed.toByteArray());
    assertThat(new String(done.body(), UTF_8)).isEqualTo("{\"ok\":true}");
    Container other = FAKE.running("other").orElseThrow();
    assertThat(other.workspace().resolve("over/a.bin")).exists();
    assertThat(other.workspace().resolve("b.bin")).exists();
    assertThat(CLIENT.said("POST", BOX + "/hydrate", "")).startsWith("400");
    assertThat(CLIENT.said("POST", BOX + "/hydrate", "no archive"))
        .startsWith("502")
        .contains("workspace_archive_write_error");
  }

  // Ports and mounts

  @Test
  void aPortsAddressIsMadeOnceAndForgotten() throws Exception {
    String first = CLIENT.said("POST", BOX + "/tunnel/8080", "");
    assertThat(first).startsWith("200").contains("\"port\":8080", "https://", "trycloudflare.com");
    assertThat(CLIENT.said("POST", BOX + "/tunnel/8080", "")).isEqualTo(first);
    for (int i = 0; i < 2; i++) {
      assertThat(CLIENT.said("DELETE", BOX + "/tunnel/8080", "")).isEqualTo("204 ");
    }
    for (String port : new String[] {"80", "3000", "70000"}) {
      assertThat(CLIENT.said("POST", BOX + "/tunnel/" + port, "")).startsWith("400");
    }
  }

  @Test
  void aMountNeedsASourceAndAPlace() throws Exception {
    assertThat(CLIENT.said("POST", BOX + "/mount", "{\"bucket\":\"b\"}")).startsWith("400");
    assertThat(CLIENT.said("POST", BOX + "/unmount", "{}")).startsWith("400");
  }
}
