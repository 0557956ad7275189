// Names of numbers inside operands, in LLVM's spelling: hardware registers, messages, delays, cache policies, buffer formats,
// DIMs, export targets (RDNA4 ISA 3.4, 5.4, 5.7, 4.1.1, 10.8; LLVM docs, "Syntax of AMDGPU Instruction Operands").
#pragma once
#include "isa/amd/immediates.h"
#include "isa/amd/names.h"

namespace Atoll::rdna4 {

using amd::CounterField;
using amd::Name;
using amd::name_of;
using amd::number_of;

extern const amd::ImmediateNames immediate_names;
extern const std::span<const Name> messages;
extern const std::span<const Name> delay_instructions;  // S_DELAY_ALU INSTID
extern const std::span<const Name> delay_skips;         // S_DELAY_ALU INSTSKIP
extern const std::span<const Name> scopes;
extern const std::span<const Name> load_hints, store_hints, atomic_hints;  // TH; 3 means BYPASS in system scope
extern const std::span<const Name> buffer_formats;
extern const std::span<const Name> image_dimensions;
extern const std::span<const Name> export_targets;

extern const std::span<const CounterField> alu_counters;  // of S_WAIT_ALU
constexpr uint16_t alu_counter_bits = 0xff9f;
constexpr uint16_t wait_counter_bits = 0xfff7;  // of S_WAITCNT

extern const std::span<const Name> versions;       // S_VERSION, bits 12:0
extern const std::span<const Name> version_flags;  // S_VERSION, whole bits

}  // namespace Atoll::rdna4
