package io.sandboxspi.core.workspace;

import io.sandboxspi.ArchiveSummary;
import io.sandboxspi.spi.FileTree;
import io.sandboxspi.spi.TreeEntry;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Takes the fingerprint of a tree while it passes (spec S-ARCH-06). */
final class FingerprintTree implements FileTree {
  private static final int PERMISSION_BITS = 0777;

  private final FileTree tree;
  private final MessageDigest content = sha256();
  private final Map<String, byte[]> entries = new TreeMap<>();
  private @Nullable TreeEntry current;
  private long members;
  private long bytes;
  private byte[] skipped = new byte[0];

  FingerprintTree(FileTree tree) {
    this.tree = tree;
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }

  @Override
  public Optional<TreeEntry> next() throws IOException, InterruptedException {
    passRest();
    end();
    Optional<TreeEntry> next = tree.next();
    next.ifPresent(this::begin);
    return next;
  }

  /** Content that nobody reads belongs to the fingerprint too. */
  private void passRest() throws IOException, InterruptedException {
    TreeEntry file = current;
    if (file != null && file.kind() == TreeEntry.Kind.FILE && file.size() > 0) {
      if (skipped.length == 0) {
        skipped = new byte[64 * 1024];
      }
      while (read(skipped, 0, skipped.length) >= 0) {
        continue;
      }
    }
  }

  private void begin(TreeEntry entry) {
    current = entry;
    members++;
    byte[] target = entry.target().getBytes(StandardCharsets.UTF_8);
    ByteBuffer facts = ByteBuffer.allocate(2 * Integer.BYTES + Long.BYTES + target.length);
    int mode = entry.kind() == TreeEntry.Kind.LINK ? 0 : entry.mode() & PERMISSION_BITS;
    facts.putInt(entry.kind().ordinal()).putInt(mode).putLong(entry.size()).put(target);
    content.update(facts.array());
  }

  private void end() {
    TreeEntry done = current;
    if (done != null) {
      entries.put(done.path(), content.digest());
      current = null;
    }
  }

  @Override
  public int read(byte[] target, int offset, int length) throws IOException, InterruptedException {
    int count = tree.read(target, offset, length);
    if (count > 0) {
      content.update(target, offset, count);
      bytes += count;
    }
    return count;
  }

  /** What passed; once, after the last entry. */
  ArchiveSummary summary() {
    end();
    MessageDigest all = sha256();
    entries.forEach(
        (path, digest) -> {
          byte[] name = path.getBytes(StandardCharsets.UTF_8);
          all.update(ByteBuffer.allocate(Integer.BYTES).putInt(name.length).array());
          all.update(name);
          all.update(digest);
        });
    return new ArchiveSummary(HexFormat.of().formatHex(all.digest()), members, bytes);
  }

  @Override
  public void close() throws IOException {
    tree.close();
  }
}
