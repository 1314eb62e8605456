package dev.quarry.failure;

/// A layout was not installed; [#refusal] tells why. Nothing was changed.
public final class InstallException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final transient InstallRefusal refusal;

  /// An exception whose message is that of the refusal.
  public InstallException(InstallRefusal refusal) {
    super(refusal.message());
    this.refusal = refusal;
  }

  /// Why the layout was not installed.
  public InstallRefusal refusal() {
    return refusal;
  }
}
