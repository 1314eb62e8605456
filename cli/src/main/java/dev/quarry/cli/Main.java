package dev.quarry.cli;

/// Where the process starts and the only place that ends it.
public final class Main {
  private Main() {}

  /// Runs the command and exits with its code.
  ///
  /// @param args the words after `quarry`
  public static void main(String[] args) {
    // LWJGL reads these when it is loaded. Its way to memory by sun.misc.Unsafe has the JVM warn.
    System.setProperty("org.lwjgl.util.DebugStream", SilentStream.class.getName());
    System.setProperty("org.lwjgl.system.memoryBackend", "ffm");
    System.exit(QuarryCommand.run(Streams.ofProcess(), args));
  }
}
