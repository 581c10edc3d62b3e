package io.sandboxspi.remote.cloudflare;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sandboxspi.fake.Exchange;
import io.sandboxspi.fake.cloudflare.CloudflareFake;
import io.sandboxspi.fake.cloudflare.Container;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.TestInstance;

/** A fake, a plain client, and a sandbox that serves most facts. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class BridgeFacts {
  final CloudflareFake fake = new CloudflareFake();
  final PlainClient client = new PlainClient(fake.uri());
  final AtomicInteger next = new AtomicInteger();
  static final String ID = "aaaabbbbccccdddd";
  static final String BOX = "/v1/sandbox/" + ID;

  @AfterAll
  void stop() {
    fake.close();
  }

  PlainClient.Seen exec(ObjectNode body, String... headers) throws Exception {
    return PlainClient.seen(client.send("POST", BOX + "/exec", body.toString(), headers).body());
  }

  ObjectNode argv(String... argv) {
    ObjectNode body = Exchange.JSON.createObjectNode();
    ArrayNode items = body.putArray("argv");
    for (String item : argv) {
      items.add(item);
    }
    return body;
  }

  ObjectNode sh(String text) {
    return argv("sh", "-c", text);
  }

  Container container() throws Exception {
    assertThat(client.said("GET", BOX + "/running", "")).isEqualTo("200 {\"running\":true}");
    return fake.running(ID).orElseThrow();
  }

  String session(String more) throws Exception {
    String name = "t" + next.incrementAndGet();
    assertThat(client.said("POST", BOX + "/session", "{\"id\":\"" + name + "\"" + more + "}"))
        .isEqualTo("200 {\"id\":\"" + name + "\"}");
    return name;
  }

  PlainClient.Socket pty(String session, String more) throws Exception {
    return client.pty(BOX + "/pty?cols=80&rows=24&session=" + session + more);
  }

  boolean until(Callable<Boolean> condition) throws Exception {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(PlainClient.PATIENCE);
    while (!condition.call()) {
      if (System.nanoTime() > end) {
        return false;
      }
      boolean unused = new CountDownLatch(1).await(10, TimeUnit.MILLISECONDS);
    }
    return true;
  }

  String pid(PlainClient.Socket socket) throws Exception {
    assertThat(until(() -> socket.output().matches("(?s).*pid=[0-9]+\\..*"))).isTrue();
    return socket.output().replaceAll("(?s).*pid=([0-9]+)\\..*", "$1");
  }

  boolean endsIn(CompletableFuture<?> future, int millis) throws Exception {
    try {
      Object unused = future.get(millis, TimeUnit.MILLISECONDS);
      return true;
    } catch (java.util.concurrent.TimeoutException e) {
      return false;
    }
  }

  String workspace(String id) throws Exception {
    Object unused = client.said("GET", "/v1/sandbox/" + id + "/running", "");
    return fake.running(id).orElseThrow().workspace().toString();
  }

  String file(String name) throws Exception {
    return BOX + "/file" + container().workspace() + "/" + name;
  }
}
