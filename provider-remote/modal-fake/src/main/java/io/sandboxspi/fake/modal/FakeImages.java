package io.sandboxspi.fake.modal;

import io.grpc.Status;
import io.sandboxspi.fake.Trees;
import io.sandboxspi.remote.modal.wire.GenericResult;
import io.sandboxspi.remote.modal.wire.GenericResult.GenericStatus;
import io.sandboxspi.remote.modal.wire.Image;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** Images, by their definition or made from sandboxes. Thread-safe. */
final class FakeImages {
  private final Map<Image, String> defined = new ConcurrentHashMap<>();
  private final Map<String, GenericResult> results = new ConcurrentHashMap<>();
  private final Map<String, Path> contents = new ConcurrentHashMap<>();
  private final Map<String, String> taken = new ConcurrentHashMap<>();

  /** The same definition has the same image. */
  String define(Image image) {
    boolean from =
        image.getDockerfileCommandsCount() > 0
            && image.getDockerfileCommands(0).startsWith("FROM ");
    if (!from) {
      throw Status.INVALID_ARGUMENT.withDescription("no FROM in the image").asRuntimeException();
    }
    image
        .getBaseImagesList()
        .forEach(
            base -> {
              if (!base.getImageId().isEmpty()) {
                check(base.getImageId());
              }
            });
    return defined.computeIfAbsent(image, key -> "im-" + Sandboxes.word(22));
  }

  Optional<GenericResult> result(String id) {
    return Optional.ofNullable(results.get(id));
  }

  /** Makes it now. */
  GenericResult make(String id) {
    Image image =
        defined.entrySet().stream()
            .filter(entry -> entry.getValue().equals(id))
            .map(Map.Entry::getKey)
            .findFirst()
            .orElseThrow(() -> Sandboxes.notFound("image " + id));
    boolean good = !image.getDockerfileCommands(0).equals("FROM nothing");
    image
        .getBaseImagesList()
        .forEach(base -> content(base.getImageId()).ifPresent(path -> contents.put(id, path)));
    GenericResult result =
        good
            ? GenericResult.newBuilder().setStatus(GenericStatus.GENERIC_STATUS_SUCCESS).build()
            : GenericResult.newBuilder()
                .setStatus(GenericStatus.GENERIC_STATUS_FAILURE)
                .setException("pull access denied for nothing")
                .build();
    results.put(id, result);
    return result;
  }

  void check(String id) {
    GenericResult result = results.get(id);
    if (result == null || result.getStatus() != GenericStatus.GENERIC_STATUS_SUCCESS) {
      throw Sandboxes.notFound("image " + id);
    }
  }

  /** What is in an image beside what this machine has. */
  Optional<Path> content(String id) {
    return Optional.ofNullable(contents.get(id));
  }

  /** Makes an image from a directory, once for each name. */
  synchronized String take(String name, Path tree) {
    return taken.computeIfAbsent(
        name,
        key -> {
          try {
            Path copy = Files.createTempDirectory("sandbox-fake-modal-image");
            Trees.copy(tree, copy);
            String id = "im-" + Sandboxes.word(22);
            contents.put(id, copy);
            results.put(
                id,
                GenericResult.newBuilder().setStatus(GenericStatus.GENERIC_STATUS_SUCCESS).build());
            return id;
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        });
  }

  void delete(String id) {
    check(id);
    results.remove(id);
    Path content = contents.remove(id);
    if (content != null && taken.values().remove(id)) {
      Trees.delete(content);
    }
  }

  int snapshots() {
    return taken.size();
  }

  void close() {
    contents.values().forEach(Trees::delete);
  }
}
