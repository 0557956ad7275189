// Fragment shading rates of pipelines (VK_KHR_fragment_shading_rate): fragments of every size that the device has, whole and cut by a
// triangle's edge or the scissor. A fragment is as large as it says, begins at multiples of its size, has its inputs at its middle, is
// shaded once, and covers what single pixels do.
#include "rate_cases.h"

#include <rate_offset_pixels.h>
#include <rate_pixels.h>
#include <rate_vertices.h>

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
    for (bool offsets : {false, true})
      pixels_[offsets] = offsets ? make_shader(b, rate_offset_pixels, sizeof rate_offset_pixels)
                                 : make_shader(b, rate_pixels, sizeof rate_pixels);
  }

  Drawn draw(VkExtent2D size, VkSampleCountFlagBits samples, float scale, bool offsets) {
    GraphicsPipeline state;
    state.add(VK_SHADER_STAGE_VERTEX_BIT, vertex_), state.add(VK_SHADER_STAGE_FRAGMENT_BIT, pixels_[offsets]);
    const VkViewport viewport{0, 0, kSize, kSize, 0, 1};
    state.viewport.pViewports = &viewport, state.viewport.pScissors = &kScissor;
    state.multisample.rasterizationSamples = samples;
    const Layers target = make_layers(b_, kIntegers), many = samples > 1 ? make_layers(b_, kIntegers, 1, samples) : target;
    VkPipelineFragmentShadingRateStateCreateInfoKHR rate{VK_STRUCTURE_TYPE_PIPELINE_FRAGMENT_SHADING_RATE_STATE_CREATE_INFO_KHR};
    rate.fragmentSize = size;
    VkPipelineRenderingCreateInfo rendering{
        VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO, &rate, 0, 1, &target.format, VK_FORMAT_UNDEFINED};
    const VkPipeline pipeline = state.make(b_.device, layout_, {}, &rendering);
    VkRenderingAttachmentInfo colour = attachment(many);
    if (samples > 1) {
      colour.resolveMode = VK_RESOLVE_MODE_SAMPLE_ZERO_BIT;
      colour.resolveImageView = target.view, colour.resolveImageLayout = VK_IMAGE_LAYOUT_GENERAL;
    }
    memory_.words[0] = 0;
    b_.run([&](VkCommandBuffer c) {
      pass_over(c, &colour, nullptr, 1, 0, [&] {
        vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
        vkCmdBindDescriptorSets(c, VK_PIPELINE_BIND_POINT_GRAPHICS, layout_, 0, 1, &set_, 0, nullptr);
        const Place place{{scale, 0, 0, 0}, {0, 0}};
        vkCmdPushConstants(c, layout_, VK_SHADER_STAGE_VERTEX_BIT, 0, sizeof place, &place);
        vkCmdDraw(c, 3, 1, 0, 0);
      });
    });
    return {read_layers(b_, target), memory_.words[0]};
  }

private:
  Bench& b_;
  Memory memory_;
  VkPipelineLayout layout_ = {};
  VkDescriptorSet set_ = {};
  VkShaderModule vertex_ = {}, pixels_[2] = {};
};

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
}

}  // namespace vulkan
