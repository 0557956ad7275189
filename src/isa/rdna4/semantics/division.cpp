#include "isa/rdna4/semantics/division.h"

#include "isa/rdna4/semantics/registration.h"

ATOLL_SEMANTICS(division, ATOLL_DIVISION)
