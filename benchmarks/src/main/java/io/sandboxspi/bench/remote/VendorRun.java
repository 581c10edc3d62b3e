package io.sandboxspi.bench.remote;

import io.sandboxspi.Command;
import io.sandboxspi.SandboxSession;
import io.sandboxspi.SandboxSpec;
import io.sandboxspi.bench.Pass;
import io.sandboxspi.core.session.EngineOptions;
import io.sandboxspi.core.session.EngineSession;
import io.sandboxspi.spi.LaunchRequest;
import io.sandboxspi.spi.SandboxBackend;
import io.sandboxspi.spi.SandboxProcess;
import io.sandboxspi.spi.SandboxProvider;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * One vendor's provider against its fake, and beside the vendor's own client where there is one.
 */
public final class VendorRun implements AutoCloseable {
  private static final int TERMINALS = 64;

  private final Vendor vendor;
  private final boolean quick;
  private final Path clients;
  private final Peer fake;
  private final Map<String, String> near;
  private final Map<String, String> slow;

  /**
   * Starts the fakes in a JVM of their own.
   *
   * @param clients a directory with the vendors' clients for Node, each in one of its own
   */
  public VendorRun(Vendor vendor, Path clients, boolean quick) throws IOException {
    this.vendor = vendor;
    this.quick = quick;
    this.clients = clients;
    fake = Peer.java(VendorFakeMain.class, vendor.name());
    near = settings(fake.line());
    slow = settings(fake.line());
  }

  private static Map<String, String> settings(String line) {
    return Arrays.stream(line.split("\t"))
        .map(entry -> entry.split("=", 2))
        .collect(Collectors.toMap(entry -> entry[0], entry -> entry[1]));
  }

  private int rounds(int measured, int tried) {
    return quick ? tried : measured;
  }

  private Peer client() throws IOException {
    String name = vendor.name().toLowerCase(java.util.Locale.ROOT);
    return new Peer(clients.resolve(name), near, List.of("node", name + ".mjs"));
  }

  private SandboxSession session(Map<String, String> settings) throws InterruptedException {
    return EngineSession.open(
        vendor.provider(settings), SandboxSpec.defaults(), EngineOptions.defaults());
  }

  /** Measures everything. */
  public void run(Pass pass) throws Exception {
    SandboxProvider provider = vendor.provider(near);
    SandboxBackend backend = provider.create(Far.request(), Far.soon());
    try {
      calls(pass, backend);
      commands(pass, backend);
      echo(pass, backend);
    } finally {
      Object unused = provider.delete(backend.ref(), Far.soon());
    }
    life(pass);
    far(pass);
    files(pass);
  }

  private void calls(Pass pass, SandboxBackend backend) throws Exception {
    for (int i = -rounds(50, 3); i < rounds(300, 5); i++) {
      long begin = System.nanoTime();
      Object unused = backend.probe(Far.soon());
      if (i >= 0) {
        pass.add("call", System.nanoTime() - begin);
      }
    }
  }

  private void commands(Pass pass, SandboxBackend backend) throws Exception {
    for (int i = -rounds(10, 2); i < rounds(60, 3); i++) {
      Listening listening = new Listening();
      LaunchRequest request = Terminals.request(List.of("echo", "hi"), false);
      long begin = System.nanoTime();
      Object process = backend.launch(request, listening, Far.soon());
      long first = listening.first() - begin;
      long whole = listening.over() - begin;
      Object unused = List.of(process, backend.killAll(List.of(request.id()), Far.soon()));
      if (i >= 0) {
        pass.add("exec", first);
        pass.add("exec-whole", whole);
      }
    }
  }

  private void echo(Pass pass, SandboxBackend backend) throws Exception {
    Listening listening = new Listening();
    LaunchRequest request =
        Terminals.request(List.of("sh", "-c", "stty raw -echo; echo up; exec cat"), true);
    SandboxProcess process = backend.launch(request, listening, Far.soon());
    long unused = listening.first();
    listening.quiet(Duration.ofMillis(300));
    try (Peer theirs = vendor.hasTerminals() ? client() : null) {
      for (int i = -rounds(100, 5); i < rounds(500, 20); i++) {
        listening.arm();
        long begin = System.nanoTime();
        process.write(ByteBuffer.wrap(new byte[] {'x'}), Far.soon());
        long ours = listening.first() - begin;
        long other = theirs == null ? 0 : theirs.measure("echo");
        if (i >= 0) {
          pass.add("echo", ours);
          add(pass, "vendor-echo", other);
        }
      }
    }
    Object ended = backend.killAll(List.of(request.id()), Far.soon());
    assert ended != null;
  }

  private static void add(Pass pass, String name, long value) {
    if (value > 0) {
      pass.add(name, value);
    }
  }

  private void life(Pass pass) throws Exception {
    try (Peer theirs = vendor.hasClient() ? client() : null) {
      for (int i = -rounds(4, 1); i < rounds(20, 2); i++) {
        long begin = System.nanoTime();
        try (SandboxSession session = session(near)) {
          Object unused = session.exec(Command.shell("echo hi"));
        }
        long ours = System.nanoTime() - begin;
        long other = theirs == null ? 0 : theirs.measure("lifecycle");
        if (i >= 0) {
          pass.add("life", ours);
          add(pass, "vendor-life", other);
        }
      }
    }
  }

  private void far(Pass pass) throws Exception {
    int many = quick ? 4 : TERMINALS;
    for (int round = 0; round < rounds(3, 1); round++) {
      try (SandboxSession session = session(slow)) {
        pass.add("terminate-64", Terminals.endOf(many, session));
      }
    }
  }

  private void files(Pass pass) throws Exception {
    byte[] content = new byte[rounds(64, 4) << 20];
    new java.util.Random(1).nextBytes(content);
    try (SandboxSession session = session(near)) {
      for (int i = 0; i < rounds(3, 1); i++) {
        long begin = System.nanoTime();
        session.files().write("large", new ByteArrayInputStream(content));
        pass.add("put", System.nanoTime() - begin);
        begin = System.nanoTime();
        long size;
        try (InputStream in = session.files().open("large")) {
          size = in.transferTo(OutputStream.nullOutputStream());
        }
        pass.add("get", System.nanoTime() - begin);
        if (size != content.length) {
          throw new IOException("the file is not whole");
        }
      }
    }
  }

  @Override
  public void close() throws IOException {
    fake.close();
  }
}
