// A watch on what draws and dispatches use that packets only point to: programs, and structures that describe memory to them. Whoever
// compares two runs asks for it (insight/recording_diff.h).
#pragma once
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>

#include "wave/program.h"

namespace Atoll::gpu {

// Belongs to whoever watches, who sets it before the device is made. Called on any thread that works for a queue, often with the same
// thing several times in one draw. While there is one, every access to an image is told, so that sampling is slower.
struct Uses {
  // A program that a draw or dispatch is about to run, whose first instruction is at the PC `begin`. `address`: the GPU address of that
  // instruction; 0 of programs that stand in registers.
  std::function<void(const wave::Program& program, uint64_t begin, uint64_t address)> program;
  // The dwords of a structure by the name that the family's tables have it by: of DG1 a structure's, of AMD's families that of its words
  // without their number (SQ_IMG_RSRC_WORD). `address` on the GPU; 0 where it is not known, as shaders hand it over in registers.
  std::function<void(std::string_view structure, uint64_t address, std::span<const uint32_t> words)> structure;
};

}  // namespace Atoll::gpu
