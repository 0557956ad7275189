#include "isa/gcn2/table.h"

#include <algorithm>

namespace Atoll::gcn2 {
namespace {

#include "isa/gcn2/rows.inc"

}  // namespace

std::span<const Opcode> opcodes() { return rows; }

const Opcode* find(Format format, unsigned opcode) {
  const OpcodeRange& range = ranges[unsigned(format)];
  if (opcode >= range.count) return nullptr;
  uint16_t row = row_of[range.first + opcode];
  return row == 0xffff ? nullptr : &rows[row];
}

const Opcode* find(std::string_view name) {
  auto found = std::lower_bound(std::begin(by_name), std::end(by_name), name,
                                [](const Named& a, std::string_view b) { return a.name < b; });
  return found != std::end(by_name) && found->name == name ? &rows[found->row] : nullptr;
}

const Layout& layout(const Opcode& row) { return layouts[row.has(Flag::Sd) ? layout_vop3sd : layout_of[unsigned(row.format)]]; }

const Layout& layout(Format format) { return layouts[layout_of[unsigned(format)]]; }

const char* format_name(Format format) { return format < Format::COUNT ? format_names[unsigned(format)] : "?"; }

Format format_of(uint32_t first_dword) { return format_by_top[first_dword >> 23]; }

}  // namespace Atoll::gcn2
