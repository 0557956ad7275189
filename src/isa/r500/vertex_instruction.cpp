#include "isa/r500/vertex_instruction.h"

#include <algorithm>

namespace Atoll::r500::vs {
namespace {

constexpr Field OPCODE{0, 5, 0}, MATH_INST{0, 6, 6}, MACRO_INST{0, 7, 7}, REG_TYPE{0, 11, 8}, ADDR_MODE_1{0, 12, 12},
    OFFSET{0, 19, 13}, WE{0, 23, 20}, VE_SAT{0, 24, 24}, ME_SAT{0, 25, 25}, PRED_ENABLE{0, 26, 26}, PRED_SENSE{0, 27, 27},
    DUAL_MATH{0, 28, 28}, ADDR_SEL{0, 30, 29}, ADDR_MODE_0{0, 31, 31};

// Fields of the third source's word under DUAL_MATH, besides those of a source.
constexpr Field DUAL_OPCODE_LOW{3, 24, 21}, DUAL_OPCODE_HIGH{3, 2, 2}, DUAL_OFFSET{3, 20, 19}, DUAL_CHANNEL{3, 28, 27};

const OpRow* row_numbered(Engine engine, uint32_t number) {
  auto found = std::find_if(std::begin(op_rows), std::end(op_rows),
                            [&](const OpRow& row) { return row.engine == engine && row.number == number; });
  return found == std::end(op_rows) ? nullptr : found;
}
Engine engine_of(const Words& words) {
  return MACRO_INST.get(words) ? Engine::macro : MATH_INST.get(words) ? Engine::math : Engine::vector;
}
bool is_dual(const Words& words) { return engine_of(words) == Engine::vector && DUAL_MATH.get(words); }
uint32_t dual_opcode(const Words& words) { return DUAL_OPCODE_HIGH.get(words) << 4 | DUAL_OPCODE_LOW.get(words); }

// Visits the fields of a source; a dual operation's has two channels.
template <class S, class F>
void each_member(S& s, uint8_t word, uint8_t channels, F visit) {
  visit(Field{word, 1, 0}, s.type);
  visit(Field{word, 3, 3}, s.absolute);
  visit(Field{word, 12, 5}, s.offset);
  visit(Field{word, 30, 29}, s.address_channel);
  for (uint8_t c = 0; c < channels; c++) visit(Field{word, uint8_t(15 + c * 3), uint8_t(13 + c * 3)}, s.swizzle[c]);
  visit(Field{word, uint8_t(24 + channels), 25}, s.negate);
}
Source source_of(const Words& words, uint8_t word, uint8_t channels) {
  Source s;
  each_member(s, word, channels, [&](const Field& field, uint8_t& member) { member = uint8_t(field.get(words)); });
  s.mode = uint8_t(Field{word, 31, 31}.get(words) << 1 | Field{word, 4, 4}.get(words));
  return s;
}
void set_source(Words& words, uint8_t word, uint8_t channels, const Source& s) {
  each_member(s, word, channels, [&](const Field& field, const uint8_t& member) { field.set(words, member); });
  Field{word, 31, 31}.set(words, s.mode >> 1), Field{word, 4, 4}.set(words, s.mode);
}

}  // namespace

bool Instruction::relative() const {
  bool any = destination.mode != ABSOLUTE || (is_dual && dual.source.mode != ABSOLUTE);
  for (int n = 0; n < 3; n++) any |= row_of(op).sources >> n & 1 && !(n == 2 && is_dual) && source[n].mode != ABSOLUTE;
  return any;
}

std::string_view objection(const Words& words) {
  if (MATH_INST.get(words) && MACRO_INST.get(words)) return "MATH_INST and MACRO_INST: both are set";
  const OpRow* row = row_numbered(engine_of(words), OPCODE.get(words));
  if (!row) return "OPCODE: a reserved operation";
  if (REG_TYPE.get(words) >= DESTINATION_COUNT) return "REG_TYPE: no such destination";
  if ((ADDR_MODE_0.get(words) & ADDR_MODE_1.get(words)) != 0) return "ADDR_MODE 3 of the destination is reserved";
  for (uint8_t word = 1; word < kWords; word++)
    if (source_of(words, word, 4).mode == MODE_3) return "ADDR_MODE 3 of a source is reserved";
  if (is_dual(words)) {
    if (!row_numbered(Engine::math, dual_opcode(words))) return "the dual math operation is a reserved one";
    if (row->sources & 4) return "a vector operation of three sources leaves no word for a dual math operation";
  }
  return {};
}

Instruction instruction_of(const Words& words) {
  Instruction i;
  i.op = row_numbered(engine_of(words), OPCODE.get(words))->op;
  i.saturate = uint8_t(VE_SAT.get(words)), i.saturate_math = uint8_t(ME_SAT.get(words));
  if (PRED_ENABLE.get(words)) i.predicate = PRED_SENSE.get(words) ? PREDICATE_SET : PREDICATE_CLEAR;
  i.destination = {uint8_t(REG_TYPE.get(words)), uint8_t(OFFSET.get(words)),
                   uint8_t(ADDR_MODE_1.get(words) << 1 | ADDR_MODE_0.get(words)), uint8_t(ADDR_SEL.get(words)),
                   uint8_t(WE.get(words))};
  i.is_dual = is_dual(words);
  for (uint8_t n = 0; n < 3; n++)
    if (n < 2 || !i.is_dual) i.source[n] = source_of(words, uint8_t(n + 1), 4);
  if (i.is_dual) {
    i.dual.op = row_numbered(Engine::math, dual_opcode(words))->op;
    i.dual.destination = uint8_t(DUAL_OFFSET.get(words)), i.dual.channel = uint8_t(DUAL_CHANNEL.get(words));
    i.dual.source = source_of(words, 3, 2);
  }
  return i;
}

Words words_of(const Instruction& i) {
  Words words{};
  const OpRow& row = row_of(i.op);
  OPCODE.set(words, row.number);
  MATH_INST.set(words, row.engine == Engine::math), MACRO_INST.set(words, row.engine == Engine::macro);
  VE_SAT.set(words, i.saturate), ME_SAT.set(words, i.saturate_math);
  PRED_ENABLE.set(words, i.predicate != PREDICATE_NONE), PRED_SENSE.set(words, i.predicate == PREDICATE_SET);
  REG_TYPE.set(words, i.destination.type), OFFSET.set(words, i.destination.offset), WE.set(words, i.destination.mask);
  ADDR_MODE_1.set(words, i.destination.mode >> 1), ADDR_MODE_0.set(words, i.destination.mode & 1);
  ADDR_SEL.set(words, i.destination.address_channel);
  DUAL_MATH.set(words, i.is_dual);
  for (uint8_t n = 0; n < 3; n++)
    if (n < 2 || !i.is_dual) set_source(words, uint8_t(n + 1), 4, i.source[n]);
  if (i.is_dual) {
    set_source(words, 3, 2, i.dual.source);
    DUAL_OPCODE_LOW.set(words, row_of(i.dual.op).number), DUAL_OPCODE_HIGH.set(words, row_of(i.dual.op).number >> 4u);
    DUAL_OFFSET.set(words, i.dual.destination), DUAL_CHANNEL.set(words, i.dual.channel);
  }
  return words;
}

}  // namespace Atoll::r500::vs
