package io.sandboxspi.build;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.module.ModuleDescriptor;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Where the modules of this repository and their compiled classes are. */
final class Repo {
  /** Every module that may hold main code; one that does not exist yet is passed over. */
  static final List<String> MODULES =
      List.of(
          "sandbox-api",
          "sandbox-core",
          "provider-tck",
          "provider-local",
          "provider-docker",
          "provider-remote/remote-transport",
          "provider-remote/remote-fake",
          "provider-remote/e2b",
          "provider-remote/daytona",
          "provider-remote/cloudflare",
          "provider-remote/blaxel",
          "provider-remote/modal-proto",
          "provider-remote/modal-fake",
          "provider-remote/modal",
          "sandbox-cli");

  private Repo() {}

  static Path root() {
    return Path.of(System.getProperty("repo.root", "..")).toAbsolutePath().normalize();
  }

  static Path mainClasses(String module) {
    return root().resolve(module).resolve("target/classes");
  }

  static Path testClasses(String module) {
    return root().resolve(module).resolve("target/test-classes");
  }

  /** Binary names of the classes below {@code directory}, sorted; without the two info files. */
  static List<String> classNames(Path directory) {
    try (Stream<Path> files = walk(directory)) {
      return files
          .map(file -> directory.relativize(file).toString().replace('\\', '/'))
          .filter(name -> name.endsWith(".class") && !name.endsWith("-info.class"))
          .map(name -> name.substring(0, name.length() - ".class".length()).replace('/', '.'))
          .sorted()
          .toList();
    }
  }

  static List<Path> sources(String module) {
    try (Stream<Path> files = walk(root().resolve(module).resolve("src"))) {
      return files.filter(file -> file.toString().endsWith(".java")).sorted().toList();
    }
  }

  /** The packages that a module exports to everybody; empty when it has no module-info. */
  static Optional<Set<String>> exportedPackages(String module) {
    return exports(module)
        .map(
            exports ->
                exports.stream()
                    .filter(exported -> !exported.isQualified())
                    .map(ModuleDescriptor.Exports::source)
                    .collect(Collectors.toUnmodifiableSet()));
  }

  /** The exports of a module, qualified ones too; empty when it has no module-info. */
  static Optional<Set<ModuleDescriptor.Exports>> exports(String module) {
    Path info = mainClasses(module).resolve("module-info.class");
    if (!Files.exists(info)) {
      return Optional.empty();
    }
    try (var in = Files.newInputStream(info)) {
      return Optional.of(ModuleDescriptor.read(in).exports());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Stream<Path> walk(Path directory) {
    if (!Files.isDirectory(directory)) {
      return Stream.empty();
    }
    try {
      return Files.walk(directory);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
