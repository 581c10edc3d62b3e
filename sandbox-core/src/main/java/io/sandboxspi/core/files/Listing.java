package io.sandboxspi.core.files;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.sandboxspi.ErrorCode;
import io.sandboxspi.FileInfo;
import io.sandboxspi.Operation;
import io.sandboxspi.Retryable;
import io.sandboxspi.SandboxException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** Reads what the shell says of entries. */
final class Listing {
  private static final int MODE_BITS = 0xfff;
  private static final int KIND_BITS = 0xf000;

  private final byte[] bytes;
  private int at;

  private Listing(byte[] bytes) {
    this.bytes = bytes;
  }

  /** The mode in hexadecimal, the size, and the seconds of the last change. */
  static FileInfo info(String path, String facts) {
    String[] parts = facts.split(" ");
    try {
      int mode = Integer.parseInt(parts[0], 16);
      FileInfo.Kind kind =
          switch (mode & KIND_BITS) {
            case 0x8000 -> FileInfo.Kind.FILE;
            case 0x4000 -> FileInfo.Kind.DIRECTORY;
            case 0xa000 -> FileInfo.Kind.LINK;
            default -> FileInfo.Kind.OTHER;
          };
      long size = kind == FileInfo.Kind.DIRECTORY ? 0 : Long.parseLong(parts[1]);
      String permissions = String.format("%04o", mode & MODE_BITS);
      Instant modified = Instant.ofEpochSecond(Long.parseLong(parts[2]));
      return new FileInfo(path, kind, size, permissions, modified);
    } catch (IllegalArgumentException | IndexOutOfBoundsException e) {
      throw failed(path, "the sandbox describes it in words that cannot be read", e);
    }
  }

  /**
   * Batches of a count, the facts of each entry in a line, and the names with a NUL behind each.
   */
  static List<FileInfo> parse(String path, byte[] body) {
    List<FileInfo> found = new ArrayList<>();
    Listing listing = new Listing(body);
    while (listing.at < body.length) {
      int count = count(path, listing.until('\n'));
      List<String> facts = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        facts.add(listing.until('\n'));
      }
      for (int i = 0; i < count; i++) {
        String name = listing.until('\0');
        if (!name.startsWith("./")) {
          throw failed(path, "it changed while it was listed", new IllegalStateException(name));
        }
        name = name.substring(2);
        found.add(info(path.equals(".") ? name : path + "/" + name, facts.get(i)));
      }
    }
    return found;
  }

  private static int count(String path, String text) {
    if (!text.matches("[0-9]{1,9}")) {
      // An entry that went away while it was listed shifts the lines.
      throw failed(path, "it changed while it was listed", new IllegalStateException(text));
    }
    return Integer.parseInt(text);
  }

  private String until(char end) {
    int from = at;
    while (at < bytes.length && bytes[at] != end) {
      at++;
    }
    String text = new String(bytes, from, at - from, UTF_8);
    at++;
    return text;
  }

  private static SandboxException failed(String path, String why, Throwable cause) {
    return SandboxException.builder(
            ErrorCode.FILE_FAILED, Operation.FILE_LIST, '"' + path + "\": " + why)
        .cause(cause)
        .context("path", path)
        .retryable(Retryable.YES)
        .build();
  }
}
