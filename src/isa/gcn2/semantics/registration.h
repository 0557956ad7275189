// How the groups of Sea Islands semantics come into the table: isa/amd/semantics/registration.h.
#pragma once
#include "isa/gcn2/adaptor.h"
#define ATOLL_ISA gcn2
#include "isa/amd/semantics/registration.h"
