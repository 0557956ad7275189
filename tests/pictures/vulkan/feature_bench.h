// Shared parts of the cases of features: layered images of unsigned integers, passes over them, pipelines of the shaders
// feature.*.
#pragma once
#include "queue_bench.h"

namespace vulkan {

constexpr VkFormat kIntegers = VK_FORMAT_R8G8B8A8_UINT;

struct Layers {
  VkImage image = {};
  VkImageView view = {};  // of all
  VkFormat format = {};
  VkImageAspectFlags aspect = VK_IMAGE_ASPECT_COLOR_BIT;
  uint32_t count = 1;
  VkSampleCountFlagBits samples = VK_SAMPLE_COUNT_1_BIT;
};

// In the layout GENERAL.
Layers make_layers(Bench& b, VkFormat format, uint32_t count = 1, VkSampleCountFlagBits samples = VK_SAMPLE_COUNT_1_BIT);
// Every layer's bytes, one behind the other.
std::vector<uint32_t> read_layers(Bench& b, const Layers& layers);
// A line with the hash of each layer.
void layer_lines(Bench& b, const std::string& name, const Layers& layers);

VkShaderModule make_shader(Bench& b, const uint32_t* words, size_t bytes);

struct Place {
  float rectangle[4];  // corner and size in pixels
  float depths[2];
};

struct FeaturePipeline {
  VkShaderModule vertex = {}, geometry = {}, fragment = {};
  VkPipelineLayout layout = {};
  VkFormat colour = kIntegers, depth = VK_FORMAT_UNDEFINED;
  VkSampleCountFlagBits samples = VK_SAMPLE_COUNT_1_BIT;
  uint32_t views = 0, viewports = 1;
  bool clamps = false, biased = false, sample_shading = false;
  VkRenderPass pass = {};
  uint32_t subpass = 0;
};
VkPipelineLayout make_layout(Bench& b, VkDescriptorSetLayout set = {});
VkPipeline make_pipeline(Bench& b, const FeaturePipeline& parts);

// `instances` rectangles.
void draw(VkCommandBuffer commands, VkPipelineLayout layout, const Place& place, uint32_t instances = 1);
void whole_scissor(VkCommandBuffer commands, VkPipeline pipeline);

VkRenderingAttachmentInfo attachment(const Layers& layers, bool clears = true);
void pass_over(VkCommandBuffer commands, const VkRenderingAttachmentInfo* colour, const VkRenderingAttachmentInfo* depth,
               uint32_t layers, uint32_t views, const std::function<void()>& draws, const void* next = nullptr);

}  // namespace vulkan
