package io.sandboxspi.remote.blaxel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sandboxspi.remote.transport.RemoteException;
import io.sandboxspi.spi.OutputChannel;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class FramesTest implements Frames.Sink {
  private final List<String> heard = new ArrayList<>();
  private final Frames frames = new Frames(this);

  private void feed(String text) {
    for (byte each : text.getBytes(StandardCharsets.UTF_8)) {
      frames.feed(ByteBuffer.wrap(new byte[] {each}));
    }
  }

  @Test
  void framesComeFromAnythingAroundThem() {
    feed("$ stty\r\n\u001dO 1 6 YW\nI=\n\u001e noise \u001dE 1 4 Yg==\u001e\u001dI 3 3\u001e");
    feed("\u001dsomething\u001e\u001dN 0 0\u001e\u001dF 0 base64\u001e");
    assertThat(heard)
        .containsExactly("STDOUT 1 ab", "STDERR 1 b", "taken 3", "end", "failed base64");
  }

  @Test
  void plainPiecesComeAsTheyAre() {
    feed(
        "\u001do 1 6 \u001ea b\n\n\u0017\u001de 1 1  \u0017\u001do 2 9 ab\u0017\u001do 2 2 cd\u0017");
    assertThat(heard).containsExactly("STDOUT 1 \u001ea b\n\n", "STDERR 1  ", "gap", "STDOUT 2 cd");
  }

  @Test
  void whatIsSaidAgainIsPassedOver() {
    feed("\u001dO 1 4 YQ==\u001e\u001dO 2 4 Y");
    frames.restart();
    feed("Q==\u001e\u001dO 1 4 YQ==\u001e\u001dO 2 4 Yg==\u001e\u001dO 2 4 Yg==\u001e");
    assertThat(heard).containsExactly("STDOUT 1 a", "STDOUT 2 b");
  }

  @Test
  void aMissingPieceIsNoticedAndNothingComesBeforeIt() {
    feed(
        "\u001dO 1 4 YQ==\u001e\u001dO 3 4 Yw==\u001e\u001dO 2 4 Yg==\u001e\u001dO 3 4 Yw==\u001e");
    assertThat(heard).containsExactly("STDOUT 1 a", "gap", "STDOUT 2 b", "STDOUT 3 c");
  }

  @Test
  void aFrameWithSomethingTwiceInItIsAskedForAgain() {
    feed("\u001dO 1 4 YWFhYWFh\u001e\u001dI 22 2\u001e\u001dO 1 4 YQ==\u001e");
    assertThat(heard).containsExactly("gap", "gap", "STDOUT 1 a");
  }

  @Test
  void theRelaysStandTellsWhatIsMissing() {
    feed("\u001dO 1 4 YQ==\u001e\u001dS 1 0 2 3\u001e\u001dS 2 0 2 2\u001e\u001dS 1 1 2 2\u001e");
    assertThat(heard)
        .containsExactly(
            "STDOUT 1 a",
            "taken 2",
            "came 3",
            "taken 2",
            "came 2",
            "gap",
            "taken 2",
            "came 2",
            "gap");
  }

  @Test
  void aFrameWithoutEndIsBounded() {
    assertThatThrownBy(() -> feed("\u001dO 1 " + "A".repeat(140_000)))
        .isInstanceOf(RemoteException.class)
        .hasMessageContaining("too long");
  }

  @Override
  public void piece(OutputChannel channel, long number, byte[] bytes) {
    heard.add(channel + " " + number + " " + new String(bytes, StandardCharsets.UTF_8));
  }

  @Override
  public void taken(long number) {
    heard.add("taken " + number);
  }

  @Override
  public void came(long number) {
    heard.add("came " + number);
  }

  @Override
  public void end() {
    heard.add("end");
  }

  @Override
  public void failed(String why) {
    heard.add("failed " + why);
  }

  @Override
  public void gap() {
    heard.add("gap");
  }
}
