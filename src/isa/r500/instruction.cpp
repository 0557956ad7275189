#include "isa/r500/instruction.h"

#include <algorithm>

namespace Atoll::r500 {
namespace {

struct Source {
  const Field &address, &constant, &relative;
};
constexpr Source sources[2][3] = {
    {{field<US_ALU_RGB_ADDR::ADDR0>, field<US_ALU_RGB_ADDR::ADDR0_CONST>, field<US_ALU_RGB_ADDR::ADDR0_REL>},
     {field<US_ALU_RGB_ADDR::ADDR1>, field<US_ALU_RGB_ADDR::ADDR1_CONST>, field<US_ALU_RGB_ADDR::ADDR1_REL>},
     {field<US_ALU_RGB_ADDR::ADDR2>, field<US_ALU_RGB_ADDR::ADDR2_CONST>, field<US_ALU_RGB_ADDR::ADDR2_REL>}},
    {{field<US_ALU_ALPHA_ADDR::ADDR0>, field<US_ALU_ALPHA_ADDR::ADDR0_CONST>, field<US_ALU_ALPHA_ADDR::ADDR0_REL>},
     {field<US_ALU_ALPHA_ADDR::ADDR1>, field<US_ALU_ALPHA_ADDR::ADDR1_CONST>, field<US_ALU_ALPHA_ADDR::ADDR1_REL>},
     {field<US_ALU_ALPHA_ADDR::ADDR2>, field<US_ALU_ALPHA_ADDR::ADDR2_CONST>, field<US_ALU_ALPHA_ADDR::ADDR2_REL>}}};
struct RgbOperand {
  const Field &select, &modifiers, &red, &green, &blue;
};
constexpr RgbOperand rgb_operands[] = {
    {field<US_ALU_RGB_INST::RGB_SEL_A>, field<US_ALU_RGB_INST::RGB_MOD_A>, field<US_ALU_RGB_INST::RED_SWIZ_A>,
     field<US_ALU_RGB_INST::GREEN_SWIZ_A>, field<US_ALU_RGB_INST::BLUE_SWIZ_A>},
    {field<US_ALU_RGB_INST::RGB_SEL_B>, field<US_ALU_RGB_INST::RGB_MOD_B>, field<US_ALU_RGB_INST::RED_SWIZ_B>,
     field<US_ALU_RGB_INST::GREEN_SWIZ_B>, field<US_ALU_RGB_INST::BLUE_SWIZ_B>},
    {field<US_ALU_RGBA_INST::RGB_SEL_C>, field<US_ALU_RGBA_INST::RGB_MOD_C>, field<US_ALU_RGBA_INST::RED_SWIZ_C>,
     field<US_ALU_RGBA_INST::GREEN_SWIZ_C>, field<US_ALU_RGBA_INST::BLUE_SWIZ_C>}};
struct AlphaOperand {
  const Field &select, &modifiers, &swizzle;
};
constexpr AlphaOperand alpha_operands[] = {
    {field<US_ALU_ALPHA_INST::ALPHA_SEL_A>, field<US_ALU_ALPHA_INST::ALPHA_MOD_A>, field<US_ALU_ALPHA_INST::ALPHA_SWIZ_A>},
    {field<US_ALU_ALPHA_INST::ALPHA_SEL_B>, field<US_ALU_ALPHA_INST::ALPHA_MOD_B>, field<US_ALU_ALPHA_INST::ALPHA_SWIZ_B>},
    {field<US_ALU_RGBA_INST::ALPHA_SEL_C>, field<US_ALU_RGBA_INST::ALPHA_MOD_C>, field<US_ALU_RGBA_INST::ALPHA_SWIZ_C>}};

// Visits every member with the field that it stands in; masks and operations, which are numbered otherwise, are left out.
template <class P, class F>
void each_member(P& p, F visit) {
  visit(field<US_CMN_INST::WRITE_INACTIVE>, p.write_inactive);
  visit(field<US_ALU_ALPHA_INST::W_OMASK>, p.depth);
  visit(field<US_ALU_RGB_INST::ALU_WMASK>, p.alu_result);
  visit(field<US_CMN_INST::ALU_RESULT_SEL>, p.alu_result_alpha);
  visit(field<US_CMN_INST::ALU_RESULT_OP>, p.alu_result_compare);
  visit(field<US_ALU_RGBA_INST::RGB_ADDRD>, p.rgb.destination);
  visit(field<US_ALU_RGBA_INST::RGB_ADDRD_REL>, p.rgb.destination_relative);
  visit(field<US_ALU_RGB_INST::TARGET>, p.rgb.target);
  visit(field<US_ALU_RGB_INST::OMOD>, p.rgb.omod);
  visit(field<US_CMN_INST::RGB_CLAMP>, p.rgb.clamp);
  visit(field<US_CMN_INST::RGB_PRED_SEL>, p.rgb.predicate);
  visit(field<US_CMN_INST::RGB_PRED_INV>, p.rgb.predicate_inverted);
  visit(field<US_ALU_RGB_ADDR::SRCP_OP>, p.rgb.presubtract);
  visit(field<US_ALU_ALPHA_INST::ALPHA_ADDRD>, p.alpha.destination);
  visit(field<US_ALU_ALPHA_INST::ALPHA_ADDRD_REL>, p.alpha.destination_relative);
  visit(field<US_ALU_ALPHA_INST::TARGET>, p.alpha.target);
  visit(field<US_ALU_ALPHA_INST::OMOD>, p.alpha.omod);
  visit(field<US_CMN_INST::ALPHA_CLAMP>, p.alpha.clamp);
  visit(field<US_CMN_INST::ALPHA_PRED_SEL>, p.alpha.predicate);
  visit(field<US_CMN_INST::ALPHA_PRED_INV>, p.alpha.predicate_inverted);
  visit(field<US_ALU_ALPHA_ADDR::SRCP_OP>, p.alpha.presubtract);
  for (int n = 0; n < 3; n++) {
    for (int unit = 0; unit < 2; unit++) {
      visit(sources[unit][n].address, p.slot[unit][n].address);
      visit(sources[unit][n].constant, p.slot[unit][n].constant);
      visit(sources[unit][n].relative, p.slot[unit][n].relative);
    }
    auto& o = p.rgb.operand[n];
    visit(rgb_operands[n].select, o.select);
    visit(rgb_operands[n].modifiers, o.modifiers);
    visit(rgb_operands[n].red, o.swizzle[0]);
    visit(rgb_operands[n].green, o.swizzle[1]);
    visit(rgb_operands[n].blue, o.swizzle[2]);
    auto& a = p.alpha.operand[n];
    visit(alpha_operands[n].select, a.select);
    visit(alpha_operands[n].modifiers, a.modifiers);
    visit(alpha_operands[n].swizzle, a.swizzle[0]);
  }
}

const OpRow* row_numbered(bool alpha, uint32_t number) {
  auto found = std::find_if(std::begin(op_rows), std::end(op_rows),
                            [&](const OpRow& row) { return (alpha ? row.alpha : row.rgb) == int(number); });
  return found == std::end(op_rows) ? nullptr : found;
}

}  // namespace

bool Pair::relative() const {
  bool any = rgb.destination_relative || alpha.destination_relative;
  for (auto& unit : slot)
    for (const Slot& s : unit) any |= s.relative != 0;
  return any;
}

std::string_view objection(const Words& words) {
  if (field<US_CMN_INST::RGB_PRED_SEL>.get(words) >= PREDICATE_COUNT) return "US_CMN_INST.RGB_PRED_SEL has no such value";
  if (field<US_CMN_INST::ALPHA_PRED_SEL>.get(words) >= PREDICATE_COUNT) return "US_CMN_INST.ALPHA_PRED_SEL has no such value";
  switch (type_of(words)) {
    case Type::Alu:
    case Type::Out:
      if (!row_numbered(false, field<US_ALU_RGBA_INST::RGB_OP>.get(words)))
        return "US_ALU_RGBA_INST.RGB_OP: a reserved operation";
      if (!row_numbered(true, field<US_ALU_ALPHA_INST::ALPHA_OP>.get(words)))
        return "US_ALU_ALPHA_INST.ALPHA_OP: a reserved operation";
      break;
    case Type::Tex:
      if (field<US_TEX_INST::INST>.get(words) == 7) return "US_TEX_INST.INST has no such value";
      break;
    case Type::Fc:
      if (field<US_FC_INST::A_OP>.get(words) == 3) return "US_FC_INST.A_OP has no such value";
      if (field<US_FC_INST::B_OP0>.get(words) == 3) return "US_FC_INST.B_OP0 has no such value";
      if (field<US_FC_INST::B_OP1>.get(words) == 3) return "US_FC_INST.B_OP1 has no such value";
      break;
  }
  return {};
}

Pair pair_of(const Words& words) {
  Pair p;
  p.output = type_of(words) == Type::Out;
  each_member(p, [&](const Field& field, auto& member) { member = uint8_t(field.get(words)); });
  p.rgb.mask = uint8_t(field<US_CMN_INST::RGB_WMASK>.get(words)),
  p.rgb.extra_mask = uint8_t(field<US_CMN_INST::RGB_OMASK>.get(words));
  p.alpha.mask = uint8_t(field<US_CMN_INST::ALPHA_WMASK>.get(words) << 3),
  p.alpha.extra_mask = uint8_t(field<US_CMN_INST::ALPHA_OMASK>.get(words) << 3);
  p.rgb.op = row_numbered(false, field<US_ALU_RGBA_INST::RGB_OP>.get(words))->op;
  p.alpha.op = row_numbered(true, field<US_ALU_ALPHA_INST::ALPHA_OP>.get(words))->op;
  return p;
}

Words words_of(const Pair& p) {
  Words words{};
  field<US_CMN_INST::TYPE>.set(words, uint32_t(p.output ? Type::Out : Type::Alu));
  each_member(p, [&](const Field& field, auto& member) { field.set(words, member); });
  field<US_CMN_INST::RGB_WMASK>.set(words, p.rgb.mask), field<US_CMN_INST::RGB_OMASK>.set(words, p.rgb.extra_mask);
  field<US_CMN_INST::ALPHA_WMASK>.set(words, p.alpha.mask >> 3),
      field<US_CMN_INST::ALPHA_OMASK>.set(words, p.alpha.extra_mask >> 3);
  field<US_ALU_RGBA_INST::RGB_OP>.set(words, uint32_t(row_of(p.rgb.op).rgb));
  field<US_ALU_ALPHA_INST::ALPHA_OP>.set(words, uint32_t(row_of(p.alpha.op).alpha));
  return words;
}

std::string_view meaningless(const Pair& p) {
  if (p.rgb.op == Op::Sop && !is_function(p.alpha.op))
    return "sop gives the result of the alpha unit's ex2, ln2, rcp, rsq, sin or cos: there is none";
  if (p.alpha.op == Op::Dp && !is_dot(p.rgb.op)) return "dp gives the result of the RGB unit's dp3, dp4 or d2a: there is none";
  return {};
}

}  // namespace Atoll::r500
