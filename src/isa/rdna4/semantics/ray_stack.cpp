#include "isa/rdna4/semantics/ray_stack.h"

#include "isa/rdna4/semantics/registration.h"

ATOLL_SEMANTICS(ray_stack, ATOLL_RAY_STACK)
