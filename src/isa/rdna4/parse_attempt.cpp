#include "isa/rdna4/parse_attempt.h"

#include <fmt/format.h>

#include "isa/rdna4/constants.h"
#include "isa/rdna4/immediates.h"

namespace Atoll::rdna4 {

bool Attempt::run(Form form, bool vopd) {
  prepare();
  bool first = true;
  for (const OperandRow& o : row_.rows()) {
    if (o.kind == Kind::Returned && (i.th & 1) == 0) continue;
    if (o.kind == Kind::OptionalDecimal && text_.at_end()) continue;
    if (vopd && o.kind == Kind::ImpliedVcc) {
      i.src[2] = VCC_LO;
      continue;
    }
    if (silent(o)) continue;
    if (!first && row_.operands[0].kind != Kind::ExportTarget) {
      if (!text_.take(",")) return failed("expected ',' and another operand at " + text_.here());
    } else if (!first) {
      text_.take(",");  // the target of an export has no comma behind it; its sources have
    }
    first = false;
    if (!operand(o)) return false;
  }
  if (vopd) return text_.at_end() || failed("more behind the operands: " + text_.here());
  ModifierText modifiers{.i = i, .options = options_, .hint = {}, .seen = {}};
  if (!modifiers.take_all(text_, why)) return false;
  return finish(form, modifiers);
}

unsigned Attempt::dwords(const OperandRow& o) const {
  unsigned count = o.type.dwords();
  return row_.has(Flag::WaveMatrix) && options_.wave == 64 ? (count + 1) / 2 : count;
}

// Operands that are not written, or only as modifiers.
bool Attempt::silent(const OperandRow& o) const {
  switch (o.kind) {
    case Kind::DsOffset:
    case Kind::DsOffset01:
    case Kind::Swizzle:
    case Kind::BufferFormat:
    case Kind::WaitVaVdst:
    case Kind::WaitVmVsrc: return true;
    case Kind::Offset24: return row_.format != Format::SMEM;
    default: return row_.has(Flag::Bvh) && o.slot > Slot::Image0 && o.slot <= Slot::Image4;
  }
}

// Defaults that differ from Instruction's own, and the cache policy, which decides how many operands an atomic has.
void Attempt::prepare() {
  switch (row_.format) {
    case Format::VOP3P:
      if (!row_.has(Flag::Mix)) i.op_sel_hi = row_.has(Flag::Packed) ? uint16_t((1u << row_.source_count) - 1) : 7;
      break;
    case Format::VOPC:
    case Format::VOP3:
      if (row_.has(Flag::WritesExec)) i.sdst = EXEC_LO;
      break;
    case Format::VBUFFER: i.format = 1; break;
    case Format::VIMAGE:
      if (row_.has(Flag::Bvh)) i.dmask = 15, i.r128 = true;
      break;
    default: break;
  }
  i.bytes = uint8_t(layout(row_).words * 4);
  size_t th = text_.rest().find(" th:");
  if (row_.has(Flag::Atomic) && th != std::string_view::npos) {
    Lexer policy(text_.rest().substr(th + 4));
    std::string ignored;
    if (auto hint = take_cache_hint(policy, row_, ignored)) i.th = *hint;
  }
  for (const OperandRow& o : row_.rows())
    if (o.kind == Kind::ImpliedVcc && o.slot == Slot::Sdst) i.sdst = VCC_LO;
}

bool Attempt::operand(const OperandRow& o) {
  switch (o.kind) {
    case Kind::Vgpr: return vector_register(o);
    case Kind::Returned: return vgpr(dwords(o), i.dst);
    case Kind::Sgpr: return scalar_register(o);
    case Kind::ScalarSource:
    case Kind::VectorSource:
    case Kind::VgprOrInline: return source(o);
    case Kind::Mask: {
      bool folded = false;
      return o.slot == Slot::Sdst ? sgpr(options_.wave / 32, i.sdst) : plain_source(o, false, false, folded);
    }
    case Kind::ImpliedVcc: return implied_vcc(o);
    case Kind::Literal: return mandatory_literal(o);
    case Kind::ImageData: return data();
    case Kind::ImageAddress: return image_registers(row_.format == Format::VSAMPLE ? 4 : 5);
    case Kind::ImageResource: return image_resource();
    case Kind::BufferAddress: return buffer_address(i.address);
    case Kind::GlobalAddress:
    case Kind::ScratchAddress: return address(o);
    case Kind::ScalarAddress: return scalar_address();
    case Kind::ScalarOffset: return scalar_offset(false);
    case Kind::SmemOffset: return scalar_offset(true);
    case Kind::Offset24: return memory_offset();
    case Kind::Hex:
    case Kind::Decimal:
    case Kind::OptionalDecimal:
    case Kind::Label:
    case Kind::HwReg:
    case Kind::Message:
    case Kind::DelayAlu:
    case Kind::DepCtr:
    case Kind::WaitCnt:
    case Kind::Version: return immediate(o);
    case Kind::Attribute: return attribute(i.attr, i.attrchan);
    case Kind::ExportTarget: return export_target();
    case Kind::ExportSource: {
      unsigned n = unsigned(o.slot) - unsigned(Slot::Export0);
      return export_source(n, i.en, i.exports[n]);
    }
    default: return failed("an operand that cannot be written");
  }
}

bool Attempt::vector_register(const OperandRow& o) {
  if (is_source(o.slot)) return source(o);
  if (o.slot == Slot::Dst) return vgpr_or_half(dwords(o), i.dst, o);
  if (o.slot == Slot::Image0) return image_registers(5);
  if (row_.format == Format::VBUFFER && o.slot == Slot::Data) return data();
  return vgpr(dwords(o), *slot_of(i, o.slot));
}

bool Attempt::scalar_register(const OperandRow& o) {
  if (is_source(o.slot)) return source(o);
  if (!sgpr(dwords(o), *slot_of(i, o.slot))) return false;
  // A vector instruction's scalar result stands in both.
  if (o.slot == Slot::Dst && (is_e32(row_.format) || row_.format == Format::VOP3)) i.sdst = i.dst;
  return true;
}

bool Attempt::implied_vcc(const OperandRow& o) {
  uint16_t& place = *slot_of(i, o.slot);
  if (!sgpr(options_.wave / 32, place)) return false;
  return place == VCC_LO ||
         failed(fmt::format("this form of {} uses {} there", row_.name, scalar_name(VCC_LO, options_.wave / 32)));
}

// A VGPR, or the half of one, which goes to OP_SEL.
bool Attempt::vgpr_or_half(unsigned count, uint16_t& number, const OperandRow& o) {
  auto found = register_here();
  if (!found || !select_half(*found, o)) return false;
  number = found->number;
  return vector_fits(*found, count);
}

bool Attempt::select_half(RegisterText& found, const OperandRow& o) {
  if (found.half < 0 || !o.type.half()) return true;
  if (found.half == 1) i.op_sel |= uint16_t(o.slot == Slot::Dst ? 8u : 1u << source_index(o.slot));
  found.half = -1;
  return true;
}

// A source with -, |…|, neg(…), abs(…): a register or a constant.
bool Attempt::source(const OperandRow& o) {
  unsigned index = source_index(o.slot);
  SourceModifiers written;
  if (!before_source(written)) return false;
  bool neg = written.negate, abs = written.absolute;
  // Without modifiers in the encoding, those of a number become part of it.
  bool folds = is_e32(row_.format), folded = false;
  if (!plain_source(o, abs && folds, neg && folds, folded) || !behind_source(written)) return false;
  if (folded) return true;
  if (!apply(written, index, i.neg, i.abs)) return false;
  if ((neg || abs) && row_.format == Format::VOP3P && !row_.has(Flag::Mix))
    return failed(fmt::format("{} is negated by neg_lo and neg_hi", row_.name));
  return true;
}

bool Attempt::plain_source(const OperandRow& o, bool absolute, bool negate, bool& folded) {
  uint16_t& place = *slot_of(i, o.slot);
  auto found = take_register();
  if (!found && !why.empty()) return false;
  if (found) {
    if (found->vector) {
      if (o.kind != Kind::VectorSource && o.kind != Kind::VgprOrInline && o.kind != Kind::Vgpr)
        return failed(fmt::format("{} takes no VGPR there", row_.name));
      if (!select_half(*found, o)) return false;
      place = uint16_t(VGPR0 + found->number);
      return vector_fits(*found, dwords(o));
    }
    if (o.kind == Kind::Vgpr) return failed(fmt::format("{} takes a VGPR there", row_.name));
    if (!scalar_fits(*found, o.kind == Kind::Mask ? options_.wave / 32 : dwords(o))) return false;
    place = found->number;
    return true;
  }
  auto number = text_.take_number();
  if (!number) return failed("expected an operand at " + text_.here());
  if (o.kind == Kind::Vgpr || o.kind == Kind::Sgpr || o.kind == Kind::Mask)
    return failed(fmt::format("{} takes a register there", row_.name));
  folded = (negate || absolute) && o.kind != Kind::Mask && (number->floating || o.type.total_bits() != 64);
  if (folded) amd::fold_modifiers(constant_class(row_, o.type), absolute, negate, *number);
  auto constant = constant_of(constant_class(row_, o.type), o.type, *number);
  if (!constant) return failed(fmt::format("{} cannot hold that constant", row_.name));
  if (constant->operand == LITERAL && !literal(constant->literal, i.literal)) return false;
  place = constant->operand;
  return true;
}

// The literal of FMAAK, FMAMK and S_SETREG_IMM32. One of 16 bits may have more of them written.
bool Attempt::mandatory_literal(const OperandRow& o) {
  Lexer ahead = text_;
  auto bits = ahead.take_integer();
  bool half = o.type.bits == 16 && !(bits && *bits > UINT16_MAX);
  if (is_source(o.slot)) *slot_of(i, o.slot) = LITERAL;
  return literal_dword(half ? ConstantClass::HalfFloat : ConstantClass::Bits32, i.literal);
}

// VGPRs of a buffer or an image instruction: how many there must be, the modifiers say.
bool Attempt::data() {
  auto found = register_here();
  if (!found) return false;
  if (!found->vector) return failed(row_.format == Format::VBUFFER ? "buffer data are in VGPRs" : "image data are in VGPRs");
  i.dst = i.data = found->number;
  data_registers_ = found->count;
  return true;
}

bool Attempt::image_registers(unsigned most) {
  if (!text_.starts("[")) {
    auto found = register_here();
    if (!found) return false;
    if (!found->vector) return failed("an image address is in VGPRs");
    address_registers_ = found->count;
    for (unsigned n = 0; n < found->count && n < most; ++n) i.image_address[n] = uint16_t(found->number + n);
    return true;
  }
  text_.take("[");
  unsigned n = 0;
  do {
    auto found = register_here();
    if (!found) return false;
    if (!found->vector) return failed("an image address is in VGPRs");
    if (n >= most) return failed(fmt::format("more than {} image address registers", most));
    i.image_address[n++] = found->number;
    address_registers_ += found->count;
  } while (text_.take(","));
  return text_.take("]") || failed("expected ']' at " + text_.here());
}

bool Attempt::image_resource() {
  auto found = register_here();
  if (!found) return false;
  if (found->vector || (found->count != 8 && found->count != 4)) return failed("an image resource is in eight scalar registers");
  i.saddr = found->number;
  return true;
}

bool Attempt::address(const OperandRow& o) {
  if (o.kind == Kind::ScratchAddress) {
    i.vaddr_valid = text_.peek_word() != "off";
    if (i.vaddr_valid) return vgpr(1, i.address);
    text_.take_word();
    return true;
  }
  auto found = register_here();
  if (!found) return false;
  if (!found->vector || found->count > 2) return failed("a global address takes two VGPRs, or one with an SGPR base");
  i.address = found->number;
  address_registers_ = found->count;
  return true;
}

bool Attempt::scalar_address() {
  if (text_.peek_word() == "off") {
    text_.take_word();
  } else {
    if (!sgpr(row_.format == Format::VGLOBAL ? 2 : 1, i.saddr)) return false;
    i.saddr_valid = i.saddr != NULL_SGPR;
  }
  unsigned wanted = i.saddr_valid ? 1 : 2;
  if (address_registers_ != 0 && address_registers_ != wanted)
    return failed(i.saddr_valid ? "with an SGPR base the VGPR offset is one register"
                                : "without an SGPR base a global address takes two VGPRs");
  return true;
}

bool Attempt::scalar_offset(bool or_number) {
  if (auto found = take_register()) {
    i.soffset = found->number;
    return scalar_fits(*found, 1);
  }
  if (!or_number) return failed("expected the SGPR offset, or null, at " + text_.here());
  return why.empty() && memory_offset();
}

bool Attempt::memory_offset() {
  auto value = text_.take_integer();
  if (!value) return failed("expected an offset at " + text_.here());
  if (*value < -(1 << 23) || *value >= 1 << 23) return failed(fmt::format("the offset {} does not fit 24 bits", *value));
  i.offset = int32_t(*value);
  return true;
}

bool Attempt::immediate(const OperandRow& o) {
  auto value = parse_immediate(text_, o.kind, why);
  if (!value) return failed("");
  i.immediate = o.field == Field::simm16 ? int16_t(*value) : *value;
  return true;
}

bool Attempt::export_target() {
  std::string_view word = text_.peek_word();
  int number = number_of(export_targets, word);
  if (word.starts_with("invalid_target_")) {
    Lexer tail(word.substr(15));
    if (auto value = tail.take_integer(); value && *value < 64) number = int(*value);
  }
  if (number < 0) return failed("unknown export target at " + text_.here());
  text_.take_word();
  i.tgt = uint16_t(number);
  return true;
}

// Checks that need the modifiers to be known.
bool Attempt::finish(Form form, const ModifierText& modifiers) {
  bool dpp_form = form == Form::Dpp || form == Form::E64Dpp;
  if (dpp_form && i.dpp == Dpp::None) return failed(fmt::format("{}_dpp without a DPP control", row_.name));
  if (i.dpp != Dpp::None && !row_.has(Flag::Dpp)) return failed(fmt::format("{} cannot use DPP", row_.name));
  if (i.dpp != Dpp::None && (form == Form::E32 || form == Form::E64)) return failed("a DPP control needs the _dpp form");
  if (i.dpp != Dpp::None && i.src[0] < VGPR0) return failed("source 0 of a DPP instruction must be a VGPR");
  if (row_.format == Format::VBUFFER) {
    unsigned data = row_.operands[0].type.dwords() + unsigned(i.tfe);
    if (!buffer_registers_fit(unsigned(i.offen) + unsigned(i.idxen), data)) return false;
  }
  bool image = row_.format == Format::VIMAGE || row_.format == Format::VSAMPLE;
  if (image && row_.has(Flag::Bvh)) return true;
  if (image && !finish_image(modifiers)) return false;
  if (row_.has(Flag::Atomic) && row_.format != Format::VBUFFER && row_.format != Format::VIMAGE && row_.format != Format::VDS) {
    bool returns = false;
    for (const OperandRow& o : row_.rows()) returns |= o.kind == Kind::Returned;
    if (!returns && (i.th & 1) != 0) return failed("this atomic returns nothing");
  }
  if (!selects_allowed_halves()) return failed(fmt::format("{} has no such op_sel", row_.name));
  return true;
}

bool Attempt::finish_image(const ModifierText& modifiers) {
  if (!gather_mask_fits(i.dmask)) return false;
  if (row_.has(Flag::Atomic) && i.dmask != 1 && i.dmask != 3 && i.dmask != 15)
    return failed("dmask: of an image atomic is 1, 3 or 15");
  if (row_.has(Flag::Msaa) && i.image_dimension < 6) return failed(fmt::format("{} needs a multisampled dim:", row_.name));
  if (!modifiers.dimension_given) return failed("an image instruction needs dim:");
  ImageShape shape = image_shape(i);
  if (!image_data_fits(shape.data)) return false;
  if (address_registers_ != shape.address)
    return failed(
        fmt::format("{} takes {} address VGPRs with these modifiers, not {}", row_.name, shape.address, address_registers_));
  return true;
}

bool Attempt::selects_allowed_halves() const {
  if (row_.format == Format::VOP3 || is_e32(row_.format)) return (i.op_sel & ~selectable_halves(row_)) == 0;
  return true;
}

}  // namespace Atoll::rdna4
