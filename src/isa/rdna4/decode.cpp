#include "isa/rdna4/decode.h"

#include <fmt/format.h>

#include <cstring>
#include <string>

#include "isa/rdna4/operands.h"

namespace Atoll::rdna4 {
namespace {

thread_local std::string reason;

template <class... Args>
const char* no(fmt::format_string<Args...> format, Args&&... args) {
  reason = fmt::format(format, std::forward<Args>(args)...);
  return reason.c_str();
}

// One decoding: the words, how many are there, and whether a literal or DPP dword is wanted.
struct Decoder {
  const uint32_t* words;
  unsigned available;  // dwords
  unsigned wave;
  unsigned size = 0;  // dwords of the instruction proper
  bool wants_literal = false;

  const char* dpp(Instruction& i, bool modifiers_in_dpp) {
    uint32_t dword = words[size];
    if (available <= size) return no("the instruction ends before its DPP dword");
    i.dpp_control = 0;
    if (i.src[0] == DPP16) {
      i.dpp = Dpp::Dpp16;
      i.dpp_control = bits::DPP16::dpp_ctrl.get(&dword);
      i.row_mask = uint8_t(bits::DPP16::row_mask.get(&dword));
      i.bank_mask = uint8_t(bits::DPP16::bank_mask.get(&dword));
      i.bound_control = bits::DPP16::bc.get(&dword) != 0;
      i.fetch_inactive = bits::DPP16::fi.get(&dword) != 0;
      if (!dpp_control_exists(i.dpp_control)) return no("DPP_CTRL {:#x} is not defined", i.dpp_control);
      uint8_t neg = uint8_t(bits::DPP16::src0_neg.get(&dword) | bits::DPP16::src1_neg.get(&dword) << 1);
      uint8_t abs = uint8_t(bits::DPP16::src0_abs.get(&dword) | bits::DPP16::src1_abs.get(&dword) << 1);
      if (modifiers_in_dpp) {
        if (const char* error = modifiers(i, neg, abs)) return error;
      }
    } else {
      i.dpp = Dpp::Dpp8;
      i.fetch_inactive = i.src[0] == DPP8_FI;
      i.dpp_control = bits::DPP8::lane_sel.get(&dword);
    }
    uint32_t vgpr = bits::DPP16::src0.get(&dword);
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
  const char* modifiers(Instruction& i, uint8_t neg, uint8_t abs) {
    const Opcode& row = *i.opcode;
    uint8_t any = uint8_t(row.neg | row.abs);
    if (row.op_sel != 0 && any == 0 && row.format == Format::VOP3 && !row.has(Flag::Omod))
      any = uint8_t((1u << row.source_count) - 1);
    if (((neg | abs) & ~any) != 0) return no("{} has no such NEG or ABS modifier", row.name);
    i.neg = neg & row.neg;
    i.abs = abs & row.abs;
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
              return no("{} takes a VGPR, not operand {}", row.name, raw);
            break;
          }
          raw -= VGPR0;
        }
        if (o.type.half() && is_e32(row.format)) high = (raw & 0x80) != 0, raw &= 0x7f;
        if (o.kind == Kind::Returned && (i.th & 1) == 0) break;  // no value comes back
        if (raw + dwords > 256) return no("v{} and the {} after it: there are 256 VGPRs", raw, dwords - 1);
        if (high) i.op_sel |= o.slot == Slot::Dst ? 8 : uint8_t(1u << (unsigned(o.slot) - unsigned(Slot::Src0)));
        value = uint16_t(is_source(o.slot) ? VGPR0 + raw : raw);
        break;
      }
      case Kind::Sgpr:
        if (o.field == Field::sbase) value = uint16_t(raw * 2);
        if (const char* problem = scalar_register_problem(value, dwords)) return no("{}: {}", scalar_name(value, 1), problem);
        break;
      case Kind::ScalarOffset:
        if (raw > 127) return no("SOFFSET {}", raw);
        break;
      case Kind::Mask:
        if (const char* problem = scalar_register_problem(value, wave / 32)) {
          if (!(is_source(o.slot) && special_source(value))) return no("{}: {}", scalar_name(value, 1), problem);
        }
        break;
      case Kind::ScalarSource:
      case Kind::VectorSource:
      case Kind::VgprOrInline:
        if (raw >= VGPR0) {
          if (o.kind == Kind::ScalarSource) return no("{} takes no VGPR there", row.name);
          raw -= VGPR0;
          if (o.type.half() && is_e32(row.format)) {
            if (raw & 0x80) i.op_sel |= uint8_t(1u << (unsigned(o.slot) - unsigned(Slot::Src0)));
            raw &= 0x7f;
          }
          if (raw + dwords > 256) return no("v{} and the {} after it: there are 256 VGPRs", raw, dwords - 1);
          value = uint16_t(VGPR0 + raw);
        } else if (raw == LITERAL) {
          if (o.kind == Kind::VgprOrInline) return no("{} takes no literal there", row.name);
          wants_literal = true;
        } else if (o.slot == Slot::Src0 && takes_dpp(i, raw)) {
          break;
        } else if (raw < 128) {
          if (o.kind == Kind::VgprOrInline) return no("{} takes no SGPR there", row.name);
          if (const char* problem = scalar_register_problem(value, dwords)) return no("{}: {}", scalar_name(value, 1), problem);
        } else if (!inline_constant(value)) {
          if (!special_source(value) || o.kind == Kind::VgprOrInline)
            return no("source operand {} is not defined for {}", raw, row.name);
        }
        break;
      default: break;
    }
    store(i, o.slot, value);
    return nullptr;
  }

  bool takes_dpp(const Instruction& i, uint32_t raw) const {
    return i.opcode->has(Flag::Dpp) && (raw == DPP8 || raw == DPP8_FI || raw == DPP16);
  }

  static void store(Instruction& i, Slot slot, uint16_t value) {
    switch (slot) {
      case Slot::Dst: i.dst = value; break;
      case Slot::Sdst: i.sdst = value; break;
      case Slot::Src0: i.src[0] = value; break;
      case Slot::Src1: i.src[1] = value; break;
      case Slot::Src2: i.src[2] = value; break;
      case Slot::Address: i.address = value; break;
      case Slot::Data: i.data = value; break;
      case Slot::Data1: i.data1 = value; break;
      case Slot::Saddr: i.saddr = value; break;
      case Slot::Soffset: i.soffset = value; break;
      case Slot::Sampler: i.sampler = value; break;
      case Slot::Format: i.format = uint8_t(value); break;
      case Slot::Immediate: i.immediate = value; break;
      case Slot::Image0:
      case Slot::Image1:
      case Slot::Image2:
      case Slot::Image3:
      case Slot::Image4: i.image_address[unsigned(slot) - unsigned(Slot::Image0)] = value; break;
      case Slot::None:
      case Slot::Literal:
      case Slot::Offset: break;
    }
  }

  // All operands of a row, then the literal or DPP dword behind the instruction proper.
  const char* operands(Instruction& i, bool modifiers_in_dpp) {
    const Opcode& row = *i.opcode;
    for (const OperandRow& o : row.rows()) {
      if (o.kind == Kind::ImpliedVcc) {
        store(i, o.slot, VCC_LO);
      } else if (o.kind == Kind::Literal) {
        wants_literal = true;
        store(i, o.slot, LITERAL);
      } else if (o.bits.width != 0) {
        if (const char* error = operand(i, o, o.bits.get(words))) return error;
      }
    }
    if (i.src[0] == DPP16 || i.src[0] == DPP8 || i.src[0] == DPP8_FI) {
      if (wants_literal) return no("{}: a literal and DPP together", row.name);
      return dpp(i, modifiers_in_dpp);
    }
    return literal(i);
  }

  const char* literal(Instruction& i) {
    if (!wants_literal) return nullptr;
    if (available <= size) return no("the instruction ends before its literal");
    i.literal = words[size];
    i.bytes = uint8_t(i.bytes + 4);
    return nullptr;
  }

  const char* vop3(Instruction& i) {
    using namespace bits::VOP3;
    const Opcode& row = *i.opcode;
    if (row.source_count < 3 && src2.get(words) != 0) return no("{}: SRC2 must be zero", row.name);
    if (row.source_count < 2 && src1.get(words) != 0) return no("{}: SRC1 must be zero", row.name);
    if (row.source_count < 1 && (src0.get(words) != 0 || vdst.get(words) != 0))
      return no("{}: SRC0 and VDST must be zero", row.name);
    bool sd = row.has(Flag::Sd);
    if (const char* error = modifiers(i, uint8_t(neg.get(words)), sd ? 0 : uint8_t(abs.get(words)))) return error;
    if (!sd) {
      uint8_t select = uint8_t(opsel.get(words));
      uint8_t reserved = 0;
      if (row.has(Flag::ByteSel))
        reserved = row.source_count == 1 ? 0xc : 0x3;
      else if (row.op_sel != 0)
        reserved = uint8_t(7 & ~((1u << row.source_count) - 1));
      if (select & reserved) return no("{} has no OP_SEL bits {:#x}", row.name, select & reserved);
      i.op_sel = select & selectable_halves(row);
    }
    i.clamp = cm.get(words) != 0;
    i.omod = uint8_t(omod.get(words));
    if (i.clamp && !row.has(Flag::Clamp)) return no("{} has no clamp", row.name);
    if (i.omod != 0 && !row.has(Flag::Omod)) return no("{} has no output modifier", row.name);
    if (const char* error = operands(i, false)) return error;
    if (row.opcode < 256 && row.has(Flag::WritesExec)) i.sdst = EXEC_LO;
    return nullptr;
  }

  const char* vop3p(Instruction& i) {
    using namespace bits::VOP3P;
    const Opcode& row = *i.opcode;
    if (row.source_count < 3 && src2.get(words) != 0) return no("{}: SRC2 must be zero", row.name);
    uint8_t low = uint8_t(neg.get(words)), high = uint8_t(neg_hi.get(words));
    uint8_t select = uint8_t(opsel.get(words)), select_high = uint8_t(opsel_hi.get(words) | opsel_hi2.get(words) << 2);
    uint8_t high_mask = row.has(Flag::Mix) ? row.abs : row.neg_hi;
    if ((low & ~row.neg) | (high & ~high_mask)) return no("{} has no such NEG modifier", row.name);
    i.neg = low;
    (row.has(Flag::Mix) ? i.abs : i.neg_hi) = high;
    i.clamp = cm.get(words) != 0;
    if (i.clamp && !row.has(Flag::Clamp)) return no("{} has no clamp", row.name);
    if (row.has(Flag::Packed) || row.has(Flag::Mix)) {
      if (select & ~row.op_sel) return no("{} has no OP_SEL bits {:#x}", row.name, select);
      i.op_sel_hi = select_high & row.op_sel;
    } else {
      if (select > row.index_key[wave == 64]) return no("{} has no OP_SEL bits {:#x}", row.name, select);
      if (select_high != 7) return no("{}: OP_SEL_HI must be all ones", row.name);
      i.op_sel_hi = 7;
    }
    i.op_sel = select;
    return operands(i, false);
  }

  const char* vopd(Decoded& out) {
    if (wave == 64) return no("VOPD exists in wave32 only");
    using namespace bits::VOPD;
    const Opcode* row_x = find(Format::VOPDX, opx.get(words));
    const Opcode* row_y = find(Format::VOPDY, opy.get(words));
    if (row_x == nullptr) return no("unknown VOPD X opcode {}", opx.get(words));
    if (row_y == nullptr) return no("unknown VOPD Y opcode {}", opy.get(words));
    out.main.opcode = row_x;
    out.x.opcode = row_x;
    out.y.opcode = row_y;
    out.main.bytes = out.x.bytes = out.y.bytes = 8;
    for (Instruction* half : {&out.x, &out.y}) {
      for (const OperandRow& o : half->opcode->rows()) {
        if (o.kind == Kind::ImpliedVcc) {
          store(*half, o.slot, VCC_LO);
        } else if (o.kind == Kind::Literal) {
          wants_literal = true;
          store(*half, o.slot, LITERAL);
        } else if (o.field == Field::vdsty) {
          half->dst = uint16_t(vdsty.get(words) << 1 | (~vdstx.get(words) & 1));
        } else if (const char* error = operand(*half, o, o.bits.get(words))) {
          return error;
        }
      }
    }
    if (row_x->operand_count < 3 && vsrcx1.get(words) != 0) return no("{}: VSRCX1 must be zero", row_x->name);
    if (row_y->operand_count < 3 && vsrcy1.get(words) != 0) return no("{}: VSRCY1 must be zero", row_y->name);
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
    using namespace bits::SMEM;
    const Opcode& row = *i.opcode;
    if (const char* error = operands(i, false)) return error;
    i.th = uint8_t(th.get(words));
    i.scope = uint8_t(scope.get(words));
    i.soffset = uint16_t(soffset.get(words));
    i.offset = int32_t(ioffset.get(words) << 8) >> 8;
    if (row.has(Flag::Prefetch) || row.operand_count == 0 || row.operands[0].kind == Kind::Decimal)
      i.immediate = int32_t(sdata.get(words));
    if (row.operand_count != 0 && i.immediate > 31) return no("{}: SDATA {} is above 31", row.name, i.immediate);
    if (row.operand_count == 0) i.immediate = 0, i.dst = 0, i.saddr = NULL_SGPR;
    return nullptr;
  }

  const char* ds(Instruction& i) {
    using namespace bits::VDS;
    const Opcode& row = *i.opcode;
    bool uses_dst = false, uses_data0 = false, uses_data1 = false, uses_addr = false;
    for (const OperandRow& o : row.rows()) {
      uses_dst |= o.field == Field::vdst, uses_data0 |= o.field == Field::data0;
      uses_data1 |= o.field == Field::data1, uses_addr |= o.field == Field::addr;
    }
    if ((!uses_dst && vdst.get(words)) || (!uses_data0 && data0.get(words)) || (!uses_data1 && data1.get(words)) ||
        (!uses_addr && addr.get(words)))
      return no("{}: a VGPR field that it does not use must be zero", row.name);
    if (const char* error = operands(i, false)) return error;
    i.offset0 = uint8_t(offset0.get(words));
    i.offset1 = uint8_t(offset1.get(words));
    i.offset = i.offset1 << 8 | i.offset0;
    if (row.operand_count == 0 && i.offset != 0) return no("{}: OFFSET must be zero", row.name);
    return nullptr;
  }

  const char* buffer(Instruction& i) {
    using namespace bits::VBUFFER;
    const Opcode& row = *i.opcode;
    i.tfe = tfe.get(words) != 0;
    i.th = uint8_t(th.get(words));
    i.scope = uint8_t(scope.get(words));
    i.format = uint8_t(format.get(words));
    i.offset_enable = offen.get(words) != 0;
    i.index_enable = idxen.get(words) != 0;
    i.offset = int32_t(ioffset.get(words) << 8) >> 8;
    if (const char* error = operands(i, false)) return error;
    if (row.has(Flag::Load)) {
      if (row.has(Flag::Atomic))
        i.dst = i.data;
      else
        i.data = i.dst;
    }
    if (i.tfe && row.has(Flag::Atomic)) return no("{} has no TFE", row.name);
    if (i.data + row.operands[0].type.dwords() + unsigned(i.tfe) > 256) return no("the data reach past v255");
    if (i.offset_enable && i.index_enable && i.address > 254)
      return no("v{} and the one after it: there are 256 VGPRs", i.address);
    return nullptr;
  }

  const char* flat(Instruction& i) {
    using namespace bits::VGLOBAL;
    const Opcode& row = *i.opcode;
    i.saddr = uint16_t(saddr.get(words));
    i.saddr_valid = i.saddr != NULL_SGPR;
    i.vaddr_valid = row.format != Format::VSCRATCH || sve.get(words) != 0;
    i.th = uint8_t(th.get(words));
    i.scope = uint8_t(scope.get(words));
    i.offset = int32_t(ioffset.get(words) << 8) >> 8;
    i.address = uint16_t(vaddr.get(words));
    bool uses_vaddr = false, uses_saddr = false;
    for (const OperandRow& o : row.rows()) uses_vaddr |= o.field == Field::vaddr, uses_saddr |= o.field == Field::saddr;
    if (row.format != Format::VSCRATCH && sve.get(words) != 0) return no("{}: SVE must be zero", row.name);
    if (uses_saddr) {
      if (const char* problem = scalar_register_problem(i.saddr, row.format == Format::VGLOBAL ? 2 : 1))
        return no("{}: {}", scalar_name(i.saddr, 1), problem);
    } else if (i.saddr_valid) {
      return no("{}: SADDR must be NULL", row.name);
    }
    unsigned address_dwords = !uses_vaddr || !i.vaddr_valid                                                      ? 0
                              : row.format == Format::VFLAT || (row.format == Format::VGLOBAL && !i.saddr_valid) ? 2
                                                                                                                 : 1;
    if (i.address + address_dwords > 256) return no("v{} and the one after it: there are 256 VGPRs", i.address);
    return operands(i, false);
  }

  const char* image(Instruction& i) {
    using namespace bits::VIMAGE;
    const Opcode& row = *i.opcode;
    bool sample = row.format == Format::VSAMPLE;
    i.image_dimension = uint8_t(dim.get(words));
    i.dmask = uint8_t(dmask.get(words));
    i.r128 = r128.get(words) != 0;
    i.a16 = a16.get(words) != 0;
    i.d16 = d16.get(words) != 0;
    i.th = uint8_t(th.get(words));
    i.scope = uint8_t(scope.get(words));
    i.tfe = (sample ? bits::VSAMPLE::tfe : tfe).get(words) != 0;
    if (sample) i.unrm = bits::VSAMPLE::unrm.get(words) != 0, i.lwe = bits::VSAMPLE::lwe.get(words) != 0;
    i.image_address[0] = uint16_t(vaddr0.get(words));
    i.image_address[1] = uint16_t(vaddr1.get(words));
    i.image_address[2] = uint16_t(vaddr2.get(words));
    i.image_address[3] = uint16_t(vaddr3.get(words));
    if (!sample) i.image_address[4] = uint16_t(vaddr4.get(words));
    i.dst = i.data = uint16_t(vdata.get(words));
    i.saddr = uint16_t(rsrc.get(words));
    if (const char* problem = scalar_register_problem(i.saddr, row.has(Flag::Bvh) ? 4 : 8))
      return no("RSRC {}: {}", scalar_name(i.saddr, 1), problem);
    if (sample) {
      i.sampler = uint16_t(bits::VSAMPLE::samp.get(words));
      if (row.has(Flag::Msaa)) {
        if (i.sampler != 0) return no("{}: SAMP must be zero", row.name);
        i.sampler = NULL_SGPR;
      } else if (const char* problem = scalar_register_problem(i.sampler, 4)) {
        return no("SAMP {}: {}", scalar_name(i.sampler, 1), problem);
      }
    }
    if (row.has(Flag::Bvh)) {
      if (i.image_dimension != 0 || i.dmask != 15 || !i.r128 || i.d16 || i.tfe || i.th != 0 || i.scope != 0)
        return no("{}: DMASK must be 15, R128 1, and DIM, D16, TFE, TH and SCOPE 0", row.name);
      return operands(i, false);
    }
    if (i.d16 && !row.has(Flag::D16Data)) return no("{} has no D16", row.name);
    return image_shape_problem(i, [](const char* what) { return no("{}", what); });
  }

  const char* run(Decoded& out) {
    uint32_t word = words[0];
    Format format = format_of(word);
    if (format == Format::COUNT) return no("no instruction format begins with {:#010x}", word);
    Instruction& i = out.main;
    unsigned opcode = 0;
    switch (format) {
      case Format::SOP2: opcode = bits::SOP2::opcode.get(words), size = bits::SOP2::words; break;
      case Format::SOPK: opcode = bits::SOPK::opcode.get(words), size = bits::SOPK::words; break;
      case Format::SOP1: opcode = bits::SOP1::opcode.get(words), size = bits::SOP1::words; break;
      case Format::SOPC: opcode = bits::SOPC::opcode.get(words), size = bits::SOPC::words; break;
      case Format::SOPP: opcode = bits::SOPP::opcode.get(words), size = bits::SOPP::words; break;
      case Format::SMEM: opcode = bits::SMEM::opcode.get(words), size = bits::SMEM::words; break;
      case Format::VOP2: opcode = bits::VOP2::opcode.get(words), size = bits::VOP2::words; break;
      case Format::VOP1: opcode = bits::VOP1::opcode.get(words), size = bits::VOP1::words; break;
      case Format::VOPC: opcode = bits::VOPC::opcode.get(words), size = bits::VOPC::words; break;
      case Format::VOP3: opcode = bits::VOP3::opcode.get(words), size = bits::VOP3::words; break;
      case Format::VOP3P: opcode = bits::VOP3P::opcode.get(words), size = bits::VOP3P::words; break;
      case Format::VOPDX: size = bits::VOPD::words; break;
      case Format::VINTERP: opcode = bits::VINTERP::opcode.get(words), size = bits::VINTERP::words; break;
      case Format::VDSDIR: opcode = bits::VDSDIR::opcode.get(words), size = bits::VDSDIR::words; break;
      case Format::VDS: opcode = bits::VDS::opcode.get(words), size = bits::VDS::words; break;
      case Format::VBUFFER: opcode = bits::VBUFFER::opcode.get(words), size = bits::VBUFFER::words; break;
      case Format::VIMAGE: opcode = bits::VIMAGE::opcode.get(words), size = bits::VIMAGE::words; break;
      case Format::VSAMPLE: opcode = bits::VSAMPLE::opcode.get(words), size = bits::VSAMPLE::words; break;
      case Format::VFLAT:
      case Format::VGLOBAL:
      case Format::VSCRATCH: opcode = bits::VGLOBAL::opcode.get(words), size = bits::VGLOBAL::words; break;
      case Format::VEXPORT: size = bits::VEXPORT::words; break;
      case Format::VOPDY:
      case Format::COUNT: break;
    }
    if ((format == Format::VOP3P && bits::VOP3P::reserved.get(words)) ||
        (format == Format::VDS && bits::VDS::reserved.get(words)) ||
        (format == Format::VDSDIR && bits::VDSDIR::reserved.get(words)))
      return no("{}: a reserved bit is set", format_name(format));
    if (available < size) return no("{} takes {} bytes; only {} are left", format_name(format), size * 4, available * 4);
    if (format == Format::VOPDX) return vopd(out);
    i.opcode = find(format, opcode);
    if (i.opcode == nullptr) return no("unknown {} opcode {}", format_name(format), opcode);
    i.bytes = uint8_t(size * 4);
    const Opcode& row = *i.opcode;
    switch (format) {
      case Format::SOP2:
      case Format::SOP1:
      case Format::SOPC:
      case Format::VOP2: return operands(i, true);
      case Format::SOPK: {
        const char* error = operands(i, false);
        i.immediate = int16_t(bits::SOPK::simm16.get(words));
        return error;
      }
      case Format::SOPP:
        i.immediate = int16_t(bits::SOPP::simm16.get(words));
        if (row.operand_count == 0 && i.immediate != 0) return no("{}: SIMM16 must be zero", row.name);
        return nullptr;
      case Format::SMEM: return smem(i);
      case Format::VOP1: {
        if (row.operand_count == 0 && bits::VOP1::vdst.get(words) != 0) return no("{}: VDST must be zero", row.name);
        const char* error = operands(i, true);
        if (row.operand_count != 0 && row.operands[0].kind == Kind::Sgpr) i.sdst = i.dst;
        return error;
      }
      case Format::VOPC: {
        const char* error = operands(i, true);
        if (row.has(Flag::WritesExec)) i.sdst = EXEC_LO;
        return error;
      }
      case Format::VOP3: {
        const char* error = vop3(i);
        if (row.operand_count != 0 && row.operands[0].kind == Kind::Sgpr) i.sdst = i.dst;
        return error;
      }
      case Format::VOP3P: return vop3p(i);
      case Format::VINTERP: {
        using namespace bits::VINTERP;
        i.wait_exp = uint8_t(waitexp.get(words));
        i.clamp = cm.get(words) != 0;
        i.op_sel = uint8_t(opsel.get(words));
        i.neg = uint8_t(neg.get(words));
        if (i.op_sel & ~row.op_sel) return no("{} has no OP_SEL", row.name);
        return operands(i, false);
      }
      case Format::VDSDIR: {
        using namespace bits::VDSDIR;
        i.attribute = uint8_t(attr.get(words));
        i.attribute_channel = uint8_t(attr_chan.get(words));
        i.wait_va_vdst = uint8_t(wait_va.get(words));
        i.wait_vm_vsrc = uint8_t(wait_vmvsrc.get(words));
        return operands(i, false);
      }
      case Format::VDS: return ds(i);
      case Format::VBUFFER: return buffer(i);
      case Format::VIMAGE:
      case Format::VSAMPLE: return image(i);
      case Format::VFLAT:
      case Format::VGLOBAL:
      case Format::VSCRATCH: return flat(i);
      case Format::VEXPORT: {
        using namespace bits::VEXPORT;
        i.export_target = uint8_t(target.get(words));
        i.export_enable = uint8_t(en.get(words));
        i.export_done = done.get(words) != 0;
        i.export_row = row.format == Format::VEXPORT && bits::VEXPORT::row.get(words) != 0;
        i.export_source[0] = uint8_t(vsrc0.get(words));
        i.export_source[1] = uint8_t(vsrc1.get(words));
        i.export_source[2] = uint8_t(vsrc2.get(words));
        i.export_source[3] = uint8_t(vsrc3.get(words));
        return nullptr;
      }
      case Format::VOPDX:
      case Format::VOPDY:
      case Format::COUNT: break;
    }
    return no("no decoder");
  }
};

}  // namespace

const char* decode_into(std::span<const uint8_t> bytes, CodeOptions options, Decoded& out) {
  uint32_t words[5] = {};
  size_t count = bytes.size() < 16 ? bytes.size() / 4 : 4;
  if (count == 0) return no("an instruction takes at least 4 bytes; {} are left", bytes.size());
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
