#include "isa/rdna4/semantics/wmma.h"

#include "isa/rdna4/semantics/registration.h"

ATOLL_SEMANTICS(wmma, ATOLL_WMMA)
