#include "isa/gcn2/semantics/valu_float.h"

#include "isa/gcn2/semantics/registration.h"

ATOLL_SEMANTICS(valu_float, ATOLL_VALU_FLOAT)
