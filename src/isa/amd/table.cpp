#include "isa/amd/table.h"

#include <algorithm>

namespace Atoll::amd {
namespace {

#include "isa/amd/format_names.inc"

const Opcode* row_of_name(std::span<const Opcode> rows, std::span<const NamedRow> names, std::string_view name) {
  auto found = std::ranges::lower_bound(names, name, {}, &NamedRow::name);
  return found != names.end() && found->name == name ? &rows[found->row] : nullptr;
}

}  // namespace

const char* format_name(Format format) { return format < Format::COUNT ? format_names[unsigned(format)] : "?"; }

Bits Layout::at(Field field) const {
  for (const FieldRow& f : fields)
    if (f.field == field) return f.bits;
  return {};
}

const Opcode* Table::find(Format format, unsigned opcode) const {
  OpcodeRange range = ranges[unsigned(format)];
  if (opcode >= range.count) return nullptr;
  uint16_t row = row_of[range.first + opcode];
  return row == 0xffff ? nullptr : &rows[row];
}

const Opcode* Table::find(std::string_view name) const { return row_of_name(rows, names, name); }

const Opcode* Table::find_alias(std::string_view name) const { return row_of_name(rows, aliases, name); }

const Opcode* Table::find(std::string_view name, Format format) const {
  const Opcode* row = find(name);
  while (row != nullptr && row->format != format) row = next_of_name(*row);
  return row;
}

}  // namespace Atoll::amd
