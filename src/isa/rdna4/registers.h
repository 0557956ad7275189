// The RDNA4 wave's registers as byte offsets ("cells") into wave::Wave: what every AMD wave has (isa/amd/registers.h), and what a
// graphics wave exports. RDNA4 ISA 3.3-3.5, 6.2, 14.
#pragma once
#include <cstdint>

#include "isa/amd/registers.h"
#include "isa/rdna4/instruction.h"

namespace Atoll::rdna4 {

using namespace amd;  // what RDNA4 shares with AMD's other instruction sets: registers, operands, semantics

// NULL_SGPR has a cell, which nothing may write. Beyond the allocated VGPRs reads are of v0 (RDNA4 ISA 3.3.2).

// --- exports: read by whoever launched the wave when it has ended (exports.h)
// TARGET of EXPORT (RDNA4 ISA 15.11). 9 is Sea Islands' number of the NULL target, which chapter 16.19 names without one.
enum ExportTarget : uint32_t { MRT0 = 0, MRTZ = 8, NULL_EXPORT = 9, POS0 = 12, PRIM = 20, DUAL_SOURCE0 = 21, DUAL_SOURCE1 = 22 };
inline constexpr uint32_t export_targets_end = DUAL_SOURCE1 + 1;
inline constexpr uint32_t no_export = ~0u;
inline constexpr uint32_t export_slots = 10 + 5 + 3;
// The place of a target among those that exist, or no_export.
constexpr uint32_t export_slot(uint32_t target) {
  if (target <= NULL_EXPORT) return target;
  if (target >= POS0 && target < POS0 + 5) return target - POS0 + 10;
  if (target >= PRIM && target < export_targets_end) return target - PRIM + 15;
  return no_export;
}
inline constexpr uint32_t export_control_bytes = 1024;
constexpr uint32_t export_control_begin(bool wave64) { return vgpr_cell(kVgprCount, wave64); }
// How many exports the wave has made.
constexpr uint32_t export_count_cell(bool wave64) { return export_control_begin(wave64) + export_slots * 32; }
static_assert(export_slots * 32 + 4 <= export_control_bytes);
// The lanes that have exported to a target (which must exist), a mask.
constexpr uint32_t export_mask_cell(uint32_t target, bool wave64) {
  return export_control_begin(wave64) + export_slot(target) * 32;
}
// Sources that were exported; 1 if DONE was set; which of the wave's exports was the last to it, from 1 on.
constexpr uint32_t export_enable_cell(uint32_t target, bool wave64) { return export_mask_cell(target, wave64) + 8; }
constexpr uint32_t export_done_cell(uint32_t target, bool wave64) { return export_mask_cell(target, wave64) + 12; }
constexpr uint32_t export_order_cell(uint32_t target, bool wave64) { return export_mask_cell(target, wave64) + 16; }
// Lanes of a source (0-3) of a target, as they were exported.
constexpr uint32_t export_values_begin(bool wave64) { return export_control_begin(wave64) + export_control_bytes; }
constexpr uint32_t export_cell(uint32_t target, uint32_t source, bool wave64) {
  return export_values_begin(wave64) + (export_slot(target) * 4 + source) * (wave64 ? 256u : 128u);
}
constexpr uint32_t register_file_end(bool wave64) {
  return export_values_begin(wave64) + export_slots * 4 * (wave64 ? 256u : 128u);
}
constexpr uint32_t register_file_bytes(bool wave64) { return register_file_end(wave64) - wave::register_file_offset; }

// --- attributes of pixel waves: ATTR 0-32 (RDNA4 ISA 12.2.1)
inline constexpr uint32_t attribute_count = 33;

// Registers that no other instruction set has.
inline constexpr uint32_t private_state_cell = hardware_id_cell + 8;    // STATE_PRIV: the bits of PrivateState that are kept
inline constexpr uint32_t private_flags_cell = private_state_cell + 4;  // EXCP_FLAG_PRIV
inline constexpr uint32_t trap_control_cell = private_flags_cell + 4;   // TRAP_CTRL
inline constexpr uint32_t vgpr_block_cell =
    trap_control_cell + 4;  // VGPRs in a block, where the wave allocates them itself; else 0
static_assert(vgpr_block_cell < vgpr_base_cell);

// RDNA4 ISA 3.4.1, 3.4.2, 3.4.10.
enum StatusBits : uint32_t {
  STATUS_PRIV = 1u << 5,
  STATUS_TRAP_EN = 1u << 6,
  STATUS_TRAP_BARRIER_COMPLETE = 1u << 15,
  STATUS_WAVE64 = 1u << 29,
  STATUS_DYN_VGPR_EN = 1u << 30,
};
enum PrivateState : uint32_t {
  STATE_WG_RR_EN = 1u << 0,
  STATE_SLEEP_WAKEUP = 1u << 1,
  STATE_BARRIER_COMPLETE = 1u << 2,
  STATE_SCC = 1u << 9,
  STATE_SYS_PRIO = 3u << 10,
  STATE_USER_PRIO = 3u << 12,
  STATE_HALT = 1u << 14,
  STATE_SCRATCH_EN = 1u << 18,
};
inline constexpr uint32_t user_priority_shift = 12;
enum PrivateFlags : uint32_t {
  EXCP_MEMVIOL = 1u << 4,
  EXCP_ILLEGAL_INST = 1u << 6,
  EXCP_HOST_TRAP = 1u << 7,
  EXCP_WAVE_START = 1u << 8,
  EXCP_WAVE_END = 1u << 9,
  EXCP_TRAP_AFTER_INST = 1u << 11,
};
// 0: the instruction cache, 1: scalar memory, 2: LDS, 3: vector memory.
inline constexpr uint32_t first_memviol_shift = 30;
enum TrapControl : uint32_t { TRAP_ON_WAVE_END = 1u << 8, TRAP_AFTER_INST = 1u << 9 };
inline constexpr uint32_t alu_exceptions_mask = 0x7f;                               // in TRAP_CTRL and EXCP_FLAG_USER
inline constexpr uint32_t EXCP_BUFFER_OOB = 1u << 30, EXCP_LOD_CLAMPED = 1u << 31;  // in EXCP_FLAG_USER

// MODE fields (RDNA4 ISA 3.4.5).
enum ModeBits : uint32_t { MODE_FP16_OVFL = 1u << 23, MODE_DEFAULT = 0xf0 };

}  // namespace Atoll::rdna4
