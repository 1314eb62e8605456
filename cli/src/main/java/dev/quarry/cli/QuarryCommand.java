package dev.quarry.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/// The command without a verb: it prints its usage. A verb is one class, named in `subcommands`
/// here.
@Command(
    name = "quarry",
    description = "Tells how much device memory a workload needs and which layout to install.",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    subcommands = {})
final class QuarryCommand implements Runnable {
  @Spec CommandSpec spec;

  @Override
  public void run() {
    spec.commandLine().usage(spec.commandLine().getOut());
  }
}
