// The program's own memory as the GPU's (VK_EXT_external_memory_host): buffers of random sizes at random places of what the program has
// mapped, read and written by copies, while the bytes beside them stay. The model is a plain array.
// vulkan_host_memory [CASES [DEVICE]]: ends with 1 if a byte is wrong.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <vector>

#include "vulkan/external.h"

using vulkan::need;

int main(int argc, char** argv) {
  const int cases = argc > 1 ? std::atoi(argv[1]) : 100;
  vulkan::External device({VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME}, argc > 2 ? uint32_t(std::atoi(argv[2])) : 0);
  std::printf("device: %s\n", device.name());
  VkPhysicalDeviceExternalMemoryHostPropertiesEXT host{.sType =
                                                           VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_MEMORY_HOST_PROPERTIES_EXT};
  VkPhysicalDeviceProperties2 properties{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &host};
  vkGetPhysicalDeviceProperties2(device.physical(), &properties);
  const VkDeviceSize unit = host.minImportedHostPointerAlignment, room = 256 * unit;
  std::printf("alignment: %llu\n", static_cast<unsigned long long>(unit));
  auto properties_of = device.find<PFN_vkGetMemoryHostPointerPropertiesEXT>("vkGetMemoryHostPointerPropertiesEXT");
  constexpr auto handle = VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT;

  // private memory, and memory that a file stands behind, which another process may have as well
  const int file = ::memfd_create("vulkan_host_memory", 0);
  need(file >= 0 && ::ftruncate(file, off_t(room)) == 0, "memfd_create");
  uint8_t* const places[] = {
      static_cast<uint8_t*>(::mmap(nullptr, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)),
      static_cast<uint8_t*>(::mmap(nullptr, room, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0))};
  std::vector<uint8_t> models[2];
  std::mt19937 random(1);
  for (int i : {0, 1}) {
    need(places[i] != MAP_FAILED, "mmap");
    models[i].resize(room);
    for (auto& byte : models[i]) byte = uint8_t(random());
    std::memcpy(places[i], models[i].data(), room);
  }
  struct Import {
    VkDeviceMemory memory;
    VkBuffer buffer;
    VkDeviceSize offset, bytes;
  };
  auto import = [&](uint8_t* place) {
    Import made{};
    made.offset = random() % 200 * unit;
    made.bytes = (1 + random() % 40) * unit;
    VkMemoryHostPointerPropertiesEXT allowed{.sType = VK_STRUCTURE_TYPE_MEMORY_HOST_POINTER_PROPERTIES_EXT};
    need(properties_of(device.handle(), handle, place + made.offset, &allowed) == VK_SUCCESS,
         "vkGetMemoryHostPointerPropertiesEXT");
    VkExternalMemoryBufferCreateInfo external{.sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO,
                                              .handleTypes = handle};
    VkBufferCreateInfo create{.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                              .pNext = &external,
                              .size = made.bytes,
                              .usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT};
    need(vkCreateBuffer(device.handle(), &create, nullptr, &made.buffer) == VK_SUCCESS, "vkCreateBuffer");
    VkMemoryRequirements needs;
    vkGetBufferMemoryRequirements(device.handle(), made.buffer, &needs);
    VkImportMemoryHostPointerInfoEXT imported{.sType = VK_STRUCTURE_TYPE_IMPORT_MEMORY_HOST_POINTER_INFO_EXT,
                                              .handleType = handle,
                                              .pHostPointer = place + made.offset};
    VkMemoryAllocateInfo allocate{
        .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .pNext = &imported, .allocationSize = made.bytes};
    allocate.memoryTypeIndex = device.memory_type(allowed.memoryTypeBits & needs.memoryTypeBits, 0);
    need(vkAllocateMemory(device.handle(), &allocate, nullptr, &made.memory) == VK_SUCCESS, "vkAllocateMemory");
    need(vkBindBufferMemory(device.handle(), made.buffer, made.memory, 0) == VK_SUCCESS, "vkBindBufferMemory");
    return made;
  };

  int wrong = 0;
  for (int i = 0; i < cases; ++i) {
    // one of the two is read and the other written, so that a copy never overlaps itself
    const int from = int(random() % 2), to = !from;
    Import source = import(places[from]), target = import(places[to]);
    const VkDeviceSize bytes = 4 * (1 + random() % (std::min(source.bytes, target.bytes) / 4));
    VkBufferCopy copy{(source.bytes - bytes) / 4 * 4, 4 * (random() % ((target.bytes - bytes) / 4 + 1)), bytes};
    const VkDeviceSize filled = 4 * (random() % (target.bytes / 4));
    const uint32_t value = uint32_t(random());
    auto commands = device.record([&](VkCommandBuffer c) {
      vkCmdFillBuffer(c, target.buffer, filled, 4, value);
      VkMemoryBarrier order{.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                            .srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
                            .dstAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT};
      vkCmdPipelineBarrier(c, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 1, &order, 0, nullptr, 0,
                           nullptr);
      vkCmdCopyBuffer(c, source.buffer, target.buffer, 1, &copy);
    });
    // what the program writes before the submission the GPU sees
    const VkDeviceSize written = source.offset + random() % source.bytes;
    places[from][written] = models[from][written] = uint8_t(random());
    device.submit(commands, {});
    device.wait();
    std::memcpy(&models[to][target.offset + filled], &value, 4);
    std::memcpy(&models[to][target.offset + copy.dstOffset], &models[from][source.offset + copy.srcOffset], bytes);
    for (int place : {0, 1}) wrong += std::memcmp(places[place], models[place].data(), room) != 0;
    for (auto& one : {source, target}) {
      vkDestroyBuffer(device.handle(), one.buffer, nullptr);
      vkFreeMemory(device.handle(), one.memory, nullptr);
    }
  }
  std::printf("%d cases, %d wrong\n", cases, wrong);
  return wrong != 0;
}
