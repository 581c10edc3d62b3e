package io.sandboxspi.remote.daytona;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.fail;

import io.sandboxspi.fake.daytona.DaytonaFake;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The fake is proven by the vendor's own client: Maven profile {@code vendor-clients}. On CI a
 * missing Node is a failure.
 */
@Tag("vendor-client")
class VendorClientTest {
  private static final Path SOURCE = Path.of("src/test/js");
  private static final Path WORK = Path.of("target/vendor-client");

  @Test
  void theVendorsClientAcceptsTheFake() throws Exception {
    need("node");
    need("npm");
    Files.createDirectories(WORK);
    for (String name : List.of("package.json", "package-lock.json", "scenario.mjs")) {
      Files.write(WORK.resolve(name), Files.readAllBytes(SOURCE.resolve(name)));
    }
    run(Map.of(), 180, "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund");
    try (DaytonaFake fake = new DaytonaFake()) {
      String said = run(fake.settings(), 90, "node", "scenario.mjs");
      assertThat(said).contains("the scenario has passed");
      assertThat(fake.sandboxes()).isZero();
    }
  }

  private static void need(String program) throws Exception {
    try {
      String unused = run(Map.of(), 30, program, "--version");
    } catch (IOException missing) {
      String reason = "the vendor's client needs " + program + " on the PATH";
      if (System.getenv("SANDBOX_CI") != null) {
        fail(reason);
      }
      Assumptions.abort(reason);
    }
  }

  private static String run(Map<String, String> environment, int seconds, String... command)
      throws Exception {
    Files.createDirectories(WORK);
    Path output = Files.createTempFile(WORK.toAbsolutePath(), "output", ".txt");
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .directory(WORK.toFile())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile());
    builder.environment().putAll(environment);
    Process process = builder.start();
    try {
      boolean ended = process.waitFor(seconds, TimeUnit.SECONDS);
      String said = Files.readString(output);
      assertThat(ended).as("%s within %s s: %s", command[0], seconds, said).isTrue();
      assertThat(process.exitValue()).as("%s: %s", command[0], said).isZero();
      return said;
    } finally {
      process.destroyForcibly();
    }
  }
}
