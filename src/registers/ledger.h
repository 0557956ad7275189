// The fields of registers that the model reads, and the effect of each field of a manual.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "registers/tables.h"

namespace Atoll::registers {

// The fields of a family that any code of this program reads through accessors.h, sorted.
std::vector<FieldNumber> fields_read(const Family& family);

// The owner of a field, by its FieldNumber's register_number: a register, or, numbered behind them, a command or a structure,
// whose repeated fields come behind the others.
struct FieldOwner {
  Text name, block;
  const Register* reg = nullptr;     // null: a command or structure
  const Command* command = nullptr;  // null: a register
  bool structure = false;

  size_t field_count() const { return reg ? reg->fields.size() : command->fields.size() + command->repeat.size(); }
  const Field& field(size_t n) const;
  // The field's first bit and its number of bits; for a repeated field, those of the first.
  unsigned low(size_t n) const;
  unsigned width(size_t n) const { return field(n).high - field(n).low + 1u; }
};
FieldOwner field_owner(const Family& family, unsigned register_number);
// The number of a command or structure by name; none: a number beyond all.
unsigned owner_number(const Family& family, std::string_view name);

// Every field of the manual's registers and of others that the ledger has, those of a register in a row; a register without fields is
// one. Then those of commands and structures.
std::vector<FieldNumber> manual_fields(const Family& family);
// The field's row; null: it has none.
const LedgerRow* ledger_row(const Family& family, FieldNumber field);
// "CB_BLEND[0-7]_CONTROL.ENABLE"; with its bits where several fields of the register have the name, "TX_FILTER1_[0-15].Reserved[20]"
std::string field_name(const Family& family, FieldNumber field);
// "acts", "stored only", "not yet"
std::string_view state_name(FieldState state);

}  // namespace Atoll::registers
