#include "isa/rdna4/semantics/exports.h"

#include "isa/rdna4/semantics/registration.h"

ATOLL_SEMANTICS(exports, ATOLL_EXPORTS)
