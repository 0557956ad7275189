// The base of the cases of rays: acceleration structures of a scene, a pipeline that queries, a pipeline of ray stages with its
// table of shader records.
#pragma once
#include "feature_bench.h"
#include "ray_scene.h"

namespace vulkan {

struct Structure {
  VkAccelerationStructureKHR handle = {};
  VkDeviceAddress address = 0;
  Memory memory, scratch;
  VkAccelerationStructureTypeKHR type = {};
};

struct RayFunctions {
  PFN_vkCreateAccelerationStructureKHR create = {};
  PFN_vkGetAccelerationStructureBuildSizesKHR sizes = {};
  PFN_vkGetAccelerationStructureDeviceAddressKHR address = {};
  PFN_vkCmdBuildAccelerationStructuresKHR build = {};
  PFN_vkCmdCopyAccelerationStructureKHR copy = {};
  PFN_vkCmdCopyAccelerationStructureToMemoryKHR serialize = {};
  PFN_vkCmdCopyMemoryToAccelerationStructureKHR deserialize = {};
  PFN_vkCmdWriteAccelerationStructuresPropertiesKHR properties = {};
  PFN_vkCreateRayTracingPipelinesKHR pipelines = {};
  PFN_vkGetRayTracingShaderGroupHandlesKHR handles = {};
  PFN_vkCmdTraceRaysKHR trace = {};
  PFN_vkCmdTraceRaysIndirectKHR trace_indirect = {};
};

struct BuildOptions {
  VkBuildAccelerationStructureFlagsKHR flags = VK_BUILD_ACCELERATION_STRUCTURE_PREFER_FAST_TRACE_BIT_KHR;
  bool indirect_instances = false;  // an array of pointers to instances
};

// The records of a table: hit groups for triangles and spheres in turn, two of miss, two callable.
struct Table {
  VkPipeline pipeline = {};
  Memory memory;
  VkStridedDeviceAddressRegionKHR raygen{}, miss{}, hit{}, callable{};
};
constexpr uint32_t kHitRecords = 16;

struct RayBench {
  explicit RayBench(Bench& bench);
  Bench& b;
  RayFunctions call;
  bool queries = false, pipelines = false;
  VkDescriptorSetLayout set_layout = {};
  VkPipelineLayout layout = {};
  VkDescriptorPool sets = {};
  VkPipeline query = {};

  // A structure of a bottom, with what a rebuild or an update of it needs. `source`: an update of that one.
  Structure build_bottom(const Bottom& bottom, const BuildOptions& options, const Structure* source = nullptr);
  Structure build_top(const Scene& scene, const std::vector<Structure>& bottoms, const BuildOptions& options,
                      const Structure* source = nullptr);
  std::vector<Structure> build_bottoms(const Scene& scene, const BuildOptions& options);
  Structure make_structure(VkAccelerationStructureTypeKHR type, VkDeviceSize bytes);
  uint64_t property(const Structure& structure, VkQueryType type);

  // The hits of rays: results of kResultWords words each.
  std::vector<uint32_t> run_query(const Scene& scene, const Structure& top, const std::vector<Ray>& rays);
  Table make_table();
  std::vector<uint32_t> run_trace(const Table& table, const Scene& scene, const Structure& top, const std::vector<Ray>& rays,
                                  bool indirect = false);
  struct Bound {
    VkDescriptorSet set = {};
    Memory results;
  };
  Bound bind(const Scene& scene, const Structure& top, const std::vector<Ray>& rays);

private:
  Structure build(VkAccelerationStructureTypeKHR type, const std::vector<VkAccelerationStructureGeometryKHR>& geometries,
                  const std::vector<uint32_t>& counts, const BuildOptions& options, const Structure* source);
};

}  // namespace vulkan
