/** The engine: discovery, registry, cleanup, output. */
module io.sandboxspi.core {
  requires transitive io.sandboxspi.api;
  requires static org.jspecify;
  requires com.fasterxml.jackson.databind;
  requires org.apache.commons.compress;
  requires com.fasterxml.jackson.core;
  requires org.slf4j;

  exports io.sandboxspi.core;
  exports io.sandboxspi.core.files;
  exports io.sandboxspi.core.manifest;
  exports io.sandboxspi.core.output;
  exports io.sandboxspi.core.posix;
  exports io.sandboxspi.core.pty;
  exports io.sandboxspi.core.reap;
  exports io.sandboxspi.core.session;
  exports io.sandboxspi.core.snapshot;
  exports io.sandboxspi.core.time;
  exports io.sandboxspi.core.workspace;

  uses io.sandboxspi.spi.SandboxProvider;
  uses io.sandboxspi.spi.SnapshotStoreProvider;

  provides io.sandboxspi.spi.SnapshotStoreProvider with
      io.sandboxspi.core.snapshot.LocalSnapshots,
      io.sandboxspi.core.snapshot.MemorySnapshots;
}
