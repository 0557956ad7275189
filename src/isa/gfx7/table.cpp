#include "isa/gfx7/table.h"

namespace Atoll::gfx7 {
namespace {

#include "isa/gfx7/rows.inc"

}  // namespace

std::span<const Opcode> opcodes() { return rows; }

const Opcode* find(Format format, unsigned opcode) {
  return amd::row_of_number(opcodes(), row_of, ranges[unsigned(format)], opcode);
}

const Opcode* find(std::string_view name) { return amd::row_of_name(opcodes(), by_name, name); }

const Layout& layout(const Opcode& row) { return layouts[row.has(Flag::Sd) ? layout_vop3sd : layout_of[unsigned(row.format)]]; }

const Layout& layout(Format format) { return layouts[layout_of[unsigned(format)]]; }

const char* format_name(Format format) { return format < Format::COUNT ? format_names[unsigned(format)] : "?"; }

Format format_of(uint32_t first_dword) { return format_by_top[first_dword >> 23]; }

}  // namespace Atoll::gfx7
