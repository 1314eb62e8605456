package dev.quarry.cli;

/// Where the process starts and the only place that ends it.
public final class Main {
  private Main() {}

  /// Runs the command and exits with its code.
  ///
  /// @param args the words after `quarry`
  public static void main(String[] args) {
    System.exit(QuarryCommand.run(Streams.ofProcess(), args));
  }
}
