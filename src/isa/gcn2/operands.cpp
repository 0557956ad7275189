#include "isa/gcn2/operands.h"

#include <fmt/format.h>

#include <bit>
#include <charconv>

namespace Atoll::gcn2 {
namespace {

struct Named {
  std::string_view name;
  uint16_t number, count;
};
// The first name of a number and count is the printed one.
constexpr Named names[] = {
    {"flat_scratch", 104, 2},
    {"flat_scratch_lo", 104, 1},
    {"flat_scratch_hi", 105, 1},
    {"vcc", 106, 2},
    {"vcc_lo", 106, 1},
    {"vcc_hi", 107, 1},
    {"tba", 108, 2},
    {"tba_lo", 108, 1},
    {"tba_hi", 109, 1},
    {"tma", 110, 2},
    {"tma_lo", 110, 1},
    {"tma_hi", 111, 1},
    {"m0", 124, 1},
    {"exec", 126, 2},
    {"exec_lo", 126, 1},
    {"exec_hi", 127, 1},
    {"src_vccz", 251, 0},
    {"src_execz", 252, 0},
    {"src_scc", 253, 0},
    {"src_lds_direct", 254, 0},
    {"vccz", 251, 0},
    {"execz", 252, 0},
    {"scc", 253, 0},
    {"lds_direct", 254, 0},
    {"src_flat_scratch_lo", 104, 1},
    {"src_flat_scratch_hi", 105, 1},
};

struct File {
  std::string_view prefix;
  uint16_t first, registers;
  bool vector;
};
constexpr File files[] = {{"v", 0, 256, true}, {"s", 0, 104, false}, {"ttmp", TTMP0, 12, false}};

bool digits(std::string_view text, unsigned& value) {
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

std::optional<RegisterText> register_list(Lexer& text, std::string& why) {
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

}  // namespace

bool takes_lds_direct(const Opcode& row) {
  if (!is_vector_alu(row.format)) return false;
  std::string_view name = row.name;
  if (name.find("rev") != std::string_view::npos && name != "v_bfrev_b32") return false;
  for (const OperandRow& o : row.rows())
    if (o.slot == Slot::Src0)
      return o.type.bits <= 32 && (o.kind == Kind::VectorSource || o.kind == Kind::VgprOrDirect || o.kind == Kind::ScalarSource);
  return false;
}

const char* scalar_register_problem(unsigned operand, unsigned count) {
  if (operand > EXEC_HI || operand == 125) return "not a scalar register";
  if (count <= 1) return nullptr;
  unsigned align = count == 2 ? 2 : 4;
  if (operand % align != 0) return "a tuple of scalar registers must begin at a multiple of its size (at most 4)";
  if (operand < FLAT_SCRATCH_LO) return operand + count > FLAT_SCRATCH_LO ? "the tuple reaches past s103" : nullptr;
  if (operand >= TTMP0 && operand < M0) return operand + count > M0 ? "the tuple reaches past ttmp11" : nullptr;
  return count == 2 && operand != M0 ? nullptr : "this register cannot begin a tuple";
}

std::string scalar_name(unsigned operand, unsigned count) {
  for (const Named& named : names)
    if (named.number == operand && (named.count == 0 || named.count == std::min(count, 2u))) return std::string(named.name);
  const char* file = operand < FLAT_SCRATCH_LO ? "s" : "ttmp";
  unsigned first = operand < FLAT_SCRATCH_LO ? operand : operand - TTMP0;
  return count > 1 ? fmt::format("{}[{}:{}]", file, first, first + count - 1) : fmt::format("{}{}", file, first);
}

std::string vector_name(unsigned vgpr, unsigned count) {
  return count > 1 ? fmt::format("v[{}:{}]", vgpr, vgpr + count - 1) : fmt::format("v{}", vgpr);
}

unsigned image_data_dwords(const Instruction& i) {
  unsigned components = unsigned(std::popcount(unsigned(i.dmask)));
  if (components == 0) components = 1;
  if (i.opcode->has(Flag::Gather4)) components = 4;
  return components + unsigned(i.tfe);
}

std::optional<RegisterText> take_register(Lexer& text, std::string& why) {
  if (text.starts("[")) return register_list(text, why);
  std::string_view word = text.peek_word();
  RegisterText result;
  for (const Named& named : names) {
    if (word != named.name) continue;
    text.take_word();
    result.number = named.number;
    result.count = named.count;
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
      if (*b < file.registers) {
        first = unsigned(*a), last = unsigned(*b);
        text = range;
      } else {
        why = fmt::format("{}{} does not exist; the last is {}{}", file.prefix, *b, file.prefix, file.registers - 1);
        return {};
      }
    } else {
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

}  // namespace Atoll::gcn2
