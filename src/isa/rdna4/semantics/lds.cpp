#include "isa/rdna4/semantics/lds.h"

#include "isa/rdna4/semantics/registration.h"

ATOLL_SEMANTICS(lds, ATOLL_LDS)
