package io.sandboxspi.docker;

import static org.assertj.core.api.Assertions.assertThat;

import com.github.dockerjava.api.model.Container;
import io.sandboxspi.SandboxSession;
import io.sandboxspi.core.reap.Owner;
import io.sandboxspi.core.reap.Reaper;
import io.sandboxspi.spi.BackendRef;
import io.sandboxspi.spi.ListedBackend;
import io.sandboxspi.spi.SandboxBackend;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Orphans among containers. */
@Tag("S-REAP-01")
class ListingTest {
  private final DockerProvider provider = new DockerProvider();

  @BeforeEach
  void engine() {
    TestEngine.need(TestEngine.BUSYBOX);
  }

  /** A container as a process that has gone left it, and one of somebody else's. */
  @Test
  void orphansAreRemovedAndNothingElse() throws Exception {
    String gone = Owner.current().replaceFirst("\\.[0-9]+$", ".1");
    String orphan = made(Map.of(Labels.SESSION, "orphan", Labels.OWNER, gone));
    String stranger = made(Map.of("io.sandboxspi.test", "stranger"));
    try (SandboxSession mine = DockerFixture.open(Map.of())) {
      // One of a test that runs beside this one is owned, or an orphan that is nobody's any more.
      List<Reaper.Result> results = Reaper.of(provider).run();

      assertThat(fate(results, orphan)).containsExactly(Reaper.Fate.REMOVED);
      assertThat(fate(results, DockerFixture.container(mine))).containsExactly(Reaper.Fate.OWNED);
      assertThat(fate(results, stranger)).isEmpty();
      assertThat(exists(orphan)).isFalse();
      assertThat(exists(stranger)).isTrue();
    } finally {
      new Containers(DockerFixture.engine()).remove(stranger, DockerFixture.seconds(20));
      new Containers(DockerFixture.engine()).remove(orphan, DockerFixture.seconds(20));
    }
  }

  /** Who attaches to what an ended process made owns it. */
  @Test
  void whoAttachesIsTheOwner() throws Exception {
    String gone = Owner.current().replaceFirst("\\.[0-9]+$", ".1");
    String left = made(Map.of(Labels.SESSION, "left", Labels.OWNER, gone));
    BackendRef ref = new BackendRef(DockerProvider.NAME, Map.of("container", left));
    try {
      assertThat(listed(left).owner()).isEqualTo(gone);
      for (int i = 0; i < 2; i++) {
        SandboxBackend backend = provider.attach(ref, DockerFixture.seconds(20));
        assertThat(listed(left).owner()).isEqualTo(Owner.current());
        Object unused = backend.release(DockerFixture.seconds(20));
      }
    } finally {
      Object unused = provider.delete(ref, DockerFixture.seconds(20));
    }
  }

  private ListedBackend listed(String container) throws InterruptedException {
    return provider.list(Map.of(), DockerFixture.seconds(20)).stream()
        .filter(it -> it.ref().data().containsValue(container))
        .findFirst()
        .orElseThrow();
  }

  private static List<Reaper.Fate> fate(List<Reaper.Result> results, String container) {
    return results.stream()
        .filter(result -> result.backend().ref().data().containsValue(container))
        .map(Reaper.Result::fate)
        .toList();
  }

  private static String made(Map<String, String> labels) throws InterruptedException {
    return DockerFixture.engine()
        .call(
            DockerFixture.seconds(20),
            client -> {
              String id =
                  client
                      .createContainerCmd(TestEngine.BUSYBOX)
                      .withCmd("sleep", "300")
                      .withLabels(labels)
                      .exec()
                      .getId();
              client.startContainerCmd(id).exec();
              return id;
            });
  }

  private static boolean exists(String container) throws InterruptedException {
    List<Container> all =
        DockerFixture.engine()
            .call(
                DockerFixture.seconds(20),
                client -> client.listContainersCmd().withShowAll(true).exec());
    return all.stream().anyMatch(it -> it.getId().equals(container));
  }
}
