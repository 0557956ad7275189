// Registers as packets and MMIO see them: writing some of them does something, reading some gives what is counted.
#pragma once
#include <cstdint>
#include <functional>

#include "gpu/sea_islands/packets/context.h"

namespace Atoll::sea_islands {

void write_register(Context& c, uint32_t address, uint32_t value);
uint32_t read_register(Context& c, uint32_t address);
// True if the write of a register draws or dispatches.
bool starts_work(uint32_t address, uint32_t value);
// True if any register of that byte address is known; counts it as unknown if not.
bool known_register(Context& c, uint32_t address);

// Waits on this thread until `satisfied` answers true, polling; false: the context is lost. Nothing but the queue itself changes
// most registers: what is not so then never comes to be so, and the context is lost at once.
bool wait_for_register(Context& c, uint32_t address, const std::function<bool(uint32_t value)>& satisfied);

}  // namespace Atoll::sea_islands
