package dev.quarry.pool;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quarry.failure.ErrorGraph;
import dev.quarry.layout.PoolSpec;
import dev.quarry.size.Alignment;
import dev.quarry.storage.CountingStorage;
import dev.quarry.storage.Mapping;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.Test;

/// Every interleaving of closing and duplicating on one allocation: its slice comes back at most
/// once, and exactly once when nobody owns it any more.
public class HoldLincheckTest {
  private final Object owner = new Object();
  private final HandBack handBack = new HandBack();
  private final Slice slice;
  private int returned;

  /// One live allocation with its first handle.
  public HoldLincheckTest() {
    Pool.Site site =
        new Pool.Site(
            new Alignment(1),
            handBack,
            new Backing(new CountingStorage(), null),
            new IdSource(new ErrorGraph()));
    slice = (Slice) new DirectPool(0, PoolSpec.direct(), site).grow(owner, 8, Mapping.LAZY);
  }

  /// Closes the first handle.
  @Operation
  public boolean closeFirst() {
    return slice.giveUp();
  }

  /// Takes a further handle, if there is an owner, and closes it again.
  @Operation
  public void duplicateAndClose() {
    if (slice.acquire(Slice.HANDLE)) slice.release(Slice.HANDLE);
  }

  /// Takes a binding, if there is an owner, and closes it again.
  @Operation
  public void bindAndClose() {
    if (slice.acquire(Slice.BINDING)) slice.release(Slice.BINDING);
  }

  /// Retains it as a command does, if there is an owner.
  @Operation
  public void retainAndGiveBack() {
    if (slice.retain()) slice.unretain();
  }

  /// What the owning thread does at its next operation.
  @Validate
  public void comesBackOnceIfNobodyOwnsIt() {
    for (Slice back = handBack.takeAll(); back != null; back = back.next) returned++;
    if (returned != (slice.hasNoOwner() ? 1 : 0))
      throw new IllegalStateException("returned " + returned + " times");
  }

  @Test
  void aSliceComesBackExactlyOnce() {
    new ModelCheckingOptions()
        .iterations(10)
        .invocationsPerIteration(500)
        .threads(3)
        .actorsPerThread(2)
        .actorsBefore(0)
        .actorsAfter(1)
        .check(HoldLincheckTest.class);
    assertThat(returned).isZero();
  }
}
