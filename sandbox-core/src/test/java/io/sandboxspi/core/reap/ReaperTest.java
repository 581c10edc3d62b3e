package io.sandboxspi.core.reap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sandboxspi.Capability;
import io.sandboxspi.ErrorCode;
import io.sandboxspi.Operation;
import io.sandboxspi.SandboxException;
import io.sandboxspi.core.reap.Reaper.Fate;
import io.sandboxspi.spi.BackendRef;
import io.sandboxspi.spi.BackendRequest;
import io.sandboxspi.spi.Deadline;
import io.sandboxspi.spi.ListedBackend;
import io.sandboxspi.spi.ReleaseOutcome;
import io.sandboxspi.spi.SandboxBackend;
import io.sandboxspi.spi.SandboxProvider;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("S-REAP-03")
class ReaperTest {
  private static final String GONE = Owner.current().replaceFirst("\\.[0-9]+$", ".1");
  private static final String ELSEWHERE = "0123456789abcdef.1.1";

  private final Backends provider = new Backends();

  @Test
  void whatHasALivingOwnerOrAnUnknownOneStays() throws Exception {
    provider.add("gone", GONE, Duration.ZERO);
    provider.add("mine", Owner.current(), Duration.ofDays(9));
    provider.add("elsewhere", ELSEWHERE, Duration.ofDays(9));

    assertThat(fates(Reaper.of(provider)))
        .containsExactly("gone REMOVED", "mine OWNED", "elsewhere UNPROVEN");
    assertThat(provider.deleted).containsExactly("gone");
  }

  @Test
  void whatCannotBeToldGoesWhenItIsAskedFor() throws Exception {
    provider.add("elsewhere", ELSEWHERE, Duration.ofDays(9));
    provider.add("fresh", ELSEWHERE, Duration.ofMinutes(1));
    provider.add("mine", Owner.current(), Duration.ofDays(9));

    assertThat(fates(Reaper.of(provider).unproven().olderThan(Duration.ofHours(1))))
        .containsExactly("elsewhere REMOVED", "fresh YOUNG", "mine OWNED");
    assertThat(provider.deleted).containsExactly("elsewhere");
  }

  @Test
  void oneFailureStopsNothing() throws Exception {
    provider.add("broken", GONE, Duration.ZERO);
    provider.add("stuck", GONE, Duration.ZERO);
    provider.add("good", GONE, Duration.ZERO);

    List<Reaper.Result> results = Reaper.of(provider).run();

    assertThat(results)
        .extracting(Reaper.Result::fate)
        .containsExactly(Fate.FAILED, Fate.FAILED, Fate.REMOVED);
    assertThat(results.get(0).failure().orElseThrow().code())
        .isEqualTo(ErrorCode.BACKEND_RELEASE_FAILED);
    assertThat(results.get(1).failure().orElseThrow().code()).isEqualTo(ErrorCode.TRANSPORT);
  }

  @Test
  void aDryRunRemovesNothing() throws Exception {
    provider.add("gone", GONE, Duration.ZERO);

    assertThat(fates(Reaper.of(provider).options(Map.of("host", "h")).dryRun()))
        .containsExactly("gone ORPHAN");
    assertThat(provider.deleted).isEmpty();
    assertThat(provider.asked).isEqualTo(Map.of("host", "h"));
  }

  @Test
  void aProviderWithoutAListSaysSo() {
    SandboxProvider forgetful =
        new Backends() {
          @Override
          public List<ListedBackend> list(Map<String, String> options, Deadline deadline)
              throws InterruptedException {
            return super.unlisted(options, deadline);
          }
        };

    assertThatThrownBy(() -> Reaper.of(forgetful).run())
        .isInstanceOfSatisfying(
            SandboxException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.UNSUPPORTED));
  }

  private static List<String> fates(Reaper reaper) throws InterruptedException {
    return reaper.run().stream()
        .map(result -> result.backend().sessionId() + " " + result.fate())
        .toList();
  }

  /** A provider with backends on paper. */
  private static class Backends implements SandboxProvider {
    private final List<ListedBackend> backends = new ArrayList<>();
    private final List<String> deleted = new ArrayList<>();
    private Map<String, String> asked = Map.of();

    void add(String session, String owner, Duration age) {
      backends.add(
          new ListedBackend(
              new BackendRef("paper", Map.of("id", session)),
              session,
              owner,
              Instant.now().minus(age)));
    }

    @Override
    public String name() {
      return "paper";
    }

    @Override
    public Set<Capability> capabilities() {
      return Set.of(Capability.LIST);
    }

    @Override
    public SandboxBackend create(BackendRequest request, Deadline deadline) {
      throw new IllegalStateException("not in this test");
    }

    @Override
    public SandboxBackend attach(BackendRef ref, Deadline deadline) {
      throw new IllegalStateException("not in this test");
    }

    @Override
    public ReleaseOutcome delete(BackendRef ref, Deadline deadline) {
      String id = ref.data().getOrDefault("id", "");
      if (id.equals("broken")) {
        throw new IllegalStateException("a fault of the provider");
      }
      if (id.equals("stuck")) {
        throw SandboxException.of(ErrorCode.TRANSPORT, Operation.DELETE, "no answer");
      }
      deleted.add(id);
      return ReleaseOutcome.DESTROYED;
    }

    @Override
    public List<ListedBackend> list(Map<String, String> options, Deadline deadline)
        throws InterruptedException {
      asked = options;
      return backends;
    }

    List<ListedBackend> unlisted(Map<String, String> options, Deadline deadline)
        throws InterruptedException {
      return SandboxProvider.super.list(options, deadline);
    }
  }
}
