package io.sandboxspi.core.posix;

import io.sandboxspi.spi.LaunchId;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Optional;
import java.util.Queue;

/**
 * The protocol of one kept shell that runs commands one after another: each answer stands between
 * two marks with a random word of its request. Answers are any bytes; what comes between answers,
 * or belongs to a request that was given up, is dropped. Needs a shell with its standard input and
 * output as pipes, started by {@link PosixState#shell()} without arguments.
 *
 * <p>Requests may be sent ahead. Commands must be of this package or otherwise well formed: a
 * syntax error ends some shells. Not thread-safe.
 */
public final class ControlShell {
  /** Bytes of an answer that are kept. */
  public static final int LONGEST_ANSWER = 4 << 20;

  private final Queue<Pending> pending = new ArrayDeque<>();

  /**
   * An answer.
   *
   * @param request as returned by {@link Request#id()}
   * @param output standard output of the command, cut at {@link #LONGEST_ANSWER}
   * @param code its exit code
   */
  public record Answer(LaunchId request, byte[] output, int code) {
    /** The output as text. */
    public String text() {
      return new String(output, StandardCharsets.UTF_8);
    }
  }

  /**
   * A request.
   *
   * @param id names its answer
   * @param bytes to write to the shell, whole
   */
  public record Request(LaunchId id, byte[] bytes) {}

  /** What the shell must read first. */
  public static byte[] bootstrap() {
    return ("PS1= PS2=\n" + PosixState.library() + "\n").getBytes(StandardCharsets.UTF_8);
  }

  /** Makes a request; its answer is expected from now on. */
  public Request request(String command) {
    LaunchId id = LaunchId.random();
    pending.add(new Pending(id));
    String mark = "printf '\\036" + id + " %s\\036' ";
    String text = mark + "'<'; { " + command + "\n} </dev/null 2>/dev/null; " + mark + "\">$?\"\n";
    return new Request(id, text.getBytes(StandardCharsets.UTF_8));
  }

  /** Expects no answer to this request any more; the shell may still be busy with it. */
  public void abandon(LaunchId request) {
    pending.removeIf(one -> one.id.equals(request));
  }

  /**
   * Takes bytes of the shell until an answer is whole; call again while bytes remain.
   *
   * @return the answer, if one is
   */
  public Optional<Answer> feed(ByteBuffer bytes) {
    while (bytes.hasRemaining() && !pending.isEmpty()) {
      Pending head = pending.element();
      head.scanner.feed(MarkScanner.upToMark(bytes), head);
      if (head.code >= 0) {
        pending.remove();
        return Optional.of(new Answer(head.id, head.output.toByteArray(), head.code));
      }
    }
    bytes.position(bytes.limit());
    return Optional.empty();
  }

  private static final class Pending implements MarkScanner.Sink {
    private final LaunchId id;
    private final MarkScanner scanner;
    private final ByteArrayOutputStream output = new ByteArrayOutputStream();
    private boolean open;
    private int code = -1;

    Pending(LaunchId id) {
      this.id = id;
      this.scanner = new MarkScanner(id.value());
    }

    @Override
    public void data(ByteBuffer bytes) {
      while (open && bytes.hasRemaining() && output.size() < LONGEST_ANSWER) {
        output.write(bytes.get());
      }
    }

    @Override
    public void mark(String text) {
      if (text.equals("<")) {
        open = true;
        output.reset();
      } else if (open && text.matches(">\\d{1,3}")) {
        code = Integer.parseInt(text.substring(1));
      }
    }
  }
}
