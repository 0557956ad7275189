// Which fields of registers the model looks at, and what each field of a manual does.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
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

// Every field of the manual's registers, those of a register in a row; a register without fields is one.
std::vector<FieldNumber> manual_fields(const Family& family);
// What it does; null where nothing is said of it.
const LedgerRow* ledger_row(const Family& family, FieldNumber field);
// "CB_BLEND[0-7]_CONTROL.ENABLE"
std::string field_name(const Family& family, FieldNumber field);
// "acts", "read", "stored only", "not yet"
std::string_view state_name(FieldState state);

}  // namespace Atoll::registers
