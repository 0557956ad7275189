#include "isa/amd/fidelity.h"

namespace Atoll::amd {

std::vector<Fidelity> fidelity(const Table& table, std::span<const FidelityNote> notes, bool (*has_semantics)(std::string_view),
                               const char* (*why_not_yet)(const Opcode&)) {
  std::vector<Fidelity> list;
  for (const Opcode& row : table.rows) {
    Fidelity f{&row, "exact", "", "", ""};
    std::string_view name = table.rows[row.ordinary].name;  // the halves of a VOPD run as the ordinary instructions
    if (!has_semantics(name)) {
      f.state = "not yet";
      f.reason = why_not_yet(row);
    } else {
      for (const FidelityNote& note : notes)
        if (name.starts_with(note.prefix)) {
          f.state = note.state, f.bound = note.bound, f.source = note.source, f.reason = note.reason;
          break;
        }
    }
    list.push_back(std::move(f));
  }
  return list;
}

}  // namespace Atoll::amd
