// Batches put together command by command, on a device of their own.
#pragma once
#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <vector>

#include "gpu/chips/chip.h"
#include "gpu/dg1/device.h"
#include "memory/address_space.h"
#include "registers/dg1.h"

namespace Atoll::dg1 {

struct Batch : std::vector<uint32_t> {
  // A command by its row: `set` fills its fields in.
  template <class Command, class Set>
  Batch& add(Set&& set, uint32_t dwords = Command::dwords) {
    std::vector<uint32_t> words(std::max<size_t>(dwords, Command::dwords));
    words[0] = Command::match;
    set(words.data());
    words.resize(dwords);
    if (dwords > 1) words[0] |= dwords - 2;
    insert(end(), words.begin(), words.end());
    return *this;
  }
  Batch& add(std::initializer_list<uint32_t> words) {
    insert(end(), words);
    return *this;
  }
  Batch& load(uint32_t address, uint64_t value) {
    return add({0x11000001, address, uint32_t(value), 0x11000001, address + 4, uint32_t(value >> 32)});
  }
  Batch& store_register(uint32_t address, uint64_t to) { return add({0x12000002, address, uint32_t(to), uint32_t(to >> 32)}); }
  Batch& store(uint64_t to, uint32_t value) { return add({0x10000002, uint32_t(to), uint32_t(to >> 32), value}); }
  Batch& end_batch() { return add({0x05000000}); }
};

struct Commands : ::testing::Test {
  static constexpr uint64_t batch_at = 0xffff'ffe0'0000, more_at = 0x10'0000, data_at = 0x8000'0000'0000, data_bytes = 1 << 16;

  std::shared_ptr<MemoryFile> memory = *MemoryFile::create();
  std::unique_ptr<AddressSpace> space = *AddressSpace::create_sectioned(memory);
  std::unique_ptr<gpu::Device> device;
  std::unique_ptr<gpu::Queue> queue;

  Commands() {
    for (uint64_t at : {batch_at, more_at, data_at}) EXPECT_TRUE(space->map(at, *memory->allocate(data_bytes), data_bytes));
    open({});
  }
  void open(gpu::Options options, gpu::QueueKind kind = gpu::QueueKind::graphics) {
    queue.reset();
    options.deterministic = true;
    device = *make_device(*gpu::find_chip("dg1"), options);
    queue = *device->make_queue(kind, *space);
  }
  void write(uint64_t at, const std::vector<uint32_t>& words) { std::memcpy(space->host(at), words.data(), words.size() * 4); }
  uint32_t& data(uint64_t dword) { return reinterpret_cast<uint32_t*>(space->host(data_at))[dword]; }
  // Empty: it ran to its end.
  std::string run(const Batch& batch) {
    write(batch_at, batch);
    const gpu::CommandBuffer buffer{batch_at, data_bytes / 4};
    auto done = queue->run({&buffer, 1});
    return done ? "" : done.error().message;
  }
};

}  // namespace Atoll::dg1
