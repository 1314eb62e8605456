package dev.quarry.cli;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/// Runs the command in this process and keeps what it printed last.
final class Run {
  private ByteArrayOutputStream out = new ByteArrayOutputStream();
  private ByteArrayOutputStream err = new ByteArrayOutputStream();

  int quarry(String... words) {
    return quarryReading(new byte[0], words);
  }

  int quarryReading(byte[] input, String... words) {
    out = new ByteArrayOutputStream();
    err = new ByteArrayOutputStream();
    return QuarryCommand.run(
        new Streams(new ByteArrayInputStream(input), out, err, StandardCharsets.UTF_8, false),
        words);
  }

  String out() {
    return out.toString(StandardCharsets.UTF_8);
  }

  String err() {
    return err.toString(StandardCharsets.UTF_8);
  }
}
