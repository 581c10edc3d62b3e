package io.sandboxspi.core.manifest;

import io.sandboxspi.ErrorCode;
import io.sandboxspi.Manifest;
import io.sandboxspi.ManifestEntry;
import io.sandboxspi.Operation;
import io.sandboxspi.Retryable;
import io.sandboxspi.SandboxException;
import io.sandboxspi.core.time.Lane;
import io.sandboxspi.core.time.LaneTask;
import io.sandboxspi.core.workspace.TrustedBase;
import io.sandboxspi.spi.BackendFiles;
import io.sandboxspi.spi.Deadline;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Puts what a manifest says into a workspace: directories first, then copies of directories in
 * order of their paths, then files, a few at a time. The first failure ends it (spec S-MAN-01).
 */
public final class ManifestApplier {
  private static final int AT_ONCE = 4;

  private final BackendFiles files;
  private final Manifest manifest;
  private final boolean ephemeralOnly;
  private final Deadline deadline;

  private ManifestApplier(
      BackendFiles files, Manifest manifest, boolean ephemeralOnly, Deadline deadline) {
    this.files = files;
    this.manifest = manifest;
    this.ephemeralOnly = ephemeralOnly;
    this.deadline = deadline;
  }

  /**
   * Applies a manifest; returns when everything is there.
   *
   * @param ephemeralOnly whether only what snapshots leave out is wanted
   * @param lane runs what goes at once
   */
  public static void apply(
      BackendFiles files, Manifest manifest, boolean ephemeralOnly, Lane lane, Deadline deadline)
      throws InterruptedException {
    new ManifestApplier(files, manifest, ephemeralOnly, deadline).run(lane);
  }

  private void run(Lane lane) throws InterruptedException {
    Deque<Map.Entry<String, ManifestEntry>> small = new ArrayDeque<>();
    List<Map.Entry<String, ManifestEntry>> trees = new ArrayList<>();
    for (Map.Entry<String, ManifestEntry> each : manifest.entries().entrySet()) {
      if (ephemeralOnly && !ephemeral(each.getKey())) {
        continue;
      }
      if (each.getValue() instanceof ManifestEntry.Directory) {
        files.makeDirectories(each.getKey(), deadline);
      } else if (each.getValue() instanceof ManifestEntry.LocalDirectory) {
        trees.add(each);
      } else {
        small.add(each);
      }
    }
    for (Map.Entry<String, ManifestEntry> tree : trees) {
      put(tree.getKey(), tree.getValue());
    }
    together(small, lane);
    // Last, as a directory may be closed to those who fill it.
    List<Map.Entry<String, ManifestEntry>> all = new ArrayList<>(manifest.entries().entrySet());
    for (int i = all.size() - 1; i >= 0; i--) {
      if (all.get(i).getValue() instanceof ManifestEntry.Directory directory
          && (!ephemeralOnly || ephemeral(all.get(i).getKey()))) {
        files.setMode(all.get(i).getKey(), Integer.parseInt(directory.permissions(), 8), deadline);
      }
    }
  }

  /** What is in an ephemeral directory is ephemeral too. */
  private boolean ephemeral(String path) {
    for (int at = path.length(); at > 0; at = path.lastIndexOf('/', at - 1)) {
      ManifestEntry entry = manifest.entries().get(path.substring(0, at));
      if (entry != null && entry.ephemeral()) {
        return true;
      }
    }
    return false;
  }

  private void together(Deque<Map.Entry<String, ManifestEntry>> todo, Lane lane)
      throws InterruptedException {
    Deque<LaneTask<Boolean>> running = new ArrayDeque<>();
    try {
      while (!todo.isEmpty() || !running.isEmpty()) {
        while (running.size() < AT_ONCE && !todo.isEmpty()) {
          Map.Entry<String, ManifestEntry> next = todo.remove();
          running.add(
              lane.call(
                  () -> {
                    put(next.getKey(), next.getValue());
                    return true;
                  }));
        }
        join(running.element());
        running.remove();
      }
    } finally {
      running.forEach(LaneTask::interrupt);
    }
  }

  private void join(LaneTask<Boolean> task) throws InterruptedException {
    try {
      Object unused = task.get(deadline.remainingNanos(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      throw failed("did not end in time", e);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof SandboxException failure) {
        throw failure;
      }
      throw failed("failed", e);
    }
  }

  private void put(String path, ManifestEntry entry) throws InterruptedException {
    try {
      if (entry instanceof ManifestEntry.InlineFile file) {
        byte[] content = file.content();
        files.write(path, new ByteArrayInputStream(content), content.length, deadline);
        files.setMode(path, Integer.parseInt(file.permissions(), 8), deadline);
      } else if (entry instanceof ManifestEntry.LocalFile file) {
        base().uploadFile(file.source(), files, path, deadline);
      } else if (entry instanceof ManifestEntry.LocalDirectory directory) {
        base().uploadDirectory(directory.source(), files, path, deadline);
      }
    } catch (IOException e) {
      throw failed("could not put \"" + path + '"', e);
    }
  }

  private TrustedBase base() {
    Path base = manifest.base().orElseThrow(() -> new IllegalStateException("checked when built"));
    return new TrustedBase(base);
  }

  private static SandboxException failed(String what, Exception cause) {
    return SandboxException.builder(
            ErrorCode.FILE_FAILED, Operation.MANIFEST_APPLY, "the manifest " + what)
        .cause(cause)
        .retryable(Retryable.UNKNOWN)
        .build();
  }
}
