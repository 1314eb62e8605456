package dev.quarry.cli;

import java.io.PrintWriter;
import picocli.CommandLine.Option;

/// The options on how a verb answers.
final class Reporting {
  @Option(names = "--json", description = "Print the answer as JSON and nothing else.")
  boolean json;

  @Option(
      names = {"-q", "--quiet"},
      description = "Show no progress. None is shown where standard error is no terminal.")
  boolean quiet;

  Progress progress(Streams streams) {
    return Progress.on(streams, quiet);
  }

  void print(Streams streams, Answer answer) {
    PrintWriter out = streams.out();
    out.print(json ? Json.text(answer.json()) : answer.text());
    out.flush();
  }
}
