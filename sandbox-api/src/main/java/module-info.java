/** Values, session interfaces and the provider SPI. */
module io.sandboxspi.api {
  requires static transitive org.jspecify;

  exports io.sandboxspi;
  exports io.sandboxspi.spi;
}
