// Tables of names for numbers inside operands, in LLVM's spelling (LLVM docs, "Syntax of AMDGPU Instruction Operands"). What
// stands in them is each instruction set's own.
#pragma once
#include <cstdint>
#include <span>
#include <string_view>

namespace Atoll::amd {

struct Name {
  uint16_t number;
  std::string_view name;
};
std::string_view name_of(std::span<const Name> names, unsigned number);  // "" when the number has none
int number_of(std::span<const Name> names, std::string_view name);       // -1 when the name has none

// A counter in SIMM16 that an instruction waits for.
struct CounterField {
  std::string_view name;
  uint8_t low, width;
  constexpr unsigned highest() const { return (1u << width) - 1; }
};

}  // namespace Atoll::amd
