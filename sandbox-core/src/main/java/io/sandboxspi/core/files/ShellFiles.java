package io.sandboxspi.core.files;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.sandboxspi.ErrorCode;
import io.sandboxspi.FileInfo;
import io.sandboxspi.Operation;
import io.sandboxspi.Retryable;
import io.sandboxspi.SandboxException;
import io.sandboxspi.core.posix.ShellText;
import io.sandboxspi.core.workspace.TarStream;
import io.sandboxspi.core.workspace.TarTree;
import io.sandboxspi.spi.BackendFiles;
import io.sandboxspi.spi.Deadline;
import io.sandboxspi.spi.FileTree;
import io.sandboxspi.spi.SandboxBackend;
import io.sandboxspi.spi.TreeEntry;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The full set of files calls for a backend that has a POSIX shell, {@code readlink}, {@code stat},
 * {@code find} and {@code tar}, be they of busybox (spec S-FILE-09). Paths travel as quoted words,
 * contents as streams; nothing is held in memory. Thread-safe.
 */
public final class ShellFiles implements BackendFiles {
  private static final Logger LOG = LoggerFactory.getLogger(ShellFiles.class);
  private static final String LIBRARY = load();
  private static final int CLOSED_AT_ONCE = 100;
  private static final Duration CLEANUP = Duration.ofSeconds(5);

  private final ShellAccess access;
  private final String root;

  private ShellFiles(ShellAccess access, String root) {
    this.access = access;
    this.root = root;
  }

  /**
   * Files below a directory, by a way to run shell text.
   *
   * @param root an absolute path in the sandbox
   */
  public static ShellFiles over(ShellAccess access, String root) {
    return new ShellFiles(access, root);
  }

  /**
   * Files below a directory, by launches of a shell.
   *
   * @param root an absolute path in the sandbox
   * @param shell the shell's name or path in the sandbox
   */
  public static ShellFiles over(SandboxBackend backend, String root, String shell) {
    return new ShellFiles(new LaunchAccess(backend, shell), root);
  }

  /** Functions that every text is run with; pure ASCII, ends in a newline. */
  public static String library() {
    return LIBRARY;
  }

  private static String load() {
    try (InputStream in =
        Objects.requireNonNull(ShellFiles.class.getResourceAsStream("files.sh"), "files.sh")) {
      StringBuilder text = new StringBuilder();
      for (String line : new String(in.readAllBytes(), UTF_8).split("\n", -1)) {
        if (!line.strip().startsWith("#") && !line.isBlank()) {
          text.append(line.strip()).append('\n');
        }
      }
      return text.toString();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public String workspace() {
    return root;
  }

  @Override
  public ShellFiles within(String other) {
    return new ShellFiles(access, other);
  }

  @Override
  public ShellFiles asUser(String user) {
    return new ShellFiles(access.asUser(user), root);
  }

  private String text(String function, List<String> words) {
    List<String> all = new ArrayList<>(List.of(root));
    all.addAll(words);
    return function + " " + ShellText.quote(all) + "\n";
  }

  private Reply ask(Operation operation, String function, List<String> words, Deadline deadline)
      throws InterruptedException {
    return Reply.of(access.ask(text(function, words), deadline)).succeeded(operation, words.get(0));
  }

  @Override
  public InputStream open(String path, Deadline deadline) throws InterruptedException {
    int small = access.smallRead();
    if (small > 0) {
      String text = text("sf_read", List.of(path, String.valueOf(small)));
      Reply reply = Reply.of(access.ask(text, deadline));
      if (!reply.word().equals("BIG")) {
        return new ByteArrayInputStream(reply.succeeded(Operation.FILE_READ, path).body());
      }
      Optional<InputStream> carried = carried(reply, deadline);
      if (carried.isPresent()) {
        return carried.get();
      }
    }
    String mark = UUID.randomUUID().toString();
    return new MarkedStream(
        stream(Operation.FILE_READ, "sf_cat", List.of(path, mark), deadline), mark);
  }

  private Optional<InputStream> carried(Reply big, Deadline deadline) throws InterruptedException {
    Optional<FileCarrier> carrier = access.carrier();
    Optional<SeenFile> file = SeenFile.of(big);
    return carrier.isPresent() && file.isPresent() && carrier.get().takes(file.get().size())
        ? carrier.get().open(file.get(), deadline)
        : Optional.empty();
  }

  private InputStream stream(
      Operation operation, String function, List<String> words, Deadline deadline)
      throws InterruptedException {
    InputStream in = access.read(text(function, words), deadline);
    boolean done = false;
    try {
      Object unused = Reply.line(in).succeeded(operation, words.get(0));
      done = true;
      return in;
    } catch (IOException e) {
      throw failed(operation, words.get(0), "the sandbox gave no answer", e);
    } finally {
      if (!done) {
        closeQuietly(in);
      }
    }
  }

  private static void closeQuietly(InputStream in) {
    try {
      in.close();
    } catch (IOException e) {
      LOG.debug("a stream of a file that failed could not be closed", e);
    }
  }

  @Override
  public void write(String path, InputStream content, Deadline deadline)
      throws InterruptedException {
    write(path, content, -1, deadline);
  }

  @Override
  public void write(String path, InputStream content, long size, Deadline deadline)
      throws InterruptedException {
    String part = temporary();
    byte[] head;
    try {
      head = content.readNBytes(access.smallWrite());
    } catch (IOException e) {
      throw failed(Operation.FILE_WRITE, path, "its new content cannot be read", e);
    }
    if (head.length < access.smallWrite()) {
      String encoded = Base64.getEncoder().encodeToString(head);
      Reply reply = Reply.of(access.ask(text("sf_put", List.of(path, part, encoded)), deadline));
      if (!reply.word().equals("TOOL")) {
        Object unused = reply.succeeded(Operation.FILE_WRITE, path);
        return;
      }
    }
    Measured all = new Measured(new SequenceInputStream(new ByteArrayInputStream(head), content));
    Optional<FileCarrier> carrier = access.carrier().filter(way -> way.takes(size));
    if (carrier.isEmpty() || !carried(carrier.get(), path, all, size, deadline)) {
      save(path, part, all, deadline);
    }
  }

  /** Whether it was written; if not, nothing was read of the content. */
  private boolean carried(
      FileCarrier carrier, String path, Measured content, long size, Deadline deadline)
      throws InterruptedException {
    String part = temporary();
    boolean done = false;
    try {
      Reply made = ask(Operation.FILE_WRITE, "sf_part", List.of(path, part), deadline);
      Optional<SeenFile> file = SeenFile.of(made);
      if (file.isEmpty() || !carrier.fill(file.get(), content, size, deadline)) {
        return false;
      }
      end(path, part, size < 0 ? content.count : size, deadline);
      done = true;
      return true;
    } finally {
      if (!done) {
        drop(path, part);
      }
    }
  }

  private static String temporary() {
    return ".sandbox-" + UUID.randomUUID() + ".part";
  }

  /** Puts a temporary file in its place, when all of it is there. */
  private void end(String path, String part, long size, Deadline deadline)
      throws InterruptedException {
    Object unused =
        ask(Operation.FILE_WRITE, "sf_end", List.of(path, part, String.valueOf(size)), deadline);
  }

  /** Beside it, then in its place once all has arrived. */
  private void save(String path, String part, Measured content, Deadline deadline)
      throws InterruptedException {
    boolean done = false;
    try {
      Object unused =
          Reply.of(access.write(text("sf_save", List.of(path, part)), content, deadline))
              .succeeded(Operation.FILE_WRITE, path);
      end(path, part, content.count, deadline);
      done = true;
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
          ask(Operation.FILE_WRITE, "sf_drop", List.of(path, part), Deadline.after(CLEANUP));
    } catch (InterruptedException e) {
      interrupted = true;
    } catch (SandboxException e) {
      LOG.debug("half a file may be left: {}", part, e);
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** Counts what was sent. */
  private static final class Measured extends InputStream {
    private final InputStream in;
    private long count;

    Measured(InputStream in) {
      this.in = in;
    }

    @Override
    public int read() throws IOException {
      int value = in.read();
      count += value < 0 ? 0 : 1;
      return value;
    }

    @Override
    public int read(byte[] target, int offset, int length) throws IOException {
      int n = in.read(target, offset, length);
      count += Math.max(0, n);
      return n;
    }
  }

  private static SandboxException failed(
      Operation operation, String path, String why, Throwable cause) {
    return SandboxException.builder(ErrorCode.FILE_FAILED, operation, '"' + path + "\": " + why)
        .cause(cause)
        .context("path", path)
        .retryable(Retryable.UNKNOWN)
        .build();
  }

  @Override
  public FileInfo stat(String path, Deadline deadline) throws InterruptedException {
    return Listing.info(path, ask(Operation.FILE_STAT, "sf_stat", List.of(path), deadline).rest());
  }

  @Override
  public List<FileInfo> list(String path, Deadline deadline) throws InterruptedException {
    Reply reply = ask(Operation.FILE_LIST, "sf_list", List.of(path), deadline);
    return Listing.parse(path, reply.body());
  }

  @Override
  public void makeDirectories(String path, Deadline deadline) throws InterruptedException {
    Object unused = ask(Operation.FILE_MAKE_DIRECTORY, "sf_make", List.of(path), deadline);
  }

  @Override
  public void remove(String path, boolean tree, Deadline deadline) throws InterruptedException {
    Object unused =
        ask(Operation.FILE_REMOVE, "sf_remove", List.of(path, tree ? "tree" : "one"), deadline);
  }

  @Override
  public void move(String from, String to, Deadline deadline) throws InterruptedException {
    Object unused = ask(Operation.FILE_MOVE, "sf_move", List.of(from, to), deadline);
  }

  @Override
  public void setMode(String path, int mode, Deadline deadline) throws InterruptedException {
    String octal = String.format("%04o", mode);
    Object unused = ask(Operation.FILE_PERMISSIONS, "sf_mode", List.of(path, octal), deadline);
  }

  @Override
  public FileTree readTree(String path, List<String> excludes, Deadline deadline)
      throws InterruptedException {
    List<String> words = new ArrayList<>(List.of(path));
    words.addAll(excludes);
    InputStream tar = stream(Operation.FILE_DOWNLOAD, "sf_pack", words, deadline);
    return new ExcludingTree(TarTree.lenient(tar), excludes);
  }

  @Override
  public void writeTree(String path, FileTree tree, Deadline deadline) throws InterruptedException {
    Object unusedMade = ask(Operation.FILE_UPLOAD, "sf_fresh", List.of(path), deadline);
    String last = temporary();
    // The stream is not closed, as the tree is the engine's.
    DirectoriesLastTree directoriesLast = new DirectoriesLastTree(tree, last);
    InputStream tar = new TarStream(directoriesLast);
    Object unusedReply =
        Reply.of(access.write(text("sf_unpack", List.of(path, last)), tar, deadline))
            .succeeded(Operation.FILE_UPLOAD, path);
    close(path, directoriesLast.closed(), deadline);
  }

  /** The tar of busybox leaves directories that it has made before as they are, but for root. */
  private void close(String path, List<TreeEntry> directories, Deadline deadline)
      throws InterruptedException {
    for (int from = 0; from < directories.size(); from += CLOSED_AT_ONCE) {
      int to = Math.min(directories.size(), from + CLOSED_AT_ONCE);
      List<String> words = new ArrayList<>(List.of(path));
      for (TreeEntry directory : directories.subList(from, to)) {
        words.add(String.format("%04o", directory.mode()));
        words.add(directory.path());
      }
      Object unused = ask(Operation.FILE_UPLOAD, "sf_close", words, deadline);
    }
  }

  @Override
  public void replaceContent(String path, String staged, Deadline deadline)
      throws InterruptedException {
    String name = staged.substring(staged.lastIndexOf('/') + 1);
    String old = ".sandbox-" + UUID.randomUUID() + ".old";
    Object unused = ask(Operation.ARCHIVE_HYDRATE, "sf_switch", List.of(path, name, old), deadline);
  }

  @Override
  public String toString() {
    return "ShellFiles[" + root + "]";
  }
}
