import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

/// Closes a build with what its reports say. `Summary.java START` prints every test skipped since
/// the instant START with its reason, and how much the tests cover. `Summary.java START ALLOWED`
/// prints only the skipped tests that the file ALLOWED does not name, and fails if there is one.
/// Works on the current directory.
class Summary {
  public static void main(String[] args) throws Exception {
    var skipped = skippedTests(Instant.parse(args[0]));
    if (args.length == 1) {
      skipped.forEach(test -> System.out.println("skipped: " + test));
      printCoverage(Path.of("coverage/target/site/jacoco-aggregate"));
      return;
    }
    var allowed = names(Path.of(args[1]));
    var unexpected = skipped.stream().filter(test -> !allowed.contains(test.name())).toList();
    for (var test : unexpected) {
      System.out.println("skipped, and not allowed by " + args[1] + ": " + test);
    }
    System.exit(unexpected.isEmpty() ? 0 : 1);
  }

  record Skipped(String name, String reason) implements Comparable<Skipped> {
    @Override
    public int compareTo(Skipped other) {
      return name.compareTo(other.name);
    }

    @Override
    public String toString() {
      return name + ": " + reason;
    }
  }

  private static Set<Skipped> skippedTests(Instant start) throws Exception {
    var skipped = new TreeSet<Skipped>();
    for (var report : surefireReports(start)) {
      var document =
          DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(report.toFile());
      for (var test : elements(document.getElementsByTagName("testcase"))) {
        for (var skip : elements(test.getElementsByTagName("skipped"))) {
          var name = test.getAttribute("classname") + "." + test.getAttribute("name");
          skipped.add(new Skipped(name, reason(skip)));
        }
      }
    }
    return skipped;
  }

  private static String reason(Element skip) {
    var text = skip.getAttribute("message");
    if (text.isEmpty()) {
      text = skip.getTextContent().lines().findFirst().orElse("no reason given");
    }
    return text.replaceFirst("^\\S*TestAbortedException: ", "")
        .replaceFirst("^Assumption failed: ", "");
  }

  /// Older reports are of classes that are gone, or that this build did not run.
  private static List<Path> surefireReports(Instant start) throws IOException {
    var reports = new ArrayList<Path>();
    try (var files = Files.walk(Path.of(""))) {
      for (var file : files.filter(Summary::isSurefireReport).toList()) {
        if (!Files.getLastModifiedTime(file).toInstant().isBefore(start)) {
          reports.add(file);
        }
      }
    }
    return reports;
  }

  private static boolean isSurefireReport(Path file) {
    return file.toString()
        .replace('\\', '/')
        .matches(".*/target/surefire-reports/TEST-[^/]*\\.xml");
  }

  private static List<Element> elements(NodeList nodes) {
    return Stream.iterate(0, i -> i < nodes.getLength(), i -> i + 1)
        .map(i -> (Element) nodes.item(i))
        .toList();
  }

  private static Set<String> names(Path file) throws IOException {
    var names = new TreeSet<String>();
    for (var line : Files.readAllLines(file)) {
      if (!line.isBlank() && !line.startsWith("#")) {
        names.add(line.strip());
      }
    }
    return names;
  }

  private static void printCoverage(Path site) throws IOException {
    var table = site.resolve("jacoco.csv");
    if (!Files.exists(table)) {
      return;
    }
    var rows = Files.readAllLines(table).stream().map(row -> row.split(",")).toList();
    System.out.printf(
        "coverage: %s of lines, %s of branches, page: %s%n",
        share(rows, "LINE"), share(rows, "BRANCH"), site.resolve("index.html"));
  }

  private static String share(List<String[]> rows, String what) {
    var header = List.of(rows.getFirst());
    var missed = sum(rows, header.indexOf(what + "_MISSED"));
    var covered = sum(rows, header.indexOf(what + "_COVERED"));
    return missed + covered == 0 ? "none" : Math.round(100.0 * covered / (missed + covered)) + " %";
  }

  private static long sum(List<String[]> rows, int column) {
    return rows.stream().skip(1).mapToLong(row -> Long.parseLong(row[column])).sum();
  }
}
