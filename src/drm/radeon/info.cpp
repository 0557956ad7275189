// RADEON_INFO: what a driver asks about the chip (Linux drivers/gpu/drm/radeon/radeon_kms.c, radeon_info_ioctl). Optional
// questions that the kernel does not answer for a family are refused here too: drivers take that as "no".
#include <libdrm/radeon_drm.h>

#include <algorithm>
#include <cerrno>
#include <vector>

#include "base/log.h"
#include "drm/core/file.h"
#include "drm/radeon/radeon.h"
#include "registers/sea_islands.h"

namespace Atoll::drm::radeon {
namespace {

// The lower end of what programs may map, and the longest command buffer there (radeon.h, RADEON_VA_RESERVED_SIZE and
// RADEON_IB_VM_MAX_SIZE).
constexpr uint32_t first_address = 8 << 20, longest_commands = 16 << 10;

template <class T>
int answer(const drm_radeon_info& query, const T& value) {
  return write_user(query.value, &value, sizeof value) ? 0 : -EFAULT;
}

int read_registers(File& file, const drm_radeon_info& query, uint32_t address, uint32_t count) {
  auto device = file.process().device();
  if (!device) {
    log(LogLevel::error, "drm", "registers cannot be read: {}", device.error().message);
    return -EINVAL;
  }
  std::vector<uint32_t> values;
  for (uint32_t i = 0; i < count; ++i) values.push_back((*device)->read_register(address + i * 4));
  return write_user(query.value, values.data(), values.size() * 4) ? 0 : -EFAULT;
}

// cik.c, cik_gpu_init: log2 of the pipes; banks, interleave and row size as the registers have them
int tiling_config(File& file, const drm_radeon_info& query) {
  using namespace sea_islands;
  auto device = file.process().device();
  if (!device) return -EINVAL;
  uint32_t pipes = file.process().chip().tile_pipes, config = 0;
  while (pipes > 1 && config < 3) pipes /= 2, config++;
  uint32_t addressing = (*device)->read_register(GB_ADDR_CONFIG::address());
  config |= MC_ARB_RAMCFG::NOOFBANK::peek((*device)->read_register(MC_ARB_RAMCFG::address())) << 4;
  config |= GB_ADDR_CONFIG::PIPE_INTERLEAVE_SIZE::peek(addressing) << 8;
  config |= GB_ADDR_CONFIG::ROW_SIZE::peek(addressing) << 12;
  return answer(query, config);
}

int sea_islands_info(File& file, const drm_radeon_info& query) {
  const gpu::Chip& chip = file.process().chip();
  switch (query.request) {
    case RADEON_INFO_TILING_CONFIG: return tiling_config(file, query);
    case RADEON_INFO_CLOCK_CRYSTAL_FREQ: return answer(query, uint32_t(chip.crystal_clock));
    case RADEON_INFO_NUM_BACKENDS: return answer(query, uint32_t(chip.render_backends));
    case RADEON_INFO_NUM_TILE_PIPES: return answer(query, uint32_t(chip.tile_pipes));
    case RADEON_INFO_FUSION_GART_WORKING: return answer(query, uint32_t(1));
    case RADEON_INFO_VA_START: return answer(query, first_address);
    case RADEON_INFO_IB_VM_MAX_SIZE: return answer(query, longest_commands);
    case RADEON_INFO_MAX_PIPES: return answer(query, uint32_t(chip.compute_units));
    case RADEON_INFO_TIMESTAMP:
      return answer(query, uint64_t(static_cast<unsigned __int128>(monotonic_nanoseconds()) * chip.crystal_clock / 1'000'000));
    case RADEON_INFO_MAX_SE: return answer(query, uint32_t(chip.shader_engines));
    case RADEON_INFO_MAX_SH_PER_SE: return answer(query, uint32_t(chip.shader_arrays));
    case RADEON_INFO_SI_TILE_MODE_ARRAY: return read_registers(file, query, sea_islands::GB_TILE_MODE::address(0), 32);
    case RADEON_INFO_CIK_MACROTILE_MODE_ARRAY: return read_registers(file, query, sea_islands::GB_MACROTILE_MODE::address(0), 16);
    case RADEON_INFO_SI_CP_DMA_COMPUTE: return answer(query, uint32_t(1));
    case RADEON_INFO_SI_BACKEND_ENABLED_MASK: return answer(query, (1u << chip.render_backends) - 1);
    case RADEON_INFO_ACTIVE_CU_COUNT:
      return answer(query, uint32_t(chip.shader_engines * chip.shader_arrays * chip.compute_units));
    case RADEON_INFO_VA_UNMAP_WORKING: return answer(query, uint32_t(1));
    default: return -EINVAL;
  }
}

// radeon_set_filp_rights: 1 asks for it, 0 gives it back; the answer is whether this file has it.
int exclusive(File& file, const drm_radeon_info& query, Exclusive what) {
  uint32_t wanted = 0;
  if (!read_user(&wanted, query.value, sizeof wanted)) return -EFAULT;
  if (wanted > 1) return -EINVAL;
  if (wanted) return answer(query, uint32_t(file.session().take(what, file.position())));
  file.session().give_back(what, file.position());
  return answer(query, uint32_t(0));
}

int r5xx_info(File& file, const drm_radeon_info& query) {
  const gpu::Chip& chip = file.process().chip();
  switch (query.request) {
    case RADEON_INFO_NUM_GB_PIPES: return answer(query, uint32_t(chip.pixel_pipes));
    case RADEON_INFO_NUM_Z_PIPES: return answer(query, uint32_t(chip.depth_pipes));
    case RADEON_INFO_WANT_HYPERZ: return exclusive(file, query, Exclusive::hierarchical_depth);
    case RADEON_INFO_WANT_CMASK: return exclusive(file, query, Exclusive::colour_masks);
    default: return -EINVAL;
  }
}

}  // namespace

int info(File& file, void* argument) {
  auto& query = *static_cast<drm_radeon_info*>(argument);
  const gpu::Chip& chip = file.process().chip();
  bool sea_islands = chip.family == gpu::Family::sea_islands;
  uint32_t in = 0;
  if (!read_user(&in, query.value, sizeof in)) return -EFAULT;
  switch (query.request) {
    case RADEON_INFO_DEVICE_ID: return answer(query, uint32_t(chip.pci_device));
    case RADEON_INFO_ACCEL_WORKING: return answer(query, uint32_t(1));
    case RADEON_INFO_ACCEL_WORKING2: return answer(query, uint32_t(chip.radeon_works));
    case RADEON_INFO_FASTFB_WORKING: return answer(query, uint32_t(0));
    case RADEON_INFO_RING_WORKING:
      if (in > RADEON_CS_RING_VCE) return -EINVAL;
      return answer(query, uint32_t(in == RADEON_CS_RING_GFX || (sea_islands && in <= RADEON_CS_RING_DMA)));
    case RADEON_INFO_MAX_SCLK: return answer(query, uint32_t(chip.engine_clock));
    case RADEON_INFO_NUM_BYTES_MOVED: return answer(query, uint64_t(0));
    case RADEON_INFO_VRAM_USAGE: return answer(query, file.session().used_bytes(RADEON_GEM_DOMAIN_VRAM));
    case RADEON_INFO_GTT_USAGE: return answer(query, file.session().used_bytes(RADEON_GEM_DOMAIN_GTT));
    case RADEON_INFO_CURRENT_GPU_SCLK: return answer(query, uint32_t(chip.engine_clock / 1000));
    case RADEON_INFO_CURRENT_GPU_MCLK: return answer(query, uint32_t(chip.memory_clock / 1000));
    case RADEON_INFO_READ_REG: return sea_islands ? read_registers(file, query, in, 1) : -EINVAL;
    case RADEON_INFO_GPU_RESET_COUNTER: return answer(query, file.process().resets());
    default: break;
  }
  int result = sea_islands ? sea_islands_info(file, query) : r5xx_info(file, query);
  if (result == -EINVAL) log(LogLevel::info, "drm", "INFO request {:#x} is not there", query.request);
  return result;
}

int gem_info(File& file, void* argument) {
  auto& a = *static_cast<drm_radeon_gem_info*>(argument);
  const gpu::Chip& chip = file.process().chip();
  a.vram_size = a.vram_visible = chip.vram_bytes;
  a.gart_size = chip.gtt_bytes;
  return 0;
}

}  // namespace Atoll::drm::radeon
