package dev.quarry.trace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quarry.plan.LowerBound;
import dev.quarry.plan.TraceStats;
import dev.quarry.trace.TraceEvent.Allocate;
import dev.quarry.trace.TraceEvent.Failure;
import dev.quarry.trace.TraceEvent.Free;
import dev.quarry.trace.TraceEvent.Mark;
import dev.quarry.trace.TraceEvent.Segment;
import dev.quarry.trace.TraceWriter.Form;
import dev.quarry.trace.TraceWriter.Packing;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class TraceReadersTest {
  private static final String RMM = "Thread,Time,Action,Pointer,Size,Stream\n";

  private static Trace trace(String text) {
    return Trace.of(new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)), "t");
  }

  private static List<TraceEvent> events(Trace trace) {
    List<TraceEvent> events = new ArrayList<>();
    try (trace;
        TraceReader reader = trace.open()) {
      for (TraceEvent event = reader.next(); event != null; event = reader.next())
        events.add(event);
      assertThat(reader.next()).as("after the end").isNull();
    }
    return events;
  }

  private static List<TraceEvent> events(String text) {
    return events(trace(text));
  }

  private static TraceNotes notes(String text) {
    try (Trace trace = trace(text);
        TraceReader reader = trace.open()) {
      while (reader.next() != null) {}
      return reader.notes();
    }
  }

  /// `a3` is an allocation of three bytes, `f0` the end of lifetime 0.
  private static String brief(List<TraceEvent> events) {
    StringBuilder text = new StringBuilder();
    for (TraceEvent event : events) {
      text.append(
              switch (event) {
                case Allocate a -> "a" + a.size();
                case Free f -> (f.kind() == Free.Kind.ASKED ? "q" : "f") + f.id();
                case Mark m -> "m" + m.text();
                case Failure f -> "x" + f.size();
                case Segment s -> (s.change() == Segment.Change.TAKEN ? "+" : "-") + s.size();
              })
          .append(' ');
    }
    return text.toString().strip();
  }

  @ParameterizedTest
  @CsvSource({"bert_large.csv, 10744, 4310278401", "pangu_13B.csv, 14695, 16546177037"})
  void theExampleTracesHaveTheirKnownLoad(String file, long buffers, long load) {
    try (Trace trace = Trace.of(Path.of("..", "examples", "traces", file))) {
      assertThat(trace.format()).isEqualTo(TraceFormat.MINIMALLOC);
      TraceStats stats = TraceStats.of(trace);
      assertThat(stats.allocations()).isEqualTo(buffers);
      assertThat(stats.load()).isEqualTo(load);
      assertThat(stats.neverFreed()).isZero();
      assertThat(LowerBound.of(trace).load()).isEqualTo(load);
    }
  }

  @Test
  void miniMallocLivesAreHalfOpenAndFreesComeFirst() {
    assertThat(brief(events("id,lower,upper,size\nb,5,9,2\na,0,5,1\nc,5,6,3\n")))
        .isEqualTo("a1 f0 a2 a3 f2 f1");
    assertThat(brief(events("size,end,start,buffer_id\n1,4,0,a\n2,9,5,b\n")))
        .as("an end is inclusive")
        .isEqualTo("a1 f0 a2 f1");
    assertThat(brief(events("size,end,start,buffer_id\n1,5,0,a\n2,9,5,b\n")))
        .isEqualTo("a1 a2 f0 f1");
  }

  @Test
  void miniMallocColumnsMayBeInAnyOrderAndExtra() {
    List<TraceEvent> events =
        events("size,id,alignment,upper,lower,hint,gaps,offset\n7,x,64,9,1,-1,2-3 4-5@1:2,0\n");
    assertThat(events.getFirst())
        .isInstanceOfSatisfying(
            Allocate.class,
            a -> {
              assertThat(a.alignment()).isEqualTo(64);
              assertThat(a.size()).isEqualTo(7);
            });
    assertThat(notes("size,id,upper,lower,gaps\n7,x,9,1,2-3\n").count(Irregularity.GAPS_KEPT_LIVE))
        .isOne();
    assertThat(brief(events("id,lower,upper,size\na,0,1,5\n\nb,0,1,6\n")))
        .as("reading stops at an empty line")
        .isEqualTo("a5 f0");
    assertThat(brief(events("id,lower,upper,size\r\na,0,1,5\r\n"))).isEqualTo("a5 f0");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "id,lower,upper,size,size\\na,1,2,3,4 | size",
        "id,lower,upper,size\\na,1,2 | 3 fields",
        "id,lower,upper,size\\na,1,2,3,4 | 5 fields",
        "id,lower,upper,size\\na,3,2,1 | line 2",
        "id,lower,upper,size\\na,x,2,1 | line 2",
        "id,lower,upper,size,gaps\\na,1,9,1,5-3 | line 2",
        "id,lower,upper,size,alignment\\na,1,9,1,0 | line 2",
      })
  void miniMallocMistakesNameTheLine(String text, String part) {
    assertThatThrownBy(() -> events(text.replace("\\n", "\n")))
        .isInstanceOf(TraceException.class)
        .hasMessageContaining(part)
        .hasMessageContaining("expected");
  }

  @Test
  void rmmLogsMayStartLateAndEndEarly() {
    String log =
        RMM
            + "1,10:00:00.000001,free,0x9,8,0x0\n"
            + "1,10:00:00.000002,allocate,0x1,100,0x0\n"
            + "1,10:00:00:000003,allocate,0x2,50,0x7f00\n"
            + "1,10:00:00.000004,allocate failure,(nil),4096,0x0\n"
            + "1,10:00:00.000005,free,0x1,100,0x0\n"
            + "1,10:00:00.000006,allocate,0x1,7,0x0\n"
            + "1,10:00:00.000007,allocate,(nil),0,0x0\n"
            + "1,10:00:00.0000";
    assertThat(brief(events(log))).isEqualTo("a100 a50 x4096 f0 a7");
    TraceNotes notes = notes(log);
    assertThat(notes.count(Irregularity.UNKNOWN_FREED)).isOne();
    assertThat(notes.count(Irregularity.ALLOCATION_FAILED)).isOne();
    assertThat(notes.count(Irregularity.CUT_AT_END)).isOne();
    assertThat(notes.tolerated())
        .anySatisfy(note -> assertThat(note.toString()).contains("line 2"));
    assertThat(((Allocate) events(log).get(1)).stream()).isEqualTo(0x7f00);
  }

  @Test
  void rmmTimesGoOnAtMidnight() {
    List<TraceEvent> events =
        events(RMM + "1,23:59:59.999999,allocate,0x1,1,0\n1,00:00:00.000001,free,0x1,1,0\n");
    assertThat(events.get(1).time() - events.get(0).time()).isEqualTo(2_000);
  }

  @Test
  void rmmRowsAreFoundBetweenOtherLines() {
    String log =
        "INFO starting\n"
            + "42,12:00:00.5,allocate,0x10,256,0x0\n"
            + "WARN something, else\n"
            + "42,12:00:01.0,free,0x10,256,0x0\n";
    try (Trace trace = trace(log)) {
      assertThat(trace.format()).isEqualTo(TraceFormat.RMM_LOG);
    }
    assertThat(brief(events(log))).isEqualTo("a256 f0");
    assertThat(notes(log).count(Irregularity.OTHER_LINE)).isEqualTo(2);
  }

  @Test
  void rmmLogsOf2020AreRead() {
    String log =
        "Event Type,Device ID,Address,Stream,Size (bytes),Free Memory,Total Memory,Current"
            + " Allocs,Start,End,Elapsed,Location\n"
            + "Alloc,0,0x1,0,64,1000,2000,1,0.1,0.2,0.1,a.cpp:1\n"
            + "Free,0,0x1,0,0,1064,2000,0,0.3,0.4,0.1,a.cpp:2\n";
    assertThat(brief(events(log))).isEqualTo("a64 f0");
  }

  @Test
  void anUnknownActionOfRmmIsAnError() {
    assertThatThrownBy(
            () -> events(RMM + "1,10:00:00.0,resize,0x1,1,0\n1,10:00:00.0,free,0x1,1,0\n"))
        .isInstanceOf(TraceException.class)
        .hasMessageContaining("line 2");
  }

  @Test
  void theBenchTextIsStrict() {
    assertThat(brief(events("# T ops=3\na 0 10\na 1 5\nf 0\n"))).isEqualTo("a10 a5 f0");
    for (String bad :
        new String[] {
          "f 0\n", "a 0 1\na 0 2\n", "a 0 1\nf 0\nf 0\n", "a 0 -1\n", "a 0\n", "a x 1\n", "b 0 1\n"
        }) {
      assertThatThrownBy(() -> events("a 7 1\n" + bad))
          .as(bad)
          .isInstanceOf(TraceException.class)
          .hasMessageContaining("expected");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "quarry-trace/1,id,size\nallocate,0,\n",
        "quarry-trace/1,id,size\nallocate,,5\n",
        "quarry-trace/1,id,size\nfree,0,\n",
        "quarry-trace/1,id,size\nresize,0,5\n",
        "quarry-trace/1,id,size\nallocate,0,5\nallocate,0,6\n",
        "quarry-trace/1,id,size\nallocate,0,5\nfree,0,5\nfree,0,5\n",
        "quarry-trace/1,id,size\nallocate,0,5\nfree,0,6\n",
        "quarry-trace/1,id,size\nallocate,0,1152921504606846977\n",
        "quarry-trace/1,id,size\nallocate,0,5,7\n",
        "quarry-trace/2,id,size\nallocate,0,5\n",
        "{\"quarry-trace\":1}\n{\"event\":\"allocate\",\"id\":0}\n",
        "{\"quarry-trace\":1}\n{\"event\":\"free\",\"id\":0}\n",
        "{\"quarry-trace\":1}\nnot json\n",
        "{\"quarry-trace\":9}\n{}\n",
        "{\"quarry-trace\":1}\n{\"event\":\"allocate\",\"id\":0,\"size\":1.5}\n",
      })
  void quarrysOwnFormsAreStrict(String text) {
    assertThatThrownBy(() -> events(text))
        .isInstanceOf(TraceException.class)
        .hasMessageStartingWith("t, line ")
        .hasMessageContaining("expected");
  }

  @ParameterizedTest
  @EnumSource(Form.class)
  void whatIsWrittenReadsBack(Form form) {
    long seed = System.nanoTime();
    System.out.println("round trip: seed " + seed);
    for (int round = 0; round < 50; round++) {
      SplittableRandom random = new SplittableRandom(seed + round);
      List<TraceEvent> made = randomEvents(random, form);
      ByteArrayOutputStream out = new ByteArrayOutputStream();
      Packing packing = random.nextBoolean() ? Packing.GZIP : Packing.PLAIN;
      try (TraceWriter writer = TraceWriter.to(out, form, packing)) {
        made.forEach(writer::write);
        writer.finish();
      }
      assertThat(events(Trace.of(new ByteArrayInputStream(out.toByteArray()), "t")))
          .as("seed %d", seed + round)
          .isEqualTo(made);
      assertThat(events(Trace.of(made))).isEqualTo(made);
    }
  }

  private static List<TraceEvent> randomEvents(SplittableRandom random, Form form) {
    String[] texts = {"plain", "with, comma", "\"quoted\"", "új ✓", "line\nbreak", " spaces "};
    List<TraceEvent> events = new ArrayList<>();
    List<Allocate> live = new ArrayList<>();
    long next = 0;
    for (int i = 0; i < 100; i++) {
      String text = texts[random.nextInt(texts.length)];
      long time = random.nextInt(4) == 0 ? TraceEvent.NO_TIME : random.nextLong(1 << 20);
      int choice = random.nextInt(10);
      if (choice < 5) {
        List<String> stack =
            form == Form.JSON_LINES && random.nextBoolean() ? List.of(text, "main") : List.of();
        Allocate allocate =
            new Allocate(
                next++,
                random.nextLong(TraceEvent.MAX_SIZE >> random.nextInt(60)),
                random.nextInt(3),
                time,
                1L << random.nextInt(9),
                random.nextBoolean() ? random.nextLong(Long.MAX_VALUE) : TraceEvent.NO_ADDRESS,
                random.nextBoolean() ? text : null,
                stack);
        live.add(allocate);
        events.add(allocate);
      } else if (choice < 8 && !live.isEmpty()) {
        Allocate freed = live.remove(random.nextInt(live.size()));
        if (random.nextBoolean())
          events.add(new Free(freed.id(), freed.size(), Free.Kind.ASKED, 1, time));
        events.add(new Free(freed.id(), freed.size(), Free.Kind.COMPLETED, 0, time));
      } else if (choice == 8) {
        events.add(new Mark(text, time));
        events.add(
            new Segment(
                random.nextBoolean() ? Segment.Change.TAKEN : Segment.Change.GIVEN_BACK,
                random.nextBoolean() ? random.nextLong(1L << 47) : TraceEvent.NO_ADDRESS,
                random.nextLong(1 << 30),
                random.nextInt(3),
                time));
      } else {
        events.add(
            new Failure(random.nextLong(1 << 30), 2, time, random.nextBoolean() ? text : null));
      }
    }
    return events;
  }
}
