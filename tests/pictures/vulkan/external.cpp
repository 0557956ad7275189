#include "external.h"

#include <cstdio>
#include <cstdlib>

namespace vulkan {

void need(bool condition, const char* what) {
  if (condition) return;
  std::printf("failed: %s\n", what);
  std::fflush(stdout);
  std::_Exit(1);
}

External::External(const std::vector<const char*>& extensions, uint32_t number) {
  VkApplicationInfo application{.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = VK_API_VERSION_1_2};
  VkInstanceCreateInfo instance{.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, .pApplicationInfo = &application};
  need(vkCreateInstance(&instance, nullptr, &instance_) == VK_SUCCESS, "vkCreateInstance");
  VkPhysicalDevice all[8];
  uint32_t count = 8;
  const VkResult found = vkEnumeratePhysicalDevices(instance_, &count, all);
  need((found == VK_SUCCESS || found == VK_INCOMPLETE) && count > number, "vkEnumeratePhysicalDevices");
  physical_ = all[number];
  vkGetPhysicalDeviceProperties(physical_, &properties_);
  float priority = 1;
  VkDeviceQueueCreateInfo queue{
      .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueCount = 1, .pQueuePriorities = &priority};
  VkPhysicalDeviceTimelineSemaphoreFeatures timelines{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES,
                                                      .timelineSemaphore = VK_TRUE};
  VkDeviceCreateInfo device{.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                            .pNext = &timelines,
                            .queueCreateInfoCount = 1,
                            .pQueueCreateInfos = &queue,
                            .enabledExtensionCount = uint32_t(extensions.size()),
                            .ppEnabledExtensionNames = extensions.data()};
  need(vkCreateDevice(physical_, &device, nullptr, &device_) == VK_SUCCESS, "vkCreateDevice with the extensions");
  vkGetDeviceQueue(device_, 0, 0, &queue_);
  VkCommandPoolCreateInfo pool{.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
  need(vkCreateCommandPool(device_, &pool, nullptr, &pool_) == VK_SUCCESS, "vkCreateCommandPool");
}

External::~External() {
  vkDeviceWaitIdle(device_);
  vkDestroyCommandPool(device_, pool_, nullptr);
  vkDestroyDevice(device_, nullptr);
  vkDestroyInstance(instance_, nullptr);
}

uint32_t External::memory_type(uint32_t allowed, VkMemoryPropertyFlags wanted) const {
  VkPhysicalDeviceMemoryProperties memory;
  vkGetPhysicalDeviceMemoryProperties(physical_, &memory);
  for (uint32_t i = 0; i < memory.memoryTypeCount; ++i)
    if (allowed >> i & 1 && (memory.memoryTypes[i].propertyFlags & wanted) == wanted) return i;
  need(false, "a type of memory");
  return 0;
}

VkCommandBuffer External::record(const std::function<void(VkCommandBuffer)>& commands) const {
  VkCommandBuffer buffer = {};
  VkCommandBufferAllocateInfo allocate{
      .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, .commandPool = pool_, .commandBufferCount = 1};
  need(vkAllocateCommandBuffers(device_, &allocate, &buffer) == VK_SUCCESS, "vkAllocateCommandBuffers");
  VkCommandBufferBeginInfo begin{.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
  vkBeginCommandBuffer(buffer, &begin);
  VkMemoryBarrier all{.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                      .srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
                      .dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT};
  vkCmdPipelineBarrier(buffer, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 1, &all, 0, nullptr, 0,
                       nullptr);
  commands(buffer);
  vkCmdPipelineBarrier(buffer, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                       VK_PIPELINE_STAGE_ALL_COMMANDS_BIT | VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &all, 0, nullptr, 0, nullptr);
  need(vkEndCommandBuffer(buffer) == VK_SUCCESS, "vkEndCommandBuffer");
  return buffer;
}

void External::submit(VkCommandBuffer commands, const VkSubmitInfo& info, VkFence fence) const {
  VkSubmitInfo all = info;
  all.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
  all.commandBufferCount = 1;
  all.pCommandBuffers = &commands;
  need(vkQueueSubmit(queue_, 1, &all, fence) == VK_SUCCESS, "vkQueueSubmit");
}

}  // namespace vulkan
