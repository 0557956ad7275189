// The Sea Islands wave's registers as byte offsets ("cells") into wave::Wave: what every AMD wave has (isa/amd/registers.h), what
// a wave exports, and the attributes that a pixel wave interpolates. Sea Islands register guide section 4; hwreg numbers and the
// bits of MODE and STATUS: Linux drivers/gpu/drm/amd/include/asic_reg/gca/gfx_7_2_sh_mask.h (SQ_WAVE_*).
//
// Before a wave starts, whoever launches it sets EXEC, MODE (FLOAT_MODE, DX10_CLAMP and IEEE_MODE of PGM_RSRC1), vgpr_count_cell,
// the SGPRs and VGPRs that the hardware loads, clears the scalar cells from export_control_begin to export_control_end, and fills
// the attributes. Lanes need no clearing: what was exported, the export masks say.
#pragma once
#include <cstdint>

#include "isa/amd/registers.h"
#include "isa/gfx7/instruction.h"

namespace Atoll::gfx7 {

using amd::hardware_id_cell;
using amd::kScalarCount;
using amd::kVgprCount;
using amd::lds_allocation_cell;
using amd::mode_cell;
using amd::scalar_cell;
using amd::scc_cell;
using amd::status_cell;
using amd::trap_status_cell;
using amd::vgpr_count_cell;

inline constexpr uint32_t lanes_bytes = 256;  // one register of 64 lanes

// The state of a wave's wait at a resource of the GWS; 0: it does not wait (semantics/global_share_whole.cpp).
inline constexpr uint32_t gws_wait_cell = amd::hardware_id_cell + 8;
// SGPRs allocated, in units of 8 less one, as PGM_RSRC1 has it.
inline constexpr uint32_t sgpr_allocation_cell = gws_wait_cell + 4;
static_assert(sgpr_allocation_cell < amd::vgpr_base_cell);
constexpr uint32_t vgpr_cell(uint32_t vgpr) { return amd::vgpr_cell(vgpr, true); }
constexpr uint32_t lane_cell(uint32_t cell, uint32_t lane) { return cell + lane * 4; }

// --- exports: registers of the wave, read by the GPU when it has ended
// TGT of EXP (guide section 4, SQ_EXP_*).
enum ExportTarget : uint32_t { MRT0 = 0, MRTZ = 8, NULL_EXPORT = 9, POS0 = 12, PARAM0 = 32, EXPORT_TARGETS = 64 };
inline constexpr uint32_t no_export = ~0u;
inline constexpr uint32_t export_slots = 10 + 4 + 32;
// The place of a target among those that exist, or no_export.
constexpr uint32_t export_slot(uint32_t target) {
  if (target <= NULL_EXPORT) return target;
  if (target >= POS0 && target < POS0 + 4) return target - POS0 + 10;
  if (target >= PARAM0 && target < EXPORT_TARGETS) return target - PARAM0 + 14;
  return no_export;
}
inline constexpr uint32_t export_control_begin = vgpr_cell(kVgprCount);
// The lanes that have exported to a target (which must exist): a mask of 64 bits.
constexpr uint32_t export_mask_cell(uint32_t target) { return export_control_begin + export_slot(target) * 16; }
// EN of the last export to it, and whether that was COMPR: then channels 0 and 1 hold its two dwords of two halves each.
constexpr uint32_t export_enable_cell(uint32_t target) { return export_mask_cell(target) + 8; }
constexpr uint32_t export_compressed_cell(uint32_t target) { return export_mask_cell(target) + 12; }
// EXEC at the last export with VM set, a mask of 64 bits.
inline constexpr uint32_t export_valid_cell = export_control_begin + export_slots * 16;
inline constexpr uint32_t export_valid_seen_cell = export_valid_cell + 8;  // 1: an export had VM set
inline constexpr uint32_t export_done_cell = export_valid_seen_cell + 4;   // 1: an export had DONE set
inline constexpr uint32_t export_control_end = export_control_begin + 1024;
static_assert(export_done_cell + 4 <= export_control_end);
// Lanes of a channel (0-3) of a target, as they were written.
constexpr uint32_t export_cell(uint32_t target, uint32_t channel) {
  return export_control_end + (export_slot(target) * 4 + channel) * lanes_bytes;
}

// --- attributes of pixel waves
// The three of an attribute that V_INTERP_* read, in the order of V_INTERP_MOV_F32's operand (P10 and P20 are differences to
// P0).
enum Parameter : uint32_t { P10 = 0, P20 = 1, P0 = 2 };
inline constexpr uint32_t attribute_count = 33;  // ATTR 0-32
inline constexpr uint32_t attributes_begin = export_control_end + export_slots * 4 * lanes_bytes;
// A parameter of a channel (0-3) of an attribute: a word for each quad of lanes, whose primitive it is of.
inline constexpr uint32_t attribute_bytes = lanes_bytes / 4;
constexpr uint32_t attribute_cell(uint32_t attribute, uint32_t channel, uint32_t parameter) {
  return attributes_begin + ((attribute * 4 + channel) * 3 + parameter) * attribute_bytes;
}
inline constexpr uint32_t register_file_end = attributes_begin + attribute_count * 4 * 3 * attribute_bytes;
inline constexpr uint32_t register_file_bytes = register_file_end - wave::register_file_offset;

// MODE: rounding in 3:0, denormals in 7:4 as on later GPUs; then
enum ModeBits : uint32_t { MODE_DX10_CLAMP = 1u << 8, MODE_IEEE = 1u << 9, MODE_VSKIP = 1u << 28, MODE_DEFAULT = 0xc0 };
inline constexpr uint32_t MODE_EXCP_EN_SHIFT = 12;  // 9 bits of which a shader writes 7
// STATUS: what is kept in status_cell; PRIV stands in wave::Wave::privileged.
enum StatusBits : uint32_t { STATUS_PRIV = 1u << 5, STATUS_TRAP_EN = 1u << 6, STATUS_HALT = 1u << 13 };

}  // namespace Atoll::gfx7
