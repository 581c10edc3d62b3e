package io.sandboxspi.remote.shell;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.sandboxspi.ErrorCode;
import io.sandboxspi.FileInfo;
import io.sandboxspi.Operation;
import io.sandboxspi.SandboxException;
import io.sandboxspi.core.posix.ShellText;
import io.sandboxspi.remote.transport.RemoteException;
import io.sandboxspi.spi.BackendFiles;
import io.sandboxspi.spi.Deadline;
import java.io.ByteArrayInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Paths by a kept shell in the sandbox, so that links, permissions and mounts are those that
 * processes see; contents that are not small by the vendor's own calls.
 */
final class ShellFiles implements BackendFiles {
  static final String LIBRARY = library();

  private static final Logger LOG = LoggerFactory.getLogger(ShellFiles.class);
  private static final int SMALL_WRITE = 48 * 1024;
  private static final int SMALL_READ = 256 * 1024;
  private static final Duration TIDY = Duration.ofSeconds(5);
  private static final int MODE_BITS = 0xfff;
  private static final int KIND_BITS = 0xf000;

  private final String workspace;
  private final ControlLink link;
  private final Machine machine;

  ShellFiles(String workspace, ControlLink link, Machine machine) {
    this.workspace = workspace;
    this.link = link;
    this.machine = machine;
  }

  private static String library() {
    try (InputStream in =
        Objects.requireNonNull(ShellFiles.class.getResourceAsStream("files.sh"), "files.sh")) {
      return new String(in.readAllBytes(), UTF_8) + "\n";
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public String workspace() {
    return workspace;
  }

  private FileReply ask(Operation operation, String function, List<String> words, Deadline deadline)
      throws InterruptedException {
    try {
      List<String> all = new ArrayList<>(List.of(workspace));
      all.addAll(words);
      return FileReply.of(link.ask(function + " " + ShellText.quote(all), deadline).output());
    } catch (RemoteException e) {
      throw e.as(ErrorCode.TRANSPORT, operation).build();
    }
  }

  private FileReply succeeded(
      Operation operation, String path, String function, List<String> words, Deadline deadline)
      throws InterruptedException {
    return ask(operation, function, words, deadline).orFail(operation, path);
  }

  @Override
  public InputStream open(String path, Deadline deadline) throws InterruptedException {
    FileReply reply =
        ask(Operation.FILE_READ, "sf_read", List.of(path, String.valueOf(SMALL_READ)), deadline);
    if (!reply.word().equals("BIG")) {
      return new ByteArrayInputStream(reply.orFail(Operation.FILE_READ, path).body());
    }
    // Its name may have newlines.
    String real =
        reply.rest() + (reply.body().length > 0 ? "\n" + new String(reply.body(), UTF_8) : "");
    try {
      return machine.read(real, deadline);
    } catch (RemoteException e) {
      throw failed(Operation.FILE_READ, path, e);
    }
  }

  private static SandboxException failed(Operation operation, String path, RemoteException e) {
    ErrorCode code =
        e.refusedWith(404)
            ? ErrorCode.FILE_NOT_FOUND
            : e.kind() == RemoteException.Kind.REFUSED
                ? ErrorCode.FILE_FAILED
                : ErrorCode.TRANSPORT;
    return e.as(code, operation).context("path", path).build();
  }

  @Override
  public void write(String path, InputStream content, Deadline deadline)
      throws InterruptedException {
    String part = ".sandbox-" + UUID.randomUUID() + ".part";
    byte[] head;
    try {
      head = content.readNBytes(SMALL_WRITE);
    } catch (IOException e) {
      throw FileReply.failed(Operation.FILE_WRITE, path, "its new content cannot be read", e);
    }
    if (head.length < SMALL_WRITE) {
      String encoded = Base64.getEncoder().encodeToString(head);
      FileReply reply = ask(Operation.FILE_WRITE, "sf_put", List.of(path, part, encoded), deadline);
      if (!reply.word().equals("TOOL")) {
        Object unused = reply.orFail(Operation.FILE_WRITE, path);
        return;
      }
    }
    upload(path, part, new SequenceInputStream(new ByteArrayInputStream(head), content), deadline);
  }

  /** Beside it, then in its place once all has arrived. */
  private void upload(String path, String part, InputStream content, Deadline deadline)
      throws InterruptedException {
    FileReply begun =
        succeeded(Operation.FILE_WRITE, path, "sf_begin", List.of(path, part), deadline);
    boolean done = false;
    try {
      Counting counting = new Counting(content);
      machine.write(new String(begun.body(), UTF_8), counting, deadline);
      List<String> words = List.of(path, part, String.valueOf(counting.size));
      Object unused = succeeded(Operation.FILE_WRITE, path, "sf_end", words, deadline);
      done = true;
    } catch (RemoteException e) {
      throw failed(Operation.FILE_WRITE, path, e);
    } finally {
      if (!done) {
        drop(path, part);
      }
    }
  }

  /** In a bound of its own, whatever the caller is at. */
  private void drop(String path, String part) {
    boolean interrupted = Thread.interrupted();
    try {
      Object unused =
          ask(Operation.FILE_WRITE, "sf_drop", List.of(path, part), Deadline.after(TIDY));
    } catch (InterruptedException e) {
      interrupted = true;
    } catch (SandboxException e) {
      LOG.warn("a part of a file transfer may be left in the sandbox", e);
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private static final class Counting extends FilterInputStream {
    private volatile long size;

    Counting(InputStream in) {
      super(in);
    }

    @Override
    @SuppressWarnings("NonAtomicVolatileUpdate") // one reader
    public int read(byte[] into, int offset, int length) throws IOException {
      int n = in.read(into, offset, length);
      if (n > 0) {
        size += n;
      }
      return n;
    }

    @Override
    public int read() throws IOException {
      byte[] one = new byte[1];
      return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }
  }

  @Override
  public FileInfo stat(String path, Deadline deadline) throws InterruptedException {
    FileReply reply = succeeded(Operation.FILE_STAT, path, "sf_stat", List.of(path), deadline);
    return info(Operation.FILE_STAT, path, reply.rest());
  }

  private static FileInfo info(Operation operation, String path, String facts) {
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
      throw FileReply.failed(
          operation, path, "the sandbox describes it in words that cannot be read", e);
    }
  }

  @Override
  public List<FileInfo> list(String path, Deadline deadline) throws InterruptedException {
    FileReply reply = succeeded(Operation.FILE_LIST, path, "sf_list", List.of(path), deadline);
    List<FileInfo> found = new ArrayList<>();
    FileReply.Cursor cursor = reply.cursor();
    while (cursor.more()) {
      int count = count(path, cursor.until('\n'));
      List<String> facts = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        facts.add(cursor.until('\n'));
      }
      for (int i = 0; i < count; i++) {
        String name = cursor.until('\0').substring("./".length());
        String full = path.equals(".") ? name : path + "/" + name;
        found.add(info(Operation.FILE_LIST, full, facts.get(i)));
      }
    }
    return found;
  }

  private static int count(String path, String text) {
    if (!text.matches("[0-9]{1,9}")) {
      // An entry that went away while it was listed shifts the lines.
      throw FileReply.failed(
          Operation.FILE_LIST,
          path,
          "it changed while it was listed",
          new IllegalStateException("no count"));
    }
    return Integer.parseInt(text);
  }

  @Override
  public void makeDirectories(String path, Deadline deadline) throws InterruptedException {
    Object unused =
        succeeded(Operation.FILE_MAKE_DIRECTORY, path, "sf_make", List.of(path), deadline);
  }

  @Override
  public void remove(String path, boolean tree, Deadline deadline) throws InterruptedException {
    List<String> words = List.of(path, tree ? "tree" : "one");
    Object unused = succeeded(Operation.FILE_REMOVE, path, "sf_remove", words, deadline);
  }
}
