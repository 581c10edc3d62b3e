package io.sandboxspi.remote.cloudflare;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.sandboxspi.fake.cloudflare.CloudflareFake;
import io.sandboxspi.fake.cloudflare.Container;
import java.io.InputStream;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/**
 * The bridge has no client of its own to prove the fake: so each test is one fact that was seen of
 * the vendor's server, spoken without this provider. One sandbox serves most of them.
 */
class BridgeFactsTest extends BridgeFacts {
  // Keys and ids

  @Test
  void healthNeedsNoKey() throws Exception {
    assertThat(client.said("GET", "/health", "", "Authorization", "none"))
        .isEqualTo("200 {\"ok\":true}");
  }

  @Test
  void aWrongKeyIs401() throws Exception {
    assertThat(client.said("POST", "/v1/sandbox", "", "Authorization", "Bearer wrong"))
        .isEqualTo("401 {\"error\":\"Unauthorized\",\"code\":\"unauthorized\"}");
  }

  @Test
  void theSchemesCaseCountsForThePoolOnly() throws Exception {
    String lower = "bearer " + CloudflareFake.KEY;
    assertThat(client.said("POST", "/v1/sandbox", "", "Authorization", lower)).startsWith("200");
    assertThat(client.said("GET", "/v1/pool/stats", "", "Authorization", lower)).startsWith("401");
  }

  @Test
  void theListOfRoutesTakesAToken() throws Exception {
    String path = "/v1/openapi.json?token=" + CloudflareFake.KEY;
    assertThat(client.said("GET", path, "", "Authorization", "none"))
        .startsWith("200")
        .contains("1.0.0", "/v1/sandbox/{id}/pty");
  }

  @Test
  void anIdIsMadeUpAndNothingStarts() throws Exception {
    int before = fake.containers();
    assertThat(client.said("POST", "/v1/sandbox", "")).matches("200 \\{\"id\":\"[a-z2-7]{26}\"}");
    assertThat(fake.containers()).isEqualTo(before);
  }

  @Test
  void anyCallStartsAContainerForAnyId() throws Exception {
    assertThat(fake.running("neverseen")).isEmpty();
    assertThat(client.said("GET", "/v1/sandbox/neverseen/running", ""))
        .isEqualTo("200 {\"running\":true}");
    assertThat(fake.running("neverseen")).isPresent();
  }

  @Test
  void aDeletionIsAlways204AndTheIdGetsAnotherContainer() throws Exception {
    String box = "/v1/sandbox/deleted";
    assertThat(client.said("PUT", box + "/file" + workspace("deleted") + "/f.bin", "x"))
        .startsWith("200");
    for (int i = 0; i < 2; i++) {
      assertThat(client.said("DELETE", box, "")).isEqualTo("204 ");
    }
    assertThat(client.said("GET", box + "/file" + workspace("deleted") + "/f.bin", ""))
        .isEqualTo("200 ");
  }

  @Test
  void anIdOfAnotherFormIs400() throws Exception {
    assertThat(client.said("GET", "/v1/sandbox/UPPER/running", ""))
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
      PlainClient client = new PlainClient(sleepy.uri());
      Object unused = client.said("GET", "/v1/sandbox/one/running", "");
      Container first = sleepy.running("one").orElseThrow();
      sleepy.sleepAfter(Duration.ofMillis(150));
      assertThat(until(() -> sleepy.containers() == 0)).isTrue();
      sleepy.sleepAfter(Duration.ZERO);
      assertThat(until(() -> !Files.exists(first.workspace()))).isTrue();
      assertThat(client.said("GET", "/v1/sandbox/one/running", ""))
          .isEqualTo("200 {\"running\":true}");
      assertThat(sleepy.running("one").orElseThrow()).isNotSameAs(first);
    }
  }

  @Test
  void anUnknownPathIsPlainText() throws Exception {
    assertThat(client.said("GET", "/other", "")).isEqualTo("404 Not Found");
  }

  // Sessions

  @Test
  void aSessionHasANameOfItsOwnAndOneOnly() throws Exception {
    String name = session("");
    assertThat(client.said("POST", BOX + "/session", "{\"id\":\"" + name + "\"}"))
        .startsWith("502")
        .contains("session_error", "session create failed: Session '" + name + "' already exists");
    assertThat(client.said("POST", BOX + "/session", "{}")).matches("200 .*\"session-[0-9]+\".*");
  }

  @Test
  void aSessionIsDeletedWithABodyAndAnUnknownOneIs502() throws Exception {
    String name = session("");
    String path = BOX + "/session/" + name;
    assertThat(client.said("DELETE", path, ""))
        .startsWith("200 {\"success\":true,\"sessionId\":\"" + name + "\",\"timestamp\":");
    assertThat(client.said("DELETE", path, "")).startsWith("502").contains("not found");
  }

  @Test
  void anUnknownSessionIsMadeAndAnInvalidOneIs400() throws Exception {
    assertThat(exec(argv("echo", "a"), "Session-Id", "on.the-fly").stdout()).isEqualTo("a\n");
    assertThat(client.said("DELETE", BOX + "/session/on.the-fly", "")).startsWith("200");
    assertThat(client.said("POST", BOX + "/exec", argv("true").toString(), "Session-Id", "a..b"))
        .startsWith("400");
  }

  // Commands

  @Test
  void aCommandIsToldInEvents() throws Exception {
    HttpResponse<byte[]> response =
        client.send("POST", BOX + "/exec", sh("echo a; echo b >&2; exit 3").toString());
    assertThat(response.headers().firstValue("Content-Type")).contains("text/event-stream");
    // Of two pipes either may come first.
    String first = "event: stdout\ndata: YQo=\n\n";
    String second = "event: stderr\ndata: Ygo=\n\n";
    String end = "event: exit\ndata: {\"exit_code\":3}\n\n";
    assertThat(new String(response.body(), UTF_8)).isIn(first + second + end, second + first + end);
  }

  @Test
  void argumentsComeAsTheyAre() throws Exception {
    assertThat(exec(argv("printf", "<%s>", "a'b", "", "c\n\td", "é\"$x\\")).stdout())
        .isEqualTo("<a'b><><c\n\td><é\"$x\\>");
  }

  @Test
  void argumentsMustBeThereAndTheDirectoryInside() throws Exception {
    assertThat(client.said("POST", BOX + "/exec", "{\"argv\":[]}")).startsWith("400");
    assertThat(client.said("POST", BOX + "/exec", argv("true").put("cwd", "/etc").toString()))
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
        client.http.send(
            client.request("POST", BOX + "/exec", body.getBytes(UTF_8)).build(),
            HttpResponse.BodyHandlers.ofInputStream());
    response.body().close();
    assertThat(until(() -> Files.exists(container().workspace().resolve("on")))).isTrue();
  }

  @Test
  void theEndOfASessionMakesUpASuccess() throws Exception {
    String name = session("");
    CompletableFuture<HttpResponse<byte[]>> running =
        client.http.sendAsync(
            client
                .request(
                    "POST", BOX + "/exec", sh("echo > up; sleep 60").toString().getBytes(UTF_8))
                .header("Session-Id", name)
                .build(),
            HttpResponse.BodyHandlers.ofByteArray());
    assertThat(until(() -> Files.exists(container().workspace().resolve("up")))).isTrue();
    assertThat(client.said("DELETE", BOX + "/session/" + name, "")).startsWith("200");
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
        client.http.sendAsync(
            client
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
}
