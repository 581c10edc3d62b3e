package io.sandboxspi.local.driver.posix;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * All memory that one {@code posix_spawn} needs, in one buffer: the result, the file actions, the
 * vectors and their strings.
 */
public final class SpawnBlock implements AutoCloseable {
  private static final NativeBuffer.Pool BLOCKS = new NativeBuffer.Pool(16_384);
  private static final int PID = 0;
  private static final int PIPE = 8;
  private static final int ACTIONS = 16;
  private static final int ACTIONS_SIZE = 128;
  private static final int SLAVE = ACTIONS + ACTIONS_SIZE;
  static final int SLAVE_SIZE = 64;
  private static final int VECTORS = SLAVE + SLAVE_SIZE;
  private static final byte[] NULL_DEVICE = "/dev/null".getBytes(StandardCharsets.US_ASCII);

  private final NativeBuffer buffer;
  final long pid;
  final long actions;

  /** Address of room for the name of a terminal. */
  public final long slave;

  /** Address of the path of the program. */
  public final long program;

  /** Address of the path of the working directory. */
  public final long directory;

  final long nullDevice;

  /** Address of the arguments, ended by a null pointer. */
  public final long argv;

  /** Address of the variables, ended by a null pointer. */
  public final long envp;

  /** Lays everything out. */
  public SpawnBlock(
      String programPath, List<String> arguments, Map<String, String> environment, String path) {
    List<byte[]> argvBytes = new ArrayList<>(arguments.size());
    arguments.forEach(argument -> argvBytes.add(utf8(argument)));
    List<byte[]> envpBytes = new ArrayList<>(environment.size());
    environment.forEach((name, value) -> envpBytes.add(utf8(name + "=" + value)));
    byte[] programBytes = utf8(programPath);
    byte[] pathBytes = utf8(path);

    int strings = VECTORS + (argvBytes.size() + envpBytes.size() + 2) * Long.BYTES;
    long size = strings + sizeOf(argvBytes) + sizeOf(envpBytes) + programBytes.length;
    size += pathBytes.length + NULL_DEVICE.length + 3;
    buffer = BLOCKS.take(Math.toIntExact(size));
    pid = buffer.address + PID;
    actions = buffer.address + ACTIONS;
    slave = buffer.address + SLAVE;
    argv = buffer.address + VECTORS;
    envp = argv + (argvBytes.size() + 1L) * Long.BYTES;
    buffer.bytes.position(strings);
    program = string(programBytes);
    directory = string(pathBytes);
    nullDevice = string(NULL_DEVICE);
    vector(VECTORS, argvBytes);
    vector(VECTORS + (argvBytes.size() + 1) * Long.BYTES, envpBytes);
  }

  int pid() {
    return buffer.bytes.getInt(PID);
  }

  /** Fills in the name of a terminal. */
  public void nameTerminal(String name) {
    byte[] bytes = utf8(name);
    buffer.bytes.put(SLAVE, bytes).put(SLAVE + bytes.length, (byte) 0);
  }

  /** A close-on-exec pipe: its reading and its writing end. */
  boolean pipe(int[] ends) {
    if (Posix.pipe(buffer.address + PIPE) != 0) {
      return false;
    }
    for (int i = 0; i < 2; i++) {
      ends[i] = buffer.bytes.getInt(PIPE + i * Integer.BYTES);
      Posix.setCloseOnExec(ends[i]);
    }
    return true;
  }

  @Override
  public void close() {
    BLOCKS.give(buffer);
  }

  private void vector(int offset, List<byte[]> values) {
    for (byte[] value : values) {
      buffer.bytes.putLong(offset, string(value));
      offset += Long.BYTES;
    }
    buffer.bytes.putLong(offset, 0);
  }

  private long string(byte[] value) {
    ByteBuffer bytes = buffer.bytes;
    long address = buffer.address + bytes.position();
    bytes.put(value).put((byte) 0);
    return address;
  }

  private static long sizeOf(List<byte[]> values) {
    long size = values.size();
    for (byte[] value : values) {
      size += value.length;
    }
    return size;
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
