#include "isa/rdna4/semantics/smem.h"

#include "isa/rdna4/semantics/registration.h"

ATOLL_SEMANTICS(smem, ATOLL_SMEM)
