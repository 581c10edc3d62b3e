package io.sandboxspi.local.driver;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A JVM whose parent made it ignore signals; tells what its children ignore. */
final class IgnoringHost {
  private IgnoringHost() {}

  /** The driver's name is the argument. */
  public static void main(String[] arguments) throws Exception {
    PtyDriver driver = PtyDrivers.open(Optional.of(arguments[0]));
    Recorder recorder = new Recorder();
    String script = "grep SigIgn /proc/self/status; echo ready; exec sleep 60";
    SpawnRequest request =
        new SpawnRequest(
            List.of("sh", "-c", script),
            Map.of("PATH", "/usr/bin:/bin"),
            "/",
            Optional.of(new WindowSize(80, 24)),
            false);
    DriverProcess process = driver.spawn(request, recorder);
    recorder.awaitText("ready");
    byte[] interrupt = "\003".getBytes(StandardCharsets.US_ASCII);
    process.write(ByteBuffer.wrap(interrupt), System.nanoTime() + 5_000_000_000L);
    Recorder.Exit exit = recorder.awaitEnd();
    String ignored = recorder.text().lines().findFirst().orElse("").split("\\s+")[1];
    String counted = Long.toHexString(Long.parseUnsignedLong(ignored, 16) & 0x7fffffff);
    System.out.println("RESULT " + counted + " " + exit);
    process.release();
    driver.close();
  }
}
