package io.sandboxspi.docker;

import com.github.dockerjava.api.async.ResultCallback;
import com.github.dockerjava.api.command.CreateContainerCmd;
import com.github.dockerjava.api.model.AccessMode;
import com.github.dockerjava.api.model.Capability;
import com.github.dockerjava.api.model.ExposedPort;
import com.github.dockerjava.api.model.HealthCheck;
import com.github.dockerjava.api.model.HostConfig;
import com.github.dockerjava.api.model.Mount;
import com.github.dockerjava.api.model.MountType;
import com.github.dockerjava.api.model.Ports;
import com.github.dockerjava.api.model.PullResponseItem;
import com.github.dockerjava.api.model.Volume;
import com.github.dockerjava.api.model.VolumeOptions;
import io.sandboxspi.Operation;
import io.sandboxspi.SandboxException;
import io.sandboxspi.docker.engine.Engine;
import io.sandboxspi.docker.engine.EngineException;
import io.sandboxspi.docker.engine.Refusal;
import io.sandboxspi.spi.BackendRequest;
import io.sandboxspi.spi.Deadline;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Makes and starts containers; removes what it made when it fails. */
final class ContainerMaker {
  /** Where launches keep their records: in memory, and never in the workspace. */
  static final String STATE = "/run/sandboxspi";

  private static final Logger LOG = LoggerFactory.getLogger(ContainerMaker.class);
  private static final int HTTP_OK = 200;
  private static final Duration CLEANUP = Duration.ofSeconds(10);
  // As first process a shell reaps what is orphaned, ends at once when it is asked to, and cannot
  // be
  // killed from within, while an init would end with its child.
  private static final String MAIN =
      "trap 'exit 0' TERM INT; while :; do sleep 86400 & wait $!; done";

  private final Engine engine;

  ContainerMaker(Engine engine) {
    this.engine = engine;
  }

  /** The name of a session's container; known before it exists, so that it can be removed. */
  static String name(String session) {
    return "sandbox-" + session;
  }

  /** Makes a container that runs; answers its id. */
  String make(BackendRequest request, DockerOptions options, Deadline deadline)
      throws InterruptedException {
    String session = request.sessionId();
    boolean done = false;
    boolean made = false;
    try {
      image(options, request.progress(), deadline);
      made = true;
      String id = engine.call(deadline, client -> spec(client, request, options).exec().getId());
      new WorkspaceMaker(engine, id).prepare(session, options, deadline);
      Optional<Object> unused =
          engine.call(
              deadline,
              client -> {
                client.startContainerCmd(id).exec();
                return Optional.empty();
              });
      done = true;
      return id;
    } catch (Refusal refusal) {
      throw refused(options, refusal);
    } catch (EngineException e) {
      throw Failures.of(Operation.CREATE, e);
    } finally {
      if (made && !done) {
        discard(name(session));
      }
    }
  }

  private CreateContainerCmd spec(
      com.github.dockerjava.api.DockerClient client,
      BackendRequest request,
      DockerOptions options) {
    CreateContainerCmd command =
        client
            .createContainerCmd(options.image())
            .withName(name(request.sessionId()))
            .withEntrypoint("/bin/sh", "-c", MAIN)
            .withCmd()
            .withLabels(Labels.of(request, options))
            .withHealthcheck(new HealthCheck().withTest(List.of("NONE")))
            .withStopSignal("SIGTERM")
            .withHostConfig(host(options).withMounts(volumes(request, options)))
            .withExposedPorts(
                options.ports().stream().map(port -> ExposedPort.tcp(port.port())).toList());
    options.user().ifPresent(command::withUser);
    options.platform().ifPresent(command::withPlatform);
    return command;
  }

  private static HostConfig host(DockerOptions options) {
    HostConfig host =
        HostConfig.newHostConfig()
            .withInit(options.init())
            .withPidsLimit(options.pids())
            .withReadonlyRootfs(options.readOnly())
            .withTmpFs(tmpfs(options))
            .withCapDrop(Capability.ALL)
            .withCapAdd(capabilities(options))
            .withBinds(binds(options))
            .withPortBindings(ports(options));
    if (!options.newPrivileges()) {
      host.withSecurityOpts(List.of("no-new-privileges"));
    }
    if (options.network() == DockerOptions.Network.NONE) {
      host.withNetworkMode("none");
    }
    options.memory().ifPresent(bytes -> host.withMemory(bytes).withMemorySwap(bytes));
    options
        .cpus()
        .ifPresent(
            cpus -> host.withNanoCPUs(cpus.multiply(BigDecimal.valueOf(1e9)).longValueExact()));
    options.runtime().ifPresent(host::withRuntime);
    return host;
  }

  private static Map<String, String> tmpfs(DockerOptions options) {
    Map<String, String> tmpfs = new HashMap<>();
    options
        .tmpfs()
        .forEach(
            (path, size) -> tmpfs.put(path, "exec,mode=1777" + (size > 0 ? ",size=" + size : "")));
    String workspace = options.workspace();
    boolean bound =
        options.binds().stream().anyMatch(bind -> bind.target().equals(workspace))
            || options.volumes().stream().anyMatch(volume -> volume.target().equals(workspace));
    if (options.readOnly() && !bound) {
      tmpfs.putIfAbsent(options.workspace(), "exec,mode=1777");
    }
    tmpfs.put(STATE, "mode=1777,size=16m");
    return tmpfs;
  }

  private static Capability[] capabilities(DockerOptions options) {
    List<Capability> kept = new ArrayList<>();
    for (String name : options.capabilities()) {
      try {
        kept.add(Capability.valueOf(name));
      } catch (IllegalArgumentException e) {
        throw SandboxException.invalid(
            "capabilities", '"' + name + '"', "names of Linux capabilities without CAP_");
      }
    }
    return kept.toArray(Capability[]::new);
  }

  private static List<com.github.dockerjava.api.model.Bind> binds(DockerOptions options) {
    return options.binds().stream()
        .map(
            bind ->
                new com.github.dockerjava.api.model.Bind(
                    bind.source(),
                    new Volume(bind.target()),
                    bind.readOnly() ? AccessMode.ro : AccessMode.rw))
        .toList();
  }

  /** Those without a name go with the container; the labels are for those that are made now. */
  private static List<Mount> volumes(BackendRequest request, DockerOptions options) {
    return options.volumes().stream()
        .map(
            volume -> {
              Mount mount =
                  new Mount()
                      .withType(MountType.VOLUME)
                      .withTarget(volume.target())
                      .withReadOnly(volume.readOnly())
                      .withVolumeOptions(
                          new VolumeOptions().withLabels(Labels.of(request, options)));
              return volume.name().isEmpty() ? mount : mount.withSource(volume.name());
            })
        .toList();
  }

  private static Ports ports(DockerOptions options) {
    Ports ports = new Ports();
    for (DockerOptions.PublishedPort port : options.ports()) {
      Ports.Binding binding =
          port.hostPort() == 0
              ? Ports.Binding.bindIp(port.address())
              : Ports.Binding.bindIpAndPort(port.address(), port.hostPort());
      ports.bind(ExposedPort.tcp(port.port()), binding);
    }
    return ports;
  }

  private void image(DockerOptions options, Consumer<String> told, Deadline deadline)
      throws InterruptedException {
    if (options.pull() != DockerOptions.Pull.ALWAYS) {
      try {
        Object unused =
            engine.call(deadline, client -> client.inspectImageCmd(options.image()).exec());
        return;
      } catch (Refusal refusal) {
        if (!refusal.notFound()) {
          throw refusal;
        }
        if (options.pull() == DockerOptions.Pull.NEVER) {
          throw Failures.create("the engine has no image " + options.image() + ", and pull=never")
              .context("image", options.image())
              .cause(refusal)
              .build();
        }
      }
    }
    pull(options, told, deadline);
  }

  private void pull(DockerOptions options, Consumer<String> told, Deadline deadline)
      throws InterruptedException {
    LOG.info("pulling {}", options.image());
    PullProgress steps = new PullProgress(options.image(), told);
    AtomicReference<@Nullable String> failure = new AtomicReference<>();
    ResultCallback.Adapter<PullResponseItem> progress =
        new ResultCallback.Adapter<>() {
          @Override
          public void onNext(PullResponseItem item) {
            steps.tell(item);
            var detail = item.getErrorDetail();
            if (detail != null) {
              // It comes in an answer that began with success.
              failure.set(String.valueOf(detail.getMessage()));
            }
          }
        };
    try {
      boolean over =
          engine.call(
              deadline,
              client -> {
                var command = client.pullImageCmd(options.image());
                options.platform().ifPresent(command::withPlatform);
                if (!options.image().matches(".*[^/]:[^/]+|.*@.*")) {
                  command.withTag("latest");
                }
                command.exec(progress);
                try {
                  return progress.awaitCompletion(deadline.remainingNanos(), TimeUnit.NANOSECONDS);
                } catch (InterruptedException e) {
                  throw new EngineException(EngineException.Kind.INTERRUPTED, "interrupted", e);
                }
              });
      if (!over) {
        throw new EngineException(
            EngineException.Kind.TIMEOUT, options.image() + " was not pulled in time");
      }
      String why = failure.get();
      if (why != null) {
        throw new Refusal(HTTP_OK, why);
      }
    } catch (Refusal refusal) {
      throw Failures.create(options.image() + " cannot be pulled: " + refusal.getMessage())
          .context("image", options.image())
          .cause(refusal)
          .build();
    } finally {
      Failures.closeQuietly(progress);
    }
  }

  /** The original failure is what counts; what cannot be removed has labels. */
  void discard(String name) {
    boolean interrupted = Thread.interrupted();
    try {
      Object unused = new Containers(engine).remove(name, Deadline.after(CLEANUP));
    } catch (InterruptedException e) {
      interrupted = true;
    } catch (RuntimeException e) {
      LOG.warn("the container {} may be left: sandbox reap removes it", name, e);
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private static SandboxException refused(DockerOptions options, Refusal refusal) {
    String words = String.valueOf(refusal.getMessage());
    boolean noShell = words.contains("\"/bin/sh\"") || words.contains("exec /bin/sh");
    boolean noInit = words.contains("docker-init");
    String why =
        noInit
            ? "the engine has no docker-init: install it, or use init=false"
            : noShell ? "the image " + options.image() + " has no /bin/sh, which is needed" : words;
    return Failures.create("the container was not made: " + why)
        .context("image", options.image())
        .context("status", refusal.status())
        .cause(refusal)
        .build();
  }
}
