package dev.quarry.cli;

import dev.quarry.plan.Plan;
import dev.quarry.plan.PlanCheck;
import dev.quarry.trace.Trace;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParentCommand;
import tools.jackson.databind.node.ObjectNode;

/// Checks a plan against a trace.
@Command(
    name = "check",
    description =
        "Check from the trace alone that the work fits a plan. Exits with 1 and the first"
            + " allocation that does not.",
    mixinStandardHelpOptions = true,
    footer = {"", "Example:  quarry check examples/traces/bert_large.csv --plan plan.json"})
final class CheckCommand implements Callable<Integer> {
  @Mixin TraceInput input;

  @Option(
      names = "--plan",
      paramLabel = "FILE",
      required = true,
      description = "The plan to check.")
  Path plan = Path.of("");

  @Mixin Reporting reporting;
  @ParentCommand QuarryCommand quarry;

  @Override
  public Integer call() {
    Streams streams = quarry.streams();
    Plan checked = Plan.read(plan);
    try (Trace trace = input.open(streams);
        Progress progress = reporting.progress(streams)) {
      progress.stage("checking", trace.length());
      PlanCheck.Verdict verdict = PlanCheck.check(trace, checked, progress::position);
      progress.erase();
      reporting.print(streams, new Checked(trace, plan, verdict));
      return verdict instanceof PlanCheck.Verdict.Fits ? ExitCode.DONE : ExitCode.CHECK_FAILED;
    }
  }

  private record Checked(Trace trace, Path plan, PlanCheck.Verdict verdict) implements Answer {
    @Override
    public String text() {
      return verdict.message() + System.lineSeparator();
    }

    @Override
    public ObjectNode json() {
      ObjectNode root = Json.document("quarry-check");
      Json.trace(root, trace);
      root.put("plan", plan.toString())
          .put("fits", verdict instanceof PlanCheck.Verdict.Fits)
          .put("verdict", verdict.message());
      switch (verdict) {
        case PlanCheck.Verdict.Fits fits ->
            root.put("sameTrace", fits.sameTrace())
                .put("reserved", fits.reserved())
                .put("load", fits.load());
        case PlanCheck.Verdict.DoesNotFit no ->
            root.putObject("doesNotFit")
                .put("event", no.event())
                .put("name", no.name())
                .put("size", no.size())
                .put("reason", no.reason());
        case PlanCheck.Verdict.Differs differs ->
            root.putObject("differs")
                .put("figure", differs.figure())
                .put("planned", differs.planned())
                .put("found", differs.found());
      }
      return root;
    }
  }
}
