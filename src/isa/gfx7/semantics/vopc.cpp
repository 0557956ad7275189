#include "isa/gfx7/semantics/vopc.h"

#include "isa/gfx7/semantics/registration.h"

ATOLL_SEMANTICS(vopc, ATOLL_VOPC)
