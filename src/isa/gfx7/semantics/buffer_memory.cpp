#include "isa/gfx7/semantics/buffer_memory.h"

#include "isa/gfx7/semantics/registration.h"

ATOLL_SEMANTICS(buffer_memory, ATOLL_BUFFER_MEMORY)
