// The RDNA4 wave's registers as byte offsets ("cells") into wave::Wave. RDNA4 ISA 3.3-3.5, 6.2.
#pragma once
#include <cstdint>

#include "isa/rdna4/instruction.h"
#include "wave/wave.h"

namespace Atoll::rdna4 {

inline constexpr uint32_t kScalarCount = 128;  // operand numbers 0-127: SGPRs, VCC, TTMP, NULL, M0, EXEC
inline constexpr uint32_t kVgprCount = 256;

// Scalar register by operand number. NULL_SGPR has a cell, which nothing may write.
constexpr uint32_t scalar_cell(uint32_t operand) { return wave::register_file_offset + operand * 4; }
inline constexpr uint32_t scc_cell = scalar_cell(kScalarCount);
inline constexpr uint32_t mode_cell = scc_cell + 4;                  // MODE (hwreg 1), RDNA4 ISA 3.4.5
inline constexpr uint32_t status_cell = mode_cell + 4;               // STATUS (hwreg 2)
inline constexpr uint32_t trap_status_cell = status_cell + 4;        // EXCP_FLAG_USER and friends
inline constexpr uint32_t scratch_base_cell = trap_status_cell + 4;  // 64 bits: hwreg 20/21
inline constexpr uint32_t vgpr_count_cell =
    scratch_base_cell + 8;  // allocated VGPRs: beyond them reads are of v0 (RDNA4 ISA 3.3.2)
inline constexpr uint32_t lds_allocation_cell = vgpr_count_cell + 4;
inline constexpr uint32_t hardware_id_cell = lds_allocation_cell + 4;  // 64 bits
inline constexpr uint32_t vgpr_base_cell = scalar_cell(256);           // aligned to 1 KiB of the register file

constexpr uint32_t vgpr_cell(uint32_t vgpr, bool wave64) { return vgpr_base_cell + vgpr * (wave64 ? 256u : 128u); }
constexpr uint32_t register_file_bytes(bool wave64) { return vgpr_cell(kVgprCount, wave64) - wave::register_file_offset; }
static_assert((vgpr_base_cell - wave::register_file_offset) % 1024 == 0);

// MODE fields (RDNA4 ISA 3.4.5).
enum ModeBits : uint32_t { MODE_FP16_OVFL = 1u << 23, MODE_DEFAULT = 0xf0 };

}  // namespace Atoll::rdna4
