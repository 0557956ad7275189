// Two processes that share memory, semaphores and fences as descriptors: each step copies one part of the memory to the next, in the one
// process and the other by turns, and only what they share keeps the order. At the end the last part has what the first one was filled
// with; a step that came too early has copied zeros.
// vulkan_sharing [STEPS]: a line for each kind of semaphore; ends with 1 if one is wrong.
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "vulkan/external.h"

using vulkan::need;

namespace {

constexpr VkDeviceSize part = 64 << 10;
constexpr uint32_t seed = 0x5eed0001;

int peer = -1;  // socket

void send(const void* bytes, size_t count, int fd = -1) {
  iovec data{const_cast<void*>(bytes), count};
  alignas(cmsghdr) char room[CMSG_SPACE(sizeof fd)]{};
  msghdr message{};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  if (fd >= 0) {
    message.msg_control = room;
    message.msg_controllen = sizeof room;
    cmsghdr* header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof fd);
    std::memcpy(CMSG_DATA(header), &fd, sizeof fd);
  }
  need(::sendmsg(peer, &message, MSG_NOSIGNAL) == ssize_t(count), "sendmsg: the other process is gone");
}

int receive(void* bytes, size_t count) {
  iovec data{bytes, count};
  int fd = -1;
  alignas(cmsghdr) char room[CMSG_SPACE(sizeof fd)];
  msghdr message{};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  message.msg_control = room;
  message.msg_controllen = sizeof room;
  need(::recvmsg(peer, &message, 0) == ssize_t(count), "recvmsg: the other process is gone");
  if (cmsghdr* header = CMSG_FIRSTHDR(&message)) std::memcpy(&fd, CMSG_DATA(header), sizeof fd);
  return fd;
}

void give(int fd) {
  char byte = fd < 0 ? 'n' : 'y';
  send(&byte, 1, fd);
  if (fd >= 0) ::close(fd);
}
int take() {
  char byte = 0;
  return receive(&byte, 1);
}

// One side of it. The first process makes what is shared.
struct Side {
  vulkan::External device{{VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME, VK_KHR_EXTERNAL_SEMAPHORE_FD_EXTENSION_NAME,
                           VK_KHR_EXTERNAL_FENCE_FD_EXTENSION_NAME}};
  PFN_vkGetMemoryFdKHR get_memory = device.find<PFN_vkGetMemoryFdKHR>("vkGetMemoryFdKHR");
  PFN_vkGetSemaphoreFdKHR get_semaphore = device.find<PFN_vkGetSemaphoreFdKHR>("vkGetSemaphoreFdKHR");
  PFN_vkImportSemaphoreFdKHR import_semaphore = device.find<PFN_vkImportSemaphoreFdKHR>("vkImportSemaphoreFdKHR");
  PFN_vkGetFenceFdKHR get_fence = device.find<PFN_vkGetFenceFdKHR>("vkGetFenceFdKHR");
  PFN_vkImportFenceFdKHR import_fence = device.find<PFN_vkImportFenceFdKHR>("vkImportFenceFdKHR");
  const bool first;
  const uint32_t steps;
  VkBuffer buffer = {};
  VkDeviceMemory memory = {};

  Side(bool first, uint32_t steps) : first(first), steps(steps) {
    VkExternalMemoryBufferCreateInfo external{.sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO,
                                              .handleTypes = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT};
    VkBufferCreateInfo create{.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                              .pNext = &external,
                              .size = part * (steps + 1),
                              .usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT};
    need(vkCreateBuffer(device.handle(), &create, nullptr, &buffer) == VK_SUCCESS, "vkCreateBuffer");
    VkMemoryRequirements needs;
    vkGetBufferMemoryRequirements(device.handle(), buffer, &needs);
    VkExportMemoryAllocateInfo exported{.sType = VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO,
                                        .handleTypes = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT};
    VkImportMemoryFdInfoKHR imported{.sType = VK_STRUCTURE_TYPE_IMPORT_MEMORY_FD_INFO_KHR,
                                     .handleType = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT};
    VkMemoryAllocateInfo allocate{
        .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .pNext = &exported, .allocationSize = needs.size};
    allocate.memoryTypeIndex =
        device.memory_type(needs.memoryTypeBits, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT);
    if (!first) {
      imported.fd = take();
      allocate.pNext = &imported;
    }
    need(vkAllocateMemory(device.handle(), &allocate, nullptr, &memory) == VK_SUCCESS, "vkAllocateMemory");
    need(vkBindBufferMemory(device.handle(), buffer, memory, 0) == VK_SUCCESS, "vkBindBufferMemory");
    if (!first) return;
    VkMemoryGetFdInfoKHR get{.sType = VK_STRUCTURE_TYPE_MEMORY_GET_FD_INFO_KHR,
                             .memory = memory,
                             .handleType = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT};
    int fd = -1;
    need(get_memory(device.handle(), &get, &fd) == VK_SUCCESS, "vkGetMemoryFdKHR");
    give(fd);
  }
  ~Side() {
    device.wait();
    vkDestroyBuffer(device.handle(), buffer, nullptr);
    vkFreeMemory(device.handle(), memory, nullptr);
  }

  VkSemaphore make_semaphore(VkExternalSemaphoreHandleTypeFlagBits handle, VkSemaphoreType type = VK_SEMAPHORE_TYPE_BINARY) {
    VkExportSemaphoreCreateInfo exported{.sType = VK_STRUCTURE_TYPE_EXPORT_SEMAPHORE_CREATE_INFO, .handleTypes = VkFlags(handle)};
    VkSemaphoreTypeCreateInfo kind{
        .sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO, .pNext = &exported, .semaphoreType = type};
    VkSemaphoreCreateInfo create{.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, .pNext = &kind};
    VkSemaphore made;
    need(vkCreateSemaphore(device.handle(), &create, nullptr, &made) == VK_SUCCESS, "vkCreateSemaphore");
    return made;
  }
  void give_semaphore(VkSemaphore semaphore, VkExternalSemaphoreHandleTypeFlagBits handle) {
    VkSemaphoreGetFdInfoKHR get{
        .sType = VK_STRUCTURE_TYPE_SEMAPHORE_GET_FD_INFO_KHR, .semaphore = semaphore, .handleType = handle};
    int fd = -1;
    need(get_semaphore(device.handle(), &get, &fd) == VK_SUCCESS, "vkGetSemaphoreFdKHR");
    give(fd);
  }
  void take_semaphore(VkSemaphore semaphore, VkExternalSemaphoreHandleTypeFlagBits handle) {
    VkImportSemaphoreFdInfoKHR import{.sType = VK_STRUCTURE_TYPE_IMPORT_SEMAPHORE_FD_INFO_KHR, .semaphore = semaphore};
    import.flags = handle == VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_SYNC_FD_BIT ? VkFlags(VK_SEMAPHORE_IMPORT_TEMPORARY_BIT) : 0u;
    import.handleType = handle;
    import.fd = take();
    need(import_semaphore(device.handle(), &import) == VK_SUCCESS, "vkImportSemaphoreFdKHR");
  }
  // The semaphore of either process.
  VkSemaphore share(VkSemaphoreType type) {
    constexpr auto handle = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT;
    VkSemaphore semaphore = make_semaphore(handle, type);
    if (first)
      give_semaphore(semaphore, handle);
    else
      take_semaphore(semaphore, handle);
    return semaphore;
  }

  // Step 0 fills the first part, every other one copies a part to the next.
  void submit(uint32_t step, const VkSubmitInfo& info, VkFence fence = {}) {
    auto commands = device.record([&](VkCommandBuffer c) {
      if (step == 0) return vkCmdFillBuffer(c, buffer, 0, part, seed);
      VkBufferCopy copy{part * (step - 1), part * step, part};
      vkCmdCopyBuffer(c, buffer, buffer, 1, &copy);
    });
    device.submit(commands, info, fence);
  }
  bool mine(uint32_t step) const { return (step % 2 == 0) == first; }

  // Nothing of an earlier round is left.
  void clear() {
    rendezvous();
    if (first) {
      void* at = nullptr;
      need(vkMapMemory(device.handle(), memory, 0, VK_WHOLE_SIZE, 0, &at) == VK_SUCCESS, "vkMapMemory");
      std::memset(at, 0, part * (steps + 1));
      vkUnmapMemory(device.handle(), memory);
    }
    rendezvous();
  }
  void rendezvous() {
    char byte = 0;
    send(&byte, 1);
    receive(&byte, 1);
  }
  bool report(const char* kind) {
    device.wait();
    rendezvous();
    if (!first) return true;
    void* at = nullptr;
    need(vkMapMemory(device.handle(), memory, 0, VK_WHOLE_SIZE, 0, &at) == VK_SUCCESS, "vkMapMemory");
    uint32_t wrong = 0;
    for (uint64_t i = 0; i < part * (steps + 1) / 4; ++i) wrong += static_cast<const uint32_t*>(at)[i] != seed;
    vkUnmapMemory(device.handle(), memory);
    std::printf("%s: %u steps, %u of %u words wrong\n", kind, steps, wrong, uint32_t(part * (steps + 1) / 4));
    return wrong == 0;
  }
};

constexpr VkPipelineStageFlags all_stages = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;

// A submission that waits for a binary semaphore comes after the one that signals it, so the processes tell each other.
bool binary(Side& side) {
  side.clear();
  VkSemaphore to_second = side.share(VK_SEMAPHORE_TYPE_BINARY), to_first = side.share(VK_SEMAPHORE_TYPE_BINARY);
  for (uint32_t step = 0; step <= side.steps; ++step) {
    char byte = 0;
    if (side.mine(step)) {
      VkSemaphore waits = side.first ? to_first : to_second, signals = side.first ? to_second : to_first;
      VkSubmitInfo info{.waitSemaphoreCount = step ? 1u : 0u,
                        .pWaitSemaphores = &waits,
                        .pWaitDstStageMask = &all_stages,
                        .signalSemaphoreCount = step < side.steps ? 1u : 0u,
                        .pSignalSemaphores = &signals};
      side.submit(step, info);
      send(&byte, 1);
    } else {
      receive(&byte, 1);
    }
  }
  const bool right = side.report("binary semaphores");
  vkDestroySemaphore(side.device.handle(), to_second, nullptr);
  vkDestroySemaphore(side.device.handle(), to_first, nullptr);
  return right;
}

// Everything is submitted before the first point is signalled, by the host.
bool timeline(Side& side) {
  side.clear();
  VkSemaphore line = side.share(VK_SEMAPHORE_TYPE_TIMELINE);
  for (uint32_t step = 0; step <= side.steps; ++step) {
    if (!side.mine(step)) continue;
    const uint64_t waits = step + 1, signals = step + 2;
    VkTimelineSemaphoreSubmitInfo values{.sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
                                         .waitSemaphoreValueCount = 1,
                                         .pWaitSemaphoreValues = &waits,
                                         .signalSemaphoreValueCount = 1,
                                         .pSignalSemaphoreValues = &signals};
    VkSubmitInfo info{.pNext = &values,
                      .waitSemaphoreCount = 1,
                      .pWaitSemaphores = &line,
                      .pWaitDstStageMask = &all_stages,
                      .signalSemaphoreCount = 1,
                      .pSignalSemaphores = &line};
    side.submit(step, info);
  }
  side.rendezvous();
  if (!side.first) {
    VkSemaphoreSignalInfo start{.sType = VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO, .semaphore = line, .value = 1};
    need(vkSignalSemaphore(side.device.handle(), &start) == VK_SUCCESS, "vkSignalSemaphore");
  }
  const uint64_t last = side.steps + 2;
  VkSemaphoreWaitInfo wait{
      .sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO, .semaphoreCount = 1, .pSemaphores = &line, .pValues = &last};
  need(vkWaitSemaphores(side.device.handle(), &wait, UINT64_MAX) == VK_SUCCESS, "vkWaitSemaphores");
  uint64_t value = 0;
  need(vkGetSemaphoreCounterValue(side.device.handle(), line, &value) == VK_SUCCESS && value == last, "the timeline's value");
  const bool right = side.report("timeline semaphores");
  vkDestroySemaphore(side.device.handle(), line, nullptr);
  return right;
}

// Each step's sync file goes to the other process, which waits for it once.
bool sync_files(Side& side) {
  side.clear();
  constexpr auto handle = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_SYNC_FD_BIT;
  VkSemaphore waits = side.make_semaphore(handle), signals = side.make_semaphore(handle);
  for (uint32_t step = 0; step <= side.steps; ++step) {
    if (side.mine(step)) {
      VkSubmitInfo info{.waitSemaphoreCount = step ? 1u : 0u,
                        .pWaitSemaphores = &waits,
                        .pWaitDstStageMask = &all_stages,
                        .signalSemaphoreCount = 1,
                        .pSignalSemaphores = &signals};
      side.submit(step, info);
      side.give_semaphore(signals, handle);
    } else {
      side.take_semaphore(waits, handle);
    }
  }
  const bool right = side.report("sync files");
  vkDestroySemaphore(side.device.handle(), waits, nullptr);
  vkDestroySemaphore(side.device.handle(), signals, nullptr);
  return right;
}

// The other process waits on the host for a fence that it was given.
bool fences(Side& side) {
  side.clear();
  constexpr auto handle = VK_EXTERNAL_FENCE_HANDLE_TYPE_OPAQUE_FD_BIT;
  for (uint32_t step = 0; step <= side.steps; ++step) {
    VkExportFenceCreateInfo exported{.sType = VK_STRUCTURE_TYPE_EXPORT_FENCE_CREATE_INFO, .handleTypes = handle};
    VkFenceCreateInfo create{.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO, .pNext = &exported};
    VkFence fence;
    need(vkCreateFence(side.device.handle(), &create, nullptr, &fence) == VK_SUCCESS, "vkCreateFence");
    if (side.mine(step)) {
      side.submit(step, VkSubmitInfo{}, fence);
      VkFenceGetFdInfoKHR get{.sType = VK_STRUCTURE_TYPE_FENCE_GET_FD_INFO_KHR, .fence = fence, .handleType = handle};
      int fd = -1;
      need(side.get_fence(side.device.handle(), &get, &fd) == VK_SUCCESS, "vkGetFenceFdKHR");
      give(fd);
      take();  // it has been waited for
    } else {
      VkImportFenceFdInfoKHR import{
          .sType = VK_STRUCTURE_TYPE_IMPORT_FENCE_FD_INFO_KHR, .fence = fence, .handleType = handle, .fd = take()};
      need(side.import_fence(side.device.handle(), &import) == VK_SUCCESS, "vkImportFenceFdKHR");
      need(vkWaitForFences(side.device.handle(), 1, &fence, VK_TRUE, UINT64_MAX) == VK_SUCCESS, "vkWaitForFences");
      give(-1);
    }
    vkDestroyFence(side.device.handle(), fence, nullptr);
  }
  return side.report("fences");
}

}  // namespace

int main(int argc, char** argv) {
  const uint32_t steps = argc > 1 ? uint32_t(std::atoi(argv[1])) : 24;
  int sockets[2];
  need(::socketpair(AF_UNIX, SOCK_SEQPACKET, 0, sockets) == 0, "socketpair");
  const pid_t child = ::fork();
  peer = sockets[child != 0];
  ::close(sockets[child == 0]);
  bool right = true;
  {
    Side side(child != 0, steps);
    if (side.first) std::printf("device: %s\n", side.device.name());
    for (auto* test : {binary, timeline, sync_files, fences}) right &= test(side);
  }
  if (child == 0) return 0;
  int status = 0;
  need(::waitpid(child, &status, 0) == child && status == 0, "the other process");
  return right ? 0 : 1;
}
