// The modifiers behind the operands: clamp, op_sel:[…], offset:, th:, dpp controls, dmask: and so on, in any order.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "isa/amd/lexer.h"
#include "isa/rdna4/decode.h"
#include "isa/rdna4/names.h"

namespace Atoll::rdna4 {

using amd::Lexer;

// Reads a cache hint, which follows `th:`: a name that fits loads, stores or atomics, or a number.
std::optional<uint8_t> take_cache_hint(Lexer& text, const Opcode& row, std::string& why);

struct ModifierText {
  Instruction& i;
  CodeOptions options;
  bool dimension_given = false;
  std::string_view hint;               // the name behind th:
  std::vector<std::string_view> seen;  // names of the modifiers so far

  // Takes modifiers to the end of the line.
  bool take_all(Lexer& text, std::string& why);

private:
  bool take_one(Lexer& text, std::string& why);
};

}  // namespace Atoll::rdna4
