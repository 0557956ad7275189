// The part of a wave's register file that AMD's instruction sets have in common, as byte offsets ("cells") into wave::Wave.
// Sea Islands register guide section 4 (SSRC0, SDST); RDNA4 ISA 3.3-3.5, 6.2.
#pragma once
#include <cstdint>

#include "wave/wave.h"

namespace Atoll::amd {

inline constexpr uint32_t kScalarCount = 128;  // operand numbers 0-127: SGPRs, VCC, trap registers, M0, EXEC
inline constexpr uint32_t kVgprCount = 256;

// Scalar register by operand number.
constexpr uint32_t scalar_cell(uint32_t operand) { return wave::register_file_offset + operand * 4; }
inline constexpr uint32_t scc_cell = scalar_cell(kScalarCount);
inline constexpr uint32_t mode_cell = scc_cell + 4;                  // MODE (hwreg 1)
inline constexpr uint32_t status_cell = mode_cell + 4;               // STATUS (hwreg 2)
inline constexpr uint32_t trap_status_cell = status_cell + 4;        // TRAPSTS; EXCP_FLAG_USER and friends
inline constexpr uint32_t scratch_base_cell = trap_status_cell + 4;  // 64 bits: RDNA4's hwreg 20/21
inline constexpr uint32_t vgpr_count_cell = scratch_base_cell + 8;   // allocated VGPRs; 0 counts as all
inline constexpr uint32_t lds_allocation_cell = vgpr_count_cell + 4;
inline constexpr uint32_t hardware_id_cell = lds_allocation_cell + 4;  // 64 bits
inline constexpr uint32_t vgpr_base_cell = scalar_cell(256);           // aligned to 1 KiB of the register file

constexpr uint32_t vgpr_cell(uint32_t vgpr, bool wave64) { return vgpr_base_cell + vgpr * (wave64 ? 256u : 128u); }
static_assert((vgpr_base_cell - wave::register_file_offset) % 1024 == 0);

}  // namespace Atoll::amd
