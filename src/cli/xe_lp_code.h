// Xe-LP code for asm and disasm: a line to 8 or 16 bytes and back.
#pragma once
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/expected.h"

namespace Atoll::cli {

struct XeLpText {
  size_t bytes;
  std::string text;
};
inline constexpr size_t xe_lp_instruction_bytes = 16;
Expected<XeLpText> disassemble_xe_lp(std::span<const uint8_t> bytes);
Expected<std::vector<uint8_t>> assemble_xe_lp(std::string_view line);

// An instruction of a program whose labels stand where `labels` says, itself at `address`. `measure`: labels that are not
// there yet count as 0; the size is right.
struct XeLpProgram {
  const std::map<std::string, uint64_t>& labels;
  uint64_t address = 0;
  bool measure = false;
};
Expected<std::vector<uint8_t>> assemble_xe_lp(std::string_view line, const XeLpProgram& program);

}  // namespace Atoll::cli
