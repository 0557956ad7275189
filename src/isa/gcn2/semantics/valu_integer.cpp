#include "isa/gcn2/semantics/valu_integer.h"

#include "isa/gcn2/semantics/registration.h"

ATOLL_SEMANTICS(valu_integer, ATOLL_VALU_INTEGER)
