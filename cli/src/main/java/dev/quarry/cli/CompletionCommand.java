package dev.quarry.cli;

import java.util.concurrent.Callable;
import picocli.AutoComplete;
import picocli.CommandLine.Command;
import picocli.CommandLine.ParentCommand;

/// Prints a completion script.
@Command(
    name = "completion",
    description = "Print a script that completes words for bash, and for zsh in its bash mode.",
    mixinStandardHelpOptions = true,
    footer = {
      "",
      "Example:  quarry completion > ~/.local/share/bash-completion/completions/quarry"
    })
final class CompletionCommand implements Callable<Integer> {
  @ParentCommand QuarryCommand quarry;

  @Override
  public Integer call() {
    Streams streams = quarry.streams();
    streams.out().print(AutoComplete.bash("quarry", QuarryCommand.commandLine(streams)));
    return ExitCode.DONE;
  }
}
