package io.sandboxspi.core.workspace;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.function.Consumer;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveOutputStream;
import org.apache.commons.compress.archivers.tar.TarConstants;

/** Tar archives with anything in them. */
final class TarBuilder {
  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
  private final TarArchiveOutputStream tar = TarStream.encoder(bytes);

  TarBuilder file(String name, String content) {
    return file(name, content.getBytes(UTF_8));
  }

  TarBuilder file(String name, byte[] content) {
    return entry(name, TarConstants.LF_NORMAL, content, entry -> {});
  }

  TarBuilder directory(String name) {
    return entry(name, TarConstants.LF_DIR, new byte[0], entry -> entry.setMode(0755));
  }

  TarBuilder link(String name, String target) {
    return entry(name, TarConstants.LF_SYMLINK, new byte[0], entry -> entry.setLinkName(target));
  }

  TarBuilder hardLink(String name, String target) {
    return entry(name, TarConstants.LF_LINK, new byte[0], entry -> entry.setLinkName(target));
  }

  TarBuilder entry(String name, byte kind, byte[] content, Consumer<TarArchiveEntry> change) {
    try {
      TarArchiveEntry entry = new TarArchiveEntry(name, kind, true);
      entry.setMode(0644);
      entry.setSize(content.length);
      change.accept(entry);
      tar.putArchiveEntry(entry);
      tar.write(content);
      tar.closeArchiveEntry();
      return this;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  byte[] build() {
    try {
      tar.finish();
      tar.flush();
      return bytes.toByteArray();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
