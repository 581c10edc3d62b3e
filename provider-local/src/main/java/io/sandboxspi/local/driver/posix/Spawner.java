package io.sandboxspi.local.driver.posix;

import io.sandboxspi.local.driver.ProgramSearch;
import io.sandboxspi.local.driver.SpawnException;
import io.sandboxspi.local.driver.SpawnRequest;
import io.sandboxspi.local.driver.WindowSize;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Starts children by {@code posix_spawn}: own session, default signals, empty mask, no descriptors
 * but the three streams. Leaves nothing behind when it fails. Thread-safe.
 */
public final class Spawner {
  /** Opens terminals for children of the spawner. */
  public interface Terminals {
    /**
     * Opens a close-on-exec, non-blocking master with the size set.
     *
     * @param name where the name of the other side goes, with its closing NUL
     * @param room bytes there
     */
    int open(WindowSize size, long name, int room) throws SpawnException;
  }

  private static final short SETSIGDEF = 0x04;
  private static final short SETSIGMASK = 0x08;
  private static final int ATTRIBUTES_SIZE = 512;
  private static final int SIGNAL_SET_SIZE = 128;

  private final Terminals terminals;
  private final ProgramSearch search = new ProgramSearch(new NativeProbe());

  /** Read only once it is set up. */
  private final NativeBuffer attributes = new NativeBuffer(ATTRIBUTES_SIZE + SIGNAL_SET_SIZE);

  /** With this way to open terminals. */
  public Spawner(Terminals terminals) {
    this.terminals = terminals;
    long set = attributes.address + ATTRIBUTES_SIZE;
    Posix.posix_spawnattr_init(attributes.address);
    Posix.posix_spawnattr_setsigmask(attributes.address, set);
    for (int i = 0; i < SIGNAL_SET_SIZE; i++) {
      attributes.bytes.put(ATTRIBUTES_SIZE + i, (byte) 0xff);
    }
    // Every signal, also those that the host ignores or that the C library keeps for itself.
    Posix.posix_spawnattr_setsigdefault(attributes.address, set);
    Posix.posix_spawnattr_setflags(
        attributes.address,
        (short) (SETSIGDEF | SETSIGMASK | Os.SPAWN_SETSID | Os.SPAWN_CLOSE_REST));
    // If the host ignored it, children would vanish without a status. The JDK does the same.
    Posix.signal(Os.SIGCHLD, 0);
  }

  /** Finds programs as the children would. */
  public ProgramSearch search() {
    return search;
  }

  /** Starts. */
  public Child spawn(SpawnRequest request) throws SpawnException {
    request.check();
    String program = search.find(request);
    Streams streams = new Streams();
    try (SpawnBlock block =
        new SpawnBlock(program, request.argv(), request.environment(), request.directory())) {
      Posix.posix_spawn_file_actions_init(block.actions);
      try {
        if (request.terminal().isPresent()) {
          streams.terminal(block, request.terminal().get());
        } else {
          streams.pipes(block, request.openInput());
        }
        Posix.posix_spawn_file_actions_addchdir_np(block.actions, block.directory);
        CloseFrom.add(block.actions);
        int errno =
            Posix.posix_spawn(
                block.pid,
                block.program,
                block.actions,
                attributes.address,
                block.argv,
                block.envp);
        if (errno != 0) {
          throw search.explain(request, program, errno);
        }
        return streams.child(block.pid());
      } finally {
        Posix.posix_spawn_file_actions_destroy(block.actions);
      }
    } finally {
      streams.closeUnused();
    }
  }

  /** The descriptors of one start. */
  private final class Streams {
    private final List<Integer> childs = new ArrayList<>(3);
    private List<Integer> ours = new ArrayList<>(3);
    private boolean terminal;

    void terminal(SpawnBlock block, WindowSize size) throws SpawnException {
      terminal = true;
      ours.add(terminals.open(size, block.slave, SpawnBlock.SLAVE_SIZE));
      // Opened by the leader of a new session, it becomes its controlling terminal.
      Posix.posix_spawn_file_actions_addopen(block.actions, 0, block.slave, Posix.O_RDWR, 0);
      Posix.posix_spawn_file_actions_adddup2(block.actions, 0, 1);
      Posix.posix_spawn_file_actions_adddup2(block.actions, 0, 2);
    }

    void pipes(SpawnBlock block, boolean openInput) throws SpawnException {
      int output = pipe(block, 1);
      int error = pipe(block, 1);
      if (openInput) {
        Posix.posix_spawn_file_actions_adddup2(block.actions, pipe(block, 0), 0);
      } else {
        Posix.posix_spawn_file_actions_addopen(
            block.actions, 0, block.nullDevice, Posix.O_RDONLY, 0);
      }
      Posix.posix_spawn_file_actions_adddup2(block.actions, output, 1);
      Posix.posix_spawn_file_actions_adddup2(block.actions, error, 2);
      ours.forEach(Posix::setNonBlocking);
    }

    /** Makes a pipe and returns the child's end. */
    private int pipe(SpawnBlock block, int childsEnd) throws SpawnException {
      int[] ends = new int[2];
      if (!block.pipe(ends)) {
        throw ProgramSearch.limit("pipe", Posix.errno());
      }
      for (int i = 0; i < 2; i++) {
        // A JVM may run without standard streams; our pipe must not take their place in the child.
        if (ends[i] < 3) {
          int high = Posix.duplicateAbove(ends[i], 3);
          Posix.close(ends[i]);
          ends[i] = high;
        }
        (i == childsEnd ? childs : ours).add(ends[i]);
      }
      return ends[childsEnd];
    }

    Child child(int pid) {
      List<Integer> kept = ours;
      ours = List.of();
      if (terminal) {
        return Child.onTerminal(pid, kept.get(0));
      }
      Optional<Integer> input = kept.size() > 2 ? Optional.of(kept.get(2)) : Optional.empty();
      return new Child(pid, false, kept.get(0), Optional.of(kept.get(1)), input);
    }

    void closeUnused() {
      childs.forEach(Posix::close);
      ours.forEach(Posix::close);
    }
  }
}
