#include "isa/gfx7/parse_attempt.h"

#include <fmt/format.h>

#include <bit>
#include <cctype>
#include <set>

#include "isa/amd/swizzle.h"
#include "isa/gfx7/immediates.h"
#include "isa/gfx7/names.h"

namespace Atoll::gfx7 {

bool Attempt::run() {
  if (row_.has(Flag::Typed)) i.dfmt = 1;
  // GLC decides whether an atomic of FLAT has a destination.
  std::string_view rest = text_.rest();
  for (size_t at = rest.find("glc"); at != std::string_view::npos; at = rest.find("glc", at + 1)) {
    bool begins = at == 0 || rest[at - 1] == ' ' || rest[at - 1] == '\t',
         ends = at + 3 == rest.size() || rest[at + 3] == ' ' || rest[at + 3] == '\t';
    if (row_.format == Format::FLAT && begins && ends) i.glc = 1;
  }
  // Without a VDATA, a buffer load writes to LDS.
  bool to_lds = false;
  for (size_t at = rest.find("lds"); at != std::string_view::npos; at = rest.find("lds", at + 1))
    if ((at == 0 || rest[at - 1] == ' ') && (at + 3 == rest.size() || rest[at + 3] == ' ')) to_lds = row_.has(Flag::Lds);
  bool first = true;
  for (const OperandRow& o : row_.rows()) {
    if (o.kind == Kind::BufferFormat) continue;
    if (o.kind == Kind::SmrdOffset && text_.at_end()) {  // no offset: 0
      i.imm = 1;
      continue;
    }
    if (o.kind == Kind::Returned && i.glc == 0) continue;
    if (o.field == Field::vdata && to_lds) continue;
    if (o.kind == Kind::ImpliedVcc && o.slot == Slot::Sdst && vcc_unwritten_) {
      i.sdst = VCC_LO;
      continue;
    }
    if (o.kind == Kind::ImpliedVcc && o.slot == Slot::Src2 && !text_.starts(",") &&
        row_.operands[1].kind != Kind::ImpliedVcc) {  // the condition may be left out
      i.src[2] = VCC_LO;
      continue;
    }
    if (!first && !text_.take(",") && row_.format != Format::EXP)
      return failed("expected ',' and another operand at " + text_.here());
    first = false;
    if (!operand(o)) return false;
  }
  return modifiers() && finish();
}

// A source with -, |…|, neg(…), abs(…): a register or a constant.
bool Attempt::source(const OperandRow& o) {
  unsigned index = unsigned(o.slot) - unsigned(Slot::Src0);
  SourceModifiers written;
  bool folded = false;
  if (!before_source(written) || !plain_source(o, written.absolute, written.negate, folded) || !behind_source(written))
    return false;
  if (folded) return true;
  return apply(written, index, i.neg, i.abs);
}

bool Attempt::plain_source(const OperandRow& o, bool absolute, bool negate, bool& folded) {
  uint16_t& place = *slot_of(i, o.slot);
  unsigned count = o.type.dwords();
  auto found = take_register();
  if (!found && !why.empty()) return false;
  if (found && found->vector) {
    if (o.kind != Kind::VectorSource && o.kind != Kind::VgprOrDirect && o.kind != Kind::Vgpr)
      return failed(fmt::format("{} takes no VGPR there", row_.name));
    place = uint16_t(VGPR0 + found->number);
    return vector_fits(*found, count);
  }
  bool direct = found && found->number == LDS_DIRECT && o.slot == Slot::Src0 && takes_lds_direct(row_);
  if (o.kind == Kind::Vgpr || (o.kind == Kind::VgprOrDirect && !direct))
    return failed(fmt::format("{} takes a VGPR there", row_.name));
  if (found) {
    place = found->number;
    return scalar_fits(*found, count);
  }
  auto value = text_.take_number();
  if (!value) return failed("expected an operand at " + text_.here());
  if (o.kind == Kind::Mask || o.kind == Kind::Sgpr) return failed(fmt::format("{} takes a register there", row_.name));
  ConstantClass constants = constant_class(o.type);
  if ((absolute || negate) && is_e32(row_.format)) {
    bool has_literal_operand = false;
    for (const OperandRow& other : row_.rows()) has_literal_operand |= other.kind == Kind::Literal;
    if (o.type.base != Type::F || has_literal_operand || (!value->floating && o.type.bits == 64))
      return failed(fmt::format("{} takes no modifier there in this encoding", row_.name));
    amd::fold_modifiers(constants, absolute, negate, *value);
    folded = true;
  }
  auto constant = constant_of(constants, *value);
  if (!constant) return failed(fmt::format("{} cannot hold that constant", row_.name));
  if (constant->operand == LITERAL && !literal(constant->literal, i.literal)) return false;
  place = constant->operand;
  return true;
}

bool Attempt::smrd_offset() {
  auto found = take_register();
  if (found) {
    i.offset = found->number;
    return scalar_fits(*found, 1);
  }
  if (!why.empty()) return false;
  auto value = text_.take_integer();
  if (!value || *value < 0 || *value > int64_t(UINT32_MAX))
    return failed("the offset must be a number of dwords of at most 32 bits");
  i.imm = *value < 256;
  i.offset = i.imm ? uint16_t(*value) : uint16_t(LITERAL);
  return i.imm || literal(uint32_t(*value), i.literal);
}

bool Attempt::scalar_offset(uint16_t& place) {
  if (auto found = take_register()) {
    place = found->number;
    return scalar_fits(*found, 1);
  }
  auto value = text_.take_number();
  if (!value) return failed("expected a scalar offset at " + text_.here());
  auto constant = constant_of(ConstantClass::Bits32, *value);
  if (!constant || constant->operand == LITERAL) return failed("the scalar offset must be a register or an inline constant");
  place = constant->operand;
  return true;
}

bool Attempt::immediate(const OperandRow& o) {
  Lexer ahead = text_;
  auto plain = ahead.take_integer();
  bool compares = row_.operands[0].slot == Slot::Src0, has_sign = row_.operands[0].type.base != Type::U;  // S_CMPK
  if (plain && *plain < 0 && compares && !has_sign)
    return failed(fmt::format("{} compares with a number that has no sign", row_.name));
  auto value = parse_immediate(text_, o.kind, why);
  if (!value) return failed("");
  i.simm16 = *value;
  return true;
}

bool Attempt::operand(const OperandRow& o) {
  uint16_t* place = slot_of(i, o.slot);
  unsigned count = o.type.dwords();
  switch (o.kind) {
    case Kind::Vgpr:
      if (is_source(o.slot)) return source(o);
      if (o.field == Field::vdata) return vgprs(*place, data_registers_);
      return vgpr(count, *place);
    case Kind::Returned: return vgpr(count, *place);
    case Kind::Sgpr:
    case Kind::Mask: return sgpr(count, *place);
    case Kind::ScalarSource:
    case Kind::ScalarInline:
    case Kind::VectorSource:
    case Kind::VgprOrDirect: return source(o);
    case Kind::ImpliedVcc:
      if (!sgpr(2, *place)) return false;
      return *place == VCC_LO || failed(fmt::format("this form of {} uses vcc there", row_.name));
    case Kind::Literal: return literal_dword(ConstantClass::Bits32, i.literal);  // V_MADAK, V_MADMK, S_SETREG_IMM32
    case Kind::ImageData: return vgprs(*place, data_registers_);
    case Kind::ImageAddress: return vgprs(*place, address_registers_);
    case Kind::BufferAddress: return buffer_address(*place);
    case Kind::ScalarOffset: return scalar_offset(*place);
    case Kind::SmrdOffset: return smrd_offset();
    case Kind::BufferFormat: return true;
    case Kind::Hex:
    case Kind::Decimal:
    case Kind::Label:
    case Kind::HwReg:
    case Kind::Message:
    case Kind::WaitCnt: return immediate(o);
    case Kind::Attribute: return attribute(i.attr, i.attrchan);
    case Kind::Parameter: {
      std::string_view word = text_.take_word();
      *place = word == "p10" ? 0 : word == "p20" ? 1 : 2;
      return word == "p10" || word == "p20" || word == "p0" || failed("expected p10, p20 or p0");
    }
    case Kind::ExportTarget: {
      int target = number_of(export_targets, text_.peek_word());
      if (target < 0) return failed("unknown export target at " + text_.here());
      text_.take_word();
      i.tgt = uint16_t(target);
      return true;
    }
    case Kind::ExportSource: {
      unsigned n = unsigned(o.slot) - unsigned(Slot::Export0);
      return export_source(n, i.en, i.exports[n]);
    }
    default: break;
  }
  return failed("an operand that cannot be written");
}

bool Attempt::number(std::string_view word, int64_t lowest, int64_t highest, uint16_t& place) {
  auto value = text_.take_integer();
  if (!value || *value < lowest || *value > highest) return failed(fmt::format("{}: must be {} to {}", word, lowest, highest));
  place = uint16_t(*value);
  return true;
}

bool Attempt::modifiers() {
  std::set<std::string_view> seen;
  while (!text_.at_end()) {
    std::string_view word = text_.peek_word();
    if (word.empty()) return failed("more behind the operands: " + text_.here());
    text_.take_word();
    if (!seen.insert(word == "div" ? "mul" : word).second) return failed(fmt::format("{} stands here for the second time", word));
    if (!modifier(word)) return failed(fmt::format("{} has no modifier {}", row_.name, word));
  }
  return true;
}

bool Attempt::modifier(std::string_view word) {
  Format format = row_.format;
  bool buffer = (format == Format::MUBUF || format == Format::MTBUF) && !row_.has(Flag::Bare), image = format == Format::MIMG;
  bool ds = format == Format::DS && !row_.has(Flag::Bare);
  for (const amd::FlagName& flag : flag_names) {
    if (flag.name != word) continue;
    bool here = flag.field == Field::clamp                            ? row_.has(Flag::Clamp)
                : flag.field == Field::lds                            ? row_.has(Flag::Lds)
                : flag.field == Field::tfe && format == Format::MUBUF ? row_.has(Flag::Load)
                                                                      : layout(row_).has(flag.field) && !row_.has(Flag::Bare);
    if (here) *modifier_of(i, flag.field) = 1;
    return here;
  }
  if (!text_.take(":")) return false;
  if ((word == "mul" || word == "div") && row_.has(Flag::Omod)) {
    uint16_t factor = 0;
    if (!number(word, 1, word == "mul" ? 4 : 2, factor)) return false;
    if (factor == 3) return failed("mul: must be 1, 2 or 4");
    i.omod = word == "div" ? (factor == 2 ? 3 : 0) : uint16_t(factor / 2);
    return true;
  }
  if (word == "offset" && buffer) return number(word, 0, 4095, i.offset);
  if (word == "offset" && ds && !row_.has(Flag::TwoAddress)) {
    uint16_t offset = 0;
    if (row_.has(Flag::Swizzle)) {
      auto value = amd::parse_swizzle(text_, why);
      if (!value) return failed("");
      offset = *value;
    } else if (!number(word, 0, 65535, offset)) {
      return false;
    }
    i.offset0 = offset & 255, i.offset1 = offset >> 8;
    return true;
  }
  if (word == "offset0" && row_.has(Flag::TwoAddress)) return number(word, 0, 255, i.offset0);
  if (word == "offset1" && row_.has(Flag::TwoAddress)) return number(word, 0, 255, i.offset1);
  if (word == "dmask" && image) return number(word, 0, 15, i.dmask);
  if (word == "format" && row_.has(Flag::Typed)) {
    auto value = parse_buffer_format(text_, why);
    if (!value) return failed("");
    i.dfmt = value->dfmt, i.nfmt = value->nfmt;
    return true;
  }
  return false;
}

// Checks that need all the modifiers.
bool Attempt::finish() {
  if (row_.has(Flag::GdsOnly) && !i.gds) return failed(fmt::format("{} needs gds", row_.name));
  if ((row_.format == Format::MUBUF || row_.format == Format::MTBUF) && !row_.has(Flag::Bare)) {
    unsigned data = i.lds ? 0 : row_.operands[0].type.dwords() + unsigned(i.tfe);
    if (!buffer_registers_fit(i.addr64 ? 2u : unsigned(i.offen) + unsigned(i.idxen), data)) return false;
  }
  if (row_.format == Format::MIMG) {
    unsigned least = row_.operands[1].type.dwords();
    if (!image_data_fits(image_data_dwords(i))) return false;
    if (address_registers_ > 16 || !(row_.addresses >> (address_registers_ - 1) & 1))
      return failed(fmt::format("{} takes at least {} address VGPRs, not {}", row_.name, least, address_registers_));
    if (!gather_mask_fits(i.dmask)) return false;
    if (row_.has(Flag::Atomic)) {  // 32 or 64 bits, twice as much for compare-and-swap; with TFE LLVM lets all three pass
      bool usual = i.dmask == 1 || i.dmask == 3 || i.dmask == 15;
      if (!usual || (!i.tfe && i.dmask == (row_.has(Flag::Cmpswap) ? 1 : 15)))
        return failed("dmask: of an image atomic is 1 or 3, of a compare-and-swap 3 or 15");
    }
  }
  if (row_.format == Format::EXP && i.compr) {
    // Two components a VGPR: the first and third names count, each standing for a pair.
    i.exports[1] = i.exports[2];
    i.exports[2] = i.exports[3] = 0;
    i.en = uint16_t((i.en & 1 ? 3 : 0) | (i.en & 4 ? 12 : 0));
    if (!(i.en & 1)) i.exports[0] = 0;
    if (!(i.en & 4)) i.exports[1] = 0;
  }
  return true;
}

std::string combination_problem(const Instruction& i) {
  const Opcode& row = *i.opcode;
  if (!is_vector_alu(row.format)) return {};
  // Register and count: s0 and s[0:1] are two values.
  std::pair<unsigned, unsigned> first{};
  bool any = false, several = false;
  auto reads = [&](unsigned number, unsigned count) {
    several |= any && first != std::pair(number, count);
    if (!any) first = {number, count};
    any = true;
  };
  for (const OperandRow& o : row.rows()) {
    if (o.kind == Kind::Literal) reads(LITERAL, 1);
    if (o.kind == Kind::ImpliedVcc && o.slot == Slot::Src2) reads(VCC_LO, 2);
    if (!is_source(o.slot) || o.kind == Kind::ImpliedVcc) continue;
    unsigned number = *slot_of(i, o.slot);
    bool lane_select = o.kind == Kind::ScalarInline && o.slot == Slot::Src1;
    if (lane_select && number == M0) continue;  // M0 reaches the lane select by a way of its own
    if (number < 128 || special_source(number) || number == LITERAL)
      reads(number, number == LITERAL || special_source(number) ? 1u : o.type.dwords());
  }
  if (row.has(Flag::M0Counts)) reads(M0, 1);
  if (row.has(Flag::ReadsVcc)) reads(VCC_LO, 2);
  if (several) return fmt::format("{} may read one scalar value only", row.name);
  return {};
}

}  // namespace Atoll::gfx7
