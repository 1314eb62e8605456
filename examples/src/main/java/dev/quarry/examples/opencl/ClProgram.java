package dev.quarry.examples.opencl;

import dev.quarry.opencl.ClSubBuffer;
import dev.quarry.opencl.ClWindow;
import dev.quarry.opencl.OpenClQueue;
import dev.quarry.opencl.OpenClStorage;
import java.nio.ByteBuffer;
import java.nio.IntBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import org.lwjgl.opencl.CL10;
import org.lwjgl.system.MemoryStack;

/// A program of OpenCL C in a storage's context, whose kernels work on windows. A window is two
/// arguments of a kernel: the buffer, and a `ulong` that says how many floats into it the window
/// starts.
public final class ClProgram implements AutoCloseable {
  private final long program;
  private final Map<String, Long> kernels = new HashMap<>();

  /// Compiles a program.
  ///
  /// @throws IllegalArgumentException with the compiler's words when it does not compile
  public ClProgram(OpenClStorage storage, String source) {
    try (MemoryStack stack = MemoryStack.stackPush()) {
      IntBuffer status = stack.mallocInt(1);
      program = CL10.clCreateProgramWithSource(storage.context(), source, status);
      check(status.get(0));
      int built = CL10.clBuildProgram(program, storage.device(), "", null, 0);
      if (built != CL10.CL_SUCCESS) {
        String log = log(storage.device());
        CL10.clReleaseProgram(program);
        throw new IllegalArgumentException(log);
      }
    }
  }

  private String log(long device) {
    var size = MemoryStack.stackGet().mallocPointer(1);
    CL10.clGetProgramBuildInfo(program, device, CL10.CL_PROGRAM_BUILD_LOG, (ByteBuffer) null, size);
    ByteBuffer text = ByteBuffer.allocateDirect((int) size.get(0));
    CL10.clGetProgramBuildInfo(program, device, CL10.CL_PROGRAM_BUILD_LOG, text, null);
    return StandardCharsets.UTF_8.decode(text).toString().strip();
  }

  private static void check(int status) {
    if (status != CL10.CL_SUCCESS) throw new IllegalStateException("OpenCL answered " + status);
  }

  /// Puts a kernel on a queue, behind everything put there before.
  ///
  /// @param items how many work items run
  /// @param arguments windows, sub-buffers, `int`s and `float`s
  public void launch(OpenClQueue queue, String name, long items, Object... arguments) {
    long kernel = kernels.computeIfAbsent(name, this::kernel);
    int index = 0;
    for (Object argument : arguments) {
      switch (argument) {
        case ClWindow window -> {
          check(CL10.clSetKernelArg1p(kernel, index++, window.buffer()));
          check(CL10.clSetKernelArg1l(kernel, index++, window.offset() / Float.BYTES));
        }
        case ClSubBuffer part -> check(CL10.clSetKernelArg1p(kernel, index++, part.handle()));
        case Integer number -> check(CL10.clSetKernelArg1i(kernel, index++, number));
        case Float number -> check(CL10.clSetKernelArg1f(kernel, index++, number));
        default -> throw new IllegalArgumentException(argument + " is no argument of a kernel");
      }
    }
    try (MemoryStack stack = MemoryStack.stackPush()) {
      check(
          CL10.clEnqueueNDRangeKernel(
              queue.handle(), kernel, 1, null, stack.pointers(items), null, null, null));
    }
  }

  private long kernel(String name) {
    try (MemoryStack stack = MemoryStack.stackPush()) {
      IntBuffer status = stack.mallocInt(1);
      long kernel = CL10.clCreateKernel(program, name, status);
      check(status.get(0));
      return kernel;
    }
  }

  @Override
  public void close() {
    kernels.values().forEach(CL10::clReleaseKernel);
    CL10.clReleaseProgram(program);
  }
}
