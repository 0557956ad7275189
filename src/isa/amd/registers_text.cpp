#include "isa/amd/registers_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>

#include "isa/amd/inline_constants.h"

namespace Atoll::amd {
namespace {

bool digits(std::string_view text, unsigned& value) {
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

// s4 or s[4:7]. By hand, as most of a listing is this.
std::string numbered(std::string_view prefix, unsigned first, unsigned count) {
  char text[32], *end = std::copy(prefix.begin(), prefix.end(), text);
  auto number = [&](unsigned value) { end = std::to_chars(end, std::end(text), value).ptr; };
  if (count > 1) *end++ = '[';
  number(first);
  if (count > 1) {
    *end++ = ':';
    number(first + count - 1);
    *end++ = ']';
  }
  return {text, end};
}

constexpr unsigned deepest_list = 4;  // LLVM takes lists in lists, of which nobody writes many

// Registers of a file may have a name of their own, which stands for them where they are first or alone.
bool is_named(const RegisterNames& registers, unsigned operand) {
  return std::ranges::any_of(registers.names, [&](const RegisterName& named) { return named.exists && named.number == operand; });
}

// The last one of a file that goes by its number.
unsigned last_numbered(const RegisterNames& registers, const RegisterFileName& file) {
  unsigned last = file.registers - 1;
  while (last && !file.vector && is_named(registers, file.first + last)) last--;
  return last;
}

std::optional<RegisterText> register_at(Lexer& text, const RegisterNames& registers, std::string& why, unsigned depth);

// A list of consecutive registers.
std::optional<RegisterText> register_list(Lexer& text, const RegisterNames& registers, std::string& why, unsigned depth) {
  if (depth == deepest_list) {
    why = fmt::format("register lists more than {} deep at {}", deepest_list, text.here());
    return {};
  }
  Lexer list = text;
  list.take("[");
  std::optional<RegisterText> all;
  do {
    auto one = register_at(list, registers, why, depth + 1);
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

std::optional<RegisterText> register_at(Lexer& text, const RegisterNames& registers, std::string& why, unsigned depth) {
  if (text.starts("[")) return register_list(text, registers, why, depth);
  std::string_view word = text.peek_word();
  for (const RegisterFileName& file : registers.files) {
    if (!word.starts_with(file.prefix)) continue;
    std::string_view tail = word.substr(file.prefix.size());
    int half = -1;
    if (file.halves && (tail.ends_with(".l") || tail.ends_with(".h"))) {
      half = tail.back() == 'h';
      tail.remove_suffix(2);
    }
    unsigned first = 0, last = 0;
    Lexer behind = text;
    if (tail.empty()) {
      behind.take_word();
      if (!behind.take("[")) continue;
      auto a = behind.take_integer();
      auto b = a;
      if (a && behind.take(":")) b = behind.take_integer();
      if (!a || !b || *a < 0 || *b < *a || !behind.take("]")) {
        why = fmt::format("a register range must read {}[FIRST:LAST], not {}", file.prefix, text.here());
        return {};
      }
      first = unsigned(*a), last = unsigned(std::min<int64_t>(*b, UINT32_MAX));
    } else {
      if (!digits(tail, first)) continue;
      last = first;
      behind.take_word();
    }
    if (last >= file.registers || (!file.vector && is_named(registers, file.first + first))) {
      why = fmt::format("{}{} does not exist; the last is {}{}", file.prefix, last, file.prefix, last_numbered(registers, file));
      return {};
    }
    text = behind;
    return RegisterText{file.vector, uint16_t(file.first + first), uint16_t(last - first + 1), half};
  }
  for (const RegisterName& named : registers.names) {
    if (word != named.name) continue;
    if (!named.exists) {
      why = fmt::format("this GPU has no {}", word);
      return {};
    }
    text.take_word();
    return RegisterText{.number = named.number, .count = named.count};
  }
  return {};
}

}  // namespace

std::optional<RegisterText> take_register(Lexer& text, const RegisterNames& registers, std::string& why) {
  return register_at(text, registers, why, 0);
}

std::string scalar_name(const RegisterNames& registers, unsigned operand, unsigned count) {
  for (const RegisterFileName& file : registers.files)
    if (!file.vector && operand >= file.first && operand < unsigned(file.first) + file.registers &&
        !is_named(registers, operand)) {
      return numbered(file.prefix, operand - file.first, count);
    }
  for (const RegisterName& named : registers.names)
    if (named.number == operand && (named.count == 0 || named.count == std::min(count, 2u))) return std::string(named.name);
  return fmt::format("register_{}", operand);
}

const char* scalar_register_problem(const RegisterNames& registers, unsigned operand, unsigned count) {
  for (const RegisterFileName& file : registers.files) {
    if (file.vector || operand < file.first || operand >= unsigned(file.first) + file.registers) continue;
    if (is_named(registers, operand)) break;
    if (count > 1 && operand % (count == 2 ? 2 : 4) != 0)
      return "a tuple of scalar registers must begin at a multiple of its size (at most 4)";
    return operand + count > unsigned(file.first) + file.registers ? "the tuple reaches past the last register" : nullptr;
  }
  bool known = false;
  count = std::max(count, 1u);  // operands without a type have one
  for (const RegisterName& named : registers.names) {
    if (named.number != operand || operand >= INTEGER_0) continue;
    if (named.count == 0 || named.count == count) return nullptr;
    known = true;
  }
  return known ? "this register cannot begin a tuple" : "not a scalar register";
}

std::string vector_name(unsigned vgpr, unsigned count) { return numbered("v", vgpr, count); }

}  // namespace Atoll::amd
