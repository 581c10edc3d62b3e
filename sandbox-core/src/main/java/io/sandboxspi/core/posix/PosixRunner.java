package io.sandboxspi.core.posix;

import io.sandboxspi.spi.LaunchId;
import io.sandboxspi.spi.LaunchRequest;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Renders launches without a terminal for a process that is kept and runs one program after
 * another, each as leader of a session of its own (spec S-POSIX-10). All else is as with {@link
 * PosixLauncher} and {@link LaunchOption#SUPERVISE}, but that the supervisor is not in the session.
 *
 * <p>The backend starts {@link #argv} with its standard input, output and error as pipes. Before
 * each launch it writes {@link #ready}, to which the runner answers with {@link
 * LaunchReport.Waiting}, then {@link #launch}. The program has these outputs, and the input if the
 * launch asks for one. Behind what it wrote comes a mark on both outputs, {@code RS mark EXIT ..
 * RS}: a {@link LaunchReport.Ended} on the first. Without a mark they end with the last process
 * that has them. The runner ends then, after a launch with input, and when its input ends while it
 * waits. The sandbox needs {@code setsid} and {@code rm}.
 *
 * <p>Immutable.
 */
public final class PosixRunner {
  private static final String RUNNER = ShellText.compact("start.sh", "runner.sh");
  private static final String TAKER = ShellText.compact("start.sh", "taker.sh");
  private static final int LONGEST = 60_000;

  private final PosixState state;
  private final LaunchId name;

  private PosixRunner(PosixState state, LaunchId name) {
    this.state = state;
    this.name = name;
  }

  /** A runner with this name, which no launch has. */
  public static PosixRunner of(PosixState state, LaunchId name) {
    return new PosixRunner(state, name);
  }

  /** Program and arguments of the process. */
  public List<String> argv() {
    return List.of(
        state.shell(),
        "-c",
        "eval \"$1\"",
        "sandbox-runner",
        "shift\n" + RUNNER,
        state.directory(),
        name.value(),
        state.shell());
  }

  /** What it must read first, and again after each launch. */
  public byte[] ready() {
    String call = "__s_ready " + ShellText.quote(List.of(state.directory(), name.value())) + "\n";
    return (TAKER + call).getBytes(StandardCharsets.UTF_8);
  }

  /** Whether a launch is of the kind that it runs. */
  public static boolean takes(LaunchRequest request) {
    long length =
        request.argv().stream().mapToLong(String::length).sum()
            + request.environment().entrySet().stream()
                .mapToLong(e -> e.getKey().length() + e.getValue().length())
                .sum();
    return request.terminal().isEmpty() && request.user().isEmpty() && length < LONGEST;
  }

  /**
   * A launch, to be written once it waits.
   *
   * @param mark a secret of this launch, so that the program's output cannot hold it
   * @param workdir absolute
   */
  public byte[] launch(LaunchId mark, LaunchRequest request, String workdir) {
    PosixLauncher.absolute(workdir);
    List<String> words = new ArrayList<>();
    words.add(request.id().value());
    words.add(mark.value());
    words.add(request.openInput() ? "a" : "an");
    words.add(workdir);
    words.addAll(PosixLauncher.program(request, true, state.shell()));
    return ("sandbox_take " + ShellText.quote(words) + "\n").getBytes(StandardCharsets.UTF_8);
  }
}
