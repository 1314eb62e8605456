/// Traces of memory use: what was asked for, what was given back, and when.
///
/// A [Trace] is a source that can be opened again and again; each opening gives a [TraceReader],
/// which hands out one [TraceEvent] at a time and remembers nothing but what is live. The format is
/// found in the content ([TraceFormat]), never in the file's name. A [TraceWriter] writes Quarry's
/// own two forms.
///
/// ```java
/// try (Trace trace = Trace.of(Path.of("run.csv.gz"));
///     TraceReader reader = trace.open()) {
///   for (TraceEvent event = reader.next(); event != null; event = reader.next()) {
///     switch (event) {
///       case TraceEvent.Allocate a -> System.out.println(a.id() + " takes " + a.size());
///       case TraceEvent.Free f -> System.out.println(f.id() + " gives back " + f.size());
///       case TraceEvent.Mark m -> System.out.println(m.text());
///       case TraceEvent.Failure f -> System.out.println("no room for " + f.size());
///       case TraceEvent.Segment s -> System.out.println(s.change() + " " + s.size());
///     }
///   }
/// }
/// ```
///
/// Terms: a *lifetime* begins with an allocation and ends when its free has completed; what is
/// *live* at a moment are the lifetimes that have begun and not ended. Sizes are the bytes asked
/// for, before any rounding.
@NullMarked
package dev.quarry.trace;

import org.jspecify.annotations.NullMarked;
