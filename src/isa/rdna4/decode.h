// From instruction words to Instruction (RDNA4 ISA chapter 15). Never reads outside the given bytes.
#pragma once
#include <cstdint>
#include <span>

#include "base/expected.h"
#include "isa/rdna4/instruction.h"
#include "isa/rdna4/table.h"

namespace Atoll::rdna4 {

// The waves that the code is for: lane masks are single SGPRs in wave32 and aligned pairs in wave64.
struct CodeOptions {
  unsigned wave = 32;
};

// A decoded instruction with its own room for the two halves of a VOPD; copies keep the pointers right.
struct Decoded {
  Instruction main, x, y;

  Decoded() = default;
  Decoded(const Decoded& other) : main(other.main), x(other.x), y(other.y) { own_halves(); }
  Decoded& operator=(const Decoded& other) {
    main = other.main, x = other.x, y = other.y;
    own_halves();
    return *this;
  }

private:
  void own_halves() {
    if (main.dual_x != nullptr) main.dual_x = &x, main.dual_y = &y;
  }
};

// Decodes the instruction at the beginning of `bytes` (at most 16 of them are looked at); main.bytes is its size.
// main.opcode is the row of the encoding met: an instruction in VOP3 form has VOP3's row. A VOPD's main.opcode is its X row
// (Format::VOPDX), x.opcode and y.opcode are the rows of the ordinary instructions (v_dual_fmac_f32: VOP2's v_fmac_f32).
// A scalar result of a vector instruction (v_readlane_b32, v_s_exp_f32) stands in dst and in sdst.
// Errors: unknown opcodes, reserved bits, operands that the instruction does not take, and bytes that end too early.
Expected<Decoded> decode(std::span<const uint8_t> bytes, CodeOptions options = {});

// The same into room of the caller, for loops: returns null, or why not (a string that lives until this thread's next call).
const char* decode_into(std::span<const uint8_t> bytes, CodeOptions options, Decoded& out);

}  // namespace Atoll::rdna4
