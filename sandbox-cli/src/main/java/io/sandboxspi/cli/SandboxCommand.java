package io.sandboxspi.cli;

import io.sandboxspi.cli.log.LogLevel;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;

/** The top of the command. */
@Command(
    name = "sandbox",
    description = "Runs commands in sandboxes of several providers.",
    versionProvider = SandboxCommand.Version.class,
    synopsisSubcommandLabel = "COMMAND")
final class SandboxCommand implements Runnable {
  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      scope = ScopeType.INHERIT,
      description = "Shows this help.")
  boolean help;

  @Option(
      names = {"-V", "--version"},
      versionHelp = true,
      description = "Shows the version.")
  boolean version;

  @Option(
      names = "--debug",
      scope = ScopeType.INHERIT,
      description = "Shows more, and stack traces.")
  void debug(boolean on) {
    if (on) {
      LogLevel.enableDebug();
    }
  }

  @Override
  public void run() {
    throw new ParameterException(
        spec.commandLine(), "missing command: " + String.join(", ", spec.subcommands().keySet()));
  }

  /** Reads the version that the build wrote. */
  static final class Version implements IVersionProvider {
    @Override
    public String[] getVersion() throws IOException {
      try (InputStream text = SandboxCommand.class.getResourceAsStream("version.txt")) {
        return new String[] {
          "sandbox "
              + (text == null
                  ? "unknown"
                  : new String(text.readAllBytes(), StandardCharsets.UTF_8).strip())
        };
      }
    }
  }
}
