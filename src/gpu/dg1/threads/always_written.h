// The render targets that a pixel kernel writes at every pixel it was dispatched for, whatever its channels do.
#pragma once
#include <cstdint>

#include "wave/program.h"

namespace Atoll::dg1 {

// A bit for each target. Threads are of `width` pixels.
uint8_t always_written(const wave::Program& program, unsigned width);

}  // namespace Atoll::dg1
