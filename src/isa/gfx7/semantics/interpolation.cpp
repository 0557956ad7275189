#include "isa/gfx7/semantics/interpolation.h"

#include "isa/gfx7/semantics/registration.h"

ATOLL_SEMANTICS(interpolation, ATOLL_INTERPOLATION)
