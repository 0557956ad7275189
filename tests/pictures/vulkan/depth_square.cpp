#include "depth_square.h"

#include <cstdio>
#include <cstring>

#include "../sheet_page.h"
#include "graphics_pipeline.h"
#include "look_compared.h"
#include "look_depth.h"
#include "look_multisample.h"
#include "look_stencil.h"
#include "paint_discards.h"
#include "paint_plain.h"
#include "paint_writes_depth.h"
#include "quad_vertices.h"

namespace vulkan {
namespace {

// Images are larger than what the sheet shows of them: depth metadata comes with images of more than one macro tile only.
constexpr uint32_t shown = sheet::inside, size = 4 * shown;
constexpr VkFormat colour_format = VK_FORMAT_R8G8B8A8_UNORM;
constexpr VkImageAspectFlags depth_aspect = VK_IMAGE_ASPECT_DEPTH_BIT, stencil_aspect = VK_IMAGE_ASPECT_STENCIL_BIT;
constexpr VkImageLayout undefined = VK_IMAGE_LAYOUT_UNDEFINED, source = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
                        target = VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, attachment = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL;

VkImageAspectFlags aspects_of(VkFormat format) {
  switch (format) {
    case VK_FORMAT_S8_UINT: return stencil_aspect;
    case VK_FORMAT_D16_UNORM:
    case VK_FORMAT_X8_D24_UNORM_PACK32:
    case VK_FORMAT_D32_SFLOAT: return depth_aspect;
    default: return depth_aspect | stencil_aspect;
  }
}

// Any two values differ visibly.
void show_stencil(uint8_t value, uint8_t* pixel) {
  pixel[0] = uint8_t((value & 7) * 255 / 7);
  pixel[1] = uint8_t((value >> 3 & 7) * 255 / 7);
  pixel[2] = uint8_t((value >> 6) * 255 * 2 / 7);
}

enum class Shader { plain, discards, writes_depth, look_depth, look_compared, look_stencil, look_multisample };
static_assert(int(Shader::writes_depth) == int(Paint::writes_depth));

class Drawing {
public:
  Drawing(Device& device, const Square& square, VkFormat format)
      : device_(device), square_(square), samples_(square.multisample ? VK_SAMPLE_COUNT_4_BIT : VK_SAMPLE_COUNT_1_BIT) {
    extent_ = size >> square.drawn_level;
    depth_ = device.make_image(format, aspects_of(format),
                               VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT |
                                   VK_IMAGE_USAGE_TRANSFER_DST_BIT | VK_IMAGE_USAGE_SAMPLED_BIT,
                               {size, size}, square.layers, square.levels, samples_);
    depth_view_ = device.make_view(depth_, depth_.aspects, square.drawn_layer, square.drawn_level);
    attached_ = square.general ? VK_IMAGE_LAYOUT_GENERAL : VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL;
    constexpr auto usage =
        VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
    colour_ = device.make_image(colour_format, VK_IMAGE_ASPECT_COLOR_BIT, usage, {extent_, extent_}, 1, 1, samples_);
    colour_view_ = device.make_view(colour_, VK_IMAGE_ASPECT_COLOR_BIT, 0, 0);
    picture_ = square.multisample ? device.make_image(colour_format, VK_IMAGE_ASPECT_COLOR_BIT, usage, {extent_, extent_}, 1, 1,
                                                      VK_SAMPLE_COUNT_1_BIT)
                                  : colour_;
    picture_view_ = square.multisample ? device.make_view(picture_, VK_IMAGE_ASPECT_COLOR_BIT, 0, 0) : colour_view_;
    make_layout();
    render_pass_ = make_render_pass(false, true);
    clearing_pass_ = make_render_pass(true, true);
    look_pass_ = make_render_pass(false, false);
  }

  std::vector<uint8_t> run() {
    device_.submit([&](VkCommandBuffer commands) {
      clear_all(commands);
      for (const Pass& pass : square_.passes) record(commands, pass);
    });
    switch (square_.show) {
      case Show::colour: resolve(); break;
      case Show::depth: return copy_aspect(depth_aspect);
      case Show::stencil: return copy_aspect(stencil_aspect);
      default: look(); break;
    }
    return copy_colours();
  }

private:
  // Every layer and level starts as 0.75 and 0x2a, the colours as grey: what a draw should not reach shows so.
  void clear_all(VkCommandBuffer commands) {
    transition(commands, depth_, undefined, target);
    clear_depth(commands, 0.75f, 0x2a, depth_.aspects, {depth_.aspects, 0, square_.levels, 0, square_.layers});
    transition(commands, depth_, target, attached_);
    VkImageSubresourceRange whole{VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
    VkClearColorValue grey{{0.25f, 0.25f, 0.25f, 1}};
    for (const Image* image : {&colour_, &picture_}) {
      transition(commands, *image, undefined, target);
      vkCmdClearColorImage(commands, image->handle, target, &grey, 1, &whole);
      transition(commands, *image, target, attachment);
      if (!square_.multisample) break;
    }
  }

  void clear_depth(VkCommandBuffer commands, float depth, uint32_t stencil, VkImageAspectFlags aspects,
                   VkImageSubresourceRange range) {
    range.aspectMask = aspects & depth_.aspects;
    VkClearDepthStencilValue value{depth, stencil};
    vkCmdClearDepthStencilImage(commands, depth_.handle, target, &value, 1, &range);
  }

  void record(VkCommandBuffer commands, const Pass& pass) {
    if (pass.clear == Clear::by_command) {
      transition(commands, depth_, attached_, target);
      clear_depth(commands, pass.depth, pass.stencil, pass.aspects, {0, square_.drawn_level, 1, square_.drawn_layer, 1});
      transition(commands, depth_, target, attached_);
    }
    begin(commands, pass.clear == Clear::by_load ? make_render_pass_of(pass) : render_pass_, true, pass.depth, pass.stencil);
    if (pass.clear == Clear::by_attachments) {
      VkClearAttachment what{};
      what.aspectMask = pass.aspects & depth_.aspects;
      what.clearValue.depthStencil = {pass.depth, pass.stencil};
      VkClearRect where{{{int32_t(extent_ / 8 + 1), int32_t(extent_ / 4)}, {extent_ / 2, extent_ / 3}}, 0, 1};
      vkCmdClearAttachments(commands, 1, &what, 1, &where);
    }
    for (const Draw& draw : pass.draws) record(commands, draw);
    vkCmdEndRenderPass(commands);
    transition(commands, depth_, attached_, attached_);
  }

  void begin(VkCommandBuffer commands, VkRenderPass pass, bool with_depth, float depth, uint32_t stencil) {
    VkImageView views[] = {with_depth ? colour_view_ : picture_view_, depth_view_};
    VkFramebufferCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO;
    info.renderPass = pass;
    info.attachmentCount = with_depth ? 2 : 1;
    info.pAttachments = views;
    info.width = info.height = extent_;
    info.layers = 1;
    VkFramebuffer framebuffer;
    check(vkCreateFramebuffer(device_.handle(), &info, nullptr, &framebuffer), "vkCreateFramebuffer");
    device_.later([device = device_.handle(), framebuffer] { vkDestroyFramebuffer(device, framebuffer, nullptr); });
    VkClearValue clears[2] = {};
    clears[1].depthStencil = {depth, stencil};
    VkRenderPassBeginInfo begin{};
    begin.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO;
    begin.renderPass = pass;
    begin.framebuffer = framebuffer;
    begin.renderArea.extent = {extent_, extent_};
    begin.clearValueCount = 2;
    begin.pClearValues = clears;
    vkCmdBeginRenderPass(commands, &begin, VK_SUBPASS_CONTENTS_INLINE);
  }

  void record(VkCommandBuffer commands, const Draw& draw) {
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline_of(draw, render_pass_, Shader(draw.paint), samples_));
    VkViewport viewport{0, 0, float(extent_), float(extent_), draw.range[0], draw.range[1]};
    VkRect2D scissor{{0, 0}, {extent_, extent_}};
    vkCmdSetViewport(commands, 0, 1, &viewport);
    vkCmdSetScissor(commands, 0, 1, &scissor);
    vkCmdSetDepthBias(commands, draw.bias[0], draw.bias[1], draw.bias[2]);
    vkCmdSetStencilReference(commands, VK_STENCIL_FACE_FRONT_BIT, draw.front.reference);
    vkCmdSetStencilReference(commands, VK_STENCIL_FACE_BACK_BIT, draw.back.reference);
    float words[12];
    std::memcpy(words, draw.rectangle.data(), 16);
    std::memcpy(words + 4, draw.depths.data(), 16);
    std::memcpy(words + 8, draw.colour.data(), 16);
    vkCmdPushConstants(commands, layout_, VK_SHADER_STAGE_VERTEX_BIT, 0, sizeof words, words);
    vkCmdDraw(commands, 6, 1, 0, 0);
  }

  // The depth or stencil image as a texture of a pass that draws to the picture alone.
  void look() {
    bool stencil = square_.show == Show::sampled_stencil;
    VkImageAspectFlags aspect = stencil ? stencil_aspect : depth_aspect;
    VkImageLayout layout = square_.general ? VK_IMAGE_LAYOUT_GENERAL : VK_IMAGE_LAYOUT_DEPTH_STENCIL_READ_ONLY_OPTIMAL;
    Shader shader = stencil                          ? Shader::look_stencil
                    : square_.show == Show::compared ? Shader::look_compared
                    : square_.multisample            ? Shader::look_multisample
                                                     : Shader::look_depth;
    VkDescriptorSet set = make_set(device_.make_view(depth_, aspect, square_.shown_layer, square_.shown_level), layout);
    Draw draw{.depths = {}, .colour = {1, 1, 1, 1}, .test = false, .write = false};
    VkPipeline pipeline = pipeline_of(draw, look_pass_, shader, VK_SAMPLE_COUNT_1_BIT);
    device_.submit([&](VkCommandBuffer commands) {
      transition(commands, depth_, attached_, layout);
      begin(commands, look_pass_, false, 0, 0);
      vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
      vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, layout_, 0, 1, &set, 0, nullptr);
      VkViewport viewport{0, 0, float(extent_), float(extent_), 0, 1};
      VkRect2D scissor{{0, 0}, {extent_, extent_}};
      vkCmdSetViewport(commands, 0, 1, &viewport);
      vkCmdSetScissor(commands, 0, 1, &scissor);
      vkCmdSetDepthBias(commands, 0, 0, 0);
      vkCmdSetStencilReference(commands, VK_STENCIL_FACE_FRONT_AND_BACK, 0);
      float words[12] = {-1, -1, 1, 1};
      vkCmdPushConstants(commands, layout_, VK_SHADER_STAGE_VERTEX_BIT, 0, sizeof words, words);
      vkCmdDraw(commands, 6, 1, 0, 0);
      vkCmdEndRenderPass(commands);
    });
  }

  void resolve() {
    if (!square_.multisample) return;
    device_.submit([&](VkCommandBuffer commands) {
      transition(commands, colour_, attachment, source);
      transition(commands, picture_, attachment, target);
      VkImageSubresourceLayers layer{VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
      VkImageResolve region{layer, {}, layer, {}, {extent_, extent_, 1}};
      vkCmdResolveImage(commands, colour_.handle, source, picture_.handle, target, 1, &region);
      transition(commands, picture_, target, attachment);
    });
  }

  Buffer copy(const Image& image, VkImageLayout layout, VkImageAspectFlags aspect, uint32_t layer, uint32_t level,
              uint32_t extent) {
    Buffer buffer = device_.make_buffer(size * size * 4);
    device_.submit([&](VkCommandBuffer commands) {
      transition(commands, image, layout, source);
      VkBufferImageCopy region{0, 0, 0, {aspect, level, layer, 1}, {}, {extent, extent, 1}};
      vkCmdCopyImageToBuffer(commands, image.handle, source, buffer.handle, 1, &region);
    });
    return buffer;
  }

  // `pixel(i, rgba)` for each pixel that the sheet shows: every fourth of an image's, or as many times fewer as a level is
  // smaller.
  template <class Pixel>
  static std::vector<uint8_t> reduce(uint32_t extent, Pixel pixel) {
    std::vector<uint8_t> rgba(shown * shown * 4, 255);
    for (uint32_t y = 0; y < shown; y++)
      for (uint32_t x = 0; x < shown; x++)
        pixel(size_t(y * extent / shown * extent + x * extent / shown), &rgba[(y * shown + x) * 4]);
    return rgba;
  }

  std::vector<uint8_t> copy_colours() {
    Buffer buffer = copy(picture_, attachment, VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, extent_);
    return reduce(extent_, [&](size_t i, uint8_t* pixel) { std::memcpy(pixel, buffer.bytes + i * 4, 4); });
  }

  std::vector<uint8_t> copy_aspect(VkImageAspectFlags aspect) {
    uint32_t extent = size >> square_.shown_level;
    Buffer buffer = copy(depth_, attached_, aspect, square_.shown_layer, square_.shown_level, extent);
    return reduce(extent, [&](size_t i, uint8_t* pixel) {
      if (aspect == stencil_aspect) return show_stencil(buffer.bytes[i], pixel);
      float depth;
      if (depth_.format == VK_FORMAT_D16_UNORM || depth_.format == VK_FORMAT_D16_UNORM_S8_UINT) {
        uint16_t value;
        std::memcpy(&value, buffer.bytes + i * 2, 2);
        depth = float(value) / 65535;
      } else {
        std::memcpy(&depth, buffer.bytes + i * 4, 4);
      }
      // Beyond 0 and 1, where no format should let a value come, it is red.
      pixel[0] = depth >= 0 && depth <= 1 ? uint8_t(depth * 255 + 0.5f) : 255;
      pixel[1] = pixel[2] = depth >= 0 && depth <= 1 ? pixel[0] : 0;
    });
  }

  VkShaderModule make_shader(Shader shader) {
    switch (shader) {
      case Shader::plain: return device_.make_shader(paint_plain, sizeof paint_plain);
      case Shader::discards: return device_.make_shader(paint_discards, sizeof paint_discards);
      case Shader::writes_depth: return device_.make_shader(paint_writes_depth, sizeof paint_writes_depth);
      case Shader::look_depth: return device_.make_shader(look_depth, sizeof look_depth);
      case Shader::look_compared: return device_.make_shader(look_compared, sizeof look_compared);
      case Shader::look_stencil: return device_.make_shader(look_stencil, sizeof look_stencil);
      default: return device_.make_shader(look_multisample, sizeof look_multisample);
    }
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
    VkPushConstantRange range{VK_SHADER_STAGE_VERTEX_BIT, 0, 48};
    VkPipelineLayoutCreateInfo layout{};
    layout.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO;
    layout.setLayoutCount = 1;
    layout.pSetLayouts = &set_layout_;
    layout.pushConstantRangeCount = 1;
    layout.pPushConstantRanges = &range;
    check(vkCreatePipelineLayout(device, &layout, nullptr, &layout_), "vkCreatePipelineLayout");
    device_.later([device, made = layout_] { vkDestroyPipelineLayout(device, made, nullptr); });
  }

  VkDescriptorSet make_set(VkImageView view, VkImageLayout layout) {
    VkDevice device = device_.handle();
    VkDescriptorPoolSize count{VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 1};
    VkDescriptorPoolCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO;
    info.maxSets = info.poolSizeCount = 1;
    info.pPoolSizes = &count;
    VkDescriptorPool pool;
    check(vkCreateDescriptorPool(device, &info, nullptr, &pool), "vkCreateDescriptorPool");
    device_.later([device, pool] { vkDestroyDescriptorPool(device, pool, nullptr); });
    VkDescriptorSetAllocateInfo allocation{};
    allocation.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO;
    allocation.descriptorPool = pool;
    allocation.descriptorSetCount = 1;
    allocation.pSetLayouts = &set_layout_;
    VkDescriptorSet set;
    check(vkAllocateDescriptorSets(device, &allocation, &set), "vkAllocateDescriptorSets");
    VkSamplerCreateInfo sampling{};
    sampling.sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO;
    sampling.compareEnable = square_.show == Show::compared;
    sampling.compareOp = VK_COMPARE_OP_LESS_OR_EQUAL;
    VkSampler sampler;
    check(vkCreateSampler(device, &sampling, nullptr, &sampler), "vkCreateSampler");
    device_.later([device, sampler] { vkDestroySampler(device, sampler, nullptr); });
    VkDescriptorImageInfo image{sampler, view, layout};
    VkWriteDescriptorSet write{};
    write.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET;
    write.dstSet = set;
    write.descriptorCount = 1;
    write.descriptorType = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER;
    write.pImageInfo = &image;
    vkUpdateDescriptorSets(device, 1, &write, 0, nullptr);
    return set;
  }

  VkRenderPass make_render_pass_of(const Pass& pass) {
    return pass.aspects == (depth_aspect | stencil_aspect) ? clearing_pass_ : make_render_pass(true, true, pass.aspects);
  }

  VkRenderPass make_render_pass(bool clears, bool with_depth, VkImageAspectFlags cleared = depth_aspect | stencil_aspect) {
    auto op = [&](VkImageAspectFlags aspect) {
      return clears && (cleared & aspect) ? VK_ATTACHMENT_LOAD_OP_CLEAR : VK_ATTACHMENT_LOAD_OP_LOAD;
    };
    constexpr auto store = VK_ATTACHMENT_STORE_OP_STORE;
    VkSampleCountFlagBits samples = with_depth ? samples_ : VK_SAMPLE_COUNT_1_BIT;
    VkAttachmentDescription attachments[] = {
        {0, colour_format, samples, VK_ATTACHMENT_LOAD_OP_LOAD, store, VK_ATTACHMENT_LOAD_OP_DONT_CARE,
         VK_ATTACHMENT_STORE_OP_DONT_CARE, attachment, attachment},
        {0, depth_.format, samples, op(depth_aspect), store, op(stencil_aspect), store, attached_, attached_}};
    VkAttachmentReference colour{0, attachment}, depth{1, attached_};
    VkSubpassDescription subpass{};
    subpass.pipelineBindPoint = VK_PIPELINE_BIND_POINT_GRAPHICS;
    subpass.colorAttachmentCount = 1;
    subpass.pColorAttachments = &colour;
    subpass.pDepthStencilAttachment = with_depth ? &depth : nullptr;
    VkRenderPassCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO;
    info.attachmentCount = with_depth ? 2 : 1;
    info.pAttachments = attachments;
    info.subpassCount = 1;
    info.pSubpasses = &subpass;
    VkRenderPass pass;
    check(vkCreateRenderPass(device_.handle(), &info, nullptr, &pass), "vkCreateRenderPass");
    device_.later([device = device_.handle(), pass] { vkDestroyRenderPass(device, pass, nullptr); });
    return pass;
  }

  // Pipelines differ by little; lavapipe takes long to make each, so those that are the same but for dynamic state are shared.
  VkPipeline pipeline_of(const Draw& draw, VkRenderPass pass, Shader shader, VkSampleCountFlagBits samples) {
    std::string key;
    auto add = [&](uint32_t value) { key += std::to_string(value) + " "; };
    for (bool flag : {pass == look_pass_, draw.test, draw.write, draw.colours, biased(draw), draw.clamps, draw.stencil})
      add(flag);
    for (uint32_t value : {uint32_t(depth_.format), uint32_t(samples), uint32_t(shader), uint32_t(draw.compare)}) add(value);
    for (const VkStencilOpState* face : {&draw.front, &draw.back})
      for (uint32_t value : {uint32_t(face->failOp), uint32_t(face->passOp), uint32_t(face->depthFailOp),
                             uint32_t(face->compareOp), face->compareMask, face->writeMask})
        add(value);
    return device_.pipeline(key, [&] { return make_pipeline(draw, pass, shader, samples); });
  }

  static bool biased(const Draw& draw) { return draw.bias != std::array<float, 3>{}; }

  VkPipeline make_pipeline(const Draw& draw, VkRenderPass pass, Shader shader, VkSampleCountFlagBits samples) {
    GraphicsPipeline state;
    state.add(VK_SHADER_STAGE_VERTEX_BIT, device_.make_shader(quad_vertices, sizeof quad_vertices));
    state.add(VK_SHADER_STAGE_FRAGMENT_BIT, make_shader(shader));
    state.raster.depthClampEnable = draw.clamps;
    state.raster.frontFace = VK_FRONT_FACE_CLOCKWISE;
    state.raster.depthBiasEnable = biased(draw);
    state.multisample.rasterizationSamples = samples;
    state.depth.depthTestEnable = draw.test;
    state.depth.depthWriteEnable = draw.write;
    state.depth.depthCompareOp = draw.compare;
    state.depth.stencilTestEnable = draw.stencil;
    state.depth.front = draw.front;
    state.depth.back = draw.back;
    state.target.colorWriteMask = draw.colours ? 0xf : 0;
    state.dynamic = {VK_DYNAMIC_STATE_VIEWPORT, VK_DYNAMIC_STATE_SCISSOR, VK_DYNAMIC_STATE_DEPTH_BIAS,
                     VK_DYNAMIC_STATE_STENCIL_REFERENCE};
    return state.make(device_.handle(), layout_, pass);
  }

  Device& device_;
  const Square& square_;
  VkSampleCountFlagBits samples_;
  uint32_t extent_;
  VkImageLayout attached_;
  Image depth_, colour_, picture_;
  VkImageView depth_view_, colour_view_, picture_view_;
  VkDescriptorSetLayout set_layout_;
  VkPipelineLayout layout_;
  VkRenderPass render_pass_, clearing_pass_, look_pass_;
};

}  // namespace

std::vector<uint8_t> draw(Device& device, const Square& square) {
  for (VkFormat format : square.formats) {
    if (!device.has_depth_format(format)) continue;
    auto picture = Drawing(device, square, format).run();
    device.forget();
    return picture;
  }
  std::fprintf(stderr, "%s: %s has none of its formats\n", square.name.c_str(), device.name().c_str());
  return {};
}

}  // namespace vulkan
