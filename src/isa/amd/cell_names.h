// Names of the registers that AMD's waves have in common, by their place in wave::Wave (registers.h).
#pragma once
#include <cstdint>
#include <string>

#include "isa/amd/registers_text.h"

namespace Atoll::amd {

// As wave::NamedRegisters gives it; `registers` are the instruction set's own.
std::string cell_name(const RegisterNames& registers, uint32_t cell, uint32_t words, bool wave64);

}  // namespace Atoll::amd
