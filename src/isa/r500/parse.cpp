// Text to words: a recursive descent through one line. Sources written by registers' names get addresses from sources.h.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "isa/r500/sources.h"
#include "isa/r500/spelling.h"
#include "isa/r500/text.h"

namespace Atoll::r500 {
namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

// A source as written.
struct Written {
  bool given = false, has_slot = false, number = false;
  Slot slot;
  uint8_t select = 0, modifiers = 0, letters[4] = {};
  size_t length = 0;  // letters written; 0: none
};
struct WrittenHalf {
  Half half;
  bool nop = false, depth = false, output = false, predicates = false;
  Written source[3];
};

// Each step gives whether it went well; `why` says what did not.
class Parser {
public:
  explicit Parser(std::string_view text) : text_(lower(text)) {}
  Expected<Words> run() {
    if (!instruction() || !additions()) return fail("column {}: {}", at_ + 1, why_);
    if (skip(); at_ != text_.size()) return fail("column {}: nothing more is expected here", at_ + 1);
    if (std::string_view objected = objection(words_); !objected.empty()) return fail("{}", objected);
    return words_;
  }

private:
  std::string text_, why_;
  size_t at_ = 0;
  bool addressed_ = false;  // the six source addresses stand in braces
  Pair pair_;
  Words words_{};

  bool failed(std::string why) { return why_ = std::move(why), false; }
  void skip() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\r')) at_++;
  }
  char peek() { return at_ < text_.size() ? text_[at_] : '\0'; }
  bool take(char c) { return skip(), peek() == c ? (at_++, true) : false; }
  bool take(std::string_view s) {
    if (skip(); std::string_view(text_).substr(at_).starts_with(s)) return at_ += s.size(), true;
    return false;
  }
  std::string_view word() {
    size_t from = at_;
    while (is_letter(peek()) || is_digit(peek())) at_++;
    return std::string_view(text_).substr(from, at_ - from);
  }

  // --- the three kinds
  bool instruction() {
    if (take('{')) {
      addressed_ = true;
      if (!addresses(0, pair_.rgb.presubtract)) return false;
      if (!take('|')) return failed("'|' is missing between the RGB and the alpha addresses");
      if (!addresses(1, pair_.alpha.presubtract)) return false;
      if (!take('}')) return failed("'}' is missing behind the addresses");
    }
    WrittenHalf first, second;
    if (!predicate(first.half)) return false;
    skip();
    size_t name_at = at_;
    std::string_view name = word();
    if (!addressed_) {
      auto flow_name = std::find(std::begin(flow_names), std::end(flow_names), name);
      if (flow_name != std::end(flow_names)) return flow(first.half, uint32_t(flow_name - flow_names));
      auto texture_name = std::find(std::begin(texture_names), std::end(texture_names), name);
      if (texture_name != std::end(texture_names)) return texture(first.half, uint8_t(texture_name - texture_names));
    }
    at_ = name_at;
    if (!half(first)) return false;
    if (take('|')) {
      if (!predicate(second.half) || !half(second)) return false;
    } else {
      second.nop = true;
      const OpRow& row = row_of(first.half.op);
      if (row.alpha >= 0 && (row.rgb < 0 || (first.half.mask | first.half.extra_mask) == 8 || first.depth))
        std::swap(first, second);
    }
    return combine(first, second);
  }
  bool flow(const Half& predicated, uint32_t op) {
    uint32_t address = 0;
    field<US_CMN_INST::TYPE>.set(words_, uint32_t(Type::Fc));
    field<US_CMN_INST::RGB_PRED_SEL>.set(words_, predicated.predicate),
        field<US_CMN_INST::RGB_PRED_INV>.set(words_, predicated.predicate_inverted);
    field<US_FC_INST::OP>.set(words_, op);
    if (!number(field<US_FC_ADDR::JUMP_ADDR>.largest() + 1, address, "instruction")) return false;
    field<US_FC_ADDR::JUMP_ADDR>.set(words_, address);
    return true;
  }
  bool texture(const Half& predicated, uint8_t op) {
    field<US_CMN_INST::TYPE>.set(words_, uint32_t(Type::Tex));
    field<US_CMN_INST::RGB_PRED_SEL>.set(words_, predicated.predicate),
        field<US_CMN_INST::RGB_PRED_INV>.set(words_, predicated.predicate_inverted);
    field<US_CMN_INST::ALPHA_PRED_SEL>.set(words_, predicated.predicate),
        field<US_CMN_INST::ALPHA_PRED_INV>.set(words_, predicated.predicate_inverted);
    field<US_TEX_INST::INST>.set(words_, op);
    if (op == TEX_NOP) return true;
    if (op == TEX_TEXKILL) return texture_register(texture_source);
    if (!take('_')) {
      uint32_t n = 0;
      uint8_t relative = 0, mask = 0;
      if (!take('t') || !register_number(kTemporaries, n, relative)) return failed("a texture's result goes to t0-t127 or _");
      if (!channel_mask(mask)) return false;
      texture_destination.address.set(words_, n), texture_destination.relative.set(words_, relative);
      field<US_CMN_INST::RGB_WMASK>.set(words_, mask), field<US_CMN_INST::ALPHA_WMASK>.set(words_, mask >> 3);
    }
    uint32_t id = 0;
    if (!take(',') || !take("tex") || !number(16, id, "texture")) return failed("', tex0' to ', tex15' follow the destination");
    field<US_TEX_INST::TEX_ID>.set(words_, id);
    if (!texture_swizzle(texture_destination)) return false;
    if (!take(',')) return failed("the texture coordinates are missing: ', t1.xyzw'");
    if (!texture_register(texture_source)) return false;
    if (op != TEX_DXDY) return true;
    for (const TextureOperand* o : {&texture_dx, &texture_dy})
      if (!take(',') || !texture_register(*o)) return failed("dxdy has two registers more, the coordinates' changes in x and y");
    return true;
  }
  bool texture_register(const TextureOperand& o) {
    uint32_t n = 0;
    uint8_t relative = 0;
    if (skip(); peek() != 't' && peek() != 'i') return failed("texture coordinates stand in t0-t127");
    uint32_t limit = peek() == 't' ? kTemporaries : kInputs;
    at_++;
    if (!register_number(limit, n, relative)) return false;
    o.address.set(words_, n), o.relative.set(words_, relative);
    return texture_swizzle(o);
  }
  bool texture_swizzle(const TextureOperand& o) {
    const Field* fields[] = {&o.s, &o.t, &o.r, &o.q};
    std::string_view letters = xyzw;
    if (peek() == '.') at_++, letters = word();
    if (letters.size() != 4 && letters.size() != 1) return failed("a swizzle here has 4 letters, or one for all");
    for (size_t c = 0; c < 4; c++) {
      size_t swizzle = channel(letters[letters.size() == 1 ? 0 : c]);
      if (swizzle > 3)
        return failed(fmt::format("'{}' is no channel: x y z w (r g b a) are", letters[letters.size() == 1 ? 0 : c]));
      fields[c]->set(words_, uint32_t(swizzle));
    }
    return true;
  }

  // --- pieces
  static size_t channel(char c) { return std::min(rgba.find(c), xyzw.find(c)); }
  bool number(uint32_t limit, uint32_t& n, std::string_view what = "register") {
    skip();
    size_t from = at_;
    n = 0;
    while (is_digit(peek()) && n < 1000) n = n * 10 + uint32_t(text_[at_++] - '0');
    if (at_ == from) return failed(fmt::format("a number is missing ({})", what));
    if (n >= limit) return failed(fmt::format("{} {}: the last one is {}", what, n, limit - 1));
    return true;
  }
  // "12" or "[al+12]"
  bool register_number(uint32_t limit, uint32_t& n, uint8_t& relative) {
    if (peek() != '[') return is_digit(peek()) ? number(limit, n) : failed("a register number is missing");
    at_++, relative = 1;
    if (!take("al") || !take('+')) return failed("a relative address is [al+0], the loop register and a number");
    return number(limit, n) && (take(']') || failed("']' is missing"));
  }
  bool predicate(Half& h) {
    if (!take('(')) return true;
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
    return take(')') || failed("')' is missing after the predicate");
  }
  bool channel_mask(uint8_t& mask) {
    if (peek() != '.') return failed("a destination names its channels: .rgb, .xy, .a");
    at_++;
    for (char c : word()) {
      size_t n = channel(c);
      if (n > 3) return failed(fmt::format("'{}' is no channel", c));
      if (mask >> n & 1) return failed(fmt::format("channel '{}' is named twice", c));
      mask = uint8_t(mask | 1u << n);
    }
    return mask || failed("a destination names its channels: .rgb, .xy, .a");
  }
  // A number as an inline constant.
  bool inline_number(uint8_t& address) {
    size_t from = at_;
    while (is_digit(peek()) || peek() == '.') at_++;
    float value = 0;
    std::string_view digits = std::string_view(text_).substr(from, at_ - from);
    auto end = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (end.ec == std::errc() && end.ptr == digits.data() + digits.size())
      for (unsigned n = 128; n < 256; n++)
        if (inline_value(uint8_t(n)) == value) return address = uint8_t(n), true;
    return failed(
        fmt::format("{}: of numbers there are 0, 0.5, 1 and the inline constants, 4 bits of exponent and 3 of mantissa; "
                    "others stand in c0-c255",
                    digits));
  }
  bool slot(Slot& s) {
    skip();
    s = {};
    if (is_digit(peek())) {
      if (!inline_number(s.address)) return false;
      if (take("+al")) s.relative = 1;
      return true;
    }
    char bank = peek();
    if (bank != 't' && bank != 'c' && bank != 'i') return failed("a source is t0-t127, c0-c255, i0-i15 or a number");
    at_++, s.constant = bank == 'c';
    uint32_t n = 0;
    if (!register_number(bank == 't' ? kTemporaries : bank == 'c' ? kConstants : kInputs, n, s.relative)) return false;
    s.address = uint8_t(n);
    return true;
  }
  bool addresses(int unit, uint8_t& presubtract) {
    for (int n = 0; n < 3; n++)
      if ((n && !take(',')) || !slot(pair_.slot[unit][n]))
        return failed("three source addresses of a unit are separated by commas");
    if (!take(',')) return true;
    skip();
    for (uint8_t n = 0; n < 4; n++)
      if (take(presubtract_names[n])) return presubtract = n, true;
    return failed("a presubtraction is 1-2*s0, s1-s0, s1+s0 or 1-s0");
  }

  // --- halves
  bool half(WrittenHalf& w) {
    Half& h = w.half;
    skip();
    std::string_view name = word();
    if (name == "nop") return w.nop = true;
    auto row = std::find_if(std::begin(op_rows), std::end(op_rows), [&](const OpRow& r) { return r.name == name; });
    if (row == std::end(op_rows)) return failed(fmt::format("'{}' is no operation", name));
    h.op = row->op;
    int compare = -1;
    while (peek() == '.') {
      at_++;
      if (!suffix(word(), h, compare)) return false;
    }
    do {
      if (!destination(w)) return false;
    } while (take('+'));
    if ((compare >= 0) != w.predicates)
      return failed("predicate bits are set by a comparison with 0: .eq, .lt, .ge or .ne, with p as a destination");
    if (compare >= 0) h.target = uint8_t(compare);
    for (int n = 0; n < row->sources; n++) {
      if (!take(',')) return failed(fmt::format("{} has {} sources", row->name, row->sources));
      if (!source(w.source[n])) return false;
    }
    return true;
  }
  bool suffix(std::string_view s, Half& h, int& compare) {
    auto omod = std::find(std::begin(omod_names) + 1, std::end(omod_names), s);
    auto compared = std::find(std::begin(compare_names), std::end(compare_names), s);
    bool is_repeated = false;
    if (s == "sat")
      is_repeated = h.clamp, h.clamp = 1;
    else if (omod != std::end(omod_names))
      is_repeated = h.omod != OMOD_NONE, h.omod = uint8_t(omod - std::begin(omod_names));
    else if (compared != std::end(compare_names))
      is_repeated = compare >= 0, compare = int(compared - std::begin(compare_names));
    else
      return failed(fmt::format("'.{}' is no suffix: sat, x2, x4, x8, d2, d4, d8, exact, eq, lt, ge, ne are", s));
    return !is_repeated || failed(fmt::format("'.{}': one of its kind is given already", s));
  }
  bool destination(WrittenHalf& w) {
    Half& h = w.half;
    if (take("depth")) return w.depth = true;
    if (take('_')) return true;
    char bank = (skip(), peek());
    uint32_t n = 0;
    uint8_t mask = 0, relative = 0;
    at_ += bank != '\0';
    if (bank == 't' || bank == 'o') {
      if (!register_number(bank == 't' ? kTemporaries : kOutputs, n, relative)) return false;
      if (bank == 'o' && relative) return failed("an output has a number");
    } else if (bank != 'p') {
      return failed("a destination is t0-t127, o0-o3, p, depth or _, with its channels: t0.rgb");
    }
    if (!channel_mask(mask)) return false;
    if (bank == 't') {
      if (h.mask) return failed("one temporary is written at most");
      h.destination = uint8_t(n), h.destination_relative = relative, h.mask = mask;
    } else {
      if (h.extra_mask) return failed("one output or the predicate is written at most");
      (bank == 'p' ? w.predicates : w.output) = true;
      h.extra_mask = mask, h.target = uint8_t(n);
    }
    return true;
  }
  bool source(Written& s) {
    s.given = true;
    if (take('-')) s.modifiers |= MOD_NEGATE;
    bool absolute = take('|');
    if (absolute) s.modifiers |= MOD_ABSOLUTE;
    skip();
    if (is_digit(peek())) {
      uint8_t letter = SWIZZLE_A, address = 0;
      if (!inline_number(address)) return false;
      float value = inline_value(address);
      if (value == 0) letter = SWIZZLE_ZERO;
      if (value == 0.5f) letter = SWIZZLE_HALF;
      if (value == 1) letter = SWIZZLE_ONE;
      if (letter == SWIZZLE_A && addressed_) return failed("behind addresses in braces a source is s0, s1, s2, sp, 0, 0.5 or 1");
      if (letter == SWIZZLE_A) s.has_slot = true, s.slot.address = address;
      std::fill(std::begin(s.letters), std::end(s.letters), letter);
      s.number = true, s.length = 1;
    } else {
      if (addressed_) {
        size_t select = take('s') ? std::string_view("012p").find(peek()) : std::string_view::npos;
        if (select > 3) return failed("behind addresses in braces a source is s0, s1, s2, sp, 0, 0.5 or 1");
        at_++, s.select = uint8_t(select);
      } else {
        s.has_slot = true;
        if (!slot(s.slot)) return false;
      }
      if (peek() == '.') {
        at_++;
        for (char c : word()) {
          size_t swizzle = std::min(rgba.find(c), swizzle_letters.find(c));
          if (swizzle > 7) return failed(fmt::format("'{}' is no swizzle: x y z w (r g b a), 0, h (0.5), 1, _ are", c));
          if (s.length == 4) return failed("a swizzle has 1, 3 or 4 letters");
          s.letters[s.length++] = uint8_t(swizzle);
        }
        if (s.length == 0 || s.length == 2) return failed("a swizzle has 1, 3 or 4 letters");
        if (s.length == 1) std::fill(std::begin(s.letters), std::end(s.letters), s.letters[0]);
      } else {
        for (uint8_t c = 0; c < 4; c++) s.letters[c] = c;
      }
    }
    return !absolute || take('|') || failed("the second '|' of an absolute value is missing");
  }

  // --- both halves together
  bool combine(WrittenHalf& rgb, WrittenHalf& alpha) {
    for (WrittenHalf* w : {&rgb, &alpha}) {
      bool of_alpha = w == &alpha;
      const OpRow& row = row_of(w->half.op);
      if ((of_alpha ? row.alpha : row.rgb) < 0)
        return failed(of_alpha ? "the alpha unit has no such operation" : "the RGB unit has no such operation");
      if ((w->half.mask | w->half.extra_mask) & ~(of_alpha ? 8 : 7))
        return failed(of_alpha ? "the alpha unit writes a (w) only" : "the RGB unit writes r, g, b (x, y, z) only");
      if (w->depth && !of_alpha) return failed("the alpha unit's result can be the depth, the RGB unit's cannot");
      // In braces whatever the words can say.
      if (!addressed_ && w->half.omod == OMOD_EXACT && (!row.selects || w->half.clamp))
        return failed("exact is for min, max, cnd and cmp, without sat");
    }
    if ((rgb.output || alpha.output) && (rgb.predicates || alpha.predicates))
      return failed("an instruction writes outputs or predicates, not both");
    const Op rgb_op = rgb.half.op, alpha_op = alpha.half.op;
    rgb.half.presubtract = pair_.rgb.presubtract, alpha.half.presubtract = pair_.alpha.presubtract;
    pair_.rgb = rgb.half, pair_.alpha = alpha.half;
    pair_.output = rgb.output || alpha.output, pair_.depth = alpha.depth;
    bool fourth = rgb_op == Op::Dp4 && (alpha_op == Op::Dp || alpha.nop);
    if (rgb_op == Op::Dp4 && !fourth && !addressed_)
      return failed("dp4 takes the alpha unit's operands: only dp can stand beside it");
    if (std::string_view why = meaningless(pair_); !why.empty() && !addressed_) return failed(std::string(why));
    SourceNeeds needs;
    for (int n = 0; n < row_of(rgb_op).sources; n++) {
      const Written& s = rgb.source[n];
      if (fourth && s.length == 3) return failed("a source of dp4 has four channels, or one for all");
      if (!fourth && s.length == 4) return failed("a source of the RGB unit has three channels, or one for all");
      Operand& o = pair_.rgb.operand[n];
      o.select = s.select, o.modifiers = s.modifiers;
      std::copy(s.letters, s.letters + 3, o.swizzle);
      Operand& a = pair_.alpha.operand[n];
      if (fourth) a.select = s.select, a.modifiers = s.modifiers, a.swizzle[0] = s.letters[3];
      if (s.has_slot) needs.push_back({s.slot, std::span(s.letters, fourth ? 4 : 3), &o.select, fourth ? &a.select : nullptr});
    }
    for (int n = 0; n < row_of(alpha_op).sources && !alpha.nop; n++) {
      Written& s = alpha.source[n];
      if (s.length > 1) return failed("a source of the alpha unit has one channel");
      if (s.length == 0) s.letters[0] = SWIZZLE_A;
      Operand& o = pair_.alpha.operand[n];
      o.select = s.select, o.modifiers = s.modifiers, o.swizzle[0] = s.letters[0];
      if (s.has_slot) needs.push_back({s.slot, std::span(s.letters, 1), &o.select});
    }
    if (!addressed_ && !address_sources(needs, pair_))
      return failed("the sources do not fit into three RGB and three alpha addresses (docs/r500-assembly.md)");
    words_ = words_of(pair_);
    return true;
  }

  // "@last @stat_we=15 @us_alu_rgb_inst.target=1 @word4=0x1"
  bool additions() {
    while (take('@')) {
      size_t from = at_;
      word();
      if (peek() == '.') at_++, word();
      std::string name = text_.substr(from, at_ - from);
      uint32_t value = 1;
      bool valued = peek() == '=';
      const NamedField* field = nullptr;
      NamedField whole{{0, 31, 0}, ""};
      if (name.size() == 5 && name.starts_with("word") && name[4] >= '0' && name[4] < '0' + int(kWords)) {
        whole.word = uint8_t(name[4] - '0'), field = &whole;
      } else {
        for (const Layout& layout : layout_of(type_of(words_)))
          for (const NamedField& f : layout.fields)
            if (name == lower(layout.name) + "." + lower(f.name) || name == field_name(type_of(words_), layout, f)) field = &f;
      }
      if (!field) return failed(fmt::format("'@{}' is no field of such an instruction", name));
      if (valued) {
        at_++;
        std::string_view given = word();
        auto names = value_names(field->name);
        auto named = std::find(names.begin(), names.end(), given);
        bool hex = given.starts_with("0x");
        std::string_view digits = given.substr(hex ? 2 : 0);
        auto end = std::from_chars(digits.data(), digits.data() + digits.size(), value, hex ? 16 : 10);
        if (named != names.end())
          value = uint32_t(named - names.begin());
        else if (digits.empty() || end.ec != std::errc() || end.ptr != digits.data() + digits.size())
          return failed(fmt::format("@{}: '{}' is no value", name, given));
      } else if (field->high != field->low) {
        return failed(fmt::format("@{} has {} bits: it needs a value, @{}=...", name, field->high - field->low + 1, name));
      }
      if (value > field->largest())
        return failed(fmt::format("@{}: {} does not fit, {} is the largest", name, value, field->largest()));
      field->set(words_, value);
    }
    return true;
  }
};

}  // namespace

Expected<Words> parse(std::string_view text) { return Parser(text).run(); }

}  // namespace Atoll::r500
