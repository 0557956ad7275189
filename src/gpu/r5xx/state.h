// The state of an R5xx chip's queue between packets: its registers, and the memories behind load ports, which hold the shaders'
// code and constants (VAP_PVS_VECTOR_*, GA_US_VECTOR_*). R5xx Acceleration v1.3, 10; the vertex memory's layout: Mesa 22.3.6
// src/gallium/drivers/r300/r300_reg.h (R500_PVS_*_START).
#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "gpu/amd/register_file.h"
#include "registers/r5xx.h"

namespace Atoll::r5xx {

using gpu::amd::RegisterFile;
constexpr uint32_t registers_end = 0xc000;  // byte addresses of registers lie below

// The vertex engine's memory in units of 128 bits: 1024 instructions, 512 places for constants, the clip planes.
struct VertexMemory {
  static constexpr uint32_t units = 0x800, first_constant = 0x400, first_clip_plane = 0x600;
  std::array<uint32_t, units * 4> words{};
  uint32_t position = 0;      // in dwords, where the data port writes next
  uint64_t code_changes = 0;  // how often an instruction's dword has got another value
  void write(uint32_t dword) {
    uint32_t& word = words[position++ % words.size()];
    code_changes += word != dword && &word < words.data() + first_constant * 4;
    word = dword;
  }
};

// The pixel shader's memories: 512 instructions of 6 dwords, 256 constants of 4.
struct PixelMemory {
  static constexpr uint32_t instructions = 512, constants = 256;
  std::array<uint32_t, instructions * 6> code{};
  std::array<uint32_t, constants * 4> constant{};
  uint32_t position = 0;  // in dwords of the memory that the port is set to
  bool writes_constants = false, clamps = false;
  uint64_t code_changes = 0;  // as VertexMemory has them
  void write_code(uint32_t at, uint32_t dword) {
    code_changes += code[at] != dword;
    code[at] = dword;
  }
  void write(uint32_t dword) {
    if (!writes_constants) return write_code(position++ % code.size(), dword);
    if (clamps) dword = std::bit_cast<uint32_t>(std::clamp(std::bit_cast<float>(dword), -1.0f, 1.0f));
    constant[position++ % constant.size()] = dword;
  }
};

// The memory of hierarchical depth as ZB_HIZ_DWORD writes and reads it. No test looks into it: the full one decides.
struct HierarchicalDepthMemory {
  static constexpr uint32_t dwords = 1 << 16;  // ZB_HIZ_WRINDEX
  std::vector<uint32_t> words{};               // none before the first is written
  void write(uint32_t at, uint32_t dword) {
    words.resize(dwords);
    words[at % dwords] = dword;
  }
  uint32_t read(uint32_t at) const { return words.empty() ? 0 : words[at % dwords]; }
};

// A draw that has everything it needs.
struct DrawCall {
  Word<VAP_VF_CNTL> control{0};
  uint32_t vertices = 0;
  std::span<const uint32_t> dwords;  // indices or vertices of the command stream
  unsigned vertex_dwords = 0;        // of a vertex, where they are vertices
  std::span<const uint8_t> edges{};  // of vertices of immediate mode: whether each has its edge flag
};

}  // namespace Atoll::r5xx
