package io.sandboxspi.bench.contender;

import java.util.List;
import org.springaicommunity.sandbox.ExecResult;
import org.springaicommunity.sandbox.ExecSpec;
import org.springaicommunity.sandbox.LocalSandbox;

/** The local sandbox of Spring AI community's agent-sandbox: whole commands on pipes. */
public final class SpringLocalContender implements Contender {
  private final LocalSandbox sandbox = LocalSandbox.builder().tempDirectory("bench-").build();

  @Override
  public long whole(List<String> argv) {
    long begin = System.nanoTime();
    ExecResult result = sandbox.exec(ExecSpec.of(argv.toArray(new String[0])));
    long end = System.nanoTime();
    if (!result.success()) {
      throw new IllegalStateException("exit " + result.exitCode());
    }
    return end - begin;
  }

  @Override
  public void close() {
    sandbox.close();
  }
}
