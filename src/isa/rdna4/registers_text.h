// Registers in assembler text: v1, v[2:3], s4, ttmp[0:3], vcc_lo, exec, m0, null, src_scc, [v1,v2] …
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "isa/amd/lexer.h"

namespace Atoll::rdna4 {

using amd::Lexer;

struct RegisterText {
  bool vector = false;
  uint16_t number = 0;  // VGPR number, or scalar operand number
  uint16_t count = 1;   // registers; 0 when the name fits any (null, src_shared_base)
  int half = -1;        // 0 for .l, 1 for .h
};

// Takes a register if one stands here. Without one nothing is taken and `why` stays empty; a broken one sets `why`.
std::optional<RegisterText> take_register(Lexer& text, std::string& why);

}  // namespace Atoll::rdna4
