// A target's contents as 8-bit colours for people: pictures of a replay and in reports.
#pragma once
#include <cstdint>
#include <vector>

#include "pipeline/target.h"

namespace Atoll::pipeline {

// Red, green, blue, alpha of sample 0, rows from the first. Floats are clamped to 0..1, snorm's negative half is black; integers
// show their low 8 bits.
std::vector<uint8_t> rgba8_of(const ColourTarget& colour, unsigned width, unsigned height, unsigned layer = 0);

}  // namespace Atoll::pipeline
