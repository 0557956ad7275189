#include "isa/gfx7/semantics/cross_lane.h"

#include "isa/gfx7/semantics/registration.h"

ATOLL_SEMANTICS(cross_lane, ATOLL_CROSS_LANE)
