#include "gpu/rdna4/words.h"

#include <algorithm>

#include "gpu/rdna4/target.h"

namespace Atoll::rdna4 {

Expected<hsa::Dispatch> words_dispatch(const Words& words) {
  const hsa::Target& t = target();
  if (words.code % 4 || words.code_bytes % 4 || words.code_bytes == 0)
    return fail("{} bytes of code at {:#x}: instruction words have 4 bytes each", words.code_bytes, words.code);
  if (words.wave_lanes != 32 && words.wave_lanes != 64) return fail("waves of {} lanes: 32 or 64", words.wave_lanes);
  if (words.user_sgprs.size() > t.max_user_sgprs)
    return fail("{} user SGPRs: {} has {} at most", words.user_sgprs.size(), t.family, t.max_user_sgprs);
  if (words.lds_bytes > t.max_lds_bytes) return fail("{} bytes of LDS: a work-group has {}", words.lds_bytes, t.max_lds_bytes);
  if (words.scratch_bytes > t.max_scratch_bytes)
    return fail("{} bytes of scratch memory a lane: {} are the most", words.scratch_bytes, t.max_scratch_bytes);
  hsa::Dispatch d;
  d.kernel = "words";
  uint64_t items = 1;
  for (unsigned n = 0; n < 3; n++) {
    const uint64_t grid = words.shape.grid[n], group = words.shape.group[n];
    if (grid == 0 || group == 0 || grid > UINT32_MAX) return fail("a grid of {} in groups of {}", grid, group);
    if (group > t.max_group_items || items * group > t.max_group_items)
      return fail("a group of {},{},{} work-items: {} are the most", words.shape.group[0], words.shape.group[1],
                  words.shape.group[2], t.max_group_items);
    items *= group;
    d.grid[n] = uint32_t(grid), d.group[n] = uint32_t(group), d.groups[n] = uint32_t((grid + group - 1) / group);
    if (n && d.groups[n] > t.max_groups_yz)
      return fail("{} work-groups in dimension {}: {} are the most", d.groups[n], "XYZ"[n], t.max_groups_yz);
  }
  d.dimensions = words.shape.dimensions;
  d.entry = d.code_start = words.code, d.code_bytes = words.code_bytes;
  d.wave_size = words.wave_lanes;
  constexpr uint32_t group_ids = 7u << 7;  // ENABLE_SGPR_WORKGROUP_ID_X, _Y, _Z
  d.rsrc1 = words.rsrc1, d.rsrc2 = words.rsrc2 | group_ids;
  d.static_lds_bytes = words.lds_bytes;
  d.lds_bytes = uint32_t(round_up(words.lds_bytes, t.lds_block));
  d.scratch_bytes = uint32_t(round_up(words.scratch_bytes, 4));
  std::ranges::copy(words.user_sgprs, d.user_sgprs.begin());
  d.user_sgpr_count = unsigned(words.user_sgprs.size());
  return d;
}

}  // namespace Atoll::rdna4
