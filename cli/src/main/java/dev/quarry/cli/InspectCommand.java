package dev.quarry.cli;

import dev.quarry.plan.TraceStats;
import dev.quarry.trace.Trace;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.ParentCommand;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/// Says what is in a trace.
@Command(
    name = "inspect",
    description =
        "Say what is in a trace: how much is live at most, what sizes, what was never freed.",
    mixinStandardHelpOptions = true,
    footer = {"", "Example:  quarry inspect examples/traces/bert_large.csv"})
final class InspectCommand implements Callable<Integer> {
  @Mixin TraceInput input;
  @Mixin Reporting reporting;
  @ParentCommand QuarryCommand quarry;

  @Override
  public Integer call() {
    Streams streams = quarry.streams();
    try (Trace trace = input.open(streams);
        Progress progress = reporting.progress(streams)) {
      progress.stage("reading " + trace.name(), trace.length());
      TraceStats stats = TraceStats.of(trace, progress::position);
      progress.erase();
      reporting.print(streams, new Inspection(trace, stats));
    }
    return ExitCode.DONE;
  }

  private record Inspection(Trace trace, TraceStats stats) implements Answer {
    private static final int BAR = 40;

    @Override
    public String text() {
      StringBuilder text = new StringBuilder();
      text.append(trace.name())
          .append(": ")
          .append(trace.format().description())
          .append(System.lineSeparator());
      text.append(
          new Columns("<>>")
              .row("events", stats.events())
              .row("allocations", stats.allocations(), Words.bytes(stats.allocatedBytes()))
              .row("frees", stats.frees())
              .row("refused", stats.failures())
              .row("live at most", stats.peakLive())
              .row("LOAD", "", Words.bytes(stats.load()))
              .row("  at event", stats.loadReachedAt())
              .row("largest", "", Words.bytes(stats.largest()))
              .row("never freed", stats.neverFreed(), Words.bytes(stats.neverFreedBytes())));
      sizes(text);
      streams(text);
      stats
          .notes()
          .facts()
          .forEach(fact -> text.append("note: ").append(fact).append(System.lineSeparator()));
      stats
          .notes()
          .tolerated()
          .forEach(
              note -> text.append("passed over: ").append(note).append(System.lineSeparator()));
      return text.toString();
    }

    private void sizes(StringBuilder text) {
      if (stats.sizes().isEmpty()) return;
      text.append("sizes").append(System.lineSeparator());
      long most = stats.sizes().stream().mapToLong(TraceStats.SizeClass::count).max().orElse(1);
      Columns columns = new Columns(">>><");
      for (TraceStats.SizeClass size : stats.sizes()) {
        String from = size.least() == 0 ? "nothing" : "from " + Words.rounded(size.least());
        String bar = "#".repeat((int) Math.ceilDiv(size.count() * BAR, most));
        columns.row(from, size.count(), Words.rounded(size.bytes()), bar);
      }
      text.append(columns);
    }

    private void streams(StringBuilder text) {
      if (stats.streams().size() < 2) return;
      text.append("streams").append(System.lineSeparator());
      Columns columns = new Columns(">>>>").row("stream", "allocations", "frees", "allocated");
      for (TraceStats.StreamFigures stream : stats.streams()) {
        columns.row(
            Long.toHexString(stream.stream()),
            stream.allocations(),
            stream.frees(),
            Words.rounded(stream.allocatedBytes()));
      }
      text.append(columns);
    }

    @Override
    public ObjectNode json() {
      ObjectNode root = Json.document("quarry-inspect");
      Json.trace(root, trace);
      root.put("events", stats.events())
          .put("allocations", stats.allocations())
          .put("frees", stats.frees())
          .put("failures", stats.failures())
          .put("marks", stats.marks())
          .put("load", stats.load())
          .put("loadReachedAt", stats.loadReachedAt())
          .put("peakLive", stats.peakLive())
          .put("largest", stats.largest())
          .put("allocatedBytes", stats.allocatedBytes())
          .put("neverFreed", stats.neverFreed())
          .put("neverFreedBytes", stats.neverFreedBytes());
      ArrayNode sizes = root.putArray("sizes");
      stats
          .sizes()
          .forEach(
              size ->
                  sizes
                      .addObject()
                      .put("least", size.least())
                      .put("most", size.most())
                      .put("count", size.count())
                      .put("bytes", size.bytes()));
      ArrayNode streams = root.putArray("streams");
      stats
          .streams()
          .forEach(
              stream ->
                  streams
                      .addObject()
                      .put("stream", stream.stream())
                      .put("allocations", stream.allocations())
                      .put("frees", stream.frees())
                      .put("allocatedBytes", stream.allocatedBytes()));
      ArrayNode tolerated = root.putArray("tolerated");
      stats
          .notes()
          .tolerated()
          .forEach(
              note ->
                  tolerated
                      .addObject()
                      .put("kind", note.kind().name().toLowerCase(Locale.ROOT))
                      .put("count", note.count())
                      .put("firstLine", note.firstLine()));
      ArrayNode facts = root.putArray("facts");
      stats.notes().facts().forEach(facts::add);
      return root;
    }
  }
}
