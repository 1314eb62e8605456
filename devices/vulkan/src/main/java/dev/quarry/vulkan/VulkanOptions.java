package dev.quarry.vulkan;

/// How a [VulkanStorage] chooses and treats its memory. Immutable.
///
/// @param limit the most bytes allocated at once; what the heaps hold if that is less
/// @param use what the memory is for
/// @param mapped whether memory that the host can see is mapped. Where it is not, or can not be,
///   copies go by way of staging buffers
/// @param images whether programs bind images to windows too: then no image shares a page of
///   `bufferImageGranularity` with anything else
public record VulkanOptions(long limit, Use use, boolean mapped, boolean images) {
  /// What memory is for.
  public enum Use {
    /// Work of the device: its own memory where it has some, else whatever it can reach.
    DEVICE,
    /// Bytes that the host writes and the device reads: visible to the host, coherent if possible.
    UPLOAD,
    /// Bytes that the device writes and the host reads: visible to the host, cached if possible.
    READBACK
  }

  /// Up to the memory of the device, for its work, mapped where possible, for buffers only.
  public static final VulkanOptions DEFAULT =
      new VulkanOptions(Long.MAX_VALUE, Use.DEVICE, true, false);

  /// @throws IllegalArgumentException when the limit is negative
  public VulkanOptions {
    if (limit < 0) throw new IllegalArgumentException("limit (" + limit + ") is negative");
  }

  /// These options with another limit, in bytes.
  public VulkanOptions limit(long other) {
    return new VulkanOptions(other, use, mapped, images);
  }

  /// These options with memory for another use.
  public VulkanOptions use(Use other) {
    return new VulkanOptions(limit, other, mapped, images);
  }

  /// These options with copies by staging buffers only.
  public VulkanOptions unmapped() {
    return new VulkanOptions(limit, use, false, images);
  }

  /// These options with room for images between buffers.
  public VulkanOptions withImages() {
    return new VulkanOptions(limit, use, mapped, true);
  }
}
