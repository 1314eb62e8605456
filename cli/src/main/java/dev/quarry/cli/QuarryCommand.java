package dev.quarry.cli;

import dev.quarry.layout.Layout;
import dev.quarry.size.ByteSize;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

/// The command without a verb: it prints its usage. A verb is one class, named in `subcommands`
/// here.
@Command(
    name = "quarry",
    description = "Tells how much device memory a workload needs and which layout to install.",
    mixinStandardHelpOptions = true,
    synopsisSubcommandLabel = "VERB",
    versionProvider = Version.class,
    commandListHeading = "%nVerbs:%n",
    footer = {
      "",
      "Begin with:  quarry plan examples/traces/bert_large.csv",
      "",
      "Exit codes: 0 done, 1 the work does not fit or a check failed, 2 misuse or bad input.",
      "'quarry VERB --help' tells more, with an example."
    },
    subcommands = {
      InspectCommand.class,
      PlanCommand.class,
      CheckCommand.class,
      ReplayCommand.class,
      DevicesCommand.class,
      CompletionCommand.class
    })
final class QuarryCommand implements Runnable {
  private static final int WIDTH = 100;

  private final Streams streams;

  @Spec CommandSpec spec;

  QuarryCommand(Streams streams) {
    this.streams = streams;
  }

  /// Runs the command that the words spell and returns its exit code. Throws nothing.
  static int run(Streams streams, String... words) {
    int code = Complaints.guard(streams, () -> commandLine(streams).execute(words));
    String problem = streams.problem();
    if (problem == null) return code;
    Complaints.say(streams.err(), "the standard output can not be written: " + problem);
    return ExitCode.MISUSE;
  }

  /// The parser of all verbs.
  static CommandLine commandLine(Streams streams) {
    return new CommandLine(new QuarryCommand(streams))
        .setOut(streams.out())
        .setErr(streams.err())
        .setUsageHelpWidth(WIDTH)
        .setColorScheme(CommandLine.Help.defaultColorScheme(Ansi.OFF))
        .registerConverter(ByteSize.class, plainly(ByteSize::parse))
        .registerConverter(Layout.class, plainly(Layout::parse))
        .setParameterExceptionHandler(Complaints::misused)
        .setExecutionExceptionHandler(Complaints::failed);
  }

  /// A conversion whose own message is the whole complaint.
  private static <T> ITypeConverter<T> plainly(ITypeConverter<T> parse) {
    return text -> {
      try {
        return parse.convert(text);
      } catch (IllegalArgumentException e) {
        throw new TypeConversionException(String.valueOf(e.getMessage()));
      }
    };
  }

  Streams streams() {
    return streams;
  }

  @Override
  public void run() {
    spec.commandLine().usage(streams.out());
  }
}
