/// Flight Recorder events of memories: one listener, and one event class for each thing that
/// happens.
///
/// All events are off until a recording turns them on; the [profile][dev.quarry.jfr.FlightProfile]
/// does, and records nothing else. This package needs the module `jdk.jfr`, which the library
/// otherwise does without; nothing else in it refers to this package.
@NullMarked
package dev.quarry.jfr;

import org.jspecify.annotations.NullMarked;
