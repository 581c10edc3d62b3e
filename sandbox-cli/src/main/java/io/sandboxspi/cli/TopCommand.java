package io.sandboxspi.cli;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;

/** {@code sandbox} alone. */
final class TopCommand extends CliCommand {
  private final Collection<String> commands;

  TopCommand(Collection<String> commands) {
    super("sandbox", "Runs commands in sandboxes of several providers.");
    this.commands = commands;
    spec().usageMessage().synopsisSubcommandLabel("COMMAND");
    option(
        OptionSpec.builder("-V", "--version").versionHelp(true).description("Shows the version."));
    spec().versionProvider(TopCommand::version);
  }

  @Override
  public Integer call() {
    throw new ParameterException(
        spec().commandLine(), "missing command; known: " + String.join(", ", commands));
  }

  /** Reads the version that the build wrote. */
  private static String[] version() throws IOException {
    try (InputStream text = TopCommand.class.getResourceAsStream("version.txt")) {
      String version =
          text == null ? "unknown" : new String(text.readAllBytes(), StandardCharsets.UTF_8);
      return new String[] {"sandbox " + version.strip()};
    }
  }
}
