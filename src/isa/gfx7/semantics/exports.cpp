#include "isa/gfx7/semantics/exports.h"

#include "isa/gfx7/semantics/registration.h"

ATOLL_SEMANTICS(exports, ATOLL_EXPORTS)
