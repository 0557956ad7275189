// The lane move that has no inverse. RDNA4 ISA 12.5.2.
#include <array>

#include "isa/rdna4/semantics/cross_lane.h"
#include "isa/rdna4/semantics/whole.h"

namespace Atoll::rdna4 {

void ds_permute_b32(wave::Wave& wave, const Instruction& i) {
  std::array<uint32_t, 64> result{};
  uint64_t exec = exec_of(wave);
  for (uint32_t lane = 0; lane < wave.lanes; lane++)  // the highest source wins
    if (exec >> lane & 1)
      result[(lane_of(wave, i.address, lane) + uint32_t(i.offset)) / 4 & (wave.lanes - 1)] = lane_of(wave, i.data, lane);
  for (uint32_t lane = 0; lane < wave.lanes; lane++)
    if (exec >> lane & 1) lane_of(wave, i.dst, lane) = result[lane];
}

}  // namespace Atoll::rdna4
