// The register file of an EU thread as byte offsets ("cells") into wave::Wave: 128 GRFs of 32 bytes, address and accumulator
// registers, flags, and what stands for the hardware's instruction pointer of each channel.
#pragma once
#include "isa/xe_lp/executable.h"
#include "isa/xe_lp/thread_context.h"
#include "wave/wave.h"

namespace Atoll::xe_lp {

inline constexpr uint32_t kChannels = 32;
inline constexpr uint32_t grf_cell = wave::register_file_offset;
inline constexpr uint32_t address_cell = grf_cell + kRegisters * kRegisterBytes;
inline constexpr uint32_t accumulator_cell = address_cell + kRegisterBytes;
// Where a channel that left the flow comes back: key_of() of that place; 0: it has not left.
inline constexpr uint32_t resume_cell = accumulator_cell + 3 * kRegisterBytes;
inline constexpr uint32_t active_cell = resume_cell + kChannels * 4;
constexpr uint32_t flag_cell(uint32_t n) { return active_cell + 4 + n * 4; }
// The ThreadContext: scalars of 32 bits, 64-bit ones as two.
inline constexpr uint32_t context_cell = grf_cell + 4096 + 1024;
constexpr uint32_t context_field(size_t offset) { return context_cell + uint32_t(offset); }
inline constexpr uint32_t every_channel_cell = context_field(offsetof(ThreadContext, every_channel));
inline ThreadContext& context_of(wave::Wave& wave) {
  return *reinterpret_cast<ThreadContext*>(wave::bytes_of(wave, context_cell));
}
inline constexpr uint32_t register_file_bytes = 4096 + 1024 + 128;
static_assert(resume_cell % 128 == 0 && flag_cell(2) <= context_cell && sizeof(ThreadContext) <= 128);
constexpr uint32_t cell_of(File f) { return f == File::Grf ? grf_cell : f == File::A ? address_cell : accumulator_cell; }
// Code words stand at multiples of 4: never 0.
constexpr uint32_t key_of(uint64_t pc) { return uint32_t(pc) | 1; }

}  // namespace Atoll::xe_lp
