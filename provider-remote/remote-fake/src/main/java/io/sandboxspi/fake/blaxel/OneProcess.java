package io.sandboxspi.fake.blaxel;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sandboxspi.fake.Posix;
import io.sandboxspi.fake.RealProcess;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A process of a process call, leader of a group. */
final class OneProcess implements RealProcess.Listener {
  /** Bytes of each stream in most answers. */
  static final int SHORT = 64 * 1024;

  /** Bytes of each stream for who waited. */
  static final int LONG = 4 << 20;

  private static final String CUT =
      "[... truncated, see the process log file for the full output ...]\n";
  private static final long DRAIN = 200;

  private final String name;
  private final String command;
  private final String directory;
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();
  private final CompletableFuture<Integer> exit = new CompletableFuture<>();
  private final CompletableFuture<Boolean> closed = new CompletableFuture<>();
  private final List<BiConsumer<Integer, byte[]>> followers = new CopyOnWriteArrayList<>();
  private @Nullable RealProcess process;
  private volatile String status = "running";

  OneProcess(String name, String command, String directory) {
    this.name = name;
    this.command = command;
    this.directory = directory;
  }

  void start(Map<String, String> environment) throws IOException {
    RealProcess started =
        RealProcess.start(
            new RealProcess.Spec(
                List.of("setsid", "/bin/sh", "-c", command),
                environment,
                directory,
                Optional.empty(),
                false),
            this);
    process = started;
    started.begin();
  }

  long pid() {
    return process == null ? 0 : process.pid();
  }

  boolean running() {
    return !exit.isDone();
  }

  /** Of its group; whether there was one. */
  boolean signal(int number) {
    if (number == Posix.KILL) {
      status = "killed";
    }
    return Posix.signal(-pid(), number);
  }

  /** Calls back at the end, or when the time is over before. */
  void whenOver(ScheduledExecutorService timer, long seconds, Consumer<Boolean> then) {
    AtomicBoolean once = new AtomicBoolean();
    var unused =
        exit.thenAccept(
            code ->
                whole(
                    timer,
                    () -> {
                      if (once.compareAndSet(false, true)) {
                        then.accept(true);
                      }
                    }));
    if (seconds > 0) {
      var unusedTimeout =
          timer.schedule(
              () -> {
                if (!exit.isDone() && once.compareAndSet(false, true)) {
                  then.accept(false);
                }
              },
              seconds,
              TimeUnit.SECONDS);
    }
  }

  /** Its output is in files: it waits for nobody that holds them. */
  private void whole(ScheduledExecutorService timer, Runnable then) {
    AtomicBoolean once = new AtomicBoolean();
    Runnable first =
        () -> {
          if (once.compareAndSet(false, true)) {
            then.run();
          }
        };
    var unused = closed.thenAccept(done -> first.run());
    var unusedLate = timer.schedule(first, DRAIN, TimeUnit.MILLISECONDS);
  }

  /** From now on also told. */
  void follow(BiConsumer<Integer, byte[]> follower) {
    synchronized (out) {
      if (out.size() > 0) {
        follower.accept(RealProcess.STDOUT, out.toByteArray());
      }
      if (err.size() > 0) {
        follower.accept(RealProcess.STDERR, err.toByteArray());
      }
      followers.add(follower);
    }
  }

  @Override
  public void onOutput(int stream, byte[] bytes) {
    synchronized (out) {
      (stream == RealProcess.STDOUT ? out : err).writeBytes(bytes);
      followers.forEach(each -> each.accept(stream, bytes));
    }
  }

  @Override
  public void onExit(int code, int signal) {
    if (status.equals("running")) {
      status = code == 0 && signal == 0 ? "completed" : "failed";
    }
    exit.complete(signal > 0 ? -1 : code);
  }

  @Override
  public void onOutputClosed() {
    closed.complete(true);
  }

  private static String tail(ByteArrayOutputStream stream, int limit) {
    byte[] all = stream.toByteArray();
    return all.length <= limit
        ? GoText.of(all)
        : CUT + GoText.of(Arrays.copyOfRange(all, all.length - limit, all.length));
  }

  ObjectNode logs() {
    synchronized (out) {
      String first = tail(out, LONG);
      String second = tail(err, LONG);
      return BlaxelFake.object()
          .put("stdout", first)
          .put("stderr", second)
          .put("logs", first + second);
    }
  }

  ObjectNode describe(int limit) {
    synchronized (out) {
      String first = tail(out, limit);
      String second = tail(err, limit);
      return BlaxelFake.object()
          .put("pid", String.valueOf(pid()))
          .put("name", name)
          .put("command", command)
          .put("status", status)
          .put("startedAt", "Wed, 01 Jan 2025 12:00:00 GMT")
          .put("completedAt", running() ? "" : "Wed, 01 Jan 2025 12:00:01 GMT")
          .put("exitCode", exit.getNow(0))
          .put("workingDir", directory)
          .put("logs", first + second)
          .put("stdout", first)
          .put("stderr", second)
          .put("restartOnFailure", false)
          .put("maxRestarts", 0)
          .put("restartCount", 0)
          .put("keepAlive", false);
    }
  }
}
