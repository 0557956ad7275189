#include "isa/rdna4/semantics/transcendental.h"

#include "isa/rdna4/semantics/registration.h"

ATOLL_SEMANTICS(transcendental, ATOLL_TRANSCENDENTAL)
