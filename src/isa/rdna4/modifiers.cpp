#include "isa/rdna4/modifiers.h"

#include <fmt/format.h>

#include <algorithm>

#include "isa/amd/swizzle.h"
#include "isa/rdna4/immediates.h"
#include "isa/rdna4/operands.h"

namespace Atoll::rdna4 {
namespace {

bool number(Lexer& text, int64_t lowest, int64_t highest, int64_t& value, std::string_view what, std::string& why) {
  auto taken = text.take_integer();
  if (!taken) {
    why = fmt::format("expected a number for {} at {}", what, text.here());
    return false;
  }
  if (*taken < lowest || *taken > highest) {
    why = fmt::format("{} must be {} to {}, not {}", what, lowest, highest, *taken);
    return false;
  }
  value = *taken;
  return true;
}

// [a,b,c] of numbers up to `highest`; returns how many.
int list(Lexer& text, int64_t highest, int64_t* values, int most, std::string_view what, std::string& why) {
  if (!text.take("[")) {
    why = fmt::format("expected '[' behind {}", what);
    return -1;
  }
  int count = 0;
  do {
    if (count == most) {
      why = fmt::format("{} takes at most {} numbers", what, most);
      return -1;
    }
    if (!number(text, 0, highest, values[count++], what, why)) return -1;
  } while (text.take(","));
  if (!text.take("]")) {
    why = fmt::format("expected ']' behind the numbers of {}", what);
    return -1;
  }
  return count;
}

uint8_t bits_of(const int64_t* values, int count) {
  unsigned bits = 0;
  for (int n = 0; n < count; ++n) bits |= unsigned(values[n]) << n;
  return uint8_t(bits);
}

}  // namespace

std::optional<uint8_t> take_cache_hint(Lexer& text, const Opcode& row, std::string& why) {
  if (auto value = text.take_integer()) {
    if (*value >= 0 && *value <= 7) return uint8_t(*value);
    why = "th: must be 0 to 7";
    return {};
  }
  std::string_view word = text.take_word();
  bool atomic = row.has(Flag::Atomic), store = row.has(Flag::Store) && !atomic;
  int hint = number_of(atomic ? atomic_hints : store ? store_hints : load_hints, word);
  for (std::string_view prefix : {"TH_ATOMIC_0x", "TH_LOAD_0x", "TH_STORE_0x"})
    if (word.starts_with(prefix) && word.size() == prefix.size() + 1 && word.back() >= '0' && word.back() <= '7')
      hint = word.back() - '0';
  if (hint < 0) {
    why = fmt::format("unknown cache hint '{}' for {}", word, row.name);
    return {};
  }
  return uint8_t(hint);
}

bool ModifierText::take_all(Lexer& text, std::string& why) {
  while (!text.at_end()) {
    text.take(",");  // LLVM allows one between modifiers
    if (!take_one(text, why)) return false;
  }
  // BYPASS is what 3 means in system scope; LU and RT_WB are what it means elsewhere.
  bool bypass = hint.ends_with("_BYPASS");
  if (bypass != (i.scope == 3) && (bypass || hint == "TH_LOAD_LU" || hint == "TH_STORE_RT_WB")) {
    why = fmt::format("th:{} does not go with scope:{}", hint, name_of(scopes, i.scope));
    return false;
  }
  if (hint.starts_with("TH_ATOMIC_CASCADE") && i.scope < 2) {
    why = fmt::format("th:{} needs scope:SCOPE_DEV or scope:SCOPE_SYS", hint);
    return false;
  }
  bool dpp16_part = std::find(seen.begin(), seen.end(), "row_mask") != seen.end() ||
                    std::find(seen.begin(), seen.end(), "bank_mask") != seen.end() ||
                    std::find(seen.begin(), seen.end(), "bound_ctrl") != seen.end();
  if (dpp16_part && i.dpp != Dpp::Dpp16) {
    why = "row_mask, bank_mask and bound_ctrl belong to a 16-lane DPP control";
    return false;
  }
  return true;
}

namespace {

bool is_memory(const Opcode& row) {
  return row.format == Format::SMEM || row.format == Format::VBUFFER || row.format == Format::VFLAT ||
         row.format == Format::VGLOBAL || row.format == Format::VSCRATCH;
}
bool is_image(const Opcode& row) { return row.format == Format::VIMAGE || row.format == Format::VSAMPLE; }
bool is_memory_or_image(const Opcode& row) { return is_memory(row) || is_image(row); }
bool is_buffer(const Opcode& row) { return row.format == Format::VBUFFER; }
bool is_buffer_or_image(const Opcode& row) { return is_buffer(row) || is_image(row); }
bool is_long_form(const Opcode& row) {
  return row.format == Format::VOP3 || row.format == Format::VOP3P || row.format == Format::VINTERP;
}
bool always(const Opcode&) { return true; }
template <Flag flag>
bool has(const Opcode& row) {
  return row.has(flag);
}
template <Format format>
bool is(const Opcode& row) {
  return row.format == format;
}

bool refuse(const Opcode& row, std::string_view name, std::string& why) {
  why = fmt::format("{} has no {}", row.name, name);
  return false;
}

// The state of reading: the modifier's name, the text behind its colon, and where the reason of a refusal goes.
struct Reading {
  Instruction& i;
  ModifierText& modifiers;
  std::string_view word;
  Lexer& text;
  std::string& why;

  bool number(int64_t lowest, int64_t highest, int64_t& value) { return rdna4::number(text, lowest, highest, value, word, why); }
  int list(int64_t highest, int64_t* values, int most) { return rdna4::list(text, highest, values, most, word, why); }
  bool refuse() { return rdna4::refuse(*i.opcode, word, why); }
};

bool output_factor(Reading r) {
  int64_t value = 0;
  if (!r.number(1, 4, value)) return false;
  constexpr uint16_t multiplied[] = {0, 1, 9, 2}, divided[] = {0, 3, 9, 9};
  r.i.omod = (r.word == "div" ? divided : multiplied)[value - 1];
  if (r.i.omod != 9) return true;
  r.why = r.word == "div" ? "div: must be 2" : "mul: must be 2 or 4";
  return false;
}

bool half_selects(Reading r) {
  Instruction& i = r.i;
  const Opcode& row = *i.opcode;
  int64_t values[4] = {};
  int count = r.list(1, values, 4);
  if (count < 0) return false;
  uint8_t bits = bits_of(values, count);
  if (row.format == Format::VOP3P) {
    if (!row.has(Flag::Packed) && !row.has(Flag::Mix)) return r.refuse();
    (r.word == "op_sel" ? i.op_sel : i.op_sel_hi) = bits;
    return true;
  }
  if (r.word != "op_sel") return r.refuse();
  // The destination's half stands behind those of the sources.
  unsigned sources = row.format == Format::VINTERP ? 3 : row.source_count + unsigned(row.has(Flag::Accumulates));
  if (unsigned(count) == sources + 1)
    bits = uint8_t((bits & ((1u << sources) - 1)) | (bits >> sources & 1u) << 3);
  else if (unsigned(count) > sources + 1)
    return r.refuse();
  i.op_sel |= bits;
  return true;
}

bool negations(Reading r) {
  const Opcode& row = *r.i.opcode;
  int64_t values[4] = {};
  int count = r.list(1, values, 4);
  if (count < 0) return false;
  if (row.format != Format::VOP3P || row.has(Flag::Mix)) return r.refuse();
  (r.word == "neg_lo" ? r.i.neg : r.i.neg_hi) = bits_of(values, count);
  return true;
}

bool byte_select(Reading r) {
  int64_t value = 0;
  if (!r.number(0, 3, value)) return false;
  r.i.op_sel = uint16_t(r.i.opcode->source_count == 1 ? (value & 1) << 1 | value >> 1 : value << 2);
  return true;
}

bool index_key(Reading r) {
  int64_t value = 0, highest = r.i.opcode->index_key[r.modifiers.options.wave == 64];
  if (highest == 0) return r.refuse();
  if (!r.number(0, highest, value)) return false;
  r.i.op_sel = uint16_t(value);
  return true;
}

// A lane for each place of the list.
template <Dpp dpp, int lanes, int bits>
bool lane_list(Reading r) {
  int64_t values[lanes] = {};
  int count = r.list((1 << bits) - 1, values, lanes);
  if (count < 0) return false;
  if (count != lanes) {
    r.why = fmt::format("{} takes {} lanes", r.word, lanes == 8 ? "eight" : "four");
    return false;
  }
  r.i.dpp = dpp;
  r.i.dpp_control = 0;
  for (int n = 0; n < lanes; ++n) r.i.dpp_control |= uint32_t(values[n]) << (bits * n);
  return true;
}

// A DPP control with a number in its low bits.
template <uint32_t base, int64_t lowest>
bool row_control(Reading r) {
  int64_t value = 0;
  if (!r.number(lowest, 15, value)) return false;
  r.i.dpp = Dpp::Dpp16;
  r.i.dpp_control = base + uint32_t(value);
  return true;
}
template <uint32_t control>
bool mirror(Reading r) {
  r.i.dpp = Dpp::Dpp16;
  r.i.dpp_control = control;
  return true;
}

bool offset(Reading r) {
  const Opcode& row = *r.i.opcode;
  int64_t value = 0;
  for (const OperandRow& o : row.rows()) {
    if (o.kind == Kind::Swizzle) {
      auto swizzle = amd::parse_swizzle(r.text, r.why);
      if (swizzle) r.i.offset = *swizzle;
      return swizzle.has_value();
    }
    if (o.kind == Kind::DsOffset) {
      if (!r.number(0, 65535, value)) return false;
      r.i.offset = int32_t(value);
      return true;
    }
  }
  if (!is_memory(row) || row.has(Flag::Cache)) return r.refuse();
  if (!r.number(-(1 << 23), (1 << 23) - 1, value)) return false;
  r.i.offset = int32_t(value);
  return true;
}

template <int shift>
bool offset_of_two(Reading r) {
  int64_t value = 0;
  if (!r.number(0, 255, value)) return false;
  r.i.offset = (r.i.offset & ~(0xff << shift)) | int32_t(value) << shift;
  return true;
}

bool cache_hint(Reading r) {
  r.modifiers.hint = r.text.peek_word();
  auto number = take_cache_hint(r.text, *r.i.opcode, r.why);
  if (number) r.i.th = *number;
  return number.has_value();
}

bool scope(Reading r) {
  if (auto plain = r.text.take_integer()) {
    if (*plain < 0 || *plain > 3) {
      r.why = "scope: must be 0 to 3";
      return false;
    }
    r.i.scope = uint16_t(*plain);
    return true;
  }
  std::string_view name = r.text.take_word();
  int number = number_of(scopes, name);
  if (number < 0) {
    r.why = fmt::format("unknown scope '{}'", name);
    return false;
  }
  r.i.scope = uint16_t(number);
  return true;
}

bool buffer_format(Reading r) {
  if (!r.text.take("[")) {
    int64_t value = 0;
    if (!r.number(0, 127, value)) return false;
    r.i.format = uint16_t(value);
    return true;
  }
  std::string name(r.text.take_word());
  // Data and number format apart, as GPUs before this family wrote them.
  std::string_view data = "BUF_DATA_FORMAT_", type = "BUF_NUM_FORMAT_";
  if (name.starts_with(data) || name.starts_with(type)) {
    std::string other = r.text.take(",") ? std::string(r.text.take_word()) : std::string();
    if (name.starts_with(type)) std::swap(name, other);
    name = fmt::format("BUF_FMT_{}_{}", name.starts_with(data) ? name.substr(data.size()) : "8",
                       other.starts_with(type) ? other.substr(type.size()) : "UNORM");
  }
  int format = number_of(buffer_formats, name);
  if (format < 0 || !r.text.take("]")) {
    r.why = fmt::format("unknown buffer format '{}'", name);
    return false;
  }
  r.i.format = uint16_t(format);
  return true;
}

bool dimension(Reading r) {
  std::string name(r.text.take_word());
  if (!name.empty() && name[0] >= '0' && name[0] <= '9') name = "SQ_RSRC_IMG_" + name;
  int number = number_of(image_dimensions, name);
  if (number < 0) number = number_of(image_dimensions, "SQ_RSRC_IMG_" + name);
  if (number < 0) {
    r.why = fmt::format("unknown dimension '{}'", name);
    return false;
  }
  r.i.image_dimension = uint16_t(number);
  r.modifiers.dimension_given = true;
  return true;
}

// A modifier: NAME, which sets a member to 1, or NAME:VALUE, a number up to `highest` for it; or what `take` reads.
struct Modifier {
  std::string_view name;
  bool colon;
  bool (*fits)(const Opcode&);
  uint16_t Instruction::* member;
  int64_t highest = 1;
  bool (*take)(Reading) = nullptr;
  bool elsewhere_unknown = false;  // where it does not fit, it is unknown instead of refused
};
using I = Instruction;
constexpr bool unknown = true;
constexpr Modifier known[] = {
    {"clamp", false, has<Flag::Clamp>, &I::clamp},
    {"row_mirror", false, always, nullptr, 0, mirror<0x140>},
    {"row_half_mirror", false, always, nullptr, 0, mirror<0x141>},
    {"offen", false, is_buffer, &I::offen},
    {"idxen", false, is_buffer, &I::idxen},
    {"tfe", false, is_buffer_or_image, &I::tfe, 1, nullptr, unknown},
    {"unorm", false, is_image, &I::unorm, 1, nullptr, unknown},
    {"r128", false, is_image, &I::r128, 1, nullptr, unknown},
    {"a16", false, is_image, &I::a16, 1, nullptr, unknown},
    {"lwe", false, is_image, &I::lwe, 1, nullptr, unknown},
    {"d16", false, is_image, &I::d16, 1, nullptr, unknown},
    {"done", false, is<Format::VEXPORT>, &I::done, 1, nullptr, unknown},
    {"row_en", false, is<Format::VEXPORT>, &I::export_row, 1, nullptr, unknown},
    {"mul", true, has<Flag::Omod>, nullptr, 0, output_factor},
    {"div", true, has<Flag::Omod>, nullptr, 0, output_factor},
    {"op_sel", true, is_long_form, nullptr, 0, half_selects},
    {"op_sel_hi", true, is_long_form, nullptr, 0, half_selects},
    {"neg_lo", true, is_long_form, nullptr, 0, negations},
    {"neg_hi", true, is_long_form, nullptr, 0, negations},
    {"byte_sel", true, has<Flag::ByteSel>, nullptr, 0, byte_select},
    {"index_key", true, always, nullptr, 0, index_key},
    {"dpp8", true, always, nullptr, 0, lane_list<Dpp::Dpp8, 8, 3>},
    {"quad_perm", true, always, nullptr, 0, lane_list<Dpp::Dpp16, 4, 2>},
    {"row_shl", true, always, nullptr, 0, row_control<0x100, 1>},
    {"row_shr", true, always, nullptr, 0, row_control<0x110, 1>},
    {"row_ror", true, always, nullptr, 0, row_control<0x120, 1>},
    {"row_share", true, always, nullptr, 0, row_control<0x150, 0>},
    {"row_xmask", true, always, nullptr, 0, row_control<0x160, 0>},
    {"row_mask", true, has<Flag::Dpp>, &I::row_mask, 15},
    {"bank_mask", true, has<Flag::Dpp>, &I::bank_mask, 15},
    {"bound_ctrl", true, has<Flag::Dpp>, &I::bound_control, 1},
    {"fi", true, has<Flag::Dpp>, &I::fetch_inactive, 1},
    {"offset", true, always, nullptr, 0, offset},
    {"offset0", true, has<Flag::TwoAddress>, nullptr, 0, offset_of_two<0>},
    {"offset1", true, has<Flag::TwoAddress>, nullptr, 0, offset_of_two<8>},
    {"th", true, is_memory_or_image, nullptr, 0, cache_hint},
    {"scope", true, is_memory_or_image, nullptr, 0, scope},
    {"format", true, has<Flag::Typed>, nullptr, 0, buffer_format},
    {"dmask", true, is_image, &I::dmask, 15, nullptr, unknown},
    {"dim", true, is_image, nullptr, 0, dimension, unknown},
    {"wait_exp", true, is<Format::VINTERP>, &I::wait_exp, 7, nullptr, unknown},
    {"wait_va_vdst", true, is<Format::VDSDIR>, &I::wait_va_vdst, 15, nullptr, unknown},
    {"wait_vm_vsrc", true, is<Format::VDSDIR>, &I::wait_vm_vsrc, 1, nullptr, unknown},
};

}  // namespace

bool ModifierText::take_one(Lexer& text, std::string& why) {
  std::string start = text.here();
  std::string_view word = text.take_word();
  if (word.empty()) {
    why = "unexpected " + start;
    return false;
  }
  if (std::find(seen.begin(), seen.end(), word) != seen.end()) {
    why = fmt::format("{} is given twice", word);
    return false;
  }
  seen.push_back(word);
  bool colon = text.take(":");
  auto found = std::ranges::find_if(known, [&](const Modifier& m) { return m.name == word && m.colon == colon; });
  bool fits = found != std::end(known) && found->fits(*i.opcode);
  if (!fits && (found == std::end(known) || found->elsewhere_unknown)) {
    why = fmt::format("unknown modifier '{}{}'", word, colon ? ":" : "");
    return false;
  }
  if (!fits) return refuse(*i.opcode, word, why);
  if (found->take != nullptr) return found->take({i, *this, word, text, why});
  int64_t value = 1;
  if (colon && !number(text, 0, found->highest, value, word, why)) return false;
  i.*found->member = uint16_t(value);
  return true;
}

}  // namespace Atoll::rdna4
