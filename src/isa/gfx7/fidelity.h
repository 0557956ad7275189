// How faithful each Sea Islands instruction is.
#pragma once
#include "isa/amd/fidelity.h"

namespace Atoll::gfx7 {

std::vector<amd::Fidelity> fidelity();

}  // namespace Atoll::gfx7
