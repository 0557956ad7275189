#include "isa/gcn2/semantics/flat_memory.h"

#include "isa/gcn2/semantics/registration.h"

ATOLL_SEMANTICS(flat_memory, ATOLL_FLAT_MEMORY)
