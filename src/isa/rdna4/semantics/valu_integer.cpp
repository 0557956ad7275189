#include "isa/rdna4/semantics/valu_integer.h"

#include "isa/rdna4/semantics/registration.h"

ATOLL_SEMANTICS(valu_integer, ATOLL_VALU_INTEGER)
