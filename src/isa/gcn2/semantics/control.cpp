#include "isa/gcn2/semantics/control.h"

#include "isa/gcn2/semantics/registration.h"

ATOLL_SEMANTICS(control, ATOLL_CONTROL)
