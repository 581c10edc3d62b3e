package io.sandboxspi.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sandboxspi.Capability;
import io.sandboxspi.ErrorCode;
import io.sandboxspi.SandboxException;
import io.sandboxspi.SandboxSpec;
import io.sandboxspi.spi.Availability;
import io.sandboxspi.spi.BackendRef;
import io.sandboxspi.spi.BackendRequest;
import io.sandboxspi.spi.Deadline;
import io.sandboxspi.spi.ReleaseOutcome;
import io.sandboxspi.spi.SandboxBackend;
import io.sandboxspi.spi.SandboxProvider;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SandboxesTest {
  @TempDir private Path directory;
  private final ClassLoader before = Thread.currentThread().getContextClassLoader();

  @AfterEach
  void restoreLoader() {
    Thread.currentThread().setContextClassLoader(before);
  }

  private void provide(String... implementations) throws Exception {
    Path services = Files.createDirectories(directory.resolve("META-INF/services"));
    Files.write(services.resolve(SandboxProvider.class.getName()), List.of(implementations));
    Thread.currentThread()
        .setContextClassLoader(new URLClassLoader(new URL[] {directory.toUri().toURL()}, before));
  }

  @Test
  @Tag("S-DISC-01")
  void aBrokenProviderDoesNotHideTheOthersAndSaysWhy() throws Exception {
    provide(
        "no.such.Provider",
        Good.class.getName(),
        Throwing.class.getName(),
        Nameless.class.getName(),
        Missing.class.getName());
    assertThat(Sandboxes.providers())
        .extracting(ProviderInfo::name)
        .contains("good", "missing")
        .hasSize(5);
    assertThat(Sandboxes.providers())
        .extracting(info -> info.availability().toString())
        .anyMatch(text -> text.contains("no.such.Provider"))
        .anyMatch(text -> text.contains("cannot be made today"))
        .anyMatch(text -> text.contains("lost my name"));
    assertThat(Sandboxes.provider("good")).isInstanceOf(Good.class);
  }

  @Test
  @Tag("S-DISC-01")
  void onlyTheOneThatIsAskedForHasToSayWhatItCanDo() throws Exception {
    provide(Good.class.getName(), Slow.class.getName());
    Slow.ASKED.set(0);
    assertThat(Sandboxes.provider("good")).isInstanceOf(Good.class);
    assertThat(Slow.ASKED).hasValue(0);
    assertThat(Sandboxes.providers()).extracting(ProviderInfo::name).contains("good", "slow");
    assertThat(Slow.ASKED).hasValue(1);
  }

  @Test
  @Tag("S-DISC-02")
  void anUnknownNameListsTheKnownOnesAndWhatEachLacks() throws Exception {
    provide(Good.class.getName(), Missing.class.getName());
    assertThatThrownBy(() -> Sandboxes.open("goood", SandboxSpec.defaults()))
        .isInstanceOfSatisfying(
            SandboxException.class,
            e -> assertThat(e.code()).isEqualTo(ErrorCode.PROVIDER_NOT_FOUND))
        .hasMessage("no provider \"goood\"; known: good, missing (set THE_KEY)");
    assertThatThrownBy(() -> Sandboxes.open("missing", SandboxSpec.defaults()))
        .isInstanceOfSatisfying(
            SandboxException.class,
            e -> assertThat(e.code()).isEqualTo(ErrorCode.PROVIDER_UNAVAILABLE))
        .hasMessageContaining("set THE_KEY");
  }

  @Test
  @Tag("S-DISC-03")
  void twoProvidersOfOneNameAreAnError() throws Exception {
    provide(Good.class.getName(), Twin.class.getName());
    assertThatThrownBy(() -> Sandboxes.provider("good"))
        .isInstanceOfSatisfying(
            SandboxException.class,
            e -> assertThat(e.code()).isEqualTo(ErrorCode.PROVIDER_CONFLICT))
        .hasMessageContaining(Good.class.getName())
        .hasMessageContaining(Twin.class.getName());
  }

  /** A provider that makes nothing. */
  public static class Good implements SandboxProvider {
    @Override
    public String name() {
      return "good";
    }

    @Override
    public Set<Capability> capabilities() {
      return Set.of();
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
      throw new IllegalStateException("not in this test");
    }
  }

  /** Claims a name that is taken. */
  public static final class Twin extends Good {}

  /** Cannot be made. */
  public static final class Throwing extends Good {
    /** Fails. */
    public Throwing() {
      throw new IllegalStateException("cannot be made today");
    }
  }

  /** Cannot describe itself. */
  public static final class Nameless extends Good {
    @Override
    public String name() {
      throw new IllegalStateException("lost my name");
    }
  }

  /** Must not be asked in vain. */
  public static final class Slow extends Good {
    private static final AtomicInteger ASKED = new AtomicInteger();

    @Override
    public String name() {
      return "slow";
    }

    @Override
    public Availability availability() {
      ASKED.incrementAndGet();
      return Availability.available();
    }
  }

  /** Lacks something. */
  public static final class Missing extends Good {
    @Override
    public String name() {
      return "missing";
    }

    @Override
    public Availability availability() {
      return Availability.unavailable("set THE_KEY");
    }
  }
}
