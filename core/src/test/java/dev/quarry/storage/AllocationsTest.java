package dev.quarry.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.quarry.failure.MemoryException;
import dev.quarry.failure.MemoryFailure;
import org.junit.jupiter.api.Test;

class AllocationsTest {
  private static MemoryFailure refusal(Allocations<String> books, long size) {
    return catchThrowableOfType(MemoryException.class, () -> books.checkFits(size)).failure();
  }

  @Test
  void whatNeverFitsIsToldFromWhatDoesNotFitNow() {
    Allocations<String> books = new Allocations<>(100, 60);
    books.checkFits(60);
    assertThat(refusal(books, 61)).isEqualTo(new MemoryFailure.BufferTooBig(61));
    books.add(60, "large");
    books.checkFits(40);
    assertThat(refusal(books, 41)).isEqualTo(new MemoryFailure.OutOfMemory(41));
  }

  @Test
  void noAllocationIsLargerThanTheLimit() {
    Allocations<String> books = new Allocations<>(100, Long.MAX_VALUE);
    assertThat(refusal(books, 101)).isEqualTo(new MemoryFailure.BufferTooBig(101));
    books.checkFits(100);
  }

  @Test
  void theLargestSizesDoNotOverflow() {
    Allocations<String> books = new Allocations<>(Long.MAX_VALUE, Long.MAX_VALUE);
    books.add(Long.MAX_VALUE, "everything");
    assertThat(refusal(books, 1)).isEqualTo(new MemoryFailure.OutOfMemory(1));
    assertThat(refusal(books, Long.MAX_VALUE))
        .isEqualTo(new MemoryFailure.OutOfMemory(Long.MAX_VALUE));
    books.checkFits(0);
  }

  @Test
  void bytesAreThoseThatWereEnteredAndNotStruckOut() {
    Allocations<String> books = new Allocations<>(100, 100);
    StorageId first = books.add(30, "first");
    StorageId second = books.add(20, "second");
    assertThat(books.bytes()).isEqualTo(50);
    assertThat(books.remove(first)).isEqualTo("first");
    assertThat(books.remove(first)).as("struck out twice").isNull();
    assertThat(books.bytes()).isEqualTo(20);
    assertThat(books.find(first)).isNull();
    assertThat(books.find(second)).isEqualTo("second");
    assertThat(books.all()).containsExactly("second");
    books.clear();
    assertThat(books.bytes()).isZero();
    assertThat(books.all()).isEmpty();
  }

  @Test
  void aRegionMustLieInsideAnAllocationThatIsEntered() {
    Allocations<String> books = new Allocations<>(100, 100);
    StorageId id = books.add(30, "it");
    assertThat(books.of(new Region(id, 10, 20))).isEqualTo("it");
    assertThatThrownBy(() -> books.of(new Region(id, 10, 21))).isInstanceOf(MemoryException.class);
    books.remove(id);
    assertThatThrownBy(() -> books.of(new Region(id, 10, 20))).isInstanceOf(MemoryException.class);
  }

  @Test
  void aClosingStorageRefusesMoreAndKnowsWhatItHas() {
    Allocations<String> books = new Allocations<>(100, 100);
    StorageId id = books.add(30, "it");
    books.refuseMore();
    assertThat(refusal(books, 0)).isInstanceOf(MemoryFailure.Unknown.class);
    assertThat(books.find(id)).isEqualTo("it");
  }

  @Test
  void negativeLimitsAreRefused() {
    assertThatThrownBy(() -> new Allocations<String>(-1, 0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("limit (-1) is negative");
    assertThatThrownBy(() -> new Allocations<String>(0, -1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("largest (-1) is negative");
  }
}
