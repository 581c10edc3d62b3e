package io.sandboxspi.core.posix;

import io.sandboxspi.SandboxException;
import io.sandboxspi.TerminalSize;
import io.sandboxspi.spi.LaunchId;
import io.sandboxspi.spi.LaunchRequest;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * Renders launches for a POSIX shell in the sandbox (spec S-SPI-02, S-POSIX-01 to S-POSIX-05).
 *
 * <p>The program leads a session and process group of its own, or its supervisor does. Before it
 * starts its number and start time are recorded, and it refuses to start if its id was killed
 * before or launched before. It carries {@link #COOKIE} in its environment. Arguments and variables
 * reach it unchanged, whatever bytes they hold.
 *
 * <p>The launcher itself ends with 127 for a missing program, 126 for one that cannot be executed,
 * and 125 for anything else; {@link LaunchMarks} and {@link PosixStatus} tell these from codes of
 * the program. It needs {@code setsid} unless the backend starts it as leader of a session, and
 * names in its error what else is missing. Another user needs root, and util-linux's {@code
 * setpriv} or busybox's {@code su}. A signal that is ignored when the shell starts stays ignored:
 * no shell can change that.
 *
 * <p>Immutable.
 */
public final class PosixLauncher {
  /** The variable that holds the launch id. */
  public static final String COOKIE = "SANDBOX_PROCESS";

  private static final String SCRIPT = ShellText.compact("start.sh", "launch.sh");

  /** Shells change or act on these: they go through {@code env}, behind the shell's back. */
  private static final Pattern SHELL_OWNED =
      Pattern.compile(
          "__s_.*|LD_.*|LC_.*|LANG|LANGUAGE|BASH.*|IFS|PS[0-9]|OPT[A-Z]+|PPID|GROUPS|SHLVL"
              + "|_|PWD|OLDPWD|CDPATH|LINENO|RANDOM|SRANDOM|SECONDS|EPOCH.*|SHELLOPTS|POSIXLY_CORRECT"
              + "|ENV|FUNCNAME|DIRSTACK|PIPESTATUS|HIST.*|TMOUT|MAIL.*|COLUMNS|LINES|GLOBIGNORE"
              + "|EXECIGNORE|COMP_.*|REPLY|FC.*|PROMPT_.*|TIMEFORMAT|UID|EUID|HOSTTYPE|OSTYPE|MACHTYPE");

  private final PosixState state;
  private final Set<LaunchOption> options;
  private final String exitMark;

  private PosixLauncher(PosixState state, Set<LaunchOption> options, String exitMark) {
    this.state = state;
    this.options = Set.copyOf(options);
    this.exitMark = exitMark;
  }

  /** A launcher with these options. */
  public static PosixLauncher of(PosixState state, Set<LaunchOption> options) {
    return new PosixLauncher(state, options, "");
  }

  /**
   * The same launcher, which also writes a trailer with this word to standard output when the
   * program has ended, for {@link LaunchMarks}; needs {@link LaunchOption#SUPERVISE}.
   *
   * @param mark a secret of this launch, so that the program's output cannot hold it; letters,
   *     digits and dashes
   */
  public PosixLauncher exitMark(LaunchId mark) {
    return new PosixLauncher(state, options, mark.value());
  }

  /**
   * Program and arguments, for a backend that executes such.
   *
   * @param workdir absolute
   */
  public List<String> argv(LaunchRequest request, String workdir) {
    List<String> argv = shell();
    argv.addAll(arguments(request, workdir));
    return argv;
  }

  /**
   * One line of shell text without the newline, for a vendor with nothing but an interactive shell;
   * the shell's place is taken by the launch. About 8 KiB: longer than a terminal takes in its
   * canonical mode.
   */
  public String line(LaunchRequest request, String workdir) {
    return ShellText.line("exec " + ShellText.quote(argv(request, workdir)));
  }

  /**
   * What the backend adds to its own environment; only the cookie's and the request's variables,
   * and nothing without {@link LaunchOption#NATIVE_ENVIRONMENT}.
   */
  public Map<String, String> environment(LaunchRequest request) {
    Map<String, String> variables = new LinkedHashMap<>();
    if (options.contains(LaunchOption.NATIVE_ENVIRONMENT)) {
      request
          .environment()
          .forEach(
              (name, value) -> {
                if (!owned(name)) {
                  variables.put(name, value);
                }
              });
      variables.put(COOKIE, request.id().value());
    }
    return variables;
  }

  /**
   * Program and arguments of a spare: a shell that has a session and waits for a launch, which then
   * costs no start of a process in the backend. Announces {@link LaunchMarks.Waiting}.
   *
   * @param spare its id, to {@link PosixKill kill} it while it waits
   */
  public List<String> spare(LaunchId spare) {
    List<String> argv = shell();
    argv.addAll(fixed(spare, "w" + flags(), TerminalSize.DEFAULT, "/", ""));
    return argv;
  }

  /**
   * A command that gives a waiting spare its launch and answers at once; the launch's own
   * announcement follows on the spare's output. Variables are exported by the launcher.
   */
  public String release(LaunchId spare, LaunchRequest request, String workdir) {
    PosixLauncher exporting =
        new PosixLauncher(state, without(LaunchOption.NATIVE_ENVIRONMENT), exitMark);
    String arguments = "set -- " + ShellText.quote(exporting.arguments(request, workdir));
    return "sandbox_release "
        + ShellText.quote(
            List.of(state.directory(), spare.value(), request.id().value(), arguments));
  }

  /**
   * Reads the answer to {@link #release}.
   *
   * @return whether the spare has taken the launch; otherwise it will never start it
   */
  public static boolean released(LaunchId spare, String answer) {
    return answer.equals(spare.value() + " RELEASED\n");
  }

  /**
   * A command that lets spares end by themselves, also those that do not wait yet; cheaper than a
   * kill, and proves nothing. One that has taken a launch is left alone.
   */
  public String dismiss(Collection<LaunchId> spares) {
    List<String> words = new ArrayList<>();
    words.add(state.directory());
    spares.forEach(spare -> words.add(spare.value()));
    return "sandbox_dismiss " + ShellText.quote(words);
  }

  private List<String> shell() {
    return new ArrayList<>(List.of(state.shell(), "-c", "eval \"$1\"", "sandbox-launch", SCRIPT));
  }

  private List<String> arguments(LaunchRequest request, String workdir) {
    absolute(workdir);
    List<String> arguments =
        new ArrayList<>(
            fixed(
                request.id(),
                flags() + (request.openInput() ? "" : "n"),
                request.terminal().orElse(TerminalSize.DEFAULT),
                workdir,
                request.user().orElse("")));
    boolean exporting = !options.contains(LaunchOption.NATIVE_ENVIRONMENT);
    arguments.addAll(program(request, exporting, state.shell()));
    return arguments;
  }

  static void absolute(String workdir) {
    if (!workdir.startsWith("/") || workdir.indexOf('\0') >= 0) {
      throw SandboxException.invalid("workdir", '"' + workdir + '"', "an absolute path");
    }
  }

  /** Variables and program as start.sh takes them. */
  static List<String> program(LaunchRequest request, boolean exporting, String shell) {
    List<String> exported = new ArrayList<>();
    List<String> behind = new ArrayList<>();
    new TreeMap<>(request.environment())
        .forEach(
            (name, value) -> {
              if (owned(name)) {
                behind.add(name + "=" + value);
              } else if (exporting && !name.equals(COOKIE)) {
                exported.add(name + "=" + value);
              }
            });
    List<String> arguments = new ArrayList<>();
    arguments.add(String.valueOf(exported.size()));
    arguments.addAll(exported);
    arguments.add(String.valueOf(behind.size()));
    arguments.addAll(behind);
    if (!behind.isEmpty() && request.argv().get(0).contains("=")) {
      // env would take the program for a variable.
      arguments.addAll(List.of(shell, "-c", "exec \"$@\"", "sandbox-exec"));
    }
    arguments.addAll(request.argv());
    return arguments;
  }

  private List<String> fixed(
      LaunchId id, String flags, TerminalSize size, String workdir, String user) {
    return List.of(
        state.directory(),
        id.value(),
        flags,
        state.shell(),
        String.valueOf(size.rows()),
        String.valueOf(size.columns()),
        workdir,
        exitMark,
        user);
  }

  private String flags() {
    return "f"
        + (options.contains(LaunchOption.ANNOUNCE) ? "a" : "")
        + (options.contains(LaunchOption.SUPERVISE) ? "s" : "")
        + (options.contains(LaunchOption.TERMINAL_SIZE) ? "z" : "");
  }

  private Set<LaunchOption> without(LaunchOption option) {
    Set<LaunchOption> rest = new HashSet<>(options);
    rest.remove(option);
    return rest;
  }

  private static boolean owned(String name) {
    return SHELL_OWNED.matcher(name).matches();
  }
}
