#include "gpu/dg1/threads/thread_start.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <new>

#include "isa/xe_lp/registers.h"

namespace Atoll::dg1 {
namespace {

xe_lp::ThreadContext in_window(xe_lp::ThreadContext c, const Sections& sections) {
  for (uint64_t* address : {&c.surface_state_base, &c.binding_table, &c.bindless_surface_base, &c.dynamic_state_base,
                            &c.sampler_states, &c.bindless_sampler_base, &c.general_state_base, &c.instruction_base})
    *address = sections.window_address(*address & ((uint64_t(1) << Sections::address_bits) - 1));
  return c;
}

}  // namespace

size_t thread_bytes() { return (wave::register_file_offset + xe_lp::register_file_bytes + 127) / 128 * 128; }

wave::Wave& make_thread(uint8_t* storage, const ThreadSurroundings& s) {
  wave::Wave& w = *new (storage) wave::Wave;
  w.window = s.space.base(), w.window_bytes = s.space.window_bytes();
  w.stop_flag = &s.stop;
  w.environment = &s.environment;
  w.textures = &s.textures;
  w.lanes = xe_lp::kChannels;
  w.inspected = false;
  xe_lp::context_of(w) = in_window(s.context, s.space.sections());
  std::ranges::copy(s.surfaces, xe_lp::surfaces_of(w));
  return w;
}

void RegisterClearing::find(wave::Executor& executor, uint64_t thread_begin, uint32_t payload_bytes) {
  read_at_start_ = executor.reads_at_start(thread_begin);
  stretches_.clear();
  if (!read_at_start_) {
    stretches_.push_back({wave::register_file_offset, xe_lp::context_cell - wave::register_file_offset});
    return;
  }
  for (uint32_t cell : *read_at_start_) {
    if ((cell >= xe_lp::grf_cell && cell < xe_lp::grf_cell + payload_bytes) || cell >= xe_lp::context_cell) continue;
    const uint32_t begin = cell & ~(xe_lp::kRegisterBytes - 1);
    constexpr uint32_t gap = 256;  // what lies between costs less than another stretch
    if (stretches_.empty() || stretches_.back().cell + stretches_.back().bytes + gap < begin)
      stretches_.push_back({begin, xe_lp::kRegisterBytes});
    else
      stretches_.back().bytes = begin + xe_lp::kRegisterBytes - stretches_.back().cell;
  }
}

void RegisterClearing::clear(wave::Wave& wave, wave::Executor& executor, uint64_t begin, uint32_t payload_bytes) {
  if (!read_at_start_) find(executor, begin, payload_bytes);
  for (const Stretch& s : stretches_) {
    if (s.bytes == xe_lp::kRegisterBytes)
      std::memset(wave::bytes_of(wave, s.cell), 0, xe_lp::kRegisterBytes);
    else
      std::memset(wave::bytes_of(wave, s.cell), 0, s.bytes);
  }
}

void set_channels(wave::Wave& w, uint32_t channels) {
  wave::word_of(w, xe_lp::active_cell) = channels;
  wave::word_of(w, xe_lp::state_cell + 8) = wave::word_of(w, xe_lp::state_cell + 12) = channels;
}

namespace {
constexpr uint32_t software_exception = 1 << 13, illegal_opcode_exception = 1 << 12, mask_stack_exception = 1 << 11;
}

uint32_t control_modes(bool alternate_floats, bool single_program_flow, uint32_t rounding, uint32_t kept_denormals) {
  constexpr uint32_t program_flow = 1 << 2;
  return (alternate_floats ? xe_lp::kAlternateFloats : 0) | (single_program_flow ? program_flow : 0) | rounding << 4 |
         kept_denormals;
}

uint32_t control_exceptions(bool software, bool illegal_opcode, bool mask_stack) {
  return (software ? software_exception : 0) | (illegal_opcode ? illegal_opcode_exception : 0) |
         (mask_stack ? mask_stack_exception : 0);
}

const char* unknown_exception(uint32_t exceptions, const Kernel& kernel) {
  if (!(exceptions & software_exception) || !kernel.writes_exceptions) return nullptr;
  return "Software Exception Enable of a kernel that writes cr0.1: the system routine is not executed";
}

void set_dispatch(wave::Wave& w, uint32_t channels, const ThreadControl& control, uint32_t slot) {
  set_channels(w, channels);
  wave::word_of(w, xe_lp::control_cell) = control.modes;
  wave::word_of(w, xe_lp::control_cell + 4) = control.exceptions;
  // sr0: the thread's place (TID in 2:0, EUID in 11:8, subslice in 14:12), the channels it was dispatched with, and again.
  constexpr uint32_t threads_of_eu = 7, eus_of_subslice = 16;
  const uint32_t eu = slot / threads_of_eu;
  wave::word_of(w, xe_lp::state_cell) = slot % threads_of_eu | eu % eus_of_subslice << 8 | eu / eus_of_subslice << 12;
}

void set_header(uint32_t* r0, const xe_lp::ThreadContext& context, uint32_t scratch_bytes, uint64_t scratch_offset,
                uint32_t slot) {
  r0[3] = uint32_t(context.sampler_states - context.dynamic_state_base) & ~31u;
  r0[5] = slot;
  if (!scratch_bytes) return;
  r0[3] |= uint32_t(std::countr_zero(scratch_bytes / least_thread_scratch)) & 15;
  r0[5] |= uint32_t(scratch_offset + uint64_t(slot) * scratch_bytes) & ~1023u;
}

gpu::Fault fault_of_thread(const wave::Wave& wave, const Kernel& kernel, const ThreadSurroundings& s) {
  gpu::Fault fault = gpu::fault_of(wave, kernel.address);
  // Threads reach memory by its addresses in the window.
  uint64_t& address = fault.address;
  if (unsigned entry; xe_lp::is_lost_surface(address, entry)) {
    address = s.context.binding_table + entry * 4;
    fault.other = fmt::format("entry {} of the binding table, or the surface state that it names, cannot be read", entry);
    return fault;
  }
  if (address < s.space.window_bytes()) {
    if (auto gpu = s.space.gpu_address_of(s.space.base() + address)) address = uint64_t(*gpu);
  } else {
    address -= uint64_t(s.space.sections().shifts ? Sections::none : 0) << 32;
  }
  return fault;
}

}  // namespace Atoll::dg1
