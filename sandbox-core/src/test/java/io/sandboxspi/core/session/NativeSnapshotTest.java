package io.sandboxspi.core.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sandboxspi.Capability;
import io.sandboxspi.Checkpoint;
import io.sandboxspi.SandboxSpec;
import io.sandboxspi.Snapshot;
import io.sandboxspi.SnapshotPolicy;
import io.sandboxspi.core.snapshot.MemorySnapshots;
import io.sandboxspi.spi.BackendRef;
import io.sandboxspi.spi.BackendRequest;
import io.sandboxspi.spi.Deadline;
import io.sandboxspi.spi.NativeSnapshots;
import io.sandboxspi.spi.SandboxBackend;
import java.util.EnumSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("S-SNAP-07")
class NativeSnapshotTest {
  private final Own provider = new Own();
  private final String space = UUID.randomUUID().toString();
  private final SandboxSpec spec =
      SandboxSpec.builder()
          .snapshots(
              SnapshotPolicy.in(MemorySnapshots.NAME).option(MemorySnapshots.SPACE, space).keep(2))
          .build();

  @AfterEach
  void forget() {
    MemorySnapshots.clear(space);
  }

  /** A provider that copies its workspace by itself. */
  private static final class Own extends SavingProvider implements NativeSnapshots {
    final Map<String, Map<String, byte[]>> images = new TreeMap<>();
    boolean fails;

    @Override
    public Set<Capability> capabilities() {
      return EnumSet.allOf(Capability.class);
    }

    @Override
    public Optional<NativeSnapshots> nativeSnapshots() {
      return Optional.of(this);
    }

    @Override
    public Map<String, String> take(BackendRef ref, Deadline deadline) {
      calls.add("take");
      if (fails) {
        throw new IllegalStateException("no room");
      }
      String image = "image-" + (images.size() + 1);
      images.put(image, new TreeMap<>(work));
      return Map.of("image", image);
    }

    @Override
    public SandboxBackend restore(
        BackendRequest request, Map<String, String> snapshot, Deadline deadline) {
      calls.add("restore");
      work.putAll(images.get(snapshot.get("image")));
      gone = false;
      return this;
    }

    @Override
    public void delete(Map<String, String> snapshot, Deadline deadline) {
      calls.add("delete image");
      images.get(snapshot.get("image")).clear();
    }
  }

  @Test
  void theStoreKeepsTheNameAndTheProviderTheContent() throws Exception {
    EngineSession session = EngineSession.open(provider, spec, EngineOptions.defaults());
    provider.put("a", "1");
    Checkpoint first = session.stop();
    assertThat(first.snapshot().map(Snapshot::kind)).contains(Snapshot.Kind.NATIVE);
    assertThat(first.snapshot().orElseThrow().data()).isEqualTo(Map.of("image", "image-1"));
    provider.put("a", "2");
    session.close();
    assertThat(provider.calls).doesNotContain("archive");
    EngineSession again =
        EngineSession.resume(provider, first, spec, false, EngineOptions.defaults());
    assertThat(provider.text("a")).isEqualTo("1");
    assertThat(provider.calls).doesNotContain("fill");
    again.stop();
    assertThat(provider.calls).as("only two are kept").contains("delete image");
    again.delete();
  }

  @Test
  @Tag("S-SNAP-04")
  void oneThatFailsKeepsTheBackend() throws Exception {
    EngineSession session = EngineSession.open(provider, spec, EngineOptions.defaults());
    provider.fails = true;
    assertThatThrownBy(session::close).hasMessageContaining("saving the workspace");
    assertThat(provider.calls).doesNotContain("release", "delete");
    provider.fails = false;
    session.close();
    assertThat(provider.calls).contains("release", "delete");
  }
}
