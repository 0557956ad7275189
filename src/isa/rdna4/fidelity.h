// How faithful each RDNA4 instruction is.
#pragma once
#include "isa/amd/fidelity.h"

namespace Atoll::rdna4 {

std::vector<amd::Fidelity> fidelity();

}  // namespace Atoll::rdna4
