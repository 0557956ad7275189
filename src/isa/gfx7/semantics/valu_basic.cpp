#include "isa/gfx7/semantics/valu_basic.h"

#include "isa/gfx7/semantics/registration.h"

ATOLL_SEMANTICS(valu_basic, ATOLL_VALU_BASIC)
