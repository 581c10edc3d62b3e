package io.sandboxspi.remote.modal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.sandboxspi.Capability;
import io.sandboxspi.ErrorCode;
import io.sandboxspi.SandboxException;
import io.sandboxspi.remote.modal.wire.NetworkAccess.NetworkAccessType;
import io.sandboxspi.remote.modal.wire.Sandbox;
import io.sandboxspi.remote.transport.ClientOptions;
import io.sandboxspi.remote.transport.RemoteException;
import io.sandboxspi.spi.Availability;
import io.sandboxspi.spi.BackendRef;
import io.sandboxspi.spi.BackendRequest;
import io.sandboxspi.spi.Deadline;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What is refused before anything is made, and what options and settings mean. */
class ModalOptionsTest {
  private static final ClientOptions PROXIED =
      ClientOptions.defaults(ModalOptions.USER_AGENT)
          .proxy(URI.create("http://proxy.example:3128"));
  private static final String ID = "ak-abcdefgh";
  private static final String SECRET = "as-never-to-be-seen";
  private static final Map<String, String> TOKEN =
      Map.of(
          "MODAL_TOKEN_ID",
          ID,
          "MODAL_TOKEN_SECRET",
          SECRET,
          "MODAL_CONFIG_PATH",
          "/nonexistent",
          "MODAL_SERVER_URL",
          "http://127.0.0.1:1");

  private static Settings settings(Map<String, String> more) {
    Map<String, String> all = new HashMap<>(TOKEN);
    all.putAll(more);
    return Settings.read(name -> all.getOrDefault(name, ""));
  }

  @ParameterizedTest
  @CsvSource({
    "app,a b",
    "app,ap-0123456789abcdefghijkl",
    "image,a b",
    "registry-secret,mine",
    "timeout,9",
    "timeout,86401",
    "timeout,soon",
    "idle-timeout,0",
    "on-release,remove",
    "workspace,../up",
    "workspace,/etc/x",
    "workspace,/__modal/x",
    "cpu,many",
    "cpu,2:1",
    "memory,1.2.3",
    "gpu,A100:9",
    "network,closed",
    "allow-cidrs,10.0.0.1",
    "allow-domains,a b",
    "ports,0",
    "ports,65536",
    "region,US",
    "name,a/b",
    "secrets,mine",
    "tags,novalue",
    "tags,a=b/c",
    "tags,io.sandboxspi.session=x",
    "proxy,ftp://host",
    "ca-file,/no/such/file",
    "imgae,base"
  })
  void aBadOptionIsNamed(String name, String value) {
    SandboxException failure =
        catchThrowableOfType(
            SandboxException.class,
            () ->
                ModalProvider.with(settingsOfTls())
                    .create(
                        new BackendRequest("s", Map.of(name, value)),
                        Deadline.after(Duration.ofSeconds(5))));
    assertThat(failure.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT);
    assertThat(failure).hasMessageContaining("allowed").hasMessageContaining(name);
  }

  /** Certificates are read for connections with TLS only. */
  private static Map<String, String> settingsOfTls() {
    Map<String, String> settings = new HashMap<>(TOKEN);
    settings.put("MODAL_SERVER_URL", "https://127.0.0.1:1");
    return settings;
  }

  @Test
  void aNetworkThatIsBlockedHasNoPortsAndNoLists() {
    for (String other : List.of("ports", "allow-cidrs", "allow-domains")) {
      String value = Map.of("ports", "80", "allow-cidrs", "10.0.0.0/8").getOrDefault(other, "a.b");
      assertThat(
              catchThrowable(
                  () -> ModalOptions.parse(Map.of("network", "blocked", other, value), false)))
          .hasMessageContaining("network");
    }
  }

  @Test
  void defaultsAreTheVendors() {
    ModalOptions options = ModalOptions.parse(Map.of(), false);
    assertThat(options.image()).isEqualTo("python:3.14-slim");
    assertThat(options.timeout()).isEqualTo(Duration.ofMinutes(5));
    assertThat(options.onRelease()).isEqualTo(ModalOptions.OnRelease.KEEP);
    assertThat(ModalOptions.parse(Map.of(), true).timeout()).isEqualTo(Duration.ofDays(1));
    Sandbox sandbox = Definition.of(options, "im-1");
    assertThat(sandbox.getNetworkAccess().getNetworkAccessType()).isEqualTo(NetworkAccessType.OPEN);
    assertThat(sandbox.hasIdleTimeoutSecs()).isFalse();
    assertThat(sandbox.hasOpenPorts()).isFalse();
    assertThat(sandbox.getResources().getGpuConfig().getCount()).isZero();
  }

  @Test
  void optionsReachTheDefinition() {
    Sandbox sandbox =
        Definition.of(
            ModalOptions.parse(
                Map.of(
                    "cpu", "0.5:2",
                    "memory", "512",
                    "gpu", "a100-80gb:2",
                    "idle-timeout", "60",
                    "ports", "9000,80",
                    "allow-domains", "*.example.org",
                    "region", "eu-west",
                    "name", "mine"),
                false),
            "im-1");
    assertThat(sandbox.getResources().getMilliCpu()).isEqualTo(500);
    assertThat(sandbox.getResources().getMilliCpuMax()).isEqualTo(2000);
    assertThat(sandbox.getResources().getMemoryMb()).isEqualTo(512);
    assertThat(sandbox.getResources().getGpuConfig().getGpuType()).isEqualTo("A100-80GB");
    assertThat(sandbox.getResources().getGpuConfig().getCount()).isEqualTo(2);
    assertThat(sandbox.getIdleTimeoutSecs()).isEqualTo(60);
    assertThat(sandbox.getOpenPorts().getPortsList())
        .allMatch(port -> !port.getUnencrypted())
        .hasSize(2);
    assertThat(sandbox.getNetworkAccess().getNetworkAccessType())
        .isEqualTo(NetworkAccessType.ALLOWLIST);
    assertThat(sandbox.getSchedulerPlacement().getRegionsList()).containsExactly("eu-west");
    assertThat(sandbox.getName()).isEqualTo("mine");
  }

  @Test
  void aMissingTokenIsSaidAndNoneIsEverShown() {
    Map<String, String> none = Map.of("MODAL_CONFIG_PATH", "/nonexistent");
    assertThat(ModalProvider.with(none).availability())
        .isInstanceOfSatisfying(
            Availability.Unavailable.class,
            why -> assertThat(why.reason()).contains("MODAL_TOKEN_ID", ".modal.toml", "set them"));
    SandboxException failure =
        catchThrowableOfType(
            SandboxException.class,
            () ->
                ModalProvider.with(none)
                    .create(
                        new BackendRequest("s", Map.of()), Deadline.after(Duration.ofSeconds(5))));
    assertThat(failure.code()).isEqualTo(ErrorCode.PROVIDER_UNAVAILABLE);
    assertThat(ModalProvider.with(TOKEN).availability()).isEqualTo(Availability.available());
    assertThat(settings(Map.of()).toString()).doesNotContain(ID, SECRET);
  }

  @Test
  void theEnvironmentGoesBeforeTheFileAndTheActiveProfileBeforeTheDefault(@TempDir Path directory)
      throws Exception {
    Path file = directory.resolve("modal.toml");
    Files.writeString(
        file,
        """
        [default]
        token_id = "ak-default"
        token_secret = "as-default"
        [work]
        active = true
        token_id = "ak-work"
        token_secret = "as-work"
        environment = "staging"
        sandbox_v2 = false
        """);
    Map<String, String> only = Map.of("MODAL_CONFIG_PATH", file.toString());
    Settings active = Settings.read(name -> only.getOrDefault(name, ""));
    assertThat(active.credentials().orElseThrow().id().reveal()).isEqualTo("ak-work");
    assertThat(active.environment()).isEqualTo("staging");
    assertThat(active.second()).isFalse();
    Settings named =
        Settings.read(
            name -> name.equals("MODAL_PROFILE") ? "default" : only.getOrDefault(name, ""));
    assertThat(named.credentials().orElseThrow().id().reveal()).isEqualTo("ak-default");
    Settings environment =
        Settings.read(
            name -> name.equals("MODAL_ENVIRONMENT") ? "production" : only.getOrDefault(name, ""));
    assertThat(environment.environment()).isEqualTo("production");

    Files.writeString(file, "[a]\nactive = true\n[b]\nactive = true\n");
    assertThat(catchThrowable(() -> Settings.read(name -> only.getOrDefault(name, ""))))
        .hasMessageContaining("one active profile");
    Files.writeString(file, "[a]\ntoken_secret = \"as-never");
    assertThat(ModalProvider.with(only).availability())
        .isInstanceOfSatisfying(
            Availability.Unavailable.class,
            why -> assertThat(why.reason()).contains("TOML").doesNotContain("as-never"));
    assertThat(
            catchThrowable(
                () ->
                    Settings.read(
                        name ->
                            name.equals("MODAL_PROFILE") ? "none" : only.getOrDefault(name, ""))))
        .isNotNull();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "ftp://x",
        "not an address",
        "https://user:pw@host",
        "https://",
        "http://example.org",
        "https://a,http://example.org"
      })
  void anAddressOfAnotherFormIsRefusedWithoutShowingIt(String address) {
    assertThat(catchThrowable(() -> settings(Map.of("MODAL_SERVER_URL", address))))
        .hasMessageContaining("MODAL_SERVER_URL")
        .hasMessageNotContaining("pw");
  }

  @Test
  void aRouterIsReachedWithEncryptionUnlessAllIsOnThisMachine() {
    Server here = Server.configured("x", "http://localhost:1234");
    assertThat(here.router("https://127.0.0.1:99")).isEqualTo(new Server("127.0.0.1", 99, true));
    assertThat(here.router("https://far.example")).isEqualTo(new Server("far.example", 443, false));
    Server far = Server.configured("x", "https://api.example");
    assertThat(far.router("https://127.0.0.1:99").plaintext()).isFalse();
    for (String bad : List.of("http://127.0.0.1:99", "ftp://x", "", "https://u:p@x")) {
      assertThat(catchThrowable(() -> far.router(bad)))
          .isInstanceOfSatisfying(
              RemoteException.class,
              e -> assertThat(e.kind()).isEqualTo(RemoteException.Kind.MALFORMED));
    }
  }

  @ParameterizedTest
  @CsvSource({
    "MODAL_MAX_THROTTLE_WAIT,soon",
    "MODAL_ENVIRONMENT,a b",
    "SANDBOX_MODAL_SNAPSHOTS,memory"
  })
  void aBadSettingIsNamed(String name, String value) {
    assertThat(catchThrowable(() -> settings(Map.of(name, value)))).hasMessageContaining(name);
  }

  @Test
  void theVendorsSnapshotsAreDeclaredWhenTheyAreWanted() {
    assertThat(ModalProvider.with(TOKEN).capabilities())
        .doesNotContain(Capability.NATIVE_SNAPSHOTS);
    for (String kind : List.of("filesystem", "directory")) {
      Map<String, String> wanted = new HashMap<>(TOKEN);
      wanted.put("SANDBOX_MODAL_SNAPSHOTS", kind);
      ModalProvider provider = ModalProvider.with(wanted);
      assertThat(provider.capabilities()).contains(Capability.NATIVE_SNAPSHOTS);
      assertThat(provider.nativeSnapshots()).isPresent();
    }
  }

  @Test
  void aReferenceComesBackWholeAndOthersAreRefused() {
    ModalRef ref =
        new ModalRef(
            "sb-0123456789abcdefghijkl",
            "/root",
            "/root/workspace",
            Set.of(80, 443),
            ModalOptions.OnRelease.KILL,
            PROXIED);
    assertThat(ModalRef.parse(ref.toRef())).isEqualTo(ref);
    assertThat(ModalRef.sandbox(ModalRef.naming("sb-x", PROXIED))).isEqualTo("sb-x");
    assertThat(ModalRef.client(ModalRef.naming("sb-x", PROXIED))).isEqualTo(PROXIED);
    for (BackendRef bad :
        List.of(
            new BackendRef("docker", ref.toRef().data()),
            new BackendRef("modal", Map.of()),
            ModalRef.naming("sb-x", PROXIED),
            new BackendRef("modal", Map.of("sandbox", "../x", "home", "/", "workspace", "/")))) {
      assertThat(catchThrowableOfType(SandboxException.class, () -> ModalRef.parse(bad)).code())
          .isEqualTo(ErrorCode.INVALID_ARGUMENT);
    }
  }

  @Test
  void theKindOfASandboxIsInItsId() {
    assertThat(ControlPlane.firstKind("sb-0123456789ABCDEFabcdef")).isTrue();
    assertThat(ControlPlane.firstKind("sb-0123456789ABCDEFabcdefgh")).isFalse();
    assertThat(ControlPlane.firstKind("sb-0123456789-BCDEFabcdef")).isFalse();
  }
}
