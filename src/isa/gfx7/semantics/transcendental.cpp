#include "isa/gfx7/semantics/transcendental.h"

#include "isa/gfx7/semantics/registration.h"

ATOLL_SEMANTICS(transcendental, ATOLL_TRANSCENDENTAL)
