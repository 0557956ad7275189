#include "isa/rdna4/decode.h"

#include <cstring>
#include <initializer_list>
#include <utility>

#include "isa/amd/decode.h"
#include "isa/rdna4/operands.h"

namespace Atoll::rdna4 {
namespace {

using amd::vgpr_problem;

// One decoding: the words, how many are there, and whether a literal or DPP dword is wanted.
struct Decoder {
  const uint32_t* words;
  unsigned available;  // dwords
  unsigned wave;
  unsigned size = 0;  // dwords of the instruction proper
  bool wants_literal = false;

  // Values that fields hold as they are, and values put together of fields.
  static void fields(Instruction& i, const Layout& form, const uint32_t* words) {
    for (const FieldRow& f : form.fields) {
      uint32_t value = f.bits.get(words);
      if (uint16_t* place = modifier_of(i, f.field)) *place = uint16_t(value);
      if (f.field == Field::simm16) i.immediate = int16_t(value);
      if (f.field == Field::ioffset) i.offset = int32_t(value << 8) >> 8;
      if (f.field == Field::opsel_hi) i.op_sel_hi |= uint16_t(value);
      if (f.field == Field::opsel_hi2) i.op_sel_hi |= uint16_t(value << 2);
      if (f.field == Field::dpp_ctrl || f.field == Field::lane_sel) i.dpp_control = value;
    }
  }

  // Fields that must be 0 where the row has no use for them.
  bool zero(const Layout& form, std::initializer_list<Field> unused) const {
    for (Field field : unused)
      if (form.at(field).get(words) != 0) return false;
    return true;
  }

  static bool uses(const Opcode& row, Field field) {
    for (const OperandRow& o : row.rows())
      if (o.field == field) return true;
    return false;
  }

  const char* dpp(Instruction& i, bool modifiers_in_dpp) {
    const uint32_t* dword = &words[size];
    if (available <= size) return amd::refuse("the instruction ends before its DPP dword");
    i.dpp_control = 0;
    if (i.src[0] == DPP16) {
      i.dpp = Dpp::Dpp16;
      fields(i, dpp16_layout, dword);
      if (!dpp_control_exists(i.dpp_control)) return amd::refuse("DPP_CTRL {:#x} is not defined", i.dpp_control);
      auto bit = [&](Field field) { return dpp16_layout.at(field).get(dword); };
      if (modifiers_in_dpp) {
        i.neg = uint16_t(bit(Field::src0_neg) | bit(Field::src1_neg) << 1);
        i.abs = uint16_t(bit(Field::src0_abs) | bit(Field::src1_abs) << 1);
        if (const char* error = modifiers(i)) return error;
      }
    } else {
      i.dpp = Dpp::Dpp8;
      i.fetch_inactive = i.src[0] == DPP8_FI;
      fields(i, dpp8_layout, dword);
    }
    uint32_t vgpr = dpp16_layout.at(Field::src0).get(dword);
    for (const OperandRow& o : i.opcode->rows()) {
      if (o.slot != Slot::Src0 || !o.type.half() || !is_e32(i.opcode->format)) continue;
      if (vgpr & 0x80) i.op_sel |= 1, vgpr &= 0x7f;
    }
    i.src[0] = uint16_t(VGPR0 + vgpr);
    i.bytes = uint8_t(i.bytes + 4);
    return nullptr;
  }

  // NEG and ABS of the sources. A source that has one of the two ignores the other; those without either must have zeros, except
  // that LLVM ignores them on 16-bit integer operations, which carry their OP_SEL in the same operand.
  static const char* modifiers(Instruction& i) {
    const Opcode& row = *i.opcode;
    unsigned any = row.neg | row.abs;
    if (row.op_sel != 0 && any == 0 && row.format == Format::VOP3 && !row.has(Flag::Omod)) any = (1u << row.source_count) - 1;
    if (((i.neg | i.abs) & ~any) != 0) return amd::refuse("{} has no such NEG or ABS modifier", row.name);
    i.neg &= row.neg;
    i.abs &= row.abs;
    return nullptr;
  }

  // A register, constant or literal number for an operand of the table.
  const char* operand(Instruction& i, const OperandRow& o, uint32_t raw) {
    const Opcode& row = *i.opcode;
    unsigned dwords = o.type.dwords();
    if (row.has(Flag::WaveMatrix) && wave == 64) dwords = (dwords + 1) / 2;
    uint16_t value = uint16_t(raw);
    switch (o.kind) {
      case Kind::Vgpr:
      case Kind::Returned: {
        bool high = false;
        if (o.bits.width == 9) {
          if (raw < VGPR0) {
            if (i.dpp != Dpp::None || !(o.slot == Slot::Src0 && takes_dpp(i, raw)))
              return amd::refuse("{} takes a VGPR, not operand {}", row.name, raw);
            break;
          }
          raw -= VGPR0;
        }
        if (o.type.half() && is_e32(row.format)) high = (raw & 0x80) != 0, raw &= 0x7f;
        if (o.kind == Kind::Returned && (i.th & 1) == 0) break;  // no value comes back
        if (const char* problem = vgpr_problem(raw, dwords)) return problem;
        if (high) i.op_sel |= uint16_t(o.slot == Slot::Dst ? 8u : 1u << source_index(o.slot));
        value = uint16_t(is_source(o.slot) ? VGPR0 + raw : raw);
        break;
      }
      case Kind::Sgpr:
        if (o.field == Field::sbase) value = uint16_t(raw * 2);
        if (const char* problem = scalar_register_problem(value, dwords))
          return amd::refuse("{}: {}", scalar_name(value, 1), problem);
        break;
      case Kind::ScalarOffset:
        if (raw > 127) return amd::refuse("SOFFSET {}", raw);
        break;
      case Kind::Mask:
        if (const char* problem = scalar_register_problem(value, wave / 32)) {
          if (!(is_source(o.slot) && special_source(value))) return amd::refuse("{}: {}", scalar_name(value, 1), problem);
        }
        break;
      case Kind::ScalarSource:
      case Kind::VectorSource:
      case Kind::VgprOrInline:
        if (raw >= VGPR0) {
          if (o.kind == Kind::ScalarSource) return amd::refuse("{} takes no VGPR there", row.name);
          raw -= VGPR0;
          if (o.type.half() && is_e32(row.format)) {
            if (raw & 0x80) i.op_sel |= uint16_t(1u << source_index(o.slot));
            raw &= 0x7f;
          }
          if (const char* problem = vgpr_problem(raw, dwords)) return problem;
          value = uint16_t(VGPR0 + raw);
        } else if (raw == LITERAL) {
          if (o.kind == Kind::VgprOrInline) return amd::refuse("{} takes no literal there", row.name);
          wants_literal = true;
        } else if (o.slot == Slot::Src0 && takes_dpp(i, raw)) {
          break;
        } else if (raw < 128) {
          if (o.kind == Kind::VgprOrInline) return amd::refuse("{} takes no SGPR there", row.name);
          if (const char* problem = scalar_register_problem(value, dwords))
            return amd::refuse("{}: {}", scalar_name(value, 1), problem);
        } else if (!inline_constant(value)) {
          if (!special_source(value) || o.kind == Kind::VgprOrInline)
            return amd::refuse("source operand {} is not defined for {}", raw, row.name);
        }
        break;
      default: break;
    }
    store(i, o, value);
    return nullptr;
  }

  bool takes_dpp(const Instruction& i, uint32_t raw) const {
    return i.opcode->has(Flag::Dpp) && (raw == DPP8 || raw == DPP8_FI || raw == DPP16);
  }

  static void store(Instruction& i, const OperandRow& o, uint16_t value) {
    if (uint16_t* place = slot_of(i, o.slot)) *place = value;
    if (o.slot == Slot::Immediate && o.field != Field::simm16) i.immediate = value;
  }

  // All operands of a row, then the literal or DPP dword behind the instruction proper.
  const char* operands(Instruction& i, bool modifiers_in_dpp) {
    const Opcode& row = *i.opcode;
    for (const OperandRow& o : row.rows()) {
      if (o.kind == Kind::ImpliedVcc) {
        store(i, o, VCC_LO);
      } else if (o.kind == Kind::Literal) {
        wants_literal = true;
        store(i, o, LITERAL);
      } else if (o.bits.width != 0) {
        if (const char* error = operand(i, o, o.bits.get(words))) return error;
      }
    }
    if (i.src[0] == DPP16 || i.src[0] == DPP8 || i.src[0] == DPP8_FI) {
      if (wants_literal) return amd::refuse("{}: a literal and DPP together", row.name);
      return dpp(i, modifiers_in_dpp);
    }
    return literal(i);
  }

  const char* literal(Instruction& i) {
    if (!wants_literal) return nullptr;
    if (available <= size) return amd::refuse("the instruction ends before its literal");
    i.literal = words[size];
    i.bytes = uint8_t(i.bytes + 4);
    return nullptr;
  }

  const char* vop3(Instruction& i) {
    const Opcode& row = *i.opcode;
    const Layout& form = layout(row);
    if (row.source_count < 3 && !zero(form, {Field::src2})) return amd::refuse("{}: SRC2 must be zero", row.name);
    if (row.source_count < 2 && !zero(form, {Field::src1})) return amd::refuse("{}: SRC1 must be zero", row.name);
    if (row.source_count < 1 && !zero(form, {Field::src0, Field::vdst}))
      return amd::refuse("{}: SRC0 and VDST must be zero", row.name);
    if (const char* error = modifiers(i)) return error;
    unsigned reserved = 0;
    if (row.has(Flag::ByteSel))
      reserved = row.source_count == 1 ? 0xc : 0x3;
    else if (row.op_sel != 0)
      reserved = 7 & ~((1u << row.source_count) - 1);
    if (i.op_sel & reserved) return amd::refuse("{} has no OP_SEL bits {:#x}", row.name, i.op_sel & reserved);
    i.op_sel &= selectable_halves(row);
    if (i.clamp && !row.has(Flag::Clamp)) return amd::refuse("{} has no clamp", row.name);
    if (i.omod != 0 && !row.has(Flag::Omod)) return amd::refuse("{} has no output modifier", row.name);
    if (const char* error = operands(i, false)) return error;
    if (row.opcode < 256 && row.has(Flag::WritesExec)) i.sdst = EXEC_LO;
    return nullptr;
  }

  const char* vop3p(Instruction& i) {
    const Opcode& row = *i.opcode;
    if (row.source_count < 3 && !zero(layout(row), {Field::src2})) return amd::refuse("{}: SRC2 must be zero", row.name);
    bool mix = row.has(Flag::Mix);
    if ((i.neg & ~row.neg) | (i.neg_hi & ~(mix ? row.abs : row.neg_hi)))
      return amd::refuse("{} has no such NEG modifier", row.name);
    if (mix) i.abs = std::exchange(i.neg_hi, uint16_t(0));
    if (i.clamp && !row.has(Flag::Clamp)) return amd::refuse("{} has no clamp", row.name);
    if (row.has(Flag::Packed) || mix) {
      if (i.op_sel & ~row.op_sel) return amd::refuse("{} has no OP_SEL bits {:#x}", row.name, i.op_sel);
      i.op_sel_hi &= row.op_sel;
    } else {
      if (i.op_sel > row.index_key[wave == 64]) return amd::refuse("{} has no OP_SEL bits {:#x}", row.name, i.op_sel);
      if (i.op_sel_hi != 7) return amd::refuse("{}: OP_SEL_HI must be all ones", row.name);
    }
    return operands(i, false);
  }

  const char* vopd(Decoded& out) {
    if (wave == 64) return amd::refuse("VOPD exists in wave32 only");
    const Layout& form = table.layout(Format::VOPDX);
    auto value = [&](Field field) { return form.at(field).get(words); };
    const Opcode* row_x = find(Format::VOPDX, value(Field::opx));
    const Opcode* row_y = find(Format::VOPDY, value(Field::opy));
    if (row_x == nullptr) return amd::refuse("unknown VOPD X opcode {}", value(Field::opx));
    if (row_y == nullptr) return amd::refuse("unknown VOPD Y opcode {}", value(Field::opy));
    out.main.opcode = row_x;
    out.x.opcode = row_x;
    out.y.opcode = row_y;
    out.main.bytes = out.x.bytes = out.y.bytes = 8;
    for (Instruction* half : {&out.x, &out.y}) {
      for (const OperandRow& o : half->opcode->rows()) {
        if (o.kind == Kind::ImpliedVcc) {
          store(*half, o, VCC_LO);
        } else if (o.kind == Kind::Literal) {
          wants_literal = true;
          store(*half, o, LITERAL);
        } else if (o.field == Field::vdsty) {
          half->dst = uint16_t(value(Field::vdsty) << 1 | (~value(Field::vdstx) & 1));
        } else if (const char* error = operand(*half, o, o.bits.get(words))) {
          return error;
        }
      }
    }
    if (row_x->operand_count < 3 && value(Field::vsrcx1) != 0) return amd::refuse("{}: VSRCX1 must be zero", row_x->name);
    if (row_y->operand_count < 3 && value(Field::vsrcy1) != 0) return amd::refuse("{}: VSRCY1 must be zero", row_y->name);
    if (const char* error = literal(out.main)) return error;
    out.x.literal = out.y.literal = out.main.literal;
    out.x.bytes = out.y.bytes = out.main.bytes;
    out.x.opcode = &opcodes()[row_x->ordinary];
    out.y.opcode = &opcodes()[row_y->ordinary];
    out.main.dual_x = &out.x;
    out.main.dual_y = &out.y;
    return nullptr;
  }

  const char* smem(Instruction& i) {
    const Opcode& row = *i.opcode;
    if (const char* error = operands(i, false)) return error;
    if (row.has(Flag::Prefetch) || row.operand_count == 0 || row.operands[0].kind == Kind::Decimal)
      i.immediate = int32_t(layout(row).at(Field::sdata).get(words));
    if (row.operand_count != 0 && i.immediate > 31) return amd::refuse("{}: SDATA {} is above 31", row.name, i.immediate);
    if (row.operand_count == 0) i.immediate = 0, i.dst = 0, i.saddr = NULL_SGPR;
    return nullptr;
  }

  const char* ds(Instruction& i) {
    const Opcode& row = *i.opcode;
    for (Field field : {Field::vdst, Field::data0, Field::data1, Field::addr})
      if (!uses(row, field) && !zero(layout(row), {field}))
        return amd::refuse("{}: a VGPR field that it does not use must be zero", row.name);
    if (const char* error = operands(i, false)) return error;
    i.offset = i.offset1 << 8 | i.offset0;
    if (row.operand_count == 0 && i.offset != 0) return amd::refuse("{}: OFFSET must be zero", row.name);
    return nullptr;
  }

  const char* buffer(Instruction& i) {
    const Opcode& row = *i.opcode;
    if (const char* error = operands(i, false)) return error;
    if (row.has(Flag::Load)) i.dst = i.data;
    if (i.tfe && row.has(Flag::Atomic)) return amd::refuse("{} has no TFE", row.name);
    if (i.data + row.operands[0].type.dwords() + unsigned(i.tfe) > 256) return amd::refuse("the data reach past v255");
    if (i.offen && i.idxen && i.address > 254) return amd::refuse("v{} and the one after it: there are 256 VGPRs", i.address);
    return nullptr;
  }

  const char* flat(Instruction& i) {
    const Opcode& row = *i.opcode;
    bool scratch = row.format == Format::VSCRATCH, sve = layout(row).at(Field::sve).get(words) != 0;
    i.saddr_valid = i.saddr != NULL_SGPR;
    i.vaddr_valid = !scratch || sve;
    i.address = uint16_t(layout(row).at(Field::vaddr).get(words));
    if (!scratch && sve) return amd::refuse("{}: SVE must be zero", row.name);
    if (uses(row, Field::saddr)) {
      if (const char* problem = scalar_register_problem(i.saddr, row.format == Format::VGLOBAL ? 2 : 1))
        return amd::refuse("{}: {}", scalar_name(i.saddr, 1), problem);
    } else if (i.saddr_valid) {
      return amd::refuse("{}: SADDR must be NULL", row.name);
    }
    bool two = row.format == Format::VFLAT || (row.format == Format::VGLOBAL && !i.saddr_valid);
    if (uses(row, Field::vaddr) && i.vaddr_valid && two && i.address > 254)
      return amd::refuse("v{} and the one after it: there are 256 VGPRs", i.address);
    return operands(i, false);
  }

  const char* image(Instruction& i) {
    const Opcode& row = *i.opcode;
    bool sample = row.format == Format::VSAMPLE;
    i.dst = i.data = uint16_t(layout(row).at(Field::vdata).get(words));
    if (const char* problem = scalar_register_problem(i.saddr, row.has(Flag::Bvh) ? 4 : 8))
      return amd::refuse("RSRC {}: {}", scalar_name(i.saddr, 1), problem);
    if (sample && row.has(Flag::Msaa)) {
      if (i.sampler != 0) return amd::refuse("{}: SAMP must be zero", row.name);
      i.sampler = NULL_SGPR;
    } else if (sample) {
      if (const char* problem = scalar_register_problem(i.sampler, 4))
        return amd::refuse("SAMP {}: {}", scalar_name(i.sampler, 1), problem);
    }
    if (row.has(Flag::Bvh)) {
      if (i.image_dimension != 0 || i.dmask != 15 || !i.r128 || i.d16 || i.tfe || i.th != 0 || i.scope != 0)
        return amd::refuse("{}: DMASK must be 15, R128 1, and DIM, D16, TFE, TH and SCOPE 0", row.name);
      return operands(i, false);
    }
    if (i.d16 && !row.has(Flag::D16Data)) return amd::refuse("{} has no D16", row.name);
    return image_shape_problem(i, [](const char* what) { return amd::refuse("{}", what); });
  }

  const char* run(Decoded& out) {
    amd::Found found;
    if (const char* error = amd::find_row(table, {words, available}, found)) return error;
    size = table.layout(found.format).words;
    if (found.row == nullptr) return vopd(out);
    Instruction& i = out.main;
    const Opcode& row = *found.row;
    i.opcode = &row;
    i.bytes = uint8_t(size * 4);
    fields(i, layout(row), words);
    switch (row.format) {
      case Format::SOPP:
        if (row.operand_count == 0 && i.immediate != 0) return amd::refuse("{}: SIMM16 must be zero", row.name);
        return nullptr;
      case Format::SMEM: return smem(i);
      case Format::VOP1:
        if (row.operand_count == 0 && !zero(layout(row), {Field::vdst})) return amd::refuse("{}: VDST must be zero", row.name);
        break;
      case Format::VOP3: {
        const char* error = vop3(i);
        if (row.operand_count != 0 && row.operands[0].kind == Kind::Sgpr) i.sdst = i.dst;
        return error;
      }
      case Format::VOP3P: return vop3p(i);
      case Format::VINTERP:
        if (i.op_sel & ~row.op_sel) return amd::refuse("{} has no OP_SEL", row.name);
        break;
      case Format::VDS: return ds(i);
      case Format::VBUFFER: return buffer(i);
      case Format::VIMAGE:
      case Format::VSAMPLE: return image(i);
      case Format::VFLAT:
      case Format::VGLOBAL:
      case Format::VSCRATCH: return flat(i);
      default: break;
    }
    // Formats of one dword: a DPP dword has the modifiers.
    if (const char* error = operands(i, size == 1)) return error;
    if (row.format == Format::VOP1 && row.operand_count != 0 && row.operands[0].kind == Kind::Sgpr) i.sdst = i.dst;
    if (row.format == Format::VOPC && row.has(Flag::WritesExec)) i.sdst = EXEC_LO;
    return nullptr;
  }
};

}  // namespace

const char* decode_into(std::span<const uint8_t> bytes, CodeOptions options, Decoded& out) {
  uint32_t words[5] = {};
  size_t count = bytes.size() < 16 ? bytes.size() / 4 : 4;
  if (count == 0) return amd::refuse("an instruction takes at least 4 bytes; {} are left", bytes.size());
  std::memcpy(words, bytes.data(), count * 4);
  out.main = {};
  out.x = {};
  out.y = {};
  Decoder decoder{words, unsigned(count), options.wave == 64 ? 64u : 32u};
  return decoder.run(out);
}

Expected<Decoded> decode(std::span<const uint8_t> bytes, CodeOptions options) {
  Expected<Decoded> result;
  if (const char* error = decode_into(bytes, options, *result)) return std::unexpected(Error{error});
  return result;
}

}  // namespace Atoll::rdna4
