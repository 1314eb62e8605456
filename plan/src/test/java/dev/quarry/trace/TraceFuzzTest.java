package dev.quarry.trace;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.quarry.plan.LowerBound;
import dev.quarry.trace.TraceEvent.Allocate;
import dev.quarry.trace.TraceEvent.Free;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/// Whatever a file holds, reading it ends in events that keep the rules of [TraceReader], or in a
/// [TraceException].
class TraceFuzzTest {
  private static void read(byte[] bytes) {
    try (Trace trace = Trace.of(new ByteArrayInputStream(bytes), "fuzz")) {
      readAll(trace);
      LowerBound.of(trace);
    } catch (TraceException e) {
      assertThat(e.getMessage())
          .startsWith("fuzz")
          .contains("found", "expected")
          .doesNotContain("\n");
    }
  }

  private static void readAll(Trace trace) {
    Map<Long, Long> live = new HashMap<>();
    Set<Long> asked = new HashSet<>();
    long next = 0;
    try (TraceReader reader = trace.open()) {
      for (TraceEvent event = reader.next(); event != null; event = reader.next()) {
        if (event instanceof Allocate a) {
          assertThat(a.id()).isEqualTo(next++);
          live.put(a.id(), a.size());
        } else if (event instanceof Free f) {
          assertThat(live.get(f.id())).isEqualTo(f.size());
          if (f.kind() == Free.Kind.ASKED) assertThat(asked.add(f.id())).isTrue();
          else live.remove(f.id());
        }
      }
      assertThat(reader.notes()).isNotNull();
    }
  }

  private static void readAfter(String header, byte[] rest) {
    byte[] begin = header.getBytes(StandardCharsets.UTF_8);
    byte[] whole = new byte[begin.length + rest.length];
    System.arraycopy(begin, 0, whole, 0, begin.length);
    System.arraycopy(rest, 0, whole, begin.length, rest.length);
    read(whole);
  }

  @FuzzTest(maxDuration = "60s")
  void anyBytes(byte[] bytes) {
    read(bytes);
  }

  @FuzzTest(maxDuration = "60s")
  void csv(byte[] rows) {
    readAfter("quarry-trace/1,id,size,stream,time,tag,alignment\nallocate,0,7,,,,\n", rows);
  }

  @FuzzTest(maxDuration = "60s")
  void jsonLines(byte[] rows) {
    readAfter("{\"quarry-trace\":1}\n{\"event\":\"allocate\",\"id\":0,\"size\":7}\n", rows);
  }

  @FuzzTest(maxDuration = "60s")
  void benchText(byte[] rows) {
    readAfter("a 0 7\n", rows);
  }

  @FuzzTest(maxDuration = "60s")
  void miniMalloc(byte[] rows) {
    readAfter("id,lower,upper,size,alignment,gaps,hint,offset\na,0,5,7,1,,-1,0\n", rows);
  }

  @FuzzTest(maxDuration = "60s")
  void rmm(byte[] rows) {
    readAfter(
        "Thread,Time,Action,Pointer,Size,Stream\n1,10:00:00.000001,allocate,0x1,7,0x0\n", rows);
  }

  @FuzzTest(maxDuration = "60s")
  void rmmOf2020(byte[] rows) {
    readAfter(
        "Event Type,Device ID,Address,Stream,Size (bytes),Free Memory,Total Memory,Current"
            + " Allocs,Start,End,Elapsed,Location\n"
            + "Alloc,0,0x1,0,64,1,2,1,0.1,0.2,0.1,a\n",
        rows);
  }

  @FuzzTest(maxDuration = "60s")
  void rmmInALog(byte[] rows) {
    readAfter("hello\n42,12:00:00.5,allocate,0x10,256,0x0\n", rows);
  }
}
