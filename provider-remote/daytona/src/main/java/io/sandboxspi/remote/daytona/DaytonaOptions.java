package io.sandboxspi.remote.daytona;

import io.sandboxspi.SandboxException;
import io.sandboxspi.remote.shell.Marks;
import io.sandboxspi.remote.transport.OptionReader;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.regex.Pattern;

/**
 * The options of a sandbox, checked (spec S-VAL-01, S-VAL-02).
 *
 * @param source snapshot or image; both empty for the organisation's default
 * @param size for an image only
 * @param labels beside the provider's
 * @param open whether its ports need no token
 * @param workspace absolute; empty for {@code workspace} in the user's home directory
 */
record DaytonaOptions(
    Map<String, String> given,
    Source source,
    Size size,
    Life life,
    Map<String, String> labels,
    Optional<String> target,
    Optional<String> workspace,
    boolean network,
    boolean open,
    Ports ports,
    OnRelease onRelease,
    boolean keepAlive) {

  static final String API_URL = "api-url";
  static final String TOOLBOX_URL = "toolbox-url";
  private static final int MOST_MINUTES = 525_600;
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._/:@-]{0,254}");
  private static final Pattern WORD = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,63}");
  private static final Pattern LABEL = Pattern.compile("[^=]+=.*");

  /** From what a sandbox is made. */
  record Source(Optional<String> snapshot, Optional<String> image) {}

  /** Cores and gigabytes. */
  record Size(OptionalInt cpu, OptionalInt memory, OptionalInt disk) {
    private boolean given() {
      return cpu.isPresent() || memory.isPresent() || disk.isPresent();
    }
  }

  /**
   * When the vendor ends it, in minutes.
   *
   * @param stop without activity; 0 for never
   * @param archive after it was stopped
   * @param delete after it was stopped; 0 for at once, negative for never
   * @param ttl after it was made
   */
  record Life(int stop, OptionalInt archive, OptionalInt delete, OptionalInt ttl) {}

  /** Whether it reaches the network. */
  private enum Network {
    /** As the organisation's sandboxes do. */
    DEFAULT,
    /** It does not. */
    NONE
  }

  /** What becomes of the sandbox when a session lets go of it. */
  enum OnRelease {
    /** It runs on until the vendor stops it. */
    KEEP,
    /** It is stopped: its disk stays, its processes end. */
    STOP,
    /** It is stopped and its disk moved away. */
    ARCHIVE,
    /** Its memory stays too; some classes of sandboxes only. */
    PAUSE,
    /** It is deleted. */
    DELETE
  }

  DaytonaOptions {
    given = Map.copyOf(given);
    labels = Map.copyOf(labels);
  }

  static DaytonaOptions parse(Map<String, String> given) {
    OptionReader options = new OptionReader(DaytonaProvider.NAME, given);
    DaytonaOptions parsed =
        new DaytonaOptions(
            given,
            new Source(
                options.optional("snapshot", NAME, "the name of a snapshot"),
                options.optional("image", NAME, "the name of an image")),
            new Size(
                options.number("cpu", 1, 1024),
                options.number("memory", 1, 65_536),
                options.number("disk", 1, 65_536)),
            new Life(
                options.number("auto-stop", 0, MOST_MINUTES).orElse(15),
                options.number("auto-archive", 0, MOST_MINUTES),
                options.number("auto-delete", -1, MOST_MINUTES),
                options.number("ttl", 1, MOST_MINUTES)),
            options.pairs("labels", LABEL, "name=value", Marks.PREFIX),
            options.optional("target", WORD, "the name of a region, as us"),
            options.absoluteWorkspace(),
            options.choice(Network.class, "network", "default") == Network.DEFAULT,
            options.flag("public", false),
            Ports.read(options),
            options.choice(OnRelease.class, "on-release", "keep"),
            options.flag("keep-alive", true));
    Object unused = options.client(Wire.USER_AGENT);
    for (String address : List.of(API_URL, TOOLBOX_URL)) {
      // They are checked where they are used.
      unused = options.text(address, "");
    }
    options.end();
    parsed.checkTogether();
    return parsed;
  }

  private void checkTogether() {
    if (source.snapshot().isPresent() && source.image().isPresent()) {
      throw SandboxException.invalid("image", "given", "nothing with a snapshot");
    }
    if (size.given() && source.image().isEmpty()) {
      throw SandboxException.invalid(
          "cpu, memory or disk", "given", "nothing without image: a snapshot has its own");
    }
    if (open && ports.life().isPresent()) {
      throw SandboxException.invalid(
          Ports.LIFE, "given", "nothing with public: its ports need no token");
    }
    if (life.stop() == 0 && life.ttl().isEmpty()) {
      // Nothing would ever end what is forgotten.
      throw SandboxException.invalid("auto-stop", 0, "1 or more, or 0 together with ttl");
    }
  }

  /** How often the vendor hears that the sandbox is in use; empty for never. */
  static Optional<Duration> heartbeat(int autoStop, boolean keepAlive) {
    return autoStop > 0 && keepAlive
        ? Optional.of(Duration.ofSeconds(Math.max(20, autoStop * 60L / 3)))
        : Optional.empty();
  }
}
