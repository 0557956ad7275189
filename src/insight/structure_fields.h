// The fields of a structure that describes something to the GPU (draw_uses.h), by the family's tables.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "insight/draw_uses.h"
#include "registers/tables.h"

namespace Atoll::insight {

struct StructureField {
  std::string name;
  uint64_t value = 0;
  std::string meaning;  // the value's name; empty: it has none
};

// Those that are not 0, or whose 0 has a name, in their order; words that the tables split no further are fields of their own name.
std::vector<StructureField> fields_of(const registers::Family& family, const UsedStructure& structure);

}  // namespace Atoll::insight
