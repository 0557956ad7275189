#include "isa/rdna4/constants.h"

#include <fmt/format.h>

#include <string_view>

#include "isa/amd/isa.h"
#include "isa/rdna4/instruction.h"

namespace Atoll::rdna4 {
bool shows_halves(const Opcode& row) {
  std::string_view name = row.name;
  return name == "v_mov_b16" || name == "v_swap_b16";
}

ConstantClass constant_class(const Opcode& row, Type type) {
  bool floating = type.base == Type::F;
  if (type.bits < 16 && type.count == 1) return ConstantClass::Bits32;
  if (row.has(Flag::Mix)) return ConstantClass::MixedFloat;
  if (type.half()) {
    if (type.base == Type::BF) return ConstantClass::BrainFloat;
    if (row.has(Flag::HexInline)) return ConstantClass::HalfInteger;
    if (row.format == Format::SOP1 || (!floating && amd::is_scalar(row.format))) return ConstantClass::Bits32;
    return floating || row.has(Flag::FloatInline) ? ConstantClass::HalfFloat : ConstantClass::HalfInteger;
  }
  if (floating && type.bits == 16 && type.count >= 8) return ConstantClass::HalfFloat;  // the C matrix of V_WMMA_F16
  if (type.total_bits() == 64) return floating ? ConstantClass::Float64 : ConstantClass::Integer64;
  return ConstantClass::Bits32;
}

std::string literal_text(ConstantClass c, uint32_t literal) {
  // Bits above the 16 of an operand are not shown; those of a bf16 are, but for small integers (LLVM). An f32 of V_FMA_MIX*, of which
  // LLVM 19 shows the lower 16 as well, is shown whole: its text stands for its words.
  auto small_integer = [](int n) { return n >= -16 && n <= 64; };
  if (c == ConstantClass::MixedFloat && literal > UINT16_MAX) return fmt::format("{:#x}", literal);
  bool cut = amd::is_half(c) && (c != ConstantClass::BrainFloat || small_integer(int16_t(literal)));
  const uint32_t shown = cut ? uint16_t(literal) : literal;
  // A small integer is one by all its bits.
  if (c == ConstantClass::HalfInteger && shown != literal && small_integer(int16_t(shown))) return fmt::format("{:#x}", shown);
  return amd::literal_text(c, amd::floats_of_rdna4, shown);
}

std::optional<amd::Constant> constant_of(ConstantClass c, Type type, WrittenNumber number) {
  using enum ConstantClass;
  constexpr unsigned floats = amd::floats_of_rdna4;
  bool pair_of_floats = type.bits == 16 && type.count == 2 && (type.base == Type::F || type.base == Type::BF);
  if (!pair_of_floats) return amd::constant_of(c, floats, number);
  // Written floats are halves; of written bits small integers have 32, others stand for a half's (LLVM).
  ConstantClass half = type.base == Type::F ? HalfFloat : BrainFloat;
  if (number.floating) return amd::constant_of(half, floats, number);
  auto constant = amd::inline_constant_of(Bits32, 0, number);
  if (!constant && number.integer >= 0)
    if (auto found = amd::inline_constant_of(half, floats, number); found && found->operand >= FLOAT_HALF) constant = found;
  return constant ? constant : amd::literal_of(c, number);
}

}  // namespace Atoll::rdna4
