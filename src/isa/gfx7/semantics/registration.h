// How the groups of Sea Islands semantics come into the table: isa/amd/semantics/registration.h.
#pragma once
#include "isa/gfx7/adaptor.h"
#define ATOLL_ISA gfx7
#include "isa/amd/semantics/registration.h"

// Templates of isa/amd, under their own name or another one.
#define ATOLL_LANES_SHARED_AS(mnemonic, name) ATOLL_LANES_AS(mnemonic, amd::name)
#define ATOLL_LANES_SHARED(name) ATOLL_LANES_SHARED_AS(name, name)
#define ATOLL_SCALAR_SHARED_AS(mnemonic, name) ATOLL_SCALAR_AS(mnemonic, amd::name)
#define ATOLL_SCALAR_SHARED(name) ATOLL_SCALAR_SHARED_AS(name, name)
