#include "isa/rdna4/semantics/valu_minmax.h"

#include "isa/rdna4/semantics/registration.h"

ATOLL_SEMANTICS(valu_minmax, ATOLL_VALU_MINMAX)
