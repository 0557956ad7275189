// Xe-LP instructions from and to words and text.
#pragma once
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "base/expected.h"
#include "isa/xe_lp/instruction.h"
#include "isa/xe_lp/layout.h"

namespace Atoll::xe_lp {

// The instruction at the beginning of `code`. Errors: unknown opcodes, compacted or truncated words, types, registers, regions and
// modifiers that the instruction does not take or that are not there yet.
Expected<Instruction> decode(std::span<const uint32_t> code);

// The words of an instruction that decode() or parse() made.
Expected<Words> encode(const Instruction& instruction);

// IGA's syntax, as iga64 -p=12p1 takes it: (f0.0) add (8|M0) (lt)f0.0 (sat)r3.0<1>:f (-)r1.0<8;8,1>:f r2.0<0;1,0>:f {@1}
// A branch's targets are bytes from the instruction, or names of `labels`, which have bytes from the start of the code at which
// `here` is the instruction's place.
using Labels = std::map<std::string, int64_t, std::less<>>;
Expected<Instruction> parse(std::string_view text, const Labels& labels = {}, int64_t here = 0);

// The text of an instruction in the same syntax; branch targets as bytes from it.
std::string print(const Instruction& instruction);

}  // namespace Atoll::xe_lp
