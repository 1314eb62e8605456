/// Host memory by the operating system's own means. Needs `--enable-native-access=dev.quarry.host`.
module dev.quarry.host {
  exports dev.quarry.host;

  requires transitive dev.quarry;
  requires static transitive org.jspecify;

  provides dev.quarry.storage.StorageProvider with
      dev.quarry.host.VirtualProvider;
}
