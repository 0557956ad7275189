#include "isa/rdna4/semantics/salu.h"

#include "isa/rdna4/semantics/registration.h"

ATOLL_SEMANTICS(salu, ATOLL_SALU)
