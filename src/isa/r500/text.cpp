#include "isa/r500/text.h"

#include <algorithm>

namespace Atoll::r500 {
namespace {

constexpr std::string_view omod_names[] = {"", "x2", "x4", "x8", "d2", "d4", "d8", "exact"};
constexpr std::string_view compare_names[] = {"eq", "lt", "ge", "ne"};
constexpr std::string_view predicate_names[] = {"", "p", "p.r", "p.g", "p.b", "p.a"};
constexpr std::string_view rgba = "rgba", xyzw = "xyzw", swizzle_letters = "xyzw0h1", bank_letters = "tci";

bool is_letter(char c) { return c >= 'a' && c <= 'z'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Each step gives whether it went well; `why` says what did not.
class Parser {
public:
  explicit Parser(std::string_view text) : text_(text) {
    std::transform(text_.begin(), text_.end(), text_.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? char(c + 32) : c; });
  }
  Expected<Pair> run() {
    Pair pair;
    Half first;
    if (!half(first)) return error();
    if (take('|')) {
      pair.rgb = first;
      if (!half(pair.alpha)) return error();
    } else {
      const OpRow& row = row_of(first.op);
      bool alpha = row.alpha && (!row.rgb || ((first.mask | first.extra_mask) == 8));
      (alpha ? pair.alpha : pair.rgb) = first;
    }
    if (skip(); at_ != text_.size()) return failed("nothing more is expected here"), error();
    if (std::string_view objected = objection(pair); !objected.empty()) return fail("{}", objected);
    if (!settle_swizzles(pair)) return error();
    return pair;
  }

private:
  std::string text_, why_;
  size_t at_ = 0, lengths_[2][3] = {};  // of the swizzles written; 0: none
  int halves_ = 0;

  std::unexpected<Error> error() { return fail("column {}: {}", at_ + 1, why_); }
  bool failed(std::string why) { return why_ = std::move(why), false; }
  void skip() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) at_++;
  }
  char peek() { return at_ < text_.size() ? text_[at_] : '\0'; }
  bool take(char c) { return skip(), peek() == c ? (at_++, true) : false; }
  std::string_view word() {
    size_t from = at_;
    while (is_letter(peek()) || is_digit(peek())) at_++;
    return std::string_view(text_).substr(from, at_ - from);
  }

  bool half(Half& h) {
    size_t* lengths = lengths_[halves_++];
    if (take('(')) {
      h.predicate_inverted = take('!');
      skip();
      size_t from = at_;
      word();
      if (peek() == '.') at_++, word();
      std::string name = text_.substr(from, at_ - from);
      if (name.size() == 3)
        if (size_t n = xyzw.find(name[2]); n != xyzw.npos) name[2] = rgba[n];
      auto found = std::find(std::begin(predicate_names) + 1, std::end(predicate_names), name);
      if (found == std::end(predicate_names)) return failed("a predicate is p, p.r, p.g, p.b or p.a");
      h.predicate = uint8_t(found - std::begin(predicate_names));
      if (!take(')')) return failed("')' is missing after the predicate");
    }
    skip();
    std::string_view name = word();
    auto row = std::find_if(std::begin(op_rows), std::end(op_rows), [&](const OpRow& r) { return r.name == name; });
    if (row == std::end(op_rows)) return failed(fmt::format("'{}' is no operation", name));
    h.op = row->op;
    int compare = -1;
    while (peek() == '.') {
      at_++;
      if (!suffix(word(), h, compare)) return false;
    }
    if (h.op == Op::Nop) return compare < 0 || failed("nop sets no predicate");
    do {
      if (!destination(h)) return false;
    } while (take('+'));
    if ((compare >= 0) != (h.extra == Extra::Predicate))
      return failed("predicate bits are set by a comparison with 0: .eq, .lt, .ge or .ne, with p as a destination");
    if (compare >= 0) h.target = uint8_t(compare);
    for (int n = 0; n < row->sources; n++) {
      if (!take(',')) return failed(fmt::format("{} has {} sources", row->name, row->sources));
      if (!source(h.source[n], lengths[n])) return false;
    }
    return true;
  }
  bool suffix(std::string_view s, Half& h, int& compare) {
    auto omod = std::find(std::begin(omod_names) + 1, std::end(omod_names), s);
    auto compared = std::find(std::begin(compare_names), std::end(compare_names), s);
    bool twice = false;
    if (s == "sat")
      twice = h.clamp, h.clamp = 1;
    else if (omod != std::end(omod_names))
      twice = h.omod != OMOD_NONE, h.omod = uint8_t(omod - std::begin(omod_names));
    else if (compared != std::end(compare_names))
      twice = compare >= 0, compare = int(compared - std::begin(compare_names));
    else
      return failed(fmt::format("'.{}' is no suffix: sat, x2, x4, x8, d2, d4, d8, exact, eq, lt, ge, ne are", s));
    return !twice || failed(fmt::format("'.{}': one of its kind is given already", s));
  }
  bool number(unsigned limit, uint8_t& n) {
    size_t from = at_;
    unsigned value = 0;
    while (is_digit(peek()) && value < 1000) value = value * 10 + unsigned(text_[at_++] - '0');
    if (at_ == from) return failed("a register number is missing");
    if (value >= limit) return failed(fmt::format("register {}: the last one is {}", value, limit - 1));
    n = uint8_t(value);
    return true;
  }
  bool destination(Half& h) {
    if (take('_')) return true;
    char bank = (skip(), peek());
    uint8_t n = 0, mask = 0;
    at_ += bank != '\0';
    if (bank == 't' || bank == 'o') {
      if (!number(bank == 't' ? kTemporaries : kOutputs, n)) return false;
    } else if (bank != 'p') {
      return failed("a destination is t0-t127, o0-o3, p or _, with its channels: t0.rgb");
    }
    if (peek() != '.') return failed("a destination names its channels: .rgb, .xy, .a");
    at_++;
    for (char c : word()) {
      size_t channel = std::min(rgba.find(c), xyzw.find(c));
      if (channel == rgba.npos) return failed(fmt::format("'{}' is no channel", c));
      if (mask >> channel & 1) return failed(fmt::format("channel '{}' is named twice", c));
      mask = uint8_t(mask | 1u << channel);
    }
    if (!mask) return failed("a destination names its channels: .rgb, .xy, .a");
    if (bank == 't') {
      if (h.mask) return failed("one temporary is written at most");
      h.destination = n, h.mask = mask;
    } else {
      if (h.extra != Extra::None) return failed("one output or the predicate is written at most");
      h.extra = bank == 'p' ? Extra::Predicate : Extra::Output;
      h.extra_mask = mask, h.target = n;
    }
    return true;
  }
  bool source(Source& s, size_t& length) {
    if (take('-')) s.modifiers |= MOD_NEGATE;
    bool absolute = take('|');
    if (absolute) s.modifiers |= MOD_ABSOLUTE;
    skip();
    if (is_digit(peek())) {
      size_t from = at_;
      while (is_digit(peek()) || peek() == '.') at_++;
      std::string_view constant = std::string_view(text_).substr(from, at_ - from);
      uint8_t swizzle = constant == "0" || constant == "0.0" ? SWIZZLE_ZERO : constant == "0.5" ? SWIZZLE_HALF : SWIZZLE_ONE;
      if (swizzle == SWIZZLE_ONE && constant != "1" && constant != "1.0")
        return failed(fmt::format("{}: of numbers there are 0, 0.5 and 1; others stand in c0-c255", constant));
      std::fill(std::begin(s.swizzle), std::end(s.swizzle), swizzle);
      length = 1;
    } else {
      size_t bank = bank_letters.find(peek());
      if (at_ == text_.size() || bank == bank_letters.npos) return failed("a source is t0-t127, c0-c255, i0-i15, 0, 0.5 or 1");
      at_++, s.bank = Bank(bank);
      if (!number(registers_in(s.bank), s.index)) return false;
      if (peek() == '.') {
        at_++;
        for (char c : word()) {
          size_t swizzle = std::min(rgba.find(c), swizzle_letters.find(c));
          if (swizzle == rgba.npos) return failed(fmt::format("'{}' is no swizzle: x y z w (r g b a), 0, h (0.5), 1 are", c));
          if (length == 4) return failed("a swizzle has 1, 3 or 4 letters");
          s.swizzle[length++] = uint8_t(swizzle);
        }
        if (length == 0 || length == 2) return failed("a swizzle has 1, 3 or 4 letters");
        if (length == 1) std::fill(std::begin(s.swizzle), std::end(s.swizzle), s.swizzle[0]);
      } else {
        for (uint8_t c = 0; c < 4; c++) s.swizzle[c] = c;
      }
    }
    return !absolute || take('|') || failed("the second '|' of an absolute value is missing");
  }
  // A unit reads only the channels that it has: RGB three (dp4: four), alpha one.
  bool settle_swizzles(Pair& pair) {
    bool lone_alpha = halves_ == 1 && pair.alpha.op != Op::Nop;
    for (int unit = 0; unit < 2; unit++) {
      Half& h = unit ? pair.alpha : pair.rgb;
      const size_t* lengths = lengths_[unit && !lone_alpha ? 1 : 0];
      for (int n = 0; n < row_of(h.op).sources; n++) {
        Source& s = h.source[n];
        if (unit) {
          if (lengths[n] > 1) return failed("a source of the alpha unit has one channel");
          std::fill(s.swizzle, s.swizzle + 3, SWIZZLE_X);
        } else if (h.op == Op::Dp4) {
          if (lengths[n] == 3) return failed("a source of dp4 has four channels, or one for all");
        } else {
          if (lengths[n] == 4) return failed("a source of the RGB unit has three channels, or one for all");
          s.swizzle[3] = SWIZZLE_X;
        }
      }
    }
    return true;
  }
};

std::string channels(uint8_t mask) {
  std::string text = ".";
  for (int c = 0; c < 4; c++)
    if (mask >> c & 1) text += rgba[size_t(c)];
  return text;
}

std::string print(const Half& h, bool alpha) {
  std::string text;
  if (h.predicate) text += fmt::format("({}{}) ", h.predicate_inverted ? "!" : "", predicate_names[h.predicate]);
  text += row_of(h.op).name;
  if (h.clamp) text += ".sat";
  if (h.omod) text += fmt::format(".{}", omod_names[h.omod]);
  if (h.extra == Extra::Predicate) text += fmt::format(".{}", compare_names[h.target]);
  if (h.op == Op::Nop) return text;
  std::string destinations;
  if (h.mask) destinations = fmt::format("t{}{}", h.destination, channels(h.mask));
  if (h.extra != Extra::None) {
    if (!destinations.empty()) destinations += "+";
    destinations += h.extra == Extra::Predicate ? "p" : fmt::format("o{}", h.target);
    destinations += channels(h.extra_mask);
  }
  text += " " + (destinations.empty() ? "_" : destinations);
  for (int n = 0; n < row_of(h.op).sources; n++) {
    const Source& s = h.source[n];
    std::string swizzle;
    for (int c = alpha ? 3 : 0; c < (alpha || h.op == Op::Dp4 ? 4 : 3); c++) swizzle += swizzle_letters[s.swizzle[c]];
    text += fmt::format(", {}{}{}{}.{}{}", s.modifiers & MOD_NEGATE ? "-" : "", s.modifiers & MOD_ABSOLUTE ? "|" : "",
                        bank_letters[size_t(s.bank)], s.index, swizzle, s.modifiers & MOD_ABSOLUTE ? "|" : "");
  }
  return text;
}

}  // namespace

Expected<Pair> parse(std::string_view text) { return Parser(text).run(); }

std::string print(const Pair& pair) { return print(pair.rgb, false) + " | " + print(pair.alpha, true); }

}  // namespace Atoll::r500
