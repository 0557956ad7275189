#include "isa/rdna4/semantics/valu_integer16.h"

#include "isa/rdna4/semantics/registration.h"

ATOLL_SEMANTICS(valu_integer16, ATOLL_VALU_INTEGER16)
