package io.sandboxspi.cli;

import io.sandboxspi.SandboxFiles;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.OptionalLong;
import java.util.UUID;

/** {@code sandbox get}: a file out of a sandbox that has a name (spec S-CLI-09). */
final class GetCommand extends NamedCommand {
  private static final int BUFFER = 128 * 1024;

  GetCommand(Engine engine) {
    super(engine, "get", "Reads a file of a sandbox into a file, or to standard output.");
    words(true, "NAME PATH FILE|-", "The sandbox, a file of the sandbox, a file of yours.");
  }

  @Override
  public Integer call() throws InterruptedException {
    List<String> words = words(3, 3);
    return within(
        words.get(0),
        (session, guard) -> {
          SandboxFiles files = session.files();
          long size = files.stat(words.get(1)).size();
          try (InputStream from = Progress.of(files.open(words.get(1)), OptionalLong.of(size))) {
            if (words.get(2).equals("-")) {
              toOutput(from);
            } else {
              toFile(from, Path.of(words.get(2)));
            }
            return ExitCodes.OK;
          } catch (IOException e) {
            throw CliFailure.sandbox(
                "cannot copy " + words.get(1) + " to " + words.get(2) + ": " + e.getMessage(), e);
          }
        });
  }

  private static void toOutput(InputStream from) throws IOException {
    OutputStream to = new FileOutputStream(FileDescriptor.out);
    byte[] buffer = new byte[BUFFER];
    for (int count = from.read(buffer); count >= 0; count = from.read(buffer)) {
      try {
        to.write(buffer, 0, count);
      } catch (IOException refused) {
        if (StandardStreams.isPipe(StandardStreams.OUT)) {
          throw CliFailure.quiet(ExitCodes.BROKEN_PIPE, "broken pipe");
        }
        throw refused;
      }
    }
  }

  /** The whole file, or the one that was there before. */
  private static void toFile(InputStream from, Path target) throws IOException {
    Path temporary =
        target.resolveSibling("." + target.getFileName() + "." + UUID.randomUUID() + ".part");
    try {
      try (OutputStream to = Files.newOutputStream(temporary)) {
        long unused = from.transferTo(to);
      }
      Files.move(temporary, target, StandardCopyOption.REPLACE_EXISTING);
    } finally {
      Files.deleteIfExists(temporary);
    }
  }
}
