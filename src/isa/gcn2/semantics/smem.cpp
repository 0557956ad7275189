#include "isa/gcn2/semantics/smem.h"

#include "isa/gcn2/semantics/registration.h"

ATOLL_SEMANTICS(smem, ATOLL_SMEM)
