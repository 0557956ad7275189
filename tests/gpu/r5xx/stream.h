// Streams of PM4 packets for tests, and a device with memory to run them in.
#pragma once
#include <gtest/gtest.h>

#include <bit>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "gpu/r5xx/device.h"
#include "memory/address_space.h"

namespace Atoll::r5xx::test {

inline uint32_t bits(float value) { return std::bit_cast<uint32_t>(value); }

// Headers: Linux drivers/gpu/drm/radeon/r300d.h.
class Stream {
public:
  // Consecutive registers from `address` on.
  Stream& set(uint32_t address, std::initializer_list<uint32_t> values) {
    return set(address, std::span(values.begin(), values.size()));
  }
  Stream& set(uint32_t address, std::span<const uint32_t> values) {
    words.push_back(uint32_t(values.size() - 1) << 16 | address / 4);
    words.insert(words.end(), values.begin(), values.end());
    return *this;
  }
  Stream& set(uint32_t address, uint32_t value) { return set(address, {value}); }
  // All to one register.
  Stream& burst(uint32_t address, std::span<const uint32_t> values) {
    words.push_back(uint32_t(values.size() - 1) << 16 | 1u << 15 | address / 4);
    words.insert(words.end(), values.begin(), values.end());
    return *this;
  }
  Stream& burst(uint32_t address, std::initializer_list<uint32_t> values) {
    return burst(address, std::span(values.begin(), values.size()));
  }
  Stream& packet(uint32_t opcode, std::span<const uint32_t> operands) {
    words.push_back(3u << 30 | uint32_t(operands.size() - 1) << 16 | opcode << 8);
    words.insert(words.end(), operands.begin(), operands.end());
    return *this;
  }
  Stream& packet(uint32_t opcode, std::initializer_list<uint32_t> operands) {
    return packet(opcode, std::span(operands.begin(), operands.size()));
  }
  Stream& filler() {
    words.push_back(0x80000000);
    return *this;
  }
  std::vector<uint32_t> words;
};

// A device of one chip with an address space of 32 bits of its own.
class Machine {
public:
  explicit Machine(std::string_view chip = "r580", gpu::Options options = {.engine = gpu::Engine::Interpreter, .threads = 1}) {
    auto made = AddressSpace::create(nullptr, uint64_t(1) << 32);
    EXPECT_TRUE(made) << made.error().message;
    space = std::move(*made);
    auto opened = make_device(*gpu::find_chip(chip), options);
    EXPECT_TRUE(opened) << opened.error().message;
    device = std::move(*opened);
    device->attach(*space);
    auto queue_made = device->make_queue(gpu::QueueKind::graphics, *space);
    EXPECT_TRUE(queue_made) << queue_made.error().message;
    queue = std::move(*queue_made);
  }
  Buffer allocate(uint64_t bytes) {
    auto buffer = space->allocate(bytes, 4096);
    EXPECT_TRUE(buffer) << buffer.error().message;
    return *buffer;
  }
  Buffer upload(std::span<const uint32_t> words) {
    Buffer buffer = allocate(words.size() * 4);
    std::memcpy(buffer.host_pointer, words.data(), words.size() * 4);
    return buffer;
  }
  Expected<void> run(const Stream& stream) {
    Buffer buffer = upload(stream.words);
    gpu::CommandBuffer command{buffer.gpu_address, uint32_t(stream.words.size())};
    auto result = queue->run({&command, 1});
    space->free(buffer);
    return result;
  }
  // How often something not modelled was met.
  uint64_t unknown(std::string_view what) const {
    for (auto& entry : queue->statistics().unknown)
      if (entry.what == what) return entry.times;
    return 0;
  }
  std::string unknowns() const {
    std::string text;
    for (auto& entry : queue->statistics().unknown) text += entry.what + " (" + entry.where + ")\n";
    return text;
  }

  std::unique_ptr<AddressSpace> space;
  std::unique_ptr<gpu::Device> device;
  std::unique_ptr<gpu::Queue> queue;
};

}  // namespace Atoll::r5xx::test
