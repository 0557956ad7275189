#include "sweep.h"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>

namespace Atoll::ledger {

namespace {

// A change, without a value, of the whole field of the first of the registers, or of a command's in its first dword.
Change change_of(const Family& family, FieldNumber number) {
  const registers::FieldOwner owner = registers::field_owner(family, number.register_number);
  const bool whole = !owner.field_count();
  const unsigned low = whole ? 0 : owner.low(number.field),
                 width = whole ? 32 : std::min(owner.width(number.field), 32 - low % 32);
  const uint32_t address = owner.reg ? registers::Instance{owner.reg}.address().value_or(0) : 0;
  return {number.register_number, low / 32, address, (~0u >> (32 - width)) << low % 32};
}

// The values that are tried of `width` bits from bit `low` up of what `base` changes.
std::vector<Change> changes_of_bits(const Change& base, unsigned low, unsigned width) {
  const uint32_t all = width == 32 ? ~0u : (1u << width) - 1;
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

}  // namespace

std::vector<Change> changes_of(const Family& family, FieldNumber number, unsigned instance) {
  const registers::FieldOwner owner = registers::field_owner(family, number.register_number);
  Change base = change_of(family, number);
  if (owner.reg) {
    if (owner.field_count() && owner.field(number.field).high > 31) return {};
    base.instance = instance, base.address = registers::Instance{owner.reg, instance}.address().value_or(0);
    return changes_of_bits(base, unsigned(std::countr_zero(base.mask)), unsigned(std::popcount(base.mask)));
  }
  // Bits that it shares with a field that is read are that one's, unless it is read itself and another test than the sweep shows what the
  // other does (as of RENDER_SURFACE_STATE's Auxiliary Surface Mode and its offset of chroma, which planar formats alone have).
  const std::vector<FieldNumber> read = registers::fields_read(family);
  auto is_read = [&](size_t n) { return std::ranges::binary_search(read, FieldNumber{number.register_number, uint8_t(n)}); };
  auto is_shown_elsewhere = [&](size_t n) {
    const registers::LedgerRow* row = registers::ledger_row(family, {number.register_number, uint8_t(n)});
    return row && row->state == registers::FieldState::Acts && row->checked == registers::LedgerRow::Checked::No;
  };
  auto is_others = [&](unsigned bit) {
    for (size_t n = 0; n < owner.field_count(); n++)
      if (n != number.field && bit >= owner.low(n) && bit < owner.low(n) + owner.width(n) && is_read(n) &&
          !(is_read(number.field) && is_shown_elsewhere(n)))
        return true;
    return false;
  };
  std::vector<Change> changes;
  const unsigned end = owner.low(number.field) + owner.width(number.field);
  for (unsigned low = owner.low(number.field); low < end;) {
    const unsigned width = std::min(end - low, 32 - low % 32);
    base.instance = low / 32, base.mask = (~0u >> (32 - width)) << low % 32;
    for (unsigned bit = low; bit < low + width; bit++)
      if (is_others(bit)) base.mask &= ~(1u << bit % 32);
    if (base.mask) std::ranges::copy(changes_of_bits(base, low % 32, width), std::back_inserter(changes));
    low += width;
  }
  return changes;
}

namespace {

std::string list_file(const Family& family) {
  return std::string(ATOLL_SOURCE_DIR "/registers/") + std::string(family.name) + "/acts.json";
}

// The scene in which the committed list says that a field acts, by the field's name.
std::map<std::string, std::string> listed_scenes(const Family& family) {
  std::map<std::string, std::string> scene_of;
  std::ifstream in(list_file(family));
  for (auto& [scene, names] : nlohmann::json::parse(in).at("acts").items())
    for (auto& name : names) scene_of[name.get<std::string>()] = scene;
  return scene_of;
}

}  // namespace

Swept sweep(const Family& family, const std::vector<std::unique_ptr<Scene>>& scenes) {
  Swept swept;
  // The listed scene is tried before the others, which saves most of the time; a list that is written anew has the first scene of all.
  const auto listed = std::getenv("ATOLL_WRITE_LEDGER") ? std::map<std::string, std::string>{} : listed_scenes(family);
  std::vector<Scene*> order;
  const char* only = std::getenv("ATOLL_LEDGER_ONLY");
  const std::vector<FieldNumber> read = registers::fields_read(family);
  for (FieldNumber field : registers::manual_fields(family)) {
    const registers::FieldOwner owner = registers::field_owner(family, field.register_number);
    // Fields that no code looks at and that are reported at once (plant_not_yet()) have nothing to sweep.
    if (const registers::LedgerRow* row = registers::ledger_row(family, field);
        row && row->state == registers::FieldState::NotYet && row->checked == registers::LedgerRow::Checked::Write &&
        !std::ranges::binary_search(read, field))
      continue;
    if (only && registers::field_name(family, field).find(only) == std::string::npos) continue;
    if (owner.reg && owner.reg->access == registers::Access::Read) continue;  // nobody writes it
    order.clear();
    for (auto& scene : scenes) order.push_back(scene.get());
    if (const auto at = listed.find(registers::field_name(family, field)); at != listed.end())
      std::ranges::stable_partition(order, [&](const Scene* scene) { return scene->name == at->second; });
    // The first of a repeat, then the others, until one acts.
    bool acts = false;
    for (unsigned instance = 0; instance < (owner.reg ? std::min(owner.reg->count, 3u) : 1) && !acts; instance++)
      for (Scene* scene : order) {
        if (!scene->blocks.empty() && std::ranges::find(scene->blocks, std::string_view(owner.block)) == scene->blocks.end())
          continue;
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
    const registers::FieldOwner owner = registers::field_owner(family, row.register_number);
    const bool whole = !owner.field_count();
    const unsigned low = whole ? 0 : owner.low(row.field) % 32;
    // As the report names it; what sees more than the field has words of its own.
    const std::string named = row.checked == Checked::Use ? ""
                              : whole                     ? registers::Instance{owner.reg}.name() + " "
                              : owner.reg
                                  ? registers::Instance{owner.reg}.name() + "." + std::string(owner.field(row.field).name) + " "
                                  : registers::field_name(family, field) + " ";
    auto harmless = [&](uint32_t value) {
      return std::ranges::any_of(row.harmless, [&](auto& h) { return value >= h.first && value <= h.last; });
    };
    auto planted = [&](const Change& change) {
      Changes changes;
      for (auto& condition : row.when) {
        const FieldNumber other = condition.fields.front();
        Change c = change_of(family, other);
        c.absolute = true, c.value = condition.values.front().first << std::countr_zero(c.mask);
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
          std::ranges::find(scene->blocks, std::string_view(owner.block)) == scene->blocks.end())
        continue;
      for (Change change : changes_of(family, field, 0)) {
        if (change.absolute ? harmless(change.value >> low) || (change.value == 0 && row.checked != Checked::Use)
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
        change.absolute = true, change.value = value << low;
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
    std::ofstream out(list_file(family));
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
