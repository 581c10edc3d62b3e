package io.sandboxspi.fake.daytona;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sandboxspi.fake.Posix;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;

/**
 * One shell that stays. Commands are part of its own input: they change its directory and its
 * variables, and {@code exit} ends it with the answer of its command for ever owed.
 */
final class ShellSession {
  private static final int GRACE = 500;

  private final String id;
  private final Path directory;
  private final Process shell;
  private final Map<String, ShellCommand> commands = new ConcurrentHashMap<>();
  private volatile boolean ended;

  ShellSession(FakeSandbox sandbox, String id) throws IOException {
    this.id = id;
    directory = Files.createDirectories(sandbox.home().resolve(".daytona/sessions/" + id));
    ProcessBuilder builder =
        new ProcessBuilder("/bin/bash")
            .directory(new File(sandbox.home().toString()))
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .redirectError(ProcessBuilder.Redirect.DISCARD);
    builder.environment().clear();
    builder.environment().putAll(sandbox.environment(Map.of()));
    shell = builder.start();
  }

  synchronized ShellCommand run(String text, boolean input) throws IOException {
    Path place = Files.createDirectories(directory.resolve(UUID.randomUUID().toString()));
    ShellCommand command = new ShellCommand(place, text);
    commands.put(command.id(), command);
    OutputStream out = shell.getOutputStream();
    out.write(command.script(input).getBytes(StandardCharsets.UTF_8));
    out.flush();
    return command;
  }

  Optional<ShellCommand> command(String command) {
    return Optional.ofNullable(commands.get(command));
  }

  /** Whether it was deleted. */
  boolean ended() {
    return ended;
  }

  /** Asks its tree to end, then ends it. */
  void end() {
    ended = true;
    shell.descendants().forEach(ProcessHandle::destroy);
    shell.destroy();
    for (int i = 0; i < GRACE / 10 && shell.isAlive(); i++) {
      Sessions.pause(10);
    }
    shell.descendants().forEach(child -> Posix.signal(child.pid(), Posix.KILL));
    shell.destroyForcibly();
  }

  ObjectNode describe() {
    ObjectNode node = FakeSandbox.object().put("sessionId", id);
    ArrayNode all = node.putArray("commands");
    commands.values().forEach(command -> all.add(command.describe()));
    return node;
  }
}
