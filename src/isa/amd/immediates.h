// SIMM16 in the spellings that all AMD instruction sets have: numbers, hwreg(…), counters to wait for. Readers leave in `why`
// what is wrong when they return nothing. LLVM docs, "Syntax of AMDGPU Instruction Operands".
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "isa/amd/lexer.h"
#include "isa/amd/names.h"
#include "isa/amd/table.h"

namespace Atoll::amd {

bool expect(Lexer& text, std::string_view what, std::string& why);

std::optional<uint16_t> take_16_bits(Lexer& text, std::string& why, int64_t lowest = -32768);
// A number from `lowest` to `highest`.
std::optional<unsigned> take_number(Lexer& text, std::string_view what, int64_t lowest, int64_t highest, std::string& why);
// A name of the table, or a number up to `highest`.
std::optional<unsigned> take_name_or_number(Lexer& text, std::span<const Name> names, unsigned highest, std::string_view what,
                                            std::string& why);

// hwreg(NAME), hwreg(NAME, OFFSET, SIZE), {id: N, offset: N, size: N} or a number: bits 5:0 the register, 10:6 the first bit,
// 15:11 the number of bits less one.
std::optional<uint16_t> take_hardware_register(Lexer& text, std::span<const Name> registers, std::string& why);
std::string hardware_register_text(std::span<const Name> registers, unsigned value);

// Counters in any order, separated by blanks, `&` or `,`, the others at their highest; or a number. `all`: every counter's bits.
std::optional<uint16_t> take_counters(Lexer& text, std::span<const CounterField> fields, unsigned all, std::string& why);
// The counters that are not at their highest, or all of them when all are.
std::string counters_text(std::span<const CounterField> fields, unsigned all, unsigned value);

// An instruction set's names of hardware registers and wait counters.
struct ImmediateNames {
  std::span<const Name> hardware_registers;
  std::span<const CounterField> wait_counters;  // of S_WAITCNT
  unsigned wait_counter_bits;
};
// An operand of this kind, as far as all have it: hwreg(…), wait counters, labels, numbers.
std::string immediate_text(Kind kind, const ImmediateNames& names, uint16_t value);
std::optional<uint16_t> parse_immediate(Lexer& text, Kind kind, const ImmediateNames& names, std::string& why);

}  // namespace Atoll::amd
