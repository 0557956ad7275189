// Values that a program gives to fields which do not act yet (registers/FAMILY/ledger.json), found where they count: what a chip
// would do with them the model does not, and says so.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "gpu/amd/register_file.h"
#include "registers/lookup.h"

namespace Atoll::gpu::amd {

class NotYet {
public:
  // Called with "PA_CL_NANINF_CNTL.VTE_XY_INF_DISCARD 1" for each field whose value is not harmless.
  using Report = std::function<void(std::string what)>;

  // `reset`: the registers as the chip's reset leaves them; those values are harmless.
  NotYet(const registers::Family& family, const RegisterFile& reset);

  void at_draw(const RegisterFile& registers, const Report& report) const { look(draws_, registers, report); }
  void at_dispatch(const RegisterFile& registers, const Report& report) const { look(dispatches_, registers, report); }
  void at_write(uint32_t address, uint32_t value, const Report& report) const {
    if (address / 4 < written_.size() && written_[address / 4]) look_written(address, value, report);
  }

private:
  // The fields of one register that are looked at together: all is well while `mask` has the bits that a reset leaves.
  struct Entry {
    uint32_t address, mask, reset;
    registers::Instance instance;
    std::vector<const registers::LedgerRow*> rows;
  };
  void name_fields(const Entry& entry, uint32_t value, const RegisterFile* registers, const Report& report) const;
  void look(const std::vector<Entry>& entries, const RegisterFile& registers, const Report& report) const {
    for (const Entry& e : entries)
      if (uint32_t value = registers.raw(e.address); (value & e.mask) != e.reset) name_fields(e, value, &registers, report);
  }
  bool holds(const registers::LedgerCondition& condition, const Entry& entry, const RegisterFile& registers) const;
  void look_written(uint32_t address, uint32_t value, const Report& report) const;

  const registers::Family& family_;
  std::vector<Entry> draws_, dispatches_, writes_;  // by address
  std::vector<bool> written_;                       // by dword
};

}  // namespace Atoll::gpu::amd
