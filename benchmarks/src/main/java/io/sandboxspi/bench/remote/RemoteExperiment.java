package io.sandboxspi.bench.remote;

import io.sandboxspi.Command;
import io.sandboxspi.SandboxSession;
import io.sandboxspi.bench.Facts;
import io.sandboxspi.bench.Pass;
import io.sandboxspi.core.posix.LaunchOption;
import io.sandboxspi.core.posix.PosixLauncher;
import io.sandboxspi.core.posix.PosixState;
import io.sandboxspi.fake.e2b.E2bFake;
import io.sandboxspi.spi.LaunchId;
import io.sandboxspi.spi.LaunchRequest;
import io.sandboxspi.spi.SandboxBackend;
import io.sandboxspi.spi.SandboxProcess;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** What is measured; all contenders take turns. */
public enum RemoteExperiment {
  /** One call, and one command, beside the same exchange by hand. */
  WIRE {
    @Override
    public void run(Far far, Pass pass, boolean quick) throws Exception {
      SandboxBackend backend = far.backend();
      String sandbox = String.valueOf(backend.ref().data().get("sandbox"));
      String home = String.valueOf(backend.ref().data().get("home"));
      try (RawWire raw = new RawWire(far.near())) {
        String token = raw.token(sandbox);
        String daemon =
            "E2b-Sandbox-Id: "
                + sandbox
                + "\r\nE2b-Sandbox-Port: 49983\r\nConnect-Protocol-Version: 1\r\nX-Access-Token: "
                + token
                + "\r\n";
        HttpClient library = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
        HttpRequest plain =
            HttpRequest.newBuilder(far.near().resolve("/sandboxes/" + sandbox))
                .header("X-API-Key", E2bFake.KEY)
                .build();
        // The compilers of both JVMs need some thousand calls.
        for (int i = 0; i < (quick ? 20 : 6000); i++) {
          boolean warm = i < (quick ? 5 : 4000);
          long begin = System.nanoTime();
          Object unused = raw.call("GET", "/sandboxes/" + sandbox, RawWire.KEY, new byte[0]);
          long bare = System.nanoTime() - begin;
          begin = System.nanoTime();
          unused = library.send(plain, HttpResponse.BodyHandlers.ofByteArray());
          long jdk = System.nanoTime() - begin;
          begin = System.nanoTime();
          unused = backend.probe(Far.soon());
          long ours = System.nanoTime() - begin;
          if (!warm) {
            pass.add("library-call", jdk);
            pass.add("bare-call", bare);
            pass.add("call", ours);
          }
        }
        for (int i = 0; i < (quick ? 8 : 160); i++) {
          LaunchRequest request = Terminals.request(List.of("echo", RawWire.WORDS), false);
          PosixLauncher launcher =
              PosixLauncher.of(
                      PosixState.in(home + "/.sandbox-launches"),
                      Set.of(
                          LaunchOption.ANNOUNCE,
                          LaunchOption.SUPERVISE,
                          LaunchOption.TERMINAL_SIZE,
                          LaunchOption.NATIVE_ENVIRONMENT))
                  .exitMark(LaunchId.random());
          long bare =
              raw.firstOutput(daemon, launcher.argv(request, home), launcher.environment(request));
          Listening listening = new Listening();
          LaunchRequest mine = Terminals.request(List.of("echo", RawWire.WORDS), false);
          long begin = System.nanoTime();
          Object process = backend.launch(mine, listening, Far.soon());
          long ours = listening.first() - begin;
          Object unused = List.of(process, listening.over());
          unused = backend.killAll(List.of(request.id(), mine.id()), Far.soon());
          if (i >= (quick ? 2 : 40)) {
            pass.add("bare-exec", bare);
            pass.add("exec", ours);
          }
        }
      } finally {
        far.delete(backend);
      }
    }
  },
  /** A sandbox made, one command, the sandbox removed; beside the vendor's client. */
  LIFE {
    @Override
    public void run(Far far, Pass pass, boolean quick) throws Exception {
      try (Peer vendor = far.vendor()) {
        for (int i = 0; i < (quick ? 5 : 80); i++) {
          long begin = System.nanoTime();
          try (SandboxSession session = far.session()) {
            Object unused = session.exec(Command.shell("echo hi"));
          }
          long ours = System.nanoTime() - begin;
          long theirs = vendor.measure("lifecycle");
          if (i >= (quick ? 1 : 20)) {
            pass.add("life", ours);
            pass.add("vendor-life", theirs);
          }
        }
      }
    }
  },
  /** One byte to a terminal and back, beside the vendor's client. */
  ECHO {
    @Override
    public void run(Far far, Pass pass, boolean quick) throws Exception {
      SandboxBackend backend = far.backend();
      try (Peer vendor = far.vendor()) {
        Listening listening = new Listening();
        SandboxProcess process =
            backend.launch(
                Terminals.request(List.of("sh", "-c", "stty raw -echo; echo up; exec cat"), true),
                listening,
                Far.soon());
        long unused = listening.first();
        listening.quiet(Duration.ofMillis(200));
        for (int i = 0; i < (quick ? 50 : 1500); i++) {
          listening.arm();
          long begin = System.nanoTime();
          process.write(ByteBuffer.wrap(new byte[] {'x'}), Far.soon());
          long ours = listening.first() - begin;
          long theirs = vendor.measure("echo");
          if (i >= (quick ? 10 : 500)) {
            pass.add("echo", ours);
            pass.add("vendor-echo", theirs);
          }
        }
      } finally {
        far.delete(backend);
      }
    }
  },
  /** Many open terminals: what they cost on this side. */
  MANY {
    @Override
    public void run(Far far, Pass pass, boolean quick) throws Exception {
      int many = quick ? 20 : 500;
      SandboxBackend backend = far.backend();
      try {
        List<Object> open = new ArrayList<>();
        List<LaunchId> ids = new ArrayList<>();
        start(backend, 3, open, ids);
        long[] before = Facts.read();
        long begin = System.nanoTime();
        start(backend, many, open, ids);
        pass.add("start-all", System.nanoTime() - begin);
        long[] after = Facts.read();
        pass.add("resident-bytes-each", (after[0] - before[0]) / many);
        pass.add("heap-bytes-each", (after[1] - before[1]) / many);
        pass.add("descriptors-each-x100", (after[2] - before[2]) * 100 / many);
        pass.add("threads-more", after[3] - before[3]);
        begin = System.nanoTime();
        long proven =
            backend.killAll(ids, Far.soon()).values().stream()
                .filter(outcome -> outcome.proven())
                .count();
        pass.add("kill-all", System.nanoTime() - begin);
        pass.add("unproven", ids.size() - proven);
      } finally {
        far.delete(backend);
      }
    }

    private void start(SandboxBackend backend, int many, List<Object> open, List<LaunchId> ids)
        throws InterruptedException {
      for (int i = 0; i < many; i++) {
        LaunchRequest cat = Terminals.request(List.of("cat"), true);
        ids.add(cat.id());
        open.add(backend.launch(cat, new Listening(), Far.soon()));
      }
    }
  },
  /** Terminate-all over a link that takes 50 ms there and back. */
  FAR {
    @Override
    public void run(Far far, Pass pass, boolean quick) throws Exception {
      for (int round = 0; round < (quick ? 1 : 5); round++) {
        try (SandboxSession session = far.slowSession()) {
          pass.add("terminate-64", Terminals.endOf(64, session));
        }
      }
    }
  },
  /** One large file there and back, beside curl. */
  FILES {
    @Override
    public void run(Far far, Pass pass, boolean quick) throws Exception {
      long size = quick ? 16L << 20 : 512L << 20;
      Path file = Files.createTempFile("bench", "");
      Path other = Files.createTempFile("bench", "");
      try (SandboxSession session = far.session();
          RawWire raw = new RawWire(far.near())) {
        String sandbox = String.valueOf(session.backend().data().get("sandbox"));
        String token = raw.token(sandbox);
        try (OutputStream out = Files.newOutputStream(file)) {
          byte[] chunk = new byte[1 << 20];
          new java.util.Random(1).nextBytes(chunk);
          for (long i = 0; i < size; i += chunk.length) {
            out.write(chunk);
          }
        }
        for (int i = 0; i < (quick ? 1 : 4); i++) {
          long begin = System.nanoTime();
          try (InputStream in = Files.newInputStream(file)) {
            session.files().write("large", in);
          }
          pass.add("put", System.nanoTime() - begin);
          pass.add("curl-put", Curl.put(far.near(), sandbox, token, file, "other"));
          begin = System.nanoTime();
          try (InputStream in = session.files().open("large");
              OutputStream out = Files.newOutputStream(other)) {
            if (in.transferTo(out) != size) {
              throw new IOException("the file is not whole");
            }
          }
          pass.add("get", System.nanoTime() - begin);
          pass.add("curl-get", Curl.get(far.near(), sandbox, token, "other", other));
        }
      } finally {
        Files.delete(file);
        Files.delete(other);
      }
    }
  };

  /** Runs once. */
  public abstract void run(Far far, Pass pass, boolean quick) throws Exception;
}
