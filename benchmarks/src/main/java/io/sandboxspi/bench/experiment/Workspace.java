package io.sandboxspi.bench.experiment;

import io.sandboxspi.bench.Lab;
import io.sandboxspi.bench.Pass;
import io.sandboxspi.bench.worker.WorkerFailure;
import io.sandboxspi.bench.worker.WorkerJvm;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;

/** Archives and copies in a heap of 64 MiB, against GNU tar and cp. */
final class Workspace implements Experiment {
  private static final int LARGE_MIB = 1024;

  @Override
  public String name() {
    return "workspace";
  }

  @Override
  public void run(Lab lab, Pass pass) throws IOException, InterruptedException {
    Path base = Files.createTempDirectory("sandbox-bench");
    try (WorkerJvm worker = lab.start("-Xmx64m")) {
      Path small = small(base.resolve("small"), lab.size(100, 10));
      Path large = large(base.resolve("large"), lab.size(LARGE_MIB, 16));
      int rounds = lab.size(5, 1);
      for (int round = -1; round < rounds; round++) {
        trees(worker, round < 0 ? new Pass() : pass, base, small, "small");
      }
      for (int round = -1; round < lab.size(3, 1); round++) {
        trees(worker, round < 0 ? new Pass() : pass, base, large, "large");
        copies(worker, round < 0 ? new Pass() : pass, base, large.resolve("file"));
      }
      for (int round = -3; round < lab.size(20, 3); round++) {
        long[] each = worker.call("ws-path " + small);
        if (round >= 0) {
          pass.add("path/ours", each);
        }
      }
    } catch (WorkerFailure failure) {
      pass.skip("ours", String.valueOf(failure.getMessage()));
    } finally {
      command("rm", "-rf", base.toString());
    }
  }

  private static void trees(WorkerJvm worker, Pass pass, Path base, Path tree, String name)
      throws IOException, InterruptedException, WorkerFailure {
    Path archive = base.resolve("archive.tar");
    Path target = Files.createDirectory(base.resolve("target"));
    settle();
    pass.add(
        name + "-persist/tar",
        command("tar", "-cf", archive.toString(), "-C", tree.toString(), "."));
    settle();
    pass.add(
        name + "-hydrate/tar", command("tar", "-xf", archive.toString(), "-C", target.toString()));
    long unused = command("rm", "-rf", archive.toString(), target.toString());
    Path fresh = Files.createDirectory(base.resolve("target"));
    settle();
    pass.add(name + "-persist/ours", worker.call("ws-persist " + tree + " " + archive));
    settle();
    pass.add(name + "-hydrate/ours", worker.call("ws-hydrate " + archive + " " + fresh));
    long unusedToo = command("rm", "-rf", archive.toString(), fresh.toString());
  }

  private static void copies(WorkerJvm worker, Pass pass, Path base, Path file)
      throws IOException, InterruptedException, WorkerFailure {
    Path target = Files.createDirectory(base.resolve("target"));
    Path back = base.resolve("back");
    // Bytes through the process, as ours: a copy inside the kernel is no peer.
    settle();
    pass.add("copy/cp", command("cp", "--reflink=never", file.toString(), target + "/cp"));
    settle();
    pass.add("put/ours", worker.call("ws-put " + file + " " + target));
    settle();
    pass.add("get/ours", worker.call("ws-get " + target + " " + back));
    long unused = command("rm", "-rf", target.toString(), back.toString());
  }

  /** What was written before is not paid for by the next. */
  private static void settle() throws IOException, InterruptedException {
    long unused = command("sync");
  }

  private static long command(String... argv) throws IOException, InterruptedException {
    long begin = System.nanoTime();
    Process process = new ProcessBuilder(argv).inheritIO().start();
    if (process.waitFor() != 0) {
      throw new IOException(List.of(argv) + " failed");
    }
    return System.nanoTime() - begin;
  }

  private static Path small(Path tree, int directories) throws IOException {
    byte[] content = new byte[1024];
    Random random = new Random(7);
    for (int i = 0; i < directories; i++) {
      Path directory = Files.createDirectories(tree.resolve("d" + i));
      for (int j = 0; j < 100; j++) {
        random.nextBytes(content);
        Files.write(directory.resolve("file" + j), content);
      }
    }
    Files.createDirectories(tree.resolve("a/b/c"));
    Files.write(tree.resolve("a/b/c/file"), content);
    Files.createSymbolicLink(tree.resolve("link"), Path.of("a"));
    return tree;
  }

  private static Path large(Path tree, int mebibytes) throws IOException {
    Files.createDirectories(tree);
    byte[] content = new byte[1 << 20];
    new Random(8).nextBytes(content);
    try (OutputStream out = Files.newOutputStream(tree.resolve("file"))) {
      for (int i = 0; i < mebibytes; i++) {
        out.write(content);
      }
    }
    return tree;
  }
}
