package io.sandboxspi.core.snapshot;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sandboxspi.ErrorCode;
import io.sandboxspi.SandboxException;
import io.sandboxspi.Snapshot;
import io.sandboxspi.spi.Deadline;
import io.sandboxspi.spi.SnapshotStore;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("S-SNAP-03")
class LocalSnapshotsTest {
  private static final String LINEAGE = "l-1";

  @TempDir Path temporary;
  private Path directory;
  private SnapshotStore store;

  @BeforeEach
  void open() {
    directory = temporary.resolve("deep").resolve("store");
    store = new LocalSnapshots().open(Map.of(LocalSnapshots.DIRECTORY, directory.toString()));
  }

  private static Deadline soon() {
    return Deadline.after(Duration.ofSeconds(20));
  }

  private Snapshot save(String text) throws InterruptedException {
    return store.save(
        new SnapshotStore.Draft(LINEAGE, 0, Snapshot.Kind.ARCHIVE, Map.of("k", "v")),
        out -> {
          out.write(text.getBytes(UTF_8));
          return "print of " + text;
        },
        soon());
  }

  private List<Long> listed() throws InterruptedException {
    return store.list(LINEAGE, soon()).stream().map(Snapshot::sequence).toList();
  }

  private String read(Snapshot snapshot) throws Exception {
    try (InputStream in = store.open(snapshot, soon())) {
      return new String(in.readAllBytes(), UTF_8);
    }
  }

  private List<Path> files(String suffix) throws IOException {
    try (Stream<Path> all = Files.list(directory.resolve(LINEAGE))) {
      return all.filter(path -> path.toString().endsWith(suffix)).toList();
    }
  }

  @Test
  void whatIsSavedIsListedAndRead() throws Exception {
    assertThat(listed()).isEmpty();
    Snapshot one = save("one");
    Snapshot two = save("");
    assertThat(store.list(LINEAGE, soon())).containsExactly(two, one);
    assertThat(one.fingerprint()).isEqualTo("print of one");
    assertThat(one.size()).isEqualTo(3);
    assertThat(one.data()).isEqualTo(Map.of("k", "v"));
    assertThat(read(one)).isEqualTo("one");
    assertThat(read(two)).isEmpty();
  }

  @Test
  void aNumberIsAboveAllOthersAndAtLeastWhatIsAskedFor() throws Exception {
    assertThat(save("a").sequence()).isEqualTo(1);
    SnapshotStore.Draft far = new SnapshotStore.Draft(LINEAGE, 40, Snapshot.Kind.ARCHIVE, Map.of());
    assertThat(store.save(far, out -> "", soon()).sequence()).isEqualTo(40);
    assertThat(save("b").sequence()).isEqualTo(41);
  }

  @Test
  void onlyTheOwnerCanLookInside() throws Exception {
    save("secret");
    for (Path at = directory.resolve(LINEAGE); !at.equals(temporary); at = at.getParent()) {
      assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(at)))
          .isEqualTo("rwx------");
    }
    for (Path file : files("")) {
      if (!file.endsWith(".lock")) {
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
            .isEqualTo("rw-------");
      }
    }
  }

  @Test
  void aFailureLeavesNothingAndWhatWasThereStays() throws Exception {
    Snapshot one = save("one");
    SnapshotStore.Draft draft =
        new SnapshotStore.Draft(LINEAGE, 0, Snapshot.Kind.ARCHIVE, Map.of());
    assertThatThrownBy(
            () ->
                store.save(
                    draft,
                    out -> {
                      out.write(1);
                      throw new IOException("torn");
                    },
                    soon()))
        .isInstanceOfSatisfying(
            SandboxException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.SNAPSHOT_FAILED));
    assertThat(store.list(LINEAGE, soon())).containsExactly(one);
    assertThat(files(".content")).hasSize(1);
    assertThat(files(".tmp")).isEmpty();
  }

  /** What a crash leaves: a content without a record, a record that was not renamed. */
  @Test
  void whatACrashTorePartIsNeverListedAndGoesWithTheNextWriter() throws Exception {
    Snapshot one = save("one");
    Path lineage = directory.resolve(LINEAGE);
    Files.writeString(lineage.resolve("0b1f3c1e-0000-4000-8000-000000000000.content"), "half");
    Files.writeString(lineage.resolve(".abc.tmp"), "{");
    assertThat(store.list(LINEAGE, soon())).containsExactly(one);
    Snapshot two = save("two");
    assertThat(store.list(LINEAGE, soon())).containsExactly(two, one);
    assertThat(files(".content")).hasSize(2);
    assertThat(files(".tmp")).isEmpty();
  }

  @Test
  void aRecordThatIsTornOrHasNoWholeContentIsNotListed() throws Exception {
    Snapshot one = save("one");
    save("two");
    Path record = directory.resolve(LINEAGE).resolve("2.json");
    String text = Files.readString(record);
    for (int cut = 0; cut < text.length(); cut += 7) {
      Files.writeString(record, text.substring(0, cut));
      assertThat(listed()).as("cut at %s", cut).containsExactly(1L);
    }
    Files.writeString(record, text);
    assertThat(listed()).containsExactly(2L, 1L);
    for (Path content : files(".content")) {
      if (Files.readString(content).equals("two")) {
        Files.writeString(content, "tw");
      }
    }
    assertThat(store.list(LINEAGE, soon())).containsExactly(one);
  }

  @Test
  void aContentThatWasChangedIsNotReadToAGoodEnd() throws Exception {
    Snapshot one = save("one");
    Files.writeString(files(".content").get(0), "onf");
    assertThatThrownBy(() -> read(one)).hasMessageContaining("damaged");
    try (InputStream in = store.open(one, soon())) {
      assertThat(in.read()).isEqualTo('o');
      assertThatThrownBy(() -> in.skip(10)).hasMessageContaining("damaged");
    }
  }

  @Test
  void oneThatIsDeletedIsGoneAndCanBeDeletedAgain() throws Exception {
    Snapshot one = save("one");
    Snapshot two = save("two");
    store.delete(one, soon());
    store.delete(one, soon());
    assertThat(store.list(LINEAGE, soon())).containsExactly(two);
    assertThat(files(".content")).hasSize(1);
    assertThatThrownBy(() -> store.open(one, soon()))
        .isInstanceOfSatisfying(
            SandboxException.class,
            e -> assertThat(e.code()).isEqualTo(ErrorCode.SNAPSHOT_NOT_FOUND));
  }

  @Test
  void writersOfALineageTakeTurns() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(4);
    try {
      List<Callable<Snapshot>> writers = new ArrayList<>();
      for (int i = 0; i < 12; i++) {
        String text = "text " + i;
        writers.add(() -> save(text));
      }
      List<Long> numbers = new ArrayList<>();
      for (Future<Snapshot> done : threads.invokeAll(writers)) {
        Snapshot snapshot = done.get();
        numbers.add(snapshot.sequence());
        assertThat("print of " + read(snapshot)).isEqualTo(snapshot.fingerprint());
      }
      assertThat(numbers).doesNotHaveDuplicates().hasSize(12);
    } finally {
      threads.shutdownNow();
    }
  }

  @Test
  void aWriterThatWaitsTooLongFailsAndAnotherLineageDoesNotWait() throws Exception {
    CountDownLatch writing = new CountDownLatch(1);
    CountDownLatch lifted = new CountDownLatch(1);
    ExecutorService thread = Executors.newSingleThreadExecutor();
    SnapshotStore.Draft draft =
        new SnapshotStore.Draft(LINEAGE, 0, Snapshot.Kind.ARCHIVE, Map.of());
    try {
      Future<Snapshot> slow =
          thread.submit(
              () ->
                  store.save(
                      draft,
                      out -> {
                        writing.countDown();
                        lifted.await();
                        return "";
                      },
                      soon()));
      writing.await();
      assertThatThrownBy(() -> store.save(draft, out -> "", Deadline.after(Duration.ofMillis(50))))
          .hasMessageContaining("another writer");
      SnapshotStore.Draft other =
          new SnapshotStore.Draft("other", 0, Snapshot.Kind.ARCHIVE, Map.of());
      assertThat(store.save(other, out -> "", soon()).sequence()).isEqualTo(1);
      lifted.countDown();
      assertThat(slow.get().sequence()).isEqualTo(1);
    } finally {
      lifted.countDown();
      thread.shutdownNow();
    }
  }

  @Test
  void badNamesAndOptionsAreRefused() {
    assertThatThrownBy(() -> store.list("../x", soon())).hasMessageContaining("lineage");
    assertThatThrownBy(() -> new LocalSnapshots().open(Map.of("x", "y")))
        .hasMessageContaining(LocalSnapshots.DIRECTORY);
    assertThatThrownBy(() -> new LocalSnapshots().open(Map.of("directory", "relative")))
        .hasMessageContaining("absolute");
    assertThatThrownBy(() -> SnapshotStores.open("nowhere", Map.of()))
        .hasMessageContaining("none, ")
        .hasMessageContaining("local, memory");
    assertThat(new MemorySnapshots().open(Map.of("space", "a"))).isNotNull();
    assertThatThrownBy(() -> new MemorySnapshots().open(Map.of("x", "y")))
        .hasMessageContaining("space");
  }
}
