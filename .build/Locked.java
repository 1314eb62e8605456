import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;

/// Runs a command while no other process runs one under the same lock: `Locked.java LOCK
/// COMMAND...`. The system takes the lock back however this process ends, so there is no stale lock
/// to clean up.
class Locked {
  public static void main(String[] args) throws Exception {
    var command = Arrays.asList(args).subList(1, args.length);
    try (var lock =
            FileChannel.open(
                Path.of(args[0]), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        var _ = lock.lock()) {
      System.exit(new ProcessBuilder(command).inheritIO().start().waitFor());
    }
  }
}
