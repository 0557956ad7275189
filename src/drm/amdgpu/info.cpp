// AMDGPU_INFO: what a driver asks about the chip (Linux drivers/gpu/drm/amd/amdgpu/amdgpu_kms.c, amdgpu_info_ioctl).
#include <libdrm/amdgpu_drm.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/log.h"
#include "drm/amdgpu/amdgpu.h"
#include "drm/core/file.h"
#include "gpu/chips/kernel_facts.h"

namespace Atoll::drm::amdgpu {
namespace {

// Null: a kind of firmware that nobody has. The version is 0 for engines that the GPU lacks (video), and for the memory and power
// controllers.
const gpu::AmdgpuFacts::Firmware* firmware(const gpu::Chip& chip, uint32_t type) {
  static constexpr gpu::AmdgpuFacts::Firmware none{};
  switch (type) {
    case AMDGPU_INFO_FW_GFX_ME: return &chip.amdgpu.me;
    case AMDGPU_INFO_FW_GFX_PFP: return &chip.amdgpu.pfp;
    case AMDGPU_INFO_FW_GFX_CE: return &chip.amdgpu.ce;
    case AMDGPU_INFO_FW_GFX_MEC: return &chip.amdgpu.mec;
    case AMDGPU_INFO_FW_GFX_RLC: return &chip.amdgpu.rlc;
    case AMDGPU_INFO_FW_SDMA: return &chip.amdgpu.sdma;
    case AMDGPU_INFO_FW_SMC:
    case AMDGPU_INFO_FW_GMC:
    case AMDGPU_INFO_FW_UVD:
    case AMDGPU_INFO_FW_VCE:
    case AMDGPU_INFO_FW_VCN: return &none;
    default: return nullptr;
  }
}

// Addresses that programs may use: below 64 GiB, of a window of 1 TiB. The first 2 MiB stay the kernel's.
constexpr uint64_t first_address = 2 << 20, last_address = (uint64_t(1) << 36) - (2 << 20);

template <class T>
int answer(const drm_amdgpu_info& query, const T& value) {
  return write_user(query.return_pointer, &value, std::min<uint64_t>(query.return_size, sizeof value)) ? 0 : -EFAULT;
}

// Fields that Linux has behind those of libdrm 2.4.114's header, in its order (include/uapi/drm/amdgpu_drm.h of Linux 6.13). In
// HW_IP_INFO they take the place of its filler.
struct HardwareIp : drm_amdgpu_info_hw_ip {
  void set_discovery_version(unsigned major, unsigned minor, unsigned revision) {
    _pad = major << 16 | minor << 8 | revision;  // ip_discovery_version
  }
};
struct DeviceInfo : drm_amdgpu_info_device {
  uint64_t min_engine_clock = 0, min_memory_clock = 0;  // kHz
  uint32_t tcp_cache_size = 0, num_sqc_per_wgp = 0;     // sizes in KiB, but for the last level's
  uint32_t sqc_data_cache_size = 0, sqc_inst_cache_size = 0, gl1c_cache_size = 0, gl2c_cache_size = 0;
  uint64_t mall_size = 0;  // bytes
  uint32_t enabled_rb_pipes_mask_hi = 0;
  uint32_t shadow_size = 0, shadow_alignment = 0, csa_size = 0, csa_alignment = 0;
  uint32_t userq_ip_mask = 0, pad = 0;
};
static_assert(sizeof(DeviceInfo) == sizeof(drm_amdgpu_info_device) + 80);

// AMDGPU_IDS_FLAGS_CONFORMANT_TRUNC_COORD: a sampler's TRUNC_COORD does as Vulkan and D3D want it (Mesa 25.0.7 ac_gpu_info.c).
constexpr uint64_t conformant_trunc_coord = 0x8;

int hardware_ip(const gpu::Chip& chip, const drm_amdgpu_info& query) {
  HardwareIp ip{};
  if (query.query_hw_ip.type >= AMDGPU_HW_IP_NUM || query.query_hw_ip.ip_instance != 0) return -EINVAL;
  switch (query.query_hw_ip.type) {
    case AMDGPU_HW_IP_GFX:
    case AMDGPU_HW_IP_COMPUTE:
      ip.hw_ip_version_major = chip.graphics_major;
      ip.hw_ip_version_minor = chip.graphics_minor;
      if (is_discovered(chip))
        ip.set_discovery_version(chip.graphics_major, chip.graphics_minor, gpu::kernel_facts(chip).graphics_revision);
      ip.ib_start_alignment = ip.ib_size_alignment = 32;
      ip.available_rings = (1u << rings_of(chip, query.query_hw_ip.type)) - 1;
      break;
    case AMDGPU_HW_IP_DMA:
      ip.hw_ip_version_major = chip.amdgpu.dma_major;
      ip.hw_ip_version_minor = chip.amdgpu.dma_minor;
      if (is_discovered(chip))
        ip.set_discovery_version(chip.amdgpu.dma_major, chip.amdgpu.dma_minor, gpu::kernel_facts(chip).graphics_revision);
      ip.ib_start_alignment = 256;
      ip.ib_size_alignment = 4;
      ip.available_rings = (1u << rings_of(chip, query.query_hw_ip.type)) - 1;
      break;
    default: break;  // no such engine: no rings
  }
  return answer(query, static_cast<const drm_amdgpu_info_hw_ip&>(ip));
}

uint32_t memory_type(const gpu::Chip& chip) {
  constexpr uint32_t gddr6 = 9;  // AMDGPU_VRAM_TYPE_GDDR6
  if (gpu::kernel_facts(chip).gddr6) return gddr6;
  return chip.memory_type == gpu::MemoryType::ddr3 ? AMDGPU_VRAM_TYPE_DDR3 : AMDGPU_VRAM_TYPE_GDDR5;
}

int device_info(const gpu::Chip& chip, const drm_amdgpu_info& query) {
  DeviceInfo d{};
  d.device_id = chip.pci_device;
  d.external_rev = chip.external_revision;
  d.chip_rev = gpu::kernel_facts(chip).chip_revision;
  d.family = chip.amdgpu_family;
  d.num_shader_engines = chip.shader_engines;
  d.num_shader_arrays_per_engine = chip.shader_arrays;
  d.gpu_counter_freq = chip.crystal_clock;
  d.max_engine_clock = chip.engine_clock;
  d.max_memory_clock = chip.memory_clock;
  d.cu_active_number = chip.shader_engines * chip.shader_arrays * chip.compute_units;
  for (unsigned engine = 0; engine < chip.shader_engines; ++engine)
    for (unsigned array = 0; array < chip.shader_arrays; ++array) {
      d.cu_bitmap[engine][array] = (1u << chip.compute_units) - 1;
      d.cu_ao_bitmap[engine][array] = d.cu_bitmap[engine][array];
    }
  d.num_rb_pipes = chip.render_backends;
  d.enabled_rb_pipes_mask = (1u << chip.render_backends) - 1;
  d.num_hw_gfx_contexts = 8;
  d.ids_flags = chip.integrated ? AMDGPU_IDS_FLAGS_FUSION : 0;
  d.virtual_address_offset = first_address;
  d.virtual_address_max = last_address;
  d.virtual_address_alignment = 4096;
  d.pte_fragment_size = 2 << 20;
  d.gart_page_size = 4096;
  d.ce_ram_size = chip.amdgpu.constant_ram;
  d.vram_type = memory_type(chip);
  d.vram_bit_width = chip.memory_bits;
  d.gc_double_offchip_lds_buf = 1;
  d.wave_front_size = chip.amdgpu.wave_lanes;
  d.num_shader_visible_vgprs = chip.amdgpu.vgprs;
  d.num_cu_per_sh = chip.compute_units;
  d.num_tcc_blocks = chip.cache_channels;
  d.gs_vgt_table_depth = chip.amdgpu.gs_table_depth;
  d.gs_prim_buffer_depth = chip.amdgpu.gs_primitives;
  d.max_gs_waves_per_vgt = chip.gs_waves;
  if (!is_discovered(chip)) return answer(query, static_cast<const drm_amdgpu_info_device&>(d));
  d.ids_flags |= conformant_trunc_coord;
  // As AMD's descriptions of RDNA4 have its caches: a unit's 32 KiB for vectors, 16 KiB for scalars, a pair's 32 KiB of instructions,
  // 512 KiB behind each channel, and 64 MiB of the last level where memory has 256 bits. They decide nothing but how drivers cut work up.
  d.tcp_cache_size = 32, d.num_sqc_per_wgp = 1, d.sqc_data_cache_size = 16, d.sqc_inst_cache_size = 32;
  d.gl2c_cache_size = 512 * chip.cache_channels;
  d.mall_size = uint64_t(chip.memory_bits) << 18;
  return answer(query, d);
}

int read_registers(File& file, const drm_amdgpu_info& query) {
  uint32_t count = query.read_mmr_reg.count;
  if (count == 0 || count > 128) return -EINVAL;
  auto device = file.process().device();
  if (!device) {
    log(LogLevel::error, "drm", "registers cannot be read: {}", device.error().message);
    return -EINVAL;
  }
  std::vector<uint32_t> values(count);
  for (uint32_t i = 0; i < count; ++i) values[i] = (*device)->read_register((query.read_mmr_reg.dword_offset + i) * 4);
  return write_user(query.return_pointer, values.data(), std::min<uint64_t>(query.return_size, count * 4)) ? 0 : -EFAULT;
}

int memory(File& file, const drm_amdgpu_info& query) {
  const gpu::Chip& chip = file.process().chip();
  auto heap = [&](uint64_t bytes, uint64_t domain) {
    drm_amdgpu_heap_info h{};
    h.total_heap_size = h.usable_heap_size = bytes;
    h.heap_usage = std::min(bytes, file.session().used_bytes(domain));
    h.max_allocation = bytes / 4 * 3;
    return h;
  };
  drm_amdgpu_memory_info m{};
  m.vram = m.cpu_accessible_vram = heap(chip.vram_bytes, AMDGPU_GEM_DOMAIN_VRAM);
  m.gtt = heap(chip.gtt_bytes, AMDGPU_GEM_DOMAIN_GTT);
  return answer(query, m);
}

}  // namespace

int info(File& file, void* argument) {
  auto& query = *static_cast<drm_amdgpu_info*>(argument);
  const gpu::Chip& chip = file.process().chip();
  if (query.return_size == 0 || query.return_pointer == 0) return -EINVAL;
  switch (query.query) {
    case AMDGPU_INFO_ACCEL_WORKING: return answer(query, uint32_t(1));
    case AMDGPU_INFO_HW_IP_INFO: return hardware_ip(chip, query);
    case AMDGPU_INFO_HW_IP_COUNT: return answer(query, uint32_t(query.query_hw_ip.type <= AMDGPU_HW_IP_DMA));
    case AMDGPU_INFO_TIMESTAMP:
      // counts at the crystal's clock, kHz
      return answer(query, uint64_t(static_cast<unsigned __int128>(monotonic_nanoseconds()) * chip.crystal_clock / 1'000'000));
    case AMDGPU_INFO_FW_VERSION: {
      auto* found = firmware(chip, query.query_fw.fw_type);
      return found ? answer(query, drm_amdgpu_info_firmware{found->version, found->feature}) : -EINVAL;
    }
    case AMDGPU_INFO_NUM_BYTES_MOVED:
    case AMDGPU_INFO_NUM_EVICTIONS:
    case AMDGPU_INFO_NUM_VRAM_CPU_PAGE_FAULTS: return answer(query, uint64_t(0));
    case AMDGPU_INFO_VRAM_USAGE:
    case AMDGPU_INFO_VIS_VRAM_USAGE: return answer(query, file.session().used_bytes(AMDGPU_GEM_DOMAIN_VRAM));
    case AMDGPU_INFO_GTT_USAGE: return answer(query, file.session().used_bytes(AMDGPU_GEM_DOMAIN_GTT));
    case AMDGPU_INFO_GDS_CONFIG: {
      // gfx_v7_0.c, gfx_v7_0_set_gds_init: 4 KiB, 4 waves' and 4 ordered counts' parts for graphics
      drm_amdgpu_info_gds gds{};
      gds.gds_total_size = chip.amdgpu.gds;
      gds.gds_gfx_partition_size = gds.compute_partition_size = 4096;
      gds.gws_per_gfx_partition = gds.gws_per_compute_partition = 4;
      gds.oa_per_gfx_partition = 4;
      gds.oa_per_compute_partition = 1;
      return answer(query, gds);
    }
    case AMDGPU_INFO_VRAM_GTT: return answer(query, drm_amdgpu_info_vram_gtt{chip.vram_bytes, chip.vram_bytes, chip.gtt_bytes});
    case AMDGPU_INFO_MEMORY: return memory(file, query);
    case AMDGPU_INFO_READ_MMR_REG: return read_registers(file, query);
    case AMDGPU_INFO_DEV_INFO: return device_info(chip, query);
    case AMDGPU_INFO_NUM_HANDLES: return answer(query, drm_amdgpu_info_num_handles{});
    case AMDGPU_INFO_SENSOR:
      switch (query.sensor_info.type) {
        case AMDGPU_INFO_SENSOR_GFX_SCLK: return answer(query, uint32_t(chip.engine_clock / 1000));
        case AMDGPU_INFO_SENSOR_GFX_MCLK: return answer(query, uint32_t(chip.memory_clock / 1000));
        default: return -EOPNOTSUPP;  // nothing here has a temperature
      }
    case AMDGPU_INFO_VRAM_LOST_COUNTER: return answer(query, uint32_t(0));
    case AMDGPU_INFO_RAS_ENABLED_FEATURES: return answer(query, uint64_t(0));
    default:
      // video codecs, clock tables, the video BIOS
      log(LogLevel::info, "drm", "INFO query {:#x} is not there", query.query);
      return -EINVAL;
  }
}

}  // namespace Atoll::drm::amdgpu
