// Registers as packets and MMIO see them: writing some of them does something.
#pragma once
#include <cstdint>
#include <functional>

#include "gpu/gfx12/packets/context.h"

namespace Atoll::gfx12 {

void write_register(Context& c, uint32_t address, uint32_t value);
uint32_t read_register(Context& c, uint32_t address);
// True if any register of that byte address is known; counts it as unknown if not.
bool known_register(Context& c, uint32_t address);

// Nothing but the queue itself changes a register: what is not so yet never comes to be so, and the context is lost at once.
bool wait_for_register(Context& c, uint32_t address, const std::function<bool(uint32_t value)>& satisfied);

}  // namespace Atoll::gfx12
