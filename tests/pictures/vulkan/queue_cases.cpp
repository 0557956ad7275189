// Several queues: semaphores, timelines, fences, events, ownership of buffers and images; copies on each queue; sparse memory.
#include <algorithm>
#include <chrono>
#include <thread>

#include "queue_bench.h"

namespace vulkan {

namespace {

constexpr uint32_t kPasses = 50, kValues = 512;

VkSemaphore make_semaphore(Bench& b, bool timeline) {
  VkSemaphoreTypeCreateInfo type{VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO, nullptr, VK_SEMAPHORE_TYPE_TIMELINE, 0};
  VkSemaphoreCreateInfo info{VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, timeline ? &type : nullptr};
  VkSemaphore result;
  check(vkCreateSemaphore(b.device, &info, nullptr, &result), "vkCreateSemaphore");
  return result;
}

VkFence make_fence(Bench& b, bool signaled = false) {
  VkFenceCreateInfo info{VK_STRUCTURE_TYPE_FENCE_CREATE_INFO, nullptr,
                         signaled ? VK_FENCE_CREATE_SIGNALED_BIT : VkFenceCreateFlags(0)};
  VkFence result;
  check(vkCreateFence(b.device, &info, nullptr, &result), "vkCreateFence");
  return result;
}

// Gives the buffer to another family, or takes it over.
void hand_over(VkCommandBuffer commands, const Queue& from, const Queue& to, VkBuffer buffer, bool release) {
  VkBufferMemoryBarrier barrier{VK_STRUCTURE_TYPE_BUFFER_MEMORY_BARRIER};
  barrier.srcAccessMask = release ? VK_ACCESS_MEMORY_WRITE_BIT : 0;
  barrier.dstAccessMask = release ? 0 : VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT;
  bool same = from.family == to.family;
  barrier.srcQueueFamilyIndex = same ? VK_QUEUE_FAMILY_IGNORED : from.family;
  barrier.dstQueueFamilyIndex = same ? VK_QUEUE_FAMILY_IGNORED : to.family;
  barrier.buffer = buffer;
  barrier.size = VK_WHOLE_SIZE;
  vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, nullptr, 1,
                       &barrier, 0, nullptr);
}

// Two queues do the steps of a sequence in turn.
std::string back_and_forth(Bench& b, const Queue& one, const Queue& other, bool timeline) {
  Memory memory = b.make_memory(kValues * 4);
  VkDescriptorSet set = b.make_set(memory);
  const Queue* queues[2] = {&one, &other};
  std::vector<VkSemaphore> semaphores(kPasses);
  VkSemaphore line = timeline ? make_semaphore(b, true) : VkSemaphore();
  VkFence fence = make_fence(b);
  for (uint32_t i = 0; i < kPasses; i++) {
    const Queue &queue = *queues[i % 2], &next = *queues[(i + 1) % 2];
    VkCommandBuffer commands = b.record(queue, [&](VkCommandBuffer c) {
      if (i) hand_over(c, next, queue, memory.buffer, false);
      b.steps(c, set, i, kValues / 64);
      if (i + 1 < kPasses) hand_over(c, queue, next, memory.buffer, true);
    });
    if (!timeline) semaphores[i] = make_semaphore(b, false);
    VkSemaphore wait = timeline ? line : i ? semaphores[i - 1] : VkSemaphore(), signal = timeline ? line : semaphores[i];
    uint64_t wait_value = i, signal_value = i + 1;
    VkTimelineSemaphoreSubmitInfo values{
        VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO, nullptr, 1, &wait_value, 1, &signal_value};
    VkPipelineStageFlags stages = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
    bool waits = i || timeline, signals = timeline || i + 1 < kPasses;
    VkSubmitInfo info{
        VK_STRUCTURE_TYPE_SUBMIT_INFO, timeline ? &values : nullptr, waits, &wait, &stages, 1, &commands, signals, &signal};
    check(vkQueueSubmit(queue.handle, 1, &info, i + 1 == kPasses ? fence : VkFence()), "vkQueueSubmit");
  }
  if (timeline) {
    uint64_t last = kPasses;
    VkSemaphoreWaitInfo wait{VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO, nullptr, 0, 1, &line, &last};
    check(vkWaitSemaphores(b.device, &wait, ~0ull), "vkWaitSemaphores");
  }
  check(vkWaitForFences(b.device, 1, &fence, VK_TRUE, ~0ull), "vkWaitForFences");
  return hash(memory.words, kValues * 4);
}

std::string sequence() {
  std::vector<uint32_t> values(kValues);
  for (uint32_t i = 0; i < kPasses; i++)
    for (uint32_t k = 0; k < kValues; k++) values[k] = values[k] * 3 + i + k;
  return hash(values.data(), kValues * 4);
}

// The host and the commands count one timeline on in turn, the waiting submissions first.
void timeline_with_the_host(Bench& b, const Queue& queue, const std::string& name) {
  Memory memory = b.make_memory(64 * 4);
  VkDescriptorSet set = b.make_set(memory);
  VkSemaphore line = make_semaphore(b, true);
  std::string seen;
  for (uint64_t i = 0; i < 4; i++) {
    VkCommandBuffer commands = b.record(queue, [&](VkCommandBuffer c) { b.steps(c, set, 3, 1); });
    uint64_t wait = 10 * i + 5, signal = 10 * i + 10, now = 0;
    VkTimelineSemaphoreSubmitInfo values{VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO, nullptr, 1, &wait, 1, &signal};
    VkPipelineStageFlags stages = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
    VkSubmitInfo info{VK_STRUCTURE_TYPE_SUBMIT_INFO, &values, 1, &line, &stages, 1, &commands, 1, &line};
    check(vkQueueSubmit(queue.handle, 1, &info, {}), "vkQueueSubmit");
    check(vkGetSemaphoreCounterValue(b.device, line, &now), "vkGetSemaphoreCounterValue");
    seen += std::to_string(now) + "/" + std::to_string(memory.words[1]) + " ";
    VkSemaphoreSignalInfo raise{VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO, nullptr, line, wait};
    check(vkSignalSemaphore(b.device, &raise), "vkSignalSemaphore");
    VkSemaphoreWaitInfo until{VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO, nullptr, 0, 1, &line, &signal};
    check(vkWaitSemaphores(b.device, &until, ~0ull), "vkWaitSemaphores");
    check(vkGetSemaphoreCounterValue(b.device, line, &now), "vkGetSemaphoreCounterValue");
    seen += std::to_string(now) + "/" + std::to_string(memory.words[1]) + " ";
  }
  uint64_t beyond = 1000;
  VkSemaphoreWaitInfo until{VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO, nullptr, 0, 1, &line, &beyond};
  b.line("queues, " + name + ", timeline with the host",
         seen + (vkWaitSemaphores(b.device, &until, 1000) == VK_TIMEOUT ? "timeout" : "no timeout"));
}

// Submitted from the last to the first: each queue waits for what is submitted to the other later.
void waits_before_signals(Bench& b, const Queue& one, const Queue& other) {
  if (&one == &other) return;
  Memory memory = b.make_memory(kValues * 4, 0, true);
  VkDescriptorSet set = b.make_set(memory);
  VkSemaphore line = make_semaphore(b, true);
  const Queue* queues[2] = {&one, &other};
  for (uint32_t i = 2; i-- > 0;) {
    const Queue& queue = *queues[i];
    VkCommandBuffer commands = b.record(queue, [&](VkCommandBuffer c) { b.steps(c, set, i, kValues / 64); });
    uint64_t wait = i, signal = i + 1;
    VkTimelineSemaphoreSubmitInfo values{VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO, nullptr, 1, &wait, 1, &signal};
    VkPipelineStageFlags stages = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
    VkSubmitInfo info{VK_STRUCTURE_TYPE_SUBMIT_INFO, &values, 1, &line, &stages, 1, &commands, 1, &line};
    check(vkQueueSubmit(queue.handle, 1, &info, {}), "vkQueueSubmit");
  }
  uint64_t last = 2;
  VkSemaphoreWaitInfo wait{VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO, nullptr, 0, 1, &line, &last};
  check(vkWaitSemaphores(b.device, &wait, ~0ull), "vkWaitSemaphores");
  bool right = true;
  for (uint32_t k = 0; k < kValues; k++) right &= memory.words[k] == k * 3 + 1 + k;
  b.fits("queues, waits submitted before signals", right, std::to_string(memory.words[7]));
}

// Work of each queue's own, all submitted before any is waited for.
void all_at_once(Bench& b) {
  std::vector<Memory> memories;
  for (const Queue& queue : b.queues) {
    memories.push_back(b.make_memory(kValues * 4));
    VkDescriptorSet set = b.make_set(memories.back());
    if (!(queue.flags & VK_QUEUE_COMPUTE_BIT)) continue;
    VkCommandBuffer commands = b.record(queue, [&](VkCommandBuffer c) {
      for (uint32_t i = 0; i < kPasses; i++) b.steps(c, set, i, kValues / 64), full_barrier(c);
    });
    VkSubmitInfo info{VK_STRUCTURE_TYPE_SUBMIT_INFO};
    info.commandBufferCount = 1;
    info.pCommandBuffers = &commands;
    check(vkQueueSubmit(queue.handle, 1, &info, {}), "vkQueueSubmit");
  }
  check(vkDeviceWaitIdle(b.device), "vkDeviceWaitIdle");
  bool right = true;
  for (size_t i = 0; i < b.queues.size(); i++)
    right &= !(b.queues[i].flags & VK_QUEUE_COMPUTE_BIT) || hash(memories[i].words, kValues * 4) == sequence();
  b.fits("queues, all at once", right);
}

void fences(Bench& b, const Queue& queue, const std::string& name) {
  VkFence all[3] = {make_fence(b), make_fence(b, true), make_fence(b)};
  std::string text =
      std::to_string(vkGetFenceStatus(b.device, all[0])) + " " + std::to_string(vkGetFenceStatus(b.device, all[1])) + " ";
  text += std::to_string(vkWaitForFences(b.device, 3, all, VK_FALSE, 0)) + " " +
          std::to_string(vkWaitForFences(b.device, 3, all, VK_TRUE, 1000)) + " ";
  check(vkResetFences(b.device, 1, &all[1]), "vkResetFences");
  text += std::to_string(vkGetFenceStatus(b.device, all[1])) + " ";
  Memory memory = b.make_memory(256);
  VkDescriptorSet set = b.make_set(memory);
  VkCommandBuffer commands = b.record(queue, [&](VkCommandBuffer c) { b.steps(c, set, 3, 1); });
  VkSubmitInfo info{VK_STRUCTURE_TYPE_SUBMIT_INFO};
  info.commandBufferCount = 1;
  info.pCommandBuffers = &commands;
  // One with commands, two without.
  check(vkQueueSubmit(queue.handle, 1, &info, all[0]), "vkQueueSubmit");
  check(vkQueueSubmit(queue.handle, 0, nullptr, all[1]), "vkQueueSubmit");
  check(vkQueueSubmit(queue.handle, 0, nullptr, all[2]), "vkQueueSubmit");
  text += std::to_string(vkWaitForFences(b.device, 3, all, VK_TRUE, ~0ull)) + " ";
  for (VkFence fence : all) text += std::to_string(vkGetFenceStatus(b.device, fence)) + " ";
  b.line("queues, " + name + ", fences", text + std::to_string(memory.words[5]));
}

void events(Bench& b, const Queue& queue, const std::string& name) {
  VkEventCreateInfo create{VK_STRUCTURE_TYPE_EVENT_CREATE_INFO};
  VkEvent event, host;
  check(vkCreateEvent(b.device, &create, nullptr, &event), "vkCreateEvent");
  check(vkCreateEvent(b.device, &create, nullptr, &host), "vkCreateEvent");
  auto status = [&](VkEvent of) {
    VkResult result = vkGetEventStatus(b.device, of);
    return std::string(result == VK_EVENT_SET ? "set" : result == VK_EVENT_RESET ? "reset" : std::to_string(result)) + " ";
  };
  std::string text = status(event);
  check(vkSetEvent(b.device, event), "vkSetEvent");
  text += status(event);
  check(vkResetEvent(b.device, event), "vkResetEvent");
  text += status(event);
  b.line("queues, " + name + ", events of the host", text);

  Memory memory = b.make_memory(256);
  VkDescriptorSet set = b.make_set(memory);
  VkMemoryBarrier barrier{VK_STRUCTURE_TYPE_MEMORY_BARRIER, nullptr, VK_ACCESS_SHADER_WRITE_BIT,
                          VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT};
  b.run(queue, [&](VkCommandBuffer c) {
    b.steps(c, set, 3, 1);
    vkCmdSetEvent(c, event, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT);
    vkCmdWaitEvents(c, 1, &event, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, 1, &barrier, 0,
                    nullptr, 0, nullptr);
    b.steps(c, set, 4, 1);
  });
  text = status(event) + std::to_string(memory.words[5]) + " ";
  b.run(queue, [&](VkCommandBuffer c) { vkCmdResetEvent(c, event, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT); });
  text += status(event);
  b.line("queues, " + name + ", events of commands", text);

  // Set by one submission, waited for by the next.
  VkCommandBuffer commands[2];
  commands[0] = b.record(queue, [&](VkCommandBuffer c) {
    b.steps(c, set, 5, 1);
    vkCmdSetEvent(c, event, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT);
  });
  commands[1] = b.record(queue, [&](VkCommandBuffer c) {
    vkCmdWaitEvents(c, 1, &event, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 1, &barrier, 0, nullptr,
                    0, nullptr);
    b.steps(c, set, 6, 1);
  });
  for (VkCommandBuffer& one : commands) {
    VkSubmitInfo info{VK_STRUCTURE_TYPE_SUBMIT_INFO};
    info.commandBufferCount = 1;
    info.pCommandBuffers = &one;
    check(vkQueueSubmit(queue.handle, 1, &info, {}), "vkQueueSubmit");
  }
  check(vkQueueWaitIdle(queue.handle), "vkQueueWaitIdle");
  b.line("queues, " + name + ", events over submissions", status(event) + std::to_string(memory.words[5]));

  // Commands wait for the host, which looks whether they do.
  VkFence fence = make_fence(b);
  VkMemoryBarrier from_host{VK_STRUCTURE_TYPE_MEMORY_BARRIER, nullptr, VK_ACCESS_HOST_WRITE_BIT, VK_ACCESS_SHADER_READ_BIT};
  VkCommandBuffer waiting = b.record(queue, [&](VkCommandBuffer c) {
    vkCmdWaitEvents(c, 1, &host, VK_PIPELINE_STAGE_HOST_BIT, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, 1, &from_host, 0, nullptr, 0,
                    nullptr);
    b.steps(c, set, 7, 1);
  });
  VkSubmitInfo info{VK_STRUCTURE_TYPE_SUBMIT_INFO};
  info.commandBufferCount = 1;
  info.pCommandBuffers = &waiting;
  check(vkQueueSubmit(queue.handle, 1, &info, fence), "vkQueueSubmit");
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  text = std::to_string(vkGetFenceStatus(b.device, fence)) + " ";
  memory.words[5] = 1000;
  check(vkSetEvent(b.device, host), "vkSetEvent");
  text += std::to_string(vkWaitForFences(b.device, 1, &fence, VK_TRUE, 10'000'000'000)) + " " + std::to_string(memory.words[5]);
  b.line("queues, " + name + ", commands wait for the host", text);
}

// The role of a queue is its name where there may be one queue only; what only a second queue can do is judged here.
const Queue& other_queue(Bench& b, VkQueueFlags flags) {
  for (size_t i = b.queues.size(); i-- > 1;)
    if (b.queues[i].flags & flags) return b.queues[i];
  return b.graphics();
}

void layout(VkCommandBuffer commands, VkImage image, VkImageLayout from, VkImageLayout to, uint32_t src = VK_QUEUE_FAMILY_IGNORED,
            uint32_t dst = VK_QUEUE_FAMILY_IGNORED) {
  if (src == dst) src = dst = VK_QUEUE_FAMILY_IGNORED;
  VkImageMemoryBarrier barrier{VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
                               nullptr,
                               VK_ACCESS_MEMORY_WRITE_BIT,
                               VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT,
                               from,
                               to,
                               src,
                               dst,
                               image,
                               {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1}};
  vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, nullptr, 0,
                       nullptr, 1, &barrier);
}

constexpr VkImageLayout kGeneral = VK_IMAGE_LAYOUT_GENERAL, kFrom = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
                        kTo = VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL;

// Buffer to image, image to image, image to buffer with pitches and regions.
std::string copies(Bench& b, const Queue& queue, VkFormat format, uint32_t texel) {
  constexpr uint32_t kWidth = 37, kHeight = 29, kPitch = 43, kPitchBack = 64;
  Memory in = b.make_memory(65536), out = b.make_memory(65536, 0xcdcdcdcd);
  uint32_t random = 1;
  for (uint32_t i = 0; i < 65536 / 4; i++) in.words[i] = (random = random * 1664525 + 1013904223) & 0x3f3f3f3f;
  VkImageUsageFlags usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
  Picture first = b.make_picture(format, {kWidth, kHeight}, usage, VK_SAMPLE_COUNT_1_BIT, VK_IMAGE_ASPECT_COLOR_BIT);
  Picture second = b.make_picture(format, {kSize, kSize}, usage, VK_SAMPLE_COUNT_1_BIT, VK_IMAGE_ASPECT_COLOR_BIT);
  constexpr VkImageSubresourceLayers kLayer{VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
  b.run(queue, [&](VkCommandBuffer c) {
    layout(c, first.image, VK_IMAGE_LAYOUT_UNDEFINED, kTo);
    layout(c, second.image, VK_IMAGE_LAYOUT_UNDEFINED, kTo);
    VkBufferImageCopy whole{texel * 4, kPitch, 31, kLayer, {0, 0, 0}, {kWidth, kHeight, 1}};
    vkCmdCopyBufferToImage(c, in.buffer, first.image, kTo, 1, &whole);
    VkBufferImageCopy background{texel * 16, 0, 0, kLayer, {0, 0, 0}, {kSize, kSize, 1}};
    if (kSize * kSize * texel + texel * 16 > 65536) background.imageExtent.height = 32;
    vkCmdCopyBufferToImage(c, in.buffer, second.image, kTo, 1, &background);
    full_barrier(c);
    VkBufferImageCopy part{texel * 100, 50, 0, kLayer, {5, 9, 0}, {11, 6, 1}};
    vkCmdCopyBufferToImage(c, in.buffer, first.image, kTo, 1, &part);
    layout(c, first.image, kTo, kFrom);
    full_barrier(c);
    const VkImageCopy kRegions[] = {{kLayer, {0, 0, 0}, kLayer, {20, 3, 0}, {37, 1, 1}},
                                    {kLayer, {3, 5, 0}, kLayer, {1, 8, 0}, {17, 19, 1}},
                                    {kLayer, {36, 28, 0}, kLayer, {63, 0, 0}, {1, 1, 1}}};
    vkCmdCopyImage(c, first.image, kFrom, second.image, kTo, 3, kRegions);
    layout(c, second.image, kTo, kFrom);
    const VkBufferImageCopy kBack[] = {{texel * 8, kPitchBack, 0, kLayer, {0, 0, 0}, {60, 31, 1}},
                                       {texel * 8 + 40 * kPitchBack * texel, 23, 16, kLayer, {1, 6, 0}, {21, 13, 1}}};
    vkCmdCopyImageToBuffer(c, second.image, kFrom, out.buffer, 2, kBack);
    VkBufferCopy bytes[2] = {{4, 64000, 12}, {1000, 64100, 1000}};
    full_barrier(c);
    vkCmdCopyBuffer(c, in.buffer, out.buffer, 2, bytes);
    vkCmdFillBuffer(c, out.buffer, 65200, 36, 0x12345678);
    const uint32_t kUpdate[4] = {1, 2, 3, 4};
    vkCmdUpdateBuffer(c, out.buffer, 65300, sizeof kUpdate, kUpdate);
  });
  return hash(out.words, out.bytes);
}

// Drawn on one queue, copied on the other, copied back on the first.
std::string image_between(Bench& b, const Queue& other) {
  Target target = b.make_target(VK_SAMPLE_COUNT_1_BIT);
  PipelineParts parts;
  parts.vertex = b.cell_vertices;
  parts.fragment = b.cell_pixels;
  VkPipeline pipeline = b.make_pipeline(parts);
  Memory out = b.make_memory(kSize * kSize * 4);
  VkSemaphore drawn = make_semaphore(b, false), copied = make_semaphore(b, false);
  constexpr VkImageSubresourceLayers kLayer{VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
  uint32_t graphics = b.graphics().family;
  VkCommandBuffer first = b.record(b.graphics(), [&](VkCommandBuffer c) {
    b.pass(c, target, true, [&] {
      b.bind(c, pipeline);
      b.place(c, 2, 3, 8, 8, 0.5f);
      vkCmdDraw(c, 42, 7, 0, 0);
    });
    layout(c, target.colour.image, kGeneral, kFrom, graphics, other.family);
  });
  VkCommandBuffer second = b.record(other, [&](VkCommandBuffer c) {
    if (graphics != other.family) layout(c, target.colour.image, kGeneral, kFrom, graphics, other.family);
    VkBufferImageCopy all{0, 0, 0, kLayer, {0, 0, 0}, {kSize, kSize, 1}};
    vkCmdCopyImageToBuffer(c, target.colour.image, kFrom, out.buffer, 1, &all);
    layout(c, target.colour.image, kFrom, kGeneral, other.family, graphics);
  });
  VkCommandBuffer third = b.record(b.graphics(), [&](VkCommandBuffer c) {
    if (graphics != other.family) layout(c, target.colour.image, kFrom, kGeneral, other.family, graphics);
    b.pass(c, target, false, [&] {
      b.bind(c, pipeline);
      b.place(c, 0, 0, 8, 8, 0.25f);
      vkCmdDraw(c, 12, 3, 0, 0);
    });
  });
  VkPipelineStageFlags stages = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
  VkSubmitInfo infos[3] = {{VK_STRUCTURE_TYPE_SUBMIT_INFO, nullptr, 0, nullptr, nullptr, 1, &first, 1, &drawn},
                           {VK_STRUCTURE_TYPE_SUBMIT_INFO, nullptr, 1, &drawn, &stages, 1, &second, 1, &copied},
                           {VK_STRUCTURE_TYPE_SUBMIT_INFO, nullptr, 1, &copied, &stages, 1, &third, 0, nullptr}};
  check(vkQueueSubmit(b.graphics().handle, 1, &infos[0], {}), "vkQueueSubmit");
  check(vkQueueSubmit(other.handle, 1, &infos[1], {}), "vkQueueSubmit");
  check(vkQueueSubmit(b.graphics().handle, 1, &infos[2], {}), "vkQueueSubmit");
  check(vkDeviceWaitIdle(b.device), "vkDeviceWaitIdle");
  return hash(out.words, out.bytes) + " " + hash(b.read(target).data(), kSize * kSize * 4);
}

}  // namespace

void queue_cases(Bench& b) {
  const Queue& other = other_queue(b, VK_QUEUE_COMPUTE_BIT);
  b.line("queues, back and forth, binary semaphores", back_and_forth(b, b.graphics(), other, false));
  if (b.features12.timelineSemaphore) b.line("queues, back and forth, a timeline", back_and_forth(b, b.graphics(), other, true));
  if (b.features12.timelineSemaphore) waits_before_signals(b, b.graphics(), other);
  all_at_once(b);
  std::string expected = sequence();
  for (const Queue& queue : b.queues) {
    if (!(queue.flags & VK_QUEUE_COMPUTE_BIT) || &queue == &b.graphics()) continue;
    std::string got = back_and_forth(b, queue, &queue == &b.queues.back() ? b.queues[1] : (&queue)[1], false);
    b.fits("queues, queue " + std::to_string(&queue - b.queues.data()) + " and the next, binary semaphores", got == expected);
  }
  for (const auto& [name, queue] : {std::pair<std::string, const Queue*>{"graphics", &b.graphics()}, {"compute", &other}}) {
    if (b.features12.timelineSemaphore) timeline_with_the_host(b, *queue, name);
    fences(b, *queue, name);
    events(b, *queue, name);
  }
}

void copy_cases(Bench& b) {
  const struct {
    VkFormat format;
    uint32_t texel;
    const char* name;
  } kFormats[] = {{VK_FORMAT_R8_UNORM, 1, "R8"},
                  {VK_FORMAT_R16_UINT, 2, "R16"},
                  {VK_FORMAT_R8G8B8A8_UNORM, 4, "R8G8B8A8"},
                  {VK_FORMAT_R16G16B16A16_SFLOAT, 8, "R16G16B16A16"},
                  {VK_FORMAT_R32G32B32A32_UINT, 16, "R32G32B32A32"}};
  const Queue& transfer = other_queue(b, VK_QUEUE_TRANSFER_BIT);
  for (const auto& format : kFormats) {
    std::string graphics = copies(b, b.graphics(), format.format, format.texel);
    b.line(std::string("copies, graphics, ") + format.name, graphics);
    b.line(std::string("copies, transfer, ") + format.name, copies(b, transfer, format.format, format.texel));
    for (const Queue& queue : b.queues)
      if (&queue != &b.graphics() && &queue != &transfer && (&queue)[-1].family != queue.family)
        b.fits("copies, queue " + std::to_string(&queue - b.queues.data()) + ", " + format.name,
               copies(b, queue, format.format, format.texel) == graphics);
  }
  b.line("copies, an image from queue to queue", image_between(b, transfer));
}

void sparse_cases(Bench& b) {
  if (!b.features.sparseBinding || !b.binder) return;
  bool residency = b.features.sparseResidencyBuffer;
  constexpr uint32_t kPages = 4;
  VkBufferCreateInfo create{VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
  create.flags = VK_BUFFER_CREATE_SPARSE_BINDING_BIT;
  if (residency) create.flags |= VK_BUFFER_CREATE_SPARSE_RESIDENCY_BIT;
  create.size = kPages * 65536;
  create.usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT | VK_BUFFER_USAGE_STORAGE_BUFFER_BIT;
  VkBuffer buffer;
  check(vkCreateBuffer(b.device, &create, nullptr, &buffer), "vkCreateBuffer");
  VkMemoryRequirements needs;
  vkGetBufferMemoryRequirements(b.device, buffer, &needs);
  VkDeviceSize page = std::max<VkDeviceSize>(needs.alignment, 65536);
  VkMemoryRequirements twice = needs;
  twice.size = 2 * page * kPages;
  VkDeviceMemory memory = b.allocate(twice, 0);
  VkFence fence = make_fence(b);
  // The page of the memory behind each of the buffer's; kPages * 2: none.
  // An image's pages may be larger, and are of its own memory.
  VkDeviceSize image_page = page;
  VkDeviceMemory image_memory = {};
  auto bind = [&](const std::vector<uint32_t>& pages, VkBuffer to, VkImage image) {
    const VkDeviceSize page_bytes = image ? image_page : page;
    std::vector<VkSparseMemoryBind> binds;
    binds.reserve(pages.size());
    for (uint32_t i = 0; i < pages.size(); i++)
      binds.push_back({i * page_bytes, std::min(page_bytes, needs.size - i * page_bytes),
                       image                    ? image_memory
                       : pages[i] == kPages * 2 ? VkDeviceMemory()
                                                : memory,
                       pages[i] * page_bytes, 0});
    VkSparseBufferMemoryBindInfo buffers{to, uint32_t(binds.size()), binds.data()};
    VkSparseImageOpaqueMemoryBindInfo images{image, uint32_t(binds.size()), binds.data()};
    VkBindSparseInfo info{VK_STRUCTURE_TYPE_BIND_SPARSE_INFO};
    info.bufferBindCount = to ? 1 : 0;
    info.pBufferBinds = to ? &buffers : nullptr;
    info.imageOpaqueBindCount = image ? 1 : 0;
    info.pImageOpaqueBinds = image ? &images : nullptr;
    check(vkQueueBindSparse(b.binder, 1, &info, fence), "vkQueueBindSparse");
    check(vkWaitForFences(b.device, 1, &fence, VK_TRUE, ~0ull), "vkWaitForFences");
    check(vkResetFences(b.device, 1, &fence), "vkResetFences");
  };
  auto fill = [&](uint32_t first) {
    b.run([&](VkCommandBuffer c) {
      for (uint32_t i = 0; i < create.size / 16384; i++) vkCmdFillBuffer(c, buffer, i * 16384, 16384, first + i);
    });
  };
  Memory out = b.make_memory(create.size);
  auto look = [&] {
    b.run([&](VkCommandBuffer c) {
      VkBufferCopy all{0, 0, create.size};
      vkCmdCopyBuffer(c, buffer, out.buffer, 1, &all);
    });
    std::string text;
    for (uint32_t i = 0; i < create.size / 16384; i++)
      text +=
          (i ? " " : "") + (out.words[i * 4096] == out.words[i * 4096 + 4095] ? std::to_string(out.words[i * 4096]) : "mixed");
    return text;
  };
  auto reads_as = [&](const std::string& name, const std::string& expected) {
    std::string got = look();
    b.fits("sparse, " + name, got == expected, got);
  };
  if (page != 65536) return;
  bind({0, 1, 2, 3}, buffer, {});
  fill(1);
  reads_as("a buffer in order", "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16");
  bind({2, 3, 0, 1}, buffer, {});
  reads_as("a buffer's pages exchanged", "9 10 11 12 13 14 15 16 1 2 3 4 5 6 7 8");
  bind({4, 3, 5, 1}, buffer, {});
  fill(21);
  bind({0, 1, 4, 3}, buffer, {});
  reads_as("pages of two bindings", "1 2 3 4 33 34 35 36 21 22 23 24 25 26 27 28");
  bind({6, 6, 6, 6}, buffer, {});
  fill(41);
  reads_as("one page four times", "53 54 55 56 53 54 55 56 53 54 55 56 53 54 55 56");
  if (residency) {
    VkPhysicalDeviceSparseProperties sparse = b.properties.sparseProperties;
    bind({0, kPages * 2, 1, kPages * 2}, buffer, {});
    fill(61);
    std::string got = look();
    if (sparse.residencyNonResidentStrict)
      b.fits("sparse, pages without memory read as 0", got == "61 62 63 64 0 0 0 0 69 70 71 72 0 0 0 0", got);
    bind({0, 1, 2, 3}, buffer, {});
    got = look();
    b.fits("sparse, memory keeps what was written", got.starts_with("61 62 63 64 69 70 71 72 "), got);
  }

  // An image bound in pages from the last to the first.
  constexpr uint32_t kSide = 512;
  VkImageCreateInfo info{VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO};
  info.flags = VK_IMAGE_CREATE_SPARSE_BINDING_BIT;
  info.imageType = VK_IMAGE_TYPE_2D;
  info.format = VK_FORMAT_R8G8B8A8_UNORM;
  info.extent = {kSide, kSide, 1};
  info.mipLevels = info.arrayLayers = 1;
  info.samples = VK_SAMPLE_COUNT_1_BIT;
  info.usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
  VkImage image;
  check(vkCreateImage(b.device, &info, nullptr, &image), "vkCreateImage");
  vkGetImageMemoryRequirements(b.device, image, &needs);
  image_page = std::max(page, needs.alignment);
  const uint32_t pages = uint32_t((needs.size + image_page - 1) / image_page);
  VkMemoryRequirements whole = needs;
  whole.size = pages * image_page;
  image_memory = b.allocate(whole, 0);
  std::vector<uint32_t> order(pages);
  for (uint32_t i = 0; i < pages; i++) order[i] = pages - 1 - i;
  bind(order, {}, image);
  Memory in = b.make_memory(kSide * kSide * 4), back = b.make_memory(kSide * kSide * 4);
  for (uint32_t i = 0; i < kSide * kSide; i++) in.words[i] = i * 2654435761u;
  b.run([&](VkCommandBuffer c) {
    VkBufferImageCopy all{0, 0, 0, {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1}, {0, 0, 0}, {kSide, kSide, 1}};
    layout(c, image, VK_IMAGE_LAYOUT_UNDEFINED, kGeneral);
    vkCmdCopyBufferToImage(c, in.buffer, image, kGeneral, 1, &all);
    layout(c, image, kGeneral, kGeneral);
    vkCmdCopyImageToBuffer(c, image, kGeneral, back.buffer, 1, &all);
  });
  b.fits("sparse, an image bound from its last page", std::equal(in.words, in.words + kSide * kSide, back.words));
  // Its pages the other way round are as many pieces of the picture in another order.
  std::reverse(order.begin(), order.end());
  bind(order, {}, image);
  std::reverse(order.begin(), order.end());
  bind(order, {}, image);
  b.run([&](VkCommandBuffer c) {
    VkBufferImageCopy all{0, 0, 0, {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1}, {0, 0, 0}, {kSide, kSide, 1}};
    vkCmdFillBuffer(c, back.buffer, 0, VK_WHOLE_SIZE, 0);
    full_barrier(c);
    vkCmdCopyImageToBuffer(c, image, kGeneral, back.buffer, 1, &all);
  });
  b.fits("sparse, an image bound again", std::equal(in.words, in.words + kSide * kSide, back.words));
}

}  // namespace vulkan
