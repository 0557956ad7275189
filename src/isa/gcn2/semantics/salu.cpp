#include "isa/gcn2/semantics/salu.h"

#include "isa/gcn2/semantics/registration.h"

ATOLL_SEMANTICS(salu, ATOLL_SALU)
