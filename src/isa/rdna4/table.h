// The RDNA4 instruction table, from isa/rdna4.tsv, isa/rdna4-fields.tsv and isa/rdna4-aliases.tsv (RDNA4 ISA chapters 15 and 16).
#pragma once
#include "isa/amd/table.h"

namespace Atoll::rdna4 {

using amd::Bits, amd::Field, amd::FieldRow, amd::Flag, amd::Format, amd::Kind, amd::Layout, amd::Opcode, amd::OperandRow,
    amd::Slot, amd::Type;
using amd::format_name;

extern const amd::Table table;
// The dword behind an instruction with DPP.
extern const Layout &dpp16_layout, &dpp8_layout;

inline std::span<const Opcode> opcodes() { return table.rows; }
inline const Opcode* find(Format format, unsigned opcode) { return table.find(format, opcode); }
inline const Opcode* find(std::string_view name) { return table.find(name); }
inline const Opcode* find(std::string_view name, Format format) { return table.find(name, format); }
inline const Opcode* find_alias(std::string_view name) { return table.find_alias(name); }
inline const Layout& layout(const Opcode& row) { return table.layout(row); }
inline Format format_of(uint32_t first_dword) { return table.format_of(first_dword); }

}  // namespace Atoll::rdna4
