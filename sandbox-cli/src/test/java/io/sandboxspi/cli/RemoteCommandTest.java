package io.sandboxspi.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.sandboxspi.fake.FakeVendor;
import io.sandboxspi.tck.Rule;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** The command with sandboxes of vendors, on their fakes. */
class RemoteCommandTest {
  @TempDir private Path state;

  static Stream<FakeVendor> vendors() {
    return ServiceLoader.load(FakeVendor.class).stream().map(ServiceLoader.Provider::get);
  }

  private CliProcess start(FakeVendor.Service fake, String... arguments) throws Exception {
    Map<String, String> environment = new HashMap<>(fake.settings());
    environment.put("XDG_STATE_HOME", state.toString());
    return CliProcess.start(environment, arguments);
  }

  private CliProcess.Result run(FakeVendor.Service fake, String... arguments) throws Exception {
    try (CliProcess cli = start(fake, arguments)) {
      cli.input().close();
      return cli.end();
    }
  }

  @ParameterizedTest
  @MethodSource("vendors")
  @Rule({"S-CLI-01", "S-CLI-10"})
  void runsThereAndRemovesWhatAKilledCommandLeft(FakeVendor vendor) throws Exception {
    String provider = vendor.provider();
    try (FakeVendor.Service fake = vendor.start()) {
      assertThat(run(fake, "run", "--provider", provider, "--", "sh", "-c", "echo hi; exit 7"))
          .isEqualTo(new CliProcess.Result(7, "hi\n", ""));
      assertReaps(fake, provider, "no sandboxes\n");
      try (CliProcess killed =
          start(fake, "run", "--provider", provider, "--", "sh", "-c", "echo up; sleep 100")) {
        Object unused = killed.outputUntil("up");
        killed.signal("KILL");
        unused = killed.end();
      }
      assertReaps(fake, provider, "1 removed\n");
      assertReaps(fake, provider, "no sandboxes\n");
    }
  }

  private void assertReaps(FakeVendor.Service fake, String provider, String end) throws Exception {
    CliProcess.Result result = run(fake, "reap", "--provider", provider);
    if (provider.equals("cloudflare")) {
      // Its bridge has no list of sandboxes.
      assertThat(result.code()).isEqualTo(125);
      assertThat(result.err()).contains("cloudflare").hasLineCount(1);
    } else {
      assertThat(result.out()).endsWith(end);
    }
  }

  @ParameterizedTest
  @MethodSource("vendors")
  @Rule("S-CLI-07")
  void keepsOneWithAName(FakeVendor vendor) throws Exception {
    try (FakeVendor.Service fake = vendor.start()) {
      assertThat(
              run(
                      fake,
                      "create",
                      "--provider",
                      vendor.provider(),
                      "--name",
                      "far",
                      "--snapshot",
                      "local")
                  .out())
          .isEqualTo("far\n");
      assertThat(run(fake, "exec", "far", "--", "sh", "-c", "echo it > file").code()).isZero();
      assertThat(run(fake, "exec", "far", "--", "cat", "file").out()).isEqualTo("it\n");
      // Those with names are not to be reaped.
      assertReaps(fake, vendor.provider(), "1 unproven\n");
      assertThat(run(fake, "rm", "far").code()).isZero();
      assertReaps(fake, vendor.provider(), "no sandboxes\n");
    }
  }

  @ParameterizedTest
  @CsvSource({
    "e2b, E2B_API_KEY",
    "daytona, DAYTONA_API_KEY",
    "blaxel, BL_API_KEY",
    "cloudflare, CLOUDFLARE_SANDBOX_WORKER_URL",
    "modal, MODAL_TOKEN_ID"
  })
  @Rule("S-CLI-06")
  void saysWhatAVendorNeeds(String provider, String variable) throws Exception {
    Map<String, String> without = Map.of(variable, "");
    for (List<String> words :
        List.of(List.of("providers"), List.of("run", "--provider", provider, "--", "true"))) {
      try (CliProcess cli = CliProcess.start(without, words.toArray(String[]::new))) {
        CliProcess.Result result = cli.end();
        assertThat(result.out() + result.err()).contains(variable, "set");
      }
    }
  }

  @Test
  @Rule("S-CLI-05")
  void checksAProviderAgainstTheFakeOfItsVendor() throws Exception {
    CliProcess.Result result =
        CliProcess.run("tck", "--provider", "e2b", "--fake", "--rule", "S-EXEC-06");
    assertThat(result.err()).isEmpty();
    assertThat(result.out()).contains("passed: ", "rules passed: S-EXEC-06");
    assertThat(result.code()).isZero();

    CliProcess.Result none = CliProcess.run("tck", "--provider", "local", "--fake");
    assertThat(none.code()).isEqualTo(2);
    assertThat(none.err())
        .contains(
            "'local' has no fake; allowed with --fake: blaxel, cloudflare, daytona, e2b, modal")
        .hasLineCount(1);
  }
}
