package io.sandboxspi.docker;

import static org.assertj.core.api.Assertions.assertThat;

import io.sandboxspi.docker.FaultProxy.Fault;
import io.sandboxspi.docker.engine.Engine;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the engine says of an exec's end. Needs no engine: its answers are given. */
class ExitCodesTest {
  private static final String INSPECT = "GET /exec/";

  @Test
  void aCodeThatIsReadTooEarlyIsAbsentAndAskedForAgain(@TempDir Path directory) throws Exception {
    try (FaultProxy engine = FaultProxy.unix(directory.resolve("none"))) {
      Execs execs = new Execs(Engine.resolve(Optional.of(engine.address())), "c");
      Fault running = engine.answer(INSPECT, 200, "{\"Running\":true,\"ExitCode\":0}");
      assertThat(execs.status("e", DockerFixture.seconds(10)))
          .isEqualTo(new Execs.Status(true, java.util.OptionalInt.empty()));
      running.end();
      Fault early = engine.answer(INSPECT, 200, "{\"Running\":false,\"ExitCode\":null}");
      assertThat(execs.status("e", DockerFixture.seconds(10)).code()).isEmpty();
      early.end();
      Fault known = engine.answer(INSPECT, 200, "{\"Running\":false,\"ExitCode\":7}");
      assertThat(execs.exitCode("e", DockerFixture.seconds(10))).hasValue(7);
      known.end();
      // As after a removal, which looks like a clean end of the stream.
      Fault unused = engine.answer(INSPECT, 404, "{\"message\":\"No such exec instance\"}");
      assertThat(execs.exitCode("e", DockerFixture.seconds(10))).isEmpty();
    }
  }
}
