// Command streams for tests: a GFX12 device with memory, packets put together, what a queue makes of them, and programs in assembler's
// text.
#pragma once
#include <gtest/gtest.h>

#include <cstring>
#include <initializer_list>
#include <sstream>

#include "gpu/gfx12/device.h"
#include "gpu/gfx12/packets/command_processor.h"
#include "isa/rdna4/encode.h"
#include "isa/rdna4/parse.h"
#include "registers/gfx12.h"

namespace Atoll::gfx12::test {

inline uint32_t low(uint64_t address) { return uint32_t(address); }
inline uint32_t high(uint64_t address) { return uint32_t(address >> 32); }

// PM4, a packet after the other.
struct Words : std::vector<uint32_t> {
  Words& packet(uint32_t opcode, const std::vector<uint32_t>& body, uint32_t flags = 0) {
    push_back(3u << 30 | uint32_t(body.size() - 1) << 16 | opcode << 8 | flags);
    insert(end(), body.begin(), body.end());
    return *this;
  }
  Words& context(uint32_t address, uint32_t value) {
    return packet(packets::SET_CONTEXT_REG::opcode, {(address - 0x28000) / 4, value});
  }
  Words& shader(uint32_t address, uint32_t value) { return packet(packets::SET_SH_REG::opcode, {(address - 0xb000) / 4, value}); }
  Words& user(uint32_t address, uint32_t value) {
    return packet(packets::SET_UCONFIG_REG::opcode, {(address - 0x30000) / 4, value});
  }
  // A dword of memory from a register.
  Words& store(uint32_t address, uint64_t to) {
    return packet(packets::COPY_DATA::opcode, {5u << 8, address / 4, 0, low(to), high(to)});
  }
  Words& write(uint64_t to, uint32_t value) { return packet(packets::WRITE_DATA::opcode, {5u << 8, low(to), high(to), value}); }
};
inline constexpr uint32_t predicate = 1;  // flag of a packet

class Gfx12Test : public testing::Test {
protected:
  explicit Gfx12Test(const char* chip = "gfx1201", gpu::Options options = {.engine = gpu::Engine::Interpreter, .threads = 2}) {
    space = *AddressSpace::create();
    device = *make_device(*gpu::find_chip(chip), options);
    memory = *space->allocate(0x10000);
    for (auto kind : {gpu::QueueKind::graphics, gpu::QueueKind::compute, gpu::QueueKind::copy})
      queues.push_back(*device->make_queue(kind, *space));
  }

  // A buffer with the words in it.
  gpu::CommandBuffer buffer(const std::vector<uint32_t>& words) {
    Buffer b = *space->allocate(words.size() * 4);
    std::memcpy(b.host_pointer, words.data(), words.size() * 4);
    return {b.gpu_address, uint32_t(words.size())};
  }
  Expected<void> run(const std::vector<uint32_t>& words, gpu::QueueKind kind = gpu::QueueKind::graphics) {
    gpu::CommandBuffer one = buffer(words);
    return queue(kind).run(std::span(&one, 1));
  }
  void good(const std::vector<uint32_t>& words, gpu::QueueKind kind = gpu::QueueKind::graphics) {
    auto done = run(words, kind);
    ASSERT_TRUE(done) << done.error().message;
    EXPECT_EQ(unknown(kind), "");
  }
  // The report of a stream that loses its context.
  std::string bad(const std::vector<uint32_t>& words, gpu::QueueKind kind = gpu::QueueKind::graphics) {
    auto done = run(words, kind);
    EXPECT_FALSE(done);
    return done ? "" : done.error().message;
  }
  std::string unknown(gpu::QueueKind kind = gpu::QueueKind::graphics) {
    std::string all;
    for (auto& u : queue(kind).statistics().unknown) all += u.what + " (" + std::to_string(u.times) + ")";
    return all;
  }
  gpu::Queue& queue(gpu::QueueKind kind) { return *queues[size_t(kind)]; }

  // The address of a program, a multiple of 256 bytes.
  uint64_t program(const std::string& text, unsigned lanes) {
    std::vector<uint32_t> words;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      if (line.empty()) continue;
      auto parsed = rdna4::parse(line, {lanes});
      EXPECT_TRUE(parsed) << line << ": " << parsed.error().message;
      if (!parsed) return 0;
      auto encoded = rdna4::encode(parsed->main, {lanes});
      EXPECT_TRUE(encoded) << line;
      words.insert(words.end(), encoded->dwords.begin(), encoded->dwords.begin() + encoded->count);
    }
    Buffer b = *space->allocate(words.size() * 4 + 256);
    const uint64_t address = (b.gpu_address + 255) / 256 * 256;
    std::memcpy(b.host_pointer + (address - b.gpu_address), words.data(), words.size() * 4);
    return address;
  }

  uint64_t at(uint32_t offset) const { return memory.gpu_address + offset; }
  uint32_t& dword(uint32_t offset) { return *reinterpret_cast<uint32_t*>(memory.host_pointer + offset); }
  uint64_t& qword(uint32_t offset) { return *reinterpret_cast<uint64_t*>(memory.host_pointer + offset); }
  static constexpr uint64_t nowhere = 0x9000000000;  // nothing is mapped there

  std::unique_ptr<AddressSpace> space;
  std::unique_ptr<gpu::Device> device;
  std::vector<std::unique_ptr<gpu::Queue>> queues;
  Buffer memory;
};

}  // namespace Atoll::gfx12::test
