// The conditions that packets wait for.
#pragma once
#include <cstdint>
#include <functional>

#include "gpu/device/queue_state.h"

namespace Atoll::gpu::amd {

// FUNCTION of WAIT_REG_MEM, COND_WRITE and SDMA's POLL_REG_MEM.
bool compare(uint32_t function, uint64_t value, uint64_t reference);

// Waits until `satisfied` answers true, on this thread, polling. False: the context is lost (also by the time limit).
bool wait_until(QueueState& c, const std::function<bool()>& satisfied);

}  // namespace Atoll::gpu::amd
