// Instructions of waves that can see what their arithmetic raises, or that a trap handler may have stopped: each is watched, and run by the
// interpreter. RDNA4 ISA 3.4.10.
#pragma once
#include <memory>
#include <span>

#include "isa/rdna4/alu_exceptions.h"
#include "isa/rdna4/decode.h"
#include "wave/program.h"

namespace Atoll::rdna4 {

struct Watched {
  Instruction instruction;  // as it is written; first: the step's instruction is this one's
  wave::Step step;          // what runs
  std::shared_ptr<Decoded> decoded;
  struct Part {
    const Instruction* instruction = nullptr;
    AluOperation operation;
  };
  Part parts[2]{};      // two of a VOPD
  bool buffer = false;  // may leave one
  bool ends = false;    // S_ENDPGM
};
Watched watch(const std::shared_ptr<Decoded>& decoded, const wave::Step& step);

// True if a program reads EXCP_FLAG_USER.
bool reads_exceptions(std::span<const uint32_t> code);

}  // namespace Atoll::rdna4
