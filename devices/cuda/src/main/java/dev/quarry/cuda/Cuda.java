package dev.quarry.cuda;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Objects;
import java.util.Optional;

/// The calls of CUDA's driver that this package makes, each under the name that `cuda.h` binds it
/// to today. Handles are addresses; sizes are bytes. Whatever is refused throws [CuException].
///
/// Threads: any. Most calls concern the context that is current on the calling thread.
final class Cuda {
  /// A library to load instead of the driver's.
  static final String LIBRARY = "dev.quarry.cuda.library";

  // Numbers of cuda.h.
  private static final int EVENT_WITHOUT_TIMES_THAT_BLOCKS = 2 | 1;
  private static final int STREAM_APART_FROM_THE_DEFAULT = 1;
  private static final int HOST_MEMORY_FOR_EVERY_CONTEXT = 1;
  private static final int PINNED_ALLOCATION = 1;
  private static final int LOCATION_OF_A_DEVICE = 1;
  private static final int READ_AND_WRITE = 3;
  private static final int RECOMMENDED_GRANULARITY = 1;
  private static final int POOL_RELEASE_THRESHOLD = 4;

  // Structures of cuda.h: their sizes, and where what we set lies in them.
  private static final long ALLOCATION_PROPERTIES = 32;
  private static final long ALLOCATION_LOCATION_TYPE = 8;
  private static final long ALLOCATION_LOCATION_ID = 12;
  private static final long ACCESS_DESCRIPTION = 12;
  private static final long ACCESS_LOCATION_ID = 4;
  private static final long ACCESS_FLAGS = 8;
  private static final long POOL_PROPERTIES = 88;

  private final MethodHandle init;
  private final MethodHandle driverVersion;
  private final MethodHandle deviceCount;
  private final MethodHandle deviceGet;
  private final MethodHandle deviceName;
  private final MethodHandle totalMemory;
  private final MethodHandle attribute;
  private final MethodHandle retain;
  private final MethodHandle release;
  private final MethodHandle push;
  private final MethodHandle pop;
  private final MethodHandle contextDevice;
  private final MethodHandle memoryInfo;
  private final MethodHandle allocate;
  private final MethodHandle free;
  private final MethodHandle hostAllocate;
  private final MethodHandle hostFree;
  private final MethodHandle poolCreate;
  private final MethodHandle poolAttribute;
  private final MethodHandle poolTrim;
  private final MethodHandle poolDestroy;
  private final MethodHandle poolAllocate;
  private final MethodHandle poolFree;
  private final MethodHandle granularity;
  private final MethodHandle reserve;
  private final MethodHandle unreserve;
  private final MethodHandle physicalCreate;
  private final MethodHandle physicalRelease;
  private final MethodHandle map;
  private final MethodHandle unmap;
  private final MethodHandle access;
  private final MethodHandle streamCreate;
  private final MethodHandle streamDestroy;
  private final MethodHandle streamSynchronize;
  private final MethodHandle streamWait;
  private final MethodHandle hostFunction;
  private final MethodHandle eventCreate;
  private final MethodHandle eventRecord;
  private final MethodHandle eventQuery;
  private final MethodHandle eventSynchronize;
  private final MethodHandle eventDestroy;
  private final MethodHandle write;
  private final MethodHandle read;
  private final MethodHandle copy;
  private final MethodHandle fill;

  private Cuda(SymbolLookup library) {
    init = call(library, "cuInit", JAVA_INT);
    driverVersion = call(library, "cuDriverGetVersion", ADDRESS);
    deviceCount = call(library, "cuDeviceGetCount", ADDRESS);
    deviceGet = call(library, "cuDeviceGet", ADDRESS, JAVA_INT);
    deviceName = call(library, "cuDeviceGetName", ADDRESS, JAVA_INT, JAVA_INT);
    totalMemory = call(library, "cuDeviceTotalMem_v2", ADDRESS, JAVA_INT);
    attribute = call(library, "cuDeviceGetAttribute", ADDRESS, JAVA_INT, JAVA_INT);
    retain = call(library, "cuDevicePrimaryCtxRetain", ADDRESS, JAVA_INT);
    release = call(library, "cuDevicePrimaryCtxRelease_v2", JAVA_INT);
    push = call(library, "cuCtxPushCurrent_v2", JAVA_LONG);
    pop = call(library, "cuCtxPopCurrent_v2", ADDRESS);
    contextDevice = call(library, "cuCtxGetDevice", ADDRESS);
    memoryInfo = call(library, "cuMemGetInfo_v2", ADDRESS, ADDRESS);
    allocate = call(library, "cuMemAlloc_v2", ADDRESS, JAVA_LONG);
    free = call(library, "cuMemFree_v2", JAVA_LONG);
    hostAllocate = call(library, "cuMemHostAlloc", ADDRESS, JAVA_LONG, JAVA_INT);
    hostFree = call(library, "cuMemFreeHost", JAVA_LONG);
    poolCreate = call(library, "cuMemPoolCreate", ADDRESS, ADDRESS);
    poolAttribute = call(library, "cuMemPoolSetAttribute", JAVA_LONG, JAVA_INT, ADDRESS);
    poolTrim = call(library, "cuMemPoolTrimTo", JAVA_LONG, JAVA_LONG);
    poolDestroy = call(library, "cuMemPoolDestroy", JAVA_LONG);
    poolAllocate =
        call(library, "cuMemAllocFromPoolAsync", ADDRESS, JAVA_LONG, JAVA_LONG, JAVA_LONG);
    poolFree = call(library, "cuMemFreeAsync", JAVA_LONG, JAVA_LONG);
    granularity = call(library, "cuMemGetAllocationGranularity", ADDRESS, ADDRESS, JAVA_INT);
    reserve =
        call(library, "cuMemAddressReserve", ADDRESS, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG);
    unreserve = call(library, "cuMemAddressFree", JAVA_LONG, JAVA_LONG);
    physicalCreate = call(library, "cuMemCreate", ADDRESS, JAVA_LONG, ADDRESS, JAVA_LONG);
    physicalRelease = call(library, "cuMemRelease", JAVA_LONG);
    map = call(library, "cuMemMap", JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG);
    unmap = call(library, "cuMemUnmap", JAVA_LONG, JAVA_LONG);
    access = call(library, "cuMemSetAccess", JAVA_LONG, JAVA_LONG, ADDRESS, JAVA_LONG);
    streamCreate = call(library, "cuStreamCreate", ADDRESS, JAVA_INT);
    streamDestroy = call(library, "cuStreamDestroy_v2", JAVA_LONG);
    streamSynchronize = call(library, "cuStreamSynchronize", JAVA_LONG);
    streamWait = call(library, "cuStreamWaitEvent", JAVA_LONG, JAVA_LONG, JAVA_INT);
    hostFunction = call(library, "cuLaunchHostFunc", JAVA_LONG, ADDRESS, JAVA_LONG);
    eventCreate = call(library, "cuEventCreate", ADDRESS, JAVA_INT);
    eventRecord = call(library, "cuEventRecord", JAVA_LONG, JAVA_LONG);
    eventQuery = call(library, "cuEventQuery", JAVA_LONG);
    eventSynchronize = call(library, "cuEventSynchronize", JAVA_LONG);
    eventDestroy = call(library, "cuEventDestroy_v2", JAVA_LONG);
    write = call(library, "cuMemcpyHtoDAsync_v2", JAVA_LONG, ADDRESS, JAVA_LONG, JAVA_LONG);
    read = call(library, "cuMemcpyDtoHAsync_v2", ADDRESS, JAVA_LONG, JAVA_LONG, JAVA_LONG);
    copy = call(library, "cuMemcpyDtoDAsync_v2", JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG);
    fill = call(library, "cuMemsetD8Async", JAVA_LONG, JAVA_BYTE, JAVA_LONG, JAVA_LONG);
  }

  /// Loads the driver, or the library that the property [#LIBRARY] names.
  ///
  /// @throws UnsupportedOperationException with the phrase that completes "not available, because"
  static Cuda load() {
    return load(
        Objects.requireNonNullElse(
            System.getProperty(LIBRARY),
            System.getProperty("os.name", "").startsWith("Windows")
                ? "nvcuda.dll"
                : "libcuda.so.1"));
  }

  /// Loads a library and has it look for devices.
  ///
  /// @throws UnsupportedOperationException with the phrase that completes "not available, because"
  @SuppressWarnings("restricted") // granted by whoever uses CUDA
  static Cuda load(String library) {
    Module ours = Cuda.class.getModule();
    if (!ours.isNativeAccessEnabled())
      throw new UnsupportedOperationException(
          "native access is denied: start the JVM with --enable-native-access="
              + Objects.requireNonNullElse(ours.getName(), "ALL-UNNAMED"));
    Cuda cuda;
    try {
      SymbolLookup symbols =
          library.contains("/")
              ? SymbolLookup.libraryLookup(Path.of(library), Arena.global())
              : SymbolLookup.libraryLookup(library, Arena.global());
      cuda = new Cuda(symbols);
    } catch (IllegalArgumentException e) {
      throw new UnsupportedOperationException(
          "CUDA's driver is not installed: there is no " + library, e);
    }
    try {
      check("cuInit", invoke(() -> (int) cuda.init.invokeExact(0)));
    } catch (CuException e) {
      throw new UnsupportedOperationException(
          e.status() == CuStatus.NO_DEVICE ? "CUDA's driver finds no device" : e.getMessage(), e);
    }
    return cuda;
  }

  @SuppressWarnings("restricted") // granted by whoever uses CUDA
  private static MethodHandle call(SymbolLookup library, String name, MemoryLayout... parameters) {
    Optional<MemorySegment> symbol = library.find(name);
    if (symbol.isEmpty())
      throw new UnsupportedOperationException(
          "CUDA's driver is too old: it lacks " + name + ", and 11.2 is needed");
    return Linker.nativeLinker()
        .downcallHandle(symbol.get(), FunctionDescriptor.of(JAVA_INT, parameters));
  }

  private interface Call {
    int run() throws Throwable;
  }

  private static int invoke(Call call) {
    try {
      return call.run();
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new AssertionError("a call of the driver throws nothing checked", e);
    }
  }

  private static void check(String name, int status) {
    if (status != 0) throw new CuException(name, status);
  }

  private static void made(String name, Call call) {
    check(name, invoke(call));
  }

  private interface Asking {
    int run(MemorySegment answer) throws Throwable;
  }

  /// Makes a call that writes a handle, an address or a size.
  private static long answer(String name, Asking call) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment answer = arena.allocate(JAVA_LONG);
      check(name, invoke(() -> call.run(answer)));
      return answer.get(JAVA_LONG, 0);
    }
  }

  /// Makes a call that writes an `int`.
  private static int number(String name, Asking call) {
    return (int) answer(name, call);
  }

  int driverVersion() {
    return number("cuDriverGetVersion", answer -> (int) driverVersion.invokeExact(answer));
  }

  int deviceCount() {
    return number("cuDeviceGetCount", answer -> (int) deviceCount.invokeExact(answer));
  }

  int device(int place) {
    return number("cuDeviceGet", answer -> (int) deviceGet.invokeExact(answer, place));
  }

  String name(int device) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment name = arena.allocate(256);
      made("cuDeviceGetName", () -> (int) deviceName.invokeExact(name, 256, device));
      return name.getString(0, StandardCharsets.UTF_8);
    }
  }

  long totalMemory(int device) {
    return answer("cuDeviceTotalMem_v2", answer -> (int) totalMemory.invokeExact(answer, device));
  }

  /// @param which a `CU_DEVICE_ATTRIBUTE_…`
  int attribute(int device, int which) {
    return number(
        "cuDeviceGetAttribute", answer -> (int) attribute.invokeExact(answer, which, device));
  }

  /// The context that a device has for everybody in the process.
  long retainPrimary(int device) {
    return answer("cuDevicePrimaryCtxRetain", answer -> (int) retain.invokeExact(answer, device));
  }

  void releasePrimary(int device) {
    made("cuDevicePrimaryCtxRelease_v2", () -> (int) release.invokeExact(device));
  }

  /// Makes a context current on this thread, above whichever is.
  void push(long context) {
    made("cuCtxPushCurrent_v2", () -> (int) push.invokeExact(context));
  }

  void pop() {
    answer("cuCtxPopCurrent_v2", answer -> (int) pop.invokeExact(answer));
  }

  int contextDevice() {
    return number("cuCtxGetDevice", answer -> (int) contextDevice.invokeExact(answer));
  }

  /// What the device has free.
  long freeMemory() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment left = arena.allocate(JAVA_LONG);
      MemorySegment total = arena.allocate(JAVA_LONG);
      made("cuMemGetInfo_v2", () -> (int) memoryInfo.invokeExact(left, total));
      return left.get(JAVA_LONG, 0);
    }
  }

  long allocate(long size) {
    return answer("cuMemAlloc_v2", answer -> (int) allocate.invokeExact(answer, size));
  }

  void free(long address) {
    made("cuMemFree_v2", () -> (int) free.invokeExact(address));
  }

  long hostAllocate(long size) {
    return answer(
        "cuMemHostAlloc",
        answer -> (int) hostAllocate.invokeExact(answer, size, HOST_MEMORY_FOR_EVERY_CONTEXT));
  }

  void hostFree(long address) {
    made("cuMemFreeHost", () -> (int) hostFree.invokeExact(address));
  }

  long createPool(int device) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment properties = allocationOn(device, arena.allocate(POOL_PROPERTIES, 8));
      return answer("cuMemPoolCreate", answer -> (int) poolCreate.invokeExact(answer, properties));
    }
  }

  /// Keeps what was given back in the pool until it is trimmed.
  void keepAll(long pool) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment most = arena.allocateFrom(JAVA_LONG, -1L);
      made(
          "cuMemPoolSetAttribute",
          () -> (int) poolAttribute.invokeExact(pool, POOL_RELEASE_THRESHOLD, most));
    }
  }

  void trim(long pool) {
    made("cuMemPoolTrimTo", () -> (int) poolTrim.invokeExact(pool, 0L));
  }

  void destroyPool(long pool) {
    made("cuMemPoolDestroy", () -> (int) poolDestroy.invokeExact(pool));
  }

  long allocateFrom(long pool, long size, long stream) {
    return answer(
        "cuMemAllocFromPoolAsync",
        answer -> (int) poolAllocate.invokeExact(answer, size, pool, stream));
  }

  void freeOn(long stream, long address) {
    made("cuMemFreeAsync", () -> (int) poolFree.invokeExact(address, stream));
  }

  /// What physical memory comes in multiples of.
  long granularity(int device) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment properties = physicalOn(device, arena);
      return answer(
          "cuMemGetAllocationGranularity",
          answer -> (int) granularity.invokeExact(answer, properties, RECOMMENDED_GRANULARITY));
    }
  }

  /// Addresses that nothing stands behind.
  long reserve(long size) {
    return answer(
        "cuMemAddressReserve", answer -> (int) reserve.invokeExact(answer, size, 0L, 0L, 0L));
  }

  void unreserve(long address, long size) {
    made("cuMemAddressFree", () -> (int) unreserve.invokeExact(address, size));
  }

  /// Physical memory, which lives until it was released and is mapped nowhere.
  long createPhysical(int device, long size) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment properties = physicalOn(device, arena);
      return answer(
          "cuMemCreate", answer -> (int) physicalCreate.invokeExact(answer, size, properties, 0L));
    }
  }

  void releasePhysical(long handle) {
    made("cuMemRelease", () -> (int) physicalRelease.invokeExact(handle));
  }

  void map(long address, long size, long physical) {
    made("cuMemMap", () -> (int) map.invokeExact(address, size, 0L, physical, 0L));
  }

  void unmap(long address, long size) {
    made("cuMemUnmap", () -> (int) unmap.invokeExact(address, size));
  }

  /// Lets a device read and write what is mapped.
  void allow(int device, long address, long size) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment description = arena.allocate(ACCESS_DESCRIPTION, 4);
      description.set(JAVA_INT, 0, LOCATION_OF_A_DEVICE);
      description.set(JAVA_INT, ACCESS_LOCATION_ID, device);
      description.set(JAVA_INT, ACCESS_FLAGS, READ_AND_WRITE);
      made("cuMemSetAccess", () -> (int) access.invokeExact(address, size, description, 1L));
    }
  }

  private static MemorySegment physicalOn(int device, Arena arena) {
    return allocationOn(device, arena.allocate(ALLOCATION_PROPERTIES, 8));
  }

  /// `CUmemAllocationProp` and `CUmemPoolProps` begin alike.
  private static MemorySegment allocationOn(int device, MemorySegment properties) {
    properties.set(JAVA_INT, 0, PINNED_ALLOCATION);
    properties.set(JAVA_INT, ALLOCATION_LOCATION_TYPE, LOCATION_OF_A_DEVICE);
    properties.set(JAVA_INT, ALLOCATION_LOCATION_ID, device);
    return properties;
  }

  long createStream() {
    return answer(
        "cuStreamCreate",
        answer -> (int) streamCreate.invokeExact(answer, STREAM_APART_FROM_THE_DEFAULT));
  }

  void destroyStream(long stream) {
    made("cuStreamDestroy_v2", () -> (int) streamDestroy.invokeExact(stream));
  }

  void synchronizeStream(long stream) {
    made("cuStreamSynchronize", () -> (int) streamSynchronize.invokeExact(stream));
  }

  /// Holds later commands of a stream up until an event is passed.
  void waitFor(long stream, long event) {
    made("cuStreamWaitEvent", () -> (int) streamWait.invokeExact(stream, event, 0));
  }

  /// Has a thread of the driver call a function in the order of a stream.
  void callOn(long stream, MemorySegment function, long argument) {
    made("cuLaunchHostFunc", () -> (int) hostFunction.invokeExact(stream, function, argument));
  }

  long createEvent() {
    return answer(
        "cuEventCreate",
        answer -> (int) eventCreate.invokeExact(answer, EVENT_WITHOUT_TIMES_THAT_BLOCKS));
  }

  void record(long event, long stream) {
    made("cuEventRecord", () -> (int) eventRecord.invokeExact(event, stream));
  }

  boolean isPassed(long event) {
    int status = invoke(() -> (int) eventQuery.invokeExact(event));
    if (status == CuStatus.NOT_READY) return false;
    check("cuEventQuery", status);
    return true;
  }

  void await(long event) {
    made("cuEventSynchronize", () -> (int) eventSynchronize.invokeExact(event));
  }

  void destroyEvent(long event) {
    made("cuEventDestroy_v2", () -> (int) eventDestroy.invokeExact(event));
  }

  /// The source is native memory, and kept until the command is done.
  void write(long stream, MemorySegment source, long target) {
    made(
        "cuMemcpyHtoDAsync_v2",
        () -> (int) write.invokeExact(target, source, source.byteSize(), stream));
  }

  /// The target is native memory, and kept until the command is done.
  void read(long stream, long source, MemorySegment target) {
    made(
        "cuMemcpyDtoHAsync_v2",
        () -> (int) read.invokeExact(target, source, target.byteSize(), stream));
  }

  void copy(long stream, long source, long target, long size) {
    made("cuMemcpyDtoDAsync_v2", () -> (int) copy.invokeExact(target, source, size, stream));
  }

  void fill(long stream, long target, byte value, long size) {
    made("cuMemsetD8Async", () -> (int) fill.invokeExact(target, value, size, stream));
  }
}
