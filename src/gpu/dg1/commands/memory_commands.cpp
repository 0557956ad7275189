// Commands that read and write single values in memory, and PIPE_CONTROL, whose caches do not exist here and whose value is written
// when everything before it is done (PRM volume 2a).
#include <cstring>

#include "gpu/device/signal.h"
#include "gpu/dg1/commands/handlers.h"
#include "gpu/dg1/draw/statistics.h"
#include "gpu/dg1/state/tiled_resources.h"

namespace Atoll::dg1 {

using namespace commands;

namespace {

// The writes that follow PIPE_CONTROL and MI_FLUSH_DW; both number them alike.
bool post_sync(Context& c, uint64_t operation, uint64_t address, uint64_t immediate, const char* what) {
  using Operation = PIPE_CONTROL::Post_Sync_Operation;
  if (operation != Operation::No_Write) gpu::about_to_signal();
  switch (operation) {
    case Operation::No_Write: return true;
    case Operation::Write_Immediate_Data: return c.store(address, &immediate, 8, what);
    case Operation::Write_PS_Depth_Count: {
      const uint64_t samples = c.registers.read64(mmio::ps_depth_count);
      return c.store(address, &samples, 8, what);
    }
    default: {
      const uint64_t now = c.registers.timestamp();
      return c.store(address, &now, 8, what);
    }
  }
}

}  // namespace

bool pipe_control(CommandStreamer& s, const Command& c) {
  using P = PIPE_CONTROL;
  if (P::Instruction_Cache_Invalidate_Enable::is_set(c.words)) s.context().kernels.invalidate();
  if (P::TLB_Invalidate::is_set(c.words) && !translate_tiled_resources(s.context())) return false;
  const uint64_t address = P::Address::get(c.words);
  if (P::LRI_Post_Sync_Operation::is_set(c.words))
    s.context().registers.write(uint32_t(address), uint32_t(P::Immediate_Data::get(c.words)));
  else if (!post_sync(s.context(), P::Post_Sync_Operation::get(c.words), address, P::Immediate_Data::get(c.words),
                      "post-sync write"))
    return false;
  // The post-sync write stores the counts before this reset (Intel's Metrics Library, ml_gpu_commands_gen11.h, PIPE_CONTROL).
  if (P::Global_Snapshot_Count_Reset::is_set(c.words)) reset_statistics(s.context());
  return true;
}

bool mi_flush_dw(CommandStreamer& s, const Command& c) {
  using F = MI_FLUSH_DW;
  if (F::TLB_Invalidate::is_set(c.words) && !translate_tiled_resources(s.context())) return false;
  return post_sync(s.context(), F::Post_Sync_Operation::get(c.words), F::Address::get(c.words), F::Immediate_Data::get(c.words),
                   "post-sync write");
}

// Its length says how many dwords it writes, whatever Store Qword is: anv writes two without that bit for where a secondary command
// buffer returns to, and six with it for a clear colour (Mesa 22.3.6 src/intel/vulkan/anv_batch_chain.c, anv_cmd_buffer_add_secondary;
// 25.0.7 genX_cmd_buffer.c, set_image_clear_color).
bool mi_store_data_imm(CommandStreamer& s, const Command& c) {
  using Store = MI_STORE_DATA_IMM;
  constexpr uint32_t first = Store::Immediate_Data::low / 32;
  if (c.dwords <= first) return s.context().lose("MI_STORE_DATA_IMM has no value");
  gpu::about_to_signal();
  return s.context().store(Store::Address::get(c.words), c.words + first, (c.dwords - first) * sizeof *c.words,
                           "write of a value");
}

bool mi_copy_mem_mem(CommandStreamer& s, const Command& c) {
  using Copy = MI_COPY_MEM_MEM;
  uint32_t value = 0;
  return s.context().load(Copy::Source_Memory_Address::get(c.words), &value, 4, "read of a value") &&
         s.context().store(Copy::Destination_Memory_Address::get(c.words), &value, 4, "write of a value");
}

bool mi_report_perf_count(CommandStreamer& s, const Command& c) {
  using Report = MI_REPORT_PERF_COUNT;
  // Identifier and time; no counter counts.
  uint32_t report[64] = {uint32_t(Report::Report_ID::get(c.words)), uint32_t(s.context().registers.timestamp())};
  return s.context().store(Report::Memory_Address::get(c.words), report, sizeof report, "write of counters");
}

namespace {

template <class T>
T computed(uint64_t operation, T old, T one, T two, bool& known) {
  using Signed = std::make_signed_t<T>;
  switch (operation) {
    case 0x01: return old & one;
    case 0x02: return old | one;
    case 0x03: return old ^ one;
    case 0x04: return one;
    case 0x05: return old + 1;
    case 0x06: return old - 1;
    case 0x07: return old + one;
    case 0x08: return old - one;
    case 0x09: return one - old;
    case 0x0a: return Signed(old) > Signed(one) ? old : one;
    case 0x0b: return Signed(old) < Signed(one) ? old : one;
    case 0x0c: return old > one ? old : one;
    case 0x0d: return old < one ? old : one;
    case 0x0e: return old == one ? two : old;
    case 0x0f: return old - 1;
    default: known = false; return old;
  }
}

template <class T>
bool atomic(CommandStreamer& s, const Command& c, uint64_t operation, T one, T two) {
  Context& context = s.context();
  using Atomic = MI_ATOMIC;
  const uint64_t address = stripped(Atomic::Memory_Address::get(c.words));
  gpu::about_to_signal();
  if (address % sizeof(T)) return context.lose(fmt::format("atomic at {:#x}, which is not aligned", address));
  auto* at = reinterpret_cast<T*>(context.memory(address, sizeof(T), true, "atomic"));
  if (!at) return false;
  T old = 0, now = 0;
  bool known = true;
  bool done = context.guarded(address, sizeof(T), "atomic", [&] {
    old = __atomic_load_n(at, __ATOMIC_ACQUIRE);
    do {
      now = computed(operation, old, one, two, known);
    } while (known && !__atomic_compare_exchange_n(at, &old, now, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE));
  });
  if (!done) return false;
  if (!known) return context.lose(fmt::format("atomic operation {:#x} does not exist", Atomic::ATOMIC_OPCODE::get(c.words)));
  // The operations that decrement first return what they left.
  if (Atomic::Return_Data_Control::is_set(c.words))
    context.registers.write64(mmio::general_purpose, operation == 0x0f ? now : old);
  return true;
}

}  // namespace

bool mi_atomic(CommandStreamer& s, const Command& c) {
  Context& context = s.context();
  using Atomic = MI_ATOMIC;
  const uint64_t opcode = Atomic::ATOMIC_OPCODE::get(c.words);
  uint64_t one = 0, two = 0;
  if (Atomic::Inline_Data::is_set(c.words)) {
    one = Atomic::Operand1_Data_Dword_0::get(c.words) | uint64_t(Atomic::Operand1_Data_Dword_1::get(c.words)) << 32;
    two = Atomic::Operand2_Data_Dword_0::get(c.words) | uint64_t(Atomic::Operand2_Data_Dword_1::get(c.words)) << 32;
  } else {
    one = context.registers.read64(mmio::general_purpose);
    two = context.registers.read64(mmio::general_purpose + 8);
  }
  // 0x20 and above are those of 8 bytes.
  if (opcode < 0x20) return atomic<uint32_t>(s, c, opcode, uint32_t(one), uint32_t(two));
  if (opcode < 0x40) return atomic<uint64_t>(s, c, opcode - 0x20, one, two);
  return context.lose(fmt::format("atomic operation {:#x} is not executed", opcode));
}

}  // namespace Atoll::dg1
