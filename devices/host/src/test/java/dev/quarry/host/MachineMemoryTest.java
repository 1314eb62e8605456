package dev.quarry.host;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MachineMemoryTest {
  private static final String MEMINFO =
      """
      MemTotal:       16384 kB
      MemFree:         1024 kB
      MemAvailable:    8192 kB
      """;
  private static final long MIB = 1 << 20;

  @TempDir private Path root;

  private void says(String file, String text) throws IOException {
    Path path = root.resolve(file);
    Files.createDirectories(path.getParent());
    Files.writeString(path, text);
  }

  private void isReadAs(long total, long free) {
    assertThat(MachineMemory.read(root))
        .isEqualTo(new MachineMemory(OptionalLong.of(total), OptionalLong.of(free)));
  }

  @Test
  void aMachineWithoutContainersHasWhatItsKernelSays() throws IOException {
    says("proc/meminfo", MEMINFO);
    isReadAs(16 * MIB, 8 * MIB);
    says("sys/fs/cgroup/memory.max", "max\n");
    says("sys/fs/cgroup/memory.current", "4194304\n");
    isReadAs(16 * MIB, 8 * MIB);
  }

  @Test
  void aContainerHasItsLimitLessWhatItUses() throws IOException {
    says("proc/meminfo", MEMINFO);
    says("sys/fs/cgroup/memory.max", "6291456\n");
    says("sys/fs/cgroup/memory.current", "4194304\n");
    isReadAs(6 * MIB, 2 * MIB);
    says("sys/fs/cgroup/memory.current", "7340032\n");
    isReadAs(6 * MIB, 0);
  }

  @Test
  void aContainerHasNoMoreFreeThanItsMachine() throws IOException {
    says("proc/meminfo", MEMINFO);
    says("sys/fs/cgroup/memory.max", "14680064\n");
    says("sys/fs/cgroup/memory.current", "1048576\n");
    isReadAs(14 * MIB, 8 * MIB);
    says("sys/fs/cgroup/memory.max", "33554432\n");
    isReadAs(16 * MIB, 8 * MIB);
  }

  @Test
  void theFirstVersionOfControlGroupsCountsToo() throws IOException {
    says("proc/meminfo", MEMINFO);
    says("sys/fs/cgroup/memory/memory.limit_in_bytes", "2097152\n");
    says("sys/fs/cgroup/memory/memory.usage_in_bytes", "1048576\n");
    isReadAs(2 * MIB, MIB);
    says("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
    isReadAs(16 * MIB, 8 * MIB);
  }

  @Test
  void whatTheSystemDoesNotSayOrSaysWronglyIsUnknown() throws IOException {
    MachineMemory nothing = new MachineMemory(OptionalLong.empty(), OptionalLong.empty());
    assertThat(MachineMemory.read(root)).isEqualTo(nothing);
    for (String text : new String[] {"", "\n", "MemTotal:\n", "MemTotal: lots kB\n", "\0\uFFFF"}) {
      says("proc/meminfo", text);
      says("sys/fs/cgroup/memory.max", "many");
      assertThat(MachineMemory.read(root)).as(text).isEqualTo(nothing);
    }
    Files.write(root.resolve("proc/meminfo"), new byte[] {(byte) 0xFF, (byte) 0xFE, 0});
    assertThat(MachineMemory.read(root)).isEqualTo(nothing);
  }
}
