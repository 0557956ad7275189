// The wave's state registers, its messages and its work-group's barriers. RDNA4 ISA 3.4, 5.4, 5.6.
#include "isa/amd/semantics/control_state.h"

#include <algorithm>

#include "isa/rdna4/allocation.h"
#include "isa/rdna4/semantics/control.h"
#include "isa/rdna4/semantics/whole.h"
#include "wave/environment.h"

namespace Atoll::rdna4 {
namespace {

// Numbers of RDNA4 ISA 3.4; LDS_ALLOC is known to LLVM alone.
enum HardwareRegister : uint32_t {
  MODE = 1,
  STATUS = 2,
  STATE_PRIV = 4,
  LDS_ALLOC = 6,
  PERF_SNAPSHOT_DATA = 10,
  PERF_SNAPSHOT_PC_LO = 11,
  PERF_SNAPSHOT_PC_HI = 12,
  PERF_SNAPSHOT_DATA1 = 15,
  PERF_SNAPSHOT_DATA2 = 16,
  EXCP_FLAG_PRIV = 17,
  EXCP_FLAG_USER = 18,
  TRAP_CTRL = 19,
  SCRATCH_BASE_LO = 20,
  SCRATCH_BASE_HI = 21,
  HW_ID1 = 23,
  HW_ID2 = 24,
  IB_STS2 = 28,
  SHADER_CYCLES_LO = 29,
  SHADER_CYCLES_HI = 30,
};
constexpr uint32_t mode_bits = 0xff | 1u << 23 | 1u << 24 | 1u << 27;  // the fields that exist
constexpr uint32_t user_exceptions = 0x7f | 3u << 30;

constexpr uint32_t private_exceptions = 0xfff | 3u << first_memviol_shift;
constexpr uint32_t trap_controls = 0x3ff;
constexpr uint32_t kept_state = STATE_WG_RR_EN | STATE_SYS_PRIO | STATE_USER_PRIO | STATE_HALT;

constexpr WritableRegister writable[] = {{MODE, mode_cell, mode_bits}, {EXCP_FLAG_USER, trap_status_cell, user_exceptions}};
// In a trap handler.
constexpr WritableRegister writable_there[] = {{STATE_PRIV, private_state_cell, kept_state},
                                               {EXCP_FLAG_PRIV, private_flags_cell, private_exceptions},
                                               {TRAP_CTRL, trap_control_cell, trap_controls},
                                               {SCRATCH_BASE_LO, scratch_base_cell, ~0u},
                                               {SCRATCH_BASE_HI, scratch_base_cell + 4, ~0u}};

uint32_t status(wave::Wave& wave) {
  uint32_t value = amd::status(wave, is_wave64(wave));
  if (is_wave64(wave)) value |= STATUS_WAVE64;
  if (wave.privileged) value |= STATUS_PRIV;
  if (wave.environment->trap_base(wave).handler >> 63) value |= STATUS_TRAP_EN;
  if (wave.group && wave.group->trap_completed > wave.trap_barriers_passed) value |= STATUS_TRAP_BARRIER_COMPLETE;
  if (wave::word_of(wave, vgpr_block_cell)) value |= STATUS_DYN_VGPR_EN;
  return value;
}
uint32_t private_state(wave::Wave& wave) {
  uint32_t value = wave::word_of(wave, private_state_cell) & kept_state;
  if (wave::word_of(wave, scc_cell)) value |= STATE_SCC;
  if (wave.wakeup_credit) value |= STATE_SLEEP_WAKEUP;
  if (wave.group && wave.group->completed > wave.barriers_passed) value |= STATE_BARRIER_COMPLETE;
  if (wave.scratch_bytes) value |= STATE_SCRATCH_EN;
  return value;
}
// As far as it is not kept in a cell.
void set_private_state(wave::Wave& wave, uint32_t mask, uint32_t value) {
  if (mask & STATE_SCC) wave::word_of(wave, scc_cell) = bool(value & STATE_SCC);
  if (mask & STATE_SLEEP_WAKEUP) wave.wakeup_credit = value & STATE_SLEEP_WAKEUP;
  if ((mask & STATE_BARRIER_COMPLETE) && wave.group)
    wave.barriers_passed =
        value & STATE_BARRIER_COMPLETE && wave.group->completed ? wave.group->completed - 1 : wave.group->completed;
}

}  // namespace

bool read_hardware_register(wave::Wave& wave, uint32_t number, uint32_t& value) {
  switch (number) {
    case MODE: value = wave::word_of(wave, mode_cell); return true;
    case STATUS: value = status(wave); return true;
    case STATE_PRIV: value = private_state(wave); return true;
    case LDS_ALLOC: value = wave::word_of(wave, lds_allocation_cell); return true;
    case EXCP_FLAG_USER: value = wave::word_of(wave, trap_status_cell); return true;
    case SCRATCH_BASE_LO: value = wave::word_of(wave, scratch_base_cell); return true;
    case SCRATCH_BASE_HI: value = wave::word_of(wave, scratch_base_cell + 4); return true;
    case HW_ID1: value = wave::word_of(wave, hardware_id_cell); return true;
    case HW_ID2: value = wave::word_of(wave, hardware_id_cell + 4); return true;
    case SHADER_CYCLES_LO: value = uint32_t(wave.environment->clock()); return true;
    case SHADER_CYCLES_HI: value = uint32_t(wave.environment->clock() >> 32); return true;
    case EXCP_FLAG_PRIV: value = wave::word_of(wave, private_flags_cell); return true;
    case TRAP_CTRL: value = wave::word_of(wave, trap_control_cell); return true;
    // No wave here is sampled or has anything outstanding.
    case PERF_SNAPSHOT_DATA:
    case PERF_SNAPSHOT_PC_LO:
    case PERF_SNAPSHOT_PC_HI:
    case PERF_SNAPSHOT_DATA1:
    case PERF_SNAPSHOT_DATA2:
    case IB_STS2: value = 0; return true;
    default: return false;
  }
}

bool write_hardware_register(wave::Wave& wave, uint32_t number, uint32_t mask, uint32_t value, bool& mode) {
  uint32_t old;
  if (!read_hardware_register(wave, number, old)) return false;
  amd::write_hardware_register(wave, writable, number, mask, value, mode);
  if (wave.privileged) {
    bool other = false;
    amd::write_hardware_register(wave, writable_there, number, mask, value, other);
    if (number == STATE_PRIV) set_private_state(wave, mask, value);
  }
  return true;  // the others nobody can write: the write is dropped
}

// --- messages ---------------------------------------------------------------------------------------------------------------
namespace {
enum Message : uint32_t { RTN_GET_TMA = 0x82, RTN_GET_REALTIME = 0x83, RTN_GET_TBA = 0x85 };

uint64_t reply(wave::Wave& wave, uint32_t message) {
  switch (message) {
    case RTN_GET_REALTIME: return wave.environment->clock();
    case RTN_GET_TMA: return wave.environment->trap_base(wave).memory;
    case RTN_GET_TBA: return wave.environment->trap_base(wave).handler;
    default: return wave.environment->message(wave, message, register_of(wave, M0));
  }
}
}  // namespace

void send_message(wave::Wave& wave, const Instruction& i) {
  wave.environment->message(wave, uint32_t(i.immediate) & 0xffff, register_of(wave, M0));
}
void s_sendmsg_rtn_b32(wave::Wave& wave, const Instruction& i) {
  set_scalar_value(wave, i.dst, uint32_t(reply(wave, uint32_t(i.immediate) & 0xff)));
}
void s_sendmsg_rtn_b64(wave::Wave& wave, const Instruction& i) {
  uint64_t value = reply(wave, uint32_t(i.immediate) & 0xff);
  if (i.dst == NULL_SGPR) return;
  set_scalar_value(wave, i.dst, uint32_t(value));
  set_scalar_value(wave, i.dst + 1, uint32_t(value >> 32));
}

// --- traps ------------------------------------------------------------------------------------------------------------------
// {TTMP1, TTMP0} = {TrapID[3:0], zeros, PC[47:0]}. Bit 63 of TBA is no part of the address.
uint64_t enter_trap_handler(wave::Wave& wave, uint32_t number, uint64_t pc) {
  wave::word_of(wave, scalar_cell(TTMP0)) = uint32_t(pc);
  wave::word_of(wave, scalar_cell(TTMP0 + 1)) = (uint32_t(pc >> 32) & 0xffff) | number << 28;
  wave.privileged = true;
  return wave.environment->trap_base(wave).handler & 0xffffffffffffu;
}
bool leave_trap_handler(wave::Wave& wave) {
  wave.privileged = false;
  return wave::word_of(wave, private_state_cell) & STATE_HALT;
}

// --- sleep ------------------------------------------------------------------------------------------------------------------
void sleep(wave::Wave& wave, bool for_ever) {
  if (for_ever) {
    wave::WorkGroup nobody;
    return wave::wait(wave.group ? *wave.group : nobody, wave, wave::WaitsFor::Wakeup);
  }
  if (wave.wakeup_credit)
    wave.wakeup_credit = false;
  else
    wave.stop = wave::Stop::Yield;
}
void wake_others(wave::Wave& wave) {
  if (in_group(wave)) wave::wake(*wave.group, wave);
}

// --- VGPRs ------------------------------------------------------------------------------------------------------------------
// Registers that were allocated anew hold nothing of meaning: 0 here, as when a wave starts.
uint32_t allocate_vgprs(wave::Wave& wave, uint32_t count) {
  const uint32_t block = wave::word_of(wave, vgpr_block_cell);
  uint32_t& now = wave::word_of(wave, vgpr_count_cell);
  const uint32_t wanted = std::max((count + block - 1) / block, 1u) * block;
  if (wanted > std::min(max_blocks * block, kVgprCount)) return 0;
  for (uint32_t n = now; n < wanted; n++)
    for (uint32_t lane = 0; lane < wave.lanes; lane++) lane_of(wave, n, lane) = 0;
  now = wanted;
  return 1;
}

// --- barriers ---------------------------------------------------------------------------------------------------------------
namespace {
// M0 reaches the numbers from 0 up alone; a constant any.
int barrier_number(wave::Wave& wave, const Instruction& i) {
  return i.src[0] == M0 ? int(register_of(wave, M0) & 31) : int(scalar_value(wave, i.src[0], i.literal));
}
bool is_named(int number) { return number >= 1 && number <= int(wave::named_barriers); }
uint32_t members_in_m0(wave::Wave& wave) { return register_of(wave, M0) >> 16 & 0x7f; }
// Returns true if this wave was the first of the round. Number -1 is the group's barrier, -2 the trap handlers', 0 is none, those
// above are the named ones, for which M0 also brings the number of members if it has one; others there are not.
bool signal(wave::Wave& wave, const Instruction& i) {
  if (!in_group(wave)) return false;
  const int number = barrier_number(wave, i);
  if (number == -1) return wave::signal(*wave.group);
  if (number == -2) return wave.privileged && wave::signal_trap(*wave.group);
  if (!is_named(number)) return false;
  return wave::signal_named(*wave.group, uint32_t(number), i.src[0] == M0 ? members_in_m0(wave) : 0);
}
}  // namespace

void signal_barrier(wave::Wave& wave, const Instruction& i) { signal(wave, i); }
void s_barrier_signal_isfirst(wave::Wave& wave, const Instruction& i) { wave::word_of(wave, scc_cell) = signal(wave, i); }
void s_get_barrier_state(wave::Wave& wave, const Instruction& i) {
  uint32_t signals = 0, members = 0, valid = 0;
  if (wave.group) {
    const wave::WorkGroup& group = *wave.group;
    const int number = barrier_number(wave, i);
    valid = number == -1 || number == -2 || is_named(number);
    if (number == -1) signals = group.signals, members = group.members - group.ended;
    if (number == -2) signals = group.trap_signals, members = group.members - group.ended;
    if (is_named(number)) signals = group.named[number].signals, members = group.named[number].members;
  }
  set_scalar_value(wave, i.dst, (signals & 0x7f) << 16 | (members & 0x7f) << 4 | valid);
}
void wait_for_barrier(wave::Wave& wave, int number) {
  if (!in_group(wave)) return;
  if (number == -1) return wave::wait(*wave.group, wave);
  if (number < 0) {
    if (wave.privileged && number == -2) wave::wait(*wave.group, wave, wave::WaitsFor::Trap);
    return;
  }
  if (wave.named_barrier) wave::wait(*wave.group, wave, wave::WaitsFor::Named);
}
// The number of members stands in M0 even where the barrier's own number does not; none leaves it as it was.
void s_barrier_init(wave::Wave& wave, const Instruction& i) {
  const int number = barrier_number(wave, i);
  if (in_group(wave) && is_named(number)) wave::init_named(*wave.group, uint32_t(number), members_in_m0(wave));
}
void s_barrier_join(wave::Wave& wave, const Instruction& i) {
  const int number = barrier_number(wave, i);
  if (in_group(wave) && (number == 0 || is_named(number))) wave::join_named(wave, uint32_t(number));
}
void s_barrier_leave(wave::Wave& wave, const Instruction&) {
  wave::word_of(wave, scc_cell) = in_group(wave) && wave::leave_named(*wave.group, wave);
}
void s_wakeup_barrier(wave::Wave& wave, const Instruction& i) {
  const int number = barrier_number(wave, i);
  if (in_group(wave) && is_named(number)) wave::wake(*wave.group, wave, uint32_t(number));
}

}  // namespace Atoll::rdna4
