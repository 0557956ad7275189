// Registers in assembler text: v1, v[2:3], s4, ttmp[0:3], vcc_lo, exec, m0, src_scc, [v1,v2] … Which there are is each
// instruction set's own: names of operand numbers, and files of numbered registers.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "isa/amd/lexer.h"

namespace Atoll::amd {

struct RegisterText {
  bool vector = false;
  uint16_t number = 0;  // VGPR number, or scalar operand number
  uint16_t count = 1;   // registers; 0 when the name fits any (src_scc)
  int half = -1;        // 0 for .l, 1 for .h
};

// A register with a name of its own. The first name of a number and count is the printed one.
struct RegisterName {
  std::string_view name;
  uint16_t number, count;  // count as in RegisterText; 2 stands for longer tuples as well when printed
  bool exists = true;      // false: printed, but no text may use it
};
struct RegisterFileName {
  std::string_view prefix;
  uint16_t first, registers;  // operand number of the first; how many
  bool vector = false;
  bool halves = false;  // v1.l and v1.h are read
};
struct RegisterNames {
  std::span<const RegisterName> names;
  std::span<const RegisterFileName> files;
};

// Takes a register if one stands here. Without one nothing is taken and `why` stays empty; a broken one sets `why`.
std::optional<RegisterText> take_register(Lexer& text, const RegisterNames& registers, std::string& why);

// LLVM's name for `count` scalar registers (s4, s[4:7], vcc_lo, vcc, ttmp[0:3], m0, exec …) or a special source.
std::string scalar_name(const RegisterNames& registers, unsigned operand, unsigned count);

// Why `count` consecutive scalar registers cannot begin at this operand number, or null when they can.
const char* scalar_register_problem(const RegisterNames& registers, unsigned operand, unsigned count);

// v4 or v[4:7].
std::string vector_name(unsigned vgpr, unsigned count);

}  // namespace Atoll::amd
