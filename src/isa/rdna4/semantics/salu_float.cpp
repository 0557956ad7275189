#include "isa/rdna4/semantics/salu_float.h"

#include "isa/rdna4/semantics/registration.h"

ATOLL_SEMANTICS(salu_float, ATOLL_SALU_FLOAT)
