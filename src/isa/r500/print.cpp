// Words to text. An instruction is written with registers' names as long as the parser would choose the same source addresses,
// otherwise with its six addresses in braces; what the text leaves out follows as `@field=value`.
#include <fmt/format.h>

#include <optional>

#include "isa/r500/spelling.h"
#include "isa/r500/text.h"

namespace Atoll::r500 {
namespace {

std::string channels(uint32_t mask) {
  std::string text = ".";
  for (size_t c = 0; c < 4; c++)
    if (mask >> c & 1) text += rgba[c];
  return text;
}

std::string register_text(char bank, uint32_t n, bool relative) {
  return relative ? fmt::format("{}[al+{}]", bank, n) : fmt::format("{}{}", bank, n);
}
std::string slot_text(const Slot& s) {
  if (s.is_inline() && !s.relative) return fmt::format("{}", inline_value(s.address));
  if (s.is_inline()) return fmt::format("{}+al", inline_value(s.address));
  return register_text(s.constant ? 'c' : 't', s.address, s.relative);
}

class PairPrinter {
public:
  PairPrinter(const Pair& pair, bool named) : p_(pair), named_(named) {}
  // Nothing: sources cannot be written by register names.
  std::optional<std::string> run() {
    std::string text;
    if (!named_) text = "{" + slots(0, p_.rgb) + " | " + slots(1, p_.alpha) + "} ";
    text += half(p_.rgb, false) + " | " + half(p_.alpha, true);
    if (failed_) return {};
    return text;
  }

private:
  const Pair& p_;
  bool named_, failed_ = false;

  std::string slots(int unit, const Half& h) {
    const Slot* s = p_.slot[unit];
    std::string text = fmt::format("{}, {}, {}", slot_text(s[0]), slot_text(s[1]), slot_text(s[2]));
    bool used = h.presubtract != 0;
    for (const Half* other : {&p_.rgb, &p_.alpha})
      for (const Operand& o : other->operand) used |= o.select == SELECT_SRCP;
    return used ? fmt::format("{}, {}", text, presubtract_names[h.presubtract]) : text;
  }

  std::string half(const Half& h, bool alpha) {
    std::string text;
    if (h.predicate) text = fmt::format("({}{}) ", h.predicate_inverted ? "!" : "", predicate_names[h.predicate]);
    if (is_nop(h, alpha && p_.rgb.op == Op::Dp4) && !(alpha && p_.depth)) return text + "nop";
    text += row_of(h.op).name;
    if (h.clamp) text += ".sat";
    if (h.omod) text += fmt::format(".{}", omod_names[h.omod]);
    if (!p_.output && h.extra_mask) text += fmt::format(".{}", compare_names[h.target]);
    std::string destinations;
    auto add = [&](const std::string& one) { destinations += (destinations.empty() ? " " : "+") + one; };
    if (h.mask) add(register_text('t', h.destination, h.destination_relative) + channels(h.mask));
    if (h.extra_mask) add((p_.output ? fmt::format("o{}", h.target) : "p") + channels(h.extra_mask));
    if (alpha && p_.depth) add("depth");
    text += destinations.empty() ? " _" : destinations;
    for (int n = 0; n < row_of(h.op).sources; n++) text += ", " + source(h, n, alpha);
    return text;
  }

  std::string source(const Half& h, int n, bool alpha) {
    const Operand& o = h.operand[n];
    size_t count = alpha ? 1 : 3;
    uint8_t swizzle[4] = {o.swizzle[0], o.swizzle[1], o.swizzle[2]};
    if (!alpha && takes_alpha_operands(p_)) swizzle[count++] = p_.alpha.operand[n].swizzle[0];
    std::string letters;
    bool rgb_read = false, alpha_read = false, same = true;
    for (size_t c = 0; c < count; c++) {
      letters += swizzle_letters[swizzle[c]];
      rgb_read |= swizzle[c] < SWIZZLE_A, alpha_read |= swizzle[c] == SWIZZLE_A;
      same &= swizzle[c] == swizzle[0];
    }
    std::string text;
    if (same && !rgb_read && !alpha_read && swizzle[0] != SWIZZLE_UNUSED && (named_ || o.select == SELECT_SRC0)) {
      text = swizzle[0] == SWIZZLE_ZERO ? "0" : swizzle[0] == SWIZZLE_HALF ? "0.5" : "1";
    } else if (!named_) {
      text = fmt::format("s{}.{}", o.select == SELECT_SRCP ? 'p' : char('0' + o.select), letters);
    } else if (!rgb_read && !alpha_read) {
      text = "t0." + letters;
    } else if (o.select == SELECT_SRCP) {
      failed_ = true;
    } else {
      const Slot &of_rgb = p_.slot[0][o.select], &of_alpha = p_.slot[1][o.select], &read = rgb_read ? of_rgb : of_alpha;
      failed_ |= rgb_read && alpha_read && of_rgb != of_alpha;
      failed_ |= read.is_inline() && (rgb_read || !same || read.relative);
      text = slot_text(read);
      if (!read.is_inline()) text += "." + letters;
    }
    if (o.modifiers & MOD_ABSOLUTE) text = "|" + text + "|";
    if (o.modifiers & MOD_NEGATE) text = "-" + text;
    return text;
  }
};

std::string texture_register(const Words& words, const TextureOperand& o) {
  std::string text = register_text('t', o.address.get(words), o.relative.get(words)) + ".";
  for (const Field* f : {&o.s, &o.t, &o.r, &o.q}) text += xyzw[f->get(words)];
  return text;
}

std::string predicate_prefix(const Words& words) {
  uint32_t sel = field<US_CMN_INST::RGB_PRED_SEL>.get(words);
  return sel ? fmt::format("({}{}) ", field<US_CMN_INST::RGB_PRED_INV>.get(words) ? "!" : "", predicate_names[sel])
             : std::string();
}

std::string texture(const Words& words) {
  uint32_t op = field<US_TEX_INST::INST>.get(words),
           mask = field<US_CMN_INST::RGB_WMASK>.get(words) | field<US_CMN_INST::ALPHA_WMASK>.get(words) << 3;
  std::string text = fmt::format("{}{}", predicate_prefix(words), texture_names[op]);
  if (op == TEX_NOP) return text;
  if (op == TEX_TEXKILL) return text + " " + texture_register(words, texture_source);
  std::string swizzle;
  for (const Field* f : {&texture_destination.s, &texture_destination.t, &texture_destination.r, &texture_destination.q})
    swizzle += xyzw[f->get(words)];
  std::string to = register_text('t', texture_destination.address.get(words), texture_destination.relative.get(words));
  text += fmt::format(" {}, tex{}.{}, {}", mask ? to + channels(mask) : "_", field<US_TEX_INST::TEX_ID>.get(words), swizzle,
                      texture_register(words, texture_source));
  if (op == TEX_DXDY) text += ", " + texture_register(words, texture_dx) + ", " + texture_register(words, texture_dy);
  return text;
}

std::string flow(const Words& words) {
  return fmt::format("{}{} {}", predicate_prefix(words), flow_names[field<US_FC_INST::OP>.get(words)],
                     field<US_FC_ADDR::JUMP_ADDR>.get(words));
}

struct Version {
  std::string text;
  size_t added = 0;
};

// The text with what it leaves out of the words.
std::optional<Version> complete(const std::string& text, const Words& words) {
  auto parsed = parse(text);
  if (!parsed) return {};
  Words is = *parsed;
  Version version{text};
  auto add = [&](const std::string& one) { version.text += " @" + one, version.added++; };
  for (const Layout& layout : layout_of(type_of(words)))
    for (const NamedField& field : layout.fields) {
      uint32_t value = field.get(words);
      if (field.get(is) == value) continue;
      field.set(is, value);
      std::string name = field_name(type_of(words), layout, field);
      if (auto names = value_names(field.name); value < names.size())
        add(fmt::format("{}={}", name, names[value]));
      else if (field.high == field.low && value == 1)
        add(name);
      else
        add(fmt::format("{}={}", name, value));
    }
  for (uint32_t n = 0; n < kWords; n++)  // bits of no field
    if (is[n] != words[n]) add(fmt::format("word{}={:#x}", n, words[n]));
  return version;
}

}  // namespace

std::string print(const Words& words) {
  Type type = type_of(words);
  std::optional<Version> best;
  if (type == Type::Tex) {
    best = complete(texture(words), words);
  } else if (type == Type::Fc) {
    best = complete(flow(words), words);
  } else {
    Pair pair = pair_of(words);
    best = complete(PairPrinter(pair, false).run().value_or(""), words);
    if (auto text = PairPrinter(pair, true).run())
      if (auto named = complete(*text, words); named && (!best || named->added <= best->added)) best = named;
  }
  // The parser takes every text that is made here (a test goes over random words).
  return best ? best->text : fmt::format("(no text for {:08x})", fmt::join(words, " "));
}

}  // namespace Atoll::r500
