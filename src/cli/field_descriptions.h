// A sentence about what a field of a register does: registers/FAMILY/descriptions.tsv.
#pragma once
#include <string_view>

#include "registers/tables.h"

namespace Atoll::cli {

// Empty: nothing is said of it.
std::string_view field_description(const registers::Family& family, registers::FieldNumber field);
// The same by what the tables have: a field of a register of the family.
std::string_view field_description(const registers::Family& family, const registers::Register& entry,
                                   const registers::Field& field);

}  // namespace Atoll::cli
