package dev.quarry.examples.transformer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.quarry.DeviceMemory;
import dev.quarry.layout.DeviceProperties;
import dev.quarry.opencl.OpenClProvider;
import dev.quarry.plan.ArenaSearch;
import dev.quarry.plan.Plan;
import dev.quarry.plan.PlanCheck;
import dev.quarry.runtime.Buffer;
import dev.quarry.runtime.Device;
import dev.quarry.runtime.DeviceOptions;
import dev.quarry.storage.BytesStorage;
import dev.quarry.storage.StorageProvider;
import dev.quarry.trace.Trace;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TransformerTest {
  @TempDir Path folder;

  @Test
  void theRealRunEqualsItsOracleAndFitsTheInstalledCapWithNoSpill() {
    Transformer.Result result = Transformer.run(DeviceOptions.DEFAULT);
    assertThat(result.difference()).isZero();
    assertThat(result.spills()).isZero();
    assertThat(result.after().pools().getFirst().spec().toString()).contains("cap=");
    assertThat(result.after().pools().getFirst().pagesPeak())
        .isEqualTo(result.measured().pools().getFirst().pagesPeak());
    assertThat(result.isSound(0)).isTrue();
  }

  @Test
  void onOpenClItEqualsTheSameOracleUpToRounding() {
    assumeTrue(
        new OpenClProvider().probe() instanceof StorageProvider.Availability.Available,
        "this machine has no OpenCL");
    Transformer.Result result = Transformer.onOpenCl();
    System.out.println("OpenCL: largest difference " + result.difference());
    assertThat(result.difference()).isLessThan(OpenClKernels.TOLERANCE);
    assertThat(result.isSound(OpenClKernels.TOLERANCE)).isTrue();
  }

  @Test
  void itsTraceIsPlanned() {
    Path file = folder.resolve("transformer.csv");
    assertThat(Transformer.recorded(file).isSound(0)).isTrue();
    try (Trace trace = Trace.of(file)) {
      Plan plan = new ArenaSearch().plan(trace, new DeviceProperties(1L << 30, 64));
      System.out.println("transformer: " + plan.reserved() + " bytes, gap " + plan.gap());
      assertThat(PlanCheck.check(trace, plan)).isInstanceOf(PlanCheck.Verdict.Fits.class);
    }
  }

  /// The logits are read at the end; what went wrong was far before.
  @Test
  void aFailureInALayerIsToldAtTheLogitsWithTheWorkItCost() {
    try (Device<MemorySegment> device = Device.open(new BytesStorage(), DeviceMemory.HOST);
        DeviceModel<MemorySegment> model =
            new DeviceModel<>(Shape.SMALL, device.stream(), new HostKernels())) {
      model.load(Weights.random(Shape.SMALL, 1));
      model.forward(1, 2, 3).close();
      model.spoilCache(2, "the cache was lost");
      try (Buffer logits = model.forward(4)) {
        assertThatThrownBy(() -> model.read(logits))
            .hasMessageContaining("the cache was lost")
            .hasMessageContaining("multiply was skipped")
            .hasMessageContaining("older skips were dropped");
      }
      model.restart();
      try (Buffer logits = model.forward(5, 6, 7, 8)) {
        assertThat(model.read(logits)).doesNotContain(Float.NaN);
      }
    }
  }
}
