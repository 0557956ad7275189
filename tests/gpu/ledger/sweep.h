// The sweep over all fields of a family's registers: which of them make a difference that can be read back. A scene is a command
// stream with its memory; it runs once as it is and then once for each other value of each field, written after the scene's own
// state, before each of its draws, dispatches and other work. The memory afterwards is compared, and whether the context was
// lost. Fields that act in no scene have a row in registers/FAMILY/ledger.json; those that do are in acts.json, which
// ATOLL_WRITE_LEDGER=1 writes anew.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "registers/ledger.h"
#include "registers/lookup.h"

namespace Atoll::ledger {

using registers::Family;
using registers::FieldNumber;

// A field of one register, command or structure, and what is put there in its place: of a field that crosses dwords, one dword's part.
struct Change {
  unsigned register_number;
  unsigned instance;  // of a command or structure: which of its dwords
  uint32_t address;   // none of a descriptor's word: 0
  uint32_t mask;      // the field's bits
  uint32_t flip = 0, value = 0;
  bool absolute = false;  // `value` instead of what stands there with `flip` turned

  uint32_t applied(uint32_t old) const { return absolute ? (old & ~mask) | (value & mask) : old ^ (flip & mask); }
};

using Changes = std::vector<Change>;

class Scene {
public:
  explicit Scene(std::string name) : name(std::move(name)) {}
  virtual ~Scene() = default;
  // True if anything that can be read back differs from the run without the change.
  virtual bool differs(const Change& change) = 0;
  // True if draws after the change take something of the state before it: each draw of the scene comes twice, as it is and with
  // the change, and memory is compared with a run in which all that is known of a draw is forgotten in between.
  virtual bool keeps_old_state(const Change&) { return false; }
  // The reports of unknown things with the changes; under --strict the report that ends the context, if there is one.
  virtual std::vector<std::string> unknown(const Changes&, [[maybe_unused]] bool strict) { return {}; }

  const std::string name;
  // Blocks whose registers are tried in it; empty: all.
  std::vector<std::string_view> blocks;
};

// The values that are tried of a field, as changes: all of small fields, bits and patterns of wide ones.
std::vector<Change> changes_of(const Family& family, FieldNumber field, unsigned instance);

struct Swept {
  std::map<FieldNumber, std::string> acts;  // the scene in which a field does, for every one of the manual that does in any
  // Fields after whose change between two draws the second one is drawn with something of the first one's state, a line each.
  std::string keep_old_state;
};
Swept sweep(const Family& family, const std::vector<std::unique_ptr<Scene>>& scenes);

// Plants a value that is not harmless in every field that does not act yet, with the other state under which it matters, and
// harmless ones. Returns a line for each value that is not reported, that does not end a strict run, or that is reported though
// harmless.
std::string plant_not_yet(const Family& family, const std::vector<std::unique_ptr<Scene>>& scenes);

// Compares with the committed list, and writes it where that is asked for. Returns what is wrong, a line each; empty: nothing.
std::string compare_with_list(const Family& family, const std::map<FieldNumber, std::string>& found);

// Every field of the manual has one state; what acts is read by an accessor, and what is read acts or has a row that says why not.
std::string check_states(const Family& family, const std::vector<std::string_view>& not_by_accessor);

}  // namespace Atoll::ledger
