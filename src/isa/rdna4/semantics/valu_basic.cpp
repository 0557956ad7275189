#include "isa/rdna4/semantics/valu_basic.h"

#include "isa/rdna4/semantics/registration.h"

ATOLL_SEMANTICS(valu_basic, ATOLL_VALU_BASIC)
