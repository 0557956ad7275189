// The syntax is that of IGA's documentation (IGC: documentation/iga) and of its lexer and parser, whose defaults for what the text
// leaves out are these (visa/iga/IGALibrary/Frontend/KernelParser.cpp).
#include "isa/xe_lp/parse.h"

#include <algorithm>
#include <iterator>

#include "isa/xe_lp/immediate.h"
#include "isa/xe_lp/line_reader.h"

namespace Atoll::xe_lp {
namespace {

template <class Names>
std::optional<unsigned> index_of(const Names& names, std::string_view name) {
  auto found = name.empty() ? std::end(names) : std::find(std::begin(names), std::end(names), name);
  if (found == std::end(names)) return {};
  return unsigned(found - std::begin(names));
}

struct Parser : LineReader {
  FindLabel find = nullptr;
  void* context = nullptr;
  Parsed out = {};
  const Opcode* row = nullptr;
  bool flag_named = false;
  // The numbers in the annotations; -1: not given.
  int distance = -1, token = -1;
  enum { TOKEN_SET, TOKEN_DST, TOKEN_SRC } token_kind = TOKEN_SET;

  Instruction& i() { return out.instruction; }
  // --- the front: (W&~f0.0.any2h) name.function (8|M0) (lt)f0.0
  bool flag() {
    auto word = take_word();
    if (word != "f0" && word != "f1") return wrong("'{}' is no flag register: there are f0 and f1", word);
    uint8_t number = uint8_t(word[1] - '0'), half = 0;
    if (text.size() > 1 && text[0] == '.' && is_digit(text[1])) {
      text.remove_prefix(1);
      unsigned n = 0;
      if (!small(n, "a flag's half")) return false;
      if (n > 1) return wrong("a flag register has the halves .0 and .1");
      half = uint8_t(n);
    }
    if (flag_named && (number != i().flag || half != i().flag_half))
      return wrong("predicate and condition modifier name the same flag");
    flag_named = true;
    i().flag = number, i().flag_half = half;
    return true;
  }
  bool predicate() {
    if (!take("(")) return true;
    if (peek_word() == "W") {
      take_word();
      i().no_mask = true;
      if (!take("&")) return need(")", "behind (W");
    }
    i().predicate_inverted = take("~");
    if (!flag()) return false;
    i().predicate = 1;
    if (take(".")) {
      auto word = take_word();
      auto known = index_of(predicate_names, "." + std::string(word));
      if (!known) return wrong("'.{}' is no predicate control", word);
      i().predicate = uint8_t(*known);
    }
    return need(")", "behind the predicate");
  }
  bool name() {
    auto word = take_word();
    row = find_opcode(word);
    if (!row) return wrong("'{}' is no instruction of Xe-LP", word);
    i().op = row->op;
    if (i().op == Op::Jmpi) i().no_mask = true;  // one channel, whatever the mask
    auto function = [&](const auto& names, std::string_view what) {
      std::string_view part = take(".") ? take_word() : std::string_view();
      auto known = index_of(names, part);
      if (!known) return wrong("'{}.{}': no such {}", word, part, what);
      i().function = uint8_t(*known);
      return true;
    };
    if (row->format == Format::Math) return function(math_names, "math function");
    if (row->format == Format::Send) return function(sfid_names, "shared function");
    if (row->format == Format::Sync) return function(sync_names, "sync function");
    if (take(".")) {
      if (!(row->traits & BRANCH_CONTROL) || take_word() != "b") return wrong("{} has no such suffix", word);
      i().branch_control = true;
    }
    return true;
  }
  bool size() {
    bool without = row->format == Format::Sync || row->format == Format::Nullary || i().op == Op::Jmpi;
    // sync's scoreboard set begins as an execution size does.
    if (without && (!at("(") || !is_digit(text.size() > 1 ? text[1] : ' '))) return true;
    unsigned lanes = 0, channel = 0;
    if (!need("(", "before the execution size") || !small(lanes, "the execution size")) return false;
    if (lanes == 0 || lanes > 32 || (lanes & (lanes - 1))) return wrong("the execution size is 1, 2, 4, 8, 16 or 32");
    if (take("|")) {
      if (!take("M") || !small(channel, "the channel offset")) return wrong("the channel offset is M0, M4 .. M28");
      if (channel % 4 || channel > 28) return wrong("the channel offset is M0, M4 .. M28");
    }
    i().lanes = uint8_t(lanes), i().channel = uint8_t(channel);
    return need(")", "behind the execution size");
  }
  bool condition() {
    blanks();
    if (!text.starts_with("(")) return true;
    std::string_view before = text;
    take("(");
    auto word = take_word();
    auto known = index_of(condition_names, word);
    bool macro = word == "eo";
    if ((!known && !macro) || !take(")")) {
      text = before;
      return true;
    }
    if (macro && !is_macro(i())) return wrong("(eo) is for math.invm and math.rsqtm");
    if (!macro) {
      i().condition = Condition(*known);
      if (!(row->traits & CONDITION)) return wrong("{} takes no condition modifier", row->name);
    }
    return flag();
  }

  // --- operands
  bool register_name(Operand& o) {
    std::string_view word = peek_word();
    size_t letters = 0;
    while (letters < word.size() && !is_digit(word[letters])) letters++;
    const FileRow* file = find_file(word.substr(0, letters));
    if (!file) return false;
    unsigned number = 0;
    for (char c : word.substr(letters)) {
      if (!is_digit(c)) return false;
      number = std::min(number * 10 + unsigned(c - '0'), 9999u);
    }
    if (letters == word.size() && file->registers) number = 0;
    text.remove_prefix(word.size());
    o.kind = Kind::Direct, o.file = file->file;
    if (!file->registers) number = 0;
    // acc8 to acc15 are mme0 to mme7
    if (o.file == File::Acc && number >= file->registers) o.file = File::Mme, number -= row_of(File::Mme).first;
    unsigned most = o.file == File::Grf ? 256 : std::max<unsigned>(row_of(o.file).registers, 1);
    if (number >= most) return wrong("'{}': there is no such register", word);
    o.number = uint8_t(number);
    return true;
  }
  bool address(Operand& o) {
    unsigned n = 0;
    if (take_word() != "a0" || !take(".") || !small(n, "the element of a0")) return wrong("an address is a0.0 to a0.15");
    o.kind = Kind::Indirect, o.file = File::Grf, o.number = uint8_t(std::min(n, 255u));
    int sign = 0;
    if (take(","))
      sign = take("-") ? -1 : 1;
    else if (take("+"))
      sign = 1;
    else if (take("-"))
      sign = -1;
    if (sign) {
      if (!small(n, "an indirect operand's offset")) return false;
      o.offset = int16_t(sign * int(std::min(n, 9999u)));
      if (o.offset < -512 || o.offset > 511) return wrong("an indirect operand's offset is -512 to 511");
    }
    return need("]", "behind the address");
  }
  bool mme(Operand& o) {
    auto word = take(".") ? take_word() : std::string_view();
    if (word == "nomme") {
      o.mme = kNoMme;
      return true;
    }
    if (word.size() != 4 || !word.starts_with("mme") || word[3] < '0' || word[3] > '7')
      return wrong("a math macro's operand has .mme0 to .mme7 or .nomme");
    o.mme = uint8_t(word[3] - '0');
    return true;
  }
  std::optional<Type> type() {
    blanks();
    if (!text.starts_with(":")) return {};
    std::string_view before = text;
    take(":");
    auto word = take_word();
    for (unsigned n = 0; n <= unsigned(Type::VF); n++)
      if (!word.empty() && name_of(Type(n)) == word) return Type(n);
    text = before;
    return {};
  }
  bool subregister(Operand& o, unsigned n) {
    const FileRow& file = row_of(o.file);
    unsigned bytes = file.scaled ? n << log2_bytes(o.type) : n;
    if (bytes > 31) return wrong("subregister .{} lies behind its register", n);
    o.sub = uint8_t(bytes);
    return true;
  }
  bool destination() {
    Operand& o = i().dst;
    bool send = row->format == Format::Send, branch = row->format == Format::Branch;
    if (!send && take("(sat)")) i().saturate = true;
    unsigned sub = 0;
    if (peek_word() == "r") {
      take_word();
      if (!need("[", "behind r") || !address(o)) return false;
    } else {
      if (!register_name(o)) return wrong("the destination is no register");
      if (is_macro(i())) {
        if (!mme(o)) return false;
      } else if (!text.empty() && text[0] == '.') {
        text.remove_prefix(1);
        if (!small(sub, "a subregister")) return false;
      }
    }
    o.horizontal = 1;
    if (take("<")) {
      unsigned h = 0;
      if (!small(h, "the destination's stride")) return false;
      if (h != 1 && h != 2 && h != 4) return wrong("a destination's stride is <1>, <2> or <4>");
      o.horizontal = uint8_t(h);
      if (!need(">", "behind the destination's stride")) return false;
    }
    auto t = type();
    if (send) {
      o.type = Type::UB, o.horizontal = 1;
      return true;
    }
    if (branch)
      o.type = Type::D;
    else if (!t)
      return wrong("the destination's type is missing");
    else
      o.type = *t;
    return o.kind == Kind::Indirect || subregister(o, sub);
  }
  bool region(Operand& o, unsigned n, bool explicit_sub) {
    bool scalar = explicit_sub || i().lanes == 1;
    unsigned v = 0, w = 0, h = 0;
    auto keep = [&] {
      if (v != kVxH && (v > 32 || (v & (v - 1)))) return wrong("a vertical stride is 0, 1, 2, 4, 8, 16 or 32");
      if (w > 16 || (w & (w - 1))) return wrong("a region's width is 1, 2, 4, 8 or 16");
      if (h > 4 || h == 3) return wrong("a horizontal stride is 0, 1, 2 or 4");
      o.vertical = uint8_t(v), o.width = uint8_t(w), o.horizontal = uint8_t(h);
      return true;
    };
    bool given = take("<");
    if (row->format == Format::Ternary) {
      if (!given) {
        o.vertical = n < 2 && !scalar, o.horizontal = n == 2 && !scalar;
        return true;
      }
      if (n < 2 && (!small(v, "the vertical stride") || !need(";", "behind the vertical stride"))) return false;
      return small(h, "the horizontal stride") && need(">", "behind the region") && keep();
    }
    if (!given) {
      bool plain = o.kind == Kind::Indirect || (!scalar && row_of(o.file).subregisters) || (!scalar && o.file == File::Null);
      o.vertical = plain, o.width = 1, o.horizontal = 0;
      return true;
    }
    if (!small(v, "the vertical stride")) return false;
    if (o.kind == Kind::Indirect && take(",")) {
      w = v, v = kVxH;
      if (w == 0) return wrong("a region's width is 1, 2, 4, 8 or 16");
      return small(h, "the horizontal stride") && need(">", "behind the region") && keep();
    }
    if (!need(";", "behind the vertical stride") || !small(w, "the width") || !need(",", "behind the width") ||
        !small(h, "the horizontal stride") || !need(">", "behind the region"))
      return false;
    if (w == 0) return wrong("a region's width is 1, 2, 4, 8 or 16");
    return keep();
  }
  bool label(Operand& o) {
    o.kind = Kind::Label, o.type = Type::None;
    blanks();
    if (auto word = peek_word(); !word.empty()) {
      take_word();
      auto place = find ? find(word, context) : std::nullopt;
      if (!place && find) return wrong("there is no label {}", word);
      if (!place) return wrong("{}: labels are for whole programs; a number counts bytes from here", word);
      o.immediate = uint64_t(*place);
      type();
      return true;
    }
    bool minus = take("-");
    auto n = take_integer();
    if (!n || *n > uint64_t(INT32_MAX) + minus) return wrong("a branch target is a label or a number of 31 bits");
    o.immediate = uint64_t(int64_t(int32_t(minus ? 0 - *n : *n)));
    type();
    return true;
  }
  bool immediate(Operand& o) {
    o.kind = Kind::Immediate;
    blanks();
    // The literal reaches to the colon of its type.
    size_t colon = text.find(':');
    if (colon == text.npos) return wrong("an operand's type is missing");
    std::string_view literal = text.substr(0, colon);
    while (!literal.empty() && literal.back() == ' ') literal.remove_suffix(1);
    text.remove_prefix(colon);
    auto t = type();
    if (!t) return wrong("an operand's type is missing");
    o.type = *t;
    auto bits = immediate_of_text(literal, *t);
    if (!bits) return wrong("{}", bits.error().message);
    o.immediate = *bits;
    return true;
  }
  bool source(unsigned n) {
    Operand& o = i().src[n];
    bool branch = row->format == Format::Branch, send = row->format == Format::Send, sync = row->format == Format::Sync;
    blanks();
    std::string_view before = text;
    if (take("-") || take("~")) o.modifiers |= MOD_NEGATE;
    if (take("(abs)")) o.modifiers |= MOD_ABSOLUTE;
    if (o.modifiers && !(row->traits & SOURCE_MODIFIERS) && !peek_word().empty() && peek_word()[0] == 'r')
      return wrong("{} takes no source modifiers", row->name);
    unsigned sub = 0;
    bool explicit_sub = false;
    if (peek_word() == "r") {
      take_word();
      if (!need("[", "behind r") || !address(o)) return false;
      if (branch || send) return wrong("{} takes no indirect operand", row->name);
    } else if (register_name(o)) {
      if (is_macro(i())) {
        if (!mme(o)) return false;
      } else if (!text.empty() && text[0] == '.') {
        text.remove_prefix(1);
        explicit_sub = true;
        if (!small(sub, "a subregister")) return false;
      }
    } else {
      if (!why.empty()) return false;
      o.modifiers = 0;
      text = before;
      if (i().op == Op::Ret) return wrong("ret takes a register");
      return branch ? label(o) : immediate(o);
    }
    if (is_macro(i()))
      o.vertical = i().lanes > 1, o.width = 1, o.horizontal = 0;
    else if (!send && !branch && !sync && !region(o, n, explicit_sub))
      return false;
    auto t = type();
    if (send || sync) {
      o.type = Type::UB;
      return !sync || o.file == File::Null || wrong("sync takes null, or a set of scoreboard entries");
    }
    if (branch)
      o.type = Type::D;
    else if (!t)
      return wrong("a source's type is missing");
    else
      o.type = *t;
    return o.kind == Kind::Indirect || subregister(o, sub);
  }
  bool scoreboard_set() {
    Operand& o = i().src[0];
    o.kind = Kind::Immediate, o.type = Type::UD;
    take("(");
    do {
      if (at(")")) break;
      unsigned n = 0;
      if (!need("$", "in a scoreboard set") || !small(n, "a scoreboard entry")) return false;
      if (n > 31) return wrong("there are the scoreboard entries $0 to $31");
      o.immediate |= uint64_t(1) << n;
    } while (take(","));
    return need(")", "behind the scoreboard set");
  }
  bool descriptor(bool& in_register, uint32_t& value, bool extended) {
    if (peek_word() == "a0") {
      take_word();
      unsigned n = 0;
      if (!need(".", "behind a0") || !small(n, "the element of a0")) return false;
      in_register = true, value = n;
      return extended || n == 0 || wrong("a descriptor in a register stands in a0.0");
    }
    auto n = take_integer();
    if (!n || *n > UINT32_MAX) return wrong("a send's {}descriptor is missing", extended ? "extended " : "");
    value = uint32_t(*n);
    return !at(":") || wrong("a descriptor has no type");
  }

  // --- behind: {Compacted,@1,$2.dst}
  bool annotation() {
    if (take("$")) {
      unsigned n = 0;
      if (!small(n, "a scoreboard entry")) return false;
      if (n > 15) return wrong("there are the scoreboard entries $0 to $15");
      if (token >= 0) return wrong("an instruction names one scoreboard entry");
      token = int(n);
      if (take(".")) {
        auto word = take_word();
        if (word != "dst" && word != "src") return wrong("behind a scoreboard entry stands .dst or .src");
        token_kind = word == "dst" ? TOKEN_DST : TOKEN_SRC;
      }
      return true;
    }
    if (take("@")) {
      unsigned n = 0;
      if (!small(n, "a distance")) return false;
      if (n > 7) return wrong("a distance is at most 7");
      distance = n ? int(n) : -1;  // @0, which words can hold, says nothing
      return true;
    }
    auto word = take_word();
    struct Flag {
      std::string_view name;
      bool* set;
    };
    const Flag flags[] = {{"AccWrEn", &i().write_accumulator}, {"Atomic", &i().atomic},
                          {"Breakpoint", &i().breakpoint},     {"Compacted", &i().compacted},
                          {"EOT", &i().end_of_thread},         {"Serialize", &i().serialize},
                          {"NoCompact", &out.not_compacted},   {"Uncompacted", &out.not_compacted}};
    for (const Flag& flag : flags) {
      if (flag.name != word) continue;
      if (*flag.set) return wrong("{} stands twice", word);
      *flag.set = true;
      if (i().compacted && out.not_compacted) return wrong("Compacted and NoCompact exclude each other");
      if (word == "EOT" && row->format != Format::Send) return wrong("EOT is for send");
      return true;
    }
    return wrong("'{}' is no annotation of an instruction", word);
  }
  bool annotations() {
    if (!take("{")) return true;
    if (!at("}")) do
        if (!annotation()) return false;
      while (take(","));
    return need("}", "behind the annotations");
  }
  bool scoreboard() {
    bool out_of_order = row->format == Format::Send || row->format == Format::Math;
    if (token < 0) {
      i().swsb = uint8_t(std::max(distance, 0));
      return true;
    }
    if (distance >= 0 && (token_kind == TOKEN_SRC || (token_kind == TOKEN_SET) != out_of_order))
      return wrong("beside a distance the scoreboard entry is {} here",
                   out_of_order ? "one that is set: $n" : "waited for: $n.dst");
    i().swsb = distance >= 0 ? uint8_t(0x80 | distance << 4 | token)
                             : uint8_t((token_kind == TOKEN_SET   ? 0x40
                                        : token_kind == TOKEN_DST ? 0x20
                                                                  : 0x30) |
                                       token);
    return true;
  }

  bool operands() {
    switch (row->format) {
      case Format::Nullary: return true;
      case Format::Sync: blanks(); return text.starts_with("(") ? scoreboard_set() : source(0);
      case Format::Send:
        return destination() && source(0) && source(1) &&
               descriptor(i().extended_descriptor_in_register, i().extended_descriptor, true) &&
               descriptor(i().descriptor_in_register, i().descriptor, false);
      case Format::Branch: {
        if ((row->traits & DESTINATION) && !destination()) return false;
        if (!source(0)) return false;
        if (row->sources == 1) return true;
        if (i().src[0].kind == Kind::Label) return source(1);
        if (peek_word() == "null") take_word(), type();
        return true;
      }
      default: break;
    }
    if (!destination()) return false;
    unsigned sources = sources_of(i());
    for (unsigned n = 0; n < sources; n++)
      if (!source(n)) return false;
    return true;
  }
  bool all() {
    if (!predicate() || !name()) return false;
    if (i().predicate && !(row->traits & PREDICATE)) return wrong("{} takes no predicate", row->name);
    if (!size() || !condition() || !operands() || !annotations() || !scoreboard()) return false;
    take(";");
    blanks();
    return text.empty() || wrong("'{}' has no meaning here", text);
  }
};

}  // namespace

Expected<Parsed> parse(std::string_view text, FindLabel find, void* context) {
  Parser parser{{text}, find, context};
  if (!parser.all()) return fail("{}", parser.why);
  return parser.out;
}

}  // namespace Atoll::xe_lp
