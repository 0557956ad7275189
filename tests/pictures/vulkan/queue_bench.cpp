#include "queue_bench.h"

#include <capture.h>
#include <cell_control.h>
#include <cell_discards.h>
#include <cell_evaluation.h>
#include <cell_geometry.h>
#include <cell_pixels.h>
#include <cell_vertices.h>
#include <step.h>
#include <streams.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "graphics_pipeline.h"

namespace vulkan {

std::string hash(const void* bytes, size_t size) {
  uint64_t value = 0xcbf29ce484222325;
  for (size_t i = 0; i < size; i++) value = (value ^ static_cast<const uint8_t*>(bytes)[i]) * 0x100000001b3;
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(value));
  return text;
}

void full_barrier(VkCommandBuffer commands) {
  VkMemoryBarrier barrier{VK_STRUCTURE_TYPE_MEMORY_BARRIER, nullptr, VK_ACCESS_MEMORY_WRITE_BIT,
                          VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT};
  vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                       VK_PIPELINE_STAGE_ALL_COMMANDS_BIT | VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &barrier, 0, nullptr, 0, nullptr);
}

void Bench::line(const std::string& what, const std::string& value) {
  std::printf("%s: %s\n", what.c_str(), value.c_str());
  std::fflush(stdout);
  cases++;
}

void Bench::fits(const std::string& what, bool right, const std::string& otherwise) {
  line(what, right ? "ok" : "wrong" + (otherwise.empty() ? "" : ", " + otherwise));
}

static VkShaderModule shader(VkDevice device, const uint32_t* words, size_t bytes) {
  VkShaderModuleCreateInfo info{VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, nullptr, 0, bytes, words};
  VkShaderModule result;
  check(vkCreateShaderModule(device, &info, nullptr, &result), "vkCreateShaderModule");
  return result;
}

// All queues that there are, with everything that the cases use and the device offers.
static void make_device(Bench& b) {
  uint32_t count = 0;
  vkEnumerateDeviceExtensionProperties(b.physical, nullptr, &count, nullptr);
  std::vector<VkExtensionProperties> offered(count);
  vkEnumerateDeviceExtensionProperties(b.physical, nullptr, &count, offered.data());
  std::vector<const char*> extensions;
  auto take = [&](const char* extension) {
    for (const VkExtensionProperties& one : offered)
      if (std::strcmp(one.extensionName, extension) == 0) return extensions.push_back(extension), true;
    return false;
  };
  VkPhysicalDeviceTransformFeedbackFeaturesEXT feedback{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TRANSFORM_FEEDBACK_FEATURES_EXT};
  VkPhysicalDeviceConditionalRenderingFeaturesEXT conditional{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_CONDITIONAL_RENDERING_FEATURES_EXT};
  VkPhysicalDevicePrimitivesGeneratedQueryFeaturesEXT generated{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PRIMITIVES_GENERATED_QUERY_FEATURES_EXT};
  b.features11.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES;
  b.features12.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
  b.features13.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES;
  VkPhysicalDeviceFeatures2 features{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &b.features13};
  b.features13.pNext = &b.features12;
  b.features12.pNext = &b.features11;
  auto chain = [&](auto& structure) {
    structure.pNext = static_cast<decltype(structure.pNext)>(features.pNext);
    features.pNext = &structure;
  };
  b.transform_feedback = take(VK_EXT_TRANSFORM_FEEDBACK_EXTENSION_NAME);
  if (b.transform_feedback) chain(feedback);
  b.conditional = take(VK_EXT_CONDITIONAL_RENDERING_EXTENSION_NAME);
  if (b.conditional) chain(conditional);
  b.primitives_generated = take(VK_EXT_PRIMITIVES_GENERATED_QUERY_EXTENSION_NAME);
  if (b.primitives_generated) chain(generated);
  b.calibrated = take(VK_EXT_CALIBRATED_TIMESTAMPS_EXTENSION_NAME);
  b.push_descriptors = take(VK_KHR_PUSH_DESCRIPTOR_EXTENSION_NAME);
  for (const Extra& extra : b.extras) {
    if (extra.extension && !take(extra.extension)) continue;
    if (extra.extension) b.enabled.push_back(extra.extension);
    if (extra.features) chain(*static_cast<VkBaseOutStructure*>(extra.features));
  }
  VkPhysicalDeviceSubgroupProperties subgroups{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES};
  VkPhysicalDeviceProperties2 properties{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &subgroups};
  vkGetPhysicalDeviceProperties2(b.physical, &properties);
  constexpr VkSubgroupFeatureFlags kUsed = VK_SUBGROUP_FEATURE_BASIC_BIT | VK_SUBGROUP_FEATURE_VOTE_BIT |
                                           VK_SUBGROUP_FEATURE_ARITHMETIC_BIT | VK_SUBGROUP_FEATURE_BALLOT_BIT |
                                           VK_SUBGROUP_FEATURE_QUAD_BIT;
  b.subgroups_in_pixels =
      (subgroups.supportedStages & VK_SHADER_STAGE_FRAGMENT_BIT) && (subgroups.supportedOperations & kUsed) == kUsed;
  vkGetPhysicalDeviceFeatures2(b.physical, &features);
  b.features = features.features;
  b.features.robustBufferAccess = features.features.robustBufferAccess = VK_FALSE;
  b.transform_feedback &= feedback.transformFeedback != 0;
  b.geometry_streams = b.transform_feedback && feedback.geometryStreams;
  b.conditional &= conditional.conditionalRendering != 0;
  b.primitives_generated &= generated.primitivesGeneratedQuery != 0;
  b.addresses = b.features12.bufferDeviceAddress;

  vkGetPhysicalDeviceQueueFamilyProperties(b.physical, &count, nullptr);
  std::vector<VkQueueFamilyProperties> families(count);
  vkGetPhysicalDeviceQueueFamilyProperties(b.physical, &count, families.data());
  std::vector<float> priorities(64, 1.0f);
  std::vector<VkDeviceQueueCreateInfo> queues;
  for (uint32_t i = 0; i < count; i++) {
    constexpr VkQueueFlags commands = VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT | VK_QUEUE_TRANSFER_BIT;
    if (!(families[i].queueFlags & (commands | VK_QUEUE_SPARSE_BINDING_BIT))) continue;
    queues.push_back(
        {VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, nullptr, 0, i, std::min(families[i].queueCount, 64u), priorities.data()});
  }
  VkDeviceCreateInfo info{VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, &features};
  info.queueCreateInfoCount = uint32_t(queues.size());
  info.pQueueCreateInfos = queues.data();
  info.enabledExtensionCount = uint32_t(extensions.size());
  info.ppEnabledExtensionNames = extensions.data();
  check(vkCreateDevice(b.physical, &info, nullptr, &b.device), "vkCreateDevice");
  for (const VkDeviceQueueCreateInfo& made : queues)
    for (uint32_t i = 0; i < made.queueCount; i++) {
      Queue queue;
      queue.family = made.queueFamilyIndex;
      queue.flags = families[queue.family].queueFlags;
      queue.timestamp_bits = families[queue.family].timestampValidBits;
      vkGetDeviceQueue(b.device, queue.family, i, &queue.handle);
      if (!b.binder && (queue.flags & VK_QUEUE_SPARSE_BINDING_BIT)) b.binder = queue.handle;
      if (!(queue.flags & ~VkQueueFlags(VK_QUEUE_SPARSE_BINDING_BIT))) continue;  // it binds alone (RADV 25), and has no commands
      VkCommandPoolCreateInfo pool{VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO, nullptr, 0, queue.family};
      check(vkCreateCommandPool(b.device, &pool, nullptr, &queue.pool), "vkCreateCommandPool");
      b.queues.insert(queue.flags & VK_QUEUE_GRAPHICS_BIT ? b.queues.begin() : b.queues.end(), queue);
    }
}

void open_bench(Bench& b) {
  VkApplicationInfo application{VK_STRUCTURE_TYPE_APPLICATION_INFO};
  application.apiVersion = VK_API_VERSION_1_3;
  VkInstanceCreateInfo instance{VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
  instance.pApplicationInfo = &application;
  uint32_t count = 1;
  if (vkCreateInstance(&instance, nullptr, &b.instance) != VK_SUCCESS ||
      vkEnumeratePhysicalDevices(b.instance, &count, &b.physical) < 0 || count == 0) {
    std::fprintf(stderr, "vulkan_queries: no Vulkan driver\n");
    std::exit(77);
  }
  VkPhysicalDeviceDriverProperties driver{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES};
  VkPhysicalDeviceProperties2 properties{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &driver};
  vkGetPhysicalDeviceProperties2(b.physical, &properties);
  b.properties = properties.properties;
  b.name = std::string(b.properties.deviceName) + ", " + driver.driverInfo;
  if (b.properties.apiVersion < VK_API_VERSION_1_3) {
    std::fprintf(stderr, "vulkan_queries: %s has no Vulkan 1.3\n", b.name.c_str());
    std::exit(77);
  }
  make_device(b);

  VkDescriptorSetLayoutBinding binding{0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, nullptr};
  VkDescriptorSetLayoutCreateInfo set{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, nullptr, 0, 1, &binding};
  check(vkCreateDescriptorSetLayout(b.device, &set, nullptr, &b.set_layout), "vkCreateDescriptorSetLayout");
  VkPushConstantRange range{VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof(Grid)};
  VkPipelineLayoutCreateInfo layout{VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO, nullptr, 0, 1, &b.set_layout, 1, &range};
  check(vkCreatePipelineLayout(b.device, &layout, nullptr, &b.layout), "vkCreatePipelineLayout");
  VkDescriptorPoolSize size{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 200};
  VkDescriptorPoolCreateInfo pool{VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO, nullptr, 0, 200, 1, &size};
  check(vkCreateDescriptorPool(b.device, &pool, nullptr, &b.sets), "vkCreateDescriptorPool");

  b.cell_vertices = shader(b.device, cell_vertices, sizeof cell_vertices);
  b.cell_pixels = shader(b.device, cell_pixels, sizeof cell_pixels);
  b.cell_discards = shader(b.device, cell_discards, sizeof cell_discards);
  if (b.features.tessellationShader) {
    b.cell_control = shader(b.device, cell_control, sizeof cell_control);
    b.cell_evaluation = shader(b.device, cell_evaluation, sizeof cell_evaluation);
  }
  if (b.features.geometryShader) b.cell_geometry = shader(b.device, cell_geometry, sizeof cell_geometry);
  if (b.transform_feedback) b.capture = shader(b.device, capture, sizeof capture);
  if (b.geometry_streams) b.streams = shader(b.device, streams, sizeof streams);
  VkComputePipelineCreateInfo compute{VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
  compute.stage = shader_stage(VK_SHADER_STAGE_COMPUTE_BIT, shader(b.device, step, sizeof step));
  compute.layout = b.layout;
  check(vkCreateComputePipelines(b.device, {}, 1, &compute, nullptr, &b.step), "vkCreateComputePipelines");
}

VkDeviceMemory Bench::allocate(const VkMemoryRequirements& needs, VkMemoryPropertyFlags wanted) {
  VkPhysicalDeviceMemoryProperties memory;
  vkGetPhysicalDeviceMemoryProperties(physical, &memory);
  const VkMemoryAllocateFlagsInfo flags{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO, nullptr,
                                        VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT};
  VkMemoryAllocateInfo info{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, addresses ? &flags : nullptr, needs.size, 0};
  while (info.memoryTypeIndex + 1 < memory.memoryTypeCount &&
         (!(needs.memoryTypeBits >> info.memoryTypeIndex & 1) ||
          (memory.memoryTypes[info.memoryTypeIndex].propertyFlags & wanted) != wanted))
    info.memoryTypeIndex++;
  VkDeviceMemory result;
  check(vkAllocateMemory(device, &info, nullptr, &result), "vkAllocateMemory");
  return result;
}

Memory Bench::make_memory(VkDeviceSize bytes, uint32_t fill, bool shared) {
  VkBufferCreateInfo info{VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
  info.size = bytes;
  info.usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT | VK_BUFFER_USAGE_STORAGE_BUFFER_BIT |
               VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT | VK_BUFFER_USAGE_INDEX_BUFFER_BIT;
  if (transform_feedback)
    info.usage |= VK_BUFFER_USAGE_TRANSFORM_FEEDBACK_BUFFER_BIT_EXT | VK_BUFFER_USAGE_TRANSFORM_FEEDBACK_COUNTER_BUFFER_BIT_EXT;
  if (conditional) info.usage |= VK_BUFFER_USAGE_CONDITIONAL_RENDERING_BIT_EXT;
  if (addresses) info.usage |= VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;
  if (has(VK_KHR_ACCELERATION_STRUCTURE_EXTENSION_NAME))
    info.usage |= VK_BUFFER_USAGE_ACCELERATION_STRUCTURE_STORAGE_BIT_KHR |
                  VK_BUFFER_USAGE_ACCELERATION_STRUCTURE_BUILD_INPUT_READ_ONLY_BIT_KHR;
  if (has(VK_KHR_RAY_TRACING_PIPELINE_EXTENSION_NAME)) info.usage |= VK_BUFFER_USAGE_SHADER_BINDING_TABLE_BIT_KHR;
  if (has(VK_EXT_DESCRIPTOR_BUFFER_EXTENSION_NAME)) info.usage |= VK_BUFFER_USAGE_RESOURCE_DESCRIPTOR_BUFFER_BIT_EXT;
  std::vector<uint32_t> families;
  for (const Queue& queue : queues)
    if (std::find(families.begin(), families.end(), queue.family) == families.end()) families.push_back(queue.family);
  if (shared && families.size() > 1) {
    info.sharingMode = VK_SHARING_MODE_CONCURRENT;
    info.queueFamilyIndexCount = uint32_t(families.size());
    info.pQueueFamilyIndices = families.data();
  }
  Memory result;
  result.bytes = bytes;
  check(vkCreateBuffer(device, &info, nullptr, &result.buffer), "vkCreateBuffer");
  VkMemoryRequirements needs;
  vkGetBufferMemoryRequirements(device, result.buffer, &needs);
  VkDeviceMemory memory = allocate(needs, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT);
  check(vkBindBufferMemory(device, result.buffer, memory, 0), "vkBindBufferMemory");
  void* mapped = nullptr;
  check(vkMapMemory(device, memory, 0, VK_WHOLE_SIZE, 0, &mapped), "vkMapMemory");
  result.words = static_cast<uint32_t*>(mapped);
  const VkBufferDeviceAddressInfo place{VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO, nullptr, result.buffer};
  if (addresses) result.address = vkGetBufferDeviceAddress(device, &place);
  for (VkDeviceSize i = 0; i < bytes / 4; i++) result.words[i] = fill;
  return result;
}

Picture Bench::make_picture(VkFormat format, VkExtent2D size, VkImageUsageFlags usage, VkSampleCountFlagBits samples,
                            VkImageAspectFlags aspect) {
  VkImageCreateInfo info{VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO};
  info.imageType = VK_IMAGE_TYPE_2D;
  info.format = format;
  info.extent = {size.width, size.height, 1};
  info.mipLevels = info.arrayLayers = 1;
  info.samples = samples;
  info.usage = usage;
  Picture result;
  check(vkCreateImage(device, &info, nullptr, &result.image), "vkCreateImage");
  VkMemoryRequirements needs;
  vkGetImageMemoryRequirements(device, result.image, &needs);
  check(vkBindImageMemory(device, result.image, allocate(needs, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT), 0), "vkBindImageMemory");
  if (usage & (VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT)) {
    VkImageViewCreateInfo view{VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO};
    view.image = result.image;
    view.viewType = VK_IMAGE_VIEW_TYPE_2D;
    view.format = format;
    view.subresourceRange = {aspect, 0, 1, 0, 1};
    check(vkCreateImageView(device, &view, nullptr, &result.view), "vkCreateImageView");
  }
  return result;
}

Target Bench::make_target(VkSampleCountFlagBits samples) {
  Target target;
  target.samples = samples;
  target.colour =
      make_picture(VK_FORMAT_R8G8B8A8_UNORM, {kSize, kSize},
                   VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT, samples, VK_IMAGE_ASPECT_COLOR_BIT);
  target.depth = make_picture(VK_FORMAT_D32_SFLOAT, {kSize, kSize}, VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT, samples,
                              VK_IMAGE_ASPECT_DEPTH_BIT);
  run([&](VkCommandBuffer commands) {
    VkImageMemoryBarrier barriers[2]{};
    for (int i = 0; i < 2; i++)
      barriers[i] = {VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
                     nullptr,
                     0,
                     VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT,
                     VK_IMAGE_LAYOUT_UNDEFINED,
                     VK_IMAGE_LAYOUT_GENERAL,
                     VK_QUEUE_FAMILY_IGNORED,
                     VK_QUEUE_FAMILY_IGNORED,
                     i ? target.depth.image : target.colour.image,
                     {VkImageAspectFlags(i ? VK_IMAGE_ASPECT_DEPTH_BIT : VK_IMAGE_ASPECT_COLOR_BIT), 0, 1, 0, 1}};
    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, nullptr, 0,
                         nullptr, 2, barriers);
  });
  return target;
}

VkPipeline Bench::make_pipeline(const PipelineParts& parts) {
  GraphicsPipeline state;
  state.add(VK_SHADER_STAGE_VERTEX_BIT, parts.vertex);
  state.add(VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT, parts.control);
  state.add(VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT, parts.evaluation);
  state.add(VK_SHADER_STAGE_GEOMETRY_BIT, parts.geometry);
  state.add(VK_SHADER_STAGE_FRAGMENT_BIT, parts.fragment);
  state.assembly.topology = parts.control ? VK_PRIMITIVE_TOPOLOGY_PATCH_LIST : parts.topology;
  if (parts.control) state.tessellation.patchControlPoints = 3;
  VkViewport viewport{0, 0, kSize, kSize, 0, 1};
  state.viewport.pViewports = &viewport;
  state.raster.rasterizerDiscardEnable = parts.discards_all;
  state.multisample.rasterizationSamples = parts.samples;
  state.depth.depthTestEnable = state.depth.depthWriteEnable = VK_TRUE;
  state.depth.depthCompareOp = VK_COMPARE_OP_LESS_OR_EQUAL;
  state.dynamic = {VK_DYNAMIC_STATE_SCISSOR};
  VkFormat format = VK_FORMAT_R8G8B8A8_UNORM;
  VkPipelineRenderingCreateInfo rendering{
      VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO, nullptr, 0, 1, &format, VK_FORMAT_D32_SFLOAT};
  return state.make(device, layout, VK_NULL_HANDLE, &rendering);
}

VkQueryPool Bench::make_queries(VkQueryType type, uint32_t count, VkQueryPipelineStatisticFlags statistics) {
  VkQueryPoolCreateInfo info{VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO, nullptr, 0, type, count, statistics};
  VkQueryPool result;
  check(vkCreateQueryPool(device, &info, nullptr, &result), "vkCreateQueryPool");
  return result;
}

VkDescriptorSet Bench::make_set(const Memory& memory) {
  VkDescriptorSetAllocateInfo info{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO, nullptr, sets, 1, &set_layout};
  VkDescriptorSet set;
  check(vkAllocateDescriptorSets(device, &info, &set), "vkAllocateDescriptorSets");
  VkDescriptorBufferInfo buffer{memory.buffer, 0, VK_WHOLE_SIZE};
  VkWriteDescriptorSet write{VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET, nullptr, set, 0, 0, 1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER};
  write.pBufferInfo = &buffer;
  vkUpdateDescriptorSets(device, 1, &write, 0, nullptr);
  return set;
}

VkCommandBuffer Bench::record(const Queue& queue, const std::function<void(VkCommandBuffer)>& commands) {
  VkCommandBufferAllocateInfo allocation{VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, nullptr, queue.pool,
                                         VK_COMMAND_BUFFER_LEVEL_PRIMARY, 1};
  VkCommandBuffer result;
  check(vkAllocateCommandBuffers(device, &allocation, &result), "vkAllocateCommandBuffers");
  VkCommandBufferBeginInfo begin{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
  check(vkBeginCommandBuffer(result, &begin), "vkBeginCommandBuffer");
  commands(result);
  full_barrier(result);
  check(vkEndCommandBuffer(result), "vkEndCommandBuffer");
  return result;
}

void Bench::run(const Queue& queue, const std::function<void(VkCommandBuffer)>& commands) {
  VkCommandBuffer recorded = record(queue, commands);
  VkSubmitInfo info{VK_STRUCTURE_TYPE_SUBMIT_INFO};
  info.commandBufferCount = 1;
  info.pCommandBuffers = &recorded;
  check(vkQueueSubmit(queue.handle, 1, &info, {}), "vkQueueSubmit");
  check(vkQueueWaitIdle(queue.handle), "vkQueueWaitIdle");
  vkFreeCommandBuffers(device, queue.pool, 1, &recorded);
}

void Bench::pass(VkCommandBuffer commands, const Target& target, bool clears, const std::function<void()>& draws,
                 VkRenderingFlags flags) {
  full_barrier(commands);
  VkRenderingAttachmentInfo colour{VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO}, depth = colour;
  colour.imageView = target.colour.view;
  depth.imageView = target.depth.view;
  colour.imageLayout = depth.imageLayout = VK_IMAGE_LAYOUT_GENERAL;
  colour.loadOp = depth.loadOp = clears ? VK_ATTACHMENT_LOAD_OP_CLEAR : VK_ATTACHMENT_LOAD_OP_LOAD;
  colour.storeOp = depth.storeOp = VK_ATTACHMENT_STORE_OP_STORE;
  depth.clearValue.depthStencil.depth = 1;
  VkRenderingInfo info{VK_STRUCTURE_TYPE_RENDERING_INFO};
  info.flags = flags;
  info.renderArea = {{0, 0}, {kSize, kSize}};
  info.layerCount = info.colorAttachmentCount = 1;
  info.pColorAttachments = &colour;
  info.pDepthAttachment = &depth;
  vkCmdBeginRendering(commands, &info);
  draws();
  vkCmdEndRendering(commands);
  full_barrier(commands);
}

void Bench::bind(VkCommandBuffer commands, VkPipeline pipeline, VkRect2D scissor) {
  vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
  vkCmdSetScissor(commands, 0, 1, &scissor);
}

void Bench::place(VkCommandBuffer commands, float x, float y, float width, float height, float depth) {
  constexpr float kPixel = 2.0f / kSize;
  Grid grid{{x * kPixel - 1, y * kPixel - 1, width * kPixel, height * kPixel}, depth};
  vkCmdPushConstants(commands, layout, VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof grid, &grid);
}

void Bench::steps(VkCommandBuffer commands, VkDescriptorSet set, uint32_t added, uint32_t groups) {
  vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, step);
  vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, 0, nullptr);
  vkCmdPushConstants(commands, layout, VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof added, &added);
  if (groups) vkCmdDispatch(commands, groups, 1, 1);
}

std::vector<uint32_t> Bench::read(const Target& target) {
  static Memory memory = make_memory(kSize * kSize * 4);
  run([&](VkCommandBuffer commands) {
    VkBufferImageCopy copy{};
    copy.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
    copy.imageExtent = {kSize, kSize, 1};
    vkCmdCopyImageToBuffer(commands, target.colour.image, VK_IMAGE_LAYOUT_GENERAL, memory.buffer, 1, &copy);
  });
  return {memory.words, memory.words + kSize * kSize};
}

bool Bench::has(const char* extension) const { return std::ranges::find(enabled, extension) != enabled.end(); }

int run_parts(std::span<const Part> parts, int count, char** arguments, std::vector<Extra> extras) {
  Bench bench;
  bench.extras = std::move(extras);
  open_bench(bench);
  std::printf("device: %s\n", bench.name.c_str());
  for (const Part& part : parts) {
    bool wanted = count == 1;
    for (int i = 1; i < count; i++) wanted |= std::strcmp(arguments[i], part.name) == 0;
    if (wanted) part.run(bench);
  }
  std::printf("cases: %u\n", bench.cases);
  // The process ends: the driver takes back what was made.
  vkDeviceWaitIdle(bench.device);
  return 0;
}

}  // namespace vulkan
