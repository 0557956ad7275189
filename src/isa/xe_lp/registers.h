// The register file of an EU thread as byte offsets ("cells") into wave::Wave: 128 GRFs of 32 bytes, the architecture registers, and
// what stands for the hardware's instruction pointer of each channel.
#pragma once
#include "isa/xe_lp/executable.h"
#include "isa/xe_lp/thread_context.h"
#include "wave/wave.h"

namespace Atoll::xe_lp {

inline constexpr uint32_t kChannels = 32;
inline constexpr uint32_t grf_cell = wave::register_file_offset;
inline constexpr uint32_t address_cell = grf_cell + kRegisters * kRegisterBytes;
// acc0 to acc7, mme0 to mme7; of integers the upper 32 bits of each dword stand apart, where no operand reaches.
inline constexpr uint32_t accumulator_cell = address_cell + kRegisterBytes;
inline constexpr uint32_t accumulator_high_cell = accumulator_cell + kAccumulators * kRegisterBytes;
// The place where a channel that left the flow comes back: key_of() of that place; 0: it has not left.
inline constexpr uint32_t resume_cell = accumulator_high_cell + (kAccumulators + 3) * kRegisterBytes;
inline constexpr uint32_t active_cell = resume_cell + kChannels * 4;
constexpr uint32_t flag_cell(uint32_t n) { return active_cell + 4 + n * 4; }
inline constexpr uint32_t channel_enable_cell = active_cell + 12;
inline constexpr uint32_t instruction_pointer_cell = active_cell + 16;
inline constexpr uint32_t stack_cell = active_cell + 32;         // sp
inline constexpr uint32_t control_cell = active_cell + 64;       // cr0
inline constexpr uint32_t notification_cell = active_cell + 96;  // n0
inline constexpr uint32_t state_cell = active_cell + 128;        // sr0, sr1
inline constexpr uint32_t timestamp_cell = active_cell + 192;    // tm0
inline constexpr uint32_t dependency_cell = active_cell + 224;   // tdr0
inline constexpr uint32_t debug_cell = active_cell + 256;        // dbg0
inline constexpr uint32_t flow_cell = active_cell + 288;         // fc0 to fc3
inline constexpr uint32_t message_cell = active_cell + 416;      // msg0 to msg7
// The ThreadContext: scalars of 32 bits, 64-bit ones as two.
inline constexpr uint32_t context_cell = grf_cell + 4096 + 2048;
constexpr uint32_t context_field(size_t offset) { return context_cell + uint32_t(offset); }
inline constexpr uint32_t every_channel_cell = context_field(offsetof(ThreadContext, every_channel));
inline ThreadContext& context_of(wave::Wave& wave) {
  return *reinterpret_cast<ThreadContext*>(wave::bytes_of(wave, context_cell));
}
// The kept surfaces, behind it.
inline constexpr uint32_t surfaces_cell = context_cell + 128;
inline KeptSurface* surfaces_of(wave::Wave& wave) { return reinterpret_cast<KeptSurface*>(wave::bytes_of(wave, surfaces_cell)); }
// None of them can be read.
inline void lose_surfaces(wave::Wave& wave) {
  for (unsigned n = 0; n < kept_surfaces; n++) surfaces_of(wave)[n] = lost_surface(n);
}
inline constexpr uint32_t register_file_bytes = 4096 + 2048 + 128 + kept_surfaces * sizeof(KeptSurface);
static_assert(resume_cell % 128 == 0 && message_cell + 256 <= context_cell && sizeof(ThreadContext) <= 128);

constexpr uint32_t cell_of(File f) {
  switch (f) {
    case File::Grf: return grf_cell;
    case File::A: return address_cell;
    case File::Acc: return accumulator_cell;
    case File::Mme: return accumulator_cell + kMme0 * kRegisterBytes;
    case File::F: return flag_cell(0);
    case File::Ce: return channel_enable_cell;
    case File::Ip: return instruction_pointer_cell;
    case File::Sp: return stack_cell;
    case File::Cr: return control_cell;
    case File::N: return notification_cell;
    case File::Sr: return state_cell;
    case File::Tm: return timestamp_cell;
    case File::Tdr: return dependency_cell;
    case File::Dbg: return debug_cell;
    case File::Fc: return flow_cell;
    default: return message_cell;
  }
}
// Code words stand at multiples of 4: never 0.
constexpr uint32_t key_of(uint64_t pc) { return uint32_t(pc) | 1; }

// cr0.0: bit 0 the alternate mode of f, 5:4 the rounding mode, 6 and 7 and 10 that denormals of df, f and hf are kept.
inline constexpr uint32_t kAlternateFloats = 1u << 0;
inline constexpr uint32_t kKeepDenormals64 = 1u << 6, kKeepDenormals32 = 1u << 7, kKeepDenormals16 = 1u << 10;

}  // namespace Atoll::xe_lp
