// Waves of a group that write to LDS what others have still to read. Mesa's geometry shaders with transform feedback (25.0.7,
// ac_nir_lower_ngg.c) keep the buffers' offsets and, without a barrier between, the waves' counts at the same place: on a GPU every wave has
// read soon after the barrier that lets all go on. Here a wave runs on until it waits for others, and would write first.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

namespace Atoll::gfx12 {

// The program as it runs: where, behind a barrier, it waits for what it has read of LDS and then writes there, the wait is a sleep, in which
// the others come to the same place. Only of programs that put groups into an order by memory (global_atomic_ordered_add_b64).
std::vector<uint32_t> with_turns(std::span<const uint32_t> words, unsigned lanes);

}  // namespace Atoll::gfx12
