#include "isa/gcn2/semantics/transcendental.h"

#include "isa/gcn2/semantics/registration.h"

ATOLL_SEMANTICS(transcendental, ATOLL_TRANSCENDENTAL)
