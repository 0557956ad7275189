#include "gpu/amd/not_yet.h"

#include <fmt/format.h>

#include <algorithm>

namespace Atoll::gpu::amd {

using registers::FieldState;
using registers::LedgerRow;

NotYet::NotYet(const registers::Family& family, const RegisterFile& reset) : written_(reset.end() / 4) {
  auto add = [&](std::vector<Entry>& entries, const registers::Instance& instance, const LedgerRow& row) {
    const registers::Field& field = instance.entry->fields[row.field];
    const uint32_t address = *instance.address(), mask = (~0u >> (31 - (field.high - field.low))) << field.low;
    if (entries.empty() || entries.back().address != address) entries.push_back({address, 0, 0, instance, {}});
    Entry& e = entries.back();
    e.mask |= mask, e.reset = reset.raw(address) & e.mask;
    e.rows.push_back(&row);
  };
  for (auto& instance : registers::all_instances(family)) {
    if (!instance.address() || instance.alias || instance.entry->fields.empty()) continue;
    const auto number = uint16_t(instance.entry - family.registers.data());
    auto row = std::ranges::lower_bound(family.ledger, number, {}, &LedgerRow::register_number);
    for (; row != family.ledger.end() && row->register_number == number; ++row) {
      if (row->state != FieldState::NotYet) continue;
      if (row->checked == LedgerRow::Checked::Draw) add(draws_, instance, *row);
      if (row->checked == LedgerRow::Checked::Dispatch) add(dispatches_, instance, *row);
      if (row->checked == LedgerRow::Checked::Write) add(writes_, instance, *row);
    }
  }
  std::ranges::stable_sort(writes_, {}, &Entry::address);
  for (const Entry& e : writes_)
    if (e.address / 4 < written_.size()) written_[e.address / 4] = true;
}

void NotYet::name_fields(const Entry& entry, uint32_t value, const Report& report) {
  for (const LedgerRow* row : entry.rows) {
    const registers::Field& field = entry.instance.entry->fields[row->field];
    const auto is = uint32_t(registers::field_value(field, {&value, 1})),
               was = uint32_t(registers::field_value(field, {&entry.reset, 1}));
    if (is == was || std::ranges::any_of(row->harmless, [&](auto& r) { return is >= r.first && is <= r.last; })) continue;
    report(
        fmt::format("{}.{} {}", entry.instance.name(), field.name, is < 10 ? fmt::format("{}", is) : fmt::format("{:#x}", is)));
  }
}

void NotYet::look_written(uint32_t address, uint32_t value, const Report& report) const {
  for (auto e = std::ranges::lower_bound(writes_, address, {}, &Entry::address); e != writes_.end() && e->address == address; ++e)
    if ((value & e->mask) != e->reset) name_fields(*e, value, report);
}

}  // namespace Atoll::gpu::amd
