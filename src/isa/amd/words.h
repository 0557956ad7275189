// The words of one encoded instruction.
#pragma once
#include <array>
#include <cstdint>
#include <span>

namespace Atoll::amd {

struct Words {
  std::array<uint32_t, 4> dwords{};
  unsigned count = 0;
  std::span<const uint8_t> bytes() const { return {reinterpret_cast<const uint8_t*>(dwords.data()), count * 4}; }
};

}  // namespace Atoll::amd
