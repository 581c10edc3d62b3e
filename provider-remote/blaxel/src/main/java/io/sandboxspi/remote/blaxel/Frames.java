package io.sandboxspi.remote.blaxel;

import io.sandboxspi.remote.transport.RemoteException;
import io.sandboxspi.remote.transport.RemoteException.Kind;
import io.sandboxspi.spi.OutputChannel;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Base64;

/**
 * Takes a relay's frames out of its text, cut anywhere. What was seen before is passed over, so the
 * vendor may say it again. Not thread-safe.
 */
final class Frames {
  private static final byte GS = 29;
  private static final byte RS = 30;

  /** Ends a piece of plain characters, among which there may be an RS. */
  private static final byte ETB = 23;

  /** A piece of 32 KiB, with all of it said twice. */
  private static final int LONGEST = 128 * 1024;

  private final Sink sink;
  private final ByteArrayOutputStream held = new ByteArrayOutputStream();
  private boolean inside;
  private byte ends;
  private long output;
  private long errors;

  /** Told of the frames, once each. */
  interface Sink {
    /** A piece of output. */
    void piece(OutputChannel channel, long number, byte[] bytes);

    /** So many pieces of input were taken. */
    void taken(long number);

    /** So many pieces of input have come. */
    void came(long number);

    /** Both streams are at their end. */
    void end();

    /** The relay cannot work. */
    void failed(String why);

    /** A piece is missing or spoilt. */
    void gap();
  }

  Frames(Sink sink) {
    this.sink = sink;
  }

  /** What comes now does not follow what came before. */
  void restart() {
    inside = false;
    held.reset();
  }

  void feed(ByteBuffer bytes) {
    while (bytes.hasRemaining()) {
      byte value = bytes.get();
      if (value == GS) {
        inside = true;
        held.reset();
      } else if (inside && held.size() == 0) {
        ends = value == 'o' || value == 'e' ? ETB : RS;
        held.write(value);
      } else if (inside && value == ends) {
        inside = false;
        frame(held.toString(StandardCharsets.ISO_8859_1));
      } else if (inside) {
        held.write(value);
        if (held.size() > LONGEST) {
          throw new RemoteException(Kind.TOO_LARGE, "a frame of the terminal's relay is too long");
        }
      }
    }
  }

  private void frame(String text) {
    String[] parts = text.split(" ", 3);
    if (parts.length < 3 || !parts[1].matches("[0-9]{1,15}")) {
      // A program wrote to the terminal itself.
      return;
    }
    long number = Long.parseLong(parts[1]);
    switch (parts[0]) {
      case "O", "o" -> {
        if (follows(output, number)) {
          output = piece(OutputChannel.STDOUT, number, parts) ? number : output;
        }
      }
      case "E", "e" -> {
        if (follows(errors, number)) {
          errors = piece(OutputChannel.STDERR, number, parts) ? number : errors;
        }
      }
      case "I" -> {
        if (parts[2].equals(parts[1])) {
          sink.taken(number);
        } else {
          sink.gap();
        }
      }
      case "S" -> stand(number, parts[2]);
      case "N" -> sink.end();
      case "F" -> sink.failed(parts[2]);
      default -> {
        // A frame of a later relay.
      }
    }
  }

  /** What the relay has said so far; what is not here by now was dropped. */
  private void stand(long saidOutput, String text) {
    if (text.matches("[0-9]{1,15} [0-9]{1,15} [0-9]{1,15}")) {
      String[] numbers = text.split(" ");
      sink.taken(Long.parseLong(numbers[1]));
      sink.came(Long.parseLong(numbers[2]));
      if (saidOutput > output || Long.parseLong(numbers[0]) > errors) {
        sink.gap();
      }
    }
  }

  /** What the vendor says twice may be in the middle of a frame: then it is asked for again. */
  private boolean piece(OutputChannel channel, long number, String[] parts) {
    String text = parts[2];
    boolean plain = ends == ETB;
    int space = text.indexOf(' ');
    byte[] bytes = new byte[0];
    boolean whole = space > 0 && text.substring(0, space).equals("" + (text.length() - space - 1));
    if (whole) {
      try {
        String said = text.substring(space + 1);
        bytes =
            plain ? said.getBytes(StandardCharsets.US_ASCII) : Base64.getMimeDecoder().decode(said);
      } catch (IllegalArgumentException spoilt) {
        whole = false;
      }
    }
    if (whole) {
      sink.piece(channel, number, bytes);
    } else {
      sink.gap();
    }
    return whole;
  }

  private boolean follows(long last, long number) {
    if (number > last + 1) {
      sink.gap();
    }
    return number == last + 1;
  }
}
