package dev.quarry.opencl;

import static org.lwjgl.opencl.CL10.*;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.IntBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.lwjgl.PointerBuffer;
import org.lwjgl.opencl.CL;
import org.lwjgl.opencl.CL11;
import org.lwjgl.opencl.CL12;
import org.lwjgl.opencl.CLBufferRegion;
import org.lwjgl.system.Configuration;
import org.lwjgl.system.Library;
import org.lwjgl.system.MemoryStack;
import org.lwjgl.system.MemoryUtil;
import org.lwjgl.system.Platform;

/// OpenCL by way of LWJGL.
final class LwjglOpenCl implements OpenCl {
  /// The name under which distributions install the loader; the one without a number is there for
  /// compilers only.
  private static final String LINUX_LIBRARY = "libOpenCL.so.1";

  private LwjglOpenCl() {}

  /// Loads the library, once for the process.
  ///
  /// @throws UnsupportedOperationException with the phrase that completes "not available, because"
  static OpenCl load() {
    if (Loading.REASON != null) throw new UnsupportedOperationException(Loading.REASON);
    return new LwjglOpenCl();
  }

  /// Loading is tried once, since the JVM does not try again either.
  private static final class Loading {
    static final @Nullable String REASON = tryToLoad();

    private static @Nullable String tryToLoad() {
      try {
        Library.initialize();
      } catch (LinkageError | RuntimeException e) {
        Module lwjgl = Library.class.getModule();
        return lwjgl.isNativeAccessEnabled()
            ? "the native library of LWJGL can not be loaded: " + rootOf(e)
            : "native access is denied: start the JVM with --enable-native-access="
                + Objects.requireNonNullElse(lwjgl.getName(), "ALL-UNNAMED");
      }
      try {
        if (Platform.get() == Platform.LINUX && Configuration.OPENCL_LIBRARY_NAME.get() == null)
          Configuration.OPENCL_LIBRARY_NAME.set(LINUX_LIBRARY);
        CL.getFunctionProvider();
        return null;
      } catch (LinkageError | RuntimeException e) {
        return "the OpenCL library can not be loaded: " + rootOf(e);
      }
    }

    private static String rootOf(Throwable failure) {
      Throwable root = failure;
      while (root.getCause() != null) root = root.getCause();
      return String.valueOf(root.getMessage()).lines().findFirst().orElse("no reason given");
    }
  }

  private static void check(String call, int status) {
    if (status != CL_SUCCESS) throw new ClException(call, status);
  }

  private static long checked(String call, long handle, IntBuffer status) {
    check(call, status.get(0));
    return handle;
  }

  @Override
  public List<Long> platforms() {
    try (MemoryStack stack = MemoryStack.stackPush()) {
      IntBuffer count = stack.mallocInt(1);
      int status = clGetPlatformIDs(null, count);
      if (status == ClStatus.PLATFORM_NOT_FOUND) return List.of();
      check("clGetPlatformIDs", status);
      if (count.get(0) == 0) return List.of();
      PointerBuffer handles = stack.mallocPointer(count.get(0));
      check("clGetPlatformIDs", clGetPlatformIDs(handles, (IntBuffer) null));
      return list(handles);
    }
  }

  @Override
  public List<Long> devices(long platform) {
    try (MemoryStack stack = MemoryStack.stackPush()) {
      IntBuffer count = stack.mallocInt(1);
      int status = clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, null, count);
      if (status == ClStatus.DEVICE_NOT_FOUND) return List.of();
      check("clGetDeviceIDs", status);
      PointerBuffer handles = stack.mallocPointer(count.get(0));
      check(
          "clGetDeviceIDs",
          clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, handles, (IntBuffer) null));
      return list(handles);
    }
  }

  private static List<Long> list(PointerBuffer handles) {
    List<Long> list = new ArrayList<>();
    while (handles.hasRemaining()) list.add(handles.get());
    return list;
  }

  @Override
  public String text(long device, int property) {
    try (MemoryStack stack = MemoryStack.stackPush()) {
      PointerBuffer size = stack.mallocPointer(1);
      check("clGetDeviceInfo", clGetDeviceInfo(device, property, (ByteBuffer) null, size));
      ByteBuffer bytes = stack.malloc((int) size.get(0));
      check("clGetDeviceInfo", clGetDeviceInfo(device, property, bytes, null));
      byte[] text = new byte[Math.max(0, bytes.remaining() - 1)];
      bytes.get(text);
      return new String(text, StandardCharsets.UTF_8).strip();
    }
  }

  @Override
  public long number(long device, int property) {
    try (MemoryStack stack = MemoryStack.stackPush()) {
      PointerBuffer size = stack.mallocPointer(1);
      ByteBuffer bytes = stack.calloc(Long.BYTES);
      check("clGetDeviceInfo", clGetDeviceInfo(device, property, bytes, size));
      return size.get(0) == Integer.BYTES
          ? Integer.toUnsignedLong(bytes.getInt(0))
          : bytes.getLong(0);
    }
  }

  @Override
  public long createContext(long device) {
    try (MemoryStack stack = MemoryStack.stackPush()) {
      IntBuffer status = stack.mallocInt(1);
      PointerBuffer devices = stack.pointers(device);
      return checked(
          "clCreateContext",
          nclCreateContext(0, 1, devices.address(), 0, 0, MemoryUtil.memAddress(status)),
          status);
    }
  }

  @Override
  public void retainContext(long context) {
    check("clRetainContext", clRetainContext(context));
  }

  @Override
  public void releaseContext(long context) {
    check("clReleaseContext", clReleaseContext(context));
  }

  @Override
  public long createQueue(long context, long device) {
    try (MemoryStack stack = MemoryStack.stackPush()) {
      IntBuffer status = stack.mallocInt(1);
      return checked(
          "clCreateCommandQueue", clCreateCommandQueue(context, device, 0, status), status);
    }
  }

  @Override
  public void releaseQueue(long queue) {
    check("clReleaseCommandQueue", clReleaseCommandQueue(queue));
  }

  @Override
  public long createBuffer(long context, long size) {
    try (MemoryStack stack = MemoryStack.stackPush()) {
      IntBuffer status = stack.mallocInt(1);
      return checked(
          "clCreateBuffer", clCreateBuffer(context, CL_MEM_READ_WRITE, size, status), status);
    }
  }

  @Override
  public long createSubBuffer(long buffer, long offset, long size) {
    try (MemoryStack stack = MemoryStack.stackPush()) {
      IntBuffer status = stack.mallocInt(1);
      CLBufferRegion region = CLBufferRegion.malloc(stack).origin(offset).size(size);
      long handle =
          CL11.nclCreateSubBuffer(
              buffer,
              CL_MEM_READ_WRITE,
              CL11.CL_BUFFER_CREATE_TYPE_REGION,
              region.address(),
              MemoryUtil.memAddress(status));
      return checked("clCreateSubBuffer", handle, status);
    }
  }

  @Override
  public void releaseBuffer(long buffer) {
    check("clReleaseMemObject", clReleaseMemObject(buffer));
  }

  @Override
  public void write(long queue, MemorySegment source, long buffer, long offset) {
    check(
        "clEnqueueWriteBuffer",
        nclEnqueueWriteBuffer(
            queue, buffer, CL_FALSE, offset, source.byteSize(), source.address(), 0, 0, 0));
  }

  @Override
  public void read(long queue, long buffer, long offset, MemorySegment target) {
    check(
        "clEnqueueReadBuffer",
        nclEnqueueReadBuffer(
            queue, buffer, CL_FALSE, offset, target.byteSize(), target.address(), 0, 0, 0));
  }

  @Override
  public void copy(
      long queue, long source, long sourceOffset, long target, long targetOffset, long size) {
    check(
        "clEnqueueCopyBuffer",
        nclEnqueueCopyBuffer(queue, source, target, sourceOffset, targetOffset, size, 0, 0, 0));
  }

  @Override
  public void fill(long queue, long buffer, long offset, long size, byte value) {
    try (MemoryStack stack = MemoryStack.stackPush()) {
      ByteBuffer pattern = stack.bytes(value);
      check(
          "clEnqueueFillBuffer",
          CL12.clEnqueueFillBuffer(queue, buffer, pattern, offset, size, null, null));
    }
  }

  @Override
  public long marker(long queue) {
    try (MemoryStack stack = MemoryStack.stackPush()) {
      PointerBuffer event = stack.mallocPointer(1);
      check("clEnqueueMarkerWithWaitList", CL12.clEnqueueMarkerWithWaitList(queue, null, event));
      return event.get(0);
    }
  }

  @Override
  public void waitFor(long queue, long event) {
    try (MemoryStack stack = MemoryStack.stackPush()) {
      check(
          "clEnqueueBarrierWithWaitList",
          CL12.clEnqueueBarrierWithWaitList(queue, stack.pointers(event), null));
    }
  }

  @Override
  public void flush(long queue) {
    check("clFlush", clFlush(queue));
  }

  @Override
  public void finish(long queue) {
    check("clFinish", clFinish(queue));
  }

  @Override
  public int status(long event) {
    try (MemoryStack stack = MemoryStack.stackPush()) {
      IntBuffer status = stack.mallocInt(1);
      check(
          "clGetEventInfo", clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, status, null));
      return status.get(0);
    }
  }

  /// That the event failed is its [#status], not a refusal of this call.
  @Override
  public void await(long event) {
    int status = clWaitForEvents(event);
    if (status != ClStatus.EVENT_IN_WAIT_LIST_FAILED) check("clWaitForEvents", status);
  }

  @Override
  public void releaseEvent(long event) {
    check("clReleaseEvent", clReleaseEvent(event));
  }
}
