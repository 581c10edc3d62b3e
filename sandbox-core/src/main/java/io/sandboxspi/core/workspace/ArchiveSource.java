package io.sandboxspi.core.workspace;

import io.sandboxspi.ArchiveFormat;
import io.sandboxspi.ArchiveLimits;
import io.sandboxspi.ErrorCode;
import io.sandboxspi.Operation;
import io.sandboxspi.SandboxException;
import io.sandboxspi.spi.FileTree;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PushbackInputStream;
import org.apache.commons.compress.compressors.CompressorException;
import org.apache.commons.compress.compressors.CompressorStreamFactory;
import org.apache.commons.compress.compressors.gzip.GzipCompressorInputStream;
import org.apache.commons.compress.compressors.gzip.GzipCompressorOutputStream;
import org.apache.commons.compress.compressors.zstandard.ZstdUtils;

/** Archives of any format that can be read: a tar, plain or compressed, or a zip. */
final class ArchiveSource {
  private static final int MAGIC = 4;
  private static final int[] GZIP = {0x1f, 0x8b};
  private static final int[] ZSTD = {0x28, 0xb5, 0x2f, 0xfd};
  private static final int[] ZIP = {'P', 'K'};

  private ArchiveSource() {}

  /**
   * Finds out what an archive is by its first bytes.
   *
   * @param in stays open
   */
  static FileTree open(CountedStream in, ArchiveLimits limits) throws IOException {
    PushbackInputStream source = new PushbackInputStream(in, MAGIC);
    byte[] head = source.readNBytes(MAGIC);
    source.unread(head);
    if (starts(head, ZIP)) {
      return ZipTree.spool(source, limits);
    }
    if (starts(head, GZIP)) {
      return new TarTree(new Decompressed(in, () -> gzip(source)));
    }
    if (starts(head, ZSTD)) {
      needZstd(Operation.ARCHIVE_HYDRATE);
      return new TarTree(new Decompressed(in, () -> zstd(source)));
    }
    return new TarTree(source);
  }

  private static InputStream gzip(InputStream in) throws IOException {
    return GzipCompressorInputStream.builder()
        .setInputStream(in)
        .setDecompressConcatenated(true)
        .get();
  }

  /** By name, as the library behind it may be missing. */
  private static InputStream zstd(InputStream in) throws IOException {
    try {
      return new CompressorStreamFactory()
          .createCompressorInputStream(CompressorStreamFactory.ZSTANDARD, in);
    } catch (CompressorException e) {
      throw new IOException("no decoder", e);
    }
  }

  private static OutputStream zstd(OutputStream target) throws IOException {
    try {
      return new CompressorStreamFactory()
          .createCompressorOutputStream(CompressorStreamFactory.ZSTANDARD, target);
    } catch (CompressorException e) {
      throw new IOException("no encoder", e);
    }
  }

  private static boolean starts(byte[] head, int[] magic) {
    for (int i = 0; i < magic.length; i++) {
      if (head.length <= i || (head[i] & 0xff) != magic[i]) {
        return false;
      }
    }
    return true;
  }

  /** The encoder of a format; closing it ends the archive and leaves the target open. */
  static OutputStream encoder(ArchiveFormat format, OutputStream target) throws IOException {
    OutputStream kept =
        new FilterOutputStream(target) {
          @Override
          public void write(byte[] bytes, int offset, int length) throws IOException {
            out.write(bytes, offset, length);
          }

          @Override
          public void close() throws IOException {
            flush();
          }
        };
    return switch (format) {
      case TAR -> kept;
      case TAR_GZIP -> new GzipCompressorOutputStream(kept);
      case TAR_ZSTD -> {
        needZstd(Operation.ARCHIVE_PERSIST);
        yield zstd(kept);
      }
    };
  }

  private static void needZstd(Operation operation) {
    if (!ZstdUtils.isZstdCompressionAvailable()) {
      throw SandboxException.of(
          ErrorCode.UNSUPPORTED,
          operation,
          "Zstandard needs com.github.luben:zstd-jni on the class path");
    }
  }

  /** Makes a decoder; reads a header. */
  private interface Decoder {
    InputStream open() throws IOException;
  }

  /** What a decoder says that its source does not is the archive's fault. */
  private static final class Decompressed extends InputStream {
    private final CountedStream source;
    private final InputStream in;

    Decompressed(CountedStream source, Decoder decoder) throws IOException {
      this.source = source;
      try {
        this.in = decoder.open();
      } catch (IOException e) {
        throw judged(e);
      }
    }

    private IOException judged(IOException failure) {
      if (source.failed()) {
        return failure;
      }
      throw ArchiveErrors.corrupt("is compressed in a way that cannot be read", failure);
    }

    @Override
    public int read() throws IOException {
      byte[] one = new byte[1];
      return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] target, int offset, int length) throws IOException {
      try {
        return in.read(target, offset, length);
      } catch (IOException e) {
        throw judged(e);
      }
    }

    @Override
    public void close() throws IOException {
      in.close();
    }
  }
}
