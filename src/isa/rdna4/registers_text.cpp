#include "isa/rdna4/registers_text.h"

#include <fmt/format.h>

#include <charconv>

#include "isa/rdna4/operands.h"

namespace Atoll::rdna4 {
namespace {

struct Named {
  std::string_view name;
  uint16_t number, count;
};
constexpr Named names[] = {
    {"vcc", VCC_LO, 2},      {"vcc_lo", VCC_LO, 1},   {"vcc_hi", VCC_HI, 1}, {"exec", EXEC_LO, 2},
    {"exec_lo", EXEC_LO, 1}, {"exec_hi", EXEC_HI, 1}, {"m0", M0, 1},         {"null", NULL_SGPR, 0},
};

struct File {
  std::string_view prefix;
  uint16_t first, registers;
  bool vector;
};
constexpr File files[] = {{"v", 0, 256, true}, {"s", 0, 106, false}, {"ttmp", TTMP0, 16, false}};

bool digits(std::string_view text, unsigned& value) {
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

}  // namespace

std::optional<RegisterText> take_register(Lexer& text, std::string& why) {
  if (text.starts("[")) {  // a list of consecutive registers
    Lexer list = text;
    list.take("[");
    std::optional<RegisterText> all;
    do {
      auto one = take_register(list, why);
      if (!one) return {};
      if (!all) {
        all = one;
      } else if (one->vector != all->vector || one->number != all->number + all->count) {
        why = "the registers of a list must follow each other";
        return {};
      } else {
        all->count = uint16_t(all->count + one->count);
      }
    } while (list.take(","));
    if (!list.take("]")) {
      why = "expected ']' at " + list.here();
      return {};
    }
    text = list;
    return all;
  }
  std::string_view word = text.peek_word();
  RegisterText result;
  for (const Named& named : names) {
    if (word != named.name) continue;
    text.take_word();
    result.number = named.number;
    result.count = named.count;
    return result;
  }
  if (int special = special_source_number(word); special >= 0) {
    if (special == 239 || special == SRC_VCCZ || special == SRC_EXECZ) {
      why = fmt::format("this GPU has no {}", word);
      return {};
    }
    text.take_word();
    result.number = uint16_t(special);
    result.count = 0;
    return result;
  }
  for (const File& file : files) {
    if (!word.starts_with(file.prefix)) continue;
    std::string_view tail = word.substr(file.prefix.size());
    unsigned first = 0, last = 0;
    if (tail.empty()) {
      Lexer range = text;
      range.take_word();
      if (!range.take("[")) continue;
      auto a = range.take_integer();
      auto b = a;
      if (a && range.take(":")) b = range.take_integer();
      if (!a || !b || *a < 0 || *b < *a || !range.take("]")) {
        why = fmt::format("a register range must read {}[FIRST:LAST], not {}", file.prefix, text.here());
        return {};
      }
      if (*b >= file.registers) {
        why = fmt::format("{}{} does not exist; the last is {}{}", file.prefix, *b, file.prefix, file.registers - 1);
        return {};
      }
      first = unsigned(*a), last = unsigned(*b);
      text = range;
    } else {
      if (file.vector && (tail.ends_with(".l") || tail.ends_with(".h"))) {
        result.half = tail.back() == 'h';
        tail.remove_suffix(2);
      }
      if (!digits(tail, first)) continue;
      if (first >= file.registers) {
        why = fmt::format("{}{} does not exist; the last is {}{}", file.prefix, first, file.prefix, file.registers - 1);
        return {};
      }
      last = first;
      text.take_word();
    }
    result.vector = file.vector;
    result.number = uint16_t(file.first + first);
    result.count = uint16_t(last - first + 1);
    return result;
  }
  return {};
}

}  // namespace Atoll::rdna4
