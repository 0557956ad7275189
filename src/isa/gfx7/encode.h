// From Instruction to words: the reverse of decode.h.
#pragma once
#include <array>
#include <cstdint>
#include <span>

#include "base/expected.h"
#include "isa/gfx7/instruction.h"

namespace Atoll::gfx7 {

struct Words {
  std::array<uint32_t, 2> dwords{};
  unsigned count = 0;
  std::span<const uint8_t> bytes() const { return {reinterpret_cast<const uint8_t*>(dwords.data()), count * 4}; }
};

// The words of an instruction that decode() or parse() made, or that was put together by hand. An Instruction that no words can
// stand for (a register out of range, a modifier that the row does not have …) is an error; its `bytes` is not read.
Expected<Words> encode(const Instruction& instruction);

}  // namespace Atoll::gfx7
