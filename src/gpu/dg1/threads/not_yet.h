// Values that a program gives to fields of a command or structure which do not act yet (registers/dg1/ledger.json), found where they
// count: what the chip would do with them the model does not, and says so.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "registers/tables.h"

namespace Atoll::dg1 {

class NotYet {
public:
  using Checked = registers::LedgerRow::Checked;
  // Called with "SAMPLER_STATE.ChromaKey Enable 1" for each field whose value is not harmless.
  using Report = std::function<void(std::string what)>;

  // Looks at the fields of a command or structure whose ledger rows have this `checked`.
  NotYet(std::string_view name, Checked checked);

  bool empty() const { return entries_.empty(); }
  // All dwords that the table says there are must be there.
  void look(const uint32_t* words, const Report& report) const {
    for (auto [dword, mask] : masks_)
      if (words[dword] & mask) return name_fields(words, report);
    if (zero_counts_) name_fields(words, report);
  }

private:
  void name_fields(const uint32_t* words, const Report& report) const;

  std::string_view name_;
  std::vector<const registers::LedgerRow*> entries_;
  std::vector<std::pair<uint32_t, uint32_t>> masks_;  // dwords that have such fields, and which bits of them
  bool zero_counts_ = false;                          // of one of them 0 is not harmless
};

}  // namespace Atoll::dg1
