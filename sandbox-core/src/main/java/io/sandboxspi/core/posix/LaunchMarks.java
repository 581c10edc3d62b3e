package io.sandboxspi.core.posix;

import io.sandboxspi.spi.LaunchId;
import java.nio.ByteBuffer;
import java.util.function.Consumer;

/**
 * Takes the marks of one launch out of its standard output: first the announcement ({@link
 * LaunchOption#ANNOUNCE}), then, with {@link PosixLauncher#exitMark}, the trailer. What comes
 * before the announcement is not the program's and is dropped; what comes after it passes
 * unchanged. Not thread-safe.
 */
public final class LaunchMarks {
  private final MarkScanner announcement;
  private final MarkScanner trailer;
  private final boolean trailing;
  private final Consumer<LaunchReport> reports;
  private final Consumer<ByteBuffer> output;
  private boolean announced;
  private boolean ended;

  private LaunchMarks(
      String word, String mark, Consumer<LaunchReport> reports, Consumer<ByteBuffer> output) {
    this.announcement = new MarkScanner(word);
    this.trailer = new MarkScanner(mark);
    this.trailing = !mark.isEmpty();
    this.reports = reports;
    this.output = output;
  }

  /**
   * Expects the announcement only.
   *
   * @param reports told of the announcement, once
   * @param output given the program's bytes, valid during the call only
   */
  public static LaunchMarks of(
      LaunchId id, Consumer<LaunchReport> reports, Consumer<ByteBuffer> output) {
    return new LaunchMarks(id.value(), "", reports, output);
  }

  /**
   * Expects the announcement and then the trailer with this mark, after which bytes are dropped.
   */
  public static LaunchMarks of(
      LaunchId id, LaunchId mark, Consumer<LaunchReport> reports, Consumer<ByteBuffer> output) {
    return new LaunchMarks(id.value(), mark.value(), reports, output);
  }

  /** Takes all of these bytes. */
  public void feed(ByteBuffer bytes) {
    while (!announced && bytes.hasRemaining()) {
      announcement.feed(MarkScanner.upToMark(bytes), new Announcement());
    }
    if (bytes.hasRemaining() && !ended) {
      if (trailing) {
        trailer.feed(bytes, new Trailer());
      } else {
        output.accept(bytes.duplicate());
      }
    }
    bytes.position(bytes.limit());
  }

  /** Ends the stream: bytes that could have become a trailer are the program's. */
  public void finish() {
    if (announced && trailing && !ended) {
      trailer.finish(new Trailer());
    }
  }

  /** Whether the announcement has come. */
  public boolean announced() {
    return announced;
  }

  private final class Announcement implements MarkScanner.Sink {
    @Override
    public void data(ByteBuffer bytes) {
      // A prompt, an echo, a greeting.
    }

    @Override
    public void mark(String text) {
      LaunchReport.parse(text)
          .ifPresent(
              report -> {
                announced = true;
                reports.accept(report);
              });
    }
  }

  private final class Trailer implements MarkScanner.Sink {
    @Override
    public void data(ByteBuffer bytes) {
      if (!ended) {
        output.accept(bytes);
      }
    }

    @Override
    public void mark(String text) {
      LaunchReport.parse(text)
          .ifPresent(
              report -> {
                ended = true;
                reports.accept(report);
              });
    }
  }
}
