#include "gpu/rdna4/target.h"

#include <algorithm>
#include <vector>

#include "gpu/chips/chip.h"
#include "gpu/rdna4/launch_images.h"

namespace Atoll::rdna4 {
namespace {

// The processors of all chips of the family.
std::vector<std::string_view> family_processors() {
  std::vector<std::string_view> all;
  for (const gpu::Chip& chip : gpu::chips())
    if (chip.family == gpu::Family::rdna4)
      for (std::string_view name : chip.processors)
        if (std::ranges::find(all, name) == all.end()) all.push_back(name);
  return all;
}

constexpr uint32_t bits(uint32_t word, unsigned low, unsigned count) { return word >> low & ((1u << count) - 1); }
constexpr unsigned vgpr_block = 24;  // of wave32 where a SIMD has 1536 VGPRs (RDNA4 ISA 3.3.2.1); wave64: half

}  // namespace

const hsa::Target& target() {
  [[clang::no_destroy]] static const std::vector<std::string_view> processors = family_processors();
  [[clang::no_destroy]] static const hsa::Target rdna4{
      .family = "RDNA4",
      .processors = processors,
      .compile_options = "-mcpu=gfx1200 or -mcpu=gfx1201",
      .wave32 = true,
      .refused_properties = hsa::PROPERTY_PRIVATE_SEGMENT_BUFFER | hsa::PROPERTY_FLAT_SCRATCH_INIT,
      .max_user_sgprs = 32,
      // SRC_SHARED_BASE and SRC_PRIVATE_BASE as Linux's amdkfd sets them for gfx9 and later
      .shared_aperture_high = 0x0001'0000,
      .private_aperture_high = 0x0002'0000,
      .max_lds_bytes = 64 << 10,  // RDNA4 ISA 3.3.5
      .lds_block = 1024,
      .max_group_items = 1024,         // 32 waves of 32
      .max_groups_yz = 65536,          // 16 bits each in TTMP7
      .max_scratch_bytes = 256 << 10,  // 13 bits of 64 dwords for a wave64 (LLVM GCNSubtarget)
      .images = &launch_images};
  return rdna4;
}

WaveSetup wave_setup(const Dispatch& d) {
  WaveSetup setup;
  // FLOAT_MODE is MODE[7:0], FP16_OVFL is MODE[23] (RDNA4 ISA 3.4.3)
  setup.mode = bits(d.rsrc1, 12, 8) | bits(d.rsrc1, 26, 1) << 23;
  unsigned granule = d.wave_size == 32 ? 8 : 4, block = d.wave_size == 32 ? vgpr_block : vgpr_block / 2;
  setup.vgprs = std::min<uint32_t>(256, uint32_t(round_up((bits(d.rsrc1, 0, 6) + 1) * granule, block)));
  setup.wgp_mode = bits(d.rsrc1, 29, 1);
  setup.workgroup_info = bits(d.rsrc2, 10, 1);
  setup.grid_yz_valid = bits(d.rsrc2, 8, 2) != 0;
  return setup;
}

}  // namespace Atoll::rdna4
