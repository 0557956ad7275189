// Conservative rasterization (VK_EXT_conservative_rasterization): 32 triangles of all sizes, some on pixels' corners, some without an area, are
// drawn with their edges as they are, overestimated and underestimated. Beside exact overlaps of pixels' squares with the triangles: a
// square and a triangle meet where no line of either parts them, and a square lies in a triangle that has its four corners.
#include "conservative_cases.h"

#include <conservative_inner_pixels.h>
#include <conservative_pixels.h>
#include <conservative_vertices.h>

#include <algorithm>
#include <array>
#include <random>
#include <utility>

#include "graphics_pipeline.h"

namespace vulkan {

namespace {

constexpr unsigned kTriangles = 32;
constexpr int64_t kGrid = 256;  // places in a pixel (at least so many has every device that is tried: subPixelPrecisionBits 8)
using Triangle = std::array<std::array<int64_t, 2>, 3>;
using Mode = VkConservativeRasterizationModeEXT;

int64_t twice_area(const Triangle& t) {
  return (t[1][0] - t[0][0]) * (t[2][1] - t[0][1]) - (t[2][0] - t[0][0]) * (t[1][1] - t[0][1]);
}

std::vector<Triangle> make_triangles() {
  std::mt19937 random(3);
  auto below = [&](int64_t most) { return int64_t(random() % uint64_t(most)); };
  std::vector<Triangle> all(kTriangles);
  for (unsigned n = 0; n < kTriangles; n++) {
    Triangle& t = all[n];
    const int64_t extent = kGrid * (n % 4 == 0 ? 64 : n % 4 == 1 ? 12 : n % 4 == 2 ? 3 : 1);
    const int64_t x = below(64 * kGrid), y = below(64 * kGrid);
    for (auto& corner : t) {
      corner = {x + below(2 * extent) - extent, y + below(2 * extent) - extent};
      if (n % 5 == 0) corner[0] &= ~(kGrid - 1), corner[1] &= ~(kGrid - 1);  // on the corners of pixels
    }
    if (n < 24) continue;
    // Without an area: a point, or a line.
    t[1] = n < 26 ? t[0]
                  : std::array{(t[0][0] & ~int64_t(1)) + 2 * below(kGrid * 8), (t[0][1] & ~int64_t(1)) + 2 * below(kGrid * 8)};
    t[0] = {t[0][0] & ~int64_t(1), t[0][1] & ~int64_t(1)};
    t[2] = n % 2 ? t[1] : std::array{(t[0][0] + t[1][0]) / 2, (t[0][1] + t[1][1]) / 2};
  }
  return all;
}

// How far the corners of a pixel lie inside of a side: the least and the most.
std::pair<int64_t, int64_t> inside_of(const Triangle& t, unsigned side, int x, int y) {
  const auto &p = t[side], &q = t[(side + 1) % 3];
  std::pair<int64_t, int64_t> found{INT64_MAX, INT64_MIN};
  for (int corner = 0; corner < 4; corner++) {
    const int64_t e = (q[0] - p[0]) * ((y + corner / 2) * kGrid - p[1]) - (q[1] - p[1]) * ((x + corner % 2) * kGrid - p[0]);
    const int64_t inside = twice_area(t) < 0 ? -e : e;
    found.first = std::min(found.first, inside), found.second = std::max(found.second, inside);
  }
  return found;
}

bool touches(const Triangle& t, int x, int y) {
  for (unsigned axis = 0; axis < 2; axis++) {
    const int64_t from = (axis ? y : x) * kGrid, least = std::min({t[0][axis], t[1][axis], t[2][axis]}),
                  most = std::max({t[0][axis], t[1][axis], t[2][axis]});
    if (from + kGrid < least || most < from) return false;
  }
  for (unsigned side = 0; side < 3; side++) {
    const auto [least, most] = inside_of(t, side, x, y);
    if (most < 0 || (twice_area(t) == 0 && least > 0)) return false;
  }
  return true;
}

bool holds(const Triangle& t, int x, int y) {
  for (unsigned side = 0; side < 3; side++)
    if (inside_of(t, side, x, y).first < 0) return false;
  return twice_area(t) != 0;
}

struct Pixel {
  uint32_t drawn, partly, whole, unused;
};

class Draws {
public:
  explicit Draws(Bench& b)
      : b_(b), pixels_(b.make_memory(kSize * kSize * sizeof(Pixel))), corners_(b.make_memory(kTriangles * 3 * 8)) {
    const VkDescriptorSetLayoutBinding bindings[] = {
        {0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_FRAGMENT_BIT, nullptr},
        {1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_VERTEX_BIT, nullptr}};
    VkDescriptorSetLayoutCreateInfo info{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, nullptr, 0, 2, bindings};
    VkDescriptorSetLayout set_layout;
    check(vkCreateDescriptorSetLayout(b.device, &info, nullptr, &set_layout), "vkCreateDescriptorSetLayout");
    layout_ = make_layout(b, set_layout);
    VkDescriptorSetAllocateInfo allocation{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO, nullptr, b.sets, 1, &set_layout};
    check(vkAllocateDescriptorSets(b.device, &allocation, &set_), "vkAllocateDescriptorSets");
    for (uint32_t n = 0; n < 2; n++) {
      VkDescriptorBufferInfo buffer{n ? corners_.buffer : pixels_.buffer, 0, VK_WHOLE_SIZE};
      VkWriteDescriptorSet write{VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET, nullptr, set_, n, 0, 1,
                                 VK_DESCRIPTOR_TYPE_STORAGE_BUFFER};
      write.pBufferInfo = &buffer;
      vkUpdateDescriptorSets(b.device, 1, &write, 0, nullptr);
    }
    auto* to = reinterpret_cast<float*>(corners_.words);
    for (const Triangle& t : triangles)
      for (const auto& corner : t)
        for (int64_t k : corner) *to++ = float(k) / kGrid;
    vertex_ = make_shader(b, conservative_vertices, sizeof conservative_vertices);
    pixel_[0] = make_shader(b, conservative_pixels, sizeof conservative_pixels);
  }

  std::vector<Pixel> draw(Mode mode, VkSampleCountFlagBits samples, bool inner, VkCullModeFlags cull) {
    if (inner && !pixel_[1]) pixel_[1] = make_shader(b_, conservative_inner_pixels, sizeof conservative_inner_pixels);
    GraphicsPipeline state;
    state.add(VK_SHADER_STAGE_VERTEX_BIT, vertex_), state.add(VK_SHADER_STAGE_FRAGMENT_BIT, pixel_[inner]);
    const VkSpecializationMapEntry entry{0, 0, 4};
    const int32_t count = int32_t(samples);
    const VkSpecializationInfo constants{1, &entry, 4, &count};
    state.stages.back().pSpecializationInfo = &constants;
    const VkViewport viewport{0, 0, kSize, kSize, 0, 1};
    const VkRect2D scissor{{0, 0}, {kSize, kSize}};
    state.viewport.pViewports = &viewport, state.viewport.pScissors = &scissor;
    state.multisample.rasterizationSamples = samples;
    VkPipelineRasterizationConservativeStateCreateInfoEXT conservative{
        VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_CONSERVATIVE_STATE_CREATE_INFO_EXT};
    conservative.conservativeRasterizationMode = mode;
    state.raster.pNext = &conservative, state.raster.cullMode = cull;
    const Layers target = make_layers(b_, kIntegers, 1, samples);
    VkPipelineRenderingCreateInfo rendering{
        VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO, nullptr, 0, 1, &target.format, VK_FORMAT_UNDEFINED};
    const VkPipeline pipeline = state.make(b_.device, layout_, {}, &rendering);
    const VkRenderingAttachmentInfo colour = attachment(target);
    std::fill_n(pixels_.words, pixels_.bytes / 4, 0u);
    b_.run([&](VkCommandBuffer c) {
      pass_over(c, &colour, nullptr, 1, 0, [&] {
        vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
        vkCmdBindDescriptorSets(c, VK_PIPELINE_BIND_POINT_GRAPHICS, layout_, 0, 1, &set_, 0, nullptr);
        vkCmdDraw(c, kTriangles * 3, 1, 0, 0);
      });
    });
    const auto* found = reinterpret_cast<const Pixel*>(pixels_.words);
    return {found, found + kSize * kSize};
  }

  const std::vector<Triangle> triangles = make_triangles();

private:
  Bench& b_;
  Memory pixels_, corners_;
  VkPipelineLayout layout_ = {};
  VkDescriptorSet set_ = {};
  VkShaderModule vertex_ = {}, pixel_[2] = {};
};

}  // namespace

std::vector<Extra> conservative_extras() { return {{VK_EXT_CONSERVATIVE_RASTERIZATION_EXTENSION_NAME, nullptr}}; }

void conservative_cases(Bench& b) {
  if (!b.has(VK_EXT_CONSERVATIVE_RASTERIZATION_EXTENSION_NAME) || !b.features.fragmentStoresAndAtomics) return;
  VkPhysicalDeviceConservativeRasterizationPropertiesEXT offers{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_CONSERVATIVE_RASTERIZATION_PROPERTIES_EXT};
  VkPhysicalDeviceProperties2 properties{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &offers};
  vkGetPhysicalDeviceProperties2(b.physical, &properties);
  Draws draws(b);
  const auto [off, over, under] =
      std::tuple{VK_CONSERVATIVE_RASTERIZATION_MODE_DISABLED_EXT, VK_CONSERVATIVE_RASTERIZATION_MODE_OVERESTIMATE_EXT,
                 VK_CONSERVATIVE_RASTERIZATION_MODE_UNDERESTIMATE_EXT};
  auto try_out = [&](Mode mode, VkSampleCountFlagBits samples, bool inner, VkCullModeFlags cull) {
    const std::vector<Pixel> pixels = draws.draw(mode, samples, inner, cull);
    unsigned wrong = 0, right = 0;
    std::string first;
    for (int at = 0; at < int(kSize * kSize); at++)
      for (unsigned n = 0; n < kTriangles; n++) {
        const Triangle& t = draws.triangles[n];
        const int x = at % int(kSize), y = at / int(kSize);
        auto bit = [&](uint32_t word) { return bool(word >> n & 1); };
        const Pixel& p = pixels[size_t(at)];
        const bool drawn = bit(p.drawn), whole = holds(t, x, y), touched = touches(t, x, y), degenerate = twice_area(t) == 0;
        // (A device may cover more, by the size that it says.)
        bool fits = mode == over    ? drawn == touched || (drawn && offers.primitiveOverestimationSize > 0)
                    : mode == under ? drawn == whole
                                    : (drawn || !whole) && (touched || !drawn);
        // A triangle that goes round clockwise, or has no area, is seen from behind (Vulkan 1.4, "Basic Polygon Rasterization").
        const bool culled = cull == VK_CULL_MODE_BACK_BIT && twice_area(t) >= 0;
        if (culled || (degenerate && (mode != over || !offers.degenerateTrianglesRasterized))) fits = !drawn;
        if (inner)
          fits &= bit(p.whole) == (drawn && whole);
        else if (mode != off)
          fits &= !bit(p.partly);
        right += fits && drawn;
        if (!fits && !wrong++)
          first = ", first triangle " + std::to_string(n) + " at " + std::to_string(x) + " " + std::to_string(y);
      }
    b.fits(std::string(mode == off    ? "edges as they are"
                       : mode == over ? "overestimated"
                                      : "underestimated") +
               ", " + std::to_string(samples) + " samples" + (inner ? ", covered whole" : "") +
               (cull == VK_CULL_MODE_BACK_BIT ? ", fronts alone" : ""),
           wrong == 0 && right > 500, std::to_string(wrong) + " pixels beside " + std::to_string(right) + first);
  };
  for (const VkSampleCountFlagBits samples : {VK_SAMPLE_COUNT_1_BIT, VK_SAMPLE_COUNT_4_BIT})
    for (const Mode mode : {off, over, under}) {
      if (mode == under && !offers.primitiveUnderestimation) continue;
      try_out(mode, samples, false, VK_CULL_MODE_NONE);
      // (RADV asks for underestimation where an overestimated program reads what is covered whole: Mesa 25.0.7 radv_cmd_buffer.c,
      // radv_emit_conservative_rast_mode.)
      if (offers.fullyCoveredFragmentShaderInputVariable && mode != over) try_out(mode, samples, true, VK_CULL_MODE_NONE);
    }
  try_out(over, VK_SAMPLE_COUNT_1_BIT, false, VK_CULL_MODE_BACK_BIT);
}

}  // namespace vulkan
