#include "isa/rdna4/semantics/float_dot.h"

#include "isa/rdna4/semantics/registration.h"

ATOLL_SEMANTICS(float_dot, ATOLL_FLOAT_DOT)
