package io.sandboxspi.docker;

import io.sandboxspi.Operation;
import io.sandboxspi.core.files.FileCarrier;
import io.sandboxspi.core.files.LaunchAccess;
import io.sandboxspi.core.files.ShellAccess;
import io.sandboxspi.core.time.Lane;
import io.sandboxspi.docker.engine.Archives;
import io.sandboxspi.docker.engine.EngineException;
import io.sandboxspi.docker.engine.Refusal;
import io.sandboxspi.spi.Deadline;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/** Asks files of a kept shell, so that small files travel in answers; large ones get a process. */
final class KeptShell implements ShellAccess {
  private static final int SMALL_WRITE = 192 * 1024;
  private static final int SMALL_READ = 1 << 20;

  private final ControlLink link;
  private final LaunchAccess launches;
  private final FileArchives archives;
  private volatile Optional<Boolean> root = Optional.empty();

  KeptShell(ControlLink link, LaunchAccess launches, Archives archives, Lane lane) {
    this.link = link;
    this.launches = launches;
    this.archives = new FileArchives(archives, this::isRoot, lane);
  }

  private boolean isRoot(Deadline deadline) throws InterruptedException {
    Optional<Boolean> known = root;
    if (known.isPresent()) {
      return known.get();
    }
    String user = new String(ask("id -u", deadline), StandardCharsets.US_ASCII);
    boolean is = user.strip().equals("0");
    root = Optional.of(is);
    return is;
  }

  @Override
  public Optional<FileCarrier> carrier() {
    return Optional.of(archives);
  }

  /** Lets go of everything on this side. */
  void close() {
    archives.close();
    link.close();
  }

  /** The kept shell is of one user. */
  @Override
  public ShellAccess asUser(String user) {
    return launches.asUser(user);
  }

  @Override
  public byte[] ask(String text, Deadline deadline) throws InterruptedException {
    try {
      return link.ask(text.stripTrailing(), deadline).output();
    } catch (EngineException e) {
      throw Failures.of(Operation.FILE_STAT, e);
    } catch (Refusal refusal) {
      throw Failures.of(Operation.FILE_STAT, refusal);
    }
  }

  @Override
  public InputStream read(String text, Deadline deadline) throws InterruptedException {
    return launches.read(text, deadline);
  }

  @Override
  public byte[] write(String text, InputStream content, Deadline deadline)
      throws InterruptedException {
    return launches.write(text, content, deadline);
  }

  @Override
  public int smallRead() {
    return SMALL_READ;
  }

  @Override
  public int smallWrite() {
    return SMALL_WRITE;
  }
}
