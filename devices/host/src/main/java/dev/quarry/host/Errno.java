package dev.quarry.host;

/// The numbers by which Linux says why it refuses.
final class Errno {
  private static final int NO_MEMORY = 12;
  private static final int FILE_TOO_LARGE = 27;
  private static final int NO_SPACE = 28;
  private static final int QUOTA = 122;

  private Errno() {}

  /// Whether there is no room now, and might be later.
  static boolean isFull(int errno) {
    return errno == NO_MEMORY || errno == FILE_TOO_LARGE || errno == NO_SPACE || errno == QUOTA;
  }

  /// Its name and number.
  static String text(int errno) {
    return switch (errno) {
      case 1 -> "EPERM (1), it is not permitted";
      case 2 -> "ENOENT (2), it does not exist";
      case 5 -> "EIO (5), the disk does not answer";
      case 11 -> "EAGAIN (11), a limit is reached, such as that of locked memory";
      case NO_MEMORY -> "ENOMEM (12), there is no memory, or too many mappings";
      case 13 -> "EACCES (13), it may not be written";
      case 14 -> "EFAULT (14), the memory can not be had";
      case 16 -> "EBUSY (16), the memory is in use";
      case 20 -> "ENOTDIR (20), it is not a directory";
      case 22 -> "EINVAL (22), the kernel does not know this request";
      case 24 -> "EMFILE (24), the process has too many files open";
      case FILE_TOO_LARGE -> "EFBIG (27), files may not be that large";
      case NO_SPACE -> "ENOSPC (28), there is no space";
      case 30 -> "EROFS (30), the file system is read-only";
      case 95 -> "EOPNOTSUPP (95), the file system does not do this";
      case QUOTA -> "EDQUOT (122), the quota is used up";
      default -> "errno " + errno;
    };
  }
}
