// The handler of each command. A command that has no line here sets state of the 3D pipeline, which
// is kept.
#include <algorithm>
#include <array>
#include <deque>

#include "gpu/dg1/commands/handlers.h"

namespace Atoll::dg1 {
namespace {

struct Line {
  std::string_view name;
  Handler handler;
  bool after_draws = false;  // it looks at memory or changes it: what draws before it have left is written back first
};
constexpr Line lines[] = {
    {"MI_NOOP", nothing_to_do},
    {"MI_USER_INTERRUPT", nothing_to_do},
    {"MI_ARB_CHECK", nothing_to_do},
    {"MI_ARB_ON_OFF", nothing_to_do},
    {"MI_REPORT_HEAD", nothing_to_do},
    {"MI_SUSPEND_FLUSH", nothing_to_do},
    {"MI_TOPOLOGY_FILTER", nothing_to_do},
    {"MI_RS_CONTROL", nothing_to_do},
    {"MI_RS_CONTEXT", nothing_to_do},
    {"MI_CLFLUSH", nothing_to_do},
    {"MI_FORCE_WAKEUP", nothing_to_do},
    {"MI_SET_APPID", nothing_to_do},
    {"MI_LOAD_SCAN_LINES_EXCL", nothing_to_do},
    {"MI_LOAD_SCAN_LINES_INCL", nothing_to_do},
    {"MEDIA_STATE_FLUSH", nothing_to_do},
    {"MI_BATCH_BUFFER_START", mi_batch_buffer_start},
    {"MI_BATCH_BUFFER_END", mi_batch_buffer_end},
    {"MI_CONDITIONAL_BATCH_BUFFER_END", mi_conditional_batch_buffer_end, true},
    {"MI_PREDICATE", mi_predicate},
    {"MI_SET_PREDICATE", mi_set_predicate},
    {"MI_SEMAPHORE_WAIT", mi_semaphore_wait, true},
    {"MI_LOAD_REGISTER_IMM", mi_load_register_imm},
    {"MI_LOAD_REGISTER_REG", mi_load_register_reg},
    {"MI_LOAD_REGISTER_MEM", mi_load_register_mem, true},
    {"MI_STORE_REGISTER_MEM", mi_store_register_mem, true},
    {"MI_MATH", mi_math},
    {"MI_STORE_DATA_IMM", mi_store_data_imm, true},
    {"MI_COPY_MEM_MEM", mi_copy_mem_mem, true},
    {"MI_ATOMIC", mi_atomic, true},
    {"MI_FLUSH_DW", mi_flush_dw, true},
    {"MI_REPORT_PERF_COUNT", mi_report_perf_count, true},
    {"PIPE_CONTROL", pipe_control, true},
    {"PIPELINE_SELECT", nothing_to_do},  // commands of both pipelines are taken at any time
    {"STATE_BASE_ADDRESS", state_base_address},
    {"3DSTATE_BINDING_TABLE_POOL_ALLOC", binding_table_pool_alloc},
    {"MEDIA_VFE_STATE", media_vfe_state},
    {"MEDIA_CURBE_LOAD", media_curbe_load, true},
    {"MEDIA_INTERFACE_DESCRIPTOR_LOAD", media_interface_descriptor_load, true},
    {"3DSTATE_SO_BUFFER", so_buffer, true},
    {"3DSTATE_SO_BUFFER_INDEX_0", so_buffer, true},
    {"3DSTATE_SO_BUFFER_INDEX_1", so_buffer, true},
    {"3DSTATE_SO_BUFFER_INDEX_2", so_buffer, true},
    {"3DSTATE_SO_BUFFER_INDEX_3", so_buffer, true},
    {"3DSTATE_CHROMA_KEY", chroma_key, true},
    {"3DSTATE_SAMPLER_PALETTE_LOAD0", sampler_palette_load, true},
    {"3DSTATE_SAMPLER_PALETTE_LOAD1", sampler_palette_load, true},
    {"GPGPU_WALKER", gpgpu_walker, true},
    {"XY_FAST_COPY_BLT", xy_fast_copy_blt, true},
    {"XY_SRC_COPY_BLT", xy_src_copy_blt, true},
    {"XY_COLOR_BLT", xy_color_blt, true},
    {"XY_BLOCK_COPY_BLT", xy_block_copy_blt, true},
    {"XY_FAST_COLOR_BLT", xy_fast_color_blt, true},
    {"3DPRIMITIVE", primitive},
    {"3DSTATE_WM_HZ_OP", wm_hz_op},
    {"MEDIA_OBJECT", not_yet},
    {"MEDIA_OBJECT_GRPID", not_yet},
    {"MEDIA_OBJECT_PRT", not_yet},
    {"MEDIA_OBJECT_WALKER", not_yet},
    {"MI_DISPLAY_FLIP", not_yet},
    {"MI_RS_STORE_DATA_IMM", not_yet},
    {"MI_SEMAPHORE_SIGNAL", not_yet},
    {"MI_SET_CONTEXT", not_yet},
    {"MI_STORE_DATA_INDEX", not_yet},
    {"MI_WAIT_FOR_EVENT", not_yet},
    {"MI_WAIT_FOR_EVENT_2", not_yet},
};

// By a first dword's upper 10 bits, which tell commands of MI and 2D apart, or its upper 16.
class Table {
public:
  static const Table& get() {
    static const Table table;
    return table;
  }
  TableEntry find(uint32_t first) const {
    for (uint8_t number : {by_ten_[first >> 22], by_sixteen_[first >> 16]})
      if (number && (first & entries_[number].row->mask) == entries_[number].row->match) return entries_[number];
    return {};
  }

private:
  std::deque<NotYet> not_yet_;
  std::vector<TableEntry> entries_{1};
  std::array<uint8_t, 1 << 10> by_ten_{};
  std::vector<uint8_t> by_sixteen_ = std::vector<uint8_t>(1 << 16);

  Table() {
    const auto rows = registers::find_family("dg1")->commands;
    ATOLL_ASSERT(rows.size() < 255);
    for (auto& row : rows) {
      auto line = std::ranges::find(lines, row.name, &Line::name);
      NotYet& not_yet = not_yet_.emplace_back(row.name, NotYet::Checked::Write);
      entries_.push_back({&row, line == std::end(lines) ? nullptr : line->handler, not_yet.empty() ? nullptr : &not_yet,
                          line != std::end(lines) && line->after_draws});
      const uint8_t number = uint8_t(entries_.size() - 1);
      if (row.mask & 0x003fffff)
        for (uint32_t i = 0; i < by_sixteen_.size(); ++i) {
          if ((i << 16 & row.mask) == row.match) by_sixteen_[i] = number;
        }
      else
        for (uint32_t i = 0; i < by_ten_.size(); ++i)
          if ((i << 22 & row.mask) == row.match) by_ten_[i] = number;
    }
  }
};

}  // namespace

TableEntry find_command(uint32_t first, gpu::QueueKind kind) {
  TableEntry found = Table::get().find(first);
  const std::string_view engine = kind == gpu::QueueKind::copy ? "blitter" : "render";
  if (found.row && !found.row->engine.empty() && found.row->engine != engine) return {};
  return found;
}

bool not_yet(CommandStreamer& s, const Command&) { return s.context().lose("this command is not executed yet"); }

}  // namespace Atoll::dg1
