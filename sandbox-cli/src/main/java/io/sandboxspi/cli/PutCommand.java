package io.sandboxspi.cli;

import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalLong;

/** {@code sandbox put}: a file or directory into a sandbox that has a name (spec S-CLI-09). */
final class PutCommand extends NamedCommand {
  PutCommand(Engine engine) {
    super(
        engine,
        "put",
        "Copies a file or a directory into a sandbox; - writes standard input to a file there.");
    declareUser("Account of the sandbox that writes it, and owns it then.");
    words(true, "NAME SOURCE|- PATH", "The sandbox, what is yours, where in the sandbox.");
  }

  @Override
  public Integer call() throws InterruptedException {
    List<String> words = words(3, 3);
    boolean piped = words.get(1).equals("-");
    Path source = Path.of(words.get(1));
    boolean directory = !piped && Files.isDirectory(source);
    if (!piped && !directory && !Files.isRegularFile(source)) {
      throw CliFailure.usage(
          "the source is '" + source + "'; allowed: - or a file or directory that exists");
    }
    return within(
        words.get(0),
        (session, guard) -> {
          if (directory) {
            try (Progress progress = Progress.of(OptionalLong.empty())) {
              files(session).upload(source, words.get(2), progress);
            }
            return ExitCodes.OK;
          }
          try (InputStream from =
                  piped ? new FileInputStream(FileDescriptor.in) : Files.newInputStream(source);
              Progress progress =
                  Progress.of(piped ? OptionalLong.empty() : OptionalLong.of(Files.size(source)))) {
            files(session).write(words.get(2), progress.counting(from));
            return ExitCodes.OK;
          } catch (IOException e) {
            throw CliFailure.sandbox("cannot read " + words.get(1) + ": " + e.getMessage(), e);
          }
        });
  }
}
