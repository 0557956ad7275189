#include "isa/gfx7/semantics/salu.h"

#include "isa/gfx7/semantics/registration.h"

ATOLL_SEMANTICS(salu, ATOLL_SALU)
