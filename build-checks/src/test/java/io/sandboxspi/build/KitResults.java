package io.sandboxspi.build;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import org.xml.sax.SAXException;

/** What the kit's runs of one provider came to, by the reports of surefire. */
final class KitResults {
  private static final Pattern CAPABILITY = Pattern.compile("needs capability ([A-Z_]+)");
  private static final Pattern DECLARED =
      Pattern.compile("S_CAP_01_aDeclaredCapabilityWorks\\(Capability\\)\\[([0-9]+)]");

  private final Map<String, Set<String>> tests;
  private final Map<String, List<Result>> byMethod = new TreeMap<>();
  private final Set<Integer> declared = new TreeSet<>();

  private KitResults(Map<String, Set<String>> tests) {
    this.tests = tests;
  }

  /** How a test ended. */
  enum End {
    PASSED,
    FAILED,
    SKIPPED,
    NO_ENGINE
  }

  private record Result(End end, Optional<String> capability) {}

  /**
   * Reads the reports of one kit.
   *
   * @param module the directory of the module, from the root
   * @param kit how the names of the kit's classes begin
   * @param tests the test methods of each rule
   */
  static KitResults read(String module, String kit, Map<String, Set<String>> tests)
      throws IOException {
    KitResults results = new KitResults(tests);
    Path reports = Repo.root().resolve(module).resolve("target/surefire-reports");
    if (Files.isDirectory(reports)) {
      String glob = "TEST-*." + kit + "*TckTest.xml";
      try (DirectoryStream<Path> files = Files.newDirectoryStream(reports, glob)) {
        for (Path file : files) {
          results.add(file);
        }
      }
    }
    return results;
  }

  private void add(Path file) throws IOException {
    NodeList cases;
    try {
      DocumentBuilderFactory factory = DocumentBuilderFactory.newInstance();
      factory.setFeature("http://apache.org/xml/features/disallow-doctype-decl", true);
      cases = factory.newDocumentBuilder().parse(file.toFile()).getElementsByTagName("testcase");
    } catch (ParserConfigurationException | SAXException e) {
      throw new IOException(file.toString(), e);
    }
    for (int i = 0; i < cases.getLength(); i++) {
      Element test = (Element) cases.item(i);
      String name = test.getAttribute("name");
      Result result = result(test);
      String method = name.substring(0, (name + "(").indexOf('('));
      byMethod.computeIfAbsent(method, key -> new ArrayList<>()).add(result);
      Matcher capability = DECLARED.matcher(name);
      if (capability.matches() && result.end() == End.PASSED) {
        declared.add(Integer.parseInt(capability.group(1)) - 1);
      }
    }
  }

  private static Result result(Element test) {
    if (test.getElementsByTagName("failure").getLength() > 0
        || test.getElementsByTagName("error").getLength() > 0) {
      return new Result(End.FAILED, Optional.empty());
    }
    NodeList skipped = test.getElementsByTagName("skipped");
    if (skipped.getLength() == 0) {
      return new Result(End.PASSED, Optional.empty());
    }
    String reason =
        ((Element) skipped.item(0)).getAttribute("message") + skipped.item(0).getTextContent();
    Matcher capability = CAPABILITY.matcher(reason);
    if (capability.find()) {
      return new Result(End.SKIPPED, Optional.of(capability.group(1)));
    }
    return new Result(
        reason.contains("capability") ? End.SKIPPED : End.NO_ENGINE, Optional.empty());
  }

  /** Whether the whole kit ran, and no test lacked its engine. */
  boolean complete() {
    return tests.values().stream().allMatch(byMethod.keySet()::containsAll)
        && byMethod.values().stream()
            .flatMap(List::stream)
            .noneMatch(result -> result.end() == End.NO_ENGINE);
  }

  /** The ordinals of the capabilities that the provider declares. */
  Set<Integer> declared() {
    return declared;
  }

  /** One word on a rule. */
  String cell(String rule) {
    List<Result> results =
        tests.getOrDefault(rule, Set.of()).stream()
            .flatMap(method -> byMethod.getOrDefault(method, List.of()).stream())
            .toList();
    Set<End> ends = EnumSet.noneOf(End.class);
    Set<String> needs = new TreeSet<>();
    for (Result result : results) {
      ends.add(result.end());
      result.capability().ifPresent(needs::add);
    }
    if (ends.contains(End.FAILED)) {
      return "**failed**";
    }
    if (ends.contains(End.PASSED)) {
      return "passed";
    }
    return needs.isEmpty() ? "not applicable" : "needs " + String.join(", ", needs);
  }
}
