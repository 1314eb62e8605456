package dev.quarry.vulkan;

import dev.quarry.failure.MemoryException;
import dev.quarry.failure.WorkException;
import dev.quarry.failure.WorkFailure;
import dev.quarry.storage.CommandQueue;
import dev.quarry.storage.Fence;
import dev.quarry.vulkan.VulkanOptions.Use;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.lwjgl.vulkan.VkCommandBuffer;
import org.lwjgl.vulkan.VkQueue;

/// Commands in the order in which they were put here. They are gathered in a command buffer, with a
/// barrier before each, and handed to the device with the next fence, or when there are many.
///
/// The body of a launch gets it as the scope's queue, and records commands of its own with
/// [#record].
///
/// Host bytes are copied when [#write] is called: at once into memory that is mapped if nothing put
/// here before is still on its way, else to a staging buffer. [#read] waits until its bytes are
/// there.
///
/// Threads: one at a time; fences may be waited for from anywhere, also after [#close].
///
/// Errors: what the device refuses when commands are handed to it is reported by the next fence, as
/// [WorkFailure.Memory] if for want of memory.
public final class VulkanQueue implements CommandQueue<VulkanWindow> {
  /// So many commands are handed to the device without waiting for a fence.
  private static final int BATCH = 64;

  private static final int WORD = Integer.BYTES;

  private final OpenDevice device;
  private final Vulkan vk;
  private final Consumer<VulkanQueue> onClose;
  private final Timeline timeline;
  private final VkQueue queue;
  private final long pool;
  private final Uploads uploads;
  private final Uploads.Progress progress = new Reached();
  private @Nullable VulkanMemory readback;

  /// Oldest first. The queue runs in order, so they end in order.
  private final ArrayDeque<Batch> running = new ArrayDeque<>();

  private final ArrayDeque<VkCommandBuffer> spare = new ArrayDeque<>();

  /// Fences that the next batch waits for.
  private final List<VulkanFence> waits = new ArrayList<>();

  private @Nullable VkCommandBuffer open;
  private int recorded;

  /// The bytes that commands since the last fence touch.
  private long touched;

  private long submitted;

  /// What the timeline reaches when everything put here is done. Read by the storage's thread.
  private volatile long pending;

  private @Nullable WorkFailure failure;
  private boolean closed;

  private record Batch(@Nullable VkCommandBuffer commands, long value) {}

  VulkanQueue(OpenDevice device, Consumer<VulkanQueue> onClose) {
    this.device = device;
    this.vk = device.vk();
    this.onClose = onClose;
    this.pool = vk.createPool(device.handle(), device.family());
    try {
      this.timeline = device.takeTimeline();
    } catch (VulkanException e) {
      vk.destroyPool(device.handle(), pool);
      throw e;
    }
    this.queue = device.nextQueue();
    this.uploads = new Uploads(device);
    this.submitted = timeline.reached();
    this.pending = submitted;
  }

  /// What uploads ask about.
  private final class Reached implements Uploads.Progress {
    @Override
    public long pending() {
      return pending;
    }

    @Override
    public boolean hasReached(long value) {
      return timeline.hasReached(value);
    }

    @Override
    public void reach(long value) {
      submit();
      timeline.await(Math.min(value, submitted));
    }
  }

  @Override
  public boolean isSynchronous() {
    return false;
  }

  /// Records commands of the program. They run after everything put here before, and see what that
  /// wrote; everything put here later runs after them.
  ///
  /// @param commands gets a command buffer that is being recorded, outside any render pass, on a
  ///   queue for compute. It must not end it. What it names stays valid until the next fence is
  ///   passed
  public void record(Consumer<VkCommandBuffer> commands) {
    command(0, commands);
  }

  /// Runs code while nobody else submits to the `VkQueue`, for submissions of the program's own.
  /// They are not in the order of this queue.
  public void exclusively(Consumer<VkQueue> code) {
    synchronized (queue) {
      code.accept(queue);
    }
  }

  @Override
  public void write(MemorySegment source, VulkanWindow target) {
    checkSame(source.byteSize(), target.size());
    MemorySegment mapped = target.allocation().mapped();
    if (mapped != null && isIdle()) {
      refusing(
          target.size(),
          () -> {
            mapped.asSlice(target.offset(), target.size()).copyFrom(source);
            if (target.size() > 0)
              device.flush(target.allocation(), target.offset(), target.size());
          });
      return;
    }
    for (long at = 0; at < source.byteSize(); at += Uploads.BLOCK) {
      long size = Math.min(Uploads.BLOCK, source.byteSize() - at);
      upload(source.asSlice(at, size), target.buffer(), target.offset() + at);
    }
  }

  private void upload(MemorySegment source, long buffer, long offset) {
    long size = source.byteSize();
    refusing(
        size,
        () -> {
          Uploads.Piece piece = uploads.put(source, progress);
          command(
              size,
              commands ->
                  vk.copy(commands, piece.block().buffer(), piece.offset(), buffer, offset, size));
        });
  }

  /// Whether everything put here is done.
  private boolean isIdle() {
    if (open != null || !waits.isEmpty()) return false;
    try {
      return timeline.hasReached(submitted);
    } catch (VulkanException e) {
      return false;
    }
  }

  @Override
  public void read(VulkanWindow source, MemorySegment target) {
    checkSame(source.size(), target.byteSize());
    if (source.size() == 0) return;
    VulkanMemory memory = source.allocation();
    MemorySegment mapped = memory.mapped();
    if (mapped != null && memory.kind().isCached()) {
      finish();
      refusing(source.size(), () -> device.invalidate(memory, source.offset(), source.size()));
      target.copyFrom(mapped.asSlice(source.offset(), source.size()));
      return;
    }
    for (long at = 0; at < target.byteSize(); at += Uploads.BLOCK) {
      long offset = source.offset() + at;
      MemorySegment part = target.asSlice(at, Math.min(Uploads.BLOCK, target.byteSize() - at));
      refusing(part.byteSize(), () -> readBack(source.buffer(), offset, part));
    }
  }

  private void readBack(long buffer, long offset, MemorySegment target) {
    long size = target.byteSize();
    if (readback == null) readback = device.allocate(Use.READBACK, Uploads.BLOCK, true);
    VulkanMemory staging = readback;
    command(size, commands -> vk.copy(commands, buffer, offset, staging.buffer(), 0, size));
    finish();
    device.invalidate(staging, 0, size);
    target.copyFrom(Uploads.bytes(staging).asSlice(0, size));
  }

  @Override
  public void copy(VulkanWindow source, VulkanWindow target) {
    checkSame(source.size(), target.size());
    if (source.size() == 0) return;
    command(
        source.size(),
        commands ->
            vk.copy(
                commands,
                source.buffer(),
                source.offset(),
                target.buffer(),
                target.offset(),
                source.size()));
  }

  /// The device fills whole words; the bytes before and behind them are copied.
  @Override
  public void fill(VulkanWindow target, byte value) {
    long end = target.offset() + target.size();
    long firstWord = Math.min(end, (target.offset() + WORD - 1) / WORD * WORD);
    long lastWord = Math.max(firstWord, end / WORD * WORD);
    fillBytes(target.buffer(), target.offset(), firstWord, value);
    if (lastWord > firstWord) {
      int word = Byte.toUnsignedInt(value) * 0x01010101;
      command(
          lastWord - firstWord,
          commands -> vk.fill(commands, target.buffer(), firstWord, lastWord - firstWord, word));
    }
    fillBytes(target.buffer(), lastWord, end, value);
  }

  private void fillBytes(long buffer, long from, long to, byte value) {
    if (from >= to) return;
    byte[] bytes = new byte[(int) (to - from)];
    Arrays.fill(bytes, value);
    upload(MemorySegment.ofArray(bytes), buffer, from);
  }

  private static void checkSame(long source, long target) {
    if (source != target)
      throw new IllegalArgumentException(
          "a copy of " + source + " bytes to " + target + " bytes: they must be as many");
  }

  private void command(long size, Consumer<VkCommandBuffer> command) {
    refusing(
        size,
        () -> {
          VkCommandBuffer commands = opened();
          vk.barrier(commands);
          command.accept(commands);
          recorded++;
          touched += size;
          if (recorded >= BATCH) submit();
        });
  }

  private static void refusing(long size, Runnable calls) {
    try {
      calls.run();
    } catch (VulkanException e) {
      throw e.ofWork(size);
    } catch (MemoryException e) {
      throw new WorkException(new WorkFailure.Memory(e.failure()), e);
    }
  }

  /// The command buffer that commands are gathered in.
  private VkCommandBuffer opened() {
    if (open != null) return open;
    while (!running.isEmpty() && timeline.hasReached(running.getFirst().value())) {
      VkCommandBuffer done = running.removeFirst().commands();
      if (done != null) spare.add(done);
    }
    VkCommandBuffer commands = spare.poll();
    if (commands == null) commands = vk.commandBuffer(device.handle(), pool);
    vk.begin(commands);
    open = commands;
    recorded = 0;
    pending = submitted + 1;
    return commands;
  }

  /// Hands what was gathered to the device. What it refuses is kept for the next fence, and the
  /// commands are dropped.
  private void submit() {
    VkCommandBuffer commands = open;
    if (commands == null && waits.isEmpty()) return;
    open = null;
    try {
      if (commands != null) {
        vk.barrier(commands);
        vk.end(commands);
      }
      waits.removeIf(VulkanFence::isSettled);
      device.submit(
          queue,
          commands,
          waits.stream().map(VulkanFence::point).toList(),
          timeline.point(submitted + 1));
      waits.clear();
      submitted++;
      pending = submitted;
      running.add(new Batch(commands, submitted));
    } catch (VulkanException e) {
      if (failure == null) failure = e.failure(touched);
    }
  }

  /// Hands everything to the device and waits for it.
  private void finish() {
    submit();
    if (failure != null) throw new WorkException(failure);
    refusing(touched, () -> timeline.await(submitted));
  }

  @Override
  public Fence fence() {
    submit();
    VulkanFence fence = new VulkanFence(timeline, submitted, touched, failure);
    touched = 0;
    failure = null;
    return fence;
  }

  /// A fence behind everything put here so far, also what the device does not have yet. For the
  /// storage's thread.
  Fence behindEverything() {
    return new VulkanFence(timeline, pending, 0, null).ofMemory();
  }

  @Override
  public void waitFor(Fence fence) {
    if (!(fence instanceof VulkanFence other) || !other.timeline().isOf(device.handle())) {
      fence.await();
      return;
    }
    if (other.timeline() == timeline || other.isSettled()) return;
    submit();
    waits.add(other);
  }

  /// Waits until the commands are done, and releases the queue and its staging buffers. Closing
  /// again does nothing.
  @Override
  public void close() {
    if (closed) return;
    closed = true;
    submit();
    try {
      awaitSubmitted();
      timeline.settle(pending);
    } catch (VulkanException e) {
      timeline.lose(e);
    }
    uploads.close();
    if (readback != null) device.free(readback);
    vk.destroyPool(device.handle(), pool);
    device.giveBack(timeline);
    onClose.accept(this);
  }

  /// What is released next must not be in use: who does not get an answer asks in another way.
  private void awaitSubmitted() {
    try {
      timeline.await(submitted);
    } catch (VulkanException e) {
      if (e.isDeviceLost()) throw e;
      device.awaitIdle(queue);
    }
  }
}
