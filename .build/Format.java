import com.google.googlejavaformat.java.Main;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// Formats every Java source below the current directory, or finds those that are not formatted:
/// `Format.java write|check FINDINGS`. The build starts it on JDK 25, because a formatter parses
/// with the javac of the JVM that it runs in.
///
/// The file FINDINGS names the sources that are not formatted and is absent when there is none; the
/// build fails if it finds one.
class Format {
  public static void main(String[] args) throws Exception {
    var mode = args[0];
    var findings = Path.of(args[1]);

    var command = new ArrayList<String>();
    command.add(mode.equals("write") ? "--replace" : "--dry-run");
    command.addAll(sources());
    var output = new StringWriter();
    var formatter =
        new Main(new PrintWriter(output, true), new PrintWriter(System.err, true), System.in);
    var parsed = formatter.format(command.toArray(String[]::new)) == 0;

    Files.deleteIfExists(findings);
    var unformatted = output.toString().lines().map(file -> "not formatted: " + file).toList();
    if (!unformatted.isEmpty()) {
      unformatted.forEach(System.err::println);
      Files.write(findings, unformatted);
    }
    if (!parsed) {
      System.exit(1);
    }
  }

  /// Sources are in a module's `src`, at any depth, and in this program's own directory.
  private static List<String> sources() throws IOException {
    try (var files = Files.walk(Path.of(""))) {
      return files.map(Path::toString).filter(Format::isSource).sorted().toList();
    }
  }

  private static boolean isSource(String file) {
    var path = "/" + file.replace('\\', '/');
    return path.endsWith(".java")
        && (path.contains("/src/") || path.startsWith("/.build/"))
        && !path.contains("/target/");
  }
}
