// The Vulkan that the sheets need: one device without a window, images, buffers, one submission at a time.
#pragma once
#include <vulkan/vulkan.h>

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace vulkan {

// Says what failed and ends the program.
void check(VkResult result, const char* what);

struct Buffer {
  VkBuffer handle;
  uint8_t* bytes;
};

struct Image {
  VkImage handle = {};
  VkFormat format = {};
  VkImageAspectFlags aspects = 0;
  uint32_t width = 0, height = 0, layers = 1, levels = 1, depth = 1;
};

class Device {
public:
  explicit Device(const char* program);
  ~Device();
  Device(const Device&) = delete;

  const std::string& name() const { return name_; }
  VkDevice handle() const { return device_; }
  VkPhysicalDevice physical() const { return physical_; }
  const VkPhysicalDeviceFeatures& features() const { return features_; }  // that are enabled

  // True if images of the format can be drawn to as depth or stencil, copied from, and sampled.
  bool has_depth_format(VkFormat format) const;

  // Objects that these make live until forget().
  Buffer make_buffer(VkDeviceSize bytes, VkBufferUsageFlags beside_copies = 0);
  Image make_image(VkFormat format, VkImageAspectFlags aspects, VkImageUsageFlags usage, VkExtent2D size, uint32_t layers,
                   uint32_t levels, VkSampleCountFlagBits samples);
  Image make_image(const VkImageCreateInfo& info, VkImageAspectFlags aspects);
  VkImageView make_view(const Image& image, VkImageAspectFlags aspects, uint32_t layer, uint32_t level, uint32_t levels = 1,
                        VkImageViewType type = VK_IMAGE_VIEW_TYPE_2D);
  VkShaderModule make_shader(const uint32_t* words, size_t bytes);
  void later(std::function<void()> destroy) { to_destroy_.push_back(std::move(destroy)); }
  void forget();

  // The pipeline that was made for this key before, or a new one; it lives as long as the device.
  VkPipeline pipeline(const std::string& key, const std::function<VkPipeline()>& make);

  // Records, submits and waits.
  void submit(const std::function<void(VkCommandBuffer)>& record);

private:
  VkDeviceMemory allocate(const VkMemoryRequirements& needs, VkMemoryPropertyFlags wanted);

  VkInstance instance_ = {};
  VkPhysicalDevice physical_ = {};
  VkPhysicalDeviceFeatures features_ = {};
  VkDevice device_ = {};
  VkQueue queue_ = {};
  VkCommandPool pool_ = {};
  std::string name_;
  std::vector<std::function<void()>> to_destroy_;
  std::map<std::string, VkPipeline> pipelines_;
};

// A barrier after which everything that was written is seen by everything, and the image has the new layout.
void transition(VkCommandBuffer commands, const Image& image, VkImageLayout from, VkImageLayout to);

}  // namespace vulkan
