#include "isa/rdna4/semantics/ray_tracing.h"

#include "isa/rdna4/semantics/registration.h"
#ifndef ATOLL_RECORDING
#include "wave/interpreter/block.h"
#endif

ATOLL_SEMANTICS(ray_tracing, ATOLL_RAY_TRACING)
