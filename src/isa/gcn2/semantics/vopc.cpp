#include "isa/gcn2/semantics/vopc.h"

#include "isa/gcn2/semantics/registration.h"

ATOLL_SEMANTICS(vopc, ATOLL_VOPC)
