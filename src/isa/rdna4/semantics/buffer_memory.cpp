#include "isa/rdna4/semantics/buffer_memory.h"

#include "isa/rdna4/semantics/registration.h"

ATOLL_SEMANTICS(buffer_memory, ATOLL_BUFFER_MEMORY)
