package io.sandboxspi.core.files;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.eq;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.times;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

import io.sandboxspi.core.pty.Within;
import io.sandboxspi.spi.SandboxBackend;
import io.sandboxspi.spi.SandboxProcess;
import io.sandboxspi.spi.TerminationOutcome;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class TransfersTest {
  private final SandboxBackend backend = mock(SandboxBackend.class);
  private final Transfers transfers = new Transfers(backend);

  @Test
  @Tag("S-CLEAN-01")
  void oneWhoseEndIsNotProvenIsTriedAgainWithTheNext() throws Exception {
    Transfers.Transfer first = transfers.begin();
    Transfers.Transfer running = transfers.begin();
    SandboxProcess process = mock(SandboxProcess.class);
    first.launched(process);
    when(backend.kill(any(), any())).thenReturn(TerminationOutcome.confirmed());
    when(backend.kill(eq(first.id), any()))
        .thenReturn(TerminationOutcome.unconfirmed(new IllegalStateException("busy")))
        .thenReturn(TerminationOutcome.confirmed());

    transfers.end(first);
    verify(backend, times(1)).kill(eq(first.id), any());
    verify(process).release();

    transfers.end(transfers.begin());
    Within.until(() -> !transfers.owns(first));
    verify(backend, times(2)).kill(eq(first.id), any());
    verify(backend, never()).kill(eq(running.id), any());
    assertThat(transfers.owns(running)).isTrue();
  }

  @Test
  @Tag("S-CANCEL-01")
  void anInterruptedCallerStillEndsIt() throws Exception {
    Transfers.Transfer transfer = transfers.begin();
    when(backend.kill(any(), any())).thenReturn(TerminationOutcome.confirmed());
    Thread.currentThread().interrupt();
    transfers.end(transfer);
    assertThat(Thread.interrupted()).isTrue();
    assertThat(transfers.owns(transfer)).isFalse();
  }
}
