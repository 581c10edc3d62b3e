package io.sandboxspi.bench.experiment;

import static io.sandboxspi.bench.experiment.Experiment.attempt;

import io.sandboxspi.bench.Lab;
import io.sandboxspi.bench.Pass;
import io.sandboxspi.bench.contender.Programs;
import java.io.IOException;

/** From a start to the first byte on a terminal, and whole commands on pipes. */
final class Start implements Experiment {
  @Override
  public String name() {
    return "start";
  }

  @Override
  public void run(Lab lab, Pass pass) throws IOException, InterruptedException {
    int warm = lab.size(400, 20);
    int slowWarm = lab.size(30, 3);
    attempt(pass, "linux", () -> lab.small("ours").call("first-byte linux " + warm));
    attempt(pass, "linux-whole", () -> lab.small("ours").call("whole linux " + warm));
    attempt(pass, "linux-big", () -> lab.big("ours-big").call("first-byte linux " + warm));
    attempt(pass, "api", () -> lab.small("api").call("first-byte api " + warm));
    attempt(pass, "api-whole", () -> lab.small("api").call("whole api " + warm));
    attempt(pass, "api-big", () -> lab.big("api-big").call("first-byte api " + warm));
    attempt(pass, "pty4j", () -> lab.small("pty4j").call("first-byte pty4j " + slowWarm));
    attempt(pass, "pty4j-big", () -> lab.big("pty4j-big").call("first-byte pty4j " + slowWarm));
    attempt(
        pass,
        "processbuilder",
        () -> lab.small("jdk").call("first-byte processbuilder " + slowWarm));
    attempt(pass, "spring-whole", () -> lab.small("spring").call("whole spring-local " + slowWarm));

    int blocks = lab.size(10, 2);
    int n = lab.size(24, 5);
    for (int block = 0; block < blocks; block++) {
      pass.add("c", lab.c("start", n, Programs.HI));
      attempt(
          pass, "linux", () -> pass.add("linux", lab.small("ours").call("first-byte linux " + n)));
      attempt(pass, "api", () -> pass.add("api", lab.small("api").call("first-byte api " + n)));
      attempt(
          pass,
          "linux-big",
          () -> pass.add("linux-big", lab.big("ours-big").call("first-byte linux " + n)));
      attempt(
          pass,
          "api-big",
          () -> pass.add("api-big", lab.big("api-big").call("first-byte api " + n)));
      attempt(
          pass, "pty4j", () -> pass.add("pty4j", lab.small("pty4j").call("first-byte pty4j " + n)));
      attempt(
          pass,
          "pty4j-big",
          () -> pass.add("pty4j-big", lab.big("pty4j-big").call("first-byte pty4j " + n)));
      attempt(
          pass,
          "processbuilder",
          () ->
              pass.add("processbuilder", lab.small("jdk").call("first-byte processbuilder " + n)));
      attempt(
          pass,
          "spring-whole",
          () -> pass.add("spring-whole", lab.small("spring").call("whole spring-local " + n)));
      attempt(
          pass,
          "linux-whole",
          () -> pass.add("linux-whole", lab.small("ours").call("whole linux " + n)));
      attempt(
          pass, "api-whole", () -> pass.add("api-whole", lab.small("api").call("whole api " + n)));
    }
  }
}
