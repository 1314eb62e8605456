package dev.quarry.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.StringWriter;
import java.lang.reflect.InvocationTargetException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/// Runs every snippet and command of the documentation, because a page that does not work costs its
/// reader more than a page that is missing.
///
/// A `java` block is compiled as the body of a method that has what [DocsContext] offers, and run.
/// Of an `sh` block the lines that begin with `./quarry` are run, in a folder that has the example
/// traces, and must end with exit code 0.
class DocsTest {
  private static final Path ROOT = Path.of("").toAbsolutePath().getParent();
  private static final Path COMMAND = ROOT.resolve("cli/target/quarry.jar");
  private static final Pattern BLOCK =
      Pattern.compile("^```(java|sh)\\n(.*?)^```$", Pattern.MULTILINE | Pattern.DOTALL);

  @TempDir static Path folder;

  @BeforeAll
  static void makeAFolderWithTheExampleTraces() throws IOException {
    Path traces = Files.createDirectories(folder.resolve("examples/traces"));
    try (Stream<Path> files = Files.list(ROOT.resolve("examples/traces"))) {
      for (Path file : files.toList()) Files.copy(file, traces.resolve(file.getFileName()));
    }
  }

  private record Block(Path page, int line, String kind, String text) {
    String name() {
      return page + ", line " + line;
    }
  }

  private static List<Block> blocks(String kind) throws IOException {
    List<Block> blocks = new ArrayList<>();
    try (Stream<Path> pages =
        Stream.concat(Stream.of(ROOT.resolve("README.md")), Files.walk(ROOT.resolve("docs")))) {
      for (Path page : pages.filter(path -> path.toString().endsWith(".md")).sorted().toList()) {
        String text = Files.readString(page);
        for (Matcher each = BLOCK.matcher(text); each.find(); ) {
          int line = (int) text.substring(0, each.start()).lines().count() + 1;
          if (each.group(1).equals(kind))
            blocks.add(new Block(ROOT.relativize(page), line, kind, each.group(2)));
        }
      }
    }
    assertThat(blocks).as("%s blocks in the documentation", kind).isNotEmpty();
    return blocks;
  }

  @TestFactory
  Stream<DynamicTest> everyCommandRuns() throws IOException {
    assumeTrue(
        Files.exists(COMMAND),
        "the command is not packaged: build the whole project, or cli before this module");
    return blocks("sh").stream()
        .map(block -> DynamicTest.dynamicTest(block.name(), () -> runCommands(block)));
  }

  private static void runCommands(Block block) throws Exception {
    List<String> commands =
        block.text().lines().filter(line -> line.startsWith("./quarry ")).toList();
    for (String command : commands) {
      List<String> words =
          new ArrayList<>(
              List.of(
                  Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                  "-jar",
                  COMMAND.toString()));
      words.addAll(Arrays.asList(command.substring("./quarry ".length()).split(" +", -1)));
      Path output = folder.resolve("output.txt");
      Process process =
          new ProcessBuilder(words)
              .directory(folder.toFile())
              .redirectErrorStream(true)
              .redirectOutput(output.toFile())
              .start();
      assertThat(process.waitFor())
          .as("exit code of %s, which printed:%n%s", command, Files.readString(output))
          .isZero();
    }
  }

  @TestFactory
  Stream<DynamicTest> everySnippetCompilesAndRuns() throws IOException {
    return blocks("java").stream()
        .map(block -> DynamicTest.dynamicTest(block.name(), () -> runSnippet(block)));
  }

  private static void runSnippet(Block block) throws Exception {
    Path place = Files.createTempDirectory(folder, "snippet");
    Path source = Files.writeString(place.resolve("Snippet.java"), wrapped(block.text()));
    StringWriter problems = new StringWriter();
    var compiler = ToolProvider.getSystemJavaCompiler();
    var files = compiler.getStandardFileManager(null, null, null);
    List<String> options =
        List.of("-proc:none", "-d", place.toString(), "-cp", System.getProperty("java.class.path"));
    boolean compiled =
        compiler
            .getTask(problems, files, null, options, null, files.getJavaFileObjects(source))
            .call();
    assertThat(compiled).as("%s compiles:%n%s", block.name(), problems).isTrue();
    try (URLClassLoader loader =
            new URLClassLoader(new URL[] {place.toUri().toURL()}, DocsTest.class.getClassLoader());
        DocsContext context =
            (DocsContext)
                loader
                    .loadClass("dev.quarry.examples.Snippet")
                    .getDeclaredConstructor(Path.class)
                    .newInstance(folder)) {
      context.run();
    } catch (InvocationTargetException e) {
      throw e.getCause() instanceof Exception cause ? cause : e;
    }
  }

  private static String wrapped(String body) {
    return """
    package dev.quarry.examples;
    import module java.base;
    import dev.quarry.*;
    import dev.quarry.cuda.*;
    import dev.quarry.failure.*;
    import dev.quarry.host.*;
    import dev.quarry.jfr.*;
    import dev.quarry.layout.*;
    import dev.quarry.opencl.*;
    import dev.quarry.plan.*;
    import dev.quarry.replay.*;
    import dev.quarry.report.*;
    import dev.quarry.runtime.*;
    import dev.quarry.size.*;
    import dev.quarry.storage.*;
    import dev.quarry.storage.StorageProvider.Availability.*;
    import dev.quarry.trace.*;
    import dev.quarry.vulkan.*;
    import java.lang.foreign.*;
    import jdk.jfr.Recording;
    public class Snippet extends DocsContext {
      public Snippet(Path folder) { super(folder); }
      public void run() throws Exception {
    %s
      }
    }
    """
        .formatted(body.replace("Path.of(\"plan.json\")", "folder.resolve(\"plan.json\")"));
  }
}
