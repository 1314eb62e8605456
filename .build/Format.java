import com.google.googlejavaformat.java.Main;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// Formats every Java source of the repository, or checks that it is formatted: `Format.java
/// check|write ROOT`. The build starts it on its JDK 25, since a formatter parses with the javac of
/// the JVM it runs in.
class Format {
  public static void main(String[] args) throws Exception {
    var write = args[0].equals("write");
    var root = Path.of(args[1]);
    var sources = sources(root);
    var command = new ArrayList<>(List.of(write ? "--replace" : "--dry-run"));
    sources.forEach(source -> command.add(source.toString()));

    var found = new StringWriter();
    var exit =
        new Main(new PrintWriter(found, true), new PrintWriter(System.err, true), System.in)
            .format(command.toArray(String[]::new));
    var unformatted = found.toString().lines().toList();
    unformatted.forEach(
        file -> System.err.println("not formatted: " + root.relativize(Path.of(file))));
    if (!unformatted.isEmpty()) {
      System.err.println("run ./format, which rewrites them");
    }
    System.exit(exit != 0 || !unformatted.isEmpty() ? 1 : 0);
  }

  /// Sources are in a module's `src`, at any depth, and in this directory.
  private static List<Path> sources(Path root) throws IOException {
    try (var files = Files.walk(root)) {
      return files.filter(file -> isSource(root.relativize(file))).sorted().toList();
    }
  }

  private static boolean isSource(Path file) {
    var path = "/" + file.toString().replace('\\', '/');
    return path.endsWith(".java")
        && (path.contains("/src/") || path.startsWith("/.build/"))
        && !path.contains("/target/")
        && !path.startsWith("/.git/");
  }
}
