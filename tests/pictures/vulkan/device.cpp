#include "device.h"

#include <cstdio>
#include <cstdlib>

namespace vulkan {

void check(VkResult result, const char* what) {
  if (result == VK_SUCCESS) return;
  std::fprintf(stderr, "%s: Vulkan result %d\n", what, int(result));
  std::exit(1);
}

Device::Device(const char* program) {
  VkApplicationInfo application{};
  application.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO;
  application.pApplicationName = program;
  application.apiVersion = VK_API_VERSION_1_2;
  VkInstanceCreateInfo instance{};
  instance.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO;
  instance.pApplicationInfo = &application;
  check(vkCreateInstance(&instance, nullptr, &instance_), "vkCreateInstance");
  uint32_t count = 1;
  VkResult found = vkEnumeratePhysicalDevices(instance_, &count, &physical_);
  if (count == 0) {
    std::fprintf(stderr, "%s: no Vulkan device\n", program);
    std::exit(1);
  }
  if (found != VK_INCOMPLETE) check(found, "vkEnumeratePhysicalDevices");
  VkPhysicalDeviceDriverProperties driver{};
  driver.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES;
  VkPhysicalDeviceProperties2 properties{};
  properties.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
  properties.pNext = &driver;
  vkGetPhysicalDeviceProperties2(physical_, &properties);
  name_ = std::string(properties.properties.deviceName) + ", " + driver.driverInfo;

  // Family 0 of Mesa's drivers draws.
  float priority = 1;
  VkDeviceQueueCreateInfo queue{};
  queue.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO;
  queue.queueCount = 1;
  queue.pQueuePriorities = &priority;
  // Features that every program here needs, and those of formats if the device has them.
  VkPhysicalDeviceFeatures has;
  vkGetPhysicalDeviceFeatures(physical_, &has);
  features_.depthClamp = features_.depthBiasClamp = features_.fillModeNonSolid = VK_TRUE;
  features_.shaderStorageImageExtendedFormats = has.shaderStorageImageExtendedFormats;
  features_.shaderStorageImageWriteWithoutFormat = has.shaderStorageImageWriteWithoutFormat;
  features_.textureCompressionBC = has.textureCompressionBC;
  features_.textureCompressionETC2 = has.textureCompressionETC2;
  VkDeviceCreateInfo device{};
  device.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO;
  device.queueCreateInfoCount = 1;
  device.pQueueCreateInfos = &queue;
  device.pEnabledFeatures = &features_;
  check(vkCreateDevice(physical_, &device, nullptr, &device_), "vkCreateDevice");
  vkGetDeviceQueue(device_, 0, 0, &queue_);
  VkCommandPoolCreateInfo pool{};
  pool.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO;
  check(vkCreateCommandPool(device_, &pool, nullptr, &pool_), "vkCreateCommandPool");
}

Device::~Device() {
  forget();
  for (auto& [key, pipeline] : pipelines_) vkDestroyPipeline(device_, pipeline, nullptr);
  vkDestroyCommandPool(device_, pool_, nullptr);
  vkDestroyDevice(device_, nullptr);
  vkDestroyInstance(instance_, nullptr);
}

bool Device::has_depth_format(VkFormat format) const {
  constexpr VkFormatFeatureFlags wanted =
      VK_FORMAT_FEATURE_DEPTH_STENCIL_ATTACHMENT_BIT | VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT | VK_FORMAT_FEATURE_TRANSFER_SRC_BIT;
  VkFormatProperties properties;
  vkGetPhysicalDeviceFormatProperties(physical_, format, &properties);
  return (properties.optimalTilingFeatures & wanted) == wanted;
}

VkDeviceMemory Device::allocate(const VkMemoryRequirements& needs, VkMemoryPropertyFlags wanted) {
  VkPhysicalDeviceMemoryProperties memory;
  vkGetPhysicalDeviceMemoryProperties(physical_, &memory);
  VkMemoryAllocateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO;
  info.allocationSize = needs.size;
  for (; info.memoryTypeIndex < memory.memoryTypeCount; info.memoryTypeIndex++)
    if ((needs.memoryTypeBits >> info.memoryTypeIndex & 1) &&
        (memory.memoryTypes[info.memoryTypeIndex].propertyFlags & wanted) == wanted)
      break;
  VkDeviceMemory result;
  check(vkAllocateMemory(device_, &info, nullptr, &result), "vkAllocateMemory");
  later([this, result] { vkFreeMemory(device_, result, nullptr); });
  return result;
}

Buffer Device::make_buffer(VkDeviceSize bytes, VkBufferUsageFlags beside_copies) {
  VkBufferCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
  info.size = bytes;
  info.usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT | beside_copies;
  Buffer buffer;
  check(vkCreateBuffer(device_, &info, nullptr, &buffer.handle), "vkCreateBuffer");
  VkMemoryRequirements needs;
  vkGetBufferMemoryRequirements(device_, buffer.handle, &needs);
  VkDeviceMemory memory = allocate(needs, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT);
  later([this, handle = buffer.handle] { vkDestroyBuffer(device_, handle, nullptr); });
  check(vkBindBufferMemory(device_, buffer.handle, memory, 0), "vkBindBufferMemory");
  void* bytes_of = nullptr;
  check(vkMapMemory(device_, memory, 0, VK_WHOLE_SIZE, 0, &bytes_of), "vkMapMemory");
  buffer.bytes = static_cast<uint8_t*>(bytes_of);
  return buffer;
}

Image Device::make_image(VkFormat format, VkImageAspectFlags aspects, VkImageUsageFlags usage, VkExtent2D size, uint32_t layers,
                         uint32_t levels, VkSampleCountFlagBits samples) {
  VkImageCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO;
  info.imageType = VK_IMAGE_TYPE_2D;
  info.format = format;
  info.extent = {size.width, size.height, 1};
  info.mipLevels = levels;
  info.arrayLayers = layers;
  info.samples = samples;
  info.usage = usage;
  return make_image(info, aspects);
}

Image Device::make_image(const VkImageCreateInfo& info, VkImageAspectFlags aspects) {
  Image image{
      {}, info.format, aspects, info.extent.width, info.extent.height, info.arrayLayers, info.mipLevels, info.extent.depth};
  check(vkCreateImage(device_, &info, nullptr, &image.handle), "vkCreateImage");
  VkMemoryRequirements needs;
  vkGetImageMemoryRequirements(device_, image.handle, &needs);
  VkDeviceMemory memory = allocate(needs, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
  later([this, handle = image.handle] { vkDestroyImage(device_, handle, nullptr); });
  check(vkBindImageMemory(device_, image.handle, memory, 0), "vkBindImageMemory");
  return image;
}

VkImageView Device::make_view(const Image& image, VkImageAspectFlags aspects, uint32_t layer, uint32_t level, uint32_t levels,
                              VkImageViewType type) {
  VkImageViewCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO;
  info.image = image.handle;
  info.viewType = type;
  info.format = image.format;
  info.subresourceRange = {aspects, level, levels, layer, 1};
  VkImageView view;
  check(vkCreateImageView(device_, &info, nullptr, &view), "vkCreateImageView");
  later([this, view] { vkDestroyImageView(device_, view, nullptr); });
  return view;
}

VkShaderModule Device::make_shader(const uint32_t* words, size_t bytes) {
  VkShaderModuleCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO;
  info.codeSize = bytes;
  info.pCode = words;
  VkShaderModule shader;
  check(vkCreateShaderModule(device_, &info, nullptr, &shader), "vkCreateShaderModule");
  later([this, shader] { vkDestroyShaderModule(device_, shader, nullptr); });
  return shader;
}

void Device::forget() {
  while (!to_destroy_.empty()) {
    to_destroy_.back()();
    to_destroy_.pop_back();
  }
}

VkPipeline Device::pipeline(const std::string& key, const std::function<VkPipeline()>& make) {
  auto [place, made] = pipelines_.try_emplace(key);
  if (made) place->second = make();
  return place->second;
}

void Device::submit(const std::function<void(VkCommandBuffer)>& record) {
  VkCommandBufferAllocateInfo allocation{};
  allocation.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO;
  allocation.commandPool = pool_;
  allocation.commandBufferCount = 1;
  VkCommandBuffer commands;
  check(vkAllocateCommandBuffers(device_, &allocation, &commands), "vkAllocateCommandBuffers");
  VkCommandBufferBeginInfo begin{};
  begin.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
  check(vkBeginCommandBuffer(commands, &begin), "vkBeginCommandBuffer");
  record(commands);
  check(vkEndCommandBuffer(commands), "vkEndCommandBuffer");
  VkSubmitInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
  info.commandBufferCount = 1;
  info.pCommandBuffers = &commands;
  check(vkQueueSubmit(queue_, 1, &info, VK_NULL_HANDLE), "vkQueueSubmit");
  check(vkQueueWaitIdle(queue_), "vkQueueWaitIdle");
  vkFreeCommandBuffers(device_, pool_, 1, &commands);
}

void transition(VkCommandBuffer commands, const Image& image, VkImageLayout from, VkImageLayout to) {
  VkImageMemoryBarrier barrier{};
  barrier.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER;
  barrier.srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT;
  barrier.dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT;
  barrier.oldLayout = from;
  barrier.newLayout = to;
  barrier.srcQueueFamilyIndex = barrier.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
  barrier.image = image.handle;
  barrier.subresourceRange = {image.aspects, 0, image.levels, 0, image.layers};
  vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, nullptr, 0,
                       nullptr, 1, &barrier);
}

}  // namespace vulkan
