package io.sandboxspi.build;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collection;

/** Compiled classes of modules, imported by ArchUnit. */
final class Classes {
  private Classes() {}

  static JavaClasses main(String... modules) {
    return in(Arrays.stream(modules).map(Repo::mainClasses).toList());
  }

  static JavaClasses in(Collection<Path> directories) {
    return new ClassFileImporter()
        .importPaths(directories.stream().filter(Files::isDirectory).toList());
  }
}
