#include "registers/ledger.h"

#include <algorithm>
#include <iterator>
#include <string>

#include "registers/lookup.h"

// Made by the linker around what FieldRead places; null where a program reads no register.
extern "C" {
[[gnu::weak, gnu::visibility("hidden")]] extern const uint32_t __start_atoll_fields[];
[[gnu::weak, gnu::visibility("hidden")]] extern const uint32_t __stop_atoll_fields[];
}

namespace Atoll::registers {

std::vector<FieldNumber> fields_read(const Family& family) {
  const auto families = all_families();  // in the order of FAMILIES in generate_tables.py
  const auto number = uint32_t(std::ranges::find(families, &family) - families.begin());
  std::vector<FieldNumber> read;
  for (const uint32_t* id = __start_atoll_fields; id != __stop_atoll_fields; id++)
    if (*id >> 24 == number) read.push_back({uint16_t(*id >> 8 & 0xffff), uint8_t(*id & 0xff)});
  std::ranges::sort(read);
  read.erase(std::unique(read.begin(), read.end()), read.end());
  return read;
}

std::vector<FieldNumber> manual_fields(const Family& family) {
  std::vector<FieldNumber> all;
  for (size_t n = 0; n < family.registers.size(); n++) {
    const Register& r = family.registers[n];
    // A family without a manual (GFX12) has the registers in its ledger.
    const auto row = std::ranges::lower_bound(family.ledger, n, {}, &LedgerRow::register_number);
    if (r.source != "manual" && (row == family.ledger.end() || row->register_number != n)) continue;
    for (size_t f = 0; f < std::max<size_t>(r.fields.size(), 1); f++) all.push_back({uint16_t(n), uint8_t(f)});
  }
  const size_t first = family.registers.size(), end = first + family.commands.size() + family.structures.size();
  for (size_t n = first; n < end; n++)
    for (size_t f = 0; f < field_owner(family, unsigned(n)).field_count(); f++) all.push_back({uint16_t(n), uint8_t(f)});
  return all;
}

FieldOwner field_owner(const Family& family, unsigned number) {
  if (number < family.registers.size()) {
    const Register& r = family.registers[number];
    return {r.name, r.block, &r};
  }
  number -= unsigned(family.registers.size());
  const bool structure = number >= family.commands.size();
  const Command& c = structure ? family.structures[number - family.commands.size()] : family.commands[number];
  return {c.name, c.unit, nullptr, &c, structure};
}

unsigned owner_number(const Family& family, std::string_view name) {
  const auto end = unsigned(family.registers.size() + family.commands.size() + family.structures.size());
  unsigned n = unsigned(family.registers.size());
  while (n < end && field_owner(family, n).name != name) n++;
  return n;
}

const Field& FieldOwner::field(size_t n) const {
  if (reg) return reg->fields[n];
  return n < command->fields.size() ? command->fields[n] : command->repeat[n - command->fields.size()];
}

unsigned FieldOwner::low(size_t n) const {
  return field(n).low + (command && n >= command->fields.size() ? command->repeat_first : 0u);
}

const LedgerRow* ledger_row(const Family& family, FieldNumber field) {
  auto number = [](const LedgerRow& row) { return FieldNumber{row.register_number, row.field}; };
  auto at = std::ranges::lower_bound(family.ledger, field, {}, number);
  return at != family.ledger.end() && number(*at) == field ? &*at : nullptr;
}

std::string field_name(const Family& family, FieldNumber field) {
  const FieldOwner owner = field_owner(family, field.register_number);
  std::string name(owner.name);
  if (field.field >= owner.field_count()) return name;
  const Field& f = owner.field(field.field);
  (name += '.') += f.name;
  size_t same_name = 0;
  for (size_t n = 0; n < owner.field_count(); n++) same_name += owner.field(n).name == f.name;
  if (same_name > 1) name += '[' + std::to_string(f.high) + (f.low < f.high ? ':' + std::to_string(f.low) : "") + ']';
  return name;
}

std::string_view state_name(FieldState state) {
  switch (state) {
    case FieldState::Acts: return "acts";
    case FieldState::Stored: return "stored only";
    case FieldState::NotYet: return "not yet";
  }
  return "?";
}

}  // namespace Atoll::registers
