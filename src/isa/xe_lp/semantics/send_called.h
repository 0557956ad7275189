// Messages that act on the whole thread, one lane after the other: what send.h does not say in the words of the engine. Compiled
// code calls them.
#pragma once
#include <cstdint>

#include "isa/xe_lp/data_message.h"
#include "isa/xe_lp/instruction.h"
#include "isa/xe_lp/thread_context.h"
#include "memory/address_space.h"
#include "wave/wave.h"

namespace Atoll::xe_lp {

// A send at its execution.
struct SendCall {
  wave::Wave& wave;
  const Instruction& instruction;
  uint32_t descriptor = 0, extended = 0;  // as they are now, from a0 where the instruction says so
  uint32_t enabled = 0;                   // lanes of the instruction that act
  bool probing = false;                   // after a memory fault: loads look whether there is memory, nothing is stored

  wave::FaultKind fault = wave::FaultKind::None;
  uint64_t address = 0;
  uint32_t bytes = 0;
  int lane = -1;
  const char* reason = nullptr;

  // Register n of the payload: source 0's, then source 1's.
  uint32_t* payload(unsigned n) const;
  // Register n of the answer.
  uint32_t* answer(unsigned n) const;
  bool has_answer() const { return instruction.dst.file != File::Null; }

  // Host memory at an address of the GPU. Null: a fault, which is noted.
  uint8_t* memory(uint64_t gpu_address, unsigned size, wave::FaultKind kind, int of_lane = -1);
  // The same at an address of the window, as the ThreadContext has them.
  uint8_t* window(uint64_t at, unsigned size, wave::FaultKind kind, int of_lane = -1);
  bool fail(const char* why) {
    if (fault == wave::FaultKind::None) fault = wave::FaultKind::Illegal, reason = why;
    return false;
  }
};

// The 16 dwords of the RENDER_SURFACE_STATE that a binding table index names. Null: a fault.
const uint32_t* surface_state(SendCall& call, uint8_t bti);

// A surface of bytes, as untyped messages see it.
struct BufferSurface {
  uint64_t address = 0, bytes = 0;
};
BufferSurface buffer_surface(const uint32_t* state);
// The same as lanes are compared with it.
KeptSurface kept_surface(const uint32_t* state, const Sections& sections);

void run_send(SendCall& call);
void run_data_message(SendCall& call, const DataMessage& message);
void run_typed_message(SendCall& call, const DataMessage& message);
void run_sampler_message(SendCall& call);
void run_urb_message(SendCall& call);
void run_media_block(SendCall& call, const DataMessage& message);
void run_fixed_function(SendCall& call);

}  // namespace Atoll::xe_lp
