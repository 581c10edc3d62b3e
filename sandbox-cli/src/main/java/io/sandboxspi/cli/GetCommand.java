package io.sandboxspi.cli;

import io.sandboxspi.FileInfo;
import io.sandboxspi.SandboxFiles;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.OptionalLong;
import java.util.UUID;

/** {@code sandbox get}: a file or directory out of a sandbox that has a name (spec S-CLI-09). */
final class GetCommand extends NamedCommand {
  private static final int BUFFER = 128 * 1024;

  GetCommand(Engine engine) {
    super(
        engine,
        "get",
        "Copies a file or a directory out of a sandbox; - writes a file to standard output.");
    declareUser("Account of the sandbox that reads it.");
    words(true, "NAME PATH TARGET|-", "The sandbox, what is in the sandbox, where to here.");
  }

  @Override
  public Integer call() throws InterruptedException {
    List<String> words = words(3, 3);
    return within(
        words.get(0),
        (session, guard) -> {
          SandboxFiles files = files(session);
          FileInfo info = files.stat(words.get(1));
          if (info.kind() == FileInfo.Kind.DIRECTORY) {
            directory(files, words.get(1), words.get(2));
            return ExitCodes.OK;
          }
          try (InputStream from = files.open(words.get(1));
              Progress progress = Progress.of(OptionalLong.of(info.size()))) {
            if (words.get(2).equals("-")) {
              toOutput(progress.counting(from));
            } else {
              toFile(progress.counting(from), Path.of(words.get(2)));
            }
            return ExitCodes.OK;
          } catch (IOException e) {
            throw CliFailure.sandbox(
                "cannot copy " + words.get(1) + " to " + words.get(2) + ": " + e.getMessage(), e);
          }
        });
  }

  private static void directory(SandboxFiles files, String path, String target)
      throws InterruptedException {
    if (target.equals("-") || Files.exists(Path.of(target), LinkOption.NOFOLLOW_LINKS)) {
      throw CliFailure.usage(
          "the target is '"
              + target
              + "'; allowed for a directory: a name that does not exist, as "
              + path
              + " is one");
    }
    try (Progress progress = Progress.of(OptionalLong.empty())) {
      files.download(path, Path.of(target), progress);
    }
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
