#include "isa/gcn2/semantics/global_share.h"

#include "isa/gcn2/semantics/registration.h"

ATOLL_SEMANTICS(global_share, ATOLL_GLOBAL_SHARE)
