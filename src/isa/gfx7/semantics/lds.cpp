#include "isa/gfx7/semantics/lds.h"

#include "isa/gfx7/semantics/registration.h"

ATOLL_SEMANTICS(lds, ATOLL_LDS)
