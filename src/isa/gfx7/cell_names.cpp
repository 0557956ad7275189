#include "isa/gfx7/cell_names.h"

#include <fmt/format.h>

#include "isa/amd/cell_names.h"
#include "isa/gfx7/names.h"
#include "isa/gfx7/operands.h"
#include "isa/gfx7/registers.h"

namespace Atoll::gfx7 {
namespace {

// The text of an export, and of an export's lanes.
std::string export_name(uint32_t cell) {
  for (uint32_t target = 0; target < EXPORT_TARGETS; target++) {
    if (export_slot(target) == no_export) continue;
    std::string_view name = name_of(export_targets, target);
    if (cell == export_mask_cell(target)) return fmt::format("{}.mask", name);
    if (cell == export_mask_cell(target) + 4) return fmt::format("{}.mask_hi", name);
    if (cell == export_enable_cell(target)) return fmt::format("{}.enable", name);
    if (cell == export_compressed_cell(target)) return fmt::format("{}.compressed", name);
    for (uint32_t channel = 0; channel < 4; channel++)
      if (cell == export_cell(target, channel)) return fmt::format("{}.{}", name, "xyzw"[channel]);
  }
  if (cell == export_valid_cell) return "export.valid";
  if (cell == export_valid_seen_cell) return "export.valid_seen";
  if (cell == export_done_cell) return "export.done";
  return {};
}

}  // namespace

std::string cell_name(uint32_t cell, uint32_t words) {
  constexpr const char* parameters[] = {"p10", "p20", "p0"};
  if (cell == gws_wait_cell) return "gws_wait";
  if (cell == sgpr_allocation_cell) return "sgpr_allocation";
  if (cell < export_control_begin) return amd::cell_name(registers, cell, words, true);
  if (cell < attributes_begin) return export_name(cell);
  uint32_t n = (cell - attributes_begin) / attribute_bytes;
  if (n >= attribute_count * 12 || (cell - attributes_begin) % attribute_bytes) return {};
  return fmt::format("attr{}.{}.{}", n / 12, "xyzw"[n / 3 % 4], parameters[n % 3]);
}

}  // namespace Atoll::gfx7
