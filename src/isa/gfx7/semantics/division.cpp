#include "isa/gfx7/semantics/division.h"

#include "isa/gfx7/semantics/registration.h"

ATOLL_SEMANTICS(division, ATOLL_DIVISION)
