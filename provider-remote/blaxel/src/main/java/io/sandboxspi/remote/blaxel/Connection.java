package io.sandboxspi.remote.blaxel;

import io.sandboxspi.remote.transport.ClientOptions;
import io.sandboxspi.remote.transport.OptionReader;
import io.sandboxspi.remote.transport.Variables;
import java.net.URI;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Whom to talk to.
 *
 * @param plane empty for an agent alone
 * @param agent address of the agent if it is given, with {@code {name}} for the sandbox
 * @param reference what a reference has to say about it
 */
record Connection(
    Wire wire,
    Optional<ControlPlane> plane,
    Optional<String> agent,
    Map<String, String> reference) {
  static final String SANDBOX = "sandbox";

  /** The name that an agent without control plane goes by. */
  static final String ALONE = "agent";

  /**
   * From settings, and options that go before them.
   *
   * @param given options of a sandbox, or the data of a reference
   */
  static Connection of(Settings settings, Map<String, String> given) {
    Optional<String> agent =
        Optional.ofNullable(given.get(BlaxelOptions.SANDBOX_URL)).or(settings::sandboxUrl);
    agent.ifPresent(
        text -> Variables.address(BlaxelOptions.SANDBOX_URL, text.replace("{name}", "name")));
    if (!settings.hosted() && agent.isEmpty()) {
      throw Settings.unavailable(Settings.MISSING);
    }
    URI api =
        Variables.address(
            BlaxelOptions.API_URL,
            Optional.ofNullable(given.get(BlaxelOptions.API_URL)).or(settings::api).orElseThrow());
    ClientOptions client = new OptionReader(BlaxelProvider.NAME, given).client(Wire.USER_AGENT);
    Map<String, String> reference = new HashMap<>(given);
    reference.keySet().retainAll(List.of(BlaxelOptions.API_URL, BlaxelOptions.SANDBOX_URL));
    reference.putAll(OptionReader.data(client));
    Wire wire = new Wire(client, settings, api);
    return new Connection(
        wire,
        settings.hosted() ? Optional.of(new ControlPlane(wire)) : Optional.empty(),
        agent,
        Map.copyOf(reference));
  }

  /** The agent of a sandbox, by what the control plane says of it unless its address is given. */
  SandboxApi agent(String sandbox, String said) {
    String base = agent.map(text -> text.replace("{name}", sandbox)).orElse(said);
    return new SandboxApi(wire, Variables.address("the sandbox's address", base));
  }
}
