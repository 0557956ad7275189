#include "isa/gfx7/semantics/flat_memory.h"

#include "isa/gfx7/semantics/registration.h"

ATOLL_SEMANTICS(flat_memory, ATOLL_FLAT_MEMORY)
