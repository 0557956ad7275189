// A program that a GPU keeps, as text: for whoever asks which one made a pixel.
#pragma once
#include <string>
#include <vector>

#include "gpu/device/program_cache.h"

namespace Atoll::gpu {

// A line for each instruction from `begin` (a PC) on, as a disassembler prints it; words that are none say so. At most `most` lines.
std::vector<std::string> list_program(const wave::Program& program, uint64_t begin, size_t most = 4096);

}  // namespace Atoll::gpu
