// Names of numbers inside operands, in LLVM's spelling: hardware registers, messages, delays, cache policies, buffer formats,
// DIMs, export targets (RDNA4 ISA 3.4, 5.4, 5.7, 4.1.1, 10.8; LLVM docs, "Syntax of AMDGPU Instruction Operands").
#pragma once
#include <cstdint>
#include <span>
#include <string_view>

namespace Atoll::rdna4 {

// A name of a number; tables of them are searched both ways. `name_of` returns "" when the number has none.
struct Name {
  uint16_t number;
  std::string_view name;
};
std::string_view name_of(std::span<const Name> names, unsigned number);
// The number of a name, or -1.
int number_of(std::span<const Name> names, std::string_view name);

extern const std::span<const Name> hardware_registers;
extern const std::span<const Name> messages;
extern const std::span<const Name> delay_instructions;  // S_DELAY_ALU INSTID
extern const std::span<const Name> delay_skips;         // S_DELAY_ALU INSTSKIP
extern const std::span<const Name> scopes;
extern const std::span<const Name> load_hints, store_hints, atomic_hints;  // TH; 3 means BYPASS in system scope
extern const std::span<const Name> buffer_formats;
extern const std::span<const Name> image_dimensions;
extern const std::span<const Name> export_targets;

// A field of S_WAIT_ALU's SIMM16.
struct CounterField {
  std::string_view name;
  uint8_t low, width;
  constexpr unsigned highest() const { return (1u << width) - 1; }
};
extern const std::span<const CounterField> alu_counters;
constexpr uint16_t alu_counter_bits = 0xff9f;
extern const std::span<const CounterField> wait_counters;  // of S_WAITCNT
constexpr uint16_t wait_counter_bits = 0xfff7;

extern const std::span<const Name> versions;       // S_VERSION, bits 12:0
extern const std::span<const Name> version_flags;  // S_VERSION, whole bits

}  // namespace Atoll::rdna4
