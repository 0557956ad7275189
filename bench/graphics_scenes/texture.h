// The texture of the scenes that sample one.
#pragma once
#include <cstdint>
#include <vector>

namespace scenes {

constexpr int texture_size = 512;

// RGBA, the largest level first: checks of 32 texels with a slope across; every level is the mean of four texels of the one before.
std::vector<std::vector<uint8_t>> texture_levels();

}  // namespace scenes
