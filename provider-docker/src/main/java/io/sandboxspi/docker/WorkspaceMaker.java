package io.sandboxspi.docker;

import com.github.dockerjava.api.command.InspectContainerResponse;
import io.sandboxspi.docker.engine.Engine;
import io.sandboxspi.docker.engine.Refusal;
import io.sandboxspi.spi.Deadline;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.Optional;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.apache.commons.compress.archivers.tar.TarArchiveOutputStream;

/**
 * Makes the workspace of a container that does not run yet, owned by the container's user. One that
 * exists is left as it is.
 */
final class WorkspaceMaker {
  private static final int ACCOUNTS_LIMIT = 1 << 20;

  private final Engine engine;
  private final String container;

  WorkspaceMaker(Engine engine, String container) {
    this.engine = engine;
    this.container = container;
  }

  /** Numbers of a user and a group. */
  record Owner(long user, long group) {
    static final Owner ROOT = new Owner(0, 0);
  }

  /**
   * Makes it.
   *
   * @param session a volume that was made for this session is as new as the container
   */
  void prepare(String session, DockerOptions options, Deadline deadline)
      throws InterruptedException {
    String workspace = options.workspace();
    boolean mounted =
        options.readOnly()
            || options.tmpfs().containsKey(workspace)
            || options.binds().stream().anyMatch(bind -> bind.target().equals(workspace));
    if (mounted) {
      return;
    }
    Deque<String> missing = new ArrayDeque<>();
    if (newVolume(session, options, deadline)) {
      missing.push(workspace);
    }
    for (String path = workspace; !path.isEmpty() && !exists(path, deadline); ) {
      missing.push(path);
      path = path.substring(0, path.lastIndexOf('/'));
    }
    if (missing.isEmpty()) {
      return;
    }
    byte[] tar = tar(missing, owner(deadline));
    Optional<Object> unused =
        engine.call(
            deadline,
            client -> {
              client
                  .copyArchiveToContainerCmd(container)
                  .withRemotePath("/")
                  .withTarInputStream(new ByteArrayInputStream(tar))
                  .exec();
              return Optional.empty();
            });
  }

  private boolean newVolume(String session, DockerOptions options, Deadline deadline)
      throws InterruptedException {
    Optional<DockerOptions.NamedVolume> volume =
        options.volumes().stream()
            .filter(each -> each.target().equals(options.workspace()))
            .findFirst();
    if (volume.isEmpty() || volume.get().name().isEmpty()) {
      return volume.isPresent();
    }
    String name = volume.get().name();
    Map<String, String> labels =
        engine.call(deadline, client -> client.inspectVolumeCmd(name).exec().getLabels());
    return labels != null && session.equals(labels.get(Labels.SESSION));
  }

  private static byte[] tar(Iterable<String> directories, Owner owner) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (TarArchiveOutputStream tar = new TarArchiveOutputStream(bytes)) {
      tar.setLongFileMode(TarArchiveOutputStream.LONGFILE_POSIX);
      tar.setBigNumberMode(TarArchiveOutputStream.BIGNUMBER_POSIX);
      for (String directory : directories) {
        TarArchiveEntry entry = new TarArchiveEntry(directory.substring(1) + "/");
        entry.setMode(0755);
        entry.setUserId(owner.user());
        entry.setGroupId(owner.group());
        tar.putArchiveEntry(entry);
        tar.closeArchiveEntry();
      }
    } catch (IOException e) {
      throw new IllegalStateException("an archive in memory", e);
    }
    return bytes.toByteArray();
  }

  private boolean exists(String path, Deadline deadline) throws InterruptedException {
    try {
      return engine.call(
          deadline,
          client -> {
            try (InputStream in = client.copyArchiveFromContainerCmd(container, path).exec()) {
              return in.read() >= 0;
            }
          });
    } catch (Refusal refusal) {
      if (refusal.notFound()) {
        return false;
      }
      throw refusal;
    }
  }

  private Owner owner(Deadline deadline) throws InterruptedException {
    InspectContainerResponse answer =
        engine.call(deadline, client -> client.inspectContainerCmd(container).exec());
    String text = answer.getConfig().getUser() == null ? "" : answer.getConfig().getUser();
    if (text.isEmpty()) {
      return Owner.ROOT;
    }
    String[] parts = text.split(":", 2);
    Optional<String[]> account = account(lines("/etc/passwd", deadline), parts[0]);
    long user = number(parts[0]).or(() -> field(account, 2)).orElse(0L);
    Optional<Long> group =
        parts.length == 2
            ? number(parts[1]).or(() -> groupOf(parts[1], deadline))
            : field(account, 3);
    return new Owner(user, group.orElse(0L));
  }

  private Optional<Long> groupOf(String name, Deadline deadline) {
    try {
      return field(account(lines("/etc/group", deadline), name), 2);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return Optional.empty();
    }
  }

  private static Optional<String[]> account(String lines, String nameOrNumber) {
    return lines
        .lines()
        .map(line -> line.split(":", -1))
        .filter(f -> f.length > 2 && (f[0].equals(nameOrNumber) || f[2].equals(nameOrNumber)))
        .findFirst();
  }

  private static Optional<Long> field(Optional<String[]> fields, int index) {
    return fields.filter(f -> f.length > index).flatMap(f -> number(f[index]));
  }

  private static Optional<Long> number(String text) {
    return text.matches("[0-9]{1,10}") ? Optional.of(Long.parseLong(text)) : Optional.empty();
  }

  /** A text file of the image; empty when there is none. */
  private String lines(String path, Deadline deadline) throws InterruptedException {
    try {
      return engine.call(
          deadline,
          client -> {
            try (TarArchiveInputStream tar =
                new TarArchiveInputStream(
                    client.copyArchiveFromContainerCmd(container, path).exec())) {
              return tar.getNextEntry() == null
                  ? ""
                  : new String(tar.readNBytes(ACCOUNTS_LIMIT), StandardCharsets.ISO_8859_1);
            }
          });
    } catch (Refusal refusal) {
      if (refusal.notFound()) {
        return "";
      }
      throw refusal;
    }
  }
}
