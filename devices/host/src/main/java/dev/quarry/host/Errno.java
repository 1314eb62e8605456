package dev.quarry.host;

/// The numbers by which Linux says why it refuses.
final class Errno {
  private Errno() {}

  /// Its name and number.
  static String text(int errno) {
    return switch (errno) {
      case 1 -> "EPERM (1), it is not permitted";
      case 11 -> "EAGAIN (11), a limit is reached, such as that of locked memory";
      case 12 -> "ENOMEM (12), there is no memory, or too many mappings";
      case 14 -> "EFAULT (14), the memory can not be had";
      case 16 -> "EBUSY (16), the memory is in use";
      case 22 -> "EINVAL (22), the kernel does not know this request";
      case 28 -> "ENOSPC (28), there is no space";
      default -> "errno " + errno;
    };
  }
}
