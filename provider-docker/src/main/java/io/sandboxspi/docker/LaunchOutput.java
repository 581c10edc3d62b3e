package io.sandboxspi.docker;

import io.sandboxspi.ExitStatus;
import io.sandboxspi.core.posix.LaunchReport;
import io.sandboxspi.core.posix.MarkScanner;
import io.sandboxspi.spi.LaunchId;
import io.sandboxspi.spi.OutputChannel;
import java.nio.ByteBuffer;
import java.util.Optional;

/** Takes the marks behind both outputs of a launch out of them; on the reactor's thread. */
final class LaunchOutput implements MarkScanner.Sink {
  private final Launch launch;
  private final LaunchId mark;
  private final MarkScanner errors;
  private Optional<LaunchReport> end = Optional.empty();
  private boolean errorsOver;

  LaunchOutput(Launch launch, LaunchId mark) {
    this.launch = launch;
    this.mark = mark;
    this.errors = new MarkScanner(mark.value());
  }

  /** Before anything comes. */
  void begin() {
    launch.marked(mark, report -> end = Optional.of(report));
  }

  void feed(OutputChannel channel, ByteBuffer bytes) {
    if (channel == OutputChannel.STDERR) {
      errors.feed(bytes, this);
    } else {
      launch.take(channel, bytes);
    }
  }

  /** Whether both marks have come. */
  boolean over() {
    return end.isPresent() && errorsOver;
  }

  /** What the mark says. */
  Optional<ExitStatus> end() {
    return end.flatMap(LaunchOutput::status);
  }

  private static Optional<ExitStatus> status(LaunchReport report) {
    return report instanceof LaunchReport.Ended ended
        ? Optional.of(ended.status())
        : Optional.empty();
  }

  /** There will be no more: bytes that could have become a mark are the program's. */
  void finish() {
    errors.finish(this);
  }

  @Override
  public void data(ByteBuffer bytes) {
    if (!errorsOver) {
      launch.take(OutputChannel.STDERR, bytes);
    }
  }

  @Override
  public void mark(String text) {
    errorsOver = true;
  }
}
