package dev.quarry.vulkan;

import static org.lwjgl.util.shaderc.Shaderc.*;
import static org.lwjgl.vulkan.VK10.*;

import java.nio.ByteBuffer;
import java.nio.LongBuffer;
import java.util.Objects;
import org.lwjgl.system.MemoryStack;
import org.lwjgl.vulkan.VkCommandBuffer;
import org.lwjgl.vulkan.VkComputePipelineCreateInfo;
import org.lwjgl.vulkan.VkDescriptorBufferInfo;
import org.lwjgl.vulkan.VkDescriptorPoolCreateInfo;
import org.lwjgl.vulkan.VkDescriptorPoolSize;
import org.lwjgl.vulkan.VkDescriptorSetAllocateInfo;
import org.lwjgl.vulkan.VkDescriptorSetLayoutBinding;
import org.lwjgl.vulkan.VkDescriptorSetLayoutCreateInfo;
import org.lwjgl.vulkan.VkDevice;
import org.lwjgl.vulkan.VkPipelineLayoutCreateInfo;
import org.lwjgl.vulkan.VkPushConstantRange;
import org.lwjgl.vulkan.VkShaderModuleCreateInfo;
import org.lwjgl.vulkan.VkWriteDescriptorSet;

/// A compute shader over two storage buffers with a float and a count as push constants.
final class Shader implements AutoCloseable {
  private static final int MOST_LAUNCHES = 1024;
  private static final int GROUP = 64;

  private final VkDevice device;
  private final long setLayout;
  private final long layout;
  private final long pipeline;
  private final long descriptors;

  Shader(VkDevice device, String source) {
    this.device = device;
    try (MemoryStack stack = MemoryStack.stackPush()) {
      LongBuffer handle = stack.mallocLong(1);
      VkDescriptorSetLayoutBinding.Buffer bindings = VkDescriptorSetLayoutBinding.calloc(2, stack);
      for (int i = 0; i < 2; i++)
        bindings
            .get(i)
            .binding(i)
            .descriptorType(VK_DESCRIPTOR_TYPE_STORAGE_BUFFER)
            .descriptorCount(1)
            .stageFlags(VK_SHADER_STAGE_COMPUTE_BIT);
      check(
          vkCreateDescriptorSetLayout(
              device,
              VkDescriptorSetLayoutCreateInfo.calloc(stack).sType$Default().pBindings(bindings),
              null,
              handle));
      setLayout = handle.get(0);
      VkPushConstantRange.Buffer constants = VkPushConstantRange.calloc(1, stack);
      constants.get(0).stageFlags(VK_SHADER_STAGE_COMPUTE_BIT).size(8);
      check(
          vkCreatePipelineLayout(
              device,
              VkPipelineLayoutCreateInfo.calloc(stack)
                  .sType$Default()
                  .pSetLayouts(stack.longs(setLayout))
                  .pPushConstantRanges(constants),
              null,
              handle));
      layout = handle.get(0);
      long module = module(source);
      VkComputePipelineCreateInfo.Buffer info = VkComputePipelineCreateInfo.calloc(1, stack);
      info.get(0).sType$Default().layout(layout);
      info.get(0)
          .stage()
          .sType$Default()
          .stage(VK_SHADER_STAGE_COMPUTE_BIT)
          .module(module)
          .pName(stack.UTF8("main"));
      check(vkCreateComputePipelines(device, VK_NULL_HANDLE, info, null, handle));
      pipeline = handle.get(0);
      vkDestroyShaderModule(device, module, null);
      VkDescriptorPoolSize.Buffer sizes = VkDescriptorPoolSize.calloc(1, stack);
      sizes.get(0).type(VK_DESCRIPTOR_TYPE_STORAGE_BUFFER).descriptorCount(2 * MOST_LAUNCHES);
      check(
          vkCreateDescriptorPool(
              device,
              VkDescriptorPoolCreateInfo.calloc(stack)
                  .sType$Default()
                  .maxSets(MOST_LAUNCHES)
                  .pPoolSizes(sizes),
              null,
              handle));
      descriptors = handle.get(0);
    }
  }

  private long module(String source) {
    long compiler = shaderc_compiler_initialize();
    long result =
        shaderc_compile_into_spv(compiler, source, shaderc_compute_shader, "saxpy.comp", "main", 0);
    if (shaderc_result_get_compilation_status(result) != shaderc_compilation_status_success)
      throw new IllegalArgumentException(shaderc_result_get_error_message(result));
    try (MemoryStack stack = MemoryStack.stackPush()) {
      ByteBuffer code = Objects.requireNonNull(shaderc_result_get_bytes(result));
      LongBuffer handle = stack.mallocLong(1);
      check(
          vkCreateShaderModule(
              device,
              VkShaderModuleCreateInfo.calloc(stack).sType$Default().pCode(code),
              null,
              handle));
      return handle.get(0);
    } finally {
      shaderc_result_release(result);
      shaderc_compiler_release(compiler);
    }
  }

  private static void check(int status) {
    if (status != VK_SUCCESS) throw new IllegalStateException(VulkanStatus.text(status));
  }

  /// Records a launch over as many invocations as the second window has floats.
  void launch(VkCommandBuffer commands, float factor, VulkanWindow first, VulkanWindow second) {
    int count = (int) (second.size() / Float.BYTES);
    try (MemoryStack stack = MemoryStack.stackPush()) {
      LongBuffer set = stack.mallocLong(1);
      check(
          vkAllocateDescriptorSets(
              device,
              VkDescriptorSetAllocateInfo.calloc(stack)
                  .sType$Default()
                  .descriptorPool(descriptors)
                  .pSetLayouts(stack.longs(setLayout)),
              set));
      VkWriteDescriptorSet.Buffer writes = VkWriteDescriptorSet.calloc(2, stack);
      write(stack, writes.get(0), set.get(0), 0, first);
      write(stack, writes.get(1), set.get(0), 1, second);
      vkUpdateDescriptorSets(device, writes, null);
      vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
      vkCmdBindDescriptorSets(
          commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, stack.longs(set.get(0)), null);
      ByteBuffer constants = stack.malloc(8).putFloat(0, factor).putInt(4, count);
      vkCmdPushConstants(commands, layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, constants);
      vkCmdDispatch(commands, (count + GROUP - 1) / GROUP, 1, 1);
    }
  }

  private static void write(
      MemoryStack stack, VkWriteDescriptorSet write, long set, int binding, VulkanWindow window) {
    VkDescriptorBufferInfo.Buffer info = VkDescriptorBufferInfo.calloc(1, stack);
    info.get(0).buffer(window.buffer()).offset(window.offset()).range(window.size());
    write
        .sType$Default()
        .dstSet(set)
        .dstBinding(binding)
        .descriptorCount(1)
        .descriptorType(VK_DESCRIPTOR_TYPE_STORAGE_BUFFER)
        .pBufferInfo(info);
  }

  @Override
  public void close() {
    vkDestroyDescriptorPool(device, descriptors, null);
    vkDestroyPipeline(device, pipeline, null);
    vkDestroyPipelineLayout(device, layout, null);
    vkDestroyDescriptorSetLayout(device, setLayout, null);
  }
}
