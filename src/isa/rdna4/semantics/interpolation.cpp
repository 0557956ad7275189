#include "isa/rdna4/semantics/interpolation.h"

#include "isa/rdna4/semantics/registration.h"

ATOLL_SEMANTICS(interpolation, ATOLL_INTERPOLATION)
