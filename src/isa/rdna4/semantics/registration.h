// How the groups of RDNA4 semantics come into the table: isa/amd/semantics/registration.h. (e32, e64, DPP and VOPD forms share one
// template.)
#pragma once
#include "isa/rdna4/adaptor.h"
#include "isa/rdna4/dpp.h"
#include "isa/rdna4/semantics/semantics.h"
#define ATOLL_ISA rdna4
#include "isa/amd/semantics/registration.h"
