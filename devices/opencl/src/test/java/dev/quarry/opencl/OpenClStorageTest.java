package dev.quarry.opencl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quarry.failure.MemoryException;
import dev.quarry.storage.Region;
import dev.quarry.storage.Storage;
import dev.quarry.storage.StorageId;
import dev.quarry.testkit.StorageContract;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class OpenClStorageTest extends StorageContract<ClWindow> {
  private final Map<OpenClStorage, OpenClQueue> queues = new HashMap<>();
  private OpenClStorage last = null;

  @BeforeAll
  static void skipWhereThereIsNone() {
    Available.orSkip();
  }

  @Override
  protected Storage<ClWindow> open(long capacity) {
    last = OpenClStorage.open(0, options().limit(capacity));
    queues.put(last, last.openQueue());
    return last;
  }

  OpenClOptions options() {
    return OpenClOptions.DEFAULT;
  }

  @AfterEach
  void closeQueues() {
    queues.values().forEach(OpenClQueue::close);
  }

  @Override
  protected boolean zeroes() {
    return false;
  }

  @Override
  protected void write(ClWindow resource, byte[] bytes) {
    queue().write(MemorySegment.ofArray(bytes), resource);
  }

  @Override
  protected byte[] read(ClWindow resource) {
    byte[] bytes = new byte[(int) resource.size()];
    queue().read(resource, MemorySegment.ofArray(bytes));
    return bytes;
  }

  private OpenClQueue queue() {
    return queues.get(last);
  }

  @Test
  void aSubBufferIsAWindowAtItsOrigin() {
    try (OpenClStorage storage = OpenClStorage.open(0)) {
      OpenClQueue queue = storage.openQueue();
      long alignment = storage.alignment();
      StorageId id = storage.allocate(4 * alignment);
      queue.fill(storage.get(new Region(id, 0, 4 * alignment)), (byte) 1);
      ClWindow second = storage.get(new Region(id, alignment, alignment - 1));
      try (ClSubBuffer sub = storage.subBuffer(second)) {
        queue.fill(new ClWindow(sub.handle(), 0, alignment - 1), (byte) 2);
      }
      byte[] bytes = new byte[(int) (4 * alignment)];
      queue.read(storage.get(new Region(id, 0, 4 * alignment)), MemorySegment.ofArray(bytes));
      for (int i = 0; i < bytes.length; i++)
        assertThat(bytes[i]).isEqualTo((byte) (i >= alignment && i < 2 * alignment - 1 ? 2 : 1));
      queue.close();
    }
  }

  @Test
  void aSubBufferThatStartsBetweenOrHasNoBytesIsRefusedBeforeTheDriverIsAsked() {
    try (OpenClStorage storage = OpenClStorage.open(0)) {
      StorageId id = storage.allocate(1 << 16);
      assertThatThrownBy(() -> storage.subBuffer(storage.get(new Region(id, 4, 8))))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("multiple of " + storage.alignment());
      assertThatThrownBy(() -> storage.subBuffer(storage.get(new Region(id, 0, 0))))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("no bytes");
    }
  }

  @Test
  void aContextThatSomebodyElseMadeIsUsedAndOutlivesTheStorage() {
    OpenCl cl = LwjglOpenCl.load();
    long device = ClDevice.all(cl).getFirst().handle();
    long context = cl.createContext(device);
    try (OpenClStorage storage = OpenClStorage.borrow(context, device, options())) {
      assertThat(storage.context()).isEqualTo(context);
      assertThat(storage.device()).isEqualTo(device);
      storage.allocate(1 << 20);
    }
    cl.releaseBuffer(cl.createBuffer(context, 64));
    cl.releaseContext(context);
  }

  @Test
  void aDeviceThatIsNotThereIsNamed() {
    assertThatThrownBy(() -> OpenClStorage.open(99))
        .isInstanceOf(MemoryException.class)
        .hasMessageContaining("opencl:99");
  }

  @Test
  void aCopyBetweenSizesThatDifferIsRefused() {
    try (OpenClStorage storage = OpenClStorage.open(0);
        OpenClQueue queue = storage.openQueue()) {
      ClWindow window = storage.get(new Region(storage.allocate(8), 0, 8));
      assertThatThrownBy(() -> queue.write(MemorySegment.ofArray(new byte[9]), window))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("9 bytes to 8 bytes");
      assertThatThrownBy(() -> queue.read(window, MemorySegment.ofArray(new byte[7])))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }
}
