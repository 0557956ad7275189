#include "gpu/chips/chip.h"

#include <algorithm>
#include <iterator>
#include <vector>

#include "base/text.h"
#include "gpu/chips/rows.h"

namespace Atoll::gpu {

std::span<const Chip> chips() { return chip_rows; }

const Chip* find_chip(std::string_view name) {
  std::string small = lower(name);
  for (auto& row : chip_rows)
    if (row.name == small) return &row;
  return nullptr;
}

const Chip* find_chip_of_processor(std::string_view processor) {
  for (auto row = std::rbegin(chip_rows); row != std::rend(chip_rows); ++row)
    if (row->processors.contains(processor)) return &*row;
  return nullptr;
}

std::string_view find_isa(std::string_view name) {
  std::string small = lower(name);
  for (auto& row : chip_rows) {
    for (auto isa : row.isas)
      if (isa == small) return isa;
    if (row.isas.size() == 1 && (row.name == small || row.processors.contains(small))) return row.isas.front();
  }
  return {};
}

std::string names_of_isa(std::string_view isa) {
  std::vector<std::string_view> names;
  auto add = [&](std::string_view name) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  };
  for (auto& row : chip_rows) {
    if (row.isas.size() != 1 || row.isas.front() != isa) continue;
    for (auto processor : row.processors) add(processor);
    add(row.name);
  }
  std::sort(names.begin(), names.end());
  std::string list;
  for (auto name : names) list += (list.empty() ? "" : ", ") + std::string(name);
  return list;
}

std::string chip_names(bool (*wanted)(const Chip&)) {
  std::string list;
  for (auto& row : chip_rows)
    if (!wanted || wanted(row)) list += (list.empty() ? "" : ", ") + std::string(row.name);
  return list;
}

}  // namespace Atoll::gpu
