#include "isa/gfx7/semantics/conversion.h"

#include "isa/gfx7/semantics/registration.h"

ATOLL_SEMANTICS(conversion, ATOLL_CONVERSION)
