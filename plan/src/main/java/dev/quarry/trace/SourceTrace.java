package dev.quarry.trace;

import dev.quarry.trace.TraceFormat.Choices;
import java.io.IOException;
import java.io.InputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/// A trace in bytes.
final class SourceTrace implements Trace {
  private final String name;
  private final Source source;
  private final Choices choices;
  private volatile @Nullable TraceFormat
      format; // looked for once; a second thread would find the same

  SourceTrace(String name, Source source) {
    this(name, source, Choices.NONE, null);
  }

  private SourceTrace(String name, Source source, Choices choices, @Nullable TraceFormat format) {
    this.name = name;
    this.source = source;
    this.choices = choices;
    this.format = format;
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public TraceFormat format() {
    TraceFormat known = format;
    if (known == null) {
      known = TraceFormat.detect(name, source);
      format = known;
    }
    return known;
  }

  @Override
  public TraceReader open() {
    return format().open(name, source, choices);
  }

  @Override
  public long length() {
    try {
      return source.size();
    } catch (IOException e) {
      throw Input.failure(name, 0, e);
    }
  }

  @Override
  public String sha256() {
    MessageDigest digest = newDigest();
    try (InputStream in = source.open()) {
      byte[] buffer = new byte[1 << 16];
      for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
        digest.update(buffer, 0, n);
      }
    } catch (IOException e) {
      throw Input.failure(name, 0, e);
    }
    return HexFormat.of().formatHex(digest.digest());
  }

  @Override
  public Trace withEnds(LifetimeEnds ends) {
    return new SourceTrace(name, source, new Choices(ends, choices.device()), format);
  }

  @Override
  public Trace withDevice(int device) {
    if (device < 0) throw new IllegalArgumentException("device (" + device + ") is negative");
    return new SourceTrace(
        name, source, new Choices(choices.ends(), OptionalInt.of(device)), format);
  }

  @Override
  public Trace withFormat(TraceFormat format) {
    return new SourceTrace(name, source, choices, format);
  }

  @Override
  public void close() {
    try {
      source.close();
    } catch (IOException e) {
      throw Input.failure(name, 0, e);
    }
  }

  static MessageDigest newDigest() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError("every Java platform has SHA-256", e);
    }
  }
}
