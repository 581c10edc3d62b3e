package io.sandboxspi.local.files;

import io.sandboxspi.ErrorCode;
import io.sandboxspi.FileInfo;
import io.sandboxspi.Operation;
import io.sandboxspi.SandboxException;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/**
 * Where a sandbox path leads: a directory inside the root, held open, and a name in it that is no
 * link to be followed any more. Links are resolved one at a time, and each directory on the way is
 * opened without following, so one that is swapped in meanwhile is met as a link or fails.
 */
final class Located implements AutoCloseable {
  private static final int MAX_LINKS = 40;

  private final Path root;
  private final String asked;
  private final Operation operation;
  private final Deque<DirectoryHandle> stack = new ArrayDeque<>();
  private final Deque<String> todo = new ArrayDeque<>();
  private String name = ".";
  private int links;

  private Located(Path root, String asked, Operation operation) {
    this.root = root;
    this.asked = asked;
    this.operation = operation;
  }

  /** What to do on the way. */
  enum Mode {
    /** The last name is taken as it is, link or not. */
    ENTRY,
    /** As {@code ENTRY}, and missing directories before it are made. */
    ENTRY_WITH_PARENTS,
    /** A link at the end is followed. */
    TARGET,
    /** As {@code TARGET}, and missing directories before it are made. */
    TARGET_WITH_PARENTS
  }

  /**
   * Follows a path.
   *
   * @param root the real path of the root
   * @param path relative, normal
   */
  static Located find(Path root, String path, Mode mode, Operation operation) throws IOException {
    Located located = new Located(root, path, operation);
    try {
      located.stack.push(DirectoryHandle.root(root));
      located.todo.addAll(List.of(path.split("/")));
      located.walk(mode);
      return located;
    } catch (IOException | RuntimeException e) {
      located.close();
      throw e;
    }
  }

  /** The path of the entry through its open directory. */
  Path path() {
    return directory().entry(name);
  }

  /** The path of another entry of the same directory. */
  Path sibling(String other) {
    return directory().entry(other);
  }

  /** What is known of the entry, a link itself. */
  Facts facts() throws IOException {
    return directory().facts(name);
  }

  /** Holds the entry, no link. */
  DirectoryHandle.Pinned pin() throws IOException {
    return directory().pin(name);
  }

  /** Holds another entry of the same directory, no link. */
  DirectoryHandle.Pinned pinSibling(String other) throws IOException {
    return directory().pin(other);
  }

  /** Opens the entry, a directory and no link. */
  DirectoryHandle open() throws IOException {
    return directory().child(name);
  }

  /** Removes the entry with all in it. */
  void removeTree(TreeRemoval.Check check) throws IOException, InterruptedException {
    TreeRemoval.remove(directory(), name, check);
  }

  @Override
  public void close() {
    stack.forEach(DirectoryHandle::close);
    stack.clear();
  }

  private DirectoryHandle directory() {
    return stack.element();
  }

  private void walk(Mode mode) throws IOException {
    while (!todo.isEmpty()) {
      String part = todo.pop();
      boolean last = todo.isEmpty();
      if (part.isEmpty() || part.equals(".")) {
        name = ".";
      } else if (part.equals("..")) {
        up();
      } else if (last && (mode == Mode.ENTRY || mode == Mode.ENTRY_WITH_PARENTS)) {
        name = part;
      } else {
        step(part, last, mode);
      }
    }
  }

  private void up() {
    if (stack.size() == 1) {
      throw escape();
    }
    stack.pop().close();
    name = ".";
  }

  private void step(String part, boolean last, Mode mode) throws IOException {
    Path entry = directory().entry(part);
    FileInfo.Kind kind;
    try {
      kind = directory().facts(part).kind();
    } catch (NoSuchFileException missing) {
      if (last) {
        name = part;
        return;
      }
      if (mode != Mode.TARGET_WITH_PARENTS && mode != Mode.ENTRY_WITH_PARENTS) {
        throw missing;
      }
      try {
        Files.createDirectory(entry);
      } catch (FileAlreadyExistsException madeMeanwhile) {
        todo.push(part);
        return;
      }
      stack.push(directory().child(part));
      return;
    }
    if (kind == FileInfo.Kind.LINK) {
      follow(Files.readSymbolicLink(entry).toString());
    } else if (last) {
      name = part;
    } else if (kind == FileInfo.Kind.DIRECTORY) {
      stack.push(directory().child(part));
    } else {
      throw new NotDirectoryException(asked);
    }
  }

  private void follow(String target) throws IOException {
    if (++links > MAX_LINKS) {
      throw SandboxException.of(
          ErrorCode.INVALID_PATH, operation, "path \"" + asked + "\" has too many links");
    }
    String rest = target;
    if (target.startsWith("/")) {
      String prefix = root.toString();
      if (!target.equals(prefix) && !target.startsWith(prefix + "/")) {
        throw escape();
      }
      rest = target.substring(prefix.length());
      while (stack.size() > 1) {
        stack.pop().close();
      }
    }
    String[] parts = rest.split("/");
    for (int i = parts.length - 1; i >= 0; i--) {
      todo.push(parts[i]);
    }
    name = ".";
  }

  private SandboxException escape() {
    return SandboxException.of(
        ErrorCode.INVALID_PATH,
        operation,
        "path \"" + asked + "\" leads out of the workspace through a link");
  }
}
