package io.sandboxspi.bench.worker;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.stream.Collectors;

/**
 * The main of a measured JVM. Reads a command a line, {@code OPERATION CONTENDER ARGUMENTS}, and
 * answers with a line: {@code ok} and numbers, or {@code failed} and a sentence.
 */
public final class Worker {
  private Worker() {}

  /** Runs until standard input ends. */
  public static void main(String[] args) throws Exception {
    PrintStream answers = System.out;
    System.setOut(System.err);
    Contenders contenders = new Contenders();
    Operations operations = new Operations(contenders);
    BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      answers.println(answer(operations, line));
      answers.flush();
    }
    contenders.closeAll();
    System.exit(0);
  }

  private static String answer(Operations operations, String line) {
    String[] words = line.split(" ");
    try {
      long[] values = operations.run(words[0], Arrays.copyOfRange(words, 1, words.length));
      return Arrays.stream(values)
          .mapToObj(Long::toString)
          .collect(Collectors.joining(" ", "ok ", ""));
    } catch (Exception | LinkageError | OutOfMemoryError failure) {
      failure.printStackTrace();
      return "failed " + failure.toString().replaceAll("\\s+", " ");
    }
  }
}
