package io.sandboxspi.bench.remote;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Files by curl; how long each took, in nanoseconds. */
final class Curl {
  private Curl() {}

  static long put(URI address, String sandbox, String token, Path file, String path)
      throws IOException, InterruptedException {
    return run(
        address + "/files?path=" + path,
        sandbox,
        token,
        "-X",
        "POST",
        "-H",
        "Content-Type: application/octet-stream",
        "-H",
        "Expect:",
        "-T",
        file.toString(),
        "-o",
        "/dev/null");
  }

  static long get(URI address, String sandbox, String token, String path, Path file)
      throws IOException, InterruptedException {
    return run(address + "/files?path=" + path, sandbox, token, "-o", file.toString());
  }

  private static long run(String url, String sandbox, String token, String... more)
      throws IOException, InterruptedException {
    List<String> argv =
        new ArrayList<>(
            List.of(
                "curl",
                "-sS",
                "-f",
                "-H",
                "E2b-Sandbox-Id: " + sandbox,
                "-H",
                "E2b-Sandbox-Port: 49983",
                "-H",
                "X-Access-Token: " + token));
    argv.addAll(List.of(more));
    argv.add(url);
    long begin = System.nanoTime();
    Process process = new ProcessBuilder(argv).inheritIO().start();
    if (process.waitFor() != 0) {
      throw new IOException("curl failed");
    }
    return System.nanoTime() - begin;
  }
}
