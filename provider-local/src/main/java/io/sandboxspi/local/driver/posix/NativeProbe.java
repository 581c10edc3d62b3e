package io.sandboxspi.local.driver.posix;

import io.sandboxspi.local.driver.ProgramSearch;
import java.nio.charset.StandardCharsets;

/** Looks at the file system by UTF-8 names, whatever the JVM's own encoding of names is. */
public final class NativeProbe implements ProgramSearch.Probe {
  private static final NativeBuffer.Pool PATHS = new NativeBuffer.Pool(4096);

  @Override
  public boolean exists(String path) {
    return access(path, Posix.F_OK);
  }

  @Override
  public boolean isExecutable(String path) {
    return access(path, Posix.X_OK);
  }

  @Override
  public boolean isDirectory(String path) {
    return access(path + "/", Posix.F_OK);
  }

  private static boolean access(String path, int mode) {
    NativeBuffer name = nativeName(path);
    boolean granted = Posix.access(name.address, mode) == 0;
    PATHS.give(name);
    return granted;
  }

  private static NativeBuffer nativeName(String path) {
    byte[] bytes = path.getBytes(StandardCharsets.UTF_8);
    NativeBuffer name = PATHS.take(bytes.length + 1);
    name.bytes.put(0, bytes).put(bytes.length, (byte) 0);
    return name;
  }
}
