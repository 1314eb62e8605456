package dev.quarry.cli;

import dev.quarry.layout.DeviceProperties;
import dev.quarry.layout.Layout;
import dev.quarry.plan.Plan;
import dev.quarry.replay.Replay;
import dev.quarry.replay.ReplayOptions;
import dev.quarry.replay.ReplayResult;
import dev.quarry.trace.Trace;
import java.nio.file.Path;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/// Replays a trace through a layout.
@Command(
    name = "replay",
    description =
        "Run a trace through the pools of a layout or a plan, and report what they held. Without"
            + " --storage no memory stands behind them. Exits with 1 when a request was refused.",
    mixinStandardHelpOptions = true,
    footer = {
      "",
      "Example:  quarry replay examples/traces/bert_large.csv --layout \"sliced:page=256MiB\""
    })
final class ReplayCommand implements Callable<Integer> {
  @Mixin TraceInput input;

  @ArgGroup(multiplicity = "1")
  Rules rules = new Rules();

  @Option(names = "--checksum", description = "Also print two sums that tell placements apart.")
  boolean checksum;

  @Option(
      names = "--storage",
      paramLabel = "DEVICE",
      description =
          "Have real memory behind the pools: a device such as opencl:0, as 'quarry devices' lists"
              + " them.")
  @Nullable String storage;

  @Option(
      names = "--touch",
      description =
          "With --storage: fill each page when it was allocated, since drivers may allocate late.")
  boolean touch;

  @Mixin DeviceOptions device;
  @Mixin Reporting reporting;
  @ParentCommand QuarryCommand quarry;
  @Spec CommandSpec spec;

  /// What decides about placement: one of the two.
  static final class Rules {
    @Option(
        names = "--layout",
        paramLabel = "LAYOUT",
        required = true,
        description =
            "The pools: sub-slices, exclusive-pages, or such as sliced:page=64MiB,cap=1GiB;direct.")
    @Nullable Layout layout;

    @Option(
        names = "--plan",
        paramLabel = "FILE",
        required = true,
        description = "The plan whose layout and device to use.")
    @Nullable Path plan;
  }

  @Override
  public Integer call() {
    Streams streams = quarry.streams();
    if (touch && storage == null) throw misuse("--touch goes with --storage");
    Devices.Chosen chosen = storage == null ? null : chosen(storage);
    DeviceProperties properties = chosen == null ? device.device() : device.deviceOn(chosen);
    Layout layout;
    if (rules.plan != null) {
      if (device.given())
        throw misuse(
            "--max-page, --alignment and --exclusive-only come from the plan: leave them out");
      Plan plan = Plan.read(rules.plan);
      layout = chosen == null ? plan.layout() : plan.layoutFor(chosen.info());
      properties = plan.device();
    } else {
      layout = device.checked(Objects.requireNonNull(rules.layout), properties);
    }
    try (Trace trace = input.open(streams);
        Progress progress = reporting.progress(streams)) {
      progress.stage("replaying " + trace.name(), trace.length());
      ReplayOptions options =
          ReplayOptions.DEFAULT.checksums(checksum).touch(touch).progress(progress::position);
      ReplayResult result =
          chosen == null
              ? Replay.of(trace, layout, properties, options)
              : Replay.on(chosen.open(), trace, layout, properties, options);
      progress.erase();
      reporting.print(
          streams,
          new Replayed(
              trace,
              layout,
              properties,
              result,
              chosen == null ? Optional.empty() : Optional.of(chosen.name())));
      return result.refusals() == 0 ? ExitCode.DONE : ExitCode.CHECK_FAILED;
    }
  }

  private Devices.Chosen chosen(String words) {
    try {
      return Devices.named(words);
    } catch (IllegalArgumentException e) {
      throw misuse(String.valueOf(e.getMessage()));
    }
  }

  private ParameterException misuse(String message) {
    return new ParameterException(spec.commandLine(), message);
  }

  private record Replayed(
      Trace trace,
      Layout layout,
      DeviceProperties device,
      ReplayResult result,
      Optional<String> storage)
      implements Answer {
    @Override
    public String text() {
      StringBuilder text = new StringBuilder(result.report().toString());
      Columns columns =
          new Columns("<<")
              .row("reserved at most", Words.bytes(result.reservedPeak()))
              .row("LOAD", Words.bytes(result.load()))
              .row("over LOAD", Words.percent(result.overLoad()))
              .row("padding at the peak", Words.bytes(result.paddingAtPeak()))
              .row("spills", result.spills())
              .row("refusals", result.refusals());
      result.firstRefusal().ifPresent(refusal -> columns.row("  first", refusal.message()));
      result
          .backed()
          .ifPresent(
              backed ->
                  columns
                      .row("on", storage.orElse(""))
                      .row("allocated at most", Words.bytes(backed.allocatedPeak()))
                      .row("pages touched", backed.pagesTouched()));
      result
          .checksums()
          .ifPresent(
              sums -> columns.row("checksums", "loc " + sums.toString().replace(" ", "  sto ")));
      return text.append(columns).toString();
    }

    @Override
    public ObjectNode json() {
      ObjectNode root = Json.document("quarry-replay");
      Json.trace(root, trace);
      Json.device(root, device);
      root.put("layout", layout.text())
          .put("events", result.events())
          .put("allocations", result.allocations())
          .put("reservedPeak", result.reservedPeak())
          .put("load", result.load())
          .put("overLoad", result.overLoad())
          .put("paddingAtPeak", result.paddingAtPeak())
          .put("spills", result.spills())
          .put("refusals", result.refusals());
      result
          .firstRefusal()
          .ifPresent(
              refusal ->
                  root.putObject("firstRefusal")
                      .put("event", refusal.event())
                      .put("name", refusal.name())
                      .put("size", refusal.size())
                      .put("reason", refusal.failure().message()));
      result
          .backed()
          .ifPresent(
              backed ->
                  root.putObject("storage")
                      .put("device", storage.orElse(""))
                      .put("allocatedPeak", backed.allocatedPeak())
                      .put("pagesTouched", backed.pagesTouched()));
      result
          .checksums()
          .ifPresent(
              sums -> {
                String[] both = sums.toString().split(" ", 2);
                root.putObject("checksums").put("loc", both[0]).put("sto", both[1]);
              });
      ArrayNode pools = root.putArray("pools");
      result.report().pools().forEach(pool -> Json.pool(pools, pool));
      return root;
    }
  }
}
