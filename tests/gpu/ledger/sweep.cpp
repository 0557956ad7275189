#include "sweep.h"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

namespace Atoll::ledger {

namespace {

// Of the whole field of the first of the registers, without a value.
Change change_of(const Family& family, FieldNumber number) {
  const registers::Register& r = family.registers[number.register_number];
  const unsigned low = r.fields.empty() ? 0 : r.fields[number.field].low,
                 high = r.fields.empty() ? 31 : r.fields[number.field].high;
  return {number.register_number, 0, registers::Instance{&r}.address().value_or(0), (~0u >> (31 - (high - low))) << low};
}

}  // namespace

std::vector<Change> changes_of(const Family& family, FieldNumber number, unsigned instance) {
  const registers::Register& r = family.registers[number.register_number];
  const unsigned low = r.fields.empty() ? 0 : r.fields[number.field].low,
                 high = r.fields.empty() ? 31 : r.fields[number.field].high;
  if (high > 31) return {};
  const unsigned width = high - low + 1;
  const uint32_t all = width == 32 ? ~0u : (1u << width) - 1;
  registers::Instance place{&r, instance};
  const Change base{number.register_number, instance, place.address().value_or(0), all << low};
  std::vector<Change> changes;
  auto value = [&](uint32_t v) {
    Change c = base;
    c.absolute = true, c.value = v << low;
    changes.push_back(c);
  };
  auto flip = [&](uint32_t bits) {
    Change c = base;
    c.flip = bits << low;
    changes.push_back(c);
  };
  if (width <= 5) {
    for (uint32_t v = 0; v <= all; v++) value(v);
    return changes;
  }
  // (Low bits one by one: what counts things would be endless with its high ones.)
  for (unsigned bit = 0; bit < width; bit++)
    if (bit < 5 || bit % 4 == 3 || bit + 1 == width) flip(1u << bit);
  for (uint32_t v : {0u, 1u, all, all >> 1}) value(v);
  if (width == 32)
    for (float v : {1.0f, -1.0f, 0.5f, 2.0f, 100.0f}) value(std::bit_cast<uint32_t>(v));
  return changes;
}

Swept sweep(const Family& family, const std::vector<std::unique_ptr<Scene>>& scenes) {
  Swept swept;
  const char* only = std::getenv("ATOLL_LEDGER_ONLY");
  for (FieldNumber field : registers::manual_fields(family)) {
    const registers::Register& r = family.registers[field.register_number];
    if (only && registers::field_name(family, field).find(only) == std::string::npos) continue;
    if (r.access == registers::Access::Read) continue;  // nobody writes it
    // The first of a repeat, then the others, until one acts.
    bool acts = false;
    for (unsigned instance = 0; instance < std::min(r.count, 3u) && !acts; instance++)
      for (auto& scene : scenes) {
        if (!scene->blocks.empty() && std::ranges::find(scene->blocks, r.block) == scene->blocks.end()) continue;
        for (const Change& change : changes_of(family, field, instance)) {
          acts = scene->differs(change);
          if (!acts) continue;
          if (scene->keeps_old_state(change))
            swept.keep_old_state += registers::field_name(family, field) + " in '" + scene->name + "'\n";
          break;
        }
        if (!acts) continue;
        swept.acts[field] = scene->name;
        break;
      }
  }
  return swept;
}

std::string plant_not_yet(const Family& family, const std::vector<std::unique_ptr<Scene>>& scenes) {
  using Checked = registers::LedgerRow::Checked;
  std::string wrong;
  for (const registers::LedgerRow& row : family.ledger) {
    if (row.state != registers::FieldState::NotYet) continue;
    if (const char* only = std::getenv("ATOLL_LEDGER_ONLY");
        only && registers::field_name(family, {row.register_number, row.field}).find(only) == std::string::npos)
      continue;
    const FieldNumber field{row.register_number, row.field};
    const registers::Register& r = family.registers[row.register_number];
    const registers::Field& f = r.fields[row.field];
    // As the report names it; what sees more than the field has words of its own.
    const std::string named = row.checked == Checked::Use ? "" : registers::Instance{&r}.name() + "." + std::string(f.name) + " ";
    auto harmless = [&](uint32_t value) {
      return std::ranges::any_of(row.harmless, [&](auto& h) { return value >= h.first && value <= h.last; });
    };
    auto planted = [&](const Change& change) {
      Changes changes;
      for (auto& condition : row.when) {
        const FieldNumber other = condition.fields.front();
        Change c = change_of(family, other);
        const auto& fields = family.registers[other.register_number].fields;
        c.absolute = true, c.value = condition.values.front().first << (fields.empty() ? 0 : fields[other.field].low);
        changes.push_back(c);
      }
      changes.push_back(change);
      return changes;
    };
    auto said = [&](Scene& scene, const Change& change, bool strict) {
      auto all = scene.unknown(planted(change), strict);
      return std::ranges::any_of(all, [&](const std::string& what) { return what.find(named) != std::string::npos; });
    };
    bool is_said = false, ends = false;
    for (auto& scene : scenes) {
      if (row.checked == Checked::Use && !scene->blocks.empty() &&
          std::ranges::find(scene->blocks, r.block) == scene->blocks.end())
        continue;
      for (Change change : changes_of(family, field, 0)) {
        if (change.absolute ? harmless(change.value >> f.low) || (change.value == 0 && row.checked != Checked::Use)
                            : !row.harmless.empty())
          continue;
        if (!said(*scene, change, false)) continue;
        is_said = true;
        // (Where other state is planted with it that may be what ends the run.)
        ends = row.when.empty() ? said(*scene, change, true) : !scene->unknown(planted(change), true).empty();
        if (ends) break;
      }
      if (ends) break;
    }
    const std::string name = registers::field_name(family, field);
    if (!is_said) wrong += name + ": nothing is said of a value that is not harmless\n";
    if (is_said && !ends) wrong += name + ": a strict run goes on\n";
    if (row.checked == Checked::Use) continue;
    for (auto& range : row.harmless)
      for (uint32_t value : {range.first, range.last}) {
        Change change = change_of(family, field);
        change.absolute = true, change.value = value << f.low;
        if (said(*scenes.front(), change, false)) wrong += name + ": " + std::to_string(value) + " is harmless, and reported\n";
      }
  }
  return wrong;
}

std::string compare_with_list(const Family& family, const std::map<FieldNumber, std::string>& found) {
  if (std::getenv("ATOLL_WRITE_LEDGER")) {
    std::map<std::string, std::vector<std::string>> by_scene;
    for (auto& [field, scene] : found) {
      const registers::LedgerRow* row = registers::ledger_row(family, field);
      if (row && row->state == registers::FieldState::Acts && row->checked == registers::LedgerRow::Checked::No)
        continue;  // ledger.json names another test that shows it
      auto& names = by_scene[scene];
      std::string name = registers::field_name(family, field);
      if (std::ranges::find(names, name) == names.end()) names.push_back(name);
    }
    std::ofstream out(std::string(ATOLL_SOURCE_DIR "/registers/") + std::string(family.name) + "/acts.json");
    out << "{\"family\":\"" << family.name
        << "\",\"source\":\"made by tests/gpu/ledger with ATOLL_WRITE_LEDGER=1: the fields that act, by the scene that shows "
           "it\",\n \"acts\":{";
    const char* comma = "";
    for (auto& [scene, names] : by_scene) {
      out << comma << "\n  " << nlohmann::json(scene).dump() << ":[";
      comma = "";
      for (auto& name : names) out << comma << "\n   " << nlohmann::json(name).dump(), comma = ",";
      out << "]";
    }
    out << "}}\n";
    return {};
  }
  std::string wrong;
  const char* only = std::getenv("ATOLL_LEDGER_ONLY");
  for (FieldNumber field : registers::manual_fields(family)) {
    const registers::LedgerRow* row = registers::ledger_row(family, field);
    bool listed = row && row->state == registers::FieldState::Acts;
    if (only && registers::field_name(family, field).find(only) == std::string::npos) continue;
    if (listed && row->checked == registers::LedgerRow::Checked::No) continue;  // shown elsewhere
    if (listed && !found.contains(field)) wrong += registers::field_name(family, field) + " is listed and acts in no scene\n";
    if (!listed && found.contains(field))
      wrong += registers::field_name(family, field) + " acts in '" + found.at(field) + "' and is not listed\n";
  }
  return wrong;
}

std::string check_states(const Family& family, const std::vector<std::string_view>& not_by_accessor) {
  std::string wrong;
  const std::vector<FieldNumber> read = registers::fields_read(family);
  for (FieldNumber field : registers::manual_fields(family)) {
    const registers::LedgerRow* row = registers::ledger_row(family, field);
    const std::string name = registers::field_name(family, field);
    if (!row) {
      wrong += name + " has no state\n";
      continue;
    }
    bool by_accessor = std::ranges::binary_search(read, field);
    bool acts = row->state == registers::FieldState::Acts;
    bool otherwise = std::ranges::any_of(not_by_accessor, [&](std::string_view prefix) { return name.starts_with(prefix); });
    if (acts && !by_accessor && !otherwise) wrong += name + " acts or is read and no accessor reads it\n";
    if (!acts && by_accessor && !otherwise) wrong += name + " is read by an accessor and does not act\n";
  }
  return wrong;
}

}  // namespace Atoll::ledger
