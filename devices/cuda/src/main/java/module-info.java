/// Needs `--enable-native-access=dev.quarry.cuda`.
module dev.quarry.cuda {
  exports dev.quarry.cuda;

  requires transitive dev.quarry;
  requires static transitive org.jspecify;

  provides dev.quarry.storage.StorageProvider with
      dev.quarry.cuda.CudaProvider;
}
