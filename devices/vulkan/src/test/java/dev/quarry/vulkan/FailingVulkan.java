package dev.quarry.vulkan;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/// A layer over the calls of Vulkan: refuses one of them, and counts the handles that are held.
final class FailingVulkan {
  /// Calls that the standard lets fail.
  private static final Set<String> CAN_FAIL =
      Set.of(
          "createInstance",
          "physicalDevices",
          "createDevice",
          "createBuffer",
          "allocate",
          "bind",
          "map",
          "flush",
          "invalidate",
          "createTimeline",
          "value",
          "await",
          "awaitIdle",
          "createPool",
          "commandBuffer",
          "begin",
          "end",
          "submit");

  final Vulkan calls;
  final ValidatedVulkan real = new ValidatedVulkan();

  /// The calls that can fail.
  final List<String> made = new ArrayList<>();

  private final int failing;
  private final int status;
  private final boolean forEver;
  private final Map<String, Integer> held = new TreeMap<>();

  /// @param failing the number of the call that is refused, from 0 on; negative for none
  /// @param status with what
  /// @param forEver whether every later one that a lost device refuses is refused, too
  FailingVulkan(int failing, int status, boolean forEver) {
    this.failing = failing;
    this.status = status;
    this.forEver = forEver;
    this.calls =
        (Vulkan)
            Proxy.newProxyInstance(
                Vulkan.class.getClassLoader(),
                new Class<?>[] {Vulkan.class},
                (_, method, arguments) -> {
                  String call = method.getName();
                  if (refuses(call)) throw new VulkanException(call, status);
                  try {
                    Object answer = method.invoke(real, arguments);
                    count(call);
                    return answer;
                  } catch (InvocationTargetException e) {
                    throw e.getCause();
                  }
                });
  }

  private synchronized boolean refuses(String call) {
    if (!CAN_FAIL.contains(call)) return false;
    made.add(call);
    int number = made.size() - 1;
    return number == failing || forEver && failing >= 0 && number > failing;
  }

  private synchronized void count(String call) {
    switch (call) {
      case "createInstance", "createDevice", "createBuffer", "createTimeline", "createPool" ->
          held.merge(call.substring("create".length()), 1, Integer::sum);
      case "destroyInstance", "destroyDevice", "destroyBuffer", "destroyTimeline", "destroyPool" ->
          held.merge(call.substring("destroy".length()), -1, Integer::sum);
      case "allocate" -> held.merge("Memory", 1, Integer::sum);
      case "free" -> held.merge("Memory", -1, Integer::sum);
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
