#include "isa/gfx7/semantics/valu_float.h"

#include "isa/gfx7/semantics/registration.h"

ATOLL_SEMANTICS(valu_float, ATOLL_VALU_FLOAT)
