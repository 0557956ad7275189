// What the instruction tables of AMD's instruction sets have in common: fields in instruction words, the layouts of encodings,
// and the ways from opcode numbers and names to rows. isa/amd/instruction_table.py writes the tables.
#pragma once
#include <algorithm>
#include <cstdint>
#include <span>
#include <string_view>

namespace Atoll::amd {

// A field of the encoding: `width` bits of dword `word` from bit `low` up.
struct Bits {
  uint8_t word = 0, low = 0, width = 0;
  constexpr uint32_t mask() const { return width == 32 ? ~0u : (1u << width) - 1; }
  constexpr uint32_t get(const uint32_t* words) const { return words[word] >> low & mask(); }
  constexpr void put(uint32_t* words, uint32_t value) const {
    words[word] = (words[word] & ~(mask() << low)) | (value & mask()) << low;
  }
};

template <class Field>
struct FieldRow {
  Field field;
  Bits bits;
};

// The encoding of a format: its dwords, the fixed bits of the first, the bits of each that belong to a field, and the fields.
template <class Field>
struct Layout {
  unsigned words;
  uint32_t fixed;
  uint32_t used[3];
  std::span<const FieldRow<Field>> fields;
};

// The opcode numbers of a format, in the list of rows of all formats; 0xffff stands for a number without a row.
struct OpcodeRange {
  uint16_t first, count;
};
template <class Opcode>
const Opcode* row_of_number(std::span<const Opcode> rows, std::span<const uint16_t> list, OpcodeRange range, unsigned number) {
  if (number >= range.count) return nullptr;
  uint16_t row = list[range.first + number];
  return row == 0xffff ? nullptr : &rows[row];
}

// The first row of a name; lists are sorted by name.
struct NamedRow {
  std::string_view name;
  uint16_t row;
};
template <class Opcode>
const Opcode* row_of_name(std::span<const Opcode> rows, std::span<const NamedRow> names, std::string_view name) {
  auto found =
      std::lower_bound(names.begin(), names.end(), name, [](const NamedRow& a, std::string_view b) { return a.name < b; });
  return found != names.end() && found->name == name ? &rows[found->row] : nullptr;
}

}  // namespace Atoll::amd
