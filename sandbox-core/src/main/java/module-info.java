/** The engine: discovery, registry, cleanup and output. */
module io.sandboxspi.core {
  requires transitive io.sandboxspi.api;
  requires static transitive org.jspecify;
  requires org.slf4j;

  uses io.sandboxspi.spi.SandboxProvider;
}
