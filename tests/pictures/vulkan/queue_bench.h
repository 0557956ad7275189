// The base of the cases of queries and queues: a device with all its queues and what it offers of features, grids to draw, one
// line of output a case.
#pragma once
#include <span>

#include "device.h"

namespace vulkan {

struct Queue {
  VkQueue handle = {};
  uint32_t family = 0, timestamp_bits = 0;
  VkQueueFlags flags = 0;
  VkCommandPool pool = {};
};

struct Memory {
  VkBuffer buffer = {};
  uint32_t* words = nullptr;
  VkDeviceSize bytes = 0;
  VkDeviceAddress address = 0;  // where the bench has addresses
};

struct Picture {
  VkImage image = {};
  VkImageView view = {};
};

// 64 x 64 pixels of RGBA8 and D32 with some samples each.
struct Target {
  Picture colour, depth;
  VkSampleCountFlagBits samples = VK_SAMPLE_COUNT_1_BIT;
};

struct PipelineParts {
  VkShaderModule vertex = {}, control = {}, evaluation = {}, geometry = {}, fragment = {};
  VkSampleCountFlagBits samples = VK_SAMPLE_COUNT_1_BIT;
  VkPrimitiveTopology topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST;
  bool discards_all = false;  // rasterizer discard
};

struct Grid {
  float cell[4];
  float depth;
};

constexpr uint32_t kSize = 64;

// A program's wishes beyond what queries and features need: its structures of features, which are asked for and enabled, and the
// names of their extensions. An extension that is not offered is left out, with its structure.
struct Extra {
  const char* extension = nullptr;  // null: of the core
  void* features = nullptr;         // VkBaseOutStructure
};

struct Bench {
  VkInstance instance = {};
  VkPhysicalDevice physical = {};
  VkDevice device = {};
  VkPhysicalDeviceFeatures features = {};
  VkPhysicalDeviceProperties properties = {};
  VkPhysicalDeviceVulkan11Features features11 = {};
  VkPhysicalDeviceVulkan12Features features12 = {};
  VkPhysicalDeviceVulkan13Features features13 = {};
  bool transform_feedback = false, geometry_streams = false, conditional = false, calibrated = false,
       primitives_generated = false, push_descriptors = false, subgroups_in_pixels = false;
  std::vector<Extra> extras;
  std::vector<std::string> enabled;  // extensions
  bool addresses = false;            // of buffers
  std::string name;
  std::vector<Queue> queues;  // queues[0] draws
  VkQueue binder = {};        // of sparse memory, if there is one; it may be none of the others
  VkPipelineLayout layout = {};
  VkDescriptorSetLayout set_layout = {};
  VkDescriptorPool sets = {};
  VkPipeline step = {};
  VkShaderModule cell_vertices = {}, cell_pixels = {}, cell_discards = {}, cell_control = {}, cell_evaluation = {},
                 cell_geometry = {}, capture = {}, streams = {};

  const Queue& graphics() const { return queues[0]; }
  bool has(const char* extension) const;  // of the extras

  // `what: value`; fits(): "ok", or what was wrong.
  void line(const std::string& what, const std::string& value);
  void number(const std::string& what, uint64_t value) { line(what, std::to_string(value)); }
  void fits(const std::string& what, bool right, const std::string& otherwise = "");
  unsigned cases = 0;

  // shared: among the families of all queues, without a transfer of ownership.
  Memory make_memory(VkDeviceSize bytes, uint32_t fill = 0, bool shared = false);
  VkDeviceMemory allocate(const VkMemoryRequirements& needs, VkMemoryPropertyFlags wanted);
  Picture make_picture(VkFormat format, VkExtent2D size, VkImageUsageFlags usage, VkSampleCountFlagBits samples,
                       VkImageAspectFlags aspect);
  Target make_target(VkSampleCountFlagBits samples);
  VkPipeline make_pipeline(const PipelineParts& parts);
  VkQueryPool make_queries(VkQueryType type, uint32_t count, VkQueryPipelineStatisticFlags statistics = 0);
  VkDescriptorSet make_set(const Memory& memory);

  VkCommandBuffer record(const Queue& queue, const std::function<void(VkCommandBuffer)>& commands);
  void run(const Queue& queue, const std::function<void(VkCommandBuffer)>& commands);
  void run(const std::function<void(VkCommandBuffer)>& commands) { run(graphics(), commands); }

  // One pass over the target; cleared or with what an earlier one left.
  void pass(VkCommandBuffer commands, const Target& target, bool clears, const std::function<void()>& draws,
            VkRenderingFlags flags = 0);
  void bind(VkCommandBuffer commands, VkPipeline pipeline, VkRect2D scissor = {{0, 0}, {kSize, kSize}});
  // Sets the place of cell 0, in pixels.
  void place(VkCommandBuffer commands, float x, float y, float width, float height, float depth);
  void steps(VkCommandBuffer commands, VkDescriptorSet set, uint32_t added, uint32_t groups);
  std::vector<uint32_t> read(const Target& target);

  template <class Function>
  Function extension(const char* function) const {
    return reinterpret_cast<Function>(vkGetDeviceProcAddr(device, function));
  }
};

void open_bench(Bench& bench);

struct Part {
  const char* name;
  void (*run)(Bench&);
};
// A program's main: the parts that its arguments name, or all, then the number of cases.
int run_parts(std::span<const Part> parts, int count, char** arguments, std::vector<Extra> extras = {});
void full_barrier(VkCommandBuffer commands);
std::string hash(const void* bytes, size_t size);

void occlusion_cases(Bench& bench);
void statistics_cases(Bench& bench);
void timestamp_cases(Bench& bench);
void transform_feedback_cases(Bench& bench);
void conditional_cases(Bench& bench);
void indirect_cases(Bench& bench);
void queue_cases(Bench& bench);
void copy_cases(Bench& bench);
void sparse_cases(Bench& bench);

}  // namespace vulkan
