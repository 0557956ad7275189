// Which fields of registers the model looks at, and what each field of a manual does.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "registers/tables.h"

namespace Atoll::registers {

// The fields of a family that any code of this program reads through accessors.h, sorted.
std::vector<FieldNumber> fields_read(const Family& family);

// Every field of the manual's registers, those of a register in a row; a register without fields is one.
std::vector<FieldNumber> manual_fields(const Family& family);
// What it does; null where nothing is said of it.
const LedgerRow* ledger_row(const Family& family, FieldNumber field);
// "CB_BLEND[0-7]_CONTROL.ENABLE"; with its bits where several fields of the register have the name, "TX_FILTER1_[0-15].Reserved[20]"
std::string field_name(const Family& family, FieldNumber field);
// "acts", "stored only", "not yet"
std::string_view state_name(FieldState state);

}  // namespace Atoll::registers
