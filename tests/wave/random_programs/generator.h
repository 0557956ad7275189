// Random RDNA4 programs: every row of the instruction table that has semantics, with random operands over few registers so that
// values flow; branches, loops, divergence and calls around them. All of them end, and access memory where there is some (but
// for a few, which fault).
#pragma once
#include <vector>

#include "machine.h"

namespace Atoll::rdna4::test {

struct RandomProgram {
  std::vector<uint32_t> words;
  std::vector<uint32_t> starts;  // of instructions, in words
};

RandomProgram generate(Random& random, unsigned lanes);

// How many rows there are to choose from.
size_t row_count();

}  // namespace Atoll::rdna4::test
