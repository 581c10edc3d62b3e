package io.sandboxspi.core.posix;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * Finds marks of the form {@code RS word space text RS} in a stream of bytes, cut anywhere. RS is
 * the byte 30, or another one where such marks must pass. Holds back at most a mark's length. Not
 * thread-safe.
 */
public final class MarkScanner {
  /** Longest text of a mark; more is no mark. */
  private static final int LONGEST = 200;

  private static final byte RS = 30;

  private final byte lead;
  private final byte[] start;
  private final ByteArrayOutputStream held = new ByteArrayOutputStream();

  /** Told of everything in order. */
  public interface Sink {
    /** Bytes outside marks; valid during the call only. */
    void data(ByteBuffer bytes);

    /** The text of a mark. */
    void mark(String text);
  }

  /**
   * For marks with this word.
   *
   * @param word letters, digits and dashes; a secret, so that no output can hold it by chance
   */
  public MarkScanner(String word) {
    this(RS, word);
  }

  /**
   * For marks that begin and end with another byte.
   *
   * @param lead a control character
   * @param word as above
   */
  public MarkScanner(byte lead, String word) {
    this.lead = lead;
    this.start = ((char) lead + word + ' ').getBytes(StandardCharsets.US_ASCII);
  }

  /** Takes all of these bytes. */
  public void feed(ByteBuffer in, Sink sink) {
    int plain = in.position();
    for (int i = in.position(); i < in.limit(); i++) {
      byte value = in.get(i);
      if (held.size() == 0) {
        if (value == lead) {
          data(in, plain, i, sink);
          held.write(value);
        }
      } else if (continues(value)) {
        held.write(value);
        if (value == lead) {
          String text = held.toString(StandardCharsets.ISO_8859_1);
          held.reset();
          sink.mark(text.substring(start.length, text.length() - 1));
          plain = i + 1;
        }
      } else {
        finish(sink);
        plain = i;
        i--;
      }
    }
    if (held.size() == 0) {
      data(in, plain, in.limit(), sink);
    }
    in.position(in.limit());
  }

  /** The bytes up to the next RS, which are taken from the buffer: no mark ends within them. */
  static ByteBuffer upToMark(ByteBuffer bytes) {
    int end = bytes.position();
    while (end < bytes.limit() && bytes.get(end) != RS) {
      end++;
    }
    ByteBuffer part = bytes.duplicate().limit(Math.min(end + 1, bytes.limit()));
    bytes.position(part.limit());
    return part;
  }

  /** Gives out what was held back: no mark will come of it. */
  public void finish(Sink sink) {
    if (held.size() > 0) {
      ByteBuffer bytes = ByteBuffer.wrap(held.toByteArray());
      held.reset();
      sink.data(bytes);
    }
  }

  private boolean continues(byte value) {
    int at = held.size();
    if (at < start.length) {
      return value == start[at];
    }
    return value == lead || (at < start.length + LONGEST && value >= ' ' && value < 0x7f);
  }

  private static void data(ByteBuffer in, int from, int to, Sink sink) {
    if (from < to) {
      sink.data(in.duplicate().position(from).limit(to));
    }
  }
}
