#include "isa/gfx7/semantics/global_share.h"

#include "isa/gfx7/semantics/registration.h"

ATOLL_SEMANTICS(global_share, ATOLL_GLOBAL_SHARE)
