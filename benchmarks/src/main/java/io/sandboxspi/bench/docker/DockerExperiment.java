package io.sandboxspi.bench.docker;

import io.sandboxspi.Command;
import io.sandboxspi.ExecResult;
import io.sandboxspi.SandboxSession;
import io.sandboxspi.bench.Pass;
import io.sandboxspi.bench.remote.Listening;
import io.sandboxspi.spi.LaunchId;
import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** What is measured; all contenders take turns. */
public enum DockerExperiment {
  /** From the wish to the first byte, and whole commands. */
  EXEC {
    @Override
    public void run(Pass pass, boolean quick) throws Exception {
      RawEngine raw = new RawEngine(SOCKET);
      try (Box fresh = new Box(0);
          Box warm = new Box(1);
          PlainDockerJava plain = new PlainDockerJava();
          SandboxSession session = Box.session()) {
        String container = fresh.container();
        List<Contender> all =
            List.of(
                into -> into.add("raw", raw.firstByte(container, HI_JSON)),
                into -> add(into, "fresh", fresh.run(HI)),
                into -> add(into, "docker-java", plain.exec(container, HI)),
                into -> into.add("cli", cli(container)),
                into -> add(into, "spare", warm.run(HI)),
                into -> into.add("one-shot", command(session)));
        // Each is used for as long as the others before it counts.
        for (Contender each : all) {
          long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(quick ? 1 : 4);
          while (System.nanoTime() < end) {
            each.run((name, nanos) -> {});
            rest(20);
          }
        }
        for (int i = 0; i < (quick ? 5 : 70); i++) {
          for (Contender each : all) {
            // What the one before left to tidy up is over by then.
            rest(100);
            each.run(pass::add);
          }
          stock();
        }
      }
    }
  },
  /** Trees of processes are ended, one and many. */
  KILL {
    @Override
    public void run(Pass pass, boolean quick) throws Exception {
      try (Box box = new Box(1)) {
        for (int i = 0; i < (quick ? 5 : 40); i++) {
          Listening tree = new Listening();
          LaunchId id = box.start(tree, "sh", "-c", TREE);
          tree.first();
          stock();
          long begin = System.nanoTime();
          boolean proven = box.backend().kill(id, Box.soon()).proven();
          pass.add("kill-tree", System.nanoTime() - begin);
          pass.add("unproven", proven ? 0 : 1);
        }
      }
      for (int i = 0; i < (quick ? 1 : 4); i++) {
        try (Box box = new Box(0)) {
          List<LaunchId> ids = new ArrayList<>();
          for (int j = 0; j < MANY; j++) {
            ids.add(box.start(new Listening(), "sleep", "300"));
          }
          stock();
          long begin = System.nanoTime();
          long proven =
              box.backend().killAll(ids, Box.soon()).values().stream()
                  .filter(outcome -> outcome.proven())
                  .count();
          pass.add("kill-64", System.nanoTime() - begin);
          pass.add("unproven", MANY - proven);
        }
      }
    }
  },
  /** A container goes, whoever still reads from it. */
  REMOVE {
    @Override
    public void run(Pass pass, boolean quick) throws Exception {
      for (int i = 0; i < (quick ? 2 : 12); i++) {
        pass.add("clean", new Box(0).remove());
        SandboxSession quiet = Box.session();
        quiet.exec(Command.of("true"));
        long begin = System.nanoTime();
        quiet.close();
        pass.add("close", System.nanoTime() - begin);
        SandboxSession stalled = Box.session();
        Box.flood(stalled);
        begin = System.nanoTime();
        stalled.close();
        pass.add("close-flooded", System.nanoTime() - begin);
      }
    }
  },
  /** Calls while many streams are open, and calls to an engine that is silent. */
  CALLS {
    @Override
    public void run(Pass pass, boolean quick) throws Exception {
      try (Box box = new Box(0)) {
        for (int i = 0; i < 50; i++) {
          long begin = System.nanoTime();
          Object unused = box.backend().probe(Box.soon());
          pass.add("inspect", System.nanoTime() - begin);
        }
        for (int i = 0; i < (quick ? 20 : 200); i++) {
          box.start(new Listening(), "sleep", "300");
        }
        for (int i = 0; i < 50; i++) {
          long begin = System.nanoTime();
          Object unused = box.backend().probe(Box.soon());
          pass.add("inspect-among-200", System.nanoTime() - begin);
        }
      }
      Path directory = Files.createTempDirectory("bench");
      Path socket = directory.resolve("s");
      try (ServerSocketChannel silent =
          ServerSocketChannel.open(java.net.StandardProtocolFamily.UNIX)) {
        silent.bind(java.net.UnixDomainSocketAddress.of(socket));
        for (int i = 0; i < 10; i++) {
          pass.add("silent-over-deadline", Silent.overrun(socket, Duration.ofMillis(300)));
        }
      }
      Files.delete(socket);
      Files.delete(directory);
    }
  },
  /** One large file there and back. */
  FILES {
    @Override
    public void run(Pass pass, boolean quick) throws Exception {
      long size = quick ? 64L << 20 : 1L << 30;
      Path file = Files.createTempFile("bench", "");
      try (SandboxSession session = Box.session()) {
        String container = String.valueOf(session.backend().data().get("container"));
        try (var out = Files.newOutputStream(file)) {
          byte[] chunk = new byte[1 << 20];
          new java.util.Random(1).nextBytes(chunk);
          for (long i = 0; i < size; i += chunk.length) {
            out.write(chunk);
          }
        }
        for (int i = 0; i < 2; i++) {
          long begin = System.nanoTime();
          session.files().upload(file, "large");
          pass.add("put", System.nanoTime() - begin);
          begin = System.nanoTime();
          try (InputStream in = session.files().open("large")) {
            if (in.transferTo(java.io.OutputStream.nullOutputStream()) != size) {
              throw new IOException("the file is not whole");
            }
          }
          pass.add("get", System.nanoTime() - begin);
          pass.add("cp-put", docker("cp", file.toString(), container + ":/workspace/other"));
          pass.add("cp-get", docker("cp", container + ":/workspace/other", "-"));
        }
      } finally {
        Files.delete(file);
      }
    }
  };

  private static final String SOCKET = "/var/run/docker.sock";
  private static final String[] HI = {"echo", "hi"};
  private static final String HI_JSON = "[\"echo\",\"hi\"]";
  private static final String TREE = "sleep 300 & setsid sleep 301 & echo up; sleep 302";
  private static final int MANY = 64;

  /** Runs once. */
  public abstract void run(Pass pass, boolean quick) throws Exception;

  /** Takes a measurement. */
  private interface Measure {
    void add(String name, long nanos);
  }

  /** One of those that take turns. */
  private interface Contender {
    void run(Measure into) throws Exception;
  }

  private static void add(Measure into, String name, long[] times) {
    into.add(name, times[0]);
    into.add(name + "-whole", times[1]);
  }

  private static void rest(long millis) {
    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(millis));
  }

  /** Time for the next spare to start. */
  private static void stock() {
    rest(350);
  }

  private static long command(SandboxSession session) throws InterruptedException {
    long begin = System.nanoTime();
    ExecResult result = session.exec(Command.of(List.of(HI)));
    long end = System.nanoTime();
    if (!result.stdout().text().equals("hi\n")) {
      throw new IllegalStateException("another output");
    }
    return end - begin;
  }

  private static long cli(String container) throws IOException, InterruptedException {
    long begin = System.nanoTime();
    Process process = new ProcessBuilder("docker", "exec", container, "echo", "hi").start();
    int first = process.getInputStream().read();
    long end = System.nanoTime();
    if (process.waitFor() != 0 || first < 0) {
      throw new IOException("docker exec failed");
    }
    return end - begin;
  }

  private static long docker(String... arguments) throws IOException, InterruptedException {
    List<String> argv = new ArrayList<>(List.of("docker"));
    argv.addAll(List.of(arguments));
    long begin = System.nanoTime();
    Process process =
        new ProcessBuilder(argv)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    if (process.waitFor() != 0) {
      throw new IOException("docker " + arguments[0] + " failed");
    }
    return System.nanoTime() - begin;
  }
}
