#include <algorithm>
#include <bit>
#include <cctype>
#include <charconv>
#include <cstdlib>

#include "isa/xe_lp/code.h"
#include "isa/xe_lp/names.h"

namespace Atoll::xe_lp {
namespace {

// Reads one line from left to right. Whatever does not fit is remembered once, as the error.
class Reader {
public:
  explicit Reader(std::string_view text) : text_(text) { blanks(); }

  bool take(std::string_view what) {
    if (!text_.starts_with(what)) return false;
    text_.remove_prefix(what.size());
    return true;
  }
  bool take_blank(std::string_view what) {
    bool taken = take(what);
    if (taken) blanks();
    return taken;
  }
  void expect(std::string_view what) {
    if (!take(what)) wrong(fmt::format("'{}' is missing", what));
  }
  void blanks() {
    while (!text_.empty() && (text_[0] == ' ' || text_[0] == '\t')) text_.remove_prefix(1);
  }
  std::string_view word() {  // letters, digits, underscores
    size_t n = 0;
    while (n < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[n])) || text_[n] == '_')) n++;
    std::string_view w = text_.substr(0, n);
    text_.remove_prefix(n);
    return w;
  }
  unsigned number(unsigned limit, const char* what) {
    unsigned value = 0;
    auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), value);
    if (error != std::errc() || value >= limit) {
      wrong(fmt::format("{}: a number below {} is missing", what, limit));
      return 0;
    }
    text_.remove_prefix(size_t(end - text_.data()));
    return value;
  }
  std::string_view rest() const { return text_; }
  bool digit() const { return !text_.empty() && text_[0] >= '0' && text_[0] <= '9'; }
  void wrong(std::string why) {
    if (error_.empty()) error_ = text_.empty() ? why + " at the end" : fmt::format("{} at '{}'", why, text_);
  }
  bool good() const { return error_.empty(); }
  const std::string& error() const { return error_; }
  void skip(size_t n) { text_.remove_prefix(n); }

private:
  std::string_view text_;
  std::string error_;
};

void read_flag(Reader& r, Instruction& i) {
  r.expect("f");
  i.flag = uint8_t(r.number(2, "flag register"));
  i.flag_half = r.take(".") ? uint8_t(r.number(2, "flag subregister")) : 0;
}

// (f0.0), (~f1.0.any8h), (W), (W&f0.0)
void read_predicate(Reader& r, Instruction& i) {
  if (!r.take("(")) return;
  if (r.take("W")) {
    i.no_mask = true;
    if (r.take(")")) return r.blanks();
    r.expect("&");
  }
  i.inverse = r.take("~");
  read_flag(r, i);
  i.predicate = Predicate::sequential;
  if (r.take(".")) {
    std::string_view name = r.word();
    auto found = std::find(std::begin(predicate_names), std::end(predicate_names), name);
    if (found == std::end(predicate_names) || name.empty())
      r.wrong(fmt::format("'{}' is no predicate control", name));
    else
      i.predicate = Predicate(found - std::begin(predicate_names));
  }
  r.expect(")");
  r.blanks();
}

void read_type(Reader& r, Operand& o) {
  r.expect(":");
  std::string_view name = r.word();
  for (const TypeName& t : type_names)
    if (t.name == name) {
      o.type = t.type;
      return;
    }
  r.wrong(fmt::format("type '{}' is not there (ub, uw, ud, b, w, d, f are)", name));
}

// r12.3, acc0.0, f0.1, a0.0, cr0.0, null. The subregister counts elements of the type, which follows: `byte` is it for now.
void read_register(Reader& r, Operand& o) {
  std::string_view name = r.word();
  std::string_view digits = name;
  while (!digits.empty() && !std::isdigit(static_cast<unsigned char>(digits[0]))) digits.remove_prefix(1);
  std::string_view letters = name.substr(0, name.size() - digits.size());
  unsigned n = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), n);
  if (digits.size() > 3) n = 999;
  if (letters == "null" && digits.empty()) {
    o.grf = false, o.number = 0;
    return;
  }
  if (digits.empty()) return r.wrong(fmt::format("'{}' is no register", name));
  if (letters == "r") {
    o.grf = true;
    if (n > 127) r.wrong(fmt::format("{}: there are r0 to r127", name));
  } else {
    auto found = std::find_if(std::begin(arf_names), std::end(arf_names), [&](const ArfName& a) { return a.name == letters; });
    if (found == std::end(arf_names) || n > 15) return r.wrong(fmt::format("'{}' is no register that is there", name));
    n |= unsigned(found->arf) << 4;
  }
  o.number = uint8_t(n);
  if (r.take(".")) o.byte = uint8_t(r.number(32, "subregister"));
}

void scale_subregister(Reader& r, Operand& o) {
  unsigned bytes = o.byte * size_of(o.type);
  if (bytes >= 32) return r.wrong("a subregister beyond its register");
  o.byte = uint8_t(bytes);
}

uint8_t stride(Reader& r) { return uint8_t(r.number(33, "stride")); }

void read_destination(Reader& r, Instruction& i) {
  if (r.take_blank("(sat)")) i.saturate = true;
  read_register(r, i.dst);
  i.dst.horizontal = 1;
  if (r.take("<")) {
    i.dst.horizontal = stride(r);
    r.expect(">");
  }
  read_type(r, i.dst);
  scale_subregister(r, i.dst);
  r.blanks();
}

void read_modifiers(Reader& r, Operand& o) {
  if (r.take_blank("(-abs)"))
    o.negate = o.absolute = true;
  else if (r.take_blank("(abs)"))
    o.absolute = true;
  else if (r.take_blank("(-)") || (r.rest().size() > 1 && r.rest()[0] == '-' && !std::isdigit(static_cast<unsigned char>(r.rest()[1])) &&
                                   r.rest()[1] != '.' && r.take("-")))
    o.negate = true;
}

// 5:w, -5:d, 0x3f800000:f, 1.5:f
void read_immediate(Reader& r, Operand& o) {
  o.immediate = true;
  std::string_view text = r.rest();
  size_t colon = text.find(':');
  if (colon == std::string_view::npos) return r.wrong("an immediate without a type");
  std::string digits(text.substr(0, colon));
  r.skip(colon);
  read_type(r, o);
  bool negative = digits.starts_with('-');
  std::string_view magnitude = std::string_view(digits).substr(negative);
  bool hexadecimal = magnitude.starts_with("0x") || magnitude.starts_with("0X");
  if (is_float(o.type) && !hexadecimal) {
    char* end = nullptr;
    float value = std::strtof(digits.c_str(), &end);
    if (digits.empty() || *end) return r.wrong(fmt::format("'{}' is no number", digits));
    o.value = std::bit_cast<uint32_t>(value);
    return;
  }
  if (hexadecimal) magnitude.remove_prefix(2);
  uint64_t value = 0;
  auto [end, error] = std::from_chars(magnitude.data(), magnitude.data() + magnitude.size(), value, hexadecimal ? 16 : 10);
  uint64_t limit = uint64_t(1) << size_of(o.type) * 8;
  if (magnitude.empty() || end != magnitude.data() + magnitude.size() || error != std::errc() || value >= limit ||
      (negative && (value > limit / 2 || is_float(o.type))))
    return r.wrong(fmt::format("'{}' does not fit its type", digits));
  o.value = uint32_t((negative ? 0 - value : value) & (limit - 1));
}

void read_source(Reader& r, Instruction& i, unsigned n) {
  Operand& o = i.src[n];
  bool ternary = i.opcode->shape == Shape::ternary;
  if (r.digit() || (r.rest().size() > 1 && r.rest()[0] == '-' && std::isdigit(static_cast<unsigned char>(r.rest()[1])))) {
    read_immediate(r, o);
    return r.blanks();
  }
  read_modifiers(r, o);
  read_register(r, o);
  if (r.take("<")) {
    o.vertical = stride(r);
    if (r.take(";")) {
      uint8_t second = stride(r);
      if (r.take(",")) {
        o.width = second, o.horizontal = stride(r);
        if (ternary) r.wrong("a region of an instruction of three sources is <V;H>, or <H> for the last");
      } else {
        o.horizontal = second;
        o.width = uint8_t(o.horizontal ? std::clamp<unsigned>(o.vertical / o.horizontal, 1, i.lanes) : 1);
        if (!ternary || n == 2) r.wrong("a region is <V;W,H>");
      }
    } else {
      o.horizontal = o.vertical, o.vertical = 0, o.width = o.horizontal ? i.lanes : 1;
      if (!ternary || n != 2) r.wrong("a region is <V;W,H>");
    }
    r.expect(">");
  } else if (!o.null()) {
    r.wrong("a source's region is missing");
  }
  if (o.width == 0) r.wrong("a region of no width");
  read_type(r, o);
  scale_subregister(r, o);
  r.blanks();
}

int32_t read_target(Reader& r, const Labels& labels, int64_t here) {
  std::string_view text = r.rest().substr(0, r.rest().find_first_of(" \t{"));
  int64_t value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) {
    auto label = labels.find(text);
    if (label == labels.end()) {
      r.wrong("a target (bytes, or a label) is missing");
      return 0;
    }
    value = label->second - here;
  }
  if (value != int32_t(value) || value % 8) r.wrong("a target that is no multiple of 8 bytes");
  r.skip(text.size());
  r.blanks();
  return int32_t(value);
}

// {@1,$2} and the like order instructions that overlap in hardware; here they run one after the other.
void read_options(Reader& r) {
  if (!r.take("{")) return;
  while (r.good() && !r.take("}")) {
    size_t n = r.rest().find_first_of(",} \t");
    std::string_view option = r.rest().substr(0, n == std::string_view::npos ? r.rest().size() : n);
    bool orders = option.starts_with('@') || option.starts_with('$') || option == "NoDDChk" || option == "NoDDClr" || option == "Atomic" ||
                  (option.size() > 1 && option[1] == '@');
    if (option.empty() || !orders) r.wrong(fmt::format("option '{}' is not there yet", option));
    r.skip(option.size());
    r.blanks();
    r.take_blank(",");
  }
  r.blanks();
}

}  // namespace

Expected<Instruction> parse(std::string_view text, const Labels& labels, int64_t here) {
  if (size_t comment = text.find("//"); comment != std::string_view::npos) text = text.substr(0, comment);
  Reader r(text);
  Instruction i;
  read_predicate(r, i);
  std::string_view name = r.word();
  i.opcode = find(name);
  if (!i.opcode) return fail("'{}' is no instruction that is there", name);
  r.blanks();
  if (i.opcode->shape != Shape::none) {
    r.expect("(");
    unsigned lanes = r.number(33, "execution size");
    if (lanes == 0 || (lanes & (lanes - 1))) r.wrong(fmt::format("an execution size of {}", lanes));
    i.lanes = uint8_t(std::max(1u, lanes));
    r.expect("|M");
    unsigned offset = r.number(29, "channel offset");
    if (offset % 4) r.wrong(fmt::format("a channel offset of {}", offset));
    i.offset = uint8_t(offset);
    r.expect(")");
    r.blanks();
  }
  if (i.opcode->branches()) {
    i.jip = read_target(r, labels, here);
    if (i.opcode->shape == Shape::jip_uip) i.uip = read_target(r, labels, here);
  } else if (i.opcode->sources()) {
    if (r.take("(")) {
      std::string_view word = r.rest().substr(0, r.rest().find(')'));
      auto found = std::find_if(std::begin(condition_names), std::end(condition_names), [&](const ConditionName& c) { return c.name == word; });
      if (found != std::end(condition_names)) {
        if (i.predicate != Predicate::none) {  // both name the one flag register that the instruction has
          r.skip(word.size()), r.expect(")");
          Instruction other;
          read_flag(r, other);
          if (other.flag != i.flag || other.flag_half != i.flag_half) r.wrong("predicate and condition modifier name different flags");
        } else {
          r.skip(word.size()), r.expect(")");
          read_flag(r, i);
        }
        i.condition = found->condition;
        r.blanks();
      } else if (word == "sat") {
        i.saturate = true;
        r.skip(word.size()), r.expect(")");
        r.blanks();
      } else {
        r.wrong(fmt::format("'({})' is no condition modifier", word));
      }
    }
    read_destination(r, i);
    for (unsigned n = 0; n < i.opcode->sources() && r.good(); n++) read_source(r, i, n);
  }
  read_options(r);
  if (!r.rest().empty()) r.wrong("unexpected text");
  if (!r.good()) return fail("{}", r.error());
  return i;
}

}  // namespace Atoll::xe_lp
