// A filter that is asked about an access that a page's protection does not allow, before anything else is done about it
// (access_trap.h).
#pragma once
#include <cstdint>

namespace Atoll {

// Called on the thread itself in the signal's handler, whose context it may change; true: the access is tried again.
using FaultFilter = bool (*)(uintptr_t address, bool write, void* context);
// Null: nobody is. The handlers are those of any FaultRecovery.
void set_fault_filter(FaultFilter filter);

}  // namespace Atoll
