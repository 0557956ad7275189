#include "isa/rdna4/semantics/control.h"

#include "isa/rdna4/semantics/registration.h"

ATOLL_SEMANTICS(control, ATOLL_CONTROL)
