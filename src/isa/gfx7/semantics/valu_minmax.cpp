#include "isa/gfx7/semantics/valu_minmax.h"

#include "isa/gfx7/semantics/registration.h"

ATOLL_SEMANTICS(valu_minmax, ATOLL_VALU_MINMAX)
