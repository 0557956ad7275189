#include "isa/gcn2/semantics/conversion.h"

#include "isa/gcn2/semantics/registration.h"

ATOLL_SEMANTICS(conversion, ATOLL_CONVERSION)
