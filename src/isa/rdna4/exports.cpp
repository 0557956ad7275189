#include "isa/rdna4/exports.h"

#include <algorithm>
#include <cstring>

#include "isa/amd/instruction_text.h"
#include "isa/rdna4/names.h"
#include "isa/rdna4/registers.h"

namespace Atoll::rdna4 {
namespace {

bool is_sent(const Export& e) { return e.lanes || e.done || e.target == POS0; }

}  // namespace

std::string export_target_text(uint32_t target) {
  return target == NULL_EXPORT ? "null" : amd::export_target_name(export_targets, target);
}

Export row_export(const wave::RowExport& row, unsigned lanes) {
  Export e{
      .target = row.target, .enabled = row.enabled, .done = row.done, .row = row.row, .lanes = row.lanes, .order = row.order};
  for (unsigned c = 0; c < 4; c++)
    if (row.enabled >> c & 1) e.values[c].assign(row.values[c], row.values[c] + lanes);
  return e;
}

std::vector<Export> exports_of(wave::Wave& wave, std::vector<Export> rows) {
  const bool wide = wave.lanes == 64;
  std::vector<Export> list = std::move(rows);
  for (uint32_t target = 0; target < export_targets_end; target++) {
    if (export_slot(target) == no_export) continue;
    Export e{.target = target, .order = wave::word_of(wave, export_order_cell(target, wide))};
    if (!e.order) continue;
    e.enabled = wave::word_of(wave, export_enable_cell(target, wide));
    e.done = wave::word_of(wave, export_done_cell(target, wide)) != 0;
    e.lanes = wave::word_of(wave, export_mask_cell(target, wide));
    if (wide) e.lanes |= uint64_t(wave::word_of(wave, export_mask_cell(target, wide) + 4)) << 32;
    for (unsigned c = 0; c < 4; c++) {
      if (!(e.enabled >> c & 1)) continue;
      e.values[c].resize(wave.lanes);
      std::memcpy(e.values[c].data(), wave::bytes_of(wave, export_cell(target, c, wide)), wave.lanes * 4);
    }
    list.push_back(std::move(e));
  }
  std::erase_if(list, [](const Export& e) { return !is_sent(e); });
  std::ranges::sort(list, {}, &Export::order);
  return list;
}

void begin_exports(wave::Wave& wave) {
  const bool wide = wave.lanes == 64;
  wave.exports = true;
  std::memset(wave::bytes_of(wave, export_control_begin(wide)), 0, export_control_bytes);
}

}  // namespace Atoll::rdna4
