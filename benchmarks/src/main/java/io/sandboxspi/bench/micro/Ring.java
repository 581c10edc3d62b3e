package io.sandboxspi.bench.micro;

import io.sandboxspi.core.output.Drained;
import io.sandboxspi.core.output.HeadTailBuffer;
import java.nio.ByteBuffer;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/** The undelivered output of a PTY. */
@State(Scope.Thread)
public class Ring {
  private static final int READ = 4_095;

  private final ByteBuffer read = ByteBuffer.allocateDirect(READ);
  private final HeadTailBuffer full = new HeadTailBuffer();
  private final HeadTailBuffer idle = new HeadTailBuffer();

  /** One read of a terminal into a buffer that soon overflows for ever. */
  @Benchmark
  public void append() {
    read.clear();
    full.append(read);
  }

  /** One byte in, one byte out: an interactive terminal. */
  @Benchmark
  public Drained oneByte() {
    read.clear().limit(1);
    idle.append(read);
    return idle.drain();
  }
}
