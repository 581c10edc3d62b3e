package io.sandboxspi.remote.cloudflare;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.sandboxspi.fake.cloudflare.Container;
import java.io.ByteArrayInputStream;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import org.junit.jupiter.api.Test;

/** Facts of files, ports and mounts: see {@link BridgeFactsTest}. */
class BridgeFileFactsTest extends BridgeFacts {
  @Test
  void aFileThatIsNoTextComesBackAsItIs() throws Exception {
    byte[] bytes = {0, (byte) 255, 1, '\r', '\n', (byte) 0xef, (byte) 0xbb, (byte) 0xbf};
    HttpResponse<byte[]> put = client.send("PUT", file("new/dir/a.bin"), bytes);
    assertThat(new String(put.body(), UTF_8)).isEqualTo("{\"ok\":true}");
    assertThat(client.send("GET", file("new/dir/a.bin"), "").body()).isEqualTo(bytes);
  }

  @Test
  void aFileThatIsTextComesBackChanged() throws Exception {
    byte[] bytes = {(byte) 0xef, (byte) 0xbb, (byte) 0xbf, 'a', (byte) 255};
    Object unused = client.send("PUT", file("r.json"), bytes);
    assertThat(new String(client.send("GET", file("r.json"), "").body(), UTF_8))
        .isEqualTo("a\ufffd");
    assertThat(Files.readAllBytes(container().workspace().resolve("r.json"))).isEqualTo(bytes);
  }

  @Test
  void aMissingFileIsAnEmptyOne() throws Exception {
    assertThat(client.said("GET", file("none.bin"), "")).isEqualTo("200 ");
    assertThat(client.said("GET", file(""), "")).isEqualTo("200 ");
  }

  @Test
  void aPathIsResolvedAndMustStayInside() throws Exception {
    Object unused = client.said("PUT", file("a/.././/b.bin"), "x");
    assertThat(container().workspace().resolve("b.bin")).exists();
    assertThat(client.said("GET", BOX + "/file/etc/passwd", ""))
        .isEqualTo(
            "403 {\"error\":\"path must resolve to a location within /workspace\","
                + "\"code\":\"invalid_request\"}");
    assertThat(client.said("GET", BOX + "/file/", "")).startsWith("400");
  }

  @Test
  void onlyAPartOfAnAddressIsDecoded() throws Exception {
    Object unused = client.said("PUT", file("a%20b%C3%A9%23c%25d:@&=+$,;e.bin"), "x");
    assertThat(container().workspace().resolve("a bé%23c%25d:@&=+$,;e.bin")).exists();
  }

  @Test
  void aFileOfMoreThan32MiBIs413() throws Exception {
    HttpResponse<byte[]> refused = client.send("PUT", file("large.bin"), new byte[(32 << 20) + 1]);
    assertThat(refused.statusCode()).isEqualTo(413);
    assertThat(new String(refused.body(), UTF_8)).contains("payload_too_large");
  }

  @Test
  void aDirectoryIsNotWrittenTo() throws Exception {
    Object unused = client.said("PUT", file("dir/x.bin"), "x");
    assertThat(client.said("PUT", file("dir"), "x"))
        .startsWith("502")
        .contains("workspace_archive_write_error");
  }

  @Test
  void theWorkspaceIsAnArchiveOfDots() throws Exception {
    Object unused = client.said("PUT", file("kept/a.bin"), "x");
    Object unusedToo = client.said("PUT", file("left/b.bin"), "x");
    byte[] tar = client.send("POST", BOX + "/persist?excludes=left", "").body();
    assertThat(tar.length % 512).isZero();
    String text = new String(tar, ISO_8859_1);
    assertThat(text).contains("./kept/a.bin").doesNotContain("./left");
    assertThat(client.said("POST", BOX + "/persist?excludes=../x", "")).startsWith("400");
  }

  @Test
  void anArchiveIsPutOverWhatIsThereAlsoACompressedOne() throws Exception {
    Object unused = client.said("PUT", file("over/a.bin"), "x");
    byte[] tar = client.send("POST", BOX + "/persist", "").body();
    java.io.ByteArrayOutputStream packed = new java.io.ByteArrayOutputStream();
    try (java.util.zip.GZIPOutputStream gzip = new java.util.zip.GZIPOutputStream(packed)) {
      long unusedLength = new ByteArrayInputStream(tar).transferTo(gzip);
    }
    Object unusedToo =
        client.said("PUT", "/v1/sandbox/other/file" + workspace("other") + "/b.bin", "x");
    HttpResponse<byte[]> done =
        client.send("POST", "/v1/sandbox/other/hydrate", packed.toByteArray());
    assertThat(new String(done.body(), UTF_8)).isEqualTo("{\"ok\":true}");
    Container other = fake.running("other").orElseThrow();
    assertThat(other.workspace().resolve("over/a.bin")).exists();
    assertThat(other.workspace().resolve("b.bin")).exists();
    assertThat(client.said("POST", BOX + "/hydrate", "")).startsWith("400");
    assertThat(client.said("POST", BOX + "/hydrate", "no archive"))
        .startsWith("502")
        .contains("workspace_archive_write_error");
  }

  // Ports and mounts

  @Test
  void aPortsAddressIsMadeOnceAndForgotten() throws Exception {
    String first = client.said("POST", BOX + "/tunnel/8080", "");
    assertThat(first).startsWith("200").contains("\"port\":8080", "https://", "trycloudflare.com");
    assertThat(client.said("POST", BOX + "/tunnel/8080", "")).isEqualTo(first);
    for (int i = 0; i < 2; i++) {
      assertThat(client.said("DELETE", BOX + "/tunnel/8080", "")).isEqualTo("204 ");
    }
    for (String port : new String[] {"80", "3000", "70000"}) {
      assertThat(client.said("POST", BOX + "/tunnel/" + port, "")).startsWith("400");
    }
  }

  @Test
  void aMountNeedsASourceAndAPlace() throws Exception {
    assertThat(client.said("POST", BOX + "/mount", "{\"bucket\":\"b\"}")).startsWith("400");
    assertThat(client.said("POST", BOX + "/unmount", "{}")).startsWith("400");
  }
}
