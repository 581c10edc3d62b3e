package io.sandboxspi.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.sandboxspi.fake.FakeVendor;
import io.sandboxspi.fake.daytona.DaytonaFake;
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
      assertThat(fake.sandboxes()).isZero();
      try (CliProcess killed =
          start(fake, "run", "--provider", provider, "--", "sh", "-c", "echo up; sleep 100")) {
        Object unused = killed.outputUntil("up");
        killed.signal("KILL");
        unused = killed.end();
      }
      assertThat(fake.sandboxes()).isEqualTo(1);
      if (reaps(fake, provider, "1 removed\n")) {
        assertThat(fake.sandboxes()).isZero();
      }
    }
  }

  /** Whether the vendor tells what there is. */
  private boolean reaps(FakeVendor.Service fake, String provider, String end) throws Exception {
    CliProcess.Result result = run(fake, "reap", "--provider", provider);
    if (provider.equals("cloudflare")) {
      // Its bridge has no list of sandboxes.
      assertThat(result.code()).isEqualTo(125);
      assertThat(result.err()).contains("keeps no list of sandboxes").hasLineCount(1);
      return false;
    }
    assertThat(result.out()).endsWith(end);
    return true;
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
      boolean unused = reaps(fake, vendor.provider(), "1 unproven\n");
      assertThat(fake.sandboxes()).isEqualTo(1);
      assertThat(run(fake, "rm", "far").code()).isZero();
      assertThat(fake.sandboxes()).isZero();
    }
  }

  @Test
  @Rule("S-CLI-07")
  void removesWhatTheVendorKeepsOfOneToo() throws Exception {
    try (DaytonaFake fake = new DaytonaFake()) {
      Map<String, String> own = new HashMap<>(fake.settings());
      own.put("SANDBOX_DAYTONA_SNAPSHOTS", "vendor");
      FakeVendor.Service vendor = new Settings(fake, own);
      List<String> create =
          List.of("create", "--provider", "daytona", "--name", "far", "--snapshot", "local");
      assertThat(run(vendor, create.toArray(String[]::new)).code()).isZero();
      assertThat(run(vendor, "stop", "far").code()).isZero();
      assertThat(fake.snapshots()).isEqualTo(1);
      CliProcess.Result refused = run(fake, "rm", "far");
      assertThat(refused.code()).isEqualTo(125);
      assertThat(refused.err()).contains("by provider daytona itself").hasLineCount(1);
      assertThat(run(vendor, "rm", "far").code()).isZero();
      assertThat(fake.snapshots()).isZero();
      assertThat(fake.sandboxes()).isZero();
    }
  }

  /** A fake with more settings. */
  private record Settings(FakeVendor.Service fake, Map<String, String> settings)
      implements FakeVendor.Service {
    @Override
    public int sandboxes() {
      return fake.sandboxes();
    }

    @Override
    public int connections() {
      return fake.connections();
    }

    @Override
    public void close() {}
  }

  @Test
  @Rule("S-CLI-06")
  void saysWhatVendorsNeed() throws Exception {
    List<String> needed =
        List.of(
            "E2B_API_KEY",
            "DAYTONA_API_KEY",
            "BL_API_KEY",
            "CLOUDFLARE_SANDBOX_WORKER_URL",
            "MODAL_TOKEN_ID");
    Map<String, String> without = new HashMap<>();
    needed.forEach(variable -> without.put(variable, ""));
    try (CliProcess cli = CliProcess.start(without, "providers")) {
      assertThat(cli.end().out()).contains(needed).contains("set ");
    }
    try (CliProcess cli = CliProcess.start(without, "run", "--provider", "e2b", "--", "true")) {
      assertThat(cli.end().err()).contains("E2B_API_KEY", "set it");
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
