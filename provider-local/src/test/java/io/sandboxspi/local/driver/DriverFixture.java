package io.sandboxspi.local.driver;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** A driver under test and short words for starting processes on it. */
abstract class DriverFixture {
  static final Map<String, String> ENVIRONMENT =
      Map.of("PATH", "/usr/local/bin:/usr/bin:/bin", "LC_ALL", "C.UTF-8", "TERM", "xterm");

  @TempDir Path directory;

  private final List<DriverProcess> started = new ArrayList<>();
  PtyDriver driver;

  abstract PtyDriver open();

  @BeforeEach
  void openDriver() {
    driver = open();
  }

  @AfterEach
  void closeDriver() {
    for (DriverProcess process : started) {
      process.signalGroup(9);
      process.release();
    }
    driver.close();
  }

  DriverProcess tty(Recorder recorder, String... argv) throws Exception {
    return start(recorder, Optional.of(new WindowSize(80, 24)), false, argv);
  }

  DriverProcess pipes(Recorder recorder, String... argv) throws Exception {
    return start(recorder, Optional.empty(), false, argv);
  }

  DriverProcess piped(Recorder recorder, String... argv) throws Exception {
    return start(recorder, Optional.empty(), true, argv);
  }

  DriverProcess start(
      Recorder recorder, Optional<WindowSize> terminal, boolean input, String... argv)
      throws Exception {
    DriverProcess process = driver.spawn(request(terminal, input, argv), recorder);
    synchronized (started) {
      started.add(process);
    }
    return process;
  }

  SpawnRequest request(Optional<WindowSize> terminal, boolean input, String... argv) {
    return new SpawnRequest(List.of(argv), ENVIRONMENT, directory.toString(), terminal, input);
  }

  static ByteBuffer bytes(String text) {
    return ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
  }

  static long in(int seconds) {
    return System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
  }
}
