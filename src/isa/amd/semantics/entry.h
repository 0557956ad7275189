// A row of the table of what has semantics: by mnemonic, what the interpreter runs and what the recorder records.
#pragma once
#include <span>
#include <string_view>
#include <unordered_map>

#include "wave/interpreter/level.h"
#include "wave/program.h"

namespace Atoll::amd {

struct SemanticEntry {
  const char* name;  // canonical mnemonic, e.g. "v_add_f32"
  wave::InterpretFunction interpret;
  wave::RecordFunction record;  // null: the JIT calls `interpret`
};

class SemanticTable {
public:
  // Joins the entries of a group: those of the interpreter and, in the same order, those of the recorder, if there is one.
  void add(std::span<const SemanticEntry> interpreted, std::span<const SemanticEntry> recorded) {
    for (size_t n = 0; n < interpreted.size(); n++) {
      SemanticEntry entry = interpreted[n];
      if (!recorded.empty()) entry.record = recorded[n].record;
      entries_[entry.name] = entry;
    }
  }
  // The entry of a mnemonic; null when it has no semantics.
  const SemanticEntry* find(std::string_view mnemonic) const {
    auto found = entries_.find(mnemonic);
    return found == entries_.end() ? nullptr : &found->second;
  }

private:
  std::unordered_map<std::string_view, SemanticEntry> entries_;
};

// A group's entries stand in one function a namespace: those of the host levels and `recording`.
#define ATOLL_DECLARE_GROUP(group) std::span<const amd::SemanticEntry> group();
#define ATOLL_DECLARE_GROUPS(GROUPS)           \
  ATOLL_IN_LEVELS(GROUPS(ATOLL_DECLARE_GROUP)) \
  namespace recording {                        \
  GROUPS(ATOLL_DECLARE_GROUP)                  \
  }
// Adds a group to `table` for the host level in use.
#ifdef ATOLL_WITHOUT_RECORDER
#define ATOLL_ADD_GROUP(group) table.add(ATOLL_AT_LEVEL(group)(), {});
#else
#define ATOLL_ADD_GROUP(group) table.add(ATOLL_AT_LEVEL(group)(), recording::group());
#endif

}  // namespace Atoll::amd
