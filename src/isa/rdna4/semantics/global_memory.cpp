#include "isa/rdna4/semantics/global_memory.h"

#include "isa/rdna4/semantics/registration.h"

ATOLL_SEMANTICS(global_memory, ATOLL_GLOBAL_MEMORY)
