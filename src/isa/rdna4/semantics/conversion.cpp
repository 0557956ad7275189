#include "isa/rdna4/semantics/conversion.h"

#include "isa/rdna4/semantics/registration.h"

ATOLL_SEMANTICS(conversion, ATOLL_CONVERSION)
