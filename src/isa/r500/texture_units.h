// How a texture instruction names a unit where other chips have descriptors (wave::Environment::sampled_texture): by the first word
// of what stands for the resource; all others are 0.
#pragma once
#include <cstdint>

namespace Atoll::r500 {

// The unit's number, and whether coordinates are in texels. Never 0.
constexpr uint32_t unit_word(uint32_t unit, bool unscaled) { return 0x100 | unit | uint32_t(unscaled) << 4; }
constexpr uint32_t unit_of(uint32_t word) { return word & 15; }
constexpr bool is_unscaled(uint32_t word) { return word >> 4 & 1; }

}  // namespace Atoll::r500
