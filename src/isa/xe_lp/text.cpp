#include "isa/xe_lp/text.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <map>

namespace Atoll::xe_lp {
namespace {

using Text = std::string_view;

bool take(Text& t, Text prefix) {
  if (!t.starts_with(prefix)) return false;
  t.remove_prefix(prefix.size());
  return true;
}
bool take_number(Text& t, uint32_t& n) {
  auto [end, error] = std::from_chars(t.data(), t.data() + t.size(), n);
  if (error != std::errc()) return false;
  t.remove_prefix(size_t(end - t.data()));
  return true;
}

// Words of a line: blanks and commas outside of < > and ( ) divide it.
std::vector<std::string> words_in(Text line) {
  std::vector<std::string> out;
  std::string word;
  int depth = 0;
  for (char c : line) {
    if (c == '{' && !depth) break;  // scheduling options
    if (c == '<' || c == '(') depth++;
    if (c == '>' || c == ')') depth--;
    bool blank = c == ' ' || c == '\t' || c == '\r';
    if (!blank && (depth || c != ',')) word += c >= 'A' && c <= 'Z' && depth && c != 'M' && c != 'W' ? char(c + 32) : c;
    if (!depth && (blank || c == ',') && !word.empty()) out.push_back(word), word.clear();
  }
  if (!word.empty()) out.push_back(word);
  return out;
}

Expected<Type> type_of(Text t) {
  for (size_t n = 0; n < std::size(type_names); n++)
    if (type_names[n] == t) return Type(n);
  return fail("type '{}': there are ud, d, uw, w and f", t);
}

bool take_flag(Text& t, uint8_t& flag) {
  uint32_t n;
  if (!take(t, "f") || !take_number(t, n) || n > 1) return false;
  flag = uint8_t(n);
  take(t, ".0");
  return true;
}

Expected<Operand> immediate(Text whole, Text digits, Text type) {
  Operand o;
  o.file = File::Immediate;
  auto t = type_of(type);
  if (!t) return std::unexpected(t.error());
  o.type = *t;
  bool minus = take(digits, "-"), hex = digits.starts_with("0x") || digits.starts_with("0X");
  const char *first = digits.data() + (hex ? 2 : 0), *last = digits.data() + digits.size();
  uint64_t n = 0;
  if (o.type == Type::F && !hex) {
    float x = 0;
    auto [end, error] = std::from_chars(first, last, x);
    if (error != std::errc() || end != last) return fail("'{}' is no number of type f", whole);
    if (minus) x = -x;
    std::memcpy(&o.immediate, &x, 4);
    return o;
  }
  auto [end, error] = std::from_chars(first, last, n, hex ? 16 : 10);
  uint64_t most = bytes_of(o.type) == 2 ? 0xffff : 0xffffffffu;
  if (error != std::errc() || end != last || n > most || (minus && (!is_signed(o.type) || n > most / 2 + 1)))
    return fail("'{}' is no number of type {}", whole, type);
  o.immediate = minus ? 0u - uint32_t(n) : uint32_t(n);
  if (o.type == Type::W) o.immediate = uint32_t(int32_t(int16_t(o.immediate)));
  return o;
}

// [-][(abs)]r4.2<8;8,1>:f, 5:d; a destination's region is <h>.
Expected<Operand> operand(Text whole, bool destination) {
  Text t = whole;
  size_t colon = t.rfind(':');
  if (colon == t.npos) return fail("operand '{}': its type is missing (:ud :d :uw :w :f)", whole);
  Text type = t.substr(colon + 1);
  t = t.substr(0, colon);
  if (!t.empty() && (std::isdigit(static_cast<unsigned char>(t[0])) ||
                     (t.size() > 1 && t[0] == '-' && std::isdigit(static_cast<unsigned char>(t[1])))))
    return immediate(whole, t, type);
  Operand o;
  auto known = type_of(type);
  if (!known) return std::unexpected(known.error());
  o.type = *known;
  if (take(t, "-")) o.modifiers |= MOD_NEGATE;
  if (take(t, "(abs)")) o.modifiers |= MOD_ABSOLUTE;
  uint32_t n = 0, sub = 0;
  if (take(t, "null"))
    o.file = File::Null;
  else if (take(t, "acc"))
    o.file = File::Accumulator;
  else if (take(t, "a"))
    o.file = File::Address;
  else if (take(t, "r"))
    o.file = File::Grf;
  else
    return fail("operand '{}': there are r0-r127, a0, acc0, acc1, null and numbers", whole);
  if (o.file != File::Null && (!take_number(t, n) || n * kRegisterBytes >= bytes_in(o.file) || n >= kRegisters))
    return fail("operand '{}': no such register", whole);
  if (take(t, ".") && (!take_number(t, sub) || sub >= kRegisterBytes / bytes_of(o.type)))
    return fail("operand '{}': no such subregister", whole);
  o.byte = uint16_t(n * kRegisterBytes + sub * bytes_of(o.type));
  uint32_t v = destination ? 1 : 0, w = 1, h = destination ? 1 : 0;
  if (take(t, "<")) {
    bool good = take_number(t, v);
    h = v;
    if (!destination) {
      good &= take(t, ";") && take_number(t, w);
      if (take(t, ","))
        good &= take_number(t, h);
      else  // <v;h> of three-source instructions
        h = w, w = h ? v / h : 1;
      if (!w && good && !v) w = 1;
    }
    good &= take(t, ">") && v <= 255 && w <= 255 && h <= 255;
    if (!good) return fail("operand '{}': a source's region is <v;w,h>, a destination's <h>", whole);
  } else if (!destination && o.file != File::Null) {
    return fail("operand '{}': its region <v;w,h> is missing", whole);
  }
  if (!t.empty()) return fail("operand '{}': '{}' has no meaning", whole, t);
  o.vertical = destination ? 0 : uint8_t(v), o.width = uint8_t(w), o.horizontal = uint8_t(h);
  return o;
}

struct Line {
  Instruction i;
  std::vector<std::string> labels;
};

Expected<Line> instruction(std::vector<std::string> words) {
  Line line;
  Instruction& i = line.i;
  size_t at = 0;
  auto next = [&]() -> Text { return at < words.size() ? Text(words[at]) : Text(); };
  if (Text t = next(); t.starts_with("(")) {
    at++;
    take(t, "(");
    if (take(t, "W")) i.no_mask = 1, take(t, "&");
    if (t != ")") {
      bool inverted = take(t, "~") || take(t, "-");
      if (!inverted) take(t, "+");
      if (!take_flag(t, i.flag) || t != ")")
        return fail("predicate '{}': it is (f0.0), (~f0.0), (f1.0), (W) or (W&f0.0)", words[0]);
      i.predicate = inverted ? Predicate::Inverted : Predicate::Normal;
    }
  }
  Text name = next();
  size_t dot = name.find('.');
  if (dot != name.npos) {
    if (name.substr(dot) != ".sat") return fail("'{}': the only suffix is .sat", name);
    i.saturate = 1, name = name.substr(0, dot);
  }
  auto row = std::find_if(std::begin(op_rows) + 1, std::end(op_rows), [&](const OpRow& r) { return r.name == name; });
  if (row == std::end(op_rows)) return fail("'{}' is no instruction that xe-lp has here", name);
  i.op = Op(row - std::begin(op_rows));
  at++;
  Text size = next();
  uint32_t lanes = 0;
  if (!take(size, "(") || !take_number(size, lanes) || !(take(size, "|M0)") || take(size, ")")) || !size.empty() || lanes > 32)
    return fail("'{}': the execution size is (1|M0) to (32|M0), the channel offset M0", next());
  i.lanes = uint8_t(lanes);
  at++;
  if (row->writes) {
    for (; next().starts_with("("); at++) {
      Text t = next();
      if (t.starts_with("(abs)")) break;
      if (take(t, "(sat)")) {
        i.saturate = 1;
      } else {
        Text inside = t.substr(1, t.find(')') - 1);
        auto c = std::find(std::begin(condition_names) + 1, std::end(condition_names), inside);
        if (c == std::end(condition_names)) return fail("'{}': a condition modifier is (eq) (ne) (gt) (ge) (lt) (le)", t);
        i.condition = Condition(c - std::begin(condition_names));
        take(t, "("), take(t, inside), take(t, ")");
        if (!take_flag(t, i.condition_flag)) return fail("'{}': the flag is f0.0 or f1.0", words[at]);
      }
      if (!t.empty()) {
        words[at] = std::string(t);
        break;
      }
    }
    if (at >= words.size()) return fail("the destination is missing");
    auto dst = operand(next(), true);
    if (!dst) return std::unexpected(dst.error());
    i.dst = *dst;
    at++;
    if (words.size() - at != row->sources)
      return fail("{} takes {} sources, {} are there", name, row->sources, words.size() - at);
    for (int n = 0; at < words.size(); n++, at++) {
      auto src = operand(next(), false);
      if (!src) return std::unexpected(src.error());
      i.src[n] = *src;
    }
  } else {
    line.labels.assign(words.begin() + std::ptrdiff_t(at), words.end());
    if (line.labels.size() < row->labels_least || line.labels.size() > row->labels_most)
      return fail("{} takes {} to {} labels, {} are there", name, row->labels_least, row->labels_most, line.labels.size());
  }
  if (auto why = objection(i); !why.empty()) return fail("{}", why);
  return line;
}

}  // namespace

Expected<std::vector<uint32_t>> assemble(std::span<const std::string> lines) {
  std::vector<Line> code;
  std::map<std::string, size_t> labels;
  for (const std::string& given : lines) {
    Text rest(given);
    rest = rest.substr(0, rest.find("//"));
    std::vector<std::string> words = words_in(rest);
    while (!words.empty() && words[0].size() > 1 && words[0].back() == ':') {
      words[0].pop_back();
      if (!labels.emplace(words[0], code.size()).second) return fail("'{}': label {} stands twice", given, words[0]);
      words.erase(words.begin());
    }
    if (words.empty()) continue;
    auto line = instruction(std::move(words));
    if (!line) return fail("'{}': {}", given, line.error().message);
    code.push_back(std::move(*line));
  }
  // Where every branch leads, as an instruction's number; Joins stand where channels wait.
  struct Targets {
    size_t jip = 0, uip = 0;
  };
  std::vector<Targets> targets(code.size());
  std::vector<bool> joins(code.size() + 1);
  for (size_t n = 0; n < code.size(); n++) {
    const Line& line = code[n];
    std::vector<size_t> to;
    for (const std::string& name : line.labels) {
      auto found = labels.find(name);
      if (found == labels.end()) return fail("{}: there is no label {}", row_of(line.i.op).name, name);
      to.push_back(found->second);
      bool back = line.i.op == Op::While;
      if (back ? found->second > n : found->second <= n)
        return fail("{}: label {} does not lie {} it", row_of(line.i.op).name, name, back ? "before" : "after");
    }
    auto is = [&](size_t at, Op op) { return at < code.size() && code[at].i.op == op; };
    if (!to.empty()) targets[n] = {to[0], to.back()};
    // Channels that fail an if take the other branch; those that break are done with the loop.
    if (line.i.op == Op::If && is(targets[n].jip, Op::Else)) targets[n].jip++;
    if (line.i.op == Op::Break && is(targets[n].uip, Op::While)) targets[n].uip++;
    if (!to.empty() && line.i.op != Op::While) joins[targets[n].jip] = joins[targets[n].uip] = true;
    if (line.i.op == Op::While || line.i.op == Op::Else) joins[n + 1] = true;
  }
  std::vector<int32_t> place(code.size() + 1);
  int32_t words = 0;
  for (size_t n = 0; n <= code.size(); n++) {
    place[n] = words;
    words += int32_t(kWords) * (joins[n] + 1);
  }
  std::vector<uint32_t> out;
  auto put = [&](const Instruction& i) {
    auto more = words_of(i);
    out.insert(out.end(), more.begin(), more.end());
  };
  for (size_t n = 0; n <= code.size(); n++) {
    if (joins[n]) put(Instruction{});
    if (n == code.size()) break;
    Instruction i = code[n].i;
    if (!code[n].labels.empty()) {
      int32_t here = place[n] + (joins[n] ? int32_t(kWords) : 0);
      i.jip = place[targets[n].jip] - here, i.uip = place[targets[n].uip] - here;
    }
    put(i);
  }
  return out;
}

std::string print(const Instruction& i) {
  const OpRow& row = row_of(i.op);
  std::string out;
  if (i.no_mask || i.predicate != Predicate::None)
    out += fmt::format("({}{}{}) ", i.no_mask ? "W" : "", i.no_mask && i.predicate != Predicate::None ? "&" : "",
                       i.predicate == Predicate::None
                           ? std::string()
                           : fmt::format("{}f{}.0", i.predicate == Predicate::Inverted ? "~" : "", i.flag));
  out += fmt::format("{} ({}|M0)", row.name, i.lanes);
  if (!row.writes) {
    for (int n = 0; n < row.labels_most; n++) out += fmt::format(" {:+}", n ? i.uip : i.jip);
    return out;
  }
  out += i.saturate ? " (sat)" : " ";
  if (i.condition != Condition::None) out += fmt::format("({})f{}.0 ", condition_names[size_t(i.condition)], i.condition_flag);
  auto operand = [&](const Operand& o, bool destination) {
    Text type = type_names[size_t(o.type)];
    if (o.file == File::Null) return fmt::format("null<1>:{}", type);
    if (o.file == File::Immediate)
      return fmt::format("{:#x}:{}", bytes_of(o.type) == 2 ? o.immediate & 0xffff : o.immediate, type);
    std::string text = fmt::format("{}{}{}{}.{}", o.modifiers & MOD_NEGATE ? "-" : "", o.modifiers & MOD_ABSOLUTE ? "(abs)" : "",
                                   o.file == File::Grf       ? "r"
                                   : o.file == File::Address ? "a"
                                                             : "acc",
                                   o.byte / kRegisterBytes, o.byte % kRegisterBytes / bytes_of(o.type));
    return text + (destination ? fmt::format("<{}>:{}", o.horizontal, type)
                               : fmt::format("<{};{},{}>:{}", o.vertical, o.width, o.horizontal, type));
  };
  out += operand(i.dst, true);
  for (int n = 0; n < row.sources; n++) out += " " + operand(i.src[n], false);
  return out;
}

}  // namespace Atoll::xe_lp
