#include "isa/rdna4/semantics/packed_integer.h"

#include "isa/rdna4/semantics/registration.h"

ATOLL_SEMANTICS(packed_integer, ATOLL_PACKED_INTEGER)
