package io.sandboxspi.remote.shell;

import io.sandboxspi.core.files.FileCarrier;
import io.sandboxspi.core.files.SeenFile;
import io.sandboxspi.remote.transport.RemoteException;
import io.sandboxspi.spi.Deadline;
import java.io.InputStream;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Contents by the vendor's calls for files, straight to where they belong. Paths that a vendor
 * could read in another way are left to the shell.
 */
final class InPlace implements FileCarrier {
  private static final Pattern PLAIN = Pattern.compile("/[A-Za-z0-9/._-]*");

  private final Machine machine;

  InPlace(Machine machine) {
    this.machine = machine;
  }

  @Override
  public boolean takes(long size) {
    return true;
  }

  @Override
  public Optional<InputStream> open(SeenFile file, Deadline deadline) throws InterruptedException {
    if (!PLAIN.matcher(file.path()).matches()) {
      return Optional.empty();
    }
    try {
      return Optional.of(machine.read(file.path(), deadline));
    } catch (RemoteException e) {
      throw FileAccess.failed(e);
    }
  }

  @Override
  public boolean fill(SeenFile file, InputStream content, long size, Deadline deadline)
      throws InterruptedException {
    if (!PLAIN.matcher(file.path()).matches()) {
      return false;
    }
    try {
      machine.write(file.path(), content, deadline);
      return true;
    } catch (RemoteException e) {
      throw FileAccess.failed(e);
    }
  }
}
