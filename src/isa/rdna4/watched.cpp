#include "isa/rdna4/watched.h"

#include <algorithm>
#include <string_view>

namespace Atoll::rdna4 {

Watched watch(const std::shared_ptr<Decoded>& decoded, const wave::Step& step) {
  Watched w;
  w.instruction = decoded->main;
  w.step = step;
  w.decoded = decoded;
  const Instruction& i = decoded->main;
  const Instruction* parts[] = {i.dual_x ? i.dual_x : &i, i.dual_y};
  for (size_t n = 0; n < 2; n++)
    if (parts[n]) w.parts[n] = {parts[n], alu_operation(*parts[n]->opcode)};
  w.buffer = i.opcode->format == Format::VBUFFER && !i.opcode->has(Flag::Bare);
  w.ends = std::string_view(i.opcode->name) == "s_endpgm";
  return w;
}

bool reads_exceptions(std::span<const uint32_t> code) {
  static const uint32_t opcode = find("s_getreg_b32", Format::SOPK)->opcode;
  constexpr uint32_t excp_flag_user = 18;
  return std::ranges::any_of(code, [](uint32_t word) {  // SOPK: 0b1011 in [31:28], the opcode in [27:23], SIMM16
    return word >> 23 == (0xbu << 5 | opcode) && (word & 63) == excp_flag_user;
  });
}

}  // namespace Atoll::rdna4
