// The wave's state registers, its messages and its work-group's barrier. Register numbers and bits: Linux
// drivers/gpu/drm/amd/include/asic_reg/gca/gfx_7_2_sh_mask.h (SQ_WAVE_*), LLVM SIDefines.h (Hwreg).
#include "isa/amd/semantics/control_state.h"

#include <bit>

#include "isa/gfx7/semantics/control.h"
#include "isa/gfx7/semantics/whole.h"
#include "wave/environment.h"

namespace Atoll::gfx7 {
namespace {

enum HardwareRegister : uint32_t {
  MODE = 1,
  STATUS = 2,
  TRAPSTS = 3,
  HW_ID = 4,
  GPR_ALLOC = 5,
  LDS_ALLOC = 6,
  IB_STS = 7,
};
// FP_ROUND, FP_DENORM, DX10_CLAMP, IEEE, LOD_CLAMPED, EXCP_EN, VSKIP, CSP; DEBUG_EN is not modelled.
constexpr uint32_t mode_bits = 0x7ff | 0x7fu << 12 | 1u << 28 | 7u << 29;
constexpr uint32_t exceptions = 0x7f;
// STATUS as the trap handler may write it: SCC, priorities, HALT, COND_DBG_USER and COND_DBG_SYS are kept, the rest is the
// hardware's own.
constexpr uint32_t status_bits = 3u << 1 | 3u << 3 | STATUS_HALT | 3u << 20;

constexpr amd::WritableRegister writable[] = {{MODE, mode_cell, mode_bits}, {TRAPSTS, trap_status_cell, exceptions}};

uint32_t status(wave::Wave& wave) {
  uint32_t value = amd::status(wave, true) | (wave::word_of(wave, scc_cell) & 1u);
  return wave.privileged ? value | STATUS_PRIV : value;
}
// LDS_SIZE in 20:12, in units of 128 dwords.
uint32_t lds_allocation(wave::Wave& wave) { return (wave::word_of(wave, lds_allocation_cell) + 511) / 512 << 12; }
// VGPR_SIZE in 13:8, in units of four registers less one; SGPR_SIZE in 27:24, of eight.
uint32_t register_allocation(wave::Wave& wave) {
  uint32_t vgprs = wave::word_of(wave, vgpr_count_cell);
  if (!vgprs || vgprs > kVgprCount) vgprs = kVgprCount;
  return ((vgprs + 3) / 4 - 1) << 8 | (wave::word_of(wave, sgpr_allocation_cell) & 15) << 24;
}

}  // namespace

bool read_hardware_register(wave::Wave& wave, uint32_t number, uint32_t& value) {
  switch (number) {
    case MODE: value = wave::word_of(wave, mode_cell); return true;
    case STATUS: value = status(wave); return true;
    case TRAPSTS: value = wave::word_of(wave, trap_status_cell); return true;
    case HW_ID: value = wave::word_of(wave, hardware_id_cell); return true;
    case GPR_ALLOC: value = register_allocation(wave); return true;
    case LDS_ALLOC: value = lds_allocation(wave); return true;
    case IB_STS: value = 0; return true;  // nothing is ever outstanding here
    default: return false;
  }
}

bool write_hardware_register(wave::Wave& wave, uint32_t number, uint32_t mask, uint32_t value, bool& mode) {
  uint32_t old;
  if (!read_hardware_register(wave, number, old)) return false;
  amd::write_hardware_register(wave, writable, number, mask, value, mode);
  if (number == STATUS && wave.privileged) {
    uint32_t bits = mask & status_bits;
    uint32_t& kept = wave::word_of(wave, status_cell);
    kept = (kept & ~bits) | (value & bits);
    if (mask & 1) wave::word_of(wave, scc_cell) = value & 1;
  }
  return true;  // the others nobody can write
}

// --- the branch stack (Southern Islands ISA, S_CBRANCH_G_FORK, S_CBRANCH_JOIN; MODE.CSP in 31:29)
namespace {
uint32_t stack_height(wave::Wave& wave) { return wave::word_of(wave, mode_cell) >> 29; }
void set_stack_height(wave::Wave& wave, uint32_t height) {
  uint32_t& mode = wave::word_of(wave, mode_cell);
  mode = (mode & 0x1fffffffu) | height << 29;
}
void set_pair(wave::Wave& wave, uint32_t operand, uint64_t value) {
  set_scalar_value(wave, operand, uint32_t(value));
  set_scalar_value(wave, operand + 1, uint32_t(value >> 32));
}
}  // namespace

uint64_t fork(wave::Wave& wave, uint64_t condition, uint64_t target, uint64_t next) {
  uint64_t exec = exec_of(wave), pass = condition & exec, miss = ~condition & exec;
  if (pass == exec) return target;
  if (miss == exec) return next;
  bool smaller_misses = std::popcount(miss) < std::popcount(pass);
  uint32_t height = stack_height(wave), entry = height * 4;
  set_pair(wave, entry, smaller_misses ? pass : miss);
  set_pair(wave, entry + 2, smaller_misses ? target : next);
  set_pair(wave, EXEC_LO, smaller_misses ? miss : pass);
  set_stack_height(wave, (height + 1) & 7);
  return smaller_misses ? next : target;
}
uint64_t join_branch(wave::Wave& wave, uint32_t height, uint64_t next) {
  if (stack_height(wave) == height) return next;
  uint32_t top = (stack_height(wave) - 1) & 7;
  set_stack_height(wave, top);
  set_pair(wave, EXEC_LO, pair_of(wave, top * 4));
  return pair_of(wave, top * 4 + 2);
}

// --- traps
// {TTMP1, TTMP0} = {3'h0, PCRewind[3:0], HT, TrapID[7:0], PC[47:0]} (guide, S_TRAP).
uint64_t enter_trap_handler(wave::Wave& wave, uint32_t number, uint64_t pc) {
  wave::word_of(wave, scalar_cell(TTMP0)) = uint32_t(pc);
  wave::word_of(wave, scalar_cell(TTMP0 + 1)) = (uint32_t(pc >> 32) & 0xffff) | number << 16;
  wave.privileged = true;
  return pair_of(wave, TBA_LO) & 0xffffffffffffu;
}
bool leave_trap_handler(wave::Wave& wave) {
  wave.privileged = false;
  return wave::word_of(wave, status_cell) & STATUS_HALT;
}

void send_message(wave::Wave& wave, const Instruction& i) { wave.environment->message(wave, i.simm16, register_of(wave, M0)); }

void pass_barrier(wave::Wave& wave) {
  if (!amd::in_group(wave)) return;
  wave::signal(*wave.group);
  wave::wait(*wave.group, wave);
}

}  // namespace Atoll::gfx7
