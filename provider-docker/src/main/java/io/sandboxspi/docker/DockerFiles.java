package io.sandboxspi.docker;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.sandboxspi.ErrorCode;
import io.sandboxspi.FileInfo;
import io.sandboxspi.Operation;
import io.sandboxspi.Retryable;
import io.sandboxspi.SandboxException;
import io.sandboxspi.core.posix.ShellText;
import io.sandboxspi.docker.engine.EngineException;
import io.sandboxspi.docker.engine.Refusal;
import io.sandboxspi.spi.BackendFiles;
import io.sandboxspi.spi.Deadline;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Objects;
import java.util.UUID;

/**
 * Files by a kept shell in the container, so that links, permissions and mounts are those that
 * processes see. Small files travel in questions and answers; large ones as streams of a process.
 */
final class DockerFiles implements BackendFiles {
  static final String LIBRARY = library();

  private static final int SMALL_WRITE = 192 * 1024;
  private static final int SMALL_READ = 1 << 20;
  private static final int MODE_BITS = 0xfff;
  private static final int KIND_BITS = 0xf000;

  private final String workspace;
  private final ControlLink link;
  private final FileStreams streams;

  DockerFiles(String workspace, String shell, ControlLink link, Launcher launcher, Kills kills) {
    this.workspace = workspace;
    this.link = link;
    this.streams = new FileStreams(shell, launcher, kills);
  }

  private static String library() {
    try (InputStream in =
        Objects.requireNonNull(DockerFiles.class.getResourceAsStream("files.sh"), "files.sh")) {
      return new String(in.readAllBytes(), UTF_8) + "\n";
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public String workspace() {
    return workspace;
  }

  /** What the shell answered: a word, the rest of its line, and what comes behind. */
  private record Reply(String word, String rest, byte[] body) {
    static Reply of(byte[] answer) {
      int end = 0;
      while (end < answer.length && answer[end] != '\n') {
        end++;
      }
      String line = new String(answer, 0, end, UTF_8);
      int space = line.indexOf(' ');
      byte[] body =
          end < answer.length ? Arrays.copyOfRange(answer, end + 1, answer.length) : new byte[0];
      return space < 0
          ? new Reply(line, "", body)
          : new Reply(line.substring(0, space), line.substring(space + 1), body);
    }
  }

  private Reply ask(Operation operation, String function, List<String> words, Deadline deadline)
      throws InterruptedException {
    try {
      List<String> all = new ArrayList<>(List.of(workspace));
      all.addAll(words);
      return Reply.of(link.ask(function + " " + ShellText.quote(all), deadline).output());
    } catch (EngineException e) {
      throw Failures.of(operation, e);
    } catch (Refusal refusal) {
      throw Failures.of(operation, refusal);
    }
  }

  private static Reply succeeded(Operation operation, String path, Reply reply) {
    if (reply.word().equals("OK")) {
      return reply;
    }
    String why =
        switch (reply.word()) {
          case "MISSING" -> "it does not exist";
          case "OUTSIDE" -> "it leads out of the workspace";
          case "LOOP" -> "it is a loop of links";
          case "DIRECTORY" -> "it is a directory";
          case "FILE" -> "there is a file in the place of a directory";
          case "FULL" -> "it is a directory that is not empty";
          case "TOOL" -> "the sandbox has no " + reply.rest();
          case "FAILED" -> reply.rest();
          default -> "the sandbox gave no answer that can be read";
        };
    ErrorCode code =
        switch (reply.word()) {
          case "MISSING" -> ErrorCode.FILE_NOT_FOUND;
          case "OUTSIDE" -> ErrorCode.INVALID_PATH;
          default -> ErrorCode.FILE_FAILED;
        };
    throw SandboxException.builder(code, operation, '"' + path + "\": " + why)
        .context("path", path)
        .build();
  }

  @Override
  public InputStream open(String path, Deadline deadline) throws InterruptedException {
    Reply reply =
        ask(Operation.FILE_READ, "sf_read", List.of(path, String.valueOf(SMALL_READ)), deadline);
    if (reply.word().equals("BIG")) {
      // Its name may have newlines.
      String real = reply.rest() + (reply.body().length > 0 ? "\n" + text(reply.body()) : "");
      return streams.read(path, real, deadline);
    }
    return new ByteArrayInputStream(succeeded(Operation.FILE_READ, path, reply).body());
  }

  private static String text(byte[] bytes) {
    return new String(bytes, UTF_8);
  }

  @Override
  public void write(String path, InputStream content, Deadline deadline)
      throws InterruptedException {
    String part = ".sandbox-" + UUID.randomUUID() + ".part";
    byte[] head = read(path, content);
    if (head.length < SMALL_WRITE) {
      String encoded = Base64.getEncoder().encodeToString(head);
      Reply reply = ask(Operation.FILE_WRITE, "sf_put", List.of(path, part, encoded), deadline);
      if (!reply.word().equals("TOOL")) {
        Object unused = succeeded(Operation.FILE_WRITE, path, reply);
        return;
      }
    }
    stream(path, part, new SequenceInputStream(new ByteArrayInputStream(head), content), deadline);
  }

  private static byte[] read(String path, InputStream content) {
    try {
      return content.readNBytes(SMALL_WRITE);
    } catch (IOException e) {
      throw failed(path, "its new content cannot be read", e);
    }
  }

  /** Beside it, then in its place once all has arrived. */
  private void stream(String path, String part, InputStream content, Deadline deadline)
      throws InterruptedException {
    Reply begun =
        succeeded(
            Operation.FILE_WRITE,
            path,
            ask(Operation.FILE_WRITE, "sf_begin", List.of(path, part), deadline));
    boolean done = false;
    try {
      long size = streams.write(path, text(begun.body()), content, deadline);
      Object unused =
          succeeded(
              Operation.FILE_WRITE,
              path,
              ask(
                  Operation.FILE_WRITE,
                  "sf_end",
                  List.of(path, part, String.valueOf(size)),
                  deadline));
      done = true;
    } finally {
      if (!done) {
        FileStreams.quietly(
            limit -> {
              Object unused = ask(Operation.FILE_WRITE, "sf_drop", List.of(path, part), limit);
            });
      }
    }
  }

  static SandboxException failed(String path, String why, Throwable cause) {
    return SandboxException.builder(
            ErrorCode.FILE_FAILED, Operation.FILE_WRITE, '"' + path + "\": " + why)
        .cause(cause)
        .context("path", path)
        .retryable(Retryable.UNKNOWN)
        .build();
  }

  @Override
  public FileInfo stat(String path, Deadline deadline) throws InterruptedException {
    Reply reply = ask(Operation.FILE_STAT, "sf_stat", List.of(path), deadline);
    return info(path, succeeded(Operation.FILE_STAT, path, reply).rest());
  }

  private static FileInfo info(String path, String facts) {
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

  @Override
  public List<FileInfo> list(String path, Deadline deadline) throws InterruptedException {
    Reply reply =
        succeeded(
            Operation.FILE_LIST,
            path,
            ask(Operation.FILE_LIST, "sf_list", List.of(path), deadline));
    List<FileInfo> found = new ArrayList<>();
    Cursor cursor = new Cursor(reply.body());
    while (cursor.more()) {
      int count = count(path, cursor.until('\n'));
      List<String> facts = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        facts.add(cursor.until('\n'));
      }
      for (int i = 0; i < count; i++) {
        String name = cursor.until('\0').substring("./".length());
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

  /** Goes through an answer. */
  private static final class Cursor {
    private final byte[] bytes;
    private int at;

    Cursor(byte[] bytes) {
      this.bytes = bytes;
    }

    boolean more() {
      return at < bytes.length;
    }

    String until(char end) {
      int from = at;
      while (at < bytes.length && bytes[at] != end) {
        at++;
      }
      String text = new String(bytes, from, at - from, UTF_8);
      at++;
      return text;
    }
  }

  @Override
  public void makeDirectories(String path, Deadline deadline) throws InterruptedException {
    Reply reply = ask(Operation.FILE_MAKE_DIRECTORY, "sf_make", List.of(path), deadline);
    Object unused = succeeded(Operation.FILE_MAKE_DIRECTORY, path, reply);
  }

  @Override
  public void remove(String path, boolean tree, Deadline deadline) throws InterruptedException {
    Reply reply =
        ask(Operation.FILE_REMOVE, "sf_remove", List.of(path, tree ? "tree" : "one"), deadline);
    Object unused = succeeded(Operation.FILE_REMOVE, path, reply);
  }
}
