#include "format_draw.h"

#include <string>

#include "format_storage.h"
#include "graphics_pipeline.h"

namespace vulkan {
namespace {

constexpr VkImageLayout general = VK_IMAGE_LAYOUT_GENERAL;

VkPipelineLayout make_layout(Device& device, VkShaderStageFlags stages, uint32_t bytes, const VkDescriptorSetLayout* set) {
  VkPushConstantRange range{stages, 0, bytes};
  VkPipelineLayoutCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO;
  info.setLayoutCount = set ? 1 : 0;
  info.pSetLayouts = set;
  info.pushConstantRangeCount = 1;
  info.pPushConstantRanges = &range;
  VkPipelineLayout layout;
  check(vkCreatePipelineLayout(device.handle(), &info, nullptr, &layout), "vkCreatePipelineLayout");
  device.later([&device, layout] { vkDestroyPipelineLayout(device.handle(), layout, nullptr); });
  return layout;
}

// A pass that clears an image and draws to it, and where there is another, resolves to that.
class Pass {
public:
  Pass(Device& device, const Image& image, const Image* resolved, VkSampleCountFlagBits samples)
      : device_(device), samples_(samples) {
    VkAttachmentDescription attachments[2]{};
    for (VkAttachmentDescription& attachment : attachments) {
      attachment.format = image.format;
      attachment.samples = samples;
      attachment.loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR;
      attachment.stencilLoadOp = VK_ATTACHMENT_LOAD_OP_DONT_CARE;
      attachment.stencilStoreOp = VK_ATTACHMENT_STORE_OP_DONT_CARE;
      attachment.finalLayout = general;
    }
    attachments[1].samples = VK_SAMPLE_COUNT_1_BIT;
    attachments[1].loadOp = VK_ATTACHMENT_LOAD_OP_DONT_CARE;
    VkAttachmentReference drawn{0, general}, target{1, general};
    VkSubpassDescription subpass{};
    subpass.colorAttachmentCount = 1;
    subpass.pColorAttachments = &drawn;
    subpass.pResolveAttachments = resolved ? &target : nullptr;
    VkRenderPassCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO;
    info.attachmentCount = resolved ? 2 : 1;
    info.pAttachments = attachments;
    info.subpassCount = 1;
    info.pSubpasses = &subpass;
    check(vkCreateRenderPass(device.handle(), &info, nullptr, &pass_), "vkCreateRenderPass");
    device.later([&device, pass = pass_] { vkDestroyRenderPass(device.handle(), pass, nullptr); });
    VkImageView views[2]{device.make_view(image, VK_IMAGE_ASPECT_COLOR_BIT, 0, 0)};
    if (resolved) views[1] = device.make_view(*resolved, VK_IMAGE_ASPECT_COLOR_BIT, 0, 0);
    VkFramebufferCreateInfo frame{};
    frame.sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO;
    frame.renderPass = pass_;
    frame.attachmentCount = info.attachmentCount;
    frame.pAttachments = views;
    frame.width = frame.height = format_image_side;
    frame.layers = 1;
    check(vkCreateFramebuffer(device.handle(), &frame, nullptr, &frame_), "vkCreateFramebuffer");
    device.later([&device, made = frame_] { vkDestroyFramebuffer(device.handle(), made, nullptr); });
  }

  void begin(VkCommandBuffer commands, const VkClearColorValue& colour) {
    VkClearValue clear{};
    clear.color = colour;
    VkRenderPassBeginInfo info{};
    info.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO;
    info.renderPass = pass_;
    info.framebuffer = frame_;
    info.renderArea = {{0, 0}, {format_image_side, format_image_side}};
    info.clearValueCount = 1;
    info.pClearValues = &clear;
    vkCmdBeginRenderPass(commands, &info, VK_SUBPASS_CONTENTS_INLINE);
  }

  // Without a row the vertices are counted alone; the attribute has the row's format.
  VkPipeline pipeline(const ShaderWords& vertices, const ShaderWords& fragments, VkPipelineLayout layout, const FormatRow* row,
                      const VkPipelineColorBlendAttachmentState& blending) {
    GraphicsPipeline state;
    state.add(VK_SHADER_STAGE_VERTEX_BIT, device_.make_shader(vertices.words, vertices.bytes));
    state.add(VK_SHADER_STAGE_FRAGMENT_BIT, device_.make_shader(fragments.words, fragments.bytes));
    VkVertexInputBindingDescription binding{0, row ? row->bytes : 0, VK_VERTEX_INPUT_RATE_VERTEX};
    VkVertexInputAttributeDescription attribute{0, 0, row ? row->format : VK_FORMAT_UNDEFINED, 0};
    state.input.vertexBindingDescriptionCount = state.input.vertexAttributeDescriptionCount = row ? 1 : 0;
    state.input.pVertexBindingDescriptions = &binding;
    state.input.pVertexAttributeDescriptions = &attribute;
    if (row) state.assembly.topology = VK_PRIMITIVE_TOPOLOGY_POINT_LIST;
    VkRect2D scissor{{0, 0}, {format_image_side, format_image_side}};
    state.viewport.pScissors = &scissor;
    state.multisample.rasterizationSamples = samples_;
    state.target = blending;
    state.dynamic = {VK_DYNAMIC_STATE_VIEWPORT};
    VkPipeline pipeline = state.make(device_.handle(), layout, pass_);
    device_.later([&device = device_, pipeline] { vkDestroyPipeline(device.handle(), pipeline, nullptr); });
    return pipeline;
  }

private:
  Device& device_;
  VkSampleCountFlagBits samples_;
  VkRenderPass pass_;
  VkFramebuffer frame_;
};

VkPipelineColorBlendAttachmentState blending(Use::Paint how) {
  VkPipelineColorBlendAttachmentState state{};
  state.colorWriteMask = how == Use::masked ? VK_COLOR_COMPONENT_G_BIT | VK_COLOR_COMPONENT_A_BIT : 0xfu;
  state.blendEnable = how == Use::blend || how == Use::subtract || how == Use::greatest;
  bool over = how == Use::blend;
  state.srcColorBlendFactor = over ? VK_BLEND_FACTOR_SRC_ALPHA : VK_BLEND_FACTOR_ONE;
  state.dstColorBlendFactor = over ? VK_BLEND_FACTOR_ONE_MINUS_SRC_ALPHA : VK_BLEND_FACTOR_ONE;
  state.srcAlphaBlendFactor = over ? VK_BLEND_FACTOR_DST_COLOR : VK_BLEND_FACTOR_ONE;
  state.dstAlphaBlendFactor = over ? VK_BLEND_FACTOR_ZERO : VK_BLEND_FACTOR_ONE;
  state.colorBlendOp = state.alphaBlendOp = over                   ? VK_BLEND_OP_ADD
                                            : how == Use::subtract ? VK_BLEND_OP_REVERSE_SUBTRACT
                                                                   : VK_BLEND_OP_MAX;
  return state;
}

constexpr VkViewport whole{0, 0, format_image_side, format_image_side, 0, 1};

// Two triangles with the fill's colours, the second turned around and as that instance.
void fill_twice(Device& device, const FormatRow& row, Pass& pass, Use::Paint how, uint32_t second) {
  VkPipelineLayout layout = make_layout(device, VK_SHADER_STAGE_FRAGMENT_BIT, 20, nullptr);
  const ShaderWords &vertices = shaders::fill_vertices, &fragments = shaders::fill.variants[variant(row.kind)];
  VkPipeline below = pass.pipeline(vertices, fragments, layout, nullptr, blending(Use::fill));
  VkPipeline above = pass.pipeline(vertices, fragments, layout, nullptr, blending(how));
  struct {
    std::array<uint32_t, 4> most;
    uint32_t turned;
  } constants{greatest(row), 0};
  device.submit([&](VkCommandBuffer commands) {
    pass.begin(commands, clear_value(row));
    for (bool turned : {false, true}) {
      if (how == Use::clear_by_load || (turned && (how == Use::fill || how == Use::clear_rectangle))) break;
      vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, turned ? above : below);
      vkCmdSetViewport(commands, 0, 1, &whole);
      constants.turned = turned;
      vkCmdPushConstants(commands, layout, VK_SHADER_STAGE_FRAGMENT_BIT, 0, sizeof constants, &constants);
      vkCmdDraw(commands, 3, 1, 0, turned ? second : 0);
    }
    if (how == Use::clear_rectangle) {
      VkClearAttachment clear{VK_IMAGE_ASPECT_COLOR_BIT, 0, {}};
      clear.clearValue.color = clear_value(row);
      VkClearRect rectangle{{{3, 2}, {9, 11}}, 0, 1};
      vkCmdClearAttachments(commands, 1, &clear, 1, &rectangle);
    }
    vkCmdEndRenderPass(commands);
  });
}

}  // namespace

std::array<uint32_t, 4> greatest(const FormatRow& row) {
  std::array<uint32_t, 4> result{~0u, ~0u, ~0u, ~0u};
  for (const Component& component : components(row))
    for (size_t n = 0; n < 4; n++)
      if (component.name == "RGBA"[n]) result[n] = uint32_t((uint64_t(1) << component.bits) - 1);
  return result;
}

VkClearColorValue clear_value(const FormatRow& row) {
  VkClearColorValue value{{0.3f, -0.4f, 1.5f, 0.6f}};
  auto most = greatest(row);
  for (size_t n = 0; n < 4; n++)
    if (variant(row.kind)) value.uint32[n] = (0x35a7c19b >> n) & most[n];
  // Half of what unsigned components hold, so that it fits; negative numbers are seen elsewhere.
  for (size_t n = 0; n < 4; n++)
    if (row.kind == Kind::SINT) value.uint32[n] >>= 1;
  return value;
}

VkSampler make_sampler(Device& device, bool filter, bool integers) {
  VkSamplerCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO;
  info.magFilter = info.minFilter = filter ? VK_FILTER_LINEAR : VK_FILTER_NEAREST;
  info.mipmapMode = filter ? VK_SAMPLER_MIPMAP_MODE_LINEAR : VK_SAMPLER_MIPMAP_MODE_NEAREST;
  info.addressModeU = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER;
  info.addressModeV = VK_SAMPLER_ADDRESS_MODE_REPEAT;
  info.addressModeW = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE;
  info.borderColor = integers ? VK_BORDER_COLOR_INT_OPAQUE_WHITE : VK_BORDER_COLOR_FLOAT_OPAQUE_WHITE;
  info.maxLod = 16;
  VkSampler sampler;
  check(vkCreateSampler(device.handle(), &info, nullptr, &sampler), "vkCreateSampler");
  device.later([&device, sampler] { vkDestroySampler(device.handle(), sampler, nullptr); });
  return sampler;
}

VkBufferView make_buffer_view(Device& device, const Buffer& buffer, VkFormat format) {
  VkBufferViewCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_BUFFER_VIEW_CREATE_INFO;
  info.buffer = buffer.handle;
  info.format = format;
  info.range = VK_WHOLE_SIZE;
  VkBufferView view;
  check(vkCreateBufferView(device.handle(), &info, nullptr, &view), "vkCreateBufferView");
  device.later([&device, view] { vkDestroyBufferView(device.handle(), view, nullptr); });
  return view;
}

void dispatch(Device& device, const FormatShader& shader, int variant, VkDescriptorType type, const Bound& bound,
              const Buffer& buffer, const void* constants, uint32_t groups, VkFormat said) {
  VkDescriptorSetLayoutBinding bindings[2]{};
  bindings[0] = {0, type, 1, VK_SHADER_STAGE_COMPUTE_BIT, nullptr};
  bindings[1] = {1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, nullptr};
  VkDescriptorSetLayoutCreateInfo set_info{};
  set_info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO;
  set_info.bindingCount = 2;
  set_info.pBindings = bindings;
  VkDescriptorSetLayout set_layout;
  check(vkCreateDescriptorSetLayout(device.handle(), &set_info, nullptr, &set_layout), "vkCreateDescriptorSetLayout");
  device.later([&device, set_layout] { vkDestroyDescriptorSetLayout(device.handle(), set_layout, nullptr); });
  VkDescriptorPoolSize sizes[] = {{type, 1}, {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1}};
  VkDescriptorPoolCreateInfo pool_info{};
  pool_info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO;
  pool_info.maxSets = 1;
  pool_info.poolSizeCount = 2;
  pool_info.pPoolSizes = sizes;
  VkDescriptorPool pool;
  check(vkCreateDescriptorPool(device.handle(), &pool_info, nullptr, &pool), "vkCreateDescriptorPool");
  device.later([&device, pool] { vkDestroyDescriptorPool(device.handle(), pool, nullptr); });
  VkDescriptorSetAllocateInfo allocation{};
  allocation.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO;
  allocation.descriptorPool = pool;
  allocation.descriptorSetCount = 1;
  allocation.pSetLayouts = &set_layout;
  VkDescriptorSet set;
  check(vkAllocateDescriptorSets(device.handle(), &allocation, &set), "vkAllocateDescriptorSets");
  VkDescriptorImageInfo image{bound.sampler, bound.view, general};
  VkDescriptorBufferInfo results{buffer.handle, 0, VK_WHOLE_SIZE};
  VkWriteDescriptorSet writes[2]{};
  for (uint32_t n = 0; n < 2; n++) {
    writes[n].sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET;
    writes[n].dstSet = set;
    writes[n].dstBinding = n;
    writes[n].descriptorCount = 1;
    writes[n].descriptorType = n ? VK_DESCRIPTOR_TYPE_STORAGE_BUFFER : type;
    writes[n].pImageInfo = &image;
    writes[n].pBufferInfo = &results;
    writes[n].pTexelBufferView = &bound.texels;
  }
  vkUpdateDescriptorSets(device.handle(), 2, writes, 0, nullptr);
  VkPipelineLayout layout = make_layout(device, VK_SHADER_STAGE_COMPUTE_BIT, 16, &set_layout);
  VkPipeline pipeline = device.pipeline(shader.name + std::to_string(variant) + "/" + std::to_string(said), [&] {
    VkComputePipelineCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO;
    const ShaderWords& words = shader.variants[variant];
    auto with_format = with_storage_format(words, said);
    const bool as_made = said == VK_FORMAT_UNDEFINED;
    info.stage =
        shader_stage(VK_SHADER_STAGE_COMPUTE_BIT, as_made ? device.make_shader(words.words, words.bytes)
                                                          : device.make_shader(with_format.data(), with_format.size() * 4));
    info.layout = layout;
    VkPipeline made;
    check(vkCreateComputePipelines(device.handle(), VK_NULL_HANDLE, 1, &info, nullptr, &made), "vkCreateComputePipelines");
    return made;
  });
  device.submit([&](VkCommandBuffer commands) {
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, 0, nullptr);
    vkCmdPushConstants(commands, layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, 16, constants);
    vkCmdDispatch(commands, groups, groups, 1);
    VkMemoryBarrier barrier{VK_STRUCTURE_TYPE_MEMORY_BARRIER, nullptr, VK_ACCESS_SHADER_WRITE_BIT, VK_ACCESS_HOST_READ_BIT};
    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &barrier, 0, nullptr,
                         0, nullptr);
  });
}

void paint(Device& device, const FormatRow& row, const Image& image, Use::Paint how) {
  Pass pass(device, image, nullptr, VK_SAMPLE_COUNT_1_BIT);
  fill_twice(device, row, pass, how, 0);
}

void paint_samples(Device& device, const FormatRow& row, const Image& image, const Image& resolved) {
  Pass pass(device, image, &resolved, VK_SAMPLE_COUNT_4_BIT);
  // Not cut by a viewport: RADV cuts at whole pixels (Mesa 22.3.6 si_cmd_buffer.c, si_scissor_from_viewport), lavapipe at the viewport's edge.
  fill_twice(device, row, pass, Use::replace, 1);
}

void draw_points(Device& device, const FormatRow& row, const Image& image, const Buffer& vertices) {
  Pass pass(device, image, nullptr, VK_SAMPLE_COUNT_1_BIT);
  VkPipelineLayout layout = make_layout(device, VK_SHADER_STAGE_FRAGMENT_BIT, 16, nullptr);
  int kind = variant(row.kind);
  VkPipeline pipeline = pass.pipeline(shaders::attribute_vertices.variants[kind], shaders::attribute_fragments.variants[kind],
                                      layout, &row, blending(Use::fill));
  device.submit([&](VkCommandBuffer commands) {
    pass.begin(commands, {});
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
    vkCmdSetViewport(commands, 0, 1, &whole);
    VkDeviceSize offset = 0;
    vkCmdBindVertexBuffers(commands, 0, 1, &vertices.handle, &offset);
    vkCmdDraw(commands, format_image_side * format_image_side, 1, 0, 0);
    vkCmdEndRenderPass(commands);
  });
}

}  // namespace vulkan
