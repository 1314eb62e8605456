/// Devices shared by threads: streams, buffers, launches, and failures that travel with the data.
///
/// A [Device][dev.quarry.runtime.Device] owns the memories of its streams under one lock. A
/// [DeviceStream][dev.quarry.runtime.DeviceStream] allocates [Buffer][dev.quarry.runtime.Buffer]s
/// and runs commands in order: copies, and [Launch][dev.quarry.runtime.Launch]es that say what they
/// read and write. Where streams share a buffer the device makes them wait for each other.
///
/// ```java
/// try (Device<MemorySegment> device = Device.open(new BytesStorage(), DeviceMemory.HOST)) {
///   DeviceStream<MemorySegment> stream = device.stream();
///   try (Buffer numbers = stream.allocate(4096)) {
///     stream.launch(
///         Launch.named("count").writes(numbers),
///         scope -> scope.resource(numbers).fill((byte) 1));
///   }
/// }
/// ```
@NullMarked
package dev.quarry.runtime;

import org.jspecify.annotations.NullMarked;
