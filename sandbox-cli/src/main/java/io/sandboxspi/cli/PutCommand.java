package io.sandboxspi.cli;

import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalLong;

/** {@code sandbox put}: a file into a sandbox that has a name (spec S-CLI-09). */
final class PutCommand extends NamedCommand {
  PutCommand(Engine engine) {
    super(engine, "put", "Writes a file, or standard input, to a file of a sandbox.");
    words(true, "NAME FILE|- PATH", "The sandbox, a file of yours, a file of the sandbox.");
  }

  @Override
  public Integer call() throws InterruptedException {
    List<String> words = words(3, 3);
    boolean piped = words.get(1).equals("-");
    Path file = Path.of(words.get(1));
    if (!piped && !Files.isRegularFile(file)) {
      throw CliFailure.usage("the file is '" + file + "'; allowed: - or a file that exists");
    }
    return within(
        words.get(0),
        (session, guard) -> {
          try (InputStream from =
              piped
                  ? Progress.of(new FileInputStream(FileDescriptor.in), OptionalLong.empty())
                  : Progress.of(Files.newInputStream(file), OptionalLong.of(Files.size(file)))) {
            session.files().write(words.get(2), from);
            return ExitCodes.OK;
          } catch (IOException e) {
            throw CliFailure.sandbox("cannot read " + words.get(1) + ": " + e.getMessage(), e);
          }
        });
  }
}
