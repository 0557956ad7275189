#include "isa/gcn2/semantics/exports.h"

#include "isa/gcn2/semantics/registration.h"

ATOLL_SEMANTICS(exports, ATOLL_EXPORTS)
