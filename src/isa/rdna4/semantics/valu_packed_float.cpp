#include "isa/rdna4/semantics/valu_packed_float.h"

#include "isa/rdna4/semantics/registration.h"

ATOLL_SEMANTICS(valu_packed_float, ATOLL_VALU_PACKED_FLOAT)
