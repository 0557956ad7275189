// The picture of this folder by Vulkan: rays_vulkan PNG [WIDTH HEIGHT [SAMPLES [GRID [SECONDS]]]] builds the scene's acceleration
// structures, has a compute shader send rays through them (query.comp), and writes what they see. SECONDS: it is then computed again for
// so long, as soon as it costs no less than before, and rays a second are printed. Ends with 77 if the device has no ray queries.
#include <vulkan/vulkan.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>
#include <vector>

#include "../png_file.h"
#include "rays_query.h"
#include "scene.h"

namespace {

constexpr const char* extensions[] = {VK_KHR_ACCELERATION_STRUCTURE_EXTENSION_NAME,
                                      VK_KHR_DEFERRED_HOST_OPERATIONS_EXTENSION_NAME, VK_KHR_RAY_QUERY_EXTENSION_NAME};

void check(VkResult result, const char* what) {
  if (result == VK_SUCCESS) return;
  std::fprintf(stderr, "rays_vulkan: %s: Vulkan result %d\n", what, int(result));
  std::exit(1);
}

struct Vulkan {
  VkPhysicalDevice physical = {};
  VkDevice device = {};
  VkQueue queue = {};
  VkCommandPool pool = {};

  template <class Function>
  Function function(const char* name) const {
    return reinterpret_cast<Function>(vkGetDeviceProcAddr(device, name));
  }
};

// The first device, if it has what is needed.
Vulkan open_device() {
  Vulkan v;
  VkApplicationInfo application{};
  application.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO;
  application.pApplicationName = "rays_vulkan";
  application.apiVersion = VK_API_VERSION_1_2;
  VkInstanceCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO;
  info.pApplicationInfo = &application;
  VkInstance instance;
  check(vkCreateInstance(&info, nullptr, &instance), "vkCreateInstance");
  uint32_t count = 1;
  if (vkEnumeratePhysicalDevices(instance, &count, &v.physical) < 0 || !count) {
    std::fprintf(stderr, "rays_vulkan: no Vulkan device\n");
    std::exit(77);
  }
  VkPhysicalDeviceProperties properties;
  vkGetPhysicalDeviceProperties(v.physical, &properties);
  std::printf("device: %s\n", properties.deviceName);
  vkEnumerateDeviceExtensionProperties(v.physical, nullptr, &count, nullptr);
  std::vector<VkExtensionProperties> offered(count);
  vkEnumerateDeviceExtensionProperties(v.physical, nullptr, &count, offered.data());
  for (const char* wanted : extensions) {
    bool found = false;
    for (const VkExtensionProperties& e : offered) found |= !std::strcmp(e.extensionName, wanted);
    if (found) continue;
    std::printf("skipped: the device has no %s\n", wanted);
    std::exit(77);
  }
  VkPhysicalDeviceRayQueryFeaturesKHR query{};
  query.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_RAY_QUERY_FEATURES_KHR;
  query.rayQuery = VK_TRUE;
  VkPhysicalDeviceAccelerationStructureFeaturesKHR structures{};
  structures.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ACCELERATION_STRUCTURE_FEATURES_KHR;
  structures.pNext = &query;
  structures.accelerationStructure = VK_TRUE;
  VkPhysicalDeviceVulkan12Features features{};
  features.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
  features.pNext = &structures;
  features.bufferDeviceAddress = VK_TRUE;
  const float priority = 1;
  VkDeviceQueueCreateInfo queue{};
  queue.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO;
  queue.queueCount = 1;  // family 0 of Mesa's drivers draws and computes
  queue.pQueuePriorities = &priority;
  VkDeviceCreateInfo device{};
  device.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO;
  device.pNext = &features;
  device.queueCreateInfoCount = 1, device.pQueueCreateInfos = &queue;
  device.enabledExtensionCount = sizeof extensions / sizeof *extensions, device.ppEnabledExtensionNames = extensions;
  check(vkCreateDevice(v.physical, &device, nullptr, &v.device), "vkCreateDevice");
  vkGetDeviceQueue(v.device, 0, 0, &v.queue);
  VkCommandPoolCreateInfo pool{};
  pool.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO;
  check(vkCreateCommandPool(v.device, &pool, nullptr, &v.pool), "vkCreateCommandPool");
  return v;
}

struct Buffer {
  VkBuffer handle = {};
  uint8_t* bytes = nullptr;
  VkDeviceAddress address = 0;
};

// Memory that both sides see.
Buffer make_buffer(const Vulkan& v, VkDeviceSize bytes) {
  Buffer made;
  VkBufferCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
  info.size = bytes;
  info.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT |
               VK_BUFFER_USAGE_ACCELERATION_STRUCTURE_STORAGE_BIT_KHR |
               VK_BUFFER_USAGE_ACCELERATION_STRUCTURE_BUILD_INPUT_READ_ONLY_BIT_KHR;
  check(vkCreateBuffer(v.device, &info, nullptr, &made.handle), "vkCreateBuffer");
  VkMemoryRequirements needs;
  vkGetBufferMemoryRequirements(v.device, made.handle, &needs);
  VkPhysicalDeviceMemoryProperties kinds;
  vkGetPhysicalDeviceMemoryProperties(v.physical, &kinds);
  constexpr VkMemoryPropertyFlags wanted = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
  VkMemoryAllocateFlagsInfo flags{};
  flags.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO;
  flags.flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT;
  VkMemoryAllocateInfo allocation{};
  allocation.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO;
  allocation.pNext = &flags;
  allocation.allocationSize = needs.size;
  for (; allocation.memoryTypeIndex < kinds.memoryTypeCount; allocation.memoryTypeIndex++)
    if (needs.memoryTypeBits >> allocation.memoryTypeIndex & 1 &&
        (kinds.memoryTypes[allocation.memoryTypeIndex].propertyFlags & wanted) == wanted)
      break;
  VkDeviceMemory memory;
  check(vkAllocateMemory(v.device, &allocation, nullptr, &memory), "vkAllocateMemory");
  check(vkBindBufferMemory(v.device, made.handle, memory, 0), "vkBindBufferMemory");
  void* mapped = nullptr;
  check(vkMapMemory(v.device, memory, 0, VK_WHOLE_SIZE, 0, &mapped), "vkMapMemory");
  made.bytes = static_cast<uint8_t*>(mapped);
  VkBufferDeviceAddressInfo place{};
  place.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO;
  place.buffer = made.handle;
  made.address = vkGetBufferDeviceAddress(v.device, &place);
  return made;
}

// Records, submits and waits.
template <class Record>
void run(const Vulkan& v, Record record) {
  VkCommandBufferAllocateInfo allocation{};
  allocation.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO;
  allocation.commandPool = v.pool;
  allocation.commandBufferCount = 1;
  VkCommandBuffer commands;
  check(vkAllocateCommandBuffers(v.device, &allocation, &commands), "vkAllocateCommandBuffers");
  VkCommandBufferBeginInfo begin{};
  begin.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
  check(vkBeginCommandBuffer(commands, &begin), "vkBeginCommandBuffer");
  record(commands);
  VkMemoryBarrier barrier{};
  barrier.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER;
  barrier.srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT, barrier.dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_HOST_READ_BIT;
  vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                       VK_PIPELINE_STAGE_ALL_COMMANDS_BIT | VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &barrier, 0, nullptr, 0, nullptr);
  check(vkEndCommandBuffer(commands), "vkEndCommandBuffer");
  VkSubmitInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
  info.commandBufferCount = 1, info.pCommandBuffers = &commands;
  check(vkQueueSubmit(v.queue, 1, &info, VK_NULL_HANDLE), "vkQueueSubmit");
  check(vkQueueWaitIdle(v.queue), "vkQueueWaitIdle");
  vkFreeCommandBuffers(v.device, v.pool, 1, &commands);
}

VkAccelerationStructureKHR build(const Vulkan& v, VkAccelerationStructureTypeKHR type,
                                 const VkAccelerationStructureGeometryKHR& geometry, uint32_t count, VkDeviceAddress& address) {
  VkAccelerationStructureBuildGeometryInfoKHR info{};
  info.sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_BUILD_GEOMETRY_INFO_KHR;
  info.type = type;
  info.flags = VK_BUILD_ACCELERATION_STRUCTURE_PREFER_FAST_TRACE_BIT_KHR;
  info.geometryCount = 1, info.pGeometries = &geometry;
  VkAccelerationStructureBuildSizesInfoKHR sizes{};
  sizes.sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_BUILD_SIZES_INFO_KHR;
  v.function<PFN_vkGetAccelerationStructureBuildSizesKHR>("vkGetAccelerationStructureBuildSizesKHR")(
      v.device, VK_ACCELERATION_STRUCTURE_BUILD_TYPE_DEVICE_KHR, &info, &count, &sizes);
  VkAccelerationStructureCreateInfoKHR create{};
  create.sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_CREATE_INFO_KHR;
  create.buffer = make_buffer(v, sizes.accelerationStructureSize).handle;
  create.size = sizes.accelerationStructureSize;
  create.type = type;
  VkAccelerationStructureKHR made;
  check(v.function<PFN_vkCreateAccelerationStructureKHR>("vkCreateAccelerationStructureKHR")(v.device, &create, nullptr, &made),
        "vkCreateAccelerationStructureKHR");
  info.dstAccelerationStructure = made;
  constexpr VkDeviceSize alignment = 256;
  info.scratchData.deviceAddress =
      (make_buffer(v, sizes.buildScratchSize + alignment).address + alignment - 1) & ~(alignment - 1);
  const VkAccelerationStructureBuildRangeInfoKHR range{count, 0, 0, 0}, *ranges = &range;
  const auto record = v.function<PFN_vkCmdBuildAccelerationStructuresKHR>("vkCmdBuildAccelerationStructuresKHR");
  run(v, [&](VkCommandBuffer commands) { record(commands, 1, &info, &ranges); });
  VkAccelerationStructureDeviceAddressInfoKHR place{};
  place.sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_DEVICE_ADDRESS_INFO_KHR;
  place.accelerationStructure = made;
  address =
      v.function<PFN_vkGetAccelerationStructureDeviceAddressKHR>("vkGetAccelerationStructureDeviceAddressKHR")(v.device, &place);
  return made;
}

// One instance of all triangles.
VkAccelerationStructureKHR build_scene(const Vulkan& v, const Buffer& corners, uint32_t triangles) {
  VkAccelerationStructureGeometryKHR geometry{};
  geometry.sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_GEOMETRY_KHR;
  geometry.flags = VK_GEOMETRY_OPAQUE_BIT_KHR;
  geometry.geometryType = VK_GEOMETRY_TYPE_TRIANGLES_KHR;
  auto& t = geometry.geometry.triangles;
  t.sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_GEOMETRY_TRIANGLES_DATA_KHR;
  t.vertexFormat = VK_FORMAT_R32G32B32_SFLOAT;
  t.vertexData.deviceAddress = corners.address;
  t.vertexStride = 16;
  t.maxVertex = triangles * 3 - 1;
  t.indexType = VK_INDEX_TYPE_NONE_KHR;
  VkAccelerationStructureInstanceKHR instance{};
  for (int n = 0; n < 3; n++) instance.transform.matrix[n][n] = 1;
  instance.mask = 0xff;
  VkDeviceAddress address = 0;
  build(v, VK_ACCELERATION_STRUCTURE_TYPE_BOTTOM_LEVEL_KHR, geometry, triangles, address);
  instance.accelerationStructureReference = address;
  const Buffer instances = make_buffer(v, sizeof instance);
  std::memcpy(instances.bytes, &instance, sizeof instance);
  geometry.geometryType = VK_GEOMETRY_TYPE_INSTANCES_KHR;
  geometry.geometry.instances = {};
  geometry.geometry.instances.sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_GEOMETRY_INSTANCES_DATA_KHR;
  geometry.geometry.instances.data.deviceAddress = instances.address;
  return build(v, VK_ACCELERATION_STRUCTURE_TYPE_TOP_LEVEL_KHR, geometry, 1, address);
}

struct Size {
  int32_t width, height, samples;
};

struct Pipeline {
  VkPipelineLayout layout = {};
  VkPipeline handle = {};
  VkDescriptorSet set = {};
};

Pipeline make_pipeline(const Vulkan& v, VkAccelerationStructureKHR scene, const Buffer& corners, const Buffer& pixels) {
  Pipeline made;
  VkDescriptorSetLayoutBinding bindings[3];
  for (uint32_t n = 0; n < 3; n++)
    bindings[n] = {n, n ? VK_DESCRIPTOR_TYPE_STORAGE_BUFFER : VK_DESCRIPTOR_TYPE_ACCELERATION_STRUCTURE_KHR, 1,
                   VK_SHADER_STAGE_COMPUTE_BIT, nullptr};
  VkDescriptorSetLayoutCreateInfo set{};
  set.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO;
  set.bindingCount = 3, set.pBindings = bindings;
  VkDescriptorSetLayout set_layout;
  check(vkCreateDescriptorSetLayout(v.device, &set, nullptr, &set_layout), "vkCreateDescriptorSetLayout");
  const VkPushConstantRange range{VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof(Size)};
  VkPipelineLayoutCreateInfo layout{};
  layout.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO;
  layout.setLayoutCount = 1, layout.pSetLayouts = &set_layout;
  layout.pushConstantRangeCount = 1, layout.pPushConstantRanges = &range;
  check(vkCreatePipelineLayout(v.device, &layout, nullptr, &made.layout), "vkCreatePipelineLayout");
  VkShaderModuleCreateInfo code{};
  code.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO;
  code.codeSize = sizeof rays_query, code.pCode = rays_query;
  VkComputePipelineCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO;
  info.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
  info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
  info.stage.pName = "main";
  check(vkCreateShaderModule(v.device, &code, nullptr, &info.stage.module), "vkCreateShaderModule");
  info.layout = made.layout;
  check(vkCreateComputePipelines(v.device, {}, 1, &info, nullptr, &made.handle), "vkCreateComputePipelines");

  const VkDescriptorPoolSize sizes[] = {{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 2},
                                        {VK_DESCRIPTOR_TYPE_ACCELERATION_STRUCTURE_KHR, 1}};
  VkDescriptorPoolCreateInfo pool{};
  pool.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO;
  pool.maxSets = 1, pool.poolSizeCount = 2, pool.pPoolSizes = sizes;
  VkDescriptorPool sets;
  check(vkCreateDescriptorPool(v.device, &pool, nullptr, &sets), "vkCreateDescriptorPool");
  VkDescriptorSetAllocateInfo allocation{};
  allocation.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO;
  allocation.descriptorPool = sets, allocation.descriptorSetCount = 1, allocation.pSetLayouts = &set_layout;
  check(vkAllocateDescriptorSets(v.device, &allocation, &made.set), "vkAllocateDescriptorSets");
  VkWriteDescriptorSetAccelerationStructureKHR structure{};
  structure.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET_ACCELERATION_STRUCTURE_KHR;
  structure.accelerationStructureCount = 1, structure.pAccelerationStructures = &scene;
  const VkDescriptorBufferInfo buffers[] = {{corners.handle, 0, VK_WHOLE_SIZE}, {pixels.handle, 0, VK_WHOLE_SIZE}};
  VkWriteDescriptorSet writes[3] = {};
  for (uint32_t n = 0; n < 3; n++) {
    writes[n].sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET;
    writes[n].dstSet = made.set, writes[n].dstBinding = n, writes[n].descriptorCount = 1;
    writes[n].descriptorType = bindings[n].descriptorType;
    if (n)
      writes[n].pBufferInfo = &buffers[n - 1];
    else
      writes[n].pNext = &structure;
  }
  vkUpdateDescriptorSets(v.device, 3, writes, 0, nullptr);
  return made;
}

double seconds(clockid_t clock) {
  timespec now;
  clock_gettime(clock, &now);
  return double(now.tv_sec) + double(now.tv_nsec) * 1e-9;
}

int number(int argc, char** argv, int at, int otherwise, int least, int most) {
  if (at >= argc) return otherwise;
  const int value = std::atoi(argv[at]);
  if (value >= least && value <= most) return value;
  std::fprintf(stderr, "rays_vulkan: '%s' is not from %d to %d\n", argv[at], least, most);
  std::exit(2);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2 || argc > 7 || argc == 3 || argv[1][0] == '-') {
    std::fprintf(stderr, "usage: rays_vulkan PNG [WIDTH HEIGHT [SAMPLES [GRID [SECONDS]]]]\n");
    return 2;
  }
  const Size size{number(argc, argv, 2, 640, 1, 8192), number(argc, argv, 3, 360, 1, 8192), number(argc, argv, 4, 2, 1, 8)};
  const std::vector<Triangle> triangles = atoll_scene(number(argc, argv, 5, 150, 4, 400));
  const int hold = number(argc, argv, 6, 0, 0, 3600);
  const Vulkan v = open_device();
  const size_t pixels = size_t(size.width) * size_t(size.height);
  // Three corners of four floats each; behind the first its colour.
  const Buffer corners = make_buffer(v, triangles.size() * 48), picture = make_buffer(v, pixels * 4);
  auto* to = reinterpret_cast<float*>(corners.bytes);
  for (const Triangle& t : triangles)
    for (int c = 0; c < 3; c++, to += 4) {
      for (int axis = 0; axis < 3; axis++) to[axis] = t.corner[c][axis];
      std::memcpy(to + 3, &t.colour, 4);
    }
  const VkAccelerationStructureKHR scene = build_scene(v, corners, uint32_t(triangles.size()));
  const Pipeline pipeline = make_pipeline(v, scene, corners, picture);
  auto compute = [&] {
    run(v, [&](VkCommandBuffer commands) {
      vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline.handle);
      vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline.layout, 0, 1, &pipeline.set, 0, nullptr);
      vkCmdPushConstants(commands, pipeline.layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof size, &size);
      vkCmdDispatch(commands, uint32_t(size.width + 7) / 8, uint32_t(size.height + 7) / 8, 1);
    });
  };
  compute();
  double rays = 0;
  for (size_t n = 0; n < pixels; n++) rays += picture.bytes[n * 4 + 3];
  std::printf("triangles: %zu\nrays: %.0f\n", triangles.size(), rays);
  if (hold) {
    // Until it costs no less than before (code is still compiled), then for so long. The best round is one beside which least was compiled.
    constexpr int most_rounds = 100;
    double least = 1e30;
    auto round = [&] {
      const double start = seconds(CLOCK_PROCESS_CPUTIME_ID);
      compute();
      const double took = seconds(CLOCK_PROCESS_CPUTIME_ID) - start;
      const bool calm = took > least * 0.94;
      least = took < least ? took : least;
      return calm;
    };
    for (int calm = 0, n = 0; calm < 3 && n < most_rounds; n++) calm = round() ? calm + 1 : 0;
    const double wall = seconds(CLOCK_MONOTONIC), cpu = seconds(CLOCK_PROCESS_CPUTIME_ID);
    double times = 0;
    for (; seconds(CLOCK_MONOTONIC) < wall + hold; times++) round();
    std::printf("rays a second of the processor: %.0f, in the best round %.0f\nrays a second: %.0f\n",
                rays * times / (seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu), rays / least,
                rays * times / (seconds(CLOCK_MONOTONIC) - wall));
  }
  std::vector<uint8_t> texels(picture.bytes, picture.bytes + pixels * 4);
  for (size_t n = 0; n < pixels; n++) texels[n * 4 + 3] = 255;
  return write_png("rays_vulkan", argv[1], size_t(size.width), size_t(size.height), texels.data()) ? 0 : 1;
}
