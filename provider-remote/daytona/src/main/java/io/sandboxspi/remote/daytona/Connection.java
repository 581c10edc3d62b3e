package io.sandboxspi.remote.daytona;

import io.sandboxspi.remote.transport.ClientOptions;
import io.sandboxspi.remote.transport.OptionReader;
import io.sandboxspi.remote.transport.Variables;
import io.sandboxspi.remote.transport.WebSocketOptions;
import io.sandboxspi.spi.Deadline;
import java.net.URI;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Whom to talk to.
 *
 * @param plane empty for a daemon alone
 * @param toolbox address of the daemon if it is given, with {@code {id}} for the sandbox
 * @param reference what a reference has to say about it
 */
record Connection(
    Wire wire,
    Optional<ControlPlane> plane,
    Optional<String> toolbox,
    Map<String, String> reference) {
  static final String SANDBOX = "sandbox";

  /** The name that a daemon without control plane goes by. */
  static final String ALONE = "daemon";

  /**
   * From settings, and options that go before them.
   *
   * @param given options of a sandbox, or the data of a reference
   */
  static Connection of(Settings settings, Map<String, String> given) {
    Optional<String> toolbox =
        Optional.ofNullable(given.get(DaytonaOptions.TOOLBOX_URL)).or(settings::toolbox);
    toolbox.ifPresent(
        text -> Variables.address(DaytonaOptions.TOOLBOX_URL, text.replace("{id}", "id")));
    Optional<String> missing = settings.missing(toolbox.isPresent());
    if (missing.isPresent()) {
      throw Settings.unavailable(missing.get());
    }
    URI api =
        Variables.address(
            DaytonaOptions.API_URL,
            Optional.ofNullable(given.get(DaytonaOptions.API_URL))
                .or(settings::api)
                .orElse(Settings.DEFAULT_API));
    ClientOptions client = new OptionReader(DaytonaProvider.NAME, given).client(Wire.USER_AGENT);
    Map<String, String> reference = new HashMap<>(given);
    reference.keySet().retainAll(List.of(DaytonaOptions.API_URL, DaytonaOptions.TOOLBOX_URL));
    reference.putAll(OptionReader.data(client));
    Wire wire = new Wire(client, settings, api);
    return new Connection(
        wire,
        settings.key().isPresent() ? Optional.of(new ControlPlane(wire)) : Optional.empty(),
        toolbox,
        Map.copyOf(reference));
  }

  /** The daemon of a sandbox, by what the control plane says of it unless its address is given. */
  Toolbox toolbox(String sandbox, String said, Deadline deadline) throws InterruptedException {
    String base;
    if (toolbox.isPresent()) {
      base = toolbox.get().replace("{id}", sandbox);
    } else if (said.isEmpty()) {
      base = plane.orElseThrow().toolbox(sandbox, deadline).replaceAll("/+$", "") + "/" + sandbox;
    } else {
      base = said.replaceAll("/+$", "") + "/" + sandbox;
    }
    URI uri = Variables.address("the toolbox's address", base);
    return new Toolbox(wire, uri, WebSocketOptions.DEFAULT);
  }
}
