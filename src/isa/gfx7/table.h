// The Sea Islands instruction table, from isa/gfx7.tsv and isa/gfx7-fields.tsv (Sea Islands register guide, section 4). VOP3 has rows
// for the long forms of VOP1, VOP2 and VOPC as well.
#pragma once
#include "isa/amd/table.h"

namespace Atoll::gfx7 {

using amd::Bits, amd::Field, amd::FieldRow, amd::Flag, amd::Format, amd::Kind, amd::Layout, amd::Opcode, amd::OperandRow,
    amd::Slot, amd::Type;
using amd::format_name;

extern const amd::Table table;

inline std::span<const Opcode> opcodes() { return table.rows; }
inline const Opcode* find(Format format, unsigned opcode) { return table.find(format, opcode); }
inline const Opcode* find(std::string_view name) { return table.find(name); }
inline const Layout& layout(const Opcode& row) { return table.layout(row); }
inline Format format_of(uint32_t first_dword) { return table.format_of(first_dword); }

}  // namespace Atoll::gfx7
