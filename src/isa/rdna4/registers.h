// The RDNA4 wave's registers as byte offsets ("cells") into wave::Wave. RDNA4 ISA 3.3-3.5, 6.2.
#pragma once
#include <cstdint>

#include "isa/amd/registers.h"
#include "isa/rdna4/instruction.h"

namespace Atoll::rdna4 {

using namespace amd;  // what RDNA4 shares with AMD's other instruction sets: registers, operands, semantics

// NULL_SGPR has a cell, which nothing may write. Beyond the allocated VGPRs reads are of v0 (RDNA4 ISA 3.3.2).
constexpr uint32_t register_file_bytes(bool wave64) { return vgpr_cell(kVgprCount, wave64) - wave::register_file_offset; }

// MODE fields (RDNA4 ISA 3.4.5).
enum ModeBits : uint32_t { MODE_FP16_OVFL = 1u << 23, MODE_DEFAULT = 0xf0 };

}  // namespace Atoll::rdna4
