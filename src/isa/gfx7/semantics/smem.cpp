#include "isa/gfx7/semantics/smem.h"

#include "isa/gfx7/semantics/registration.h"

ATOLL_SEMANTICS(smem, ATOLL_SMEM)
