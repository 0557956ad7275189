// Shared by the parser and the printer of the pixel shader's text: names of suffixes, operations and values.
#pragma once
#include <span>
#include <string>
#include <string_view>

#include "base/text.h"
#include "isa/r500/instruction.h"

namespace Atoll::r500 {

inline constexpr std::string_view omod_names[] = {"", "x2", "x4", "x8", "d2", "d4", "d8", "exact"};
inline constexpr std::string_view compare_names[] = {"eq", "lt", "ge", "ne"};
inline constexpr std::string_view predicate_names[] = {"", "p", "p.r", "p.g", "p.b", "p.a"};
inline constexpr std::string_view presubtract_names[] = {"1-2*s0", "s1-s0", "s1+s0", "1-s0"};
inline constexpr std::string_view rgba = "rgba", xyzw = "xyzw", swizzle_letters = "xyzw0h1_";
inline constexpr std::string_view flow_names[] = {"jump",   "loop",      "endloop",  "rep",
                                                  "endrep", "breakloop", "breakrep", "continue"};
inline constexpr std::string_view texture_names[] = {"texnop", "ld", "texkill", "proj", "lodbias", "lod", "dxdy"};
enum TextureOp : uint8_t { TEX_NOP, TEX_LD, TEX_TEXKILL, TEX_PROJ, TEX_LODBIAS, TEX_LOD, TEX_DXDY };

// Four channels of a register: a texture instruction's source or result.
struct TextureOperand {
  const Field &address, &relative, &s, &t, &r, &q;
};
inline constexpr TextureOperand texture_source{field<US_TEX_ADDR::SRC_ADDR>,   field<US_TEX_ADDR::SRC_ADDR_REL>,
                                               field<US_TEX_ADDR::SRC_S_SWIZ>, field<US_TEX_ADDR::SRC_T_SWIZ>,
                                               field<US_TEX_ADDR::SRC_R_SWIZ>, field<US_TEX_ADDR::SRC_Q_SWIZ>};
inline constexpr TextureOperand texture_dx{field<US_TEX_ADDR_DXDY::DX_ADDR>,   field<US_TEX_ADDR_DXDY::DX_ADDR_REL>,
                                           field<US_TEX_ADDR_DXDY::DX_S_SWIZ>, field<US_TEX_ADDR_DXDY::DX_T_SWIZ>,
                                           field<US_TEX_ADDR_DXDY::DX_R_SWIZ>, field<US_TEX_ADDR_DXDY::DX_Q_SWIZ>};
inline constexpr TextureOperand texture_dy{field<US_TEX_ADDR_DXDY::DY_ADDR>,   field<US_TEX_ADDR_DXDY::DY_ADDR_REL>,
                                           field<US_TEX_ADDR_DXDY::DY_S_SWIZ>, field<US_TEX_ADDR_DXDY::DY_T_SWIZ>,
                                           field<US_TEX_ADDR_DXDY::DY_R_SWIZ>, field<US_TEX_ADDR_DXDY::DY_Q_SWIZ>};
inline constexpr TextureOperand texture_destination{field<US_TEX_ADDR::DST_ADDR>,   field<US_TEX_ADDR::DST_ADDR_REL>,
                                                    field<US_TEX_ADDR::DST_R_SWIZ>, field<US_TEX_ADDR::DST_G_SWIZ>,
                                                    field<US_TEX_ADDR::DST_B_SWIZ>, field<US_TEX_ADDR::DST_A_SWIZ>};

// Names of a field's values; empty where they are numbers.
inline std::span<const std::string_view> value_names(std::string_view field) {
  static constexpr std::string_view address_stack[] = {"none", "pop", "push"}, branch[] = {"none", "decr", "incr"},
                                    result[] = {"red", "alpha"};
  if (field == "A_OP") return address_stack;
  if (field == "B_OP0" || field == "B_OP1") return branch;
  if (field == "ALU_RESULT_SEL") return result;
  if (field == "ALU_RESULT_OP") return compare_names;
  return {};
}

// A field's name behind `@`: with the register's where two words of the instruction have a field of that name.
inline std::string field_name(Type type, const Layout& layout, const NamedField& field) {
  for (const Layout& other : layout_of(type))
    if (other.word != layout.word)
      for (const NamedField& f : other.fields)
        if (f.name == field.name) return lower(layout.name) + "." + lower(field.name);
  return lower(field.name);
}

// The same half without anything to do; beside dp4 its operands A and B belong to the RGB unit.
inline bool is_nop(const Half& h, bool beside_dp4) {
  Half idle;
  idle.predicate = h.predicate, idle.predicate_inverted = h.predicate_inverted, idle.presubtract = h.presubtract;
  if (beside_dp4) idle.operand[0] = h.operand[0], idle.operand[1] = h.operand[1];
  return h == idle;
}
// True if the RGB unit's sources have a fourth channel, the alpha unit's operand.
inline bool takes_alpha_operands(const Pair& p) {
  return p.rgb.op == Op::Dp4 && (p.alpha.op == Op::Dp || (is_nop(p.alpha, true) && !p.depth));
}

}  // namespace Atoll::r500
