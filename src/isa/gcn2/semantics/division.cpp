#include "isa/gcn2/semantics/division.h"

#include "isa/gcn2/semantics/registration.h"

ATOLL_SEMANTICS(division, ATOLL_DIVISION)
