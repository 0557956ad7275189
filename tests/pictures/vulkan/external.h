// A Vulkan device with given extensions, and what is shared beyond it: memory and semaphores as descriptors.
#pragma once
#include <vulkan/vulkan.h>

#include <cstdint>
#include <functional>
#include <vector>

namespace vulkan {

// Says what failed and ends the program.
void need(bool condition, const char* what);

class External {
public:
  // Ends the program where the device of that number lacks one of them.
  explicit External(const std::vector<const char*>& extensions, uint32_t number = 0);
  ~External();
  External(const External&) = delete;

  const char* name() const { return properties_.deviceName; }
  VkPhysicalDevice physical() const { return physical_; }
  VkDevice handle() const { return device_; }
  template <class Function>
  Function find(const char* function) const {
    auto found = reinterpret_cast<Function>(vkGetDeviceProcAddr(device_, function));
    need(found, function);
    return found;
  }
  // The first type among `allowed` whose memory has these properties.
  uint32_t memory_type(uint32_t allowed, VkMemoryPropertyFlags wanted) const;
  VkCommandBuffer record(const std::function<void(VkCommandBuffer)>& commands) const;
  void submit(VkCommandBuffer commands, const VkSubmitInfo& info, VkFence fence = {}) const;
  void wait() const { vkQueueWaitIdle(queue_); }

private:
  VkInstance instance_ = {};
  VkPhysicalDevice physical_ = {};
  VkPhysicalDeviceProperties properties_ = {};
  VkDevice device_ = {};
  VkQueue queue_ = {};
  VkCommandPool pool_ = {};
};

}  // namespace vulkan
