package io.sandboxspi.core.files;

import io.sandboxspi.core.posix.World;
import io.sandboxspi.spi.Deadline;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.util.Optional;

/** Shells of this machine, one process for each text. */
final class ProcessAccess implements ShellAccess {
  private final World world;
  private final int smallRead;
  private final int smallWrite;
  private Optional<FileCarrier> carrier = Optional.empty();

  ProcessAccess(World world, int smallRead, int smallWrite) {
    this.world = world;
    this.smallRead = smallRead;
    this.smallWrite = smallWrite;
  }

  ProcessAccess with(FileCarrier way) {
    carrier = Optional.of(way);
    return this;
  }

  @Override
  public Optional<FileCarrier> carrier() {
    return carrier;
  }

  private Process start(String text) throws InterruptedException {
    try {
      ProcessBuilder builder =
          new ProcessBuilder(world.shell(), "-c", ShellFiles.library() + text)
              .redirectError(ProcessBuilder.Redirect.DISCARD);
      builder.environment().clear();
      builder.environment().put("PATH", world.path());
      return builder.start();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public byte[] ask(String text, Deadline deadline) throws InterruptedException {
    try (InputStream in = read(text, deadline)) {
      return in.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public InputStream read(String text, Deadline deadline) throws InterruptedException {
    Process process = start(text);
    return new FilterInputStream(process.getInputStream()) {
      @Override
      public int read(byte[] target, int offset, int length) throws IOException {
        int count = in.read(target, offset, length);
        try {
          if (count < 0 && process.waitFor() != 0) {
            throw new IOException("code " + process.exitValue());
          }
        } catch (InterruptedException e) {
          throw new IOException(e);
        }
        return count;
      }

      @Override
      public void close() throws IOException {
        process.destroyForcibly();
        super.close();
      }
    };
  }

  @Override
  public byte[] write(String text, InputStream content, Deadline deadline)
      throws InterruptedException {
    Process process = start(text);
    try {
      try (OutputStream out = process.getOutputStream()) {
        content.transferTo(out);
      } catch (IOException e) {
        if (!"Broken pipe".equals(e.getMessage()) && !"Stream closed".equals(e.getMessage())) {
          process.destroyForcibly();
          throw LaunchAccess.failed("the new content cannot be read", e);
        }
      }
      byte[] answer = process.getInputStream().readAllBytes();
      if (process.waitFor() != 0) {
        throw LaunchAccess.failed("code " + process.exitValue(), null);
      }
      return answer;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public int smallRead() {
    return smallRead;
  }

  @Override
  public int smallWrite() {
    return smallWrite;
  }
}
