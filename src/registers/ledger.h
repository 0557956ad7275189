// Which fields of registers the model looks at.
#pragma once
#include <cstdint>
#include <vector>

#include "registers/tables.h"

namespace Atoll::registers {

// A field by its numbers in the tables. A register without fields counts as its field 0.
struct FieldNumber {
  uint16_t register_number;
  uint8_t field;
  auto operator<=>(const FieldNumber&) const = default;
};

// The fields of a family that any code of this program reads through accessors.h, sorted.
std::vector<FieldNumber> fields_read(const Family& family);

}  // namespace Atoll::registers
