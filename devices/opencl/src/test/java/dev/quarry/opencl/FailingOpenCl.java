package dev.quarry.opencl;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/// A layer over the calls of OpenCL: refuses one of them, and counts the handles that are held.
final class FailingOpenCl {
  final OpenCl calls;
  final List<String> made = new ArrayList<>();
  private final OpenCl real = LwjglOpenCl.load();
  private final int failing;
  private final int status;
  private final Map<String, Integer> held = new TreeMap<>();

  /// @param failing the number of the call that is refused, from 0 on; negative for none
  /// @param status with what. A call that asks for the status of an event answers with it
  FailingOpenCl(int failing, int status) {
    this.failing = failing;
    this.status = status;
    this.calls =
        (OpenCl)
            Proxy.newProxyInstance(
                OpenCl.class.getClassLoader(),
                new Class<?>[] {OpenCl.class},
                (_, method, arguments) -> {
                  String call = method.getName();
                  made.add(call);
                  if (made.size() - 1 == failing) {
                    if (call.equals("status")) return status;
                    throw new ClException(call, status);
                  }
                  try {
                    Object answer = method.invoke(real, arguments);
                    count(call);
                    return answer;
                  } catch (InvocationTargetException e) {
                    throw e.getCause();
                  }
                });
  }

  private void count(String call) {
    switch (call) {
      case "createContext", "retainContext" -> held.merge("contexts", 1, Integer::sum);
      case "releaseContext" -> held.merge("contexts", -1, Integer::sum);
      case "createQueue" -> held.merge("queues", 1, Integer::sum);
      case "releaseQueue" -> held.merge("queues", -1, Integer::sum);
      case "createBuffer", "createSubBuffer" -> held.merge("buffers", 1, Integer::sum);
      case "releaseBuffer" -> held.merge("buffers", -1, Integer::sum);
      case "marker" -> held.merge("events", 1, Integer::sum);
      case "releaseEvent" -> held.merge("events", -1, Integer::sum);
      default -> {}
    }
  }

  /// The handles that were made and not released, by kind; kinds of which there are none left out.
  Map<String, Integer> held() {
    Map<String, Integer> left = new TreeMap<>(held);
    left.values().removeIf(count -> count == 0);
    return left;
  }

  /// The call that was refused; how many are made depends on how fast the device is.
  String failed() {
    return failing < made.size() ? made.get(failing) : "none";
  }
}
