#include "isa/gcn2/semantics/lds.h"

#include "isa/gcn2/semantics/registration.h"

ATOLL_SEMANTICS(lds, ATOLL_LDS)
