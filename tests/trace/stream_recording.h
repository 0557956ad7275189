// Recordings that no driver wrote: one submission of given words, in memory that holds nothing else.
#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <initializer_list>
#include <string>
#include <vector>

#include "memory/memory_file.h"
#include "trace/format.h"
#include "trace/writer.h"

namespace Atoll::trace::test {

inline Bytes numbers(std::initializer_list<uint64_t> values) {
  Bytes bytes;
  for (uint64_t value : values) bytes.number(value);
  return bytes;
}

struct StreamRecording {
  const char* gpu = "bonaire";
  uint64_t window = uint64_t(1) << 40;  // bytes of addresses
  uint64_t address = 0x100000;
  std::vector<uint32_t> words;
  uint64_t dwords = 0;  // that the command buffer takes of them, or of what is behind them
  uint64_t pages = 0;   // that are mapped; 0: as many as the words need
};

inline void write_recording(const std::string& path, StreamRecording r) {
  if (!r.pages) r.pages = (r.words.size() * 4 + page_bytes - 1) / page_bytes;
  auto writer = Writer::create(path);
  ASSERT_TRUE(writer) << writer.error().message;
  Bytes name;
  name.text(r.gpu);
  (*writer)->record(Kind::device, name);
  (*writer)->record(Kind::space, numbers({0, r.window}));
  (*writer)->record(Kind::map, numbers({0, r.address, page_bytes, r.pages * page_bytes, 1}));
  (*writer)->record(Kind::queue, numbers({0, 0, 0}));
  r.words.resize(r.pages * page_bytes / 4);
  Bytes content = numbers({1, r.pages});
  content.raw(r.words.data(), r.words.size() * 4);
  (*writer)->record(Kind::pages, content);
  (*writer)->record(Kind::submit, numbers({0, 1, r.address, r.dwords, 0}));
  ASSERT_TRUE((*writer)->flush());
}

// Sea Islands: dispatches of a program that ends at once, work-groups of a wave. Numbers of packets and registers: Linux
// amdgpu/cikd.h (PACKET3_*), Mesa src/amd/common/sid.h and registers/gfx7.json (COMPUTE_*).
struct SeaIslandsDispatches {
  static constexpr uint64_t address = 0x100000;
  static constexpr uint32_t program_dword = 512, sizes_dword = 640;

  static uint32_t header(uint32_t opcode, size_t dwords) { return 3u << 30 | uint32_t(dwords - 1) << 16 | opcode << 8 | 1u << 1; }
  void set(uint32_t reg, std::initializer_list<uint32_t> values) {
    words.insert(words.end(), {header(0x76, values.size() + 1), (reg - 0xb000) / 4});  // SET_SH_REG
    words.insert(words.end(), values);
  }
  SeaIslandsDispatches() {
    set(0xb810, {0, 0, 0});                                          // COMPUTE_START_X, _Y, _Z
    set(0xb81c, {64, 1, 1});                                         // COMPUTE_NUM_THREAD_X, _Y, _Z
    set(0xb830, {uint32_t((address + program_dword * 4) >> 8), 0});  // COMPUTE_PGM_LO, _HI
    set(0xb848, {0, 0});                                             // COMPUTE_PGM_RSRC1, _RSRC2
  }
  SeaIslandsDispatches& direct(uint32_t x, uint32_t y, uint32_t z) {
    words.insert(words.end(),
                 {header(0x15, 4), x, y, z, 1});  // DISPATCH_DIRECT: COMPUTE_DIM_X, _Y, _Z, COMPUTE_DISPATCH_INITIATOR
    return *this;
  }
  SeaIslandsDispatches& indirect(uint32_t x, uint32_t y, uint32_t z) {
    sizes = {x, y, z};
    words.insert(words.end(), {header(0x11, 3), 1, uint32_t(address) + sizes_dword * 4, 0});  // SET_BASE
    words.insert(words.end(), {header(0x16, 2), 0, 1});                                       // DISPATCH_INDIRECT
    return *this;
  }
  // As DISPATCH_DIRECT does it.
  SeaIslandsDispatches& by_registers(uint32_t x, uint32_t y, uint32_t z) {
    set(0xb804, {x, y, z});  // COMPUTE_DIM_X, _Y, _Z
    set(0xb800, {1});        // COMPUTE_DISPATCH_INITIATOR: COMPUTE_SHADER_EN
    return *this;
  }
  StreamRecording recording() const {
    StreamRecording r{.address = address, .words = words, .dwords = words.size()};
    r.words.resize(1024);
    r.words[program_dword] = 0xbf810000;  // s_endpgm
    std::copy(sizes.begin(), sizes.end(), r.words.begin() + sizes_dword);
    return r;
  }

  std::vector<uint32_t> words, sizes;
};

}  // namespace Atoll::trace::test
