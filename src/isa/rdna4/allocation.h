// VGPRs that an instruction names beyond those that its wave has. RDNA4 ISA 3.3.2.2, 3.3.3.
//
// An instruction with such a result does nothing. In a vector ALU instruction, a source that reaches there is v0 (with v1, v2 ...
// if it is wider); in VOPD, it is the register's number modulo 4. In memory and export instructions each register there reads as
// v0.
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "isa/rdna4/decode.h"
#include "wave/program.h"

namespace Atoll::rdna4 {

// The most blocks of VGPRs of waves that are launched to allocate them as they run (S_ALLOC_VGPR).
inline constexpr uint32_t max_blocks = 8;

// How many VGPRs the waves of a program have. `block`: those that allocate as they run get them in blocks of so many (16 or 32).
struct Allocation {
  uint32_t vgprs = 256;
  uint32_t block = 0;
  bool operator==(const Allocation&) const = default;
};

// The substitute for an instruction in a wave with too few registers.
struct Limited {
  Instruction instruction;  // as it is written; first: the step's instruction is this one's
  // The forms that run instead: one, or one for each number of blocks for waves that allocate as they run.
  struct Form {
    wave::Step step;
    std::shared_ptr<Decoded> changed;  // what the step's instruction is
    std::vector<uint8_t> copies;       // registers that v0 is copied into first: nobody else can see them
  };
  std::vector<Form> forms;
  uint32_t block = 0;

  const Form& form(uint32_t vgprs) const { return forms[block ? std::min<size_t>(vgprs / block, forms.size() - 1) : 0]; }
};

// The treatment of an instruction where there are `vgprs` registers.
enum class Reach : uint8_t {
  Inside,   // nothing is different
  Nothing,  // it does nothing
  Changed,  // other sources
  Copied,   // sources into which v0 has to be copied
};
Reach limit(const Decoded& written, unsigned wave_size, uint32_t vgprs, Decoded& changed, std::vector<uint8_t>& copies);
// The number of the highest VGPR that it names, or -1: within that, all waves run it alike.
int highest_vgpr(const Instruction& i, unsigned wave_size);

}  // namespace Atoll::rdna4
