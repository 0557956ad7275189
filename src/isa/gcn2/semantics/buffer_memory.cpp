#include "isa/gcn2/semantics/buffer_memory.h"

#include "isa/gcn2/semantics/registration.h"

ATOLL_SEMANTICS(buffer_memory, ATOLL_BUFFER_MEMORY)
