// Names of numbers inside operands, in LLVM's spelling: hardware registers, messages, buffer formats, export targets (Sea Islands
// register guide, section 4: EXP, MTBUF; LLVM docs, "Syntax of AMDGPU Instruction Operands").
#pragma once
#include "isa/amd/immediates.h"
#include "isa/amd/names.h"

namespace Atoll::gfx7 {

using amd::CounterField;
using amd::Name;
using amd::name_of;
using amd::number_of;

extern const amd::ImmediateNames immediate_names;
extern const std::span<const Name> messages;
extern const std::span<const Name> gs_operations;      // of MSG_GS and MSG_GS_DONE
extern const std::span<const Name> system_operations;  // of MSG_SYSMSG
extern const std::span<const Name> data_formats, number_formats;
extern const std::span<const Name> export_targets;
constexpr uint16_t wait_counter_bits = 0xf7f;  // of S_WAITCNT

constexpr unsigned MSG_GS = 2, MSG_GS_DONE = 3, MSG_SYSMSG = 15;

}  // namespace Atoll::gfx7
