// vulkan_programs DEVICE FOLDER [CASE...|-CASE...]: runs the cases of shader.comp through Vulkan and leaves their buffers and images in FOLDER.
// 77: the first device's name does not hold DEVICE.
#include <vulkan/vulkan.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>

#include "compute_cases.h"
#include "vulkan_shaders.h"

using namespace Atoll::compute;

namespace {

void check(VkResult result, const char* what) {
  if (result == VK_SUCCESS) return;
  std::fprintf(stderr, "vulkan_programs: %s: %d\n", what, int(result));
  std::exit(1);
}

template <class Info>
Info of_type(VkStructureType type) {
  Info info{};
  info.sType = type;
  return info;
}

struct Machine {
  VkInstance instance{};
  VkPhysicalDevice physical{};
  VkDevice device{};
  VkQueue queue{};
  VkCommandPool pool{};
  VkPhysicalDeviceMemoryProperties memories{};
} m;

bool open(const char* wanted) {
  VkApplicationInfo application{
      VK_STRUCTURE_TYPE_APPLICATION_INFO, nullptr, "vulkan_programs", 0, nullptr, 0, VK_API_VERSION_1_1};
  VkInstanceCreateInfo instance{VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, nullptr, 0, &application, 0, nullptr, 0, nullptr};
  check(vkCreateInstance(&instance, nullptr, &m.instance), "vkCreateInstance");
  VkPhysicalDevice devices[16];
  uint32_t count = 16;
  VkResult found = vkEnumeratePhysicalDevices(m.instance, &count, devices);
  if (found != VK_SUCCESS && found != VK_INCOMPLETE) return false;
  std::string others;
  for (uint32_t i = 0; i < count && !m.physical; ++i) {
    VkPhysicalDeviceDriverProperties driver{};
    driver.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES;
    VkPhysicalDeviceProperties2 properties{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &driver, {}};
    vkGetPhysicalDeviceProperties2(devices[i], &properties);
    const std::string name = properties.properties.deviceName;
    if (name.find(wanted) == name.npos) {
      others += (others.empty() ? "" : ", ") + name;
      continue;
    }
    m.physical = devices[i];
    std::printf("device: %s, %s\n", name.c_str(), driver.driverInfo);
  }
  if (!m.physical) {
    std::fprintf(stderr, "vulkan_programs: no device '%s' but these: %s\n", wanted, others.c_str());
    return false;
  }
  vkGetPhysicalDeviceMemoryProperties(m.physical, &m.memories);
  const float priority = 1;
  VkDeviceQueueCreateInfo queue{VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, nullptr, 0, 0, 1, &priority};
  VkDeviceCreateInfo device{VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, nullptr, 0, 1, &queue, 0, nullptr, 0, nullptr, nullptr};
  check(vkCreateDevice(m.physical, &device, nullptr, &m.device), "vkCreateDevice");
  vkGetDeviceQueue(m.device, 0, 0, &m.queue);
  VkCommandPoolCreateInfo pool{VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO, nullptr, 0, 0};
  check(vkCreateCommandPool(m.device, &pool, nullptr, &m.pool), "vkCreateCommandPool");
  return true;
}

// Memory that the program sees.
VkDeviceMemory allocate(const VkMemoryRequirements& needs, void*& at) {
  constexpr VkMemoryPropertyFlags wanted = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
  uint32_t type = 0;
  while (!(needs.memoryTypeBits >> type & 1) || (m.memories.memoryTypes[type].propertyFlags & wanted) != wanted)
    if (++type == m.memories.memoryTypeCount) check(VK_ERROR_OUT_OF_DEVICE_MEMORY, "memory");
  VkMemoryAllocateInfo info{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, nullptr, needs.size, type};
  VkDeviceMemory memory;
  check(vkAllocateMemory(m.device, &info, nullptr, &memory), "vkAllocateMemory");
  check(vkMapMemory(m.device, memory, 0, VK_WHOLE_SIZE, 0, &at), "vkMapMemory");
  return memory;
}

struct Buffer {
  VkBuffer handle{};
  void* at = nullptr;
};
Buffer buffer_of(const std::vector<uint32_t>& values, VkBufferUsageFlags usage) {
  auto info = of_type<VkBufferCreateInfo>(VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO);
  info.size = values.size() * 4, info.usage = usage;
  Buffer made;
  check(vkCreateBuffer(m.device, &info, nullptr, &made.handle), "vkCreateBuffer");
  VkMemoryRequirements needs;
  vkGetBufferMemoryRequirements(m.device, made.handle, &needs);
  check(vkBindBufferMemory(m.device, made.handle, allocate(needs, made.at), 0), "vkBindBufferMemory");
  std::memcpy(made.at, values.data(), values.size() * 4);
  return made;
}

// Linear, so that the program fills and reads it itself.
struct Image {
  VkImage handle{};
  VkImageView view{};
  uint8_t* at = nullptr;
  VkSubresourceLayout layout{};
  uint32_t* row(size_t y) const { return reinterpret_cast<uint32_t*>(at + layout.offset + y * layout.rowPitch); }
};
Image image_of(VkFormat format, VkImageUsageFlags usage, uint32_t seed) {
  auto info = of_type<VkImageCreateInfo>(VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO);
  info.imageType = VK_IMAGE_TYPE_2D, info.format = format, info.extent = {image_size, image_size, 1};
  info.mipLevels = info.arrayLayers = 1, info.samples = VK_SAMPLE_COUNT_1_BIT, info.tiling = VK_IMAGE_TILING_LINEAR;
  info.usage = usage, info.initialLayout = VK_IMAGE_LAYOUT_PREINITIALIZED;
  Image made;
  check(vkCreateImage(m.device, &info, nullptr, &made.handle), "vkCreateImage");
  VkMemoryRequirements needs;
  vkGetImageMemoryRequirements(m.device, made.handle, &needs);
  void* at = nullptr;
  check(vkBindImageMemory(m.device, made.handle, allocate(needs, at), 0), "vkBindImageMemory");
  made.at = static_cast<uint8_t*>(at);
  const VkImageSubresource part{VK_IMAGE_ASPECT_COLOR_BIT, 0, 0};
  vkGetImageSubresourceLayout(m.device, made.handle, &part, &made.layout);
  auto pixels = start_values(image_size * image_size, seed);
  for (size_t y = 0; y < image_size; ++y) std::memcpy(made.row(y), &pixels[y * image_size], image_size * 4);
  auto view = of_type<VkImageViewCreateInfo>(VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO);
  view.image = made.handle, view.viewType = VK_IMAGE_VIEW_TYPE_2D, view.format = format;
  view.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
  check(vkCreateImageView(m.device, &view, nullptr, &made.view), "vkCreateImageView");
  return made;
}

VkBufferView view_of(const Buffer& buffer, VkFormat format) {
  auto info = of_type<VkBufferViewCreateInfo>(VK_STRUCTURE_TYPE_BUFFER_VIEW_CREATE_INFO);
  info.buffer = buffer.handle, info.format = format, info.range = VK_WHOLE_SIZE;
  VkBufferView view;
  check(vkCreateBufferView(m.device, &info, nullptr, &view), "vkCreateBufferView");
  return view;
}

constexpr VkDescriptorType types[] = {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,         VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                      VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER,         VK_DESCRIPTOR_TYPE_STORAGE_IMAGE,
                                      VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER,
                                      VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER};
constexpr uint32_t type_count = std::size(types);

struct Resources {
  Buffer buffers[3], groups, texels;
  Image image, picture;
  VkSampler sampler{};
  VkDescriptorSetLayout set_layout{};
  VkPipelineLayout layout{};
  VkDescriptorSet set{};
};

Resources resources() {
  Resources r;
  r.buffers[0] = buffer_of(start_values(elements, 1), VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
  r.buffers[1] = buffer_of(start_values(elements, 2), VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
  r.buffers[2] = buffer_of(start_values(64, 3), VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT);
  r.groups = buffer_of({99, elements / group, 1, 1}, VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT);
  r.texels = buffer_of(small_floats(), VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT | VK_BUFFER_USAGE_STORAGE_TEXEL_BUFFER_BIT);
  const VkBufferView texels = view_of(r.texels, VK_FORMAT_B10G11R11_UFLOAT_PACK32);
  r.image = image_of(VK_FORMAT_R32_UINT, VK_IMAGE_USAGE_STORAGE_BIT, 4);
  r.picture = image_of(VK_FORMAT_R8G8B8A8_UNORM, VK_IMAGE_USAGE_SAMPLED_BIT, 5);
  auto sampler = of_type<VkSamplerCreateInfo>(VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO);
  check(vkCreateSampler(m.device, &sampler, nullptr, &r.sampler), "vkCreateSampler");
  VkDescriptorSetLayoutBinding bindings[type_count]{};
  VkDescriptorPoolSize sizes[type_count]{};
  for (uint32_t i = 0; i < type_count; ++i) {
    bindings[i] = {i, types[i], 1, VK_SHADER_STAGE_COMPUTE_BIT, nullptr};
    sizes[i] = {types[i], 1};
  }
  VkDescriptorSetLayoutCreateInfo layout{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, nullptr, 0, type_count, bindings};
  check(vkCreateDescriptorSetLayout(m.device, &layout, nullptr, &r.set_layout), "vkCreateDescriptorSetLayout");
  VkPipelineLayoutCreateInfo whole{VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO, nullptr, 0, 1, &r.set_layout, 0, nullptr};
  check(vkCreatePipelineLayout(m.device, &whole, nullptr, &r.layout), "vkCreatePipelineLayout");
  VkDescriptorPoolCreateInfo pool{VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO, nullptr, 0, 1, type_count, sizes};
  VkDescriptorPool made;
  check(vkCreateDescriptorPool(m.device, &pool, nullptr, &made), "vkCreateDescriptorPool");
  VkDescriptorSetAllocateInfo set{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO, nullptr, made, 1, &r.set_layout};
  check(vkAllocateDescriptorSets(m.device, &set, &r.set), "vkAllocateDescriptorSets");
  VkDescriptorBufferInfo buffers[3];
  for (int i = 0; i < 3; ++i) buffers[i] = {r.buffers[i].handle, 0, VK_WHOLE_SIZE};
  VkDescriptorImageInfo images[2] = {{nullptr, r.image.view, VK_IMAGE_LAYOUT_GENERAL},
                                     {r.sampler, r.picture.view, VK_IMAGE_LAYOUT_GENERAL}};
  VkWriteDescriptorSet writes[type_count]{};
  for (uint32_t i = 0; i < type_count; ++i) {
    writes[i] = {VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET, nullptr, r.set, i, 0, 1, types[i], nullptr, nullptr, nullptr};
    if (i < 3)
      writes[i].pBufferInfo = &buffers[i];
    else if (i < 5)
      writes[i].pImageInfo = &images[i - 3];
    else
      writes[i].pTexelBufferView = &texels;
  }
  vkUpdateDescriptorSets(m.device, type_count, writes, 0, nullptr);
  return r;
}

void transition(VkCommandBuffer commands, const Image& image) {
  auto barrier = of_type<VkImageMemoryBarrier>(VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER);
  barrier.srcAccessMask = VK_ACCESS_HOST_WRITE_BIT,
  barrier.dstAccessMask = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT;
  barrier.oldLayout = VK_IMAGE_LAYOUT_PREINITIALIZED, barrier.newLayout = VK_IMAGE_LAYOUT_GENERAL;
  barrier.image = image.handle, barrier.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
  vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_HOST_BIT, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, 0, 0, nullptr, 0, nullptr, 1,
                       &barrier);
}

void run(const ShaderOf& shader, const std::string& folder) {
  Resources r = resources();
  VkShaderModuleCreateInfo module{VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, nullptr, 0, shader.bytes, shader.words};
  auto info = of_type<VkComputePipelineCreateInfo>(VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO);
  info.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
  info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT, info.stage.pName = "main", info.layout = r.layout;
  check(vkCreateShaderModule(m.device, &module, nullptr, &info.stage.module), "vkCreateShaderModule");
  VkPipeline pipeline;
  check(vkCreateComputePipelines(m.device, nullptr, 1, &info, nullptr, &pipeline), "vkCreateComputePipelines");
  VkCommandBufferAllocateInfo allocation{VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, nullptr, m.pool,
                                         VK_COMMAND_BUFFER_LEVEL_PRIMARY, 1};
  VkCommandBuffer commands;
  check(vkAllocateCommandBuffers(m.device, &allocation, &commands), "vkAllocateCommandBuffers");
  auto begin = of_type<VkCommandBufferBeginInfo>(VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO);
  check(vkBeginCommandBuffer(commands, &begin), "vkBeginCommandBuffer");
  transition(commands, r.image);
  transition(commands, r.picture);
  vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
  vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, r.layout, 0, 1, &r.set, 0, nullptr);
  if (shader.name == "GROUPS")
    vkCmdDispatchIndirect(commands, r.groups.handle, 4);
  else
    vkCmdDispatch(commands, elements / group, 1, 1);
  VkMemoryBarrier barrier{VK_STRUCTURE_TYPE_MEMORY_BARRIER, nullptr, VK_ACCESS_SHADER_WRITE_BIT, VK_ACCESS_HOST_READ_BIT};
  vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &barrier, 0, nullptr, 0,
                       nullptr);
  check(vkEndCommandBuffer(commands), "vkEndCommandBuffer");
  auto fence_info = of_type<VkFenceCreateInfo>(VK_STRUCTURE_TYPE_FENCE_CREATE_INFO);
  VkFence fence;
  check(vkCreateFence(m.device, &fence_info, nullptr, &fence), "vkCreateFence");
  auto submit = of_type<VkSubmitInfo>(VK_STRUCTURE_TYPE_SUBMIT_INFO);
  submit.commandBufferCount = 1, submit.pCommandBuffers = &commands;
  check(vkQueueSubmit(m.queue, 1, &submit, fence), "vkQueueSubmit");
  check(vkWaitForFences(m.device, 1, &fence, VK_TRUE, UINT64_MAX), "vkWaitForFences");
  save(folder, shader.name, r.buffers[1].at, elements * 4);
  if (shader.name == "IMAGES") {
    std::vector<uint32_t> pixels(image_size * image_size);
    for (size_t y = 0; y < image_size; ++y) std::memcpy(&pixels[y * image_size], r.image.row(y), image_size * 4);
    save(folder, "IMAGES_STORED", pixels.data(), pixels.size() * 4);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return std::fprintf(stderr, "vulkan_programs DEVICE FOLDER [CASE...|-CASE...]\n"), 2;
  if (!open(argv[1])) return 77;
  for (auto& shader : shaders)
    if (is_wanted(shader.name, argc, argv, 3)) run(shader, argv[2]);
}
