#include "isa/gcn2/semantics/cross_lane.h"

#include "isa/gcn2/semantics/registration.h"

ATOLL_SEMANTICS(cross_lane, ATOLL_CROSS_LANE)
