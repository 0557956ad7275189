// Instructions with random operands and modifiers.
#include <algorithm>

#include "gfx7_programs.h"
#include "isa/gfx7/instruction.h"

namespace Atoll::gfx7::test {

// A data SGPR at or above `from`, aligned as a group of `dwords` must be.
uint32_t Generator::free_sgpr(unsigned dwords, uint32_t from) {
  unsigned align = dwords > 2 ? 4 : dwords == 2 ? 2 : 1;
  dwords = std::clamp(dwords, 1u, unsigned(DATA_SGPRS));
  from = std::min<uint32_t>((from + align - 1) / align * align, DATA_SGPRS - dwords);
  return from + r.below((DATA_SGPRS - from - dwords) / align + 1) * align;
}

uint32_t Generator::scalar_destination(unsigned dwords, const Context& context) {
  uint32_t kind = r.below(100);
  if (dwords <= 2 && kind < 10) return VCC_LO;
  if (dwords == 1 && kind < 12) return M0;
  if (context.exec_writes && dwords == 2 && kind < 18) return EXEC_LO;
  return free_sgpr(dwords, context.stack);
}

uint32_t Generator::scalar_source(unsigned dwords, bool may_have_literal, bool& literal) {
  uint32_t kind = r.below(100);
  if (kind < 20) return 128 + r.below(81);
  if (kind < 30) return 240 + r.below(8);
  if (kind < 36 && may_have_literal) return literal = true, LITERAL;
  if (kind < 40) return dwords <= 2 ? uint32_t(VCC_LO) : data_sgpr(dwords);
  if (kind < 43) return dwords <= 2 ? uint32_t(EXEC_LO) : data_sgpr(dwords);
  if (kind < 45) return dwords == 1 ? uint32_t(M0) : data_sgpr(dwords);
  if (kind < 47) return SRC_SCC;
  if (kind < 50) return SRC_VCCZ + r.below(2);
  return data_sgpr(dwords);
}

uint32_t Generator::operand(const Opcode& row, const OperandRow& o, const Context& context, bool& literal) {
  unsigned dwords = std::max(1u, o.type.dwords());
  bool may_have_literal = row.format != Format::VOP3;
  switch (o.kind) {
    case Kind::Vgpr: return (o.bits.width == 9 ? 256u : 0u) + data_vgpr(dwords);
    case Kind::Sgpr: {
      bool result = o.slot == Slot::Dst || o.slot == Slot::Sdst;
      return result ? scalar_destination(dwords, context) : data_sgpr(dwords);
    }
    case Kind::ScalarSource: return scalar_source(dwords, may_have_literal, literal);
    case Kind::ScalarInline: return scalar_source(dwords, false, literal);
    case Kind::VectorSource:
      if (o.slot == Slot::Src0 && r.chance(1)) return LDS_DIRECT;
      return r.chance(55) ? 256 + data_vgpr(dwords) : scalar_source(dwords, may_have_literal, literal);
    case Kind::VgprOrDirect: return r.chance(2) ? uint32_t(LDS_DIRECT) : 256 + data_vgpr(1);
    case Kind::Mask:
      if (r.chance(30)) return VCC_LO;
      if (o.slot == Slot::Sdst && context.exec_writes && r.chance(4)) return EXEC_LO;
      return o.slot == Slot::Sdst ? free_sgpr(2, context.stack) : data_sgpr(2);
    case Kind::Attribute: return r.below(33);
    case Kind::Parameter: return r.below(3);
    case Kind::ExportTarget: {
      static constexpr uint32_t targets[] = {0, 1, 7, 8, 9, 12, 13, 15, 32, 33, 63};
      return targets[r.below(std::size(targets))];
    }
    case Kind::ExportSource: return data_vgpr(1);
    default: return r.chance(50) ? r.below(64) : r.next();
  }
}

// One instruction of the row with random fields; false if none was found that decodes.
bool Generator::one(Code& code, const Opcode* row, const Context& context) {
  if (!row || (row->has(Flag::WritesExec) && !context.exec_writes)) return false;
  for (const OperandRow& o : row->rows())
    if ((o.slot == Slot::Dst || o.slot == Slot::Sdst) && o.kind == Kind::Sgpr && !has_room(o.type.dwords(), context))
      return false;
  const Layout& form = layout(*row);
  for (int tries = 0; tries < 8; tries++) {
    std::vector<uint32_t> words(form.words);
    words[0] = form.fixed;
    bool literal = false;
    uint32_t enabled = r.below(16);
    bool compressed = r.chance(30);
    for (const FieldRow& f : form.fields)
      if (f.field == Field::op) f.bits.put(words.data(), row->opcode);
    for (const OperandRow& o : row->rows()) {
      literal |= o.kind == Kind::Literal;
      if (!o.bits.width) continue;
      uint32_t value = operand(*row, o, context, literal);
      if (o.kind == Kind::ExportSource) {  // what nothing reads must be zero
        unsigned n = unsigned(o.slot) - unsigned(Slot::Export0), readers = compressed ? (n < 2 ? 3u << 2 * n : 0u) : 1u << n;
        if (!(enabled & readers)) value = 0;
      }
      o.bits.put(words.data(), value);
    }
    for (const FieldRow& f : form.fields) {
      uint32_t value = 0;
      switch (f.field) {
        case Field::neg: value = r.chance(25) ? r.next() & row->neg : 0; break;
        case Field::abs: value = r.chance(25) ? r.next() & row->abs : 0; break;
        case Field::clamp: value = row->has(Flag::Clamp) && r.chance(15); break;
        case Field::omod: value = row->has(Flag::Omod) && r.chance(15) ? r.below(4) : 0; break;
        case Field::en: value = enabled; break;
        case Field::compr: value = compressed; break;
        case Field::done:
        case Field::vm: value = r.chance(30); break;
        case Field::attrchan: value = r.below(4); break;
        case Field::gds: value = row->has(Flag::GdsOnly); break;
        default: continue;
      }
      bool taken = false;  // a field that an operand has taken stays
      for (const OperandRow& o : row->rows()) taken |= o.bits.width && o.bits.word == f.bits.word && o.bits.low == f.bits.low;
      if (!taken) f.bits.put(words.data(), value);
    }
    if (literal) words.push_back(r.word());
    if (!valid(words)) continue;
    code.add(words);
    return true;
  }
  return false;
}

}  // namespace Atoll::gfx7::test
