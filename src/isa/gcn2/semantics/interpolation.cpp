#include "isa/gcn2/semantics/interpolation.h"

#include "isa/gcn2/semantics/registration.h"

ATOLL_SEMANTICS(interpolation, ATOLL_INTERPOLATION)
