// Registers of one R5xx context by byte address, and the memories behind load ports: vertex shader code and constants
// (VAP_PVS_VECTOR_*), pixel shader code and constants (GA_US_VECTOR_*). Plain storage: what writing one does is in context.h.
// R5xx Acceleration v1.3, 10; the vertex memory's layout: Mesa 22.3.6 src/gallium/drivers/r300/r300_reg.h (R500_PVS_*_START).
#pragma once
#include <array>
#include <cstdint>
#include <vector>

namespace Atoll::r5xx {

// Addresses beyond the file read as 0 and are not written.
class Registers {
public:
  static constexpr uint32_t end = 0xc000;
  uint32_t operator[](uint32_t address) const { return address < end ? words_[address / 4] : 0; }
  void set(uint32_t address, uint32_t value) {
    if (address < end) words_[address / 4] = value;
  }
  // A field of a register that exists once: registers.get<ZB_FORMAT, ZB_FORMAT::DEPTHFORMAT>().
  template <class Register, class Field>
  uint32_t get() const {
    return Field::get((*this)[Register::address()]);
  }

private:
  std::vector<uint32_t> words_ = std::vector<uint32_t>(end / 4);
};

// The vertex engine's memory in units of 128 bits: 1024 instructions, 512 places for constants, the clip planes.
struct VertexMemory {
  static constexpr uint32_t units = 0x800, first_constant = 0x400, first_clip_plane = 0x600;
  std::array<uint32_t, units * 4> words{};
  uint32_t position = 0;  // in dwords, where the data port writes next
};

// The pixel shader's memories: 512 instructions of 6 dwords, 256 constants of 4.
struct PixelMemory {
  static constexpr uint32_t instructions = 512, constants = 256;
  std::array<uint32_t, instructions * 6> code{};
  std::array<uint32_t, constants * 4> constant{};
  uint32_t position = 0;  // in dwords of the memory that the port is set to
  bool writes_constants = false, clamps = false;
};

}  // namespace Atoll::r5xx
