package io.sandboxspi.build;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The checked-in API files say what the compiled modules offer. */
class ApiFilesTest {
  private static final String REFRESH =
      "mvn -q -pl build-checks -am test -Dapi.update -Dtest=ApiFilesTest"
          + " -Dsurefire.failIfNoSpecifiedTests=false";

  @ParameterizedTest
  @ValueSource(strings = {"sandbox-api", "sandbox-core"})
  void theApiFileIsCurrent(String module) throws IOException {
    assumeThat(Repo.sources(module)).as("a module that has no code yet").isNotEmpty();
    Path file = Repo.root().resolve(module).resolve("api").resolve(module + ".api");
    String current =
        "// Public API of " + module + ". Written by: " + REFRESH + "\n\n" + dump(module);
    if (System.getProperty("api.update") != null) {
      Files.createDirectories(file.getParent());
      Files.writeString(file, current);
      return;
    }
    String recorded = Files.exists(file) ? Files.readString(file) : "";
    List<String> diff = LineDiff.between(recorded, current);
    if (!diff.isEmpty()) {
      fail(
          "The public API of %s is not what %s/api/%s.api says:%n%s%nIf the change is meant: %s",
          module, module, module, String.join(System.lineSeparator(), diff), REFRESH);
    }
  }

  /** What copies between the caller's files and a sandbox names both. */
  private static final Pattern COPIES_OF_THE_HOST = Pattern.compile(" (upload|download|base)\\(");

  @Test
  void theApiNamesNoHostPath() {
    assertThat(dump("sandbox-api").lines())
        .as("members that name a path of the host; sandbox paths are POSIX strings")
        .filteredOn(line -> line.contains("java.nio.file.") || line.contains("java.io.File"))
        .filteredOn(line -> !COPIES_OF_THE_HOST.matcher(line).find())
        .isEmpty();
  }

  private static String dump(String module) {
    List<String> names = Repo.classNames(Repo.mainClasses(module));
    assertThat(names).as("compiled classes of " + module).isNotEmpty();
    Set<String> exported = Repo.exportedPackages(module).orElse(null);
    List<Class<?>> classes = new ArrayList<>();
    for (String name : names) {
      try {
        Class<?> type = Class.forName(name, false, ApiFilesTest.class.getClassLoader());
        if (exported == null || exported.contains(type.getPackageName())) {
          classes.add(type);
        }
      } catch (ClassNotFoundException e) {
        throw new IllegalStateException(e);
      }
    }
    return ApiDump.of(classes);
  }
}
