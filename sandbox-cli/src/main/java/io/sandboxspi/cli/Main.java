package io.sandboxspi.cli;

import io.sandboxspi.cli.log.LogLevel;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.nio.charset.Charset;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** The {@code sandbox} command. */
public final class Main {
  /** In lambdas, so that only the class of the command that is asked for is loaded. */
  private static final Map<String, Function<Engine, CliCommand>> COMMANDS =
      new TreeMap<>(
          Map.ofEntries(
              Map.entry("attach", engine -> new AttachCommand(engine)),
              Map.entry("create", engine -> new CreateCommand(engine)),
              Map.entry("demo", engine -> new DemoCommand()),
              Map.entry("exec", engine -> new ExecCommand(engine)),
              Map.entry("get", engine -> new GetCommand(engine)),
              Map.entry("ls", engine -> new LsCommand(engine)),
              Map.entry("providers", engine -> new ProvidersCommand(engine)),
              Map.entry("put", engine -> new PutCommand(engine)),
              Map.entry("reap", engine -> new ReapCommand()),
              Map.entry("resume", engine -> new ResumeCommand(engine)),
              Map.entry("rm", engine -> new RmCommand(engine)),
              Map.entry("run", engine -> new RunCommand(engine)),
              Map.entry("shell", engine -> new ShellCommand(engine)),
              Map.entry("stop", engine -> new StopCommand(engine)),
              Map.entry("tck", engine -> new TckCommand())));

  private Main() {}

  /** Runs the command and ends the JVM with its exit code. */
  public static void main(String[] args) {
    // Threads that are stuck in a read of standard input must not keep the JVM
    System.exit(run(new CoreEngine(), args));
  }

  static int run(Engine engine, String... args) {
    PrintWriter out = writer(FileDescriptor.out);
    PrintWriter err = writer(FileDescriptor.err);
    CommandLine line = commandLine(engine, args);
    line.setOut(out);
    line.setErr(err);
    int code = line.execute(args);
    out.flush();
    return code;
  }

  /** Builds only the command that is asked for. */
  private static CommandLine commandLine(Engine engine, String... args) {
    CommandLine line = new CommandLine(new TopCommand(COMMANDS.keySet()).spec());
    boolean named = args.length > 0 && COMMANDS.containsKey(args[0]);
    COMMANDS.forEach(
        (name, command) -> {
          if (!named || name.equals(args[0])) {
            line.addSubcommand(name, command.apply(engine).spec());
          }
        });
    line.setStopAtPositional(true);
    line.getSubcommands()
        .values()
        .forEach(
            each -> {
              CliCommand command = (CliCommand) each.getCommand();
              each.setStopAtPositional(!command.optionsAnywhere());
            });
    line.setExpandAtFiles(false);
    line.setColorScheme(CommandLine.Help.defaultColorScheme(Ansi.OFF));
    line.setParameterExceptionHandler((refused, given) -> usageError(refused));
    line.setExecutionExceptionHandler(
        (failure, at, parsed) -> Failures.report(failure, at.getErr()));
    return line;
  }

  private static int usageError(ParameterException refused) {
    CommandLine at = refused.getCommandLine();
    PrintWriter err = at.getErr();
    boolean unknownCommand =
        refused instanceof UnmatchedArgumentException unmatched
            && at.getParent() == null
            && !unmatched.isUnknownOption();
    String message =
        unknownCommand
            ? "unknown command; known: " + String.join(", ", COMMANDS.keySet())
            : refused.getMessage();
    err.println(
        LogLevel.oneLine(
            "sandbox: " + message + " (see " + at.getCommandSpec().qualifiedName() + " --help)"));
    if (LogLevel.debug()) {
      refused.printStackTrace(err);
    }
    err.flush();
    return ExitCodes.USAGE;
  }

  private static PrintWriter writer(FileDescriptor descriptor) {
    return new PrintWriter(
        new OutputStreamWriter(new FileOutputStream(descriptor), Charset.defaultCharset()));
  }
}
