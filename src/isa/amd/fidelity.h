// How faithful each instruction of an instruction set is: what `atoll fidelity` lists.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "isa/amd/table.h"

namespace Atoll::amd {

struct Fidelity {
  const Opcode* opcode;
  const char* state;   // "card", "exact", "bounded", "unverified", "decode only", "not yet"
  std::string bound;   // of "bounded"
  std::string source;  // of "card": the card, and who captured it; of "unverified": what vouches for it
  std::string reason;  // of the states that are not "exact"; of "card": what of it has no capture
};
// From the best on.
inline constexpr const char* fidelity_states[] = {"card", "exact", "bounded", "unverified", "decode only", "not yet"};

// An instruction set's note on the mnemonics that begin with `prefix`.
struct FidelityNote {
  std::string_view prefix;
  const char *state, *bound, *source, *reason;
};

// One for each row of the table, in its order. The first note that fits a mnemonic counts; without one it is exact.
// `has_semantics`: of a mnemonic; `why_not_yet`: of a row that has none.
std::vector<Fidelity> fidelity(const Table& table, std::span<const FidelityNote> notes, bool (*has_semantics)(std::string_view),
                               const char* (*why_not_yet)(const Opcode&));

}  // namespace Atoll::amd
