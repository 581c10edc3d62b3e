package io.sandboxspi.cli;

import io.sandboxspi.cli.log.LogLevel;
import java.io.PrintWriter;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.ISetter;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/**
 * A command and its options. They are declared in code and not by annotations, which picocli would
 * read by reflection: that took a third of the time of a short command.
 */
abstract class CliCommand implements Callable<Integer> {
  private final CommandSpec spec = CommandSpec.wrapWithoutInspection(this);

  CliCommand(String name, String description, String... footer) {
    spec.name(name);
    spec.usageMessage().description(description).footer(footer);
    spec.addOption(
        OptionSpec.builder("-h", "--help").usageHelp(true).description("Shows this help.").build());
    spec.addOption(
        OptionSpec.builder("--debug")
            .type(boolean.class)
            .setter(debug())
            .description("Shows more, and stack traces.")
            .build());
  }

  final CommandSpec spec() {
    return spec;
  }

  /** Whether options may follow the first word. */
  boolean optionsAnywhere() {
    return false;
  }

  final PrintWriter out() {
    return spec.commandLine().getOut();
  }

  final void flag(String name, String description) {
    spec.addOption(OptionSpec.builder(name).type(boolean.class).description(description).build());
  }

  final void option(OptionSpec.Builder option) {
    spec.addOption(option.build());
  }

  /** Declares a text that may be given once. */
  final void text(String name, String label, String description) {
    option(OptionSpec.builder(name).type(String.class).paramLabel(label).description(description));
  }

  /** Declares a text that may be given again and again. */
  final void texts(String name, String label, String description) {
    option(
        OptionSpec.builder(name)
            .type(List.class)
            .auxiliaryTypes(String.class)
            .paramLabel(label)
            .description(description));
  }

  /** Declares the words after the options. */
  final void words(boolean required, String label, String description) {
    spec.addPositional(
        PositionalParamSpec.builder()
            .index("0..*")
            .arity(required ? "1..*" : "0..*")
            .required(required)
            .type(List.class)
            .auxiliaryTypes(String.class)
            .paramLabel(label)
            .description(description)
            .build());
  }

  final boolean has(String flag) {
    return spec.commandLine().getParseResult().hasMatchedOption(flag);
  }

  final <T> Optional<T> value(String name) {
    T value = spec.commandLine().getParseResult().matchedOptionValue(name, (T) null);
    return Optional.ofNullable(value);
  }

  final List<String> values(String name) {
    return spec.commandLine().getParseResult().matchedOptionValue(name, List.<String>of());
  }

  final List<String> words() {
    return spec.commandLine().getParseResult().matchedPositionalValue(0, List.<String>of());
  }

  private static ISetter debug() {
    return new ISetter() {
      @Override
      public <T> T set(T value) {
        if (Boolean.TRUE.equals(value)) {
          LogLevel.enableDebug();
        }
        return value;
      }
    };
  }
}
