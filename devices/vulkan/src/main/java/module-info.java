/// Needs `--enable-native-access=org.lwjgl`.
module dev.quarry.vulkan {
  exports dev.quarry.vulkan;

  requires transitive dev.quarry;
  requires org.lwjgl;
  requires transitive org.lwjgl.vulkan;
  requires static transitive org.jspecify;

  provides dev.quarry.storage.StorageProvider with
      dev.quarry.vulkan.VulkanProvider;
}
