#include "isa/gfx7/semantics/control.h"

#include "isa/gfx7/semantics/registration.h"

ATOLL_SEMANTICS(control, ATOLL_CONTROL)
