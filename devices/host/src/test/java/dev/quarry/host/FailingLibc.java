package dev.quarry.host;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/// A layer over the calls of the system: refuses one of them, and keeps the books of what is held.
final class FailingLibc {
  final Libc calls;
  final List<String> made = new ArrayList<>();
  private final Libc real = VirtualProvider.libc();
  private final int failing;
  private final int errno;
  private long reserved;
  private final Set<Object> locked = new HashSet<>();

  /// @param failing the number of the call that is refused, from 0 on; negative for none
  FailingLibc(int failing, int errno) {
    this.failing = failing;
    this.errno = errno;
    this.calls =
        (Libc)
            Proxy.newProxyInstance(
                Libc.class.getClassLoader(),
                new Class<?>[] {Libc.class},
                (_, method, arguments) -> {
                  if (method.getName().equals("pageSize")) return real.pageSize();
                  made.add(method.getName());
                  if (made.size() - 1 == failing)
                    return method.getReturnType() == long.class ? (Object) (long) -errno : errno;
                  try {
                    Object answer = method.invoke(real, arguments);
                    boolean done = answer instanceof Long address ? address > 0 : answer.equals(0);
                    if (done) note(method.getName(), arguments);
                    return answer;
                  } catch (InvocationTargetException e) {
                    throw e.getCause();
                  }
                });
  }

  private void note(String call, Object[] arguments) {
    switch (call) {
      case "reserve" -> reserved += (long) arguments[0];
      case "unmap" -> reserved -= (long) arguments[1];
      case "lock" -> locked.add(arguments[0]);
      case "unlock" -> locked.remove(arguments[0]);
      default -> {}
    }
  }

  /// The bytes of address space that were reserved and not given back.
  long reserved() {
    return reserved;
  }

  /// How many ranges were locked and not unlocked.
  int locked() {
    return locked.size();
  }

  boolean hasFailed() {
    return made.size() > failing;
  }

  String failed() {
    return made.get(failing);
  }
}
