#include "isa/rdna4/print.h"

#include <bit>

#include "isa/amd/instruction_text.h"
#include "isa/amd/swizzle.h"
#include "isa/rdna4/constants.h"
#include "isa/rdna4/immediates.h"
#include "isa/rdna4/names.h"
#include "isa/rdna4/operands.h"

namespace Atoll::rdna4 {
namespace {

// In the order of the text; the cache policy stands between them.
constexpr amd::FlagName first_image_flags[] = {{"unorm", Field::unrm}};
constexpr amd::FlagName last_image_flags[] = {
    {"r128", Field::r128}, {"a16", Field::a16}, {"tfe", Field::tfe}, {"lwe", Field::lwe}, {"d16", Field::d16}};
constexpr amd::FlagName buffer_flags[] = {{"idxen", Field::idxen}, {"offen", Field::offen}};
constexpr amd::FlagName export_flags[] = {{"done", Field::done}, {"row_en", Field::row}};

class Printer : amd::InstructionText {
public:
  Printer(const Instruction& instruction, CodeOptions options) : i(instruction), row(*instruction.opcode), wave(options.wave) {}

  std::string whole() {
    if (i.dual_x != nullptr) {
      std::string x = half(*i.dual_x, Format::VOPDX), y = half(*i.dual_y, Format::VOPDY);
      return x + " :: " + y;
    }
    text = row.name;
    text += suffix();
    add_operands(row, [&](const OperandRow& o) { return operand(o); });
    modifiers();
    return std::move(text);
  }

private:
  const Instruction& i;
  const Opcode& row;
  unsigned wave;

  // One component of a VOPD: the operands of the dual row, in the ordinary instruction's slots.
  std::string half(const Instruction& component, Format format) {
    const Opcode* dual = &row;
    for (unsigned n = 0; n < 32; ++n) {
      const Opcode* candidate = find(format, n);
      if (candidate != nullptr && &opcodes()[candidate->ordinary] == component.opcode) dual = candidate;
    }
    std::string result = dual->name;
    Printer printer(component, {wave});
    bool first = true;
    for (const OperandRow& o : dual->rows()) {
      if (o.kind == Kind::ImpliedVcc) continue;
      result += first ? " " : ", ";
      result += printer.operand(o);
      first = false;
    }
    return result;
  }

  const char* suffix() const {
    if (i.dpp != Dpp::None) {
      switch (row.format) {
        case Format::VOPC: return "";
        case Format::VOP1:
        case Format::VOP2: return "_dpp";
        default: return "_e64_dpp";
      }
    }
    return row.has(Flag::E32) ? "_e32" : row.has(Flag::E64) ? "_e64" : "";
  }

  unsigned dwords(const OperandRow& o) const {
    unsigned count = o.type.dwords();
    return row.has(Flag::WaveMatrix) && wave == 64 ? (count + 1) / 2 : count;
  }

  // `.h` or `.l` of a 16-bit VGPR where the syntax shows it.
  const char* half_name(const OperandRow& o) const {
    if (!o.type.half()) return "";
    unsigned bit = o.slot == Slot::Dst ? 3 : unsigned(o.slot) - unsigned(Slot::Src0);
    bool high = (i.op_sel >> bit & 1) != 0;
    if (shows_halves(row)) return high ? ".h" : ".l";
    return is_e32(row.format) && high ? ".h" : "";
  }

  std::string source(const OperandRow& o, unsigned index) {
    unsigned value = i.src[index];
    std::string name = value == LITERAL ? literal_text(constant_class(row, o.type), i.literal)
                                        : amd::source_name(registers, constant_class(row, o.type), amd::floats_of_rdna4, value,
                                                           o.kind == Kind::Mask && value < VGPR0 ? wave / 32 : dwords(o));
    if (value >= VGPR0) name += half_name(o);
    if (row.format == Format::VOP3P && !row.has(Flag::Mix)) return name;
    bool constant = value == LITERAL || inline_constant(value);
    return amd::modified_name(name, i.neg >> index & 1, i.abs >> index & 1, constant);
  }

  std::string operand(const OperandRow& o) {
    switch (o.kind) {
      case Kind::Vgpr:
        switch (o.slot) {
          case Slot::Dst: {
            unsigned extra = row.format == Format::VBUFFER && i.tfe;
            return vector_name(i.dst, dwords(o) + extra) + half_name(o);
          }
          case Slot::Address: return vector_name(i.address, dwords(o));
          case Slot::Data: return vector_name(i.data, dwords(o) + (row.format == Format::VBUFFER && i.tfe));
          case Slot::Data1: return vector_name(i.data1, dwords(o));
          case Slot::Image0:
          case Slot::Image1:
          case Slot::Image2:
          case Slot::Image3:
          case Slot::Image4: return bvh_address(o);
          default: return source(o, unsigned(o.slot) - unsigned(Slot::Src0));
        }
      case Kind::Sgpr:
        switch (o.slot) {
          case Slot::Dst: return scalar_name(i.dst, dwords(o));
          case Slot::Resource: return scalar_name(i.saddr, dwords(o));
          case Slot::Soffset: return scalar_name(i.soffset, dwords(o));
          case Slot::Sampler: return scalar_name(i.sampler, dwords(o));
          default: return source(o, unsigned(o.slot) - unsigned(Slot::Src0));
        }
      case Kind::ScalarSource:
      case Kind::VectorSource:
      case Kind::VgprOrInline: return source(o, unsigned(o.slot) - unsigned(Slot::Src0));
      case Kind::Mask:
      case Kind::ImpliedVcc:
        if (o.slot == Slot::Sdst) return scalar_name(i.sdst, wave / 32);
        return scalar_name(i.src[unsigned(o.slot) - unsigned(Slot::Src0)], wave / 32);
      case Kind::Literal:
        if (row.format == Format::SOPK) return literal_text(ConstantClass::Bits32, i.literal);
        return fmt::format("{:#x}", i.literal);
      case Kind::Returned: return (i.th & 1) != 0 ? vector_name(i.dst, dwords(o)) : "";
      case Kind::ImageData: return vector_name(i.data, image_shape(i).data);
      case Kind::ImageAddress: return image_address();
      case Kind::ImageResource: return scalar_name(i.saddr, 8);
      case Kind::BufferAddress: {
        unsigned count = unsigned(i.offen) + unsigned(i.idxen);
        return count == 0 ? "off" : vector_name(i.address, count);
      }
      case Kind::GlobalAddress: return vector_name(i.address, i.saddr_valid ? 1 : 2);
      case Kind::ScratchAddress: return i.vaddr_valid ? vector_name(i.address, 1) : "off";
      case Kind::ScalarAddress: return i.saddr_valid ? scalar_name(i.saddr, row.format == Format::VGLOBAL ? 2 : 1) : "off";
      case Kind::ScalarOffset: return scalar_name(i.soffset, 1);
      case Kind::Offset24: return row.format == Format::SMEM ? signed_hex(i.offset) : "";
      case Kind::SmemOffset:
        if (i.soffset == NULL_SGPR) return signed_hex(i.offset);
        return fmt::format("{} offset:{}", scalar_name(i.soffset, 1), signed_hex(i.offset));
      case Kind::OptionalDecimal: return i.immediate == 0 ? "" : immediate_text(Kind::Label, uint16_t(i.immediate));
      case Kind::Decimal: return immediate_text(row.format == Format::SMEM ? Kind::Label : o.kind, uint16_t(i.immediate));
      case Kind::Hex:
      case Kind::Label:
      case Kind::HwReg:
      case Kind::Message:
      case Kind::DelayAlu:
      case Kind::DepCtr:
      case Kind::Version:
      case Kind::WaitCnt: return immediate_text(o.kind, uint16_t(i.immediate));
      case Kind::Attribute: return amd::attribute_name(i.attr, i.attrchan);
      case Kind::ExportTarget: return amd::export_target_name(export_targets, i.tgt);
      case Kind::ExportSource: {
        unsigned n = unsigned(o.slot) - unsigned(Slot::Export0);
        return (i.en >> n & 1) != 0 ? vector_name(i.exports[n], 1) : "off";
      }
      default: return "";
    }
  }

  static std::string signed_hex(int32_t value) {
    return value < 0 ? fmt::format("-{:#x}", -int64_t(value)) : fmt::format("{:#x}", value);
  }

  std::string bvh_address(const OperandRow& o) {
    if (o.slot != Slot::Image0) return "";
    std::string list = "[";
    for (const OperandRow& part : row.rows()) {
      if (part.slot < Slot::Image0 || part.slot > Slot::Image4) continue;
      unsigned n = unsigned(part.slot) - unsigned(Slot::Image0);
      unsigned count = dwords(part);
      if (i.a16 && part.type.dwords() == 3 && n == 4) continue;
      list += (n == 0 ? "" : ", ") + vector_name(i.image_address[n], count);
    }
    return list + "]";
  }

  std::string image_address() {
    ImageShape shape = image_shape(i);
    if (shape.address == 1) return vector_name(i.image_address[0], 1);
    unsigned separate = row.format == Format::VSAMPLE ? 4 : 5;
    std::string list = "[";
    for (unsigned n = 0; n < shape.address && n < separate; ++n) {
      if (n != 0) list += ", ";
      bool rest = n == separate - 1 && shape.address > separate;
      list += vector_name(i.image_address[n], rest ? shape.address - n : 1);
    }
    return list + "]";
  }

  // " op_sel:[0,1]" of the lowest `count` bits.
  void bit_list(const char* name, unsigned bits, unsigned count) {
    add(" {}:[", name);
    for (unsigned n = 0; n < count; ++n) add("{}{}", n == 0 ? "" : ",", bits >> n & 1);
    text += ']';
  }

  void op_sel() {
    if (i.op_sel == 0 || is_e32(row.format)) return;
    uint8_t halves = selectable_halves(row);
    if (row.has(Flag::ByteSel)) {
      unsigned select = row.source_count == 1 ? i.op_sel & 3u : i.op_sel >> 2 & 3u;
      // V_CVT_F32_FP8 counts the bytes with the low bit of OP_SEL on top.
      if (row.source_count == 1) select = (select & 1) << 1 | select >> 1;
      add(" byte_sel:{}", select);
      return;
    }
    unsigned sources = row.source_count + unsigned(row.has(Flag::Accumulates));  // V_FMAC reads its destination as source 2
    unsigned count = (halves & 8) != 0 ? sources + 1 : unsigned(std::bit_width(halves));
    unsigned bits = i.op_sel & 7u;
    if (halves & 8) bits = (bits & ((1u << sources) - 1)) | unsigned(i.op_sel >> 3 & 1) << sources;
    bit_list("op_sel", bits, count);
  }

  void modifiers() {
    switch (row.format) {
      case Format::VOP3:
        op_sel();
        add_clamp_and_factor(i.clamp, i.omod);
        break;
      case Format::VOP3P: {
        unsigned n = row.source_count;
        if (row.has(Flag::Packed) || row.has(Flag::Mix)) {
          unsigned all = (1u << n) - 1;
          if (i.op_sel != 0) bit_list("op_sel", i.op_sel, n);
          unsigned usual = row.has(Flag::Mix) ? 0 : all;
          if ((i.op_sel_hi & all) != usual) bit_list("op_sel_hi", i.op_sel_hi, n);
        } else if (i.op_sel != 0) {
          add(" index_key:{}", i.op_sel);
        }
        if (!row.has(Flag::Mix)) {
          if (i.neg != 0) bit_list("neg_lo", i.neg, n);
          if (i.neg_hi != 0) bit_list("neg_hi", i.neg_hi, n);
        }
        if (i.clamp) text += " clamp";
        break;
      }
      case Format::VINTERP:
        if (i.clamp) text += " clamp";
        if (i.op_sel != 0) bit_list("op_sel", i.op_sel, 4);
        add(" wait_exp:{}", i.wait_exp);
        break;
      case Format::VDSDIR: add(" wait_va_vdst:{} wait_vm_vsrc:{}", i.wait_va_vdst, i.wait_vm_vsrc); break;
      case Format::VDS: ds_offset(); break;
      case Format::SMEM:
        if (!row.has(Flag::Prefetch) && row.has(Flag::Load)) cache_policy();
        break;
      case Format::VBUFFER:
        if (row.has(Flag::Typed) && i.format != 1) {
          std::string_view name = name_of(buffer_formats, i.format);
          if (name.empty())
            add(" format:{}", i.format);
          else
            add(" format:[{}]", name);
        }
        add_flags(i, buffer_flags);
        add_offset("offset", i.offset);
        cache_policy();
        if (i.tfe) text += " tfe";
        break;
      case Format::VFLAT:
      case Format::VGLOBAL:
      case Format::VSCRATCH:
        if (!row.has(Flag::Cache)) add_offset("offset", i.offset);
        cache_policy();
        break;
      case Format::VIMAGE:
      case Format::VSAMPLE: image(); break;
      case Format::VEXPORT: add_flags(i, export_flags); break;
      default: break;
    }
    if (i.dpp != Dpp::None) dpp();
  }

  void image() {
    if (row.has(Flag::Bvh)) {
      if (i.a16) text += " a16";
      return;
    }
    if (i.dmask != 0) add(" dmask:{:#x}", i.dmask);
    add(" dim:{}", name_of(image_dimensions, i.image_dimension));
    add_flags(i, first_image_flags);
    cache_policy();
    add_flags(i, last_image_flags);
  }

  void ds_offset() {
    for (const OperandRow& o : row.rows()) {
      if (o.kind == Kind::DsOffset) add_offset("offset", i.offset);
      if (o.kind == Kind::DsOffset01) add_offset("offset0", i.offset0), add_offset("offset1", i.offset1);
      if (o.kind == Kind::Swizzle && i.offset != 0) add(" offset:{}", amd::swizzle_text(uint16_t(i.offset)));
    }
  }

  void cache_policy() {
    bool atomic = row.has(Flag::Atomic), store = row.has(Flag::Store);
    if (i.th != 0) {
      if (atomic) {
        if ((i.th & 4) != 0) {
          if (i.scope >= 2)
            add(" th:TH_ATOMIC_CASCADE{}", (i.th & 2) != 0 ? "_NT" : "_RT");
          else
            add(" th:TH_ATOMIC_{:#x}", i.th);
        } else {
          add(" th:TH_ATOMIC{}{}", (i.th & 2) != 0 ? "_NT" : "", (i.th & 1) != 0 ? "_RETURN" : "");
        }
      } else if (i.th == 3 && i.scope == 3) {
        add(" th:{}", store ? "TH_STORE_BYPASS" : "TH_LOAD_BYPASS");
      } else {
        std::string_view name = name_of(store ? store_hints : load_hints, i.th);
        if (name.empty())
          add(" th:{:#x}", i.th);
        else
          add(" th:{}", name);
      }
    }
    if (i.scope != 0) add(" scope:{}", name_of(scopes, i.scope));
  }

  void dpp() {
    if (i.dpp == Dpp::Dpp8) {
      text += " dpp8:[";
      for (unsigned n = 0; n < 8; ++n) add("{}{}", n == 0 ? "" : ",", i.dpp_control >> (3 * n) & 7);
      text += ']';
    } else {
      unsigned low = i.dpp_control & 0xf;
      switch (i.dpp_control >> 4) {
        default:
          add(" quad_perm:[{},{},{},{}]", i.dpp_control & 3, i.dpp_control >> 2 & 3, i.dpp_control >> 4 & 3,
              i.dpp_control >> 6 & 3);
          break;
        case 0x10: add(" row_shl:{}", low); break;
        case 0x11: add(" row_shr:{}", low); break;
        case 0x12: add(" row_ror:{}", low); break;
        case 0x14: text += low == 0 ? " row_mirror" : " row_half_mirror"; break;
        case 0x15: add(" row_share:{}", low); break;
        case 0x16: add(" row_xmask:{}", low); break;
      }
      add(" row_mask:{:#x} bank_mask:{:#x}", i.row_mask, i.bank_mask);
      if (i.bound_control) text += " bound_ctrl:1";
    }
    if (i.fetch_inactive) text += " fi:1";
  }
};

}  // namespace

std::string print(const Instruction& instruction, CodeOptions options) { return Printer(instruction, options).whole(); }

}  // namespace Atoll::rdna4
