// The agreement between RDNA4's random programs and the wave that runs them: registers with a meaning in every program.
#pragma once
#include <memory>

#include "isa/rdna4/isa.h"
#include "isa/rdna4/registers.h"
#include "isa/rdna4/table.h"
#include "machine.h"

namespace Atoll::rdna4::test {

using namespace Atoll::test;

constexpr uint32_t shared_high = 0x00010000, private_high = 0x00020000;

// Registers with a meaning in every program (rdna4_generator.cpp); the others hold data.
enum Reserved : uint32_t {
  LOOP_COUNTER = 20,  // SGPRs
  SAVED_EXEC = 22,    // and 24, 26 by depth
  SCRATCH_OFFSET = 28,
  SMALL_OFFSET = 29,
  BUFFER_BASE = 30,  // 64 bits
  BUFFER_DESCRIPTOR = 32,
  RETURN_ADDRESS = 36,
  IMAGE_DESCRIPTOR = 48,  // 8 dwords, the sampler's 4 behind them
  DATA_SGPRS = 16,        // s0 to s15, v0 to v15 are data
  DATA_VGPRS = 16,
  ADDRESS = 40,       // VGPRs: a computed address; 41 is the buffer's high half
  LANE_BASE = 42,     // lane number times 64
  FLAT_ADDRESS = 44,  // 45: the high half of one of the apertures, by lane
  LANE_COUNTER = 46,
  TEMPORARY = 47,
  BUFFER_INDEX = 48,  // 49: an offset behind it
};

// Random RDNA4 programs: every row of the instruction table that has semantics, with random operands over few registers so that
// values flow; branches, loops, divergence and calls around them. All of them end, and access memory where there is some (but
// for a few, which fault).
RandomProgram generate(Random& random, unsigned lanes);

// The generator's parts, for programs of another kind.
class Pieces {
public:
  Pieces(Random& random, unsigned lanes);
  ~Pieces();
  void text(Code& code, const std::string& line);
  // Some instructions without control flow.
  void straight(Code& code, uint32_t count);
  // Some instruction that accesses memory there.
  void memory(Code& code, const Aim& aim);
  // An access to an image; or a lookup by the descriptors of IMAGE_DESCRIPTOR that there may be code for.
  void image(Code& code, bool plain_lookup);

private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

// The name of a row of the table; "" if no program has it.
std::string row_name(size_t row);

}  // namespace Atoll::rdna4::test
