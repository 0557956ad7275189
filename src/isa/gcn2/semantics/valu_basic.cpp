#include "isa/gcn2/semantics/valu_basic.h"

#include "isa/gcn2/semantics/registration.h"

ATOLL_SEMANTICS(valu_basic, ATOLL_VALU_BASIC)
