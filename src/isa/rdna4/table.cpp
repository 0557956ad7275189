#include "isa/rdna4/table.h"

namespace Atoll::rdna4 {
namespace {

template <Flag flag, int half>
constexpr uint64_t flag_bit = int(flag) / 64 == half ? uint64_t(1) << (int(flag) % 64) : 0;

#include "isa/rdna4/rows.inc"

}  // namespace

std::span<const Opcode> opcodes() { return rows; }

const Opcode* find(Format format, unsigned opcode) {
  return amd::row_of_number(opcodes(), row_of, ranges[unsigned(format)], opcode);
}

const Opcode* find(std::string_view name) { return amd::row_of_name(opcodes(), by_name, name); }

const Opcode* find_alias(std::string_view name) { return amd::row_of_name(opcodes(), by_alias, name); }

const Opcode* find(std::string_view name, Format format) {
  const Opcode* row = find(name);
  while (row != nullptr && row->format != format) row = row->next_of_name != 0 ? &rows[row->next_of_name] : nullptr;
  return row;
}

const Layout& layout(const Opcode& row) { return layouts[row.has(Flag::Sd) ? layout_vop3sd : layout_of[unsigned(row.format)]]; }

const char* format_name(Format format) { return format < Format::COUNT ? format_names[unsigned(format)] : "?"; }

Format format_of(uint32_t first_dword) { return format_by_top[first_dword >> 23]; }

}  // namespace Atoll::rdna4
