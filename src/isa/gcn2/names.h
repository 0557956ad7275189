// Names of numbers inside operands, in LLVM's spelling: hardware registers, messages, buffer formats, export targets (Sea Islands
// register guide, section 4: EXP, MTBUF; LLVM docs, "Syntax of AMDGPU Instruction Operands").
#pragma once
#include <cstdint>
#include <span>
#include <string_view>

namespace Atoll::gcn2 {

struct Name {
  uint16_t number;
  std::string_view name;
};
std::string_view name_of(std::span<const Name> names, unsigned number);  // "" when the number has none
int number_of(std::span<const Name> names, std::string_view name);       // -1 when the name has none

extern const std::span<const Name> hardware_registers;
extern const std::span<const Name> messages;
extern const std::span<const Name> gs_operations;      // of MSG_GS and MSG_GS_DONE
extern const std::span<const Name> system_operations;  // of MSG_SYSMSG
extern const std::span<const Name> data_formats, number_formats;
extern const std::span<const Name> export_targets;

constexpr unsigned MSG_GS = 2, MSG_GS_DONE = 3, MSG_SYSMSG = 15;

}  // namespace Atoll::gcn2
