#include "isa/rdna4/semantics/cross_lane.h"

#include "isa/rdna4/semantics/registration.h"

ATOLL_SEMANTICS(cross_lane, ATOLL_CROSS_LANE)
