#include "isa/rdna4/semantics/vopc.h"

#include "isa/rdna4/semantics/registration.h"

ATOLL_SEMANTICS(vopc, ATOLL_VOPC)
