// Multiview, layers and viewports from any stage, descriptors of every way, depth clamp and bias, input attachments, subgroups in pixels.
#include "feature_cases.h"

#include <feature_array_pixels.h>
#include <feature_attachment_pixels.h>
#include <feature_geometry.h>
#include <feature_layer_pixels.h>
#include <feature_layer_vertices.h>
#include <feature_multisampled_pixels.h>
#include <feature_pixels.h>
#include <feature_sample_pixels.h>
#include <feature_subgroup_pixels.h>
#include <feature_texture_pixels.h>
#include <feature_uniform_pixels.h>
#include <feature_vertices.h>
#include <feature_view_pixels.h>
#include <feature_view_vertices.h>

#include <algorithm>
#include <array>
#include <cstring>

namespace vulkan {

namespace {

#define SHADER(b, words) make_shader(b, words, sizeof words)

VkDescriptorSetLayout make_set_layout(Bench& b, VkDescriptorType type, uint32_t count, VkDescriptorSetLayoutCreateFlags flags = 0,
                                      VkDescriptorBindingFlags binding_flags = 0) {
  VkDescriptorSetLayoutBinding binding{0, type, count, VK_SHADER_STAGE_FRAGMENT_BIT, nullptr};
  VkDescriptorSetLayoutBindingFlagsCreateInfo of_binding{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_BINDING_FLAGS_CREATE_INFO,
                                                         nullptr, 1, &binding_flags};
  VkDescriptorSetLayoutCreateInfo info{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, binding_flags ? &of_binding : nullptr,
                                       flags, 1, &binding};
  VkDescriptorSetLayout made;
  check(vkCreateDescriptorSetLayout(b.device, &info, nullptr, &made), "vkCreateDescriptorSetLayout");
  return made;
}

VkDescriptorSet make_set(Bench& b, VkDescriptorSetLayout layout, VkDescriptorType type, uint32_t count,
                         VkDescriptorPoolCreateFlags flags = 0) {
  VkDescriptorPoolSize size{type, count};
  VkDescriptorPoolInlineUniformBlockCreateInfo blocks{VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_INLINE_UNIFORM_BLOCK_CREATE_INFO, nullptr,
                                                      1};
  VkDescriptorPoolCreateInfo info{VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO, &blocks, flags, 1, 1, &size};
  VkDescriptorPool pool;
  check(vkCreateDescriptorPool(b.device, &info, nullptr, &pool), "vkCreateDescriptorPool");
  VkDescriptorSetAllocateInfo allocation{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO, nullptr, pool, 1, &layout};
  VkDescriptorSet made;
  check(vkAllocateDescriptorSets(b.device, &allocation, &made), "vkAllocateDescriptorSets");
  return made;
}

VkWriteDescriptorSet write_of(VkDescriptorSet set, VkDescriptorType type, uint32_t element = 0, uint32_t count = 1) {
  return {VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET, nullptr, set, 0, element, count, type};
}

using Pixel = std::array<uint8_t, 4>;

// One rectangle over all, by these pixels, each of which is to be as `expected` says; `before` binds what they read.
void whole_picture(Bench& b, const std::string& name, FeaturePipeline parts, const std::function<void(VkCommandBuffer)>& before,
                   const std::function<Pixel(uint32_t, uint32_t)>& expected) {
  const Layers target = make_layers(b, kIntegers);
  parts.vertex = SHADER(b, feature_vertices);
  const VkPipeline pipeline = make_pipeline(b, parts);
  const VkRenderingAttachmentInfo colour = attachment(target);
  b.run([&](VkCommandBuffer c) {
    pass_over(c, &colour, nullptr, 1, 0, [&] {
      whole_scissor(c, pipeline);
      before(c);
      draw(c, parts.layout, {{0, 0, kSize, kSize}, {0.5f, 0.5f}});
    });
  });
  const std::vector<uint32_t> pixels = read_layers(b, target);
  unsigned wrong = 0;
  for (uint32_t y = 0; y < kSize; y++)
    for (uint32_t x = 0; x < kSize; x++) {
      const Pixel wanted = expected(x, y);
      wrong += std::memcmp(&pixels[y * kSize + x], wanted.data(), 4) != 0;
    }
  b.fits(name, wrong == 0, std::to_string(wrong) + " pixels");
}

// Room for 64 descriptors of a type, of which some are written, while the set is bound as well.
struct LargeSet {
  VkDescriptorSetLayout layout = {};
  VkDescriptorSet set = {};
};
LargeSet make_large_set(Bench& b, VkDescriptorType type) {
  constexpr uint32_t kMany = 64;
  LargeSet large;
  large.layout = make_set_layout(b, type, kMany, VK_DESCRIPTOR_SET_LAYOUT_CREATE_UPDATE_AFTER_BIND_POOL_BIT,
                                 VK_DESCRIPTOR_BINDING_PARTIALLY_BOUND_BIT | VK_DESCRIPTOR_BINDING_UPDATE_AFTER_BIND_BIT);
  large.set = make_set(b, large.layout, type, kMany, VK_DESCRIPTOR_POOL_CREATE_UPDATE_AFTER_BIND_BIT);
  return large;
}

}  // namespace

void view_cases(Bench& b) {
  if (!b.features11.multiview) return;
  FeaturePipeline parts;
  parts.layout = make_layout(b);
  parts.vertex = SHADER(b, feature_view_vertices), parts.fragment = SHADER(b, feature_view_pixels);
  for (uint32_t views : {1u, 2u, 3u, 5u, 0xfu, 0x3cu}) {
    const Layers target = make_layers(b, kIntegers, 6);
    parts.views = views;
    const VkPipeline pipeline = make_pipeline(b, parts);
    const VkRenderingAttachmentInfo colour = attachment(target);
    b.run([&](VkCommandBuffer c) {
      // (so that layers which no view is of hold something)
      VkClearColorValue clear{};
      clear.uint32[2] = 50;
      const VkImageSubresourceRange all{VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 6};
      vkCmdClearColorImage(c, target.image, VK_IMAGE_LAYOUT_GENERAL, &clear, 1, &all);
      pass_over(c, &colour, nullptr, 1, views, [&] {
        whole_scissor(c, pipeline);
        draw(c, parts.layout, {{3, 5, 10, 20}, {0.5f, 0.5f}}, 3);
        VkClearAttachment attachments{VK_IMAGE_ASPECT_COLOR_BIT, 0, {}};
        attachments.clearValue.color.uint32[3] = 9;
        const VkClearRect rectangle{{{40, 40}, {8, 8}}, 0, 1};
        vkCmdClearAttachments(c, 1, &attachments, 1, &rectangle);
      });
    });
    layer_lines(b, "views " + std::to_string(views), target);
  }
}

void layer_cases(Bench& b) {
  auto layered = [&](const std::string& name, VkShaderModule vertex, VkShaderModule geometry) {
    FeaturePipeline parts;
    parts.layout = make_layout(b);
    parts.vertex = vertex, parts.geometry = geometry, parts.fragment = SHADER(b, feature_layer_pixels);
    parts.viewports = 2;
    const Layers target = make_layers(b, kIntegers, 3);
    const VkPipeline pipeline = make_pipeline(b, parts);
    const VkRenderingAttachmentInfo colour = attachment(target);
    b.run([&](VkCommandBuffer c) {
      pass_over(c, &colour, nullptr, 3, 0, [&] {
        whole_scissor(c, pipeline);
        const VkRect2D scissors[2] = {{{0, 0}, {30, kSize}}, {{40, 0}, {kSize - 40, kSize}}};
        vkCmdSetScissor(c, 0, 2, scissors);
        draw(c, parts.layout, {{3, 5, 44, 40}, {0.5f, 0.5f}}, geometry ? 2 : 6);
      });
    });
    layer_lines(b, name, target);
  };
  if (!b.features.multiViewport) return;
  if (b.features12.shaderOutputLayer && b.features12.shaderOutputViewportIndex)
    layered("layers, by vertices", SHADER(b, feature_layer_vertices), {});
  if (b.features.geometryShader)
    layered("layers, by a geometry shader", SHADER(b, feature_vertices), SHADER(b, feature_geometry));
}

void descriptor_cases(Bench& b) {
  uint32_t given[16];
  for (uint32_t n = 0; n < 16; n++) given[n] = n * 11 + 3;
  const auto of_block = [&](uint32_t x, uint32_t y) {
    const uint32_t* from = given + ((x ^ y) & 3) * 4;
    return Pixel{uint8_t(from[0]), uint8_t(from[1] + x), uint8_t(from[2] + y), uint8_t(from[3])};
  };
  const auto which = [](uint32_t x, uint32_t y) { return (x / 3 + y) % 8; };
  FeaturePipeline parts;
  parts.fragment = SHADER(b, feature_uniform_pixels);
  if (b.push_descriptors) {
    const VkDescriptorSetLayout set =
        make_set_layout(b, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 1, VK_DESCRIPTOR_SET_LAYOUT_CREATE_PUSH_DESCRIPTOR_BIT_KHR);
    parts.layout = make_layout(b, set);
    const Memory memory = b.make_memory(sizeof given);
    std::memcpy(memory.words, given, sizeof given);
    auto push = b.extension<PFN_vkCmdPushDescriptorSetKHR>("vkCmdPushDescriptorSetKHR");
    whole_picture(
        b, "descriptors, pushed", parts,
        [&](VkCommandBuffer c) {
          const VkDescriptorBufferInfo buffer{memory.buffer, 0, VK_WHOLE_SIZE};
          VkWriteDescriptorSet write = write_of({}, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER);
          write.pBufferInfo = &buffer;
          push(c, VK_PIPELINE_BIND_POINT_GRAPHICS, parts.layout, 0, 1, &write);
        },
        of_block);
  }
  if (b.features13.inlineUniformBlock) {
    const VkDescriptorSetLayout set = make_set_layout(b, VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK, sizeof given);
    parts.layout = make_layout(b, set);
    const VkDescriptorSet block = make_set(b, set, VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK, sizeof given);
    const VkWriteDescriptorSetInlineUniformBlock bytes{VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET_INLINE_UNIFORM_BLOCK, nullptr,
                                                       sizeof given, given};
    VkWriteDescriptorSet write = write_of(block, VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK, 0, sizeof given);
    write.pNext = &bytes;
    vkUpdateDescriptorSets(b.device, 1, &write, 0, nullptr);
    whole_picture(
        b, "descriptors, an inline block", parts,
        [&](VkCommandBuffer c) {
          vkCmdBindDescriptorSets(c, VK_PIPELINE_BIND_POINT_GRAPHICS, parts.layout, 0, 1, &block, 0, nullptr);
        },
        of_block);
  }
  const VkPhysicalDeviceVulkan12Features& f = b.features12;
  if (!f.runtimeDescriptorArray || !f.descriptorBindingPartiallyBound) return;
  if (f.shaderStorageBufferArrayNonUniformIndexing && f.descriptorBindingStorageBufferUpdateAfterBind) {
    const VkDescriptorType type = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
    const LargeSet large = make_large_set(b, type);
    for (uint32_t n = 0; n < 8; n++) {
      const Memory memory = b.make_memory(512 + n * 256);
      for (uint32_t k = 0; k < 128; k++) memory.words[k] = n * 20 + k;
      const VkDescriptorBufferInfo buffer{memory.buffer, 0, 256 + n * 64};
      VkWriteDescriptorSet write = write_of(large.set, type, n);
      write.pBufferInfo = &buffer;
      vkUpdateDescriptorSets(b.device, 1, &write, 0, nullptr);
    }
    parts.layout = make_layout(b, large.layout), parts.fragment = SHADER(b, feature_array_pixels);
    whole_picture(
        b, "descriptors, buffers by an index of each pixel's", parts,
        [&](VkCommandBuffer c) {
          vkCmdBindDescriptorSets(c, VK_PIPELINE_BIND_POINT_GRAPHICS, parts.layout, 0, 1, &large.set, 0, nullptr);
        },
        [&](uint32_t x, uint32_t y) {
          const uint32_t n = which(x, y);
          return Pixel{uint8_t(n * 20 + x), uint8_t(n), uint8_t(64 + n * 16), 1};
        });
  }
  if (f.shaderSampledImageArrayNonUniformIndexing && f.descriptorBindingSampledImageUpdateAfterBind) {
    const VkDescriptorType type = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER;
    const LargeSet large = make_large_set(b, type);
    VkSamplerCreateInfo info{VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO};
    VkSampler sampler;
    check(vkCreateSampler(b.device, &info, nullptr, &sampler), "vkCreateSampler");
    for (uint32_t n = 0; n < 8; n++) {
      const Layers texture = make_layers(b, kIntegers);
      b.run([&](VkCommandBuffer c) {
        VkClearColorValue clear{};
        for (uint32_t k = 0; k < 4; k++) clear.uint32[k] = n * 30 + k;
        const VkImageSubresourceRange all{VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
        vkCmdClearColorImage(c, texture.image, VK_IMAGE_LAYOUT_GENERAL, &clear, 1, &all);
      });
      const VkDescriptorImageInfo image{sampler, texture.view, VK_IMAGE_LAYOUT_GENERAL};
      VkWriteDescriptorSet write = write_of(large.set, type, n);
      write.pImageInfo = &image;
      vkUpdateDescriptorSets(b.device, 1, &write, 0, nullptr);
    }
    parts.layout = make_layout(b, large.layout), parts.fragment = SHADER(b, feature_texture_pixels);
    whole_picture(
        b, "descriptors, textures by an index of each pixel's", parts,
        [&](VkCommandBuffer c) {
          vkCmdBindDescriptorSets(c, VK_PIPELINE_BIND_POINT_GRAPHICS, parts.layout, 0, 1, &large.set, 0, nullptr);
        },
        [&](uint32_t x, uint32_t y) {
          const uint8_t first = uint8_t(which(x, y) * 30);
          return Pixel{first, uint8_t(first + 1), uint8_t(first + 2), uint8_t(first + 3)};
        });
  }
  if (b.subgroups_in_pixels) {
    parts.layout = make_layout(b), parts.fragment = SHADER(b, feature_subgroup_pixels);
    whole_picture(
        b, "subgroups in pixels", parts, [](VkCommandBuffer) {},
        [](uint32_t x, uint32_t y) { return Pixel{0x7f, uint8_t(x ^ 1), uint8_t(y ^ 1), uint8_t((x ^ 1) + (y ^ 1))}; });
  }
}

void depth_cases(Bench& b) {
  const struct {
    const char* name;
    float left, right;
    bool clamps;
    float constant, clamp, slope;
  } kCases[] = {{"inside", 0.25f, 0.75f, false, 0, 0, 0},
                {"cut at both planes", -0.5f, 1.5f, false, 0, 0, 0},
                {"clamped at both planes", -0.5f, 1.5f, true, 0, 0, 0},
                {"biased", 0.5f, 0.5f, false, 1024, 0, 0},
                {"biased by less", 0.75f, 0.75f, false, -333, 0, 0},
                {"a bias that is clamped", 0.5f, 0.5f, false, 65536, 0.0009765625f, 0},
                {"biased by the slope", 0.25f, 0.5f, false, 0, 0, 2}};
  for (const auto& one : kCases) {
    if ((one.clamps && !b.features.depthClamp) || (one.clamp != 0 && !b.features.depthBiasClamp)) continue;
    FeaturePipeline parts;
    parts.layout = make_layout(b);
    parts.vertex = SHADER(b, feature_vertices), parts.fragment = SHADER(b, feature_pixels);
    parts.depth = VK_FORMAT_D32_SFLOAT;
    parts.clamps = one.clamps, parts.biased = one.constant != 0 || one.slope != 0;
    const Layers target = make_layers(b, kIntegers), depths = make_layers(b, VK_FORMAT_D32_SFLOAT);
    const VkPipeline pipeline = make_pipeline(b, parts);
    const VkRenderingAttachmentInfo colour = attachment(target), depth = attachment(depths);
    b.run([&](VkCommandBuffer c) {
      pass_over(c, &colour, &depth, 1, 0, [&] {
        whole_scissor(c, pipeline);
        vkCmdSetDepthBias(c, one.constant, one.clamp, one.slope);
        draw(c, parts.layout, {{0, 8, 64, 16}, {one.left, one.right}});
      });
    });
    layer_lines(b, std::string("depth, ") + one.name + ", pixels", target);
    // In steps of 2^-16, which no rounding on the way there reaches.
    std::vector<uint32_t> words = read_layers(b, depths);
    for (uint32_t& word : words) {
      float value;
      std::memcpy(&value, &word, 4);
      word = uint32_t(value * 65536 + 0.25f);
    }
    b.line(std::string("depth, ") + one.name, hash(words.data(), words.size() * 4));
  }
}

// A pass of two subpasses, the second of which reads what the first drew.
void attachment_cases(Bench& b) {
  for (VkSampleCountFlagBits samples : {VK_SAMPLE_COUNT_1_BIT, VK_SAMPLE_COUNT_4_BIT}) {
    const bool many = samples != VK_SAMPLE_COUNT_1_BIT;
    if (many && !b.features.sampleRateShading) continue;
    const Layers first = make_layers(b, kIntegers, 1, samples), second = make_layers(b, kIntegers, 1, samples);
    const Layers shown = make_layers(b, kIntegers);
    VkAttachmentDescription attachments[3]{};
    for (uint32_t n = 0; n < 3; n++) {
      attachments[n].format = kIntegers;
      attachments[n].samples = n < 2 ? samples : VK_SAMPLE_COUNT_1_BIT;
      attachments[n].loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR;
      attachments[n].initialLayout = attachments[n].finalLayout = VK_IMAGE_LAYOUT_GENERAL;
    }
    const VkAttachmentReference targets[3] = {
        {0, VK_IMAGE_LAYOUT_GENERAL}, {1, VK_IMAGE_LAYOUT_GENERAL}, {2, VK_IMAGE_LAYOUT_GENERAL}};
    VkSubpassDescription passes[2]{};
    for (uint32_t n = 0; n < 2; n++) passes[n].colorAttachmentCount = 1, passes[n].pColorAttachments = &targets[n];
    passes[1].inputAttachmentCount = 1, passes[1].pInputAttachments = &targets[0];
    if (many) passes[1].pResolveAttachments = &targets[2];
    const VkSubpassDependency between{0,
                                      1,
                                      VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT,
                                      VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT,
                                      VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT,
                                      VK_ACCESS_INPUT_ATTACHMENT_READ_BIT,
                                      VK_DEPENDENCY_BY_REGION_BIT};
    const uint32_t count = many ? 3 : 2;
    VkRenderPassCreateInfo info{
        VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO, nullptr, 0, count, attachments, 2, passes, 1, &between};
    VkRenderPass pass;
    check(vkCreateRenderPass(b.device, &info, nullptr, &pass), "vkCreateRenderPass");
    const VkImageView views[3] = {first.view, second.view, shown.view};
    VkFramebufferCreateInfo frame_info{
        VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO, nullptr, 0, pass, count, views, kSize, kSize, 1};
    VkFramebuffer frame;
    check(vkCreateFramebuffer(b.device, &frame_info, nullptr, &frame), "vkCreateFramebuffer");

    FeaturePipeline parts;
    parts.layout = make_layout(b);
    parts.samples = samples, parts.sample_shading = many;
    parts.vertex = SHADER(b, feature_vertices);
    parts.fragment = many ? SHADER(b, feature_sample_pixels) : SHADER(b, feature_pixels);
    parts.pass = pass;
    const VkPipeline writes = make_pipeline(b, parts);
    const VkDescriptorSetLayout layout = make_set_layout(b, VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT, 1);
    const VkDescriptorSet set = make_set(b, layout, VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT, 1);
    const VkDescriptorImageInfo image{{}, first.view, VK_IMAGE_LAYOUT_GENERAL};
    VkWriteDescriptorSet write = write_of(set, VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT);
    write.pImageInfo = &image;
    vkUpdateDescriptorSets(b.device, 1, &write, 0, nullptr);
    FeaturePipeline reader = parts;
    reader.layout = make_layout(b, layout);
    reader.fragment = many ? SHADER(b, feature_multisampled_pixels) : SHADER(b, feature_attachment_pixels);
    reader.subpass = 1;
    const VkPipeline reads = make_pipeline(b, reader);
    b.run([&](VkCommandBuffer c) {
      VkClearValue clears[3]{};
      clears[0].color.uint32[1] = 40, clears[1].color.uint32[2] = 60;
      VkRenderPassBeginInfo begin{
          VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO, nullptr, pass, frame, {{0, 0}, {kSize, kSize}}, 3, clears};
      vkCmdBeginRenderPass(c, &begin, VK_SUBPASS_CONTENTS_INLINE);
      whole_scissor(c, writes);
      draw(c, parts.layout, {{4, 6, 12, 40}, {0.5f, 0.5f}}, 3);
      vkCmdNextSubpass(c, VK_SUBPASS_CONTENTS_INLINE);
      whole_scissor(c, reads);
      vkCmdBindDescriptorSets(c, VK_PIPELINE_BIND_POINT_GRAPHICS, reader.layout, 0, 1, &set, 0, nullptr);
      draw(c, reader.layout, {{8, 2, 20, 50}, {0.5f, 0.5f}}, 2);
      vkCmdEndRenderPass(c);
    });
    layer_lines(b, many ? "attachments, read by sample, sample 0" : "attachments, read", many ? shown : second);
  }
}

// The ways in which samples become one, by colour and by depth.
void resolve_cases(Bench& b) {
  VkPhysicalDeviceDepthStencilResolveProperties modes{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DEPTH_STENCIL_RESOLVE_PROPERTIES};
  VkPhysicalDeviceProperties2 properties{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &modes};
  vkGetPhysicalDeviceProperties2(b.physical, &properties);
  const struct {
    const char* name;
    VkResolveModeFlagBits mode;
  } kModes[] = {
      {"sample 0", VK_RESOLVE_MODE_SAMPLE_ZERO_BIT}, {"least", VK_RESOLVE_MODE_MIN_BIT}, {"greatest", VK_RESOLVE_MODE_MAX_BIT}};
  FeaturePipeline parts;
  parts.layout = make_layout(b);
  parts.vertex = SHADER(b, feature_vertices), parts.fragment = SHADER(b, feature_pixels);
  parts.samples = VK_SAMPLE_COUNT_4_BIT;
  parts.depth = VK_FORMAT_D32_SFLOAT;
  const VkPipeline pipeline = make_pipeline(b, parts);
  for (const auto& one : kModes) {
    if (!(modes.supportedDepthResolveModes & one.mode)) continue;
    const Layers many = make_layers(b, kIntegers, 1, parts.samples), depths = make_layers(b, parts.depth, 1, parts.samples);
    const Layers shown = make_layers(b, kIntegers), depth_shown = make_layers(b, parts.depth);
    VkRenderingAttachmentInfo colour = attachment(many), depth = attachment(depths);
    // Integers have no average.
    colour.resolveMode = VK_RESOLVE_MODE_SAMPLE_ZERO_BIT, colour.resolveImageView = shown.view;
    depth.resolveMode = one.mode, depth.resolveImageView = depth_shown.view;
    colour.resolveImageLayout = depth.resolveImageLayout = VK_IMAGE_LAYOUT_GENERAL;
    b.run([&](VkCommandBuffer c) {
      pass_over(c, &colour, &depth, 1, 0, [&] {
        whole_scissor(c, pipeline);
        // Edges between samples.
        draw(c, parts.layout, {{3.5f, 5.5f, 10.5f, 20.5f}, {0.25f, 0.25f}}, 2);
        draw(c, parts.layout, {{9.5f, 9.5f, 30.0f, 40.5f}, {0.75f, 0.75f}});
      });
    });
    if (&one == kModes) layer_lines(b, "resolves, colour, sample 0", shown);
    // Vulkan's standard places of four samples, in eighths of a pixel. Both rectangles of the first draw are seen through by the second.
    constexpr int kPlaces[4][2] = {{3, 1}, {7, 3}, {1, 5}, {5, 7}};
    const std::vector<uint32_t> words = read_layers(b, depth_shown);
    unsigned wrong = 0;
    for (uint32_t y = 0; y < kSize; y++)
      for (uint32_t x = 0; x < kSize; x++) {
        float found, of[4];
        for (int n = 0; n < 4; n++) {
          const float at_x = float(x) + float(kPlaces[n][0]) / 8, at_y = float(y) + float(kPlaces[n][1]) / 8;
          auto inside = [&](float left, float top, float width, float height) {
            return at_x > left && at_x < left + width && at_y > top && at_y < top + height;
          };
          of[n] = inside(9.5f, 9.5f, 30, 40.5f) ? 0.75f : inside(3.5f, 5.5f, 21, 20.5f) ? 0.25f : 1.0f;
        }
        std::memcpy(&found, &words[y * kSize + x], 4);
        wrong += found != (one.mode == VK_RESOLVE_MODE_SAMPLE_ZERO_BIT ? of[0]
                           : one.mode == VK_RESOLVE_MODE_MIN_BIT       ? *std::min_element(of, of + 4)
                                                                       : *std::max_element(of, of + 4));
      }
    b.fits(std::string("resolves, depth, ") + one.name, wrong == 0, std::to_string(wrong) + " pixels");
  }
}

// Blocks through an image of their format and one of integers of the same size come back as they were.
void block_copy_cases(Bench& b) {
  const struct {
    const char* name;
    VkFormat format, integers;
    uint32_t bytes, width, height;
  } kFormats[] = {{"BC1", VK_FORMAT_BC1_RGBA_UNORM_BLOCK, VK_FORMAT_R32G32_UINT, 8, 4, 4},
                  {"BC2", VK_FORMAT_BC2_UNORM_BLOCK, VK_FORMAT_R32G32B32A32_UINT, 16, 4, 4},
                  {"BC3", VK_FORMAT_BC3_SRGB_BLOCK, VK_FORMAT_R32G32B32A32_UINT, 16, 4, 4},
                  {"BC4", VK_FORMAT_BC4_SNORM_BLOCK, VK_FORMAT_R32G32_UINT, 8, 4, 4},
                  {"BC5", VK_FORMAT_BC5_UNORM_BLOCK, VK_FORMAT_R32G32B32A32_UINT, 16, 4, 4},
                  {"BC6H", VK_FORMAT_BC6H_UFLOAT_BLOCK, VK_FORMAT_R32G32B32A32_UINT, 16, 4, 4},
                  {"BC7", VK_FORMAT_BC7_UNORM_BLOCK, VK_FORMAT_R32G32B32A32_UINT, 16, 4, 4},
                  {"ETC2", VK_FORMAT_ETC2_R8G8B8_UNORM_BLOCK, VK_FORMAT_R32G32_UINT, 8, 4, 4},
                  {"EAC", VK_FORMAT_EAC_R11G11_UNORM_BLOCK, VK_FORMAT_R32G32B32A32_UINT, 16, 4, 4},
                  {"ASTC 8x5", VK_FORMAT_ASTC_8x5_UNORM_BLOCK, VK_FORMAT_R32G32B32A32_UINT, 16, 8, 5}};
  constexpr uint32_t columns = 9, rows = 7;
  for (const auto& f : kFormats) {
    VkFormatProperties properties;
    vkGetPhysicalDeviceFormatProperties(b.physical, f.format, &properties);
    if (!(properties.optimalTilingFeatures & VK_FORMAT_FEATURE_TRANSFER_DST_BIT)) continue;
    const VkImageUsageFlags usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
    const VkExtent2D size{columns * f.width - 1, rows * f.height - 2};
    const Picture blocks = b.make_picture(f.format, size, usage, VK_SAMPLE_COUNT_1_BIT, VK_IMAGE_ASPECT_COLOR_BIT),
                  words = b.make_picture(f.integers, {columns, rows}, usage, VK_SAMPLE_COUNT_1_BIT, VK_IMAGE_ASPECT_COLOR_BIT);
    const Memory in = b.make_memory(columns * rows * f.bytes), out = b.make_memory(in.bytes);
    for (uint32_t n = 0; n < in.bytes / 4; n++) in.words[n] = n * 2654435761u;
    constexpr VkImageSubresourceLayers kLayer{VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
    b.run([&](VkCommandBuffer c) {
      VkImageMemoryBarrier barriers[2];
      for (int n = 0; n < 2; n++)
        barriers[n] = {VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
                       nullptr,
                       0,
                       VK_ACCESS_MEMORY_WRITE_BIT,
                       VK_IMAGE_LAYOUT_UNDEFINED,
                       VK_IMAGE_LAYOUT_GENERAL,
                       VK_QUEUE_FAMILY_IGNORED,
                       VK_QUEUE_FAMILY_IGNORED,
                       n ? words.image : blocks.image,
                       {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1}};
      vkCmdPipelineBarrier(c, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, nullptr, 0, nullptr,
                           2, barriers);
      const VkBufferImageCopy whole{0, 0, 0, kLayer, {0, 0, 0}, {size.width, size.height, 1}};
      vkCmdCopyBufferToImage(c, in.buffer, blocks.image, VK_IMAGE_LAYOUT_GENERAL, 1, &whole);
      full_barrier(c);
      const VkImageCopy across{kLayer, {0, 0, 0}, kLayer, {0, 0, 0}, {size.width, size.height, 1}};
      vkCmdCopyImage(c, blocks.image, VK_IMAGE_LAYOUT_GENERAL, words.image, VK_IMAGE_LAYOUT_GENERAL, 1, &across);
      full_barrier(c);
      const VkBufferImageCopy back{0, 0, 0, kLayer, {0, 0, 0}, {columns, rows, 1}};
      vkCmdCopyImageToBuffer(c, words.image, VK_IMAGE_LAYOUT_GENERAL, out.buffer, 1, &back);
    });
    b.fits(std::string("blocks, ") + f.name + ", to integers", std::equal(in.words, in.words + in.bytes / 4, out.words));
  }
}

}  // namespace vulkan
