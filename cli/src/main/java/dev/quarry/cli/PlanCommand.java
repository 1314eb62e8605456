package dev.quarry.cli;

import dev.quarry.layout.DeviceProperties;
import dev.quarry.layout.Layout;
import dev.quarry.plan.ArenaSearch;
import dev.quarry.plan.PeakPlanner;
import dev.quarry.plan.Plan;
import dev.quarry.plan.PlanCheck;
import dev.quarry.plan.Planner;
import dev.quarry.trace.Trace;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParentCommand;
import tools.jackson.databind.node.ObjectNode;

/// Makes a plan from a trace, and proves it.
@Command(
    name = "plan",
    description = {
      "Measure a trace on pools that can grow, cap them at what was measured, and prove that the"
          + " work fits.",
      "Without --layout the best of some twenty simple layouts is taken."
    },
    mixinStandardHelpOptions = true,
    footer = {
      "",
      "Example:  quarry plan examples/traces/bert_large.csv -o plan.json",
      "A program reads the result with Plan.read(Path.of(\"plan.json\")).layout()."
    })
final class PlanCommand implements Callable<Integer> {
  private static final Path STANDARD_OUTPUT = Path.of("-");

  @Mixin TraceInput input;

  @Option(
      names = "--layout",
      paramLabel = "LAYOUT",
      description =
          "Measure on these pools: sub-slices, exclusive-pages, or such as"
              + " sliced:page=64MiB;direct.")
  @Nullable Layout layout;

  @Option(
      names = {"-o", "--output"},
      paramLabel = "FILE",
      description = "Write the plan there; - is standard output, and then nothing else goes there.")
  @Nullable Path output;

  @Mixin DeviceOptions device;
  @Mixin Reporting reporting;
  @ParentCommand QuarryCommand quarry;

  @Override
  public Integer call() {
    Streams streams = quarry.streams();
    DeviceProperties properties = device.device();
    try (Trace trace = input.open(streams);
        Progress progress = reporting.progress(streams)) {
      Plan plan = planner(trace, progress).plan(trace, properties);
      progress.stage("checking", trace.length());
      PlanCheck.Verdict verdict = PlanCheck.check(trace, plan, progress::position);
      progress.erase();
      boolean proved = verdict instanceof PlanCheck.Verdict.Fits;
      if (proved && output != null && !output.equals(STANDARD_OUTPUT)) plan.write(output);
      if (proved && STANDARD_OUTPUT.equals(output)) streams.out().print(plan.toJson());
      else reporting.print(streams, new Planned(plan, verdict, proved ? output : null));
      return proved ? ExitCode.DONE : ExitCode.CHECK_FAILED;
    }
  }

  private Planner planner(Trace trace, Progress progress) {
    if (layout != null) {
      progress.stage("measuring", trace.length());
      return new PeakPlanner(device.checked(layout), progress::position);
    }
    return new ArenaSearch(
        (stage, position) -> {
          progress.stage(stage, trace.length());
          progress.position(position);
        });
  }

  private record Planned(Plan plan, PlanCheck.Verdict verdict, @Nullable Path written)
      implements Answer {
    @Override
    public String text() {
      Columns columns =
          new Columns("<<")
              .row(
                  "work",
                  Words.count(plan.source().allocations(), "allocation")
                      + " in "
                      + plan.source().name())
              .row("layout", plan.layout().text())
              .row("reserved", Words.bytes(plan.reserved()))
              .row("LOAD", Words.bytes(plan.load()) + ", which nothing can undercut")
              .row("gap", Words.percent(plan.gap()))
              .row("proof", "replayed; checked apart from the pools: " + verdict.message())
              .row(
                  "plan", written == null ? "not kept: -o FILE keeps it" : "written to " + written);
      return columns.toString();
    }

    @Override
    public ObjectNode json() {
      ObjectNode root = Json.document("quarry-planned");
      root.set("plan", Json.plan(plan));
      root.put("proved", verdict instanceof PlanCheck.Verdict.Fits)
          .put("verdict", verdict.message());
      if (written != null) root.put("written", written.toString());
      return root;
    }
  }
}
