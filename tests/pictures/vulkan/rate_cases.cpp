// Fragment shading rates (VK_KHR_fragment_shading_rate): fragments of every size that the device has, whole and cut by a triangle's edge or
// the scissor. A fragment is as large as it says, begins at multiples of its size, has its inputs at its middle, is shaded once, and
// covers what single pixels do. Rates of primitives and of a surface, and what combines them, draw what pipelines of those sizes do.
#include "rate_cases.h"

#include <rate_offset_pixels.h>
#include <rate_pixels.h>
#include <rate_primitive_vertices.h>
#include <rate_vertices.h>

#include <map>
#include <set>

#include "graphics_pipeline.h"

namespace vulkan {

namespace {

VkPhysicalDeviceFragmentShadingRateFeaturesKHR& features() {
  static VkPhysicalDeviceFragmentShadingRateFeaturesKHR features{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FRAGMENT_SHADING_RATE_FEATURES_KHR};
  return features;
}

constexpr VkRect2D kScissor = {{3, 5}, {50, 44}};
constexpr uint32_t kInputsRight = 15, kPixelOffsetRight = 16, kFragmentOffsetRight = 32, kAmd = 0x1002;

struct Drawn {
  std::vector<uint32_t> pixels;
  uint32_t count = 0;
};

using Op = VkFragmentShadingRateCombinerOpKHR;

// A draw's rates by all three ways. {}: the pipeline's alone.
struct Ways {
  VkExtent2D primitive = {};                         // the vertex shader's, if it has any
  const std::vector<VkExtent2D>* surface = nullptr;  // by texels of `texel`
  VkExtent2D texel = {};
  Op ops[2] = {VK_FRAGMENT_SHADING_RATE_COMBINER_OP_KEEP_KHR, VK_FRAGMENT_SHADING_RATE_COMBINER_OP_KEEP_KHR};
};

// Logarithms of height and, two bits further, of width: a rate as shaders and surfaces have it.
uint32_t code_of(VkExtent2D size) { return size.width >> 1 << 2 | size.height >> 1; }

class Rates {
public:
  explicit Rates(Bench& b) : b_(b), memory_(b.make_memory(64)) {
    VkDescriptorSetLayoutBinding binding{0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_FRAGMENT_BIT, nullptr};
    VkDescriptorSetLayoutCreateInfo info{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, nullptr, 0, 1, &binding};
    VkDescriptorSetLayout set_layout;
    check(vkCreateDescriptorSetLayout(b.device, &info, nullptr, &set_layout), "vkCreateDescriptorSetLayout");
    layout_ = make_layout(b, set_layout);
    VkDescriptorSetAllocateInfo allocation{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO, nullptr, b.sets, 1, &set_layout};
    check(vkAllocateDescriptorSets(b.device, &allocation, &set_), "vkAllocateDescriptorSets");
    VkDescriptorBufferInfo buffer{memory_.buffer, 0, VK_WHOLE_SIZE};
    VkWriteDescriptorSet write{VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET, nullptr, set_, 0, 0, 1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER};
    write.pBufferInfo = &buffer;
    vkUpdateDescriptorSets(b.device, 1, &write, 0, nullptr);
    vertex_ = make_shader(b, rate_vertices, sizeof rate_vertices);
    if (features().primitiveFragmentShadingRate)
      primitive_vertex_ = make_shader(b, rate_primitive_vertices, sizeof rate_primitive_vertices);
    for (bool offsets : {false, true})
      pixels_[offsets] = offsets ? make_shader(b, rate_offset_pixels, sizeof rate_offset_pixels)
                                 : make_shader(b, rate_pixels, sizeof rate_pixels);
  }

  Drawn draw(VkExtent2D size, VkSampleCountFlagBits samples, float scale, bool offsets, const Ways& ways = {}) {
    GraphicsPipeline state;
    state.add(VK_SHADER_STAGE_VERTEX_BIT, ways.primitive.width ? primitive_vertex_ : vertex_),
        state.add(VK_SHADER_STAGE_FRAGMENT_BIT, pixels_[offsets]);
    const VkViewport viewport{0, 0, kSize, kSize, 0, 1};
    state.viewport.pViewports = &viewport, state.viewport.pScissors = &kScissor;
    state.multisample.rasterizationSamples = samples;
    const Layers target = make_layers(b_, kIntegers), many = samples > 1 ? make_layers(b_, kIntegers, 1, samples) : target;
    VkPipelineFragmentShadingRateStateCreateInfoKHR rate{VK_STRUCTURE_TYPE_PIPELINE_FRAGMENT_SHADING_RATE_STATE_CREATE_INFO_KHR};
    rate.fragmentSize = size, rate.combinerOps[0] = ways.ops[0], rate.combinerOps[1] = ways.ops[1];
    VkPipelineRenderingCreateInfo rendering{
        VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO, &rate, 0, 1, &target.format, VK_FORMAT_UNDEFINED};
    const VkPipelineCreateFlags flags =
        ways.surface ? VK_PIPELINE_CREATE_RENDERING_FRAGMENT_SHADING_RATE_ATTACHMENT_BIT_KHR : VkPipelineCreateFlags();
    const VkPipeline pipeline = state.make(b_.device, layout_, {}, &rendering, 0, flags);
    VkRenderingFragmentShadingRateAttachmentInfoKHR surface{
        VK_STRUCTURE_TYPE_RENDERING_FRAGMENT_SHADING_RATE_ATTACHMENT_INFO_KHR};
    if (ways.surface) surface.imageView = surface_of(*ways.surface, ways.texel);
    surface.imageLayout = VK_IMAGE_LAYOUT_GENERAL, surface.shadingRateAttachmentTexelSize = ways.texel;
    VkRenderingAttachmentInfo colour = attachment(many);
    if (samples > 1) {
      colour.resolveMode = VK_RESOLVE_MODE_SAMPLE_ZERO_BIT;
      colour.resolveImageView = target.view, colour.resolveImageLayout = VK_IMAGE_LAYOUT_GENERAL;
    }
    memory_.words[0] = 0;
    b_.run([&](VkCommandBuffer c) {
      pass_over(
          c, &colour, nullptr, 1, 0,
          [&] {
            vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
            vkCmdBindDescriptorSets(c, VK_PIPELINE_BIND_POINT_GRAPHICS, layout_, 0, 1, &set_, 0, nullptr);
            const Place place{{scale, float(code_of(ways.primitive)), 0, 0}, {0, 0}};
            vkCmdPushConstants(c, layout_, VK_SHADER_STAGE_VERTEX_BIT, 0, sizeof place, &place);
            vkCmdDraw(c, 3, 1, 0, 0);
          },
          ways.surface ? &surface : nullptr);
    });
    return {read_layers(b_, target), memory_.words[0]};
  }

private:
  VkImageView surface_of(const std::vector<VkExtent2D>& sizes, VkExtent2D texel) {
    const VkExtent3D extent{(kSize + texel.width - 1) / texel.width, (kSize + texel.height - 1) / texel.height, 1};
    VkImageCreateInfo info{VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO};
    info.imageType = VK_IMAGE_TYPE_2D, info.format = VK_FORMAT_R8_UINT, info.extent = extent;
    info.mipLevels = info.arrayLayers = 1, info.samples = VK_SAMPLE_COUNT_1_BIT;
    info.usage = VK_IMAGE_USAGE_FRAGMENT_SHADING_RATE_ATTACHMENT_BIT_KHR | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
    VkImage image;
    check(vkCreateImage(b_.device, &info, nullptr, &image), "vkCreateImage");
    VkMemoryRequirements needs;
    vkGetImageMemoryRequirements(b_.device, image, &needs);
    check(vkBindImageMemory(b_.device, image, b_.allocate(needs, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT), 0), "vkBindImageMemory");
    Memory texels = b_.make_memory(sizes.size() + 4);
    for (size_t n = 0; n < sizes.size(); n++) reinterpret_cast<uint8_t*>(texels.words)[n] = uint8_t(code_of(sizes[n]));
    VkImageViewCreateInfo view{VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO};
    view.image = image, view.viewType = VK_IMAGE_VIEW_TYPE_2D, view.format = info.format;
    view.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
    VkImageView made;
    check(vkCreateImageView(b_.device, &view, nullptr, &made), "vkCreateImageView");
    b_.run([&](VkCommandBuffer c) {
      VkImageMemoryBarrier barrier{VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER};
      barrier.dstAccessMask = VK_ACCESS_MEMORY_WRITE_BIT;
      barrier.newLayout = VK_IMAGE_LAYOUT_GENERAL;
      barrier.srcQueueFamilyIndex = barrier.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
      barrier.image = image, barrier.subresourceRange = view.subresourceRange;
      vkCmdPipelineBarrier(c, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, nullptr, 0, nullptr,
                           1, &barrier);
      VkBufferImageCopy all{0, 0, 0, {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1}, {0, 0, 0}, extent};
      vkCmdCopyBufferToImage(c, texels.buffer, image, VK_IMAGE_LAYOUT_GENERAL, 1, &all);
    });
    return made;
  }

  Bench& b_;
  Memory memory_;
  VkPipelineLayout layout_ = {};
  VkDescriptorSet set_ = {};
  VkShaderModule vertex_ = {}, primitive_vertex_ = {}, pixels_[2] = {};
};

// Combined as the specification says (26.6.3, "Combining the Fragment Shading Rates"), each side by itself, which devices that multiply
// logarithms (fragmentShadingRateStrictMultiplyCombiner is false) add.
uint32_t combined(Op op, uint32_t a, uint32_t b, bool strict) {
  switch (op) {
    case VK_FRAGMENT_SHADING_RATE_COMBINER_OP_REPLACE_KHR: return b;
    case VK_FRAGMENT_SHADING_RATE_COMBINER_OP_MIN_KHR: return std::min(a, b);
    case VK_FRAGMENT_SHADING_RATE_COMBINER_OP_MAX_KHR: return std::max(a, b);
    case VK_FRAGMENT_SHADING_RATE_COMBINER_OP_MUL_KHR: return strict ? a * b : a + b;
    default: return a;
  }
}
VkExtent2D combined(Op op, VkExtent2D a, VkExtent2D b, bool strict) {
  return {combined(op, a.width, b.width, strict), combined(op, a.height, b.height, strict)};
}

// Pixels are those that pipelines of `size(x, y)` draw.
void compare(Bench& b, const std::string& name, const Drawn& drawn, std::map<uint32_t, Drawn>& by_code,
             const std::function<VkExtent2D(uint32_t, uint32_t)>& size) {
  unsigned wrong = 0, covered = 0;
  std::string first;
  for (uint32_t y = 0; y < kSize; y++)
    for (uint32_t x = 0; x < kSize; x++) {
      const uint32_t got = drawn.pixels[y * kSize + x], expected = by_code.at(code_of(size(x, y))).pixels[y * kSize + x];
      covered += expected >> 24 != 0;
      if (got != expected && !wrong++)
        first = ", first " + std::to_string(x) + " " + std::to_string(y) + ": " + std::to_string(got) + " for " +
                std::to_string(expected);
    }
  b.fits(name, wrong == 0 && covered > 200, std::to_string(wrong) + " of " + std::to_string(covered) + " pixels" + first);
}

std::string text(VkExtent2D size) { return std::to_string(size.width) + "x" + std::to_string(size.height); }

// Rates of primitives and surfaces. (Sizes that the device has for one sample; what combines to another is left out.)
void other_rates(Bench& b, Rates& all, const std::vector<VkExtent2D>& sizes) {
  VkPhysicalDeviceFragmentShadingRatePropertiesKHR rates{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FRAGMENT_SHADING_RATE_PROPERTIES_KHR};
  VkPhysicalDeviceProperties2 properties{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &rates};
  vkGetPhysicalDeviceProperties2(b.physical, &properties);
  std::map<uint32_t, Drawn> by_code;
  for (VkExtent2D size : sizes) by_code[code_of(size)] = all.draw(size, VK_SAMPLE_COUNT_1_BIT, 1, false);
  const bool strict = rates.fragmentShadingRateStrictMultiplyCombiner;
  static constexpr std::pair<Op, const char*> kOps[] = {{VK_FRAGMENT_SHADING_RATE_COMBINER_OP_KEEP_KHR, "keep"},
                                                        {VK_FRAGMENT_SHADING_RATE_COMBINER_OP_REPLACE_KHR, "replace"},
                                                        {VK_FRAGMENT_SHADING_RATE_COMBINER_OP_MIN_KHR, "min"},
                                                        {VK_FRAGMENT_SHADING_RATE_COMBINER_OP_MAX_KHR, "max"},
                                                        {VK_FRAGMENT_SHADING_RATE_COMBINER_OP_MUL_KHR, "mul"}};
  for (auto [op, name] : kOps) {
    const bool trivial = op == kOps[0].first || op == kOps[1].first;
    if (!trivial && !rates.fragmentShadingRateNonTrivialCombinerOps) continue;
    for (VkExtent2D own : sizes)
      for (VkExtent2D other : sizes) {
        const VkExtent2D expected = combined(op, own, other, strict);
        if (!by_code.contains(code_of(expected))) continue;
        if (features().primitiveFragmentShadingRate) {
          Ways ways;
          ways.primitive = other, ways.ops[0] = op;
          compare(b, "fragments of " + text(own) + ", " + name + " the primitive's " + text(other),
                  all.draw(own, VK_SAMPLE_COUNT_1_BIT, 1, false, ways), by_code, [&](uint32_t, uint32_t) { return expected; });
        }
      }
    if (!features().attachmentFragmentShadingRate) continue;
    const VkExtent2D texel = rates.maxFragmentShadingRateAttachmentTexelSize;
    const uint32_t columns = (kSize + texel.width - 1) / texel.width, rows = (kSize + texel.height - 1) / texel.height;
    for (VkExtent2D own : sizes) {
      // Each texel another of the sizes that may be combined.
      std::vector<VkExtent2D> possible, surface;
      for (VkExtent2D other : sizes)
        if (by_code.contains(code_of(combined(op, own, other, strict)))) possible.push_back(other);
      for (uint32_t n = 0; n < columns * rows; n++) surface.push_back(possible[(n + n / columns) % possible.size()]);
      Ways ways;
      ways.surface = &surface, ways.texel = texel, ways.ops[1] = op;
      compare(b, "fragments of " + text(own) + ", " + name + " a surface's", all.draw(own, VK_SAMPLE_COUNT_1_BIT, 1, false, ways),
              by_code, [&](uint32_t x, uint32_t y) {
                return combined(op, own, surface[y / texel.height * columns + x / texel.width], strict);
              });
    }
  }
}

}  // namespace

std::vector<Extra> rate_extras() { return {{VK_KHR_FRAGMENT_SHADING_RATE_EXTENSION_NAME, &features()}}; }

void rate_cases(Bench& b) {
  if (!features().pipelineFragmentShadingRate || !b.features.fragmentStoresAndAtomics) return;
  const auto list = reinterpret_cast<PFN_vkGetPhysicalDeviceFragmentShadingRatesKHR>(
      vkGetInstanceProcAddr(b.instance, "vkGetPhysicalDeviceFragmentShadingRatesKHR"));
  uint32_t count = 0;
  list(b.physical, &count, nullptr);
  std::vector<VkPhysicalDeviceFragmentShadingRateKHR> rates(count, {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FRAGMENT_SHADING_RATE_KHR});
  list(b.physical, &count, rates.data());
  Rates all(b);
  // RADV multiplies offsets by differences between fragments, so that they count these (Mesa aco_instruction_selection.cpp,
  // emit_interp_center; 1x1 is both).
  VkPhysicalDeviceProperties properties;
  vkGetPhysicalDeviceProperties(b.physical, &properties);
  const uint32_t offset_right = properties.vendorID == kAmd ? kFragmentOffsetRight : kPixelOffsetRight;
  for (VkSampleCountFlagBits samples : {VK_SAMPLE_COUNT_1_BIT, VK_SAMPLE_COUNT_4_BIT})
    for (float scale : {1.0f, 0.37f})
      for (bool offsets : {false, true}) {
        const Drawn single = all.draw({1, 1}, samples, scale, offsets);
        for (const VkPhysicalDeviceFragmentShadingRateKHR& rate : rates) {
          if (!(rate.sampleCounts & samples)) continue;
          const auto [width, height] = rate.fragmentSize;
          const Drawn drawn = all.draw(rate.fragmentSize, samples, scale, offsets);
          unsigned wrong = 0, covered = 0;
          std::string first;
          std::set<std::pair<uint32_t, uint32_t>> fragments;
          // (two bits each: the logarithms of width and height)
          const uint32_t code = (width >> 1) << 2 | height >> 1;
          for (uint32_t y = 0; y < kSize; y++)
            for (uint32_t x = 0; x < kSize; x++) {
              uint32_t got = drawn.pixels[y * kSize + x];
              const bool there = (single.pixels[y * kSize + x] >> 24) != 0;
              if ((got >> 24 != 0) != there) wrong++;
              if (!there || !(got >> 24)) continue;
              covered++;
              const uint32_t right =
                  kInputsRight | (offsets && width * height > 1 ? offset_right : kPixelOffsetRight | kFragmentOffsetRight);
              got &= right << 24 | 0xffffff;  // (the other unit may fit as well)
              const uint32_t expected =
                  (x / width * width * 2 + width) | (y / height * height * 2 + height) << 8 | code << 16 | right << 24;
              if (got != expected && !wrong++)
                first = " first " + std::to_string(got) + " for " + std::to_string(expected);
              else
                wrong += got != expected;
              fragments.insert({x / width, y / height});
            }
          // (of several samples the first alone is seen: others may have made more fragments)
          const bool counts = samples == 1 ? drawn.count == fragments.size() : drawn.count >= fragments.size();
          b.fits("fragments of " + std::to_string(width) + "x" + std::to_string(height) + ", " + std::to_string(samples) +
                     " samples, scale " + (scale == 1 ? "1" : "0.37") + (offsets ? ", at offsets" : ""),
                 wrong == 0 && covered > 200 && counts,
                 std::to_string(wrong) + " of " + std::to_string(covered) + " pixels, " + std::to_string(drawn.count) +
                     " fragments for " + std::to_string(fragments.size()) + first);
        }
      }
  std::vector<VkExtent2D> sizes;
  for (const VkPhysicalDeviceFragmentShadingRateKHR& rate : rates)
    if (rate.sampleCounts & VK_SAMPLE_COUNT_1_BIT) sizes.push_back(rate.fragmentSize);
  other_rates(b, all, sizes);
}

}  // namespace vulkan
