#include "gpu/dg1/threads/not_yet.h"

#include <fmt/format.h>

#include <algorithm>

#include "registers/ledger.h"
#include "registers/lookup.h"

namespace Atoll::dg1 {

using registers::LedgerRow;

namespace {

const registers::Family& family() { return registers::dg1_tables; }

bool is_harmless(const LedgerRow& row, uint64_t value) {
  if (row.harmless.empty()) return value == 0;
  return std::ranges::any_of(row.harmless, [&](auto& r) { return value >= r.first && value <= r.last; });
}

uint64_t value_of(registers::FieldNumber number, const uint32_t* words) {
  const registers::FieldOwner owner = registers::field_owner(family(), number.register_number);
  return registers::field_value(owner.field(number.field), {words, owner.command->dwords});
}

}  // namespace

NotYet::NotYet(std::string_view name, Checked checked) : name_(name) {
  const unsigned number = registers::owner_number(family(), name);
  for (const LedgerRow& row : family().ledger) {
    if (row.register_number != number || row.state != registers::FieldState::NotYet || row.checked != checked) continue;
    const registers::FieldOwner owner = registers::field_owner(family(), number);
    const registers::Field& field = owner.field(row.field);
    if (row.field >= owner.command->fields.size()) continue;  // what repeats is looked at by nobody yet
    entries_.push_back(&row);
    zero_counts_ |= !is_harmless(row, 0);
    for (unsigned bit = field.low; bit <= field.high; bit++) {
      auto at = std::ranges::find(masks_, bit / 32, &std::pair<uint32_t, uint32_t>::first);
      if (at == masks_.end()) at = masks_.insert(at, {bit / 32, 0});
      at->second |= 1u << bit % 32;
    }
  }
}

void NotYet::name_fields(const uint32_t* words, const Report& report) const {
  for (const LedgerRow* row : entries_) {
    const registers::FieldNumber number{row->register_number, row->field};
    const uint64_t value = value_of(number, words);
    if (is_harmless(*row, value)) continue;
    const bool counts = std::ranges::all_of(row->when, [&](const registers::LedgerCondition& condition) {
      return std::ranges::any_of(condition.fields, [&](registers::FieldNumber other) {
        const uint64_t now = value_of(other, words);
        return std::ranges::any_of(condition.values, [&](auto& r) { return now >= r.first && now <= r.last; });
      });
    });
    if (!counts) continue;
    report(fmt::format("{} {}", registers::field_name(family(), number),
                       value < 10 ? fmt::format("{}", value) : fmt::format("{:#x}", value)));
  }
}

}  // namespace Atoll::dg1
