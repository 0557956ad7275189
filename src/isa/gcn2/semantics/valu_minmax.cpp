#include "isa/gcn2/semantics/valu_minmax.h"

#include "isa/gcn2/semantics/registration.h"

ATOLL_SEMANTICS(valu_minmax, ATOLL_VALU_MINMAX)
