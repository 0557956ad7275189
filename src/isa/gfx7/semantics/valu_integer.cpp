#include "isa/gfx7/semantics/valu_integer.h"

#include "isa/gfx7/semantics/registration.h"

ATOLL_SEMANTICS(valu_integer, ATOLL_VALU_INTEGER)
