// The state of a graphics pipeline with what most draws want: triangles over one viewport, one sample, one target written as it comes. A
// program changes what it tries and makes the pipeline.
#pragma once
#include <vector>

#include "device.h"

namespace vulkan {

struct GraphicsPipeline {
  std::vector<VkPipelineShaderStageCreateInfo> stages;
  VkPipelineVertexInputStateCreateInfo input{};
  VkPipelineInputAssemblyStateCreateInfo assembly{};
  VkPipelineTessellationStateCreateInfo tessellation{};  // where there are points of patches
  VkPipelineViewportStateCreateInfo viewport{};          // one of each; they are dynamic, or their places are given
  VkPipelineRasterizationStateCreateInfo raster{};
  VkPipelineMultisampleStateCreateInfo multisample{};
  VkPipelineDepthStencilStateCreateInfo depth{};
  VkPipelineColorBlendAttachmentState target{};
  std::vector<VkDynamicState> dynamic;

  GraphicsPipeline();
  // VK_NULL_HANDLE: there is no such stage.
  void add(VkShaderStageFlagBits stage, VkShaderModule module);
  // `next`: behind the pipeline's own structure (of passes without a VkRenderPass).
  VkPipeline make(VkDevice device, VkPipelineLayout layout, VkRenderPass pass, const void* next = nullptr, uint32_t subpass = 0,
                  VkPipelineCreateFlags flags = 0) const;
};

VkPipelineShaderStageCreateInfo shader_stage(VkShaderStageFlagBits stage, VkShaderModule module);

}  // namespace vulkan
