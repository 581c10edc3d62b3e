package io.sandboxspi.build;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.StringWriter;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Compiles every Java snippet of the documents, and runs the one of the README. */
class JavaSnippetsTest {
  private static final Pattern BLOCK = Pattern.compile("```java\\n(.*?)```", Pattern.DOTALL);
  private static final String IMPORTS =
      """
      import io.sandboxspi.*;
      import io.sandboxspi.core.*;
      import io.sandboxspi.spi.*;
      import java.nio.charset.StandardCharsets;
      import java.time.Duration;
      import java.util.*;
      """;
  private static final String MY_PROVIDER =
      IMPORTS
          + """
          class MyProvider implements SandboxProvider {
            public String name() { return "mine"; }
            public Set<Capability> capabilities() { return Set.of(); }
            public SandboxBackend create(BackendRequest request, Deadline deadline) {
              throw new IllegalStateException();
            }
            public SandboxBackend attach(BackendRef ref, Deadline deadline) {
              throw new IllegalStateException();
            }
            public ReleaseOutcome delete(BackendRef ref, Deadline deadline) {
              throw new IllegalStateException();
            }
          }
          """;

  @TempDir private Path classes;

  /** A snippet and where it stands. */
  record Snippet(String document, int number, String code) {
    @Override
    public String toString() {
      return document + " #" + number;
    }

    private boolean isType() {
      return Pattern.compile("^(public |final |abstract )*(class|interface|record) ")
          .matcher(code)
          .find();
    }

    private String source() {
      return isType()
          ? IMPORTS + code
          : IMPORTS
              + "public class Snippet { public static void run() throws Exception {\n"
              + code
              + "} }";
    }
  }

  static List<Snippet> snippets() throws IOException {
    List<Snippet> all = new ArrayList<>();
    try (Stream<Path> docs = Files.walk(Repo.root().resolve("docs"))) {
      List<Path> documents =
          new ArrayList<>(docs.filter(doc -> doc.toString().endsWith(".md")).sorted().toList());
      documents.add(Repo.root().resolve("README.md"));
      for (Path document : documents) {
        Matcher block = BLOCK.matcher(Files.readString(document));
        for (int i = 1; block.find(); i++) {
          all.add(new Snippet(document.getFileName().toString(), i, block.group(1)));
        }
      }
    }
    return all;
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("snippets")
  void itCompiles(Snippet snippet) {
    compile(snippet);
  }

  private void compile(Snippet snippet) {
    StringWriter errors = new StringWriter();
    String name = snippet.isType() ? "Type" : "Snippet";
    boolean compiled =
        ToolProvider.getSystemJavaCompiler()
            .getTask(
                errors,
                null,
                null,
                List.of(
                    "-d",
                    classes.toString(),
                    "-cp",
                    System.getProperty("java.class.path"),
                    "-proc:none"),
                null,
                List.of(source(name, snippet.source()), source("MyProvider", MY_PROVIDER)))
            .call();
    assertThat(compiled).as("%s%n%s", snippet, errors).isTrue();
  }

  private static JavaFileObject source(String name, String text) {
    return new SimpleJavaFileObject(
        URI.create("string:///" + name + ".java"), JavaFileObject.Kind.SOURCE) {
      @Override
      public CharSequence getCharContent(boolean ignoreEncodingErrors) {
        return text;
      }
    };
  }

  @Test
  void theReadmeDoesWhatItSays() throws Exception {
    Snippet readme =
        snippets().stream().filter(s -> s.document().equals("README.md")).findFirst().orElseThrow();
    compile(readme);
    assertThat(readme.code().lines().count()).isLessThanOrEqualTo(16);
    PrintStream before = System.out;
    ByteArrayOutputStream shown = new ByteArrayOutputStream();
    try (URLClassLoader loader = new URLClassLoader(new URL[] {classes.toUri().toURL()})) {
      System.setOut(new PrintStream(shown, true, StandardCharsets.UTF_8));
      loader.loadClass("Snippet").getMethod("run").invoke(null);
    } finally {
      System.setOut(before);
    }
    assertThat(shown.toString(StandardCharsets.UTF_8))
        .contains("42 Exited[code=3]")
        .contains("/dev/pts/")
        .contains("24 80")
        .contains("DEADLINE_EXCEEDED: nothing of it is left");
  }
}
