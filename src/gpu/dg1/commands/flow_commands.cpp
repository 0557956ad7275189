// Commands of the stream itself: other batches, predication, waiting (PRM volume 2a, command reference: instructions, MI_*).
#include <thread>

#include "gpu/dg1/commands/handlers.h"

namespace Atoll::dg1 {

using namespace commands;

bool mi_batch_buffer_start(CommandStreamer& s, const Command& c) {
  using Start = MI_BATCH_BUFFER_START;
  if (Start::Predication_Enable::is_set(c.words) && !(s.context().registers.read(mmio::predicate_result_1) & 1)) return true;
  const bool call = Start::Second_Level_Batch_Buffer::get(c.words) == Start::Second_Level_Batch_Buffer::Second_level_batch;
  return s.jump(Start::Batch_Buffer_Start_Address::get(c.words), call);
}

bool mi_batch_buffer_end(CommandStreamer& s, const Command&) {
  s.end_batch();
  return true;
}

bool mi_conditional_batch_buffer_end(CommandStreamer& s, const Command& c) {
  using End = MI_CONDITIONAL_BATCH_BUFFER_END;
  uint32_t memory[2] = {};
  if (!s.context().load(End::Compare_Address::get(c.words), memory, sizeof memory, "read of a compare value")) return false;
  // With a mask, the second dword in memory says which bits of the first count.
  const uint32_t value = End::Compare_Mask_Mode::get(c.words) ? memory[0] & memory[1] : memory[0];
  if (End::Compare_Semaphore::is_set(c.words) && value <= uint32_t(End::Compare_Data_Dword::get(c.words))) s.end_all();
  return true;
}

bool mi_predicate(CommandStreamer& s, const Command& c) {
  Registers& r = s.context().registers;
  using P = MI_PREDICATE;
  const uint64_t a = r.read64(mmio::predicate_source_0), b = r.read64(mmio::predicate_source_1);
  bool compared = false;
  switch (P::Compare_Operation::get(c.words)) {
    case P::Compare_Operation::TRUE_: compared = true; break;
    case P::Compare_Operation::FALSE_: compared = false; break;
    case P::Compare_Operation::SRCS_EQUAL: compared = a == b; break;
    case P::Compare_Operation::DELTAS_EQUAL: compared = a - b == r.read64(mmio::predicate_data); break;
    default: break;
  }
  const bool before = r.read(mmio::predicate_result) & 1;
  bool loaded = before;
  if (P::Load_Operation::get(c.words) == P::Load_Operation::LOAD) loaded = compared;
  if (P::Load_Operation::get(c.words) == P::Load_Operation::LOADINV) loaded = !compared;
  bool result = loaded;
  switch (P::Combine_Operation::get(c.words)) {
    case P::Combine_Operation::AND: result = before && loaded; break;
    case P::Combine_Operation::OR: result = before || loaded; break;
    case P::Combine_Operation::XOR: result = before != loaded; break;
    default: break;
  }
  r.write(mmio::predicate_result, result);
  return true;
}

bool mi_set_predicate(CommandStreamer& s, const Command& c) {
  s.context().noop_predicate = uint32_t(MI_SET_PREDICATE::Predicate_Enable::get(c.words));
  return true;
}

bool mi_semaphore_wait(CommandStreamer& s, const Command& c) {
  Context& context = s.context();
  using Wait = MI_SEMAPHORE_WAIT;
  using Compare = Wait::Compare_Operation;
  const uint32_t data = uint32_t(Wait::Semaphore_Data_Dword::get(c.words));
  const uint64_t address = Wait::Semaphore_Address::get(c.words);
  const bool is_register = Wait::Register_Poll_Mode::is_set(c.words);
  for (;;) {
    uint32_t value = 0;
    if (is_register)
      value = context.registers.read(uint32_t(address));
    else if (!context.load(address, &value, 4, "read of a semaphore"))
      return false;
    bool holds = true;
    switch (Compare::get(c.words)) {
      case Compare::SAD_GREATER_THAN_SDD: holds = value > data; break;
      case Compare::SAD_GREATER_THAN_OR_EQUAL_SDD: holds = value >= data; break;
      case Compare::SAD_LESS_THAN_SDD: holds = value < data; break;
      case Compare::SAD_LESS_THAN_OR_EQUAL_SDD: holds = value <= data; break;
      case Compare::SAD_EQUAL_SDD: holds = value == data; break;
      case Compare::SAD_NOT_EQUAL_SDD: holds = value != data; break;
      default: return context.lose(fmt::format("comparison {} does not exist", Compare::get(c.words)));
    }
    if (holds) return true;
    if (is_register && address != mmio::timestamp)
      return context.lose(fmt::format("waits for register {:#x}, which only this queue itself changes", address));
    if (context.stop.load(std::memory_order_relaxed))
      return context.lose_stopped(fmt::format("{:#x} is {:#x}, waits for {:#x}", address, value, data));
    std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
}

}  // namespace Atoll::dg1
