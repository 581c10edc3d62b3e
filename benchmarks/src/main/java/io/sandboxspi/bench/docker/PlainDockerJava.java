package io.sandboxspi.bench.docker;

import com.github.dockerjava.api.DockerClient;
import com.github.dockerjava.api.async.ResultCallback;
import com.github.dockerjava.api.model.Frame;
import com.github.dockerjava.core.DefaultDockerClientConfig;
import com.github.dockerjava.core.DockerClientImpl;
import com.github.dockerjava.zerodep.ZerodepDockerHttpClient;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** docker-java as it comes, with its zerodep transport. */
final class PlainDockerJava implements AutoCloseable {
  private final DockerClient client;

  PlainDockerJava() {
    DefaultDockerClientConfig config =
        DefaultDockerClientConfig.createDefaultConfigBuilder().build();
    client =
        DockerClientImpl.getInstance(
            config,
            new ZerodepDockerHttpClient.Builder().dockerHost(config.getDockerHost()).build());
  }

  /** The first byte and the whole, from the creation of an exec on. */
  long[] exec(String container, String... argv) throws IOException, InterruptedException {
    long begin = System.nanoTime();
    String id =
        client
            .execCreateCmd(container)
            .withCmd(argv)
            .withAttachStdout(true)
            .withAttachStderr(true)
            .exec()
            .getId();
    AtomicLong first = new AtomicLong();
    try (var callback =
        client
            .execStartCmd(id)
            .exec(
                new ResultCallback.Adapter<Frame>() {
                  @Override
                  public void onNext(Frame frame) {
                    first.compareAndSet(0, System.nanoTime());
                  }
                })) {
      if (!callback.awaitCompletion(30, TimeUnit.SECONDS)) {
        throw new IOException("no end");
      }
    }
    Long unused = client.inspectExecCmd(id).exec().getExitCodeLong();
    return new long[] {first.get() - begin, System.nanoTime() - begin};
  }

  @Override
  public void close() throws IOException {
    client.close();
  }
}
