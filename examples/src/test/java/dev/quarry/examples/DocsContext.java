package dev.quarry.examples;

import dev.quarry.DeviceMemory;
import dev.quarry.DryRun;
import dev.quarry.Handle;
import dev.quarry.PersistentWindow;
import dev.quarry.layout.DeviceProperties;
import dev.quarry.layout.Layout;
import dev.quarry.plan.PeakPlanner;
import dev.quarry.runtime.Buffer;
import dev.quarry.runtime.Device;
import dev.quarry.runtime.DeviceOptions;
import dev.quarry.runtime.DeviceStream;
import dev.quarry.storage.BytesStorage;
import dev.quarry.trace.Trace;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;

/// What the snippets of the documentation may take for granted: a memory, some handles, and things
/// to do with them.
public abstract class DocsContext implements AutoCloseable {
  protected final Path folder;
  protected DeviceMemory<MemorySegment> memory =
      DeviceMemory.onHost(Layout.parse("sliced:page=1MiB"));
  protected final long size = 4096;
  protected final long bytes = 4096;
  protected final Path file;
  protected final Layout layout = Layout.parse("sliced:page=64MiB");
  protected final Handle a;
  protected final Handle b;
  protected final Device<MemorySegment> device =
      Device.open(
          new BytesStorage(),
          DeviceMemory.HOST,
          DeviceOptions.DEFAULT.layout(Layout.parse("sliced:page=1MiB")));
  protected final DeviceStream<MemorySegment> stream = device.stream();
  protected final Buffer x = stream.allocate(64);
  protected final Buffer y = stream.allocate(64);

  /// A context for one snippet. The plan it may read is made here.
  protected DocsContext(Path folder) {
    this.folder = folder;
    this.file = folder.resolve("run.csv.gz");
    // Apart from the layout's pools, so that a snippet may install another.
    try (PersistentWindow _ = memory.persistent()) {
      a = memory.reserve(bytes);
      b = memory.reserve(bytes);
    }
    try (DryRun _ = DryRun.open()) {
      work(memory);
    }
    Path plan = folder.resolve("plan.json");
    if (Files.exists(plan)) return;
    try (Trace trace = Trace.of(folder.resolve("examples/traces/bert_large.csv"))) {
      new PeakPlanner(Layout.parse("sliced:page=512MiB"))
          .plan(trace, new DeviceProperties(2L << 30, 32))
          .write(plan);
    }
  }

  public abstract void run() throws Exception;

  protected void work(DeviceMemory<MemorySegment> on) {
    try (Handle handle = on.reserve(614_400)) {
      if (!DryRun.isOpen()) on.resource(handle).fill((byte) 1);
    }
  }

  protected void use(Handle handle) {
    handle.close();
  }

  protected void report(String message) {
    throw new AssertionError(message);
  }

  protected void multiply(MemorySegment left, MemorySegment right, MemorySegment into) {
    into.copyFrom(left);
  }

  protected void chooseAlgorithm(DeviceMemory<MemorySegment> on) {
    work(on);
  }

  @Override
  public void close() {
    device.closeAnyway();
    memory.close();
  }
}
