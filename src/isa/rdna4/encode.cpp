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

  static uint32_t slot(const Instruction& i, Slot slot) {
    switch (slot) {
      case Slot::Dst: return i.dst;
      case Slot::Sdst: return i.sdst;
      case Slot::Src0: return i.src[0];
      case Slot::Src1: return i.src[1];
      case Slot::Src2: return i.src[2];
      case Slot::Address: return i.address;
      case Slot::Data: return i.data;
      case Slot::Data1: return i.data1;
      case Slot::Saddr: return i.saddr;
      case Slot::Soffset: return i.soffset;
      case Slot::Sampler: return i.sampler;
      case Slot::Format: return i.format;
      case Slot::Immediate: return uint32_t(i.immediate);
      case Slot::Image0:
      case Slot::Image1:
      case Slot::Image2:
      case Slot::Image3:
      case Slot::Image4: return i.image_address[unsigned(slot) - unsigned(Slot::Image0)];
      case Slot::None:
      case Slot::Literal:
      case Slot::Offset: break;
    }
    return 0;
  }

  void operand(const Instruction& i, const OperandRow& o, bool e32) {
    uint32_t value = slot(i, o.slot);
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
      unsigned bit = o.slot == Slot::Dst ? 3 : unsigned(o.slot) - unsigned(Slot::Src0);
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
    if (i.dpp == Dpp::Dpp16) {
      using namespace bits::DPP16;
      dpp_ctrl.put(&dword, i.dpp_control);
      row_mask.put(&dword, i.row_mask);
      bank_mask.put(&dword, i.bank_mask);
      bc.put(&dword, i.bound_control);
      fi.put(&dword, i.fetch_inactive);
      if (modifiers) {
        src0_neg.put(&dword, i.neg & 1u);
        src1_neg.put(&dword, i.neg >> 1 & 1u);
        src0_abs.put(&dword, i.abs & 1u);
        src1_abs.put(&dword, i.abs >> 1 & 1u);
      }
    } else {
      bits::DPP8::lane_sel.put(&dword, i.dpp_control);
      if (modifiers && (i.neg | i.abs) != 0) wrong = true;
    }
    bits::DPP16::src0.put(&dword, vgpr);
    words[out.count++] = dword;
  }

  void vop3(const Instruction& i, const Opcode& row) {
    using namespace bits::VOP3;
    put(neg, i.neg);
    put(omod, i.omod);
    put(cm, i.clamp);
    if (!row.has(Flag::Sd)) {
      put(abs, i.abs);
      put(opsel, i.op_sel);
    }
    if (row.opcode < 256 && row.has(Flag::WritesExec)) put(vdst, EXEC_LO);  // V_CMPX's result goes to EXEC
  }

  void vop3p(const Instruction& i, const Opcode& row) {
    using namespace bits::VOP3P;
    put(neg, i.neg);
    put(neg_hi, row.has(Flag::Mix) ? i.abs : i.neg_hi);
    put(opsel, i.op_sel);
    uint32_t high = row.has(Flag::Packed) || row.has(Flag::Mix) ? i.op_sel_hi : 7;
    // LLVM fills the OP_SEL_HI bits of the sources that are not there.
    if (row.has(Flag::Packed)) high |= 7u & ~((1u << row.source_count) - 1);
    put(opsel_hi, high & 3);
    put(opsel_hi2, high >> 2 & 1);
    put(cm, i.clamp);
  }

  void vopd(const Instruction& i) {
    using namespace bits::VOPD;
    const Opcode* x = dual_row(Format::VOPDX, i.dual_x->opcode);
    const Opcode* y = dual_row(Format::VOPDY, i.dual_y->opcode);
    if (x == nullptr || y == nullptr) {
      wrong = true;
      return;
    }
    put(opx, x->opcode);
    put(opy, y->opcode);
    operands(*i.dual_x, *x);
    for (const OperandRow& o : y->rows())
      if (o.field != Field::vdsty) operand(*i.dual_y, o, false);
    if (((i.dual_x->dst ^ i.dual_y->dst) & 1) == 0) wrong = true;
    put(vdsty, i.dual_y->dst / 2u);
  }

  void memory(const Instruction& i, const Opcode& row) {
    switch (row.format) {
      case Format::SMEM: {
        using namespace bits::SMEM;
        put(th, i.th);
        put(scope, i.scope);
        put(soffset, i.soffset);
        put_signed(ioffset, i.offset);
        if (row.has(Flag::Prefetch) || (row.operand_count != 0 && row.operands[0].kind == Kind::Decimal))
          put(sdata, uint32_t(i.immediate));
        if (row.operand_count == 0) put(soffset, 0), put(sbase, 0);
        break;
      }
      case Format::VDS: {
        using namespace bits::VDS;
        put(offset0, uint32_t(i.offset) & 0xff);
        put(offset1, uint32_t(i.offset) >> 8);
        break;
      }
      case Format::VBUFFER: {
        using namespace bits::VBUFFER;
        put(tfe, i.tfe);
        put(th, i.th);
        put(scope, i.scope);
        put(format, i.format);
        put(offen, i.offset_enable);
        put(idxen, i.index_enable);
        put_signed(ioffset, i.offset);
        break;
      }
      case Format::VFLAT:
      case Format::VGLOBAL:
      case Format::VSCRATCH: {
        using namespace bits::VGLOBAL;
        put(saddr, i.saddr_valid ? i.saddr : uint32_t(NULL_SGPR));
        put(sve, row.format == Format::VSCRATCH && i.vaddr_valid);
        put(th, i.th);
        put(scope, i.scope);
        put_signed(ioffset, i.offset);
        if (row.has(Flag::Atomic) && (i.th & 1) == 0) put(vdst, 0);
        break;
      }
      case Format::VIMAGE:
      case Format::VSAMPLE: {
        using namespace bits::VIMAGE;
        bool sample = row.format == Format::VSAMPLE;
        put(dim, i.image_dimension);
        put(dmask, i.dmask);
        put(r128, i.r128);
        put(a16, i.a16);
        put(d16, i.d16);
        put(th, i.th);
        put(scope, i.scope);
        put(vdata, row.has(Flag::Bvh) ? i.dst : i.data);
        put(rsrc, i.saddr);
        put(vaddr0, i.image_address[0]);
        put(vaddr1, i.image_address[1]);
        put(vaddr2, i.image_address[2]);
        put(vaddr3, i.image_address[3]);
        if (sample) {
          put(bits::VSAMPLE::tfe, i.tfe);
          put(bits::VSAMPLE::unrm, i.unrm);
          put(bits::VSAMPLE::lwe, i.lwe);
          put(bits::VSAMPLE::samp, row.has(Flag::Msaa) ? 0 : i.sampler);
        } else {
          put(vaddr4, i.image_address[4]);
          put(tfe, i.tfe);
          if (i.unrm || i.lwe) wrong = true;
        }
        break;
      }
      default: break;
    }
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
  for (const FieldRow& field : form.fields)
    if (field.field == Field::opcode) e.put(field.bits, row.opcode);
  if (i.dual_x != nullptr && i.dual_y != nullptr) {
    e.vopd(i);
  } else {
    e.operands(i, row);
    e.memory(i, row);
  }
  switch (row.format) {
    case Format::VOP3: e.vop3(i, row); break;
    case Format::VOP3P: e.vop3p(i, row); break;
    case Format::VINTERP: {
      using namespace bits::VINTERP;
      e.put(waitexp, i.wait_exp);
      e.put(cm, i.clamp);
      e.put(opsel, i.op_sel);
      e.put(neg, i.neg);
      break;
    }
    case Format::VDSDIR: {
      using namespace bits::VDSDIR;
      e.put(attr, i.attribute);
      e.put(attr_chan, i.attribute_channel);
      e.put(wait_va, i.wait_va_vdst);
      e.put(wait_vmvsrc, i.wait_vm_vsrc);
      break;
    }
    case Format::VEXPORT: {
      using namespace bits::VEXPORT;
      e.put(target, i.export_target);
      e.put(en, i.export_enable);
      e.put(done, i.export_done);
      e.put(bits::VEXPORT::row, i.export_row);
      e.put(vsrc0, i.export_source[0]);
      e.put(vsrc1, i.export_source[1]);
      e.put(vsrc2, i.export_source[2]);
      e.put(vsrc3, i.export_source[3]);
      break;
    }
    default:
      if (row.format != Format::VOPDX && i.dpp == Dpp::None && (i.neg | i.abs) != 0) e.wrong = true;
      break;
  }
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
  // What these words mean is the decoder's to say.
  Decoded check;
  if (const char* error = decode_into(e.out.bytes(), options, check)) return std::unexpected(Error{error});
  return e.out;
}

}  // namespace Atoll::rdna4
