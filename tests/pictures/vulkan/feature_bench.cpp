#include "feature_bench.h"

#include "graphics_pipeline.h"

namespace vulkan {

constexpr VkImageLayout kGeneral = VK_IMAGE_LAYOUT_GENERAL;

Layers make_layers(Bench& b, VkFormat format, uint32_t count, VkSampleCountFlagBits samples) {
  Layers made;
  made.format = format, made.count = count, made.samples = samples;
  const bool depth = format == VK_FORMAT_D32_SFLOAT || format == VK_FORMAT_D16_UNORM;
  if (depth) made.aspect = VK_IMAGE_ASPECT_DEPTH_BIT;
  VkImageCreateInfo info{VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO};
  info.imageType = VK_IMAGE_TYPE_2D;
  info.format = format;
  info.extent = {kSize, kSize, 1};
  info.mipLevels = 1, info.arrayLayers = count;
  info.samples = samples;
  info.usage = depth ? VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT : VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT;
  info.usage |= VK_IMAGE_USAGE_INPUT_ATTACHMENT_BIT | VK_IMAGE_USAGE_SAMPLED_BIT;
  if (samples == VK_SAMPLE_COUNT_1_BIT) info.usage |= VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
  check(vkCreateImage(b.device, &info, nullptr, &made.image), "vkCreateImage");
  VkMemoryRequirements needs;
  vkGetImageMemoryRequirements(b.device, made.image, &needs);
  check(vkBindImageMemory(b.device, made.image, b.allocate(needs, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT), 0), "vkBindImageMemory");
  VkImageViewCreateInfo view{VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO};
  view.image = made.image;
  view.viewType = count > 1 ? VK_IMAGE_VIEW_TYPE_2D_ARRAY : VK_IMAGE_VIEW_TYPE_2D;
  view.format = format;
  view.subresourceRange = {made.aspect, 0, 1, 0, count};
  check(vkCreateImageView(b.device, &view, nullptr, &made.view), "vkCreateImageView");
  b.run([&](VkCommandBuffer c) {
    VkImageMemoryBarrier barrier{VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
                                 nullptr,
                                 0,
                                 VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT,
                                 VK_IMAGE_LAYOUT_UNDEFINED,
                                 kGeneral,
                                 VK_QUEUE_FAMILY_IGNORED,
                                 VK_QUEUE_FAMILY_IGNORED,
                                 made.image,
                                 view.subresourceRange};
    vkCmdPipelineBarrier(c, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, nullptr, 0, nullptr, 1,
                         &barrier);
  });
  return made;
}

std::vector<uint32_t> read_layers(Bench& b, const Layers& layers) {
  Memory memory = b.make_memory(VkDeviceSize(kSize) * kSize * 4 * layers.count);
  b.run([&](VkCommandBuffer c) {
    VkBufferImageCopy copy{};
    copy.imageSubresource = {layers.aspect, 0, 0, layers.count};
    copy.imageExtent = {kSize, kSize, 1};
    vkCmdCopyImageToBuffer(c, layers.image, kGeneral, memory.buffer, 1, &copy);
  });
  return {memory.words, memory.words + memory.bytes / 4};
}

void layer_lines(Bench& b, const std::string& name, const Layers& layers) {
  const std::vector<uint32_t> words = read_layers(b, layers);
  for (uint32_t n = 0; n < layers.count; n++)
    b.line(name + (layers.count > 1 ? ", layer " + std::to_string(n) : ""),
           hash(&words[size_t(n) * kSize * kSize], kSize * kSize * 4));
}

VkShaderModule make_shader(Bench& b, const uint32_t* words, size_t bytes) {
  VkShaderModuleCreateInfo info{VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, nullptr, 0, bytes, words};
  VkShaderModule made;
  check(vkCreateShaderModule(b.device, &info, nullptr, &made), "vkCreateShaderModule");
  return made;
}

VkPipelineLayout make_layout(Bench& b, VkDescriptorSetLayout set) {
  VkPushConstantRange range{VK_SHADER_STAGE_VERTEX_BIT, 0, sizeof(Place)};
  VkPipelineLayoutCreateInfo info{VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO, nullptr, 0, set ? 1u : 0u, &set, 1, &range};
  VkPipelineLayout made;
  check(vkCreatePipelineLayout(b.device, &info, nullptr, &made), "vkCreatePipelineLayout");
  return made;
}

VkPipeline make_pipeline(Bench& b, const FeaturePipeline& parts) {
  GraphicsPipeline state;
  state.add(VK_SHADER_STAGE_VERTEX_BIT, parts.vertex);
  state.add(VK_SHADER_STAGE_GEOMETRY_BIT, parts.geometry);
  state.add(VK_SHADER_STAGE_FRAGMENT_BIT, parts.fragment);
  state.assembly.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP;
  // The second one is the target's lower right quarter.
  const VkViewport viewports[2] = {{0, 0, kSize, kSize, 0, 1}, {kSize / 2, kSize / 2, kSize / 2, kSize / 2, 0, 1}};
  state.viewport.viewportCount = state.viewport.scissorCount = parts.viewports;
  state.viewport.pViewports = viewports;
  state.raster.depthClampEnable = parts.clamps;
  state.raster.depthBiasEnable = parts.biased;
  state.multisample.rasterizationSamples = parts.samples;
  state.multisample.sampleShadingEnable = parts.sample_shading;
  state.multisample.minSampleShading = 1;
  state.depth.depthTestEnable = state.depth.depthWriteEnable = parts.depth != VK_FORMAT_UNDEFINED;
  state.depth.depthCompareOp = VK_COMPARE_OP_ALWAYS;
  state.dynamic = {VK_DYNAMIC_STATE_SCISSOR, VK_DYNAMIC_STATE_DEPTH_BIAS};
  VkPipelineRenderingCreateInfo rendering{
      VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO, nullptr, parts.views, 1, &parts.colour, parts.depth};
  return state.make(b.device, parts.layout, parts.pass, parts.pass ? nullptr : &rendering, parts.subpass);
}

void draw(VkCommandBuffer c, VkPipelineLayout layout, const Place& place, uint32_t instances) {
  constexpr float pixel = 2.0f / kSize;
  Place moved = place;
  for (int n = 0; n < 4; n++) moved.rectangle[n] = place.rectangle[n] * pixel - (n < 2 ? 1.0f : 0.0f);
  vkCmdPushConstants(c, layout, VK_SHADER_STAGE_VERTEX_BIT, 0, sizeof moved, &moved);
  vkCmdDraw(c, 4, instances, 0, 0);
}

void whole_scissor(VkCommandBuffer c, VkPipeline pipeline) {
  vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
  const VkRect2D scissors[2] = {{{0, 0}, {kSize, kSize}}, {{0, 0}, {kSize, kSize}}};
  vkCmdSetScissor(c, 0, 1, scissors);
  vkCmdSetDepthBias(c, 0, 0, 0);
}

VkRenderingAttachmentInfo attachment(const Layers& layers, bool clears) {
  VkRenderingAttachmentInfo info{VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO};
  info.imageView = layers.view;
  info.imageLayout = kGeneral;
  info.loadOp = clears ? VK_ATTACHMENT_LOAD_OP_CLEAR : VK_ATTACHMENT_LOAD_OP_LOAD;
  info.storeOp = VK_ATTACHMENT_STORE_OP_STORE;
  if (layers.aspect == VK_IMAGE_ASPECT_DEPTH_BIT)
    info.clearValue.depthStencil.depth = 1;
  else
    info.clearValue.color.uint32[0] = 200, info.clearValue.color.uint32[1] = 100;
  return info;
}

void pass_over(VkCommandBuffer c, const VkRenderingAttachmentInfo* colour, const VkRenderingAttachmentInfo* depth,
               uint32_t layers, uint32_t views, const std::function<void()>& draws, const void* next) {
  full_barrier(c);
  VkRenderingInfo info{VK_STRUCTURE_TYPE_RENDERING_INFO, next};
  info.renderArea = {{0, 0}, {kSize, kSize}};
  info.layerCount = layers;
  info.viewMask = views;
  info.colorAttachmentCount = colour ? 1 : 0;
  info.pColorAttachments = colour;
  info.pDepthAttachment = depth;
  vkCmdBeginRendering(c, &info);
  draws();
  vkCmdEndRendering(c);
  full_barrier(c);
}

}  // namespace vulkan
