// The wave's state registers, its messages and its work-group's barriers. RDNA4 ISA 3.4, 5.4, 5.6.
#include "isa/amd/semantics/control_state.h"

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

constexpr WritableRegister writable[] = {{MODE, mode_cell, mode_bits}, {EXCP_FLAG_USER, trap_status_cell, user_exceptions}};

uint32_t status(wave::Wave& wave) {
  uint32_t value = amd::status(wave, is_wave64(wave));
  return is_wave64(wave) ? value | 1u << 29 : value;
}
uint32_t private_state(wave::Wave& wave) {
  uint32_t value = wave::word_of(wave, scc_cell) << 9;
  if (wave.group && wave.group->completed > wave.barriers_passed) value |= 1u << 2;  // BARRIER_COMPLETE
  if (wave.scratch_bytes) value |= 1u << 18;
  return value;
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
    // No wave here is sampled, traps or has anything outstanding.
    case PERF_SNAPSHOT_DATA:
    case PERF_SNAPSHOT_PC_LO:
    case PERF_SNAPSHOT_PC_HI:
    case PERF_SNAPSHOT_DATA1:
    case PERF_SNAPSHOT_DATA2:
    case EXCP_FLAG_PRIV:
    case TRAP_CTRL:
    case IB_STS2: value = 0; return true;
    default: return false;
  }
}

bool write_hardware_register(wave::Wave& wave, uint32_t number, uint32_t mask, uint32_t value, bool& mode) {
  uint32_t old;
  if (!read_hardware_register(wave, number, old)) return false;
  amd::write_hardware_register(wave, writable, number, mask, value, mode);
  return true;  // the others are writable in the trap handler, or never: the write is dropped
}

// --- messages ---------------------------------------------------------------------------------------------------------------
namespace {
enum Message : uint32_t { RTN_GET_TMA = 0x82, RTN_GET_REALTIME = 0x83, RTN_GET_TBA = 0x85 };

uint64_t reply(wave::Wave& wave, uint32_t message) {
  switch (message) {
    case RTN_GET_REALTIME: return wave.environment->clock();
    case RTN_GET_TMA:  // there is no trap handler
    case RTN_GET_TBA: return 0;
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

// --- barriers ---------------------------------------------------------------------------------------------------------------
namespace {
// M0 reaches the numbers from 0 up alone; a constant any.
int barrier_number(wave::Wave& wave, const Instruction& i) {
  return i.src[0] == M0 ? int(register_of(wave, M0) & 31) : int(scalar_value(wave, i.src[0], i.literal));
}
// Gives whether this wave was the first of the round. Of the numbers, -1 is the group's barrier, -2 the trap handler's, 0 a NOP;
// others name no barrier that anything could wait for (table 24).
bool signal(wave::Wave& wave, int number) { return in_group(wave) && number == -1 && wave::signal(*wave.group); }
}  // namespace

void signal_barrier(wave::Wave& wave, const Instruction& i) { signal(wave, barrier_number(wave, i)); }
void s_barrier_signal_isfirst(wave::Wave& wave, const Instruction& i) {
  wave::word_of(wave, scc_cell) = signal(wave, barrier_number(wave, i));
}
void s_get_barrier_state(wave::Wave& wave, const Instruction& i) {
  uint32_t state = 0;  // no such barrier: not valid
  if (wave.group && barrier_number(wave, i) == -1)
    state = (wave.group->signals & 0x7f) << 16 | ((wave.group->members - wave.group->ended) & 0x7f) << 4 | 1u;
  set_scalar_value(wave, i.dst, state);
}
void wait_for_barrier(wave::Wave& wave) {
  if (in_group(wave)) wave::wait(*wave.group, wave);
}

}  // namespace Atoll::rdna4
