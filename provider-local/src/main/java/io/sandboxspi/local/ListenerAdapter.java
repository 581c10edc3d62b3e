package io.sandboxspi.local;

import io.sandboxspi.ExitStatus;
import io.sandboxspi.local.driver.DriverListener;
import io.sandboxspi.spi.OutputChannel;
import io.sandboxspi.spi.ProcessListener;
import java.nio.ByteBuffer;

/** Tells the SPI's listener what a driver tells. */
record ListenerAdapter(ProcessListener listener) implements DriverListener {
  @Override
  public boolean onOutput(int stream, ByteBuffer bytes) {
    return listener.onOutput(stream == STDERR ? OutputChannel.STDERR : OutputChannel.STDOUT, bytes);
  }

  @Override
  public void onOutputClosed() {
    listener.onOutputClosed();
  }

  @Override
  public void onExit(int code, int signal) {
    listener.onExit(signal == 0 ? new ExitStatus.Exited(code) : new ExitStatus.Signalled(signal));
  }

  @Override
  public void onExitUnknown(String cause) {
    listener.onExit(new ExitStatus.Lost(cause));
  }
}
