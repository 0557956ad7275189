// The rows themselves, for tables that stand beside them: what a family's model alone needs, keyed by row. A new GPU means that
// everything that includes this file is compiled again.
#pragma once
#include "gpu/chips/chip.h"

namespace Atoll::gpu {

inline constexpr Chip chip_rows[] = {
#include "gpu/chips/rows.inc"
};

// The row of a name that the source has.
consteval const Chip& chip(std::string_view name) {
  for (auto& row : chip_rows)
    if (row.name == name) return row;
  throw "no such row in gpus/gpus.tsv";
}

}  // namespace Atoll::gpu
