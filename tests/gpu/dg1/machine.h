// A DG1's memory with one kernel of few instructions, tables of states and two buffers, for tests of what threads do.
#pragma once
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "gpu/dg1/threads/environment.h"
#include "gpu/dg1/threads/thread_groups.h"
#include "isa/xe_lp/program.h"

namespace Atoll::dg1_tests {

inline constexpr uint64_t page = 4096;

// A GPU's memory with a kernel, tables of states and two buffers in far places.
struct Machine {
  explicit Machine(wave::EngineChoice engine, bool sectioned) : engine(engine) {
    space = sectioned ? *AddressSpace::create_sectioned() : *AddressSpace::create();
    const uint64_t upper = sectioned ? uint64_t(0xff) << 40 : 0, middle = sectioned ? uint64_t(0x7f) << 40 : 0;
    kernel_at = 0x200000000 + upper, states = 0x300000000 + upper, input = 0x400000000 + middle, output = 0x500000000;
    for (uint64_t at : {kernel_at, states, input, output}) {
      auto offset = *space->memory().allocate(4 * page);
      EXPECT_TRUE(space->map(at, offset, 4 * page));
    }
    groups.context.surface_state_base = states;
    groups.context.binding_table = states + 0x800;
    groups.context.general_state_base = output;
    buffer(0, input, 1000);
    buffer(1, output, 3 * page);
  }
  void buffer(unsigned index, uint64_t address, uint32_t bytes) {
    uint32_t state[16] = {};
    const uint32_t n = bytes - 1;
    state[0] = 4u << 29 | 0x1ffu << 18;
    state[2] = (n >> 7 & 0x3fff) << 16 | (n & 0x7f);
    state[3] = n >> 21 << 21;
    state[8] = uint32_t(address), state[9] = uint32_t(address >> 32);
    std::memcpy(space->host(states + index * 64), state, sizeof state);
    uint32_t entry = index * 64;
    std::memcpy(space->host(states + 0x800 + index * 4), &entry, 4);
  }
  dg1::GroupsResult run(std::vector<std::string> lines) {
    lines.emplace_back("(W) send.ts (8|M0) null r127 null 0x0 0x02000010 {EOT}");
    auto words = xe_lp::assemble(lines);
    EXPECT_TRUE(words) << words.error().message;
    if (!words) return {};
    std::memcpy(space->host(kernel_at), words->data(), words->size() * 4);
    dg1::Kernels kernels(*space, engine);
    auto kernel = kernels.find(kernel_at);
    EXPECT_TRUE(kernel) << kernel.error().message;
    WorkerPool pool(2);
    dg1::ThreadEnvironment environment(*space);
    std::atomic<int> stop{0};
    dg1::GroupsResult result;
    std::thread([&] {  // GPU code runs on threads that handle its faults
      auto ended = dg1::run_thread_groups(groups, **kernel, *space, pool, environment, stop);
      EXPECT_TRUE(ended) << ended.error().message;
      if (ended) result = *ended;
    })
        .join();
    return result;
  }
  uint32_t word(uint64_t address) const {
    uint32_t x;
    std::memcpy(&x, space->host(address), 4);
    return x;
  }
  void put(uint64_t address, uint32_t x) { std::memcpy(space->host(address), &x, 4); }

  wave::EngineChoice engine;
  std::unique_ptr<AddressSpace> space;
  uint64_t kernel_at = 0, states = 0, input = 0, output = 0;
  dg1::ThreadGroups groups;
};

inline std::string text_of(const dg1::GroupsResult& r) {
  if (!r.fault) return "no fault";
  return fmt::format("kind {} of {} bytes at {:#x}, instruction {:#x} {}, lane {}: {}", int(r.fault->kind), r.fault->bytes,
                     r.fault->address, r.fault->pc_offset, r.fault->instruction_text, r.fault->lane, r.fault->other);
}

// Descriptors: mlen and rlen, header, type, and the rest.
inline uint32_t descriptor(unsigned address, unsigned answer, bool header, unsigned type, uint32_t rest) {
  return address << 25 | answer << 20 | uint32_t(header) << 19 | type << 14 | rest;
}
inline std::string send(const char* function, unsigned lanes, const char* dst, unsigned address, int data, unsigned data_length,
                        uint32_t d, const char* prefix = "") {
  return fmt::format("{}send.{} ({}|M0) {} r{} {} 0x{:x} 0x{:08x}", prefix, function, lanes, dst, address,
                     data < 0 ? "null" : fmt::format("r{}", data), data_length << 6, d);
}

}  // namespace Atoll::dg1_tests
