#include "isa/gfx7/encode.h"

#include "isa/gfx7/decode.h"
#include "isa/gfx7/operands.h"

namespace Atoll::gfx7 {

Expected<Words> encode(const Instruction& i) {
  const Opcode& row = *i.opcode;
  const Layout& form = layout(row);
  Words words;
  words.count = form.words;
  words.dwords[0] = form.fixed;
  for (const FieldRow& f : form.fields) {
    const uint16_t* value = modifier_of(i, f.field);
    if (f.field == Field::op) {
      f.bits.put(words.dwords.data(), row.opcode);
    } else if (value != nullptr) {
      if (*value > f.bits.mask()) return fail("{}: {} does not fit a field of {} bits", row.name, *value, f.bits.width);
      f.bits.put(words.dwords.data(), *value);
    }
  }
  bool literal = false;
  for (const OperandRow& o : row.rows()) {
    if (o.kind == Kind::Literal) literal = true;
    const uint16_t* place = slot_of(i, o.slot);
    if (o.bits.width == 0 || place == nullptr) continue;
    unsigned value = *place;
    if (o.kind == Kind::Returned && i.glc == 0) value = 0;
    if (value == LITERAL &&
        (o.kind == Kind::ScalarSource || o.kind == Kind::VectorSource || (o.kind == Kind::SmrdOffset && i.imm == 0)))
      literal = true;
    unsigned unit = o.field == Field::sbase ? 2 : o.field == Field::srsrc || o.field == Field::ssamp ? 4 : 1;
    if (value % unit != 0) return fail("{}: scalar register {} must be a multiple of {}", row.name, value, unit);
    value /= unit;
    if (is_source(o.slot) && o.bits.width == 8 && o.kind == Kind::Vgpr) {
      if (value < VGPR0) return fail("{} takes a VGPR there", row.name);
      value -= VGPR0;
    }
    if (value > o.bits.mask()) return fail("{}: operand {} does not fit its field of {} bits", row.name, value, o.bits.width);
    o.bits.put(words.dwords.data(), value);
  }
  if (literal) {
    if (words.count == 2) return fail("{} takes no literal", row.name);
    words.dwords[words.count++] = i.literal;
  }
  // The decoder's rules hold for what is written as well.
  Instruction again;
  if (const char* why = decode_into(words.bytes(), again)) return fail("{}", why);
  return words;
}

}  // namespace Atoll::gfx7
