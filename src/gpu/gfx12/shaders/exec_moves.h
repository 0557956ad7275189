// Writes of EXEC that a pixel shader begins with for the sake of its quads' other lanes: S_WQM before parameters are loaded, and the mask
// that the wave started with behind it. Each makes lanes of compiled code wait for all before it.
#pragma once
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "isa/rdna4/instruction.h"

namespace Atoll::gfx12 {

struct ExecMoves {
  // The addresses, in rising order: where all lanes of the wave are covered, each leaves EXEC as it was, all ones.
  std::vector<uint64_t> pcs;
  // For waves with lanes that are not covered, which compute between these addresses: true if nobody can tell whether they do,
  // since nothing reads other lanes' values and nothing but registers of lanes is changed.
  bool unseen = false;
};
// `instructions`: the program's, with their addresses, up to the wave's end. `replaced`: addresses of instructions of which nothing
// that is taken from other lanes counts. `first_target`: the lowest address that anything jumps to.
ExecMoves exec_moves(std::span<const std::pair<uint64_t, const rdna4::Instruction*>> instructions, uint64_t entry, unsigned lanes,
                     std::span<const uint64_t> replaced, uint64_t first_target);

}  // namespace Atoll::gfx12
