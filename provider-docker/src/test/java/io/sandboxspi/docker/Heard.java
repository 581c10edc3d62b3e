package io.sandboxspi.docker;

import io.sandboxspi.ExitStatus;
import io.sandboxspi.spi.OutputChannel;
import io.sandboxspi.spi.ProcessListener;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Keeps what a process writes and how it ends. */
final class Heard implements ProcessListener {
  private final Map<OutputChannel, ByteArrayOutputStream> output =
      new EnumMap<>(
          Map.of(
              OutputChannel.STDOUT,
              new ByteArrayOutputStream(),
              OutputChannel.STDERR,
              new ByteArrayOutputStream()));
  private final CompletableFuture<ExitStatus> exit = new CompletableFuture<>();
  private final CompletableFuture<Boolean> closed = new CompletableFuture<>();

  @Override
  public boolean onOutput(OutputChannel channel, ByteBuffer bytes) {
    synchronized (output) {
      byte[] copy = new byte[bytes.remaining()];
      bytes.get(copy);
      output.get(channel).writeBytes(copy);
    }
    return true;
  }

  @Override
  public void onOutputClosed() {
    closed.complete(true);
  }

  @Override
  public void onExit(ExitStatus status) {
    exit.complete(status);
  }

  ExitStatus exit() throws Exception {
    return exit.get(20, TimeUnit.SECONDS);
  }

  String stdout() throws Exception {
    Object unused = closed.get(20, TimeUnit.SECONDS);
    return soFar(OutputChannel.STDOUT);
  }

  String stderr() throws Exception {
    Object unused = closed.get(20, TimeUnit.SECONDS);
    return soFar(OutputChannel.STDERR);
  }

  String soFar(OutputChannel channel) {
    synchronized (output) {
      return output.get(channel).toString(StandardCharsets.UTF_8);
    }
  }
}
