#include "gpu/amd/not_yet.h"

#include <fmt/format.h>

#include <algorithm>

namespace Atoll::gpu::amd {

using registers::FieldState;
using registers::LedgerRow;

namespace {

// In the mask of a register without fields all bits are one.
uint32_t mask_of(const registers::Register& r, unsigned field) {
  if (r.fields.empty()) return ~0u;
  const registers::Field& f = r.fields[field];
  return (~0u >> (31 - (f.high - f.low))) << f.low;
}
uint32_t value_of(const registers::Register& r, unsigned field, uint32_t word) {
  return r.fields.empty() ? word : uint32_t(registers::field_value(r.fields[field], {&word, 1}));
}

}  // namespace

NotYet::NotYet(const registers::Family& family, const RegisterFile& reset) : family_(family), written_(reset.end() / 4) {
  auto add = [&](std::vector<Entry>& entries, const registers::Instance& instance, const LedgerRow& row) {
    const uint32_t address = *instance.address();
    if (entries.empty() || entries.back().address != address) entries.push_back({address, 0, 0, instance, {}});
    Entry& e = entries.back();
    e.mask |= mask_of(*instance.entry, row.field), e.reset = reset.raw(address) & e.mask;
    e.rows.push_back(&row);
  };
  for (auto& instance : registers::all_instances(family)) {
    if (!instance.address() || instance.alias) continue;
    const auto number = uint16_t(instance.entry - family.registers.data());
    auto row = std::ranges::lower_bound(family.ledger, number, {}, &LedgerRow::register_number);
    for (; row != family.ledger.end() && row->register_number == number; ++row) {
      if (row->state != FieldState::NotYet) continue;
      if (row->checked == LedgerRow::Checked::Draw) add(draws_, instance, *row);
      if (row->checked == LedgerRow::Checked::Dispatch) add(dispatches_, instance, *row);
      if (row->checked == LedgerRow::Checked::Write) add(writes_, instance, *row);
    }
  }
  // Registers that share an address stay in the tables' order.
  std::ranges::sort(writes_, {}, [](const Entry& e) { return std::pair(e.address, e.rows.front()->register_number); });
  for (const Entry& e : writes_)
    if (e.address / 4 < written_.size()) written_[e.address / 4] = true;
}

namespace {

bool any_has(std::span<const registers::ValueRange> ranges, uint32_t value) {
  return std::ranges::any_of(ranges, [&](auto& r) { return value >= r.first && value <= r.last; });
}

}  // namespace

bool NotYet::holds(const registers::LedgerCondition& condition, const Entry& entry, const RegisterFile& registers) const {
  return std::ranges::any_of(condition.fields, [&](registers::FieldNumber number) {
    const registers::Register& r = family_.registers[number.register_number];
    // If the register repeats as the entry's does, only the same repeat counts.
    const bool same = r.count == entry.instance.entry->count;
    for (unsigned n = same ? entry.instance.instance : 0; n < (same ? entry.instance.instance + 1 : r.count); n++) {
      const uint32_t word = registers.raw(registers::Instance{&r, n}.address().value_or(~0u));
      if (any_has(condition.values, value_of(r, number.field, word))) return true;
    }
    return false;
  });
}

// `registers`: null where nothing but the value itself counts.
void NotYet::name_fields(const Entry& entry, uint32_t value, const RegisterFile* registers, const Report& report) const {
  for (const LedgerRow* row : entry.rows) {
    const registers::Register& r = *entry.instance.entry;
    const uint32_t is = value_of(r, row->field, value), was = value_of(r, row->field, entry.reset);
    if (is == was || any_has(row->harmless, is)) continue;
    if (registers && !std::ranges::all_of(row->when, [&](auto& c) { return holds(c, entry, *registers); })) continue;
    std::string name = entry.instance.name();
    if (!r.fields.empty()) (name += '.') += r.fields[row->field].name;
    report(fmt::format("{} {}", name, is < 10 ? fmt::format("{}", is) : fmt::format("{:#x}", is)));
  }
}

void NotYet::look_written(uint32_t address, uint32_t value, const Report& report) const {
  for (auto e = std::ranges::lower_bound(writes_, address, {}, &Entry::address); e != writes_.end() && e->address == address; ++e)
    if ((value & e->mask) != e->reset) name_fields(*e, value, nullptr, report);
}

}  // namespace Atoll::gpu::amd
