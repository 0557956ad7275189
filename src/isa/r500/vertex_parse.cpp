// Text to words: a recursive descent through one line.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <vector>

#include "isa/r500/spelling.h"
#include "isa/r500/vertex_spelling.h"
#include "isa/r500/vertex_text.h"

namespace Atoll::r500::vs {
namespace {

bool is_word(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; }

// Each step gives whether it went well; `why` says what did not.
class Parser {
public:
  explicit Parser(std::string_view text) : text_(lower(text)) {}
  Expected<Words> run() {
    if (!instruction()) return fail("column {}: {}", at_ + 1, why_);
    words_ = words_of(i_);
    if (!additions()) return fail("column {}: {}", at_ + 1, why_);
    if (skip(); at_ != text_.size()) return fail("column {}: nothing more is expected here", at_ + 1);
    if (std::string_view objected = objection(words_); !objected.empty()) return fail("{}", objected);
    return words_;
  }

private:
  std::string text_, why_;
  size_t at_ = 0;
  Instruction i_;
  Words words_{};

  bool failed(std::string why) { return why_ = std::move(why), false; }
  void skip() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\r')) at_++;
  }
  char peek() { return at_ < text_.size() ? text_[at_] : '\0'; }
  bool take(char c) { return skip(), peek() == c ? (at_++, true) : false; }
  std::string_view word() {
    size_t from = at_;
    while (is_word(peek())) at_++;
    return std::string_view(text_).substr(from, at_ - from);
  }
  bool at_end() { return skip(), at_ == text_.size() || peek() == '@' || peek() == '|'; }

  bool instruction() {
    if (take('(')) {
      const bool inverted = take('!');
      if (!take('p') || !take(')')) return failed("a predicate is (p) or (!p)");
      i_.predicate = inverted ? PREDICATE_CLEAR : PREDICATE_SET;
    }
    bool is_move = false;
    if (!operation(i_.op, is_move)) return false;
    const OpRow& row = row_of(i_.op);
    if (peek() == '.' && !suffix(row.engine == Engine::math ? i_.saturate_math : i_.saturate)) return false;
    std::vector<Source> given;
    if (!at_end()) {
      if (!destination()) return false;
      while (take(',')) {
        Source s;
        if (!source(s, 4)) return false;
        given.push_back(s);
      }
    } else if (i_.op != Op::Nop && i_.op != Op::MathNop) {
      return failed("a destination is missing");
    }
    const uint8_t used = is_move ? 1 : row.sources;
    if (take('|') && !dual()) return false;
    return place(given, used);
  }

  bool operation(Op& op, bool& is_move) {
    skip();
    std::string_view name = word();
    is_move = name == "mov";
    auto row = std::find_if(std::begin(op_rows), std::end(op_rows),
                            [&](const OpRow& r) { return r.name == (is_move ? std::string_view("add") : name); });
    if (row == std::end(op_rows)) return failed(fmt::format("'{}' is no operation", name));
    op = row->op;
    return true;
  }
  bool suffix(uint8_t& saturate) {
    at_++;
    if (word() != "sat") return failed("the only suffix is .sat");
    saturate = 1;
    return true;
  }
  // The sources that are given go where the operation looks; all of them may be given.
  bool place(const std::vector<Source>& given, uint8_t used) {
    const uint8_t present = i_.is_dual ? 3 : 7;
    auto count = [](uint8_t mask) { return size_t(std::popcount(mask)); };
    if (given.size() != count(used) && given.size() != count(present))
      return failed(fmt::format("{} sources are given; {} or {} are expected", given.size(), count(used), count(present)));
    const uint8_t written = given.size() == count(used) ? used : present;
    size_t next = 0;
    for (uint8_t n = 0; n < 3; n++)
      if (present >> n & 1) i_.source[n] = written >> n & 1 ? given[next++] : left_out(i_, n);
    return true;
  }

  // "u1.x, t3.xy" behind a '|' and the operation's name
  bool dual() {
    bool is_move = false;
    if (!operation(i_.dual.op, is_move)) return false;
    if (row_of(i_.dual.op).engine != Engine::math) return failed("what stands behind '|' is a math operation");
    if (row_of(i_.op).engine != Engine::vector || row_of(i_.op).sources & 4)
      return failed("a math operation stands beside a vector operation of two sources at most");
    i_.is_dual = 1;
    if (peek() == '.' && !suffix(i_.saturate_math)) return false;
    skip();
    uint32_t n = 0;
    if (peek() != 'u') return failed("its destination is u0.x to u3.w");
    at_++;
    if (!number(n, 3) || !take('.')) return failed("its destination is u0.x to u3.w");
    size_t channel = channel_letters.find(peek());
    if (channel == std::string_view::npos || peek() == '\0') return failed("its destination is u0.x to u3.w");
    at_++;
    i_.dual.destination = uint8_t(n), i_.dual.channel = uint8_t(channel);
    return (take(',') || failed("its source is missing")) && source(i_.dual.source, 2);
  }

  bool number(uint32_t& n, uint32_t largest) {
    const char* from = text_.data() + at_;
    auto end = std::from_chars(from, text_.data() + text_.size(), n);
    if (end.ec != std::errc() || n > largest) return failed(fmt::format("a number up to {} is expected", largest));
    at_ += size_t(end.ptr - from);
    return true;
  }
  // "12", "[al+3]", "[a0.x+3]"
  bool place_in_bank(uint8_t& offset, uint8_t& mode, uint8_t& channel, uint32_t largest) {
    uint32_t n = 0;
    if (peek() != '[') return number(n, largest) && (offset = uint8_t(n), true);
    at_++;
    skip();
    std::string_view base = word();
    if (base == "al") {
      mode = BY_LOOP_INDEX;
    } else if (base == "a0" && peek() == '.') {
      at_++;
      size_t c = channel_letters.find(peek());
      if (c == std::string_view::npos || peek() == '\0') return failed("an address is a0.x, a0.y, a0.z or a0.w");
      at_++, mode = BY_ADDRESS, channel = uint8_t(c);
    } else {
      return failed("a relative register is t[al+3] or c[a0.x+3]");
    }
    if (take('+') && (skip(), !number(n, largest))) return false;
    offset = uint8_t(n);
    return take(']') || failed("']' is missing");
  }

  bool destination() {
    Destination& d = i_.destination;
    skip();
    size_t from = at_;
    while (peek() >= 'a' && peek() <= 'z') at_++;
    std::string_view bank = std::string_view(text_).substr(from, at_ - from);
    auto found = std::find(std::begin(destination_banks), std::end(destination_banks), bank);
    if (found == std::end(destination_banks)) return failed("a destination is t, o, ox, a, u or i with a number");
    d.type = uint8_t(found - std::begin(destination_banks));
    if (!place_in_bank(d.offset, d.mode, d.address_channel, 127)) return false;
    if (peek() != '.') return d.mask = 15, true;
    at_++;
    if (peek() == '_') return at_++, true;
    for (size_t last = 0; peek() && channel_letters.find(peek()) != std::string_view::npos; at_++) {
      size_t c = channel_letters.find(peek());
      if (d.mask && c <= last) return failed("the channels of a destination stand in the order x y z w");
      d.mask |= uint8_t(1 << c), last = c;
    }
    return d.mask || failed("a destination's channels are some of x y z w, or _ for none");
  }

  bool source(Source& s, uint8_t channels) {
    const bool negated = take('-'), absolute = take('|');
    s.absolute = absolute;
    skip();
    auto bank = std::find_if(std::begin(source_banks), std::end(source_banks), [&](auto b) { return b[0] == peek(); });
    if (bank == std::end(source_banks) || peek() == '\0') return failed("a source is t, i, c or u with a number");
    s.type = uint8_t(bank - std::begin(source_banks));
    at_++;
    if (!place_in_bank(s.offset, s.mode, s.address_channel, 255)) return false;
    uint8_t count = 0;
    if (peek() == '.') {
      at_++;
      while (count < channels) {
        const bool minus = peek() == '-';
        const size_t letter = at_ + minus < text_.size() ? select_letters.find(text_[at_ + minus]) : std::string_view::npos;
        if (letter == std::string_view::npos) break;
        s.swizzle[count] = uint8_t(letter), s.negate |= uint8_t(minus << count), count++;
        at_ += 1u + minus;
      }
      if (count != 1 && count != channels) return failed(fmt::format("a swizzle has 1 or {} of x y z w 0 1", channels));
      if (count == 1) {
        std::fill(s.swizzle, s.swizzle + channels, s.swizzle[0]);
        if (s.negate) s.negate = uint8_t((1 << channels) - 1);
      }
    } else {
      for (uint8_t c = 0; c < channels; c++) s.swizzle[c] = c;
    }
    if (negated && s.negate) return failed("'-' in front of the register and of a channel");
    if (negated) s.negate = uint8_t((1 << channels) - 1);
    return !absolute || take('|') || failed("the second '|' of an absolute value is missing");
  }

  // "@word3=0x12"
  bool additions() {
    while (take('@')) {
      std::string_view name = word();
      if (name.size() != 5 || !name.starts_with("word") || name[4] < '0' || name[4] >= '0' + char(kWords))
        return failed("an addition is @word0=... to @word3=...");
      if (peek() != '=') return failed("'=' is missing");
      at_++;
      std::string_view digits = word();
      const bool hex = digits.starts_with("0x");
      digits.remove_prefix(hex ? 2 : 0);
      uint32_t value = 0;
      auto end = std::from_chars(digits.data(), digits.data() + digits.size(), value, hex ? 16 : 10);
      if (digits.empty() || end.ec != std::errc() || end.ptr != digits.data() + digits.size())
        return failed("a word has 32 bits");
      words_[size_t(name[4] - '0')] = value;
    }
    return true;
  }
};

}  // namespace

Expected<Words> parse(std::string_view text) { return Parser(text).run(); }

}  // namespace Atoll::r500::vs
