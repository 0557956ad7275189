#include "ray_bench.h"

#include <ray_calls.h>
#include <ray_generation.h>
#include <ray_hits_sphere.h>
#include <ray_hits_triangle.h>
#include <ray_misses.h>
#include <ray_passes_over.h>
#include <ray_queries.h>
#include <ray_spheres.h>

#include <bit>
#include <cmath>
#include <cstring>

#include "graphics_pipeline.h"

namespace vulkan {

RayBench::RayBench(Bench& bench) : b(bench) {
  queries = b.has(VK_KHR_RAY_QUERY_EXTENSION_NAME) && b.has(VK_KHR_ACCELERATION_STRUCTURE_EXTENSION_NAME);
  pipelines = b.has(VK_KHR_RAY_TRACING_PIPELINE_EXTENSION_NAME) && b.has(VK_KHR_ACCELERATION_STRUCTURE_EXTENSION_NAME);
  if (!queries) return;
  call.create = b.extension<PFN_vkCreateAccelerationStructureKHR>("vkCreateAccelerationStructureKHR");
  call.sizes = b.extension<PFN_vkGetAccelerationStructureBuildSizesKHR>("vkGetAccelerationStructureBuildSizesKHR");
  call.address = b.extension<PFN_vkGetAccelerationStructureDeviceAddressKHR>("vkGetAccelerationStructureDeviceAddressKHR");
  call.build = b.extension<PFN_vkCmdBuildAccelerationStructuresKHR>("vkCmdBuildAccelerationStructuresKHR");
  call.copy = b.extension<PFN_vkCmdCopyAccelerationStructureKHR>("vkCmdCopyAccelerationStructureKHR");
  call.serialize = b.extension<PFN_vkCmdCopyAccelerationStructureToMemoryKHR>("vkCmdCopyAccelerationStructureToMemoryKHR");
  call.deserialize = b.extension<PFN_vkCmdCopyMemoryToAccelerationStructureKHR>("vkCmdCopyMemoryToAccelerationStructureKHR");
  call.properties =
      b.extension<PFN_vkCmdWriteAccelerationStructuresPropertiesKHR>("vkCmdWriteAccelerationStructuresPropertiesKHR");
  call.pipelines = b.extension<PFN_vkCreateRayTracingPipelinesKHR>("vkCreateRayTracingPipelinesKHR");
  call.handles = b.extension<PFN_vkGetRayTracingShaderGroupHandlesKHR>("vkGetRayTracingShaderGroupHandlesKHR");
  call.trace = b.extension<PFN_vkCmdTraceRaysKHR>("vkCmdTraceRaysKHR");
  call.trace_indirect = b.extension<PFN_vkCmdTraceRaysIndirectKHR>("vkCmdTraceRaysIndirectKHR");

  constexpr uint32_t kBindings = 5;
  VkShaderStageFlags stages = VK_SHADER_STAGE_COMPUTE_BIT | VK_SHADER_STAGE_FRAGMENT_BIT;
  if (pipelines)
    stages |= VK_SHADER_STAGE_RAYGEN_BIT_KHR | VK_SHADER_STAGE_ANY_HIT_BIT_KHR | VK_SHADER_STAGE_CLOSEST_HIT_BIT_KHR |
              VK_SHADER_STAGE_MISS_BIT_KHR | VK_SHADER_STAGE_INTERSECTION_BIT_KHR;
  VkDescriptorSetLayoutBinding bindings[kBindings];
  for (uint32_t n = 0; n < kBindings; n++)
    bindings[n] = {n, n ? VK_DESCRIPTOR_TYPE_STORAGE_BUFFER : VK_DESCRIPTOR_TYPE_ACCELERATION_STRUCTURE_KHR, 1, stages, nullptr};
  VkDescriptorSetLayoutCreateInfo set{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, nullptr, 0, kBindings, bindings};
  check(vkCreateDescriptorSetLayout(b.device, &set, nullptr, &set_layout), "vkCreateDescriptorSetLayout");
  VkPipelineLayoutCreateInfo whole{VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO, nullptr, 0, 1, &set_layout};
  check(vkCreatePipelineLayout(b.device, &whole, nullptr, &layout), "vkCreatePipelineLayout");
  const VkDescriptorPoolSize sizes[] = {{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 800},
                                        {VK_DESCRIPTOR_TYPE_ACCELERATION_STRUCTURE_KHR, 200}};
  VkDescriptorPoolCreateInfo pool{VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO, nullptr, 0, 200, 2, sizes};
  check(vkCreateDescriptorPool(b.device, &pool, nullptr, &sets), "vkCreateDescriptorPool");
  VkComputePipelineCreateInfo compute{VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
  compute.stage = shader_stage(VK_SHADER_STAGE_COMPUTE_BIT, make_shader(b, ray_queries, sizeof ray_queries));
  compute.layout = layout;
  check(vkCreateComputePipelines(b.device, {}, 1, &compute, nullptr, &query), "vkCreateComputePipelines");
}

Structure RayBench::make_structure(VkAccelerationStructureTypeKHR type, VkDeviceSize bytes) {
  Structure made;
  made.type = type;
  made.memory = b.make_memory(bytes);
  VkAccelerationStructureCreateInfoKHR info{VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_CREATE_INFO_KHR};
  info.buffer = made.memory.buffer;
  info.size = bytes;
  info.type = type;
  check(call.create(b.device, &info, nullptr, &made.handle), "vkCreateAccelerationStructureKHR");
  VkAccelerationStructureDeviceAddressInfoKHR place{VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_DEVICE_ADDRESS_INFO_KHR, nullptr,
                                                    made.handle};
  made.address = call.address(b.device, &place);
  return made;
}

Structure RayBench::build(VkAccelerationStructureTypeKHR type, const std::vector<VkAccelerationStructureGeometryKHR>& geometries,
                          const std::vector<uint32_t>& counts, const BuildOptions& options, const Structure* source) {
  VkAccelerationStructureBuildGeometryInfoKHR info{VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_BUILD_GEOMETRY_INFO_KHR};
  info.type = type;
  info.flags = options.flags;
  info.mode = source ? VK_BUILD_ACCELERATION_STRUCTURE_MODE_UPDATE_KHR : VK_BUILD_ACCELERATION_STRUCTURE_MODE_BUILD_KHR;
  info.geometryCount = uint32_t(geometries.size());
  info.pGeometries = geometries.data();
  VkAccelerationStructureBuildSizesInfoKHR sizes{VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_BUILD_SIZES_INFO_KHR};
  call.sizes(b.device, VK_ACCELERATION_STRUCTURE_BUILD_TYPE_DEVICE_KHR, &info, counts.data(), &sizes);
  Structure made = make_structure(type, sizes.accelerationStructureSize);
  made.scratch = b.make_memory((source ? sizes.updateScratchSize : sizes.buildScratchSize) + 256);
  info.dstAccelerationStructure = made.handle;
  info.srcAccelerationStructure = source ? source->handle : VK_NULL_HANDLE;
  info.scratchData.deviceAddress = (made.scratch.address + 255) & ~uint64_t(255);
  std::vector<VkAccelerationStructureBuildRangeInfoKHR> ranges;
  for (uint32_t count : counts) ranges.push_back({count, 0, 0, 0});
  const VkAccelerationStructureBuildRangeInfoKHR* all = ranges.data();
  b.run([&](VkCommandBuffer c) {
    call.build(c, 1, &info, &all);
    full_barrier(c);
  });
  return made;
}

namespace {

uint16_t to_half(float value) {
  // (Values here are in range and no denormals; the last bits are cut off, which the scene's own corners say as well.)
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  if ((bits & 0x7fff'ffff) == 0) return uint16_t(bits >> 16);
  return uint16_t((bits >> 16 & 0x8000) | (((bits >> 13) & 0x3ffff) - (112 << 10)));
}

// Corners as the form has them; 4 bytes behind each other's start.
void put_corner(const std::array<float, 3>& corner, VertexForm form, uint8_t* to) {
  if (form == VertexForm::floats || form == VertexForm::pairs) {
    std::memcpy(to, corner.data(), form == VertexForm::pairs ? 8 : 12);
    return;
  }
  for (int k = 0; k < 3; k++) {
    const uint16_t word = form == VertexForm::halves ? to_half(corner[k]) : uint16_t(int16_t(std::lround(corner[k] * 32767)));
    std::memcpy(to + 2 * k, &word, 2);
  }
}

VkFormat format_of(VertexForm form) {
  switch (form) {
    case VertexForm::floats: return VK_FORMAT_R32G32B32_SFLOAT;
    case VertexForm::pairs: return VK_FORMAT_R32G32_SFLOAT;
    case VertexForm::halves: return VK_FORMAT_R16G16B16A16_SFLOAT;
    case VertexForm::signed_fractions: break;
  }
  return VK_FORMAT_R16G16B16A16_SNORM;
}

}  // namespace

Structure RayBench::build_bottom(const Bottom& bottom, const BuildOptions& options, const Structure* source) {
  std::vector<VkAccelerationStructureGeometryKHR> geometries;
  std::vector<uint32_t> counts;
  for (const Geometry& from : bottom.geometries) {
    VkAccelerationStructureGeometryKHR to{VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_GEOMETRY_KHR};
    to.flags = from.opaque ? VK_GEOMETRY_OPAQUE_BIT_KHR : 0;
    counts.push_back(uint32_t(from.primitives()));
    if (!from.spheres.empty()) {
      to.geometryType = VK_GEOMETRY_TYPE_AABBS_KHR;
      constexpr uint32_t stride = 32;  // of 24 bytes each
      const Memory boxes = b.make_memory(from.spheres.size() * stride);
      for (size_t n = 0; n < from.spheres.size(); n++)
        for (int axis = 0; axis < 3; axis++)
          for (int side = 0; side < 2; side++) {
            const float at = from.spheres[n].centre[axis] + (side ? 1.001f : -1.001f) * from.spheres[n].radius;
            boxes.words[n * stride / 4 + side * 3 + axis] = std::bit_cast<uint32_t>(at);
          }
      to.geometry.aabbs = {VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_GEOMETRY_AABBS_DATA_KHR, nullptr, {boxes.address}, stride};
    } else {
      to.geometryType = VK_GEOMETRY_TYPE_TRIANGLES_KHR;
      auto& t = to.geometry.triangles;
      t.sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_GEOMETRY_TRIANGLES_DATA_KHR;
      t.vertexFormat = format_of(from.vertices);
      t.vertexStride = 20;
      if (from.vertices != VertexForm::floats && from.vertices != VertexForm::pairs) t.vertexStride = 8;
      const size_t count = from.corners.size();
      const Memory corners = b.make_memory(count * t.vertexStride + 16);
      // Indexed, corners stand the other way round.
      const bool indexed = from.indices != IndexForm::none;
      for (size_t n = 0; n < count; n++)
        put_corner(from.corners[n], from.vertices,
                   reinterpret_cast<uint8_t*>(corners.words) + (indexed ? count - 1 - n : n) * t.vertexStride);
      t.vertexData.deviceAddress = corners.address;
      t.maxVertex = uint32_t(count - 1);
      t.indexType = VK_INDEX_TYPE_NONE_KHR;
      if (indexed) {
        const Memory indices = b.make_memory(count * 4);
        t.indexType = from.indices == IndexForm::words ? VK_INDEX_TYPE_UINT32 : VK_INDEX_TYPE_UINT16;
        for (size_t n = 0; n < count; n++) {
          if (from.indices == IndexForm::words)
            indices.words[n] = uint32_t(count - 1 - n);
          else
            reinterpret_cast<uint16_t*>(indices.words)[n] = uint16_t(count - 1 - n);
        }
        t.indexData.deviceAddress = indices.address;
      }
      if (from.transformed) {
        const Memory transform = b.make_memory(48);
        std::memcpy(transform.words, from.transform, 48);
        t.transformData.deviceAddress = transform.address;
      }
    }
    geometries.push_back(to);
  }
  return build(VK_ACCELERATION_STRUCTURE_TYPE_BOTTOM_LEVEL_KHR, geometries, counts, options, source);
}

std::vector<Structure> RayBench::build_bottoms(const Scene& scene, const BuildOptions& options) {
  std::vector<Structure> made;
  for (const Bottom& bottom : scene.bottoms) made.push_back(build_bottom(bottom, options));
  return made;
}

Structure RayBench::build_top(const Scene& scene, const std::vector<Structure>& bottoms, const BuildOptions& options,
                              const Structure* source) {
  const Memory instances = b.make_memory(std::max<size_t>(1, scene.instances.size()) * 64);
  for (size_t n = 0; n < scene.instances.size(); n++) {
    const Instance& from = scene.instances[n];
    VkAccelerationStructureInstanceKHR to{};
    std::memcpy(&to.transform, from.transform, sizeof to.transform);
    to.instanceCustomIndex = from.custom & 0xff'ffff, to.mask = from.mask & 0xff;
    to.instanceShaderBindingTableRecordOffset = from.offset & 0xff'ffff, to.flags = from.flags & 0xff;
    to.accelerationStructureReference = from.there ? bottoms[from.bottom].address : 0;
    std::memcpy(instances.words + n * 16, &to, 64);
  }
  VkAccelerationStructureGeometryKHR geometry{VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_GEOMETRY_KHR};
  geometry.geometryType = VK_GEOMETRY_TYPE_INSTANCES_KHR;
  geometry.geometry.instances = {
      VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_GEOMETRY_INSTANCES_DATA_KHR, nullptr, VK_FALSE, {instances.address}};
  if (options.indirect_instances) {
    const Memory pointers = b.make_memory(scene.instances.size() * 8);
    for (size_t n = 0; n < scene.instances.size(); n++) {
      const uint64_t at = instances.address + n * 64;
      std::memcpy(pointers.words + n * 2, &at, 8);
    }
    geometry.geometry.instances.arrayOfPointers = VK_TRUE;
    geometry.geometry.instances.data.deviceAddress = pointers.address;
  }
  return build(VK_ACCELERATION_STRUCTURE_TYPE_TOP_LEVEL_KHR, {geometry}, {uint32_t(scene.instances.size())}, options, source);
}

uint64_t RayBench::property(const Structure& structure, VkQueryType type) {
  const VkQueryPool pool = b.make_queries(type, 1);
  uint64_t value = 0;
  b.run([&](VkCommandBuffer c) {
    vkCmdResetQueryPool(c, pool, 0, 1);
    call.properties(c, 1, &structure.handle, type, pool, 0);
  });
  check(vkGetQueryPoolResults(b.device, pool, 0, 1, 8, &value, 8, VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT),
        "vkGetQueryPoolResults");
  return value;
}

RayBench::Bound RayBench::bind(const Scene& scene, const Structure& top, const std::vector<Ray>& rays) {
  Bound bound;
  bound.results = b.make_memory(rays.size() * kResultWords * 4, 0xdead'beef);
  const Memory in = b.make_memory(rays.size() * sizeof(Ray));
  std::memcpy(in.words, rays.data(), in.bytes);
  std::vector<Sphere> spheres(1);
  uint32_t most = 0;
  for (const Instance& i : scene.instances) most = std::max(most, i.custom);
  const Memory first = b.make_memory((most + 1) * 4);
  for (const Instance& i : scene.instances) {
    first.words[i.custom] = uint32_t(spheres.size());
    for (const Geometry& g : scene.bottoms[i.bottom].geometries) {
      const size_t at = spheres.size();
      spheres.insert(spheres.end(), g.spheres.begin(), g.spheres.end());
      spheres.resize(at + kSpheresOfGeometry);
    }
  }
  const Memory round = b.make_memory(spheres.size() * sizeof(Sphere));
  std::memcpy(round.words, spheres.data(), round.bytes);

  VkDescriptorSetAllocateInfo info{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO, nullptr, sets, 1, &set_layout};
  check(vkAllocateDescriptorSets(b.device, &info, &bound.set), "vkAllocateDescriptorSets");
  VkWriteDescriptorSetAccelerationStructureKHR structure{VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET_ACCELERATION_STRUCTURE_KHR,
                                                         nullptr, 1, &top.handle};
  const VkDescriptorBufferInfo buffers[] = {{in.buffer, 0, VK_WHOLE_SIZE},
                                            {bound.results.buffer, 0, VK_WHOLE_SIZE},
                                            {round.buffer, 0, VK_WHOLE_SIZE},
                                            {first.buffer, 0, VK_WHOLE_SIZE}};
  VkWriteDescriptorSet writes[5];
  for (uint32_t n = 0; n < 5; n++) {
    writes[n] = {VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                 nullptr,
                 bound.set,
                 n,
                 0,
                 1,
                 n ? VK_DESCRIPTOR_TYPE_STORAGE_BUFFER : VK_DESCRIPTOR_TYPE_ACCELERATION_STRUCTURE_KHR};
    if (n == 0)
      writes[n].pNext = &structure;
    else
      writes[n].pBufferInfo = &buffers[n - 1];
  }
  vkUpdateDescriptorSets(b.device, 5, writes, 0, nullptr);
  return bound;
}

std::vector<uint32_t> RayBench::run_query(const Scene& scene, const Structure& top, const std::vector<Ray>& rays) {
  const Bound bound = bind(scene, top, rays);
  b.run([&](VkCommandBuffer c) {
    vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_COMPUTE, query);
    vkCmdBindDescriptorSets(c, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &bound.set, 0, nullptr);
    vkCmdDispatch(c, uint32_t(rays.size() + 63) / 64, 1, 1);
  });
  return {bound.results.words, bound.results.words + bound.results.bytes / 4};
}

// Records: a handle of 32 bytes and a word behind it.
Table RayBench::make_table() {
  Table table;
  enum Module : uint32_t { generation, misses, hits_triangle, hits_sphere, passes_over, spheres, calls };
#define MODULE(name) make_shader(b, name, sizeof name)
  const VkPipelineShaderStageCreateInfo stages[] = {shader_stage(VK_SHADER_STAGE_RAYGEN_BIT_KHR, MODULE(ray_generation)),
                                                    shader_stage(VK_SHADER_STAGE_MISS_BIT_KHR, MODULE(ray_misses)),
                                                    shader_stage(VK_SHADER_STAGE_CLOSEST_HIT_BIT_KHR, MODULE(ray_hits_triangle)),
                                                    shader_stage(VK_SHADER_STAGE_CLOSEST_HIT_BIT_KHR, MODULE(ray_hits_sphere)),
                                                    shader_stage(VK_SHADER_STAGE_ANY_HIT_BIT_KHR, MODULE(ray_passes_over)),
                                                    shader_stage(VK_SHADER_STAGE_INTERSECTION_BIT_KHR, MODULE(ray_spheres)),
                                                    shader_stage(VK_SHADER_STAGE_CALLABLE_BIT_KHR, MODULE(ray_calls))};
#undef MODULE
  constexpr uint32_t none = VK_SHADER_UNUSED_KHR;
  auto group = [](VkRayTracingShaderGroupTypeKHR type, uint32_t general, uint32_t closest, uint32_t any, uint32_t intersection) {
    return VkRayTracingShaderGroupCreateInfoKHR{
        VK_STRUCTURE_TYPE_RAY_TRACING_SHADER_GROUP_CREATE_INFO_KHR, nullptr, type, general, closest, any, intersection, nullptr};
  };
  const auto general = VK_RAY_TRACING_SHADER_GROUP_TYPE_GENERAL_KHR;
  const VkRayTracingShaderGroupCreateInfoKHR groups[] = {
      group(general, generation, none, none, none), group(general, misses, none, none, none),
      group(general, calls, none, none, none),
      group(VK_RAY_TRACING_SHADER_GROUP_TYPE_TRIANGLES_HIT_GROUP_KHR, none, hits_triangle, passes_over, none),
      group(VK_RAY_TRACING_SHADER_GROUP_TYPE_PROCEDURAL_HIT_GROUP_KHR, none, hits_sphere, passes_over, spheres)};
  VkRayTracingPipelineCreateInfoKHR info{VK_STRUCTURE_TYPE_RAY_TRACING_PIPELINE_CREATE_INFO_KHR};
  info.stageCount = uint32_t(std::size(stages)), info.pStages = stages;
  info.groupCount = uint32_t(std::size(groups)), info.pGroups = groups;
  info.maxPipelineRayRecursionDepth = 2;
  info.layout = layout;
  check(call.pipelines(b.device, {}, {}, 1, &info, nullptr, &table.pipeline), "vkCreateRayTracingPipelinesKHR");
  VkPhysicalDeviceRayTracingPipelinePropertiesKHR limits{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_RAY_TRACING_PIPELINE_PROPERTIES_KHR};
  VkPhysicalDeviceProperties2 properties{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &limits};
  vkGetPhysicalDeviceProperties2(b.physical, &properties);
  const uint32_t handle = limits.shaderGroupHandleSize;
  std::vector<uint8_t> handles(size_t(handle) * info.groupCount);
  check(call.handles(b.device, table.pipeline, 0, info.groupCount, handles.size(), handles.data()),
        "vkGetRayTracingShaderGroupHandlesKHR");
  const uint32_t alignment = limits.shaderGroupHandleAlignment;
  const uint32_t stride = (handle + 4 + alignment - 1) / alignment * alignment, part = 64 * stride;
  table.memory = b.make_memory(4 * part + limits.shaderGroupBaseAlignment);
  const uint64_t base = (table.memory.address + limits.shaderGroupBaseAlignment - 1) / limits.shaderGroupBaseAlignment *
                        limits.shaderGroupBaseAlignment;
  auto put = [&](uint32_t of_part, uint32_t record, uint32_t of_group, uint32_t word) {
    uint8_t* to =
        reinterpret_cast<uint8_t*>(table.memory.words) + (base - table.memory.address) + of_part * part + record * stride;
    std::memcpy(to, &handles[size_t(of_group) * handle], handle);
    std::memcpy(to + handle, &word, 4);
  };
  put(0, 0, 0, 0);
  for (uint32_t n = 0; n < 2; n++) put(1, n, 1, 100 + n), put(2, n, 2, 1000 * (n + 1));
  for (uint32_t n = 0; n < kHitRecords; n++) put(3, n, 3 + n % 2, n);
  table.raygen = {base, stride, stride};
  table.miss = {base + part, stride, 2 * stride};
  table.callable = {base + 2 * part, stride, 2 * stride};
  table.hit = {base + 3 * part, stride, kHitRecords * stride};
  return table;
}

std::vector<uint32_t> RayBench::run_trace(const Table& table, const Scene& scene, const Structure& top,
                                          const std::vector<Ray>& rays, bool indirect) {
  const Bound bound = bind(scene, top, rays);
  const Memory size = b.make_memory(12);
  const uint32_t width = 37, height = 5;
  size.words[0] = width, size.words[1] = height, size.words[2] = uint32_t(rays.size() + width * height - 1) / (width * height);
  b.run([&](VkCommandBuffer c) {
    vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_RAY_TRACING_KHR, table.pipeline);
    vkCmdBindDescriptorSets(c, VK_PIPELINE_BIND_POINT_RAY_TRACING_KHR, layout, 0, 1, &bound.set, 0, nullptr);
    if (indirect)
      call.trace_indirect(c, &table.raygen, &table.miss, &table.hit, &table.callable, size.address);
    else
      call.trace(c, &table.raygen, &table.miss, &table.hit, &table.callable, size.words[0], size.words[1], size.words[2]);
  });
  return {bound.results.words, bound.results.words + bound.results.bytes / 4};
}

}  // namespace vulkan
