#include "isa/rdna4/encode.h"

#include "isa/rdna4/operands.h"

namespace Atoll::rdna4 {
namespace {

// The row of VOPDX or VOPDY for an ordinary instruction.
const Opcode* dual_row(Format format, const Opcode* ordinary) {
  for (unsigned n = 0; n < 32; ++n) {
    const Opcode* row = find(format, n);
    if (row != nullptr && &opcodes()[row->ordinary] == ordinary) return row;
  }
  return nullptr;
}

struct Encoder {
  Words out{};
  uint32_t* words = out.dwords.data();
  bool literal_used = false;
  bool wrong = false;  // a value did not fit its field

  void put(Bits bits, uint32_t value) {
    if (bits.width < 32 && value > bits.mask()) wrong = true;
    bits.put(words, value);
  }

  void put_signed(Bits bits, int32_t value) {
    int32_t limit = 1 << (bits.width - 1);
    if (value < -limit || value >= limit) wrong = true;
    bits.put(words, uint32_t(value));
  }

  // The value of a field that is no operand: as the instruction has it, or put together.
  void field(const Instruction& i, const Opcode& row, const FieldRow& f) {
    if (const uint16_t* value = modifier_of(i, f.field);
        value != nullptr && f.field != Field::offset0 && f.field != Field::offset1)
      return put(f.bits, *value);
    switch (f.field) {
      case Field::op: return put(f.bits, row.opcode);
      case Field::offset0: return put(f.bits, uint32_t(i.offset) & 0xff);
      case Field::offset1: return put(f.bits, uint32_t(i.offset) >> 8);
      case Field::ioffset: return put_signed(f.bits, i.offset);
      case Field::vdata: return put(f.bits, i.data);
      default: return;
    }
  }

  void operand(const Instruction& i, const OperandRow& o, bool e32) {
    const uint16_t* place = slot_of(i, o.slot);
    if (place == nullptr && o.slot != Slot::Immediate) return;  // field() has it
    uint32_t value = place != nullptr ? *place : uint32_t(i.immediate);
    if (is_source(o.slot) && value == LITERAL) literal_used = true;
    if (o.bits.width == 0) return;
    if (o.field == Field::sbase) {
      if (value & 1) wrong = true;
      value /= 2;
    }
    if (o.slot == Slot::Src0 && i.dpp != Dpp::None) value = i.dpp == Dpp::Dpp16 ? DPP16 : i.fetch_inactive ? DPP8_FI : DPP8;
    bool vgpr = is_source(o.slot) ? value >= VGPR0 : o.kind == Kind::Vgpr;
    if (is_source(o.slot) && o.bits.width == 8 && o.kind == Kind::Vgpr) {
      if (!vgpr) wrong = true;
      value -= VGPR0;
    }
    if (e32 && o.type.half() && vgpr) {
      unsigned bit = o.slot == Slot::Dst ? 3 : source_index(o.slot);
      if (value & 0x80) wrong = true;
      if (i.op_sel >> bit & 1) value |= 0x80;
    }
    if (o.slot == Slot::Immediate) value &= o.bits.mask();
    put(o.bits, value);
  }

  void operands(const Instruction& i, const Opcode& row) {
    bool e32 = is_e32(row.format);
    for (const OperandRow& o : row.rows()) operand(i, o, e32);
  }

  // The dword of DPP control behind the instruction.
  void dpp(const Instruction& i, bool modifiers) {
    uint32_t dword = 0;
    uint32_t vgpr = i.src[0] - VGPR0;
    for (const OperandRow& o : i.opcode->rows()) {
      if (o.slot == Slot::Src0 && o.type.half() && is_e32(i.opcode->format)) {
        if (vgpr & 0x80) wrong = true;
        if (i.op_sel & 1) vgpr |= 0x80;
      }
    }
    if (i.src[0] < VGPR0) wrong = true;
    auto set = [&](Field field, uint32_t value) { dpp16_layout.at(field).put(&dword, value); };
    if (i.dpp == Dpp::Dpp16) {
      for (const FieldRow& f : dpp16_layout.fields)
        if (const uint16_t* value = modifier_of(i, f.field)) f.bits.put(&dword, *value);
      set(Field::dpp_ctrl, i.dpp_control);
      if (modifiers) {
        set(Field::src0_neg, i.neg & 1u);
        set(Field::src1_neg, i.neg >> 1 & 1u);
        set(Field::src0_abs, i.abs & 1u);
        set(Field::src1_abs, i.abs >> 1 & 1u);
      }
    } else {
      dpp8_layout.at(Field::lane_sel).put(&dword, i.dpp_control);
      if (modifiers && (i.neg | i.abs) != 0) wrong = true;
    }
    set(Field::src0, vgpr);
    words[out.count++] = dword;
  }

  void vop3p(const Instruction& i, const Opcode& row, const Layout& form) {
    if (row.has(Flag::Mix)) put(form.at(Field::neg_hi), i.abs);
    uint32_t high = row.has(Flag::Packed) || row.has(Flag::Mix) ? i.op_sel_hi : 7u;
    // LLVM fills the OP_SEL_HI bits of the sources that are not there.
    if (row.has(Flag::Packed)) high |= 7u & ~((1u << row.source_count) - 1);
    put(form.at(Field::opsel_hi), high & 3);
    put(form.at(Field::opsel_hi2), high >> 2 & 1);
  }

  void vopd(const Instruction& i, const Layout& form) {
    const Opcode* x = dual_row(Format::VOPDX, i.dual_x->opcode);
    const Opcode* y = dual_row(Format::VOPDY, i.dual_y->opcode);
    if (x == nullptr || y == nullptr) {
      wrong = true;
      return;
    }
    put(form.at(Field::opx), x->opcode);
    put(form.at(Field::opy), y->opcode);
    operands(*i.dual_x, *x);
    for (const OperandRow& o : y->rows())
      if (o.field != Field::vdsty) operand(*i.dual_y, o, false);
    if (((i.dual_x->dst ^ i.dual_y->dst) & 1) == 0) wrong = true;
    put(form.at(Field::vdsty), i.dual_y->dst / 2u);
  }

  // Bits that a format has beyond its fields and operands.
  void rest(const Instruction& i, const Opcode& row, const Layout& form) {
    switch (row.format) {
      case Format::VOP3:
        if (row.opcode < 256 && row.has(Flag::WritesExec)) put(form.at(Field::vdst), EXEC_LO);  // V_CMPX's result goes to EXEC
        break;
      case Format::VOP3P: vop3p(i, row, form); break;
      case Format::SMEM:
        if (row.has(Flag::Prefetch) || (row.operand_count != 0 && row.operands[0].kind == Kind::Decimal))
          put(form.at(Field::sdata), uint32_t(i.immediate));
        if (row.operand_count == 0) put(form.at(Field::soffset), 0), put(form.at(Field::sbase), 0);
        break;
      case Format::VFLAT:
      case Format::VGLOBAL:
      case Format::VSCRATCH:
        put(form.at(Field::saddr), i.saddr_valid ? i.saddr : uint32_t(NULL_SGPR));
        put(form.at(Field::sve), row.format == Format::VSCRATCH && i.vaddr_valid);
        if (row.has(Flag::Atomic) && (i.th & 1) == 0) put(form.at(Field::vdst), 0);
        break;
      case Format::VSAMPLE:
        if (row.has(Flag::Msaa)) put(form.at(Field::samp), 0);
        break;
      case Format::VIMAGE:
        if (i.unorm || i.lwe) wrong = true;
        break;
      default: break;
    }
    bool has_modifiers = form.has(Field::neg) || row.format == Format::VOPDX;
    if (!has_modifiers && i.dpp == Dpp::None && (i.neg | i.abs) != 0) wrong = true;
  }
};

}  // namespace

Expected<Words> encode(const Instruction& i, CodeOptions options) {
  if (i.opcode == nullptr) return fail("an instruction without an opcode");
  const Opcode& row = *i.opcode;
  Encoder e;
  const Layout& form = layout(row);
  e.words[0] = form.fixed;
  e.out.count = form.words;
  if (i.dual_x != nullptr && i.dual_y != nullptr) {
    e.vopd(i, form);
  } else {
    for (const FieldRow& field : form.fields) e.field(i, row, field);
    e.operands(i, row);
  }
  e.rest(i, row, form);
  if (i.dpp != Dpp::None) {
    if (e.literal_used) return fail("{}: a literal and DPP together", row.name);
    if (!row.has(Flag::Dpp)) return fail("{} cannot use DPP", row.name);
    e.dpp(i, is_e32(row.format));
  } else {
    for (const OperandRow& o : row.rows()) e.literal_used |= o.kind == Kind::Literal;
    if (i.dual_x != nullptr)
      for (const Instruction* half : {i.dual_x, i.dual_y})
        for (uint16_t source : half->src) e.literal_used |= source == LITERAL;
    if (e.literal_used) e.words[e.out.count++] = i.literal;
  }
  if (e.wrong) return fail("{}: an operand or modifier does not fit its field", row.name);
  // The decoder says what these words mean.
  Decoded check;
  if (const char* error = decode_into(e.out.bytes(), options, check)) return std::unexpected(Error{error});
  return e.out;
}

}  // namespace Atoll::rdna4
