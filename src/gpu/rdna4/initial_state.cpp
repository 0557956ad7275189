#include "gpu/rdna4/initial_state.h"

#include <algorithm>

namespace Atoll::rdna4 {

GroupShape group_shape(const Dispatch& d, const std::array<uint32_t, 3>& group_id) {
  GroupShape shape;
  shape.items = 1;
  for (int i = 0; i < 3; ++i) {
    uint64_t first = uint64_t(group_id[i]) * d.group[i];
    shape.size[i] = uint32_t(std::min<uint64_t>(d.group[i], d.grid[i] - first));
    shape.items *= shape.size[i];
  }
  shape.waves = (shape.items + d.wave_size - 1) / d.wave_size;
  return shape;
}

WaveStart initial_state(const Dispatch& d, const WaveSetup& setup, const std::array<uint32_t, 3>& group_id, uint32_t wave) {
  GroupShape shape = group_shape(d, group_id);
  ATOLL_ASSERT(wave < shape.waves);
  WaveStart start;
  start.pc = d.entry;
  start.mode = setup.mode;

  std::copy_n(d.user_sgprs.begin(), d.user_sgpr_count, start.sgprs.begin());
  start.sgpr_count = d.user_sgpr_count;
  if (setup.workgroup_info) start.sgprs[start.sgpr_count++] = shape.waves & 0x3f;  // ordered_append_term (17:6) stays 0

  if (setup.grid_yz_valid) start.ttmps[7] = group_id[2] << 16 | group_id[1];
  start.ttmps[8] = uint32_t(setup.grid_yz_valid) << 30 | (wave & 0x1f) << 25 | (d.dispatch_index & 0x1ffffff);
  start.ttmps[9] = group_id[0];

  uint32_t first = wave * d.wave_size, live = std::min(d.wave_size, shape.items - first);
  start.exec = live == 64 ? ~uint64_t(0) : (uint64_t(1) << live) - 1;
  uint32_t x = first % shape.size[0], yz = first / shape.size[0], y = yz % shape.size[1], z = yz / shape.size[1];
  for (uint32_t lane = 0; lane < live;) {
    uint32_t row = std::min(live - lane, shape.size[0] - x), id = z << 20 | y << 10 | x;
    for (uint32_t n = 0; n < row; ++n) start.vgpr0[lane + n] = id + n;
    lane += row, x = 0;
    if (++y == shape.size[1]) y = 0, ++z;
  }
  return start;
}

}  // namespace Atoll::rdna4
