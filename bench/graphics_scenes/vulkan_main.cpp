// Draws one of the scenes in Vulkan without a window and says what its frames cost: see bench/README.md.
#include <cstring>

#include "../../tests/pictures/vulkan/device.h"
#include "../../tests/pictures/vulkan/graphics_pipeline.h"
#include "floor_fragments.h"
#include "floor_vertices.h"
#include "measure.h"
#include "shaded_fragments.h"
#include "shaded_vertices.h"
#include "texture.h"

namespace {

using vulkan::check;

constexpr uint32_t width = 800, height = 600, layers = 20;
constexpr VkFormat format = VK_FORMAT_R8G8B8A8_UNORM;
constexpr VkImageAspectFlags colour_aspect = VK_IMAGE_ASPECT_COLOR_BIT;
constexpr VkImageLayout undefined = VK_IMAGE_LAYOUT_UNDEFINED, attached = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL,
                        source = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, target = VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
                        sampled = VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL;

enum class Kind { opaque, blended, textured };  // the last one blended, too

// 20 layers over the screen, as the scenes fill, blend and trilinear of OpenGL, but without a depth buffer.
class Layers {
public:
  Layers(vulkan::Device& device, Kind kind) : device_(device) {
    picture_ = device.make_image(format, colour_aspect, VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT,
                                 {width, height}, 1, 1, VK_SAMPLE_COUNT_1_BIT);
    make_pass();
    make_layout();
    make_texture();
    pipeline_ = device.pipeline("layers", [&] { return make_pipeline(kind); });
    device.submit([&](VkCommandBuffer commands) { vulkan::transition(commands, picture_, undefined, attached); });
  }

  void draw() {
    device_.submit([&](VkCommandBuffer commands) {
      VkClearValue black{};
      VkRenderPassBeginInfo begin{};
      begin.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO;
      begin.renderPass = pass_;
      begin.framebuffer = framebuffer_;
      begin.renderArea.extent = {width, height};
      begin.clearValueCount = 1;
      begin.pClearValues = &black;
      vkCmdBeginRenderPass(commands, &begin, VK_SUBPASS_CONTENTS_INLINE);
      vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline_);
      vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, layout_, 0, 1, &set_, 0, nullptr);
      for (uint32_t n = 0; n < layers; n++) {
        float number = float(n) / (layers - 1);
        vkCmdPushConstants(commands, layout_, VK_SHADER_STAGE_VERTEX_BIT, 0, sizeof number, &number);
        vkCmdDraw(commands, 4, 1, 0, 0);
      }
      vkCmdEndRenderPass(commands);
    });
  }

  scenes::Picture read_picture() {
    vulkan::Buffer buffer = device_.make_buffer(VkDeviceSize(width) * height * 4);
    device_.submit([&](VkCommandBuffer commands) {
      vulkan::transition(commands, picture_, attached, source);
      VkBufferImageCopy region{0, 0, 0, {colour_aspect, 0, 0, 1}, {}, {width, height, 1}};
      vkCmdCopyImageToBuffer(commands, picture_.handle, source, buffer.handle, 1, &region);
    });
    return {width, height, std::vector<uint8_t>(buffer.bytes, buffer.bytes + size_t(width) * height * 4)};
  }

private:
  void make_pass() {
    VkDevice device = device_.handle();
    VkAttachmentDescription attachment{};
    attachment.format = format;
    attachment.samples = VK_SAMPLE_COUNT_1_BIT;
    attachment.loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR;
    attachment.storeOp = VK_ATTACHMENT_STORE_OP_STORE;
    attachment.initialLayout = attachment.finalLayout = attached;
    VkAttachmentReference reference{0, attached};
    VkSubpassDescription subpass{};
    subpass.colorAttachmentCount = 1;
    subpass.pColorAttachments = &reference;
    VkRenderPassCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO;
    info.attachmentCount = info.subpassCount = 1;
    info.pAttachments = &attachment;
    info.pSubpasses = &subpass;
    check(vkCreateRenderPass(device, &info, nullptr, &pass_), "vkCreateRenderPass");
    device_.later([device, pass = pass_] { vkDestroyRenderPass(device, pass, nullptr); });
    VkImageView view = device_.make_view(picture_, colour_aspect, 0, 0);
    VkFramebufferCreateInfo frame{};
    frame.sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO;
    frame.renderPass = pass_;
    frame.attachmentCount = 1;
    frame.pAttachments = &view;
    frame.width = width;
    frame.height = height;
    frame.layers = 1;
    check(vkCreateFramebuffer(device, &frame, nullptr, &framebuffer_), "vkCreateFramebuffer");
    device_.later([device, framebuffer = framebuffer_] { vkDestroyFramebuffer(device, framebuffer, nullptr); });
  }

  void make_layout() {
    VkDevice device = device_.handle();
    VkDescriptorSetLayoutBinding binding{0, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 1, VK_SHADER_STAGE_FRAGMENT_BIT, nullptr};
    VkDescriptorSetLayoutCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO;
    info.bindingCount = 1;
    info.pBindings = &binding;
    check(vkCreateDescriptorSetLayout(device, &info, nullptr, &set_layout_), "vkCreateDescriptorSetLayout");
    device_.later([device, set = set_layout_] { vkDestroyDescriptorSetLayout(device, set, nullptr); });
    VkPushConstantRange range{VK_SHADER_STAGE_VERTEX_BIT, 0, sizeof(float)};
    VkPipelineLayoutCreateInfo layout{};
    layout.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO;
    layout.setLayoutCount = layout.pushConstantRangeCount = 1;
    layout.pSetLayouts = &set_layout_;
    layout.pPushConstantRanges = &range;
    check(vkCreatePipelineLayout(device, &layout, nullptr, &layout_), "vkCreatePipelineLayout");
    device_.later([device, made = layout_] { vkDestroyPipelineLayout(device, made, nullptr); });
  }

  // The texture's levels through a buffer, and the descriptor set that names it.
  void make_texture() {
    auto levels = scenes::texture_levels();
    auto count = uint32_t(levels.size());
    vulkan::Image image = device_.make_image(format, colour_aspect, VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT,
                                             {scenes::texture_size, scenes::texture_size}, 1, count, VK_SAMPLE_COUNT_1_BIT);
    vulkan::Buffer buffer = device_.make_buffer(scenes::texture_size * scenes::texture_size * 8);
    device_.submit([&](VkCommandBuffer commands) {
      vulkan::transition(commands, image, undefined, target);
      VkDeviceSize at = 0;
      for (uint32_t n = 0; n < count; at += levels[n++].size()) {
        std::memcpy(buffer.bytes + at, levels[n].data(), levels[n].size());
        uint32_t side = uint32_t(scenes::texture_size) >> n;
        VkBufferImageCopy region{at, 0, 0, {colour_aspect, n, 0, 1}, {}, {side, side, 1}};
        vkCmdCopyBufferToImage(commands, buffer.handle, image.handle, target, 1, &region);
      }
      vulkan::transition(commands, image, target, sampled);
    });
    VkDevice device = device_.handle();
    VkSamplerCreateInfo sampling{};
    sampling.sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO;
    sampling.minFilter = sampling.magFilter = VK_FILTER_LINEAR;
    sampling.mipmapMode = VK_SAMPLER_MIPMAP_MODE_LINEAR;
    sampling.maxLod = VK_LOD_CLAMP_NONE;
    VkSampler sampler;
    check(vkCreateSampler(device, &sampling, nullptr, &sampler), "vkCreateSampler");
    device_.later([device, sampler] { vkDestroySampler(device, sampler, nullptr); });
    VkDescriptorPoolSize size{VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 1};
    VkDescriptorPoolCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO;
    info.maxSets = info.poolSizeCount = 1;
    info.pPoolSizes = &size;
    VkDescriptorPool pool;
    check(vkCreateDescriptorPool(device, &info, nullptr, &pool), "vkCreateDescriptorPool");
    device_.later([device, pool] { vkDestroyDescriptorPool(device, pool, nullptr); });
    VkDescriptorSetAllocateInfo allocation{};
    allocation.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO;
    allocation.descriptorPool = pool;
    allocation.descriptorSetCount = 1;
    allocation.pSetLayouts = &set_layout_;
    check(vkAllocateDescriptorSets(device, &allocation, &set_), "vkAllocateDescriptorSets");
    VkDescriptorImageInfo what{sampler, device_.make_view(image, colour_aspect, 0, 0, count), sampled};
    VkWriteDescriptorSet write{};
    write.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET;
    write.dstSet = set_;
    write.descriptorCount = 1;
    write.descriptorType = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER;
    write.pImageInfo = &what;
    vkUpdateDescriptorSets(device, 1, &write, 0, nullptr);
  }

  VkPipeline make_pipeline(Kind kind) {
    bool textured = kind == Kind::textured;
    vulkan::GraphicsPipeline state;
    state.add(VK_SHADER_STAGE_VERTEX_BIT, textured ? device_.make_shader(floor_vertices, sizeof floor_vertices)
                                                   : device_.make_shader(shaded_vertices, sizeof shaded_vertices));
    state.add(VK_SHADER_STAGE_FRAGMENT_BIT, textured ? device_.make_shader(floor_fragments, sizeof floor_fragments)
                                                     : device_.make_shader(shaded_fragments, sizeof shaded_fragments));
    state.assembly.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP;
    VkViewport whole{0, 0, width, height, 0, 1};
    VkRect2D scissor{{0, 0}, {width, height}};
    state.viewport.pViewports = &whole;
    state.viewport.pScissors = &scissor;
    state.target.blendEnable = kind != Kind::opaque;
    state.target.srcColorBlendFactor = state.target.srcAlphaBlendFactor = VK_BLEND_FACTOR_SRC_ALPHA;
    state.target.dstColorBlendFactor = state.target.dstAlphaBlendFactor = VK_BLEND_FACTOR_ONE_MINUS_SRC_ALPHA;
    return state.make(device_.handle(), layout_, pass_);
  }

  vulkan::Device& device_;
  vulkan::Image picture_;
  VkRenderPass pass_ = {};
  VkFramebuffer framebuffer_ = {};
  VkDescriptorSetLayout set_layout_ = {};
  VkPipelineLayout layout_ = {};
  VkDescriptorSet set_ = {};
  VkPipeline pipeline_ = {};
};

}  // namespace

int main(int argc, char** argv) {
  const std::pair<std::string, std::string> names[] = {
      {"vulkan-opaque", "20 smooth-shaded layers over the screen, in Vulkan: what is covered afterwards need not be drawn"},
      {"vulkan-blend", "20 layers, each blended over those before, in Vulkan"},
      {"vulkan-texture", "20 blended layers of a 512x512 texture in perspective, trilinear, in Vulkan"}};
  auto options = scenes::read_options(argc, argv, "vulkan_scenes", {std::begin(names), std::end(names)});
  Kind kind = options.scene == "vulkan-opaque" ? Kind::opaque : options.scene == "vulkan-blend" ? Kind::blended : Kind::textured;
  vulkan::Device device("vulkan_scenes");
  Layers drawn(device, kind);
  scenes::Running running{device.name(), [&](int) { drawn.draw(); }, [&] { return drawn.read_picture(); }};
  return scenes::measure(options, running);
}
