/// Needs `--enable-native-access=org.lwjgl`.
module dev.quarry.opencl {
  exports dev.quarry.opencl;

  requires transitive dev.quarry;
  requires org.lwjgl;
  requires org.lwjgl.opencl;
  requires static transitive org.jspecify;

  provides dev.quarry.storage.StorageProvider with
      dev.quarry.opencl.OpenClProvider;
}
