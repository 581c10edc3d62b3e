package io.sandboxspi.tck.rules;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.sandboxspi.Command;
import io.sandboxspi.ErrorCode;
import io.sandboxspi.FileInfo;
import io.sandboxspi.Manifest;
import io.sandboxspi.ManifestEntry;
import io.sandboxspi.SandboxException;
import io.sandboxspi.SandboxFiles;
import io.sandboxspi.SandboxSession;
import io.sandboxspi.tck.Rule;
import io.sandboxspi.tck.kit.Expect;
import io.sandboxspi.tck.kit.HostDirectory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a fresh workspace holds. */
public interface ManifestRules extends KitAccess {
  /** Files, directories and copies are there when the session is. */
  @Test
  @Rule({"S-MAN-01", "S-MAN-02"})
  default void S_MAN_01_aFreshWorkspaceHoldsTheManifest() throws Exception {
    try (HostDirectory host = HostDirectory.make()) {
      Files.createDirectories(host.path("lib/sub"));
      Files.writeString(host.path("lib/sub/f"), "copied");
      Files.writeString(host.path("conf"), "conf");
      Files.createSymbolicLink(host.path("link"), Path.of("conf"));
      Manifest.Builder manifest =
          Manifest.builder()
              .base(host.path("."))
              .entry("closed", new ManifestEntry.Directory("0500", false))
              .entry("closed/in", ManifestEntry.file("in"))
              .entry(
                  "run",
                  new ManifestEntry.InlineFile(
                      "#!/bin/sh\necho ran\n".getBytes(UTF_8), "0755", false))
              .entry("vendor", ManifestEntry.localDirectory("lib"))
              .entry("vendor/sub/f", ManifestEntry.file("inline wins"))
              .entry("etc/conf", ManifestEntry.localFile("conf"));
      for (int i = 0; i < 10; i++) {
        Object unused = manifest.entry("many/f" + i, ManifestEntry.file("f" + i));
      }
      Manifest made = manifest.build();
      SandboxSession session = kit().open(spec -> spec.manifest(made));
      SandboxFiles files = session.files();
      Expect.same("S-MAN-01", "0500", files.stat("closed").permissions(), "a directory's");
      Expect.same("S-MAN-01", 10, files.list("many").size(), "many files");
      String said =
          session
              .exec(Command.shell("./run; cat closed/in many/f7 vendor/sub/f etc/conf"))
              .stdout()
              .text();
      Expect.same("S-MAN-01", "ran\ninf7inline winsconf", said, "what processes see");
      Expect.same("S-MAN-01", FileInfo.Kind.FILE, files.stat("etc/conf").kind(), "a copy");
      for (String source : List.of("link", "no/such", "lib")) {
        Manifest bad =
            Manifest.builder()
                .base(host.path("."))
                .entry("x", ManifestEntry.localFile(source))
                .build();
        Expect.code(
            "S-MAN-02", ErrorCode.INVALID_ARGUMENT, () -> kit().open(spec -> spec.manifest(bad)));
      }
      files.setPermissions("closed", "0700");
    }
  }

  /** Secrets are found late, and named nowhere. */
  @Test
  @Rule("S-MAN-03")
  default void S_MAN_03_variablesAreFoundWhenASessionIsOpened() throws Exception {
    int[] asked = new int[1];
    Manifest manifest =
        Manifest.builder()
            .env("PLAIN", "plain")
            .env("BOTH", "manifest")
            .secretEnv(
                "TOKEN",
                name -> {
                  asked[0]++;
                  return "s3cret of " + name;
                })
            .build();
    Expect.same("S-MAN-03", 0, asked[0], "questions before a session is opened");
    SandboxSession session = kit().open(spec -> spec.manifest(manifest).env("BOTH", "spec"));
    String said =
        session
            .exec(Command.shell("printf '%s|%s|%s' \"$PLAIN\" \"$BOTH\" \"$TOKEN\""))
            .stdout()
            .text();
    Expect.same("S-MAN-03", "plain|spec|s3cret of TOKEN", said, "what processes see");
    Expect.same("S-MAN-03", 1, asked[0], "questions");
    Manifest failing =
        Manifest.builder()
            .secretEnv(
                "GONE",
                name -> {
                  throw new IllegalStateException("no vault");
                })
            .build();
    SandboxException refused =
        Expect.code(
            "S-MAN-03", ErrorCode.CREATE_FAILED, () -> kit().open(spec -> spec.manifest(failing)));
    Expect.that(
        "S-MAN-03", String.valueOf(refused.getMessage()).contains("GONE"), "no variable is named");
  }
}
