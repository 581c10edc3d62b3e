package io.sandboxspi.remote.e2b;

import io.sandboxspi.core.reap.Owner;
import io.sandboxspi.remote.shell.Marks;
import io.sandboxspi.remote.transport.ClientOptions;
import io.sandboxspi.remote.transport.HttpTransport;
import io.sandboxspi.remote.transport.RemoteException;
import io.sandboxspi.remote.transport.RemoteException.Kind;
import io.sandboxspi.spi.BackendRequest;
import io.sandboxspi.spi.Deadline;
import io.sandboxspi.spi.ListedBackend;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sandboxes that have our metadata, and who owns them. Metadata tells who made one and cannot be
 * changed, so who attaches to it leaves a note in it.
 */
final class Listing {
  private static final Logger LOG = LoggerFactory.getLogger(Listing.class);
  private static final String USER = Marks.PREFIX + "user";
  private static final String NOTE = ".sandbox-owner";
  private static final int NOTE_LIMIT = 100;

  private final ControlPlane controlPlane;
  private final HttpTransport transport;

  Listing(ControlPlane controlPlane, HttpTransport transport) {
    this.controlPlane = controlPlane;
    this.transport = transport;
  }

  /** What a new sandbox is marked with. */
  static Map<String, String> marks(BackendRequest request, E2bOptions options) {
    Map<String, String> marks = new HashMap<>(Marks.of(request, options.metadata()));
    options.user().ifPresent(name -> marks.put(USER, name));
    return marks;
  }

  /** All; {@code client} is how they will be reached. */
  List<ListedBackend> all(ClientOptions client, Deadline deadline) throws InterruptedException {
    List<ListedBackend> found = new ArrayList<>();
    for (ControlPlane.Listed each : controlPlane.list(deadline)) {
      Map<String, String> marks = new HashMap<>(each.metadata());
      if (Owner.state(marks.getOrDefault(Marks.OWNER, "")) == Owner.State.GONE) {
        marks.put(Marks.OWNER, owner(each, deadline));
      }
      Marks.listed(E2bRef.named(each.sandbox(), client), marks).ifPresent(found::add);
    }
    return found;
  }

  /** Its maker has gone; who attached to it since may not. Nobody, where that cannot be told. */
  private String owner(ControlPlane.Listed listed, Deadline deadline) throws InterruptedException {
    if (listed.paused()) {
      // To look into it would wake it.
      return "";
    }
    try {
      Access access = controlPlane.access(listed.sandbox(), deadline);
      Optional<String> user = Optional.ofNullable(listed.metadata().get(USER));
      try (InputStream note = envd(transport, access, user).read("~/" + NOTE, deadline)) {
        return new String(note.readNBytes(NOTE_LIMIT), StandardCharsets.US_ASCII);
      }
    } catch (RemoteException e) {
      if (e.said(404)) {
        return listed.metadata().getOrDefault(Marks.OWNER, "");
      }
      LOG.debug("the owner of sandbox {} cannot be told", listed.sandbox(), e);
    } catch (IOException e) {
      LOG.debug("the owner of sandbox {} cannot be told", listed.sandbox(), e);
    }
    return "";
  }

  /** Makes this process the owner. */
  static void take(HttpTransport transport, Access access, E2bRef ref, Deadline deadline)
      throws InterruptedException {
    byte[] note = Owner.current().getBytes(StandardCharsets.US_ASCII);
    try {
      envd(transport, access, ref.user())
          .write(ref.home() + "/" + NOTE, new ByteArrayInputStream(note), deadline);
    } catch (RemoteException e) {
      // Whatever the status: it does not prove that the sandbox is gone.
      throw new RemoteException(Kind.BROKEN, "the sandbox takes no file: " + e.getMessage(), e);
    }
  }

  private static Envd envd(HttpTransport transport, Access access, Optional<String> user) {
    return new Envd(
        transport,
        access,
        user,
        E2bOptions.STREAM_KEEP_ALIVE,
        (refusal, limit) -> {
          throw refusal;
        });
  }
}
