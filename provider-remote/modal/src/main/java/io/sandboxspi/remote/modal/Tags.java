package io.sandboxspi.remote.modal;

import io.sandboxspi.core.reap.Owner;
import io.sandboxspi.remote.modal.wire.SandboxInfo;
import io.sandboxspi.remote.modal.wire.SandboxTag;
import io.sandboxspi.remote.shell.Marks;
import io.sandboxspi.spi.BackendRequest;
import io.sandboxspi.spi.Deadline;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** {@link Marks} as tags. The vendor knows itself when a sandbox was made. */
final class Tags {
  private Tags() {}

  static List<SandboxTag> of(BackendRequest request, Map<String, String> more) {
    List<SandboxTag> tags = new ArrayList<>();
    more.forEach((name, value) -> tags.add(tag(name, value)));
    tags.add(session(request.sessionId()));
    tags.add(tag(Marks.OWNER, Owner.of(request)));
    return tags;
  }

  static SandboxTag session(String id) {
    return tag(Marks.SESSION, id);
  }

  private static SandboxTag tag(String name, String value) {
    return SandboxTag.newBuilder().setTagName(name).setTagValue(value).build();
  }

  static Optional<String> value(SandboxInfo sandbox, String name) {
    return value(sandbox.getTagsList(), name);
  }

  private static Optional<String> value(List<SandboxTag> tags, String name) {
    return tags.stream()
        .filter(tag -> tag.getTagName().equals(name))
        .map(SandboxTag::getTagValue)
        .findFirst();
  }

  /** Makes this process the owner, unless the sandbox is durable or not ours. */
  static void take(ControlPlane plane, String sandbox, Deadline deadline)
      throws InterruptedException {
    List<SandboxTag> tags = plane.tags(sandbox, deadline);
    Optional<String> owner = value(tags, Marks.OWNER);
    String mine = Owner.current();
    if (owner.isEmpty() || owner.get().equals(Owner.DURABLE) || owner.get().equals(mine)) {
      return;
    }
    List<SandboxTag> changed = new ArrayList<>(tags);
    changed.removeIf(tag -> tag.getTagName().equals(Marks.OWNER));
    changed.add(tag(Marks.OWNER, mine));
    plane.tag(sandbox, changed, deadline);
  }
}
