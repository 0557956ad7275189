// amdgpu's ioctls without Mesa: what they say of the device.
#include "tests/drm/amdgpu.h"

namespace Atoll::drm {
namespace {

TEST(Amdgpu, SaysWhatItIs) {
  Amdgpu p;
  char name[16] = "xxxxxxxxxxxxxxx";
  drm_version version{};
  version.name = name;
  version.name_len = 6;
  ASSERT_EQ(call(*p.file, DRM_IOCTL_VERSION, version), 0);
  EXPECT_EQ(std::string(name, 7), "amdgpux");
  EXPECT_EQ(version.name_len, 6u);
  EXPECT_EQ(version.version_major, 3);
  drm_get_cap cap{DRM_CAP_SYNCOBJ_TIMELINE, 0};
  ASSERT_EQ(call(*p.file, DRM_IOCTL_GET_CAP, cap), 0);
  EXPECT_EQ(cap.value, 1u);
  drm_mode_card_res resources{};
  EXPECT_EQ(call(*p.file, DRM_IOCTL_MODE_GETRESOURCES, resources), -EINVAL);

  drm_amdgpu_info_device device{};
  drm_amdgpu_info query{};
  query.query = AMDGPU_INFO_DEV_INFO;
  query.return_pointer = reinterpret_cast<uint64_t>(&device);
  query.return_size = offsetof(drm_amdgpu_info_device, family) + 4;  // an older program's
  ASSERT_EQ(call(*p.file, DRM_IOCTL_AMDGPU_INFO, query), 0);
  EXPECT_EQ(device.device_id, 0x6658u);
  EXPECT_EQ(device.family, unsigned(AMDGPU_FAMILY_CI));
  EXPECT_EQ(device.num_shader_engines, 0u) << "written beyond return_size";
  query.return_pointer = 16;  // not the program's memory
  EXPECT_EQ(call(*p.file, DRM_IOCTL_AMDGPU_INFO, query), -EFAULT);

  uint32_t values[2]{};
  query.query = AMDGPU_INFO_READ_MMR_REG;
  query.return_pointer = reinterpret_cast<uint64_t>(values);
  query.return_size = sizeof values;
  query.read_mmr_reg = {0x2644, 2, 0xffffffff, 0};
  ASSERT_EQ(call(*p.file, DRM_IOCTL_AMDGPU_INFO, query), 0);
  EXPECT_EQ(values[1], (0x2645u * 4) ^ 0x5a5a5a5a);
}

// The driver sees a bonaire as gpus/*.tsv describe it. Linux cik.c, cik_sdma.c; radeonsi wants PFP 211 for indirect multi-draws.
TEST(Amdgpu, EnginesAndFirmwareAreTheRows) {
  Amdgpu p;
  auto ask = [&](drm_amdgpu_info query, auto& answer) {
    query.return_pointer = reinterpret_cast<uint64_t>(&answer);
    query.return_size = sizeof answer;
    return call(*p.file, DRM_IOCTL_AMDGPU_INFO, query);
  };
  auto engine = [&](uint32_t type) {
    drm_amdgpu_info query{.query = AMDGPU_INFO_HW_IP_INFO};
    query.query_hw_ip.type = type;
    drm_amdgpu_info_hw_ip ip{};
    EXPECT_EQ(ask(query, ip), 0);
    return ip;
  };
  EXPECT_EQ(engine(AMDGPU_HW_IP_GFX).hw_ip_version_major, 7u);
  EXPECT_EQ(engine(AMDGPU_HW_IP_GFX).hw_ip_version_minor, 2u);
  EXPECT_EQ(engine(AMDGPU_HW_IP_GFX).available_rings, 1u);
  EXPECT_EQ(engine(AMDGPU_HW_IP_COMPUTE).available_rings, 0xffu);
  EXPECT_EQ(engine(AMDGPU_HW_IP_DMA).hw_ip_version_major, 2u);
  EXPECT_EQ(engine(AMDGPU_HW_IP_DMA).available_rings, 3u);
  EXPECT_EQ(engine(AMDGPU_HW_IP_UVD).available_rings, 0u);
  auto version = [&](uint32_t type, int expected = 0) {
    drm_amdgpu_info query{.query = AMDGPU_INFO_FW_VERSION};
    query.query_fw.fw_type = type;
    drm_amdgpu_info_firmware firmware{};
    EXPECT_EQ(ask(query, firmware), expected);
    return firmware.ver;
  };
  EXPECT_EQ(version(AMDGPU_INFO_FW_GFX_PFP), 211u);
  EXPECT_EQ(version(AMDGPU_INFO_FW_GFX_ME), 173u);
  EXPECT_EQ(version(AMDGPU_INFO_FW_UVD), 0u);
  EXPECT_EQ(version(0xff, -EINVAL), 0u);
  drm_amdgpu_info_device device{};
  ASSERT_EQ(ask({.query = AMDGPU_INFO_DEV_INFO}, device), 0);
  EXPECT_EQ(device.wave_front_size, 64u);
  EXPECT_EQ(device.max_gs_waves_per_vgt, 32u);
  EXPECT_EQ(device.vram_type, unsigned(AMDGPU_VRAM_TYPE_GDDR5));
}

// The values by which Mesa 25.0.7 recognises a gfx1200 and a gfx1201: family and external revision
// (src/amd/addrlib/src/amdgpu_asic_addr.h), IP versions (ac_gpu_info.c), a revision of the chip that has hierarchical depth
// (ac_surface.c), and a Linux that knows them.
TEST(Amdgpu, Gfx12IsFoundByItsTables) {
  struct Row {
    const char* gpu;
    uint32_t device, least_revision, revisions_end, engines, backends, gfx_version;
  };
  for (auto& row : {Row{"gfx1200", 0x7590, 0x40, 0x50, 2, 8, 0xc0000}, Row{"gfx1201", 0x7550, 0x50, 0xff, 4, 16, 0xc0001}}) {
    Amdgpu p(-1, row.gpu);
    drm_version version{};
    ASSERT_EQ(call(*p.file, DRM_IOCTL_VERSION, version), 0);
    EXPECT_EQ(version.version_major, 3);
    EXPECT_GE(version.version_minor, 57) << "before Linux 6.11 there is no such chip";
    auto ask = [&](drm_amdgpu_info query, auto& answer) {
      query.return_pointer = reinterpret_cast<uint64_t>(&answer);
      query.return_size = sizeof answer;
      return call(*p.file, DRM_IOCTL_AMDGPU_INFO, query);
    };
    struct {
      drm_amdgpu_info_device known;
      uint64_t min_engine_clock, min_memory_clock;
      uint32_t sizes[6];
      uint64_t last_level;
      uint32_t more[7];
    } device{};
    ASSERT_EQ(ask({.query = AMDGPU_INFO_DEV_INFO}, device), 0);
    EXPECT_EQ(device.known.device_id, row.device);
    EXPECT_EQ(device.known.family, 152u);
    EXPECT_GE(device.known.external_rev, row.least_revision);
    EXPECT_LT(device.known.external_rev, row.revisions_end);
    EXPECT_GE(device.known.chip_rev, 1u);
    EXPECT_EQ(device.known.external_rev - device.known.chip_rev, row.least_revision) << "Linux soc24.c";
    EXPECT_EQ(device.known.num_shader_engines, row.engines);
    EXPECT_EQ(device.known.enabled_rb_pipes_mask, (1u << row.backends) - 1);
    EXPECT_EQ(device.known.cu_bitmap[row.engines - 1][1], 0xffu);
    EXPECT_EQ(device.known.wave_front_size, 32u);
    EXPECT_EQ(device.sizes[0], 32u) << "KiB of a unit's vector cache";
    EXPECT_EQ(device.last_level, row.engines * (16u << 20));
    for (auto [type, wanted, rings] :
         {std::tuple{AMDGPU_HW_IP_GFX, row.gfx_version, 1u}, std::tuple{AMDGPU_HW_IP_COMPUTE, row.gfx_version, 4u},
          std::tuple{AMDGPU_HW_IP_DMA, row.gfx_version - 0x50000, 2u}}) {
      drm_amdgpu_info query{.query = AMDGPU_INFO_HW_IP_INFO};
      query.query_hw_ip.type = uint32_t(type);
      drm_amdgpu_info_hw_ip ip{};
      ASSERT_EQ(ask(query, ip), 0);
      EXPECT_EQ(ip._pad, wanted) << "ip_discovery_version of " << type;
      EXPECT_EQ(ip.available_rings, (1u << rings) - 1);
    }
  }
}

TEST(Amdgpu, ShortArgumentsAreFilledUp) {
  Amdgpu p;
  // GEM_CLOSE with the handle alone
  uint32_t handle = p.create(4096);
  unsigned long request = _IOC(_IOC_WRITE, 'd', 0x09, 4);
  EXPECT_EQ(p.file->ioctl(request, &handle), 0);
  EXPECT_EQ(p.file->ioctl(request, &handle), -EINVAL);
  EXPECT_EQ(p.file->ioctl(DRM_IOCTL_GEM_CLOSE, reinterpret_cast<void*>(8)), -EFAULT);
}

}  // namespace
}  // namespace Atoll::drm
