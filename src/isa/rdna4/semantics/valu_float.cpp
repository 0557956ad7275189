#include "isa/rdna4/semantics/valu_float.h"

#include "isa/rdna4/semantics/registration.h"

ATOLL_SEMANTICS(valu_float, ATOLL_VALU_FLOAT)
