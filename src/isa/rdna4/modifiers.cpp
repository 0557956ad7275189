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

bool ModifierText::take_one(Lexer& text, std::string& why) {
  const Opcode& row = *i.opcode;
  auto refuse = [&](std::string_view name) {
    why = fmt::format("{} has no {}", row.name, name);
    return false;
  };
  bool memory = row.format == Format::SMEM || row.format == Format::VBUFFER || row.format == Format::VFLAT ||
                row.format == Format::VGLOBAL || row.format == Format::VSCRATCH;
  bool image = row.format == Format::VIMAGE || row.format == Format::VSAMPLE;
  bool long_form = row.format == Format::VOP3 || row.format == Format::VOP3P || row.format == Format::VINTERP;
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
  int64_t value = 0, values[8] = {};
  int count = 0;
  if (!text.take(":")) {
    if (word == "clamp") {
      if (!row.has(Flag::Clamp)) return refuse(word);
      i.clamp = true;
    } else if (word == "row_mirror" || word == "row_half_mirror") {
      i.dpp = Dpp::Dpp16;
      i.dpp_control = word == "row_mirror" ? 0x140 : 0x141;
    } else if (word == "offen" || word == "idxen") {
      if (row.format != Format::VBUFFER) return refuse(word);
      (word == "offen" ? i.offset_enable : i.index_enable) = true;
    } else if (word == "tfe" && (row.format == Format::VBUFFER || image)) {
      i.tfe = true;
    } else if (image && (word == "unorm" || word == "r128" || word == "a16" || word == "lwe" || word == "d16")) {
      (word == "unorm" ? i.unrm : word == "r128" ? i.r128 : word == "a16" ? i.a16 : word == "lwe" ? i.lwe : i.d16) = true;
    } else if (row.format == Format::VEXPORT && (word == "done" || word == "row_en")) {
      (word == "done" ? i.export_done : i.export_row) = true;
    } else {
      why = fmt::format("unknown modifier '{}'", word);
      return false;
    }
    return true;
  }
  if (word == "mul" || word == "div") {
    if (!row.has(Flag::Omod)) return refuse(word);
    if (!number(text, 1, 4, value, word, why)) return false;
    if (word == "div")
      i.omod = value == 2 ? 3 : value == 1 ? 0 : 9;
    else
      i.omod = value == 1 ? 0 : value == 2 ? 1 : value == 4 ? 2 : 9;
    if (i.omod == 9) {
      why = word == "div" ? "div: must be 2" : "mul: must be 2 or 4";
      return false;
    }
    return true;
  }
  if (word == "op_sel" || word == "op_sel_hi" || word == "neg_lo" || word == "neg_hi") {
    if (!long_form) return refuse(word);
    if ((count = list(text, 1, values, 4, word, why)) < 0) return false;
    uint8_t bits = bits_of(values, count);
    if (row.format != Format::VOP3P) {
      if (word != "op_sel") return refuse(word);
      // The destination's half stands behind those of the sources.
      unsigned sources = row.format == Format::VINTERP ? 3 : row.source_count + unsigned(row.has(Flag::Accumulates));
      if (unsigned(count) == sources + 1)
        bits = uint8_t((bits & ((1u << sources) - 1)) | (bits >> sources & 1u) << 3);
      else if (unsigned(count) > sources + 1)
        return refuse(word);
      i.op_sel |= bits;
      return true;
    }
    if (word == "op_sel" || word == "op_sel_hi") {
      if (!row.has(Flag::Packed) && !row.has(Flag::Mix)) return refuse(word);
      (word == "op_sel" ? i.op_sel : i.op_sel_hi) = bits;
    } else {
      if (row.has(Flag::Mix)) return refuse(word);
      (word == "neg_lo" ? i.neg : i.neg_hi) = bits;
    }
    return true;
  }
  if (word == "byte_sel") {
    if (!row.has(Flag::ByteSel)) return refuse(word);
    if (!number(text, 0, 3, value, word, why)) return false;
    i.op_sel = uint8_t(row.source_count == 1 ? (value & 1) << 1 | value >> 1 : value << 2);
    return true;
  }
  if (word == "index_key") {
    if (row.index_key[options.wave == 64] == 0) return refuse(word);
    if (!number(text, 0, row.index_key[options.wave == 64], value, word, why)) return false;
    i.op_sel = uint8_t(value);
    return true;
  }
  if (word == "dpp8") {
    if ((count = list(text, 7, values, 8, word, why)) < 0) return false;
    if (count != 8) {
      why = "dpp8 takes eight lanes";
      return false;
    }
    i.dpp = Dpp::Dpp8;
    i.dpp_control = 0;
    for (int n = 0; n < 8; ++n) i.dpp_control |= uint32_t(values[n]) << (3 * n);
    return true;
  }
  if (word == "quad_perm") {
    if ((count = list(text, 3, values, 4, word, why)) < 0) return false;
    if (count != 4) {
      why = "quad_perm takes four lanes";
      return false;
    }
    i.dpp = Dpp::Dpp16;
    i.dpp_control = uint32_t(values[0] | values[1] << 2 | values[2] << 4 | values[3] << 6);
    return true;
  }
  struct RowControl {
    std::string_view name;
    uint32_t base;
    int64_t lowest;
  };
  static constexpr RowControl controls[] = {
      {"row_shl", 0x100, 1}, {"row_shr", 0x110, 1}, {"row_ror", 0x120, 1}, {"row_share", 0x150, 0}, {"row_xmask", 0x160, 0}};
  for (const RowControl& control : controls) {
    if (word != control.name) continue;
    if (!number(text, control.lowest, 15, value, word, why)) return false;
    i.dpp = Dpp::Dpp16;
    i.dpp_control = control.base + uint32_t(value);
    return true;
  }
  if (word == "row_mask" || word == "bank_mask") {
    if (!row.has(Flag::Dpp)) return refuse(word);
    if (!number(text, 0, 15, value, word, why)) return false;
    (word == "row_mask" ? i.row_mask : i.bank_mask) = uint8_t(value);
    return true;
  }
  if (word == "bound_ctrl" || word == "fi") {
    if (!row.has(Flag::Dpp)) return refuse(word);
    if (!number(text, 0, 1, value, word, why)) return false;
    (word == "fi" ? i.fetch_inactive : i.bound_control) = value != 0;
    return true;
  }
  if (word == "offset") {
    if (row.format == Format::VDS) {
      for (const OperandRow& o : row.rows()) {
        if (o.kind == Kind::Swizzle) {
          auto swizzle = amd::parse_swizzle(text, why);
          if (!swizzle) return false;
          i.offset = *swizzle;
          return true;
        }
        if (o.kind == Kind::DsOffset) {
          if (!number(text, 0, 65535, value, word, why)) return false;
          i.offset = int32_t(value);
          return true;
        }
      }
      return refuse(word);
    }
    if (!memory || row.has(Flag::Cache)) return refuse(word);
    if (!number(text, -(1 << 23), (1 << 23) - 1, value, word, why)) return false;
    i.offset = int32_t(value);
    return true;
  }
  if (word == "offset0" || word == "offset1") {
    if (!row.has(Flag::TwoAddress)) return refuse(word);
    if (!number(text, 0, 255, value, word, why)) return false;
    int shift = word == "offset0" ? 0 : 8;
    i.offset = (i.offset & ~(0xff << shift)) | int32_t(value) << shift;
    return true;
  }
  if (word == "th") {
    if (!memory && !image) return refuse(word);
    hint = text.peek_word();
    auto number = take_cache_hint(text, row, why);
    if (!number) return false;
    i.th = *number;
    return true;
  }
  if (word == "scope") {
    if (!memory && !image) return refuse(word);
    if (auto plain = text.take_integer()) {
      if (*plain < 0 || *plain > 3) {
        why = "scope: must be 0 to 3";
        return false;
      }
      i.scope = uint8_t(*plain);
      return true;
    }
    std::string_view name = text.take_word();
    int scope = number_of(scopes, name);
    if (scope < 0) {
      why = fmt::format("unknown scope '{}'", name);
      return false;
    }
    i.scope = uint8_t(scope);
    return true;
  }
  if (word == "format") {
    if (!row.has(Flag::Typed)) return refuse(word);
    if (text.take("[")) {
      std::string name(text.take_word());
      // Data and number format apart, as GPUs before this family wrote them.
      std::string_view data = "BUF_DATA_FORMAT_", type = "BUF_NUM_FORMAT_";
      if (name.starts_with(data) || name.starts_with(type)) {
        std::string other = text.take(",") ? std::string(text.take_word()) : std::string();
        if (name.starts_with(type)) std::swap(name, other);
        name = fmt::format("BUF_FMT_{}_{}", name.starts_with(data) ? name.substr(data.size()) : "8",
                           other.starts_with(type) ? other.substr(type.size()) : "UNORM");
      }
      int format = number_of(buffer_formats, name);
      if (format < 0 || !text.take("]")) {
        why = fmt::format("unknown buffer format '{}'", name);
        return false;
      }
      i.format = uint8_t(format);
      return true;
    }
    if (!number(text, 0, 127, value, word, why)) return false;
    i.format = uint8_t(value);
    return true;
  }
  if (image && word == "dmask") {
    if (!number(text, 0, 15, value, word, why)) return false;
    i.dmask = uint8_t(value);
    return true;
  }
  if (image && word == "dim") {
    std::string name(text.take_word());
    if (!name.empty() && name[0] >= '0' && name[0] <= '9') name = "SQ_RSRC_IMG_" + name;
    int dimension = number_of(image_dimensions, name);
    if (dimension < 0) dimension = number_of(image_dimensions, "SQ_RSRC_IMG_" + name);
    if (dimension < 0) {
      why = fmt::format("unknown dimension '{}'", name);
      return false;
    }
    i.image_dimension = uint8_t(dimension);
    dimension_given = true;
    return true;
  }
  struct Wait {
    std::string_view name;
    Format format;
    int64_t highest;
    uint8_t Instruction::* member;
  };
  static constexpr Wait waits[] = {{"wait_exp", Format::VINTERP, 7, &Instruction::wait_exp},
                                   {"wait_va_vdst", Format::VDSDIR, 15, &Instruction::wait_va_vdst},
                                   {"wait_vm_vsrc", Format::VDSDIR, 1, &Instruction::wait_vm_vsrc}};
  for (const Wait& wait : waits) {
    if (word != wait.name || row.format != wait.format) continue;
    if (!number(text, 0, wait.highest, value, word, why)) return false;
    i.*wait.member = uint8_t(value);
    return true;
  }
  why = fmt::format("unknown modifier '{}:'", word);
  return false;
}

}  // namespace Atoll::rdna4
