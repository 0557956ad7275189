// amdgpu's ioctls without Mesa: buffers, page tables, submissions, fences, lost contexts.
#include <libdrm/amdgpu_drm.h>
#include <poll.h>

#include "tests/drm/uapi.h"

namespace Atoll::drm {
namespace {

struct Amdgpu : Program {
  uint32_t context = 0;
  uint32_t commands = 0;  // handle of a buffer for command streams, at 0x400000
  uint8_t* commands_host = nullptr;
  static constexpr uint64_t commands_address = 0x400000;
  uint32_t user_fence = 0;

  explicit Amdgpu(int session = -1, std::string_view gpu = "bonaire") : Program(gpu, session) {
    drm_amdgpu_ctx a{};
    a.in.op = AMDGPU_CTX_OP_ALLOC_CTX;
    EXPECT_EQ(call(*file, DRM_IOCTL_AMDGPU_CTX, a), 0);
    context = a.out.alloc.ctx_id;
    commands = create(65536);
    commands_host = map_host(commands, 65536);
    EXPECT_EQ(va(AMDGPU_VA_OP_MAP, commands, commands_address, 0, 65536), 0);
    user_fence = create(4096);
  }

  uint32_t create(uint64_t bytes, uint64_t alignment = 4096, uint64_t domains = AMDGPU_GEM_DOMAIN_VRAM, int expected = 0) {
    drm_amdgpu_gem_create a{};
    a.in = {bytes, alignment, domains, 0};
    EXPECT_EQ(call(*file, DRM_IOCTL_AMDGPU_GEM_CREATE, a), expected);
    return a.out.handle;
  }
  uint64_t offset_of(uint32_t handle) {
    drm_amdgpu_gem_mmap a{};
    a.in.handle = handle;
    EXPECT_EQ(call(*file, DRM_IOCTL_AMDGPU_GEM_MMAP, a), 0);
    return a.out.addr_ptr;
  }
  uint8_t* map_host(uint32_t handle, uint64_t bytes) {
    void* at = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, off_t(offset_of(handle)));
    EXPECT_NE(at, MAP_FAILED);
    return static_cast<uint8_t*>(at);
  }
  int va(uint32_t operation, uint32_t handle, uint64_t address, uint64_t offset, uint64_t bytes,
         uint32_t flags = AMDGPU_VM_PAGE_READABLE | AMDGPU_VM_PAGE_WRITEABLE) {
    drm_amdgpu_gem_va a{};
    a.handle = handle;
    a.operation = operation;
    a.flags = flags;
    a.va_address = address;
    a.offset_in_bo = offset;
    a.map_size = bytes;
    return call(*file, DRM_IOCTL_AMDGPU_GEM_VA, a);
  }
  int close(uint32_t handle) {
    drm_gem_close a{handle, 0};
    return call(*file, DRM_IOCTL_GEM_CLOSE, a);
  }

  // One submission of these words, put at `place` of the command buffer.
  struct Options {
    uint32_t ip = AMDGPU_HW_IP_GFX, ring = 0, place = 0;
    std::vector<uint32_t> handles;
    std::vector<drm_amdgpu_cs_chunk> more;
    uint32_t context = 0;
    bool fence = true;
  };
  int submit(std::vector<uint32_t> words, uint64_t& sequence, Options options) {
    std::memcpy(commands_host + options.place, words.data(), words.size() * 4);
    drm_amdgpu_cs_chunk_ib ib{};
    ib.va_start = commands_address + options.place;
    ib.ib_bytes = uint32_t(words.size() * 4);
    ib.ip_type = options.ip;
    ib.ring = options.ring;
    drm_amdgpu_cs_chunk_fence fence{user_fence, 8};
    std::vector<drm_amdgpu_bo_list_entry> entries{{commands, 0}};
    for (uint32_t handle : options.handles) entries.push_back({handle, 0});
    drm_amdgpu_bo_list_in list{~0u, ~0u, uint32_t(entries.size()), sizeof entries[0], reinterpret_cast<uint64_t>(entries.data())};
    std::vector<drm_amdgpu_cs_chunk> chunks{
        {AMDGPU_CHUNK_ID_BO_HANDLES, sizeof list / 4, reinterpret_cast<uint64_t>(&list)},
        {AMDGPU_CHUNK_ID_IB, sizeof ib / 4, reinterpret_cast<uint64_t>(&ib)},
    };
    if (options.fence) chunks.push_back({AMDGPU_CHUNK_ID_FENCE, sizeof fence / 4, reinterpret_cast<uint64_t>(&fence)});
    chunks.insert(chunks.end(), options.more.begin(), options.more.end());
    std::vector<uint64_t> pointers;
    for (auto& chunk : chunks) pointers.push_back(reinterpret_cast<uint64_t>(&chunk));
    drm_amdgpu_cs a{};
    a.in.ctx_id = options.context ? options.context : context;
    a.in.num_chunks = uint32_t(chunks.size());
    a.in.chunks = reinterpret_cast<uint64_t>(pointers.data());
    int result = call(*file, DRM_IOCTL_AMDGPU_CS, a);
    sequence = a.out.handle;
    return result;
  }
  uint64_t submit(std::vector<uint32_t> words) {
    uint64_t sequence = 0;
    EXPECT_EQ(submit(std::move(words), sequence, {}), 0);
    return sequence;
  }
  // 0 done, 1 busy, or a negative errno
  int64_t wait(uint64_t sequence, uint64_t timeout = UINT64_MAX, uint32_t of_context = 0, uint32_t ip = AMDGPU_HW_IP_GFX) {
    drm_amdgpu_wait_cs a{};
    a.in.handle = sequence;
    a.in.timeout = timeout;
    a.in.ip_type = ip;
    a.in.ctx_id = of_context ? of_context : context;
    int result = call(*file, DRM_IOCTL_AMDGPU_WAIT_CS, a);
    return result ? result : int64_t(a.out.status);
  }
  void wait_for_gate() {
    while (device->at_gate == 0) std::this_thread::yield();
  }
};

std::vector<uint32_t> store_to(uint64_t address, uint32_t value) {
  return {store, uint32_t(address), uint32_t(address >> 32), value};
}

std::vector<uint32_t> operator+(std::vector<uint32_t> a, const std::vector<uint32_t>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

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

// Buffers of one submission for several rings run at once; the fence is that of the ring of the last one. Older chips refuse them
// (Linux amdgpu_cs.c, amdgpu_cs_p1_ib; amdgpu_vm.c, concurrent_flush).
TEST(Amdgpu, AGangOfRingsRunsAtOnce) {
  for (std::string_view gpu : {"gfx1201", "bonaire"}) {
    Amdgpu p(-1, gpu);
    const std::vector<uint32_t> waiting{gate}, storing = store_to(Amdgpu::commands_address + 0x8000, 7);
    std::memcpy(p.commands_host, waiting.data(), waiting.size() * 4);
    std::memcpy(p.commands_host + 0x1000, storing.data(), storing.size() * 4);
    drm_amdgpu_cs_chunk_ib ibs[2] = {
        {0, 0, Amdgpu::commands_address + 0x1000, uint32_t(storing.size() * 4), AMDGPU_HW_IP_COMPUTE, 0, 1},
        {0, 0, Amdgpu::commands_address, uint32_t(waiting.size() * 4), AMDGPU_HW_IP_GFX, 0, 0}};
    drm_amdgpu_bo_list_entry entry{p.commands, 0};
    drm_amdgpu_bo_list_in list{~0u, ~0u, 1, sizeof entry, reinterpret_cast<uint64_t>(&entry)};
    drm_amdgpu_cs_chunk chunks[3] = {{AMDGPU_CHUNK_ID_BO_HANDLES, sizeof list / 4, reinterpret_cast<uint64_t>(&list)},
                                     {AMDGPU_CHUNK_ID_IB, sizeof ibs[0] / 4, reinterpret_cast<uint64_t>(&ibs[0])},
                                     {AMDGPU_CHUNK_ID_IB, sizeof ibs[1] / 4, reinterpret_cast<uint64_t>(&ibs[1])}};
    uint64_t pointers[3];
    for (int n = 0; n < 3; n++) pointers[n] = reinterpret_cast<uint64_t>(&chunks[n]);
    drm_amdgpu_cs a{};
    a.in.ctx_id = p.context;
    a.in.num_chunks = 3;
    a.in.chunks = reinterpret_cast<uint64_t>(pointers);
    const int result = call(*p.file, DRM_IOCTL_AMDGPU_CS, a);
    if (gpu == "bonaire") {
      EXPECT_EQ(result, -EINVAL);
      continue;
    }
    ASSERT_EQ(result, 0);
    const uint64_t sequence = a.out.handle;
    p.wait_for_gate();
    EXPECT_EQ(p.wait(sequence, 0), 1) << "the leader waits";
    auto* stored = reinterpret_cast<std::atomic<uint32_t>*>(p.commands_host + 0x8000);
    while (stored->load() != 7) std::this_thread::yield();  // while it does
    p.device->gate_open = true;
    EXPECT_EQ(p.wait(sequence), 0);
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

TEST(Amdgpu, BuffersAreZeroedSharedWithTheGpuAndReused) {
  Amdgpu p;
  uint32_t handle = p.create(8192);
  uint64_t offset = p.offset_of(handle);
  uint8_t* host = p.map_host(handle, 8192);
  ASSERT_EQ(p.va(AMDGPU_VA_OP_MAP, handle, 0x200000, 0, 8192), 0);
  EXPECT_EQ(p.wait(p.submit(store_to(0x201004, 0xc0ffee))), 0);
  uint32_t value;
  std::memcpy(&value, host + 4096 + 4, 4);
  EXPECT_EQ(value, 0xc0ffeeu);
  uint64_t used = p.file->session().used_bytes(AMDGPU_GEM_DOMAIN_VRAM);
  EXPECT_EQ(p.close(handle), 0);
  EXPECT_EQ(p.file->session().used_bytes(AMDGPU_GEM_DOMAIN_VRAM), used - 8192);
  // the address is free again, the pages are zero
  EXPECT_FALSE(p.file->memory()->space().contains(0x200000, 4));
  uint32_t next = p.create(8192);
  EXPECT_EQ(p.offset_of(next), offset);
  EXPECT_EQ(std::memcmp(p.map_host(next, 8192) + 4100, "\0\0\0\0", 4), 0);
  p.create(0, 4096, AMDGPU_GEM_DOMAIN_VRAM, -EINVAL);
  p.create(uint64_t(1) << 39, 4096, AMDGPU_GEM_DOMAIN_VRAM, -ENOMEM);
  p.create(4096, 4096, 0, -EINVAL);
  p.create(4096, 4096, AMDGPU_GEM_DOMAIN_GDS, -EINVAL);
}

TEST(Amdgpu, PageTablesAreKeptAsTheKernelKeepsThem) {
  Amdgpu p;
  uint32_t a = p.create(16384), b = p.create(16384);
  auto& space = p.file->memory()->space();
  EXPECT_EQ(p.va(AMDGPU_VA_OP_MAP, a, 0x1000, 0, 4096), -EINVAL) << "the kernel's own addresses";
  EXPECT_EQ(p.va(AMDGPU_VA_OP_MAP, a, 0x800001, 0, 4096), -EINVAL);
  EXPECT_EQ(p.va(AMDGPU_VA_OP_MAP, a, 0x800000, 0, 20480), -EINVAL) << "beyond the buffer";
  EXPECT_EQ(p.va(AMDGPU_VA_OP_MAP, 999, 0x800000, 0, 4096), -ENOENT);
  ASSERT_EQ(p.va(AMDGPU_VA_OP_MAP, a, 0x800000, 0, 16384), 0);
  EXPECT_EQ(p.va(AMDGPU_VA_OP_MAP, b, 0x803000, 0, 4096), -EINVAL) << "taken";
  EXPECT_EQ(p.va(AMDGPU_VA_OP_UNMAP, b, 0x800000, 0, 16384), -ENOENT);
  // a hole in the middle
  ASSERT_EQ(p.va(AMDGPU_VA_OP_CLEAR, 0, 0x801000, 0, 8192), 0);
  EXPECT_TRUE(space.contains(0x800000, 4096));
  EXPECT_FALSE(space.contains(0x801000, 1));
  EXPECT_TRUE(space.contains(0x803000, 4096));
  ASSERT_EQ(p.va(AMDGPU_VA_OP_MAP, b, 0x801000, 8192, 8192, AMDGPU_VM_PAGE_READABLE), 0);
  EXPECT_TRUE(space.contains(0x800000, 16384));
  EXPECT_FALSE(space.contains(0x801000, 4, true)) << "read only";
  ASSERT_EQ(p.va(AMDGPU_VA_OP_REPLACE, b, 0x800000, 0, 16384), 0);
  EXPECT_TRUE(space.contains(0x800000, 16384, true));
  p.submit(store_to(0x803000, 77));
  EXPECT_EQ(p.wait(~uint64_t(0)), 0);
  EXPECT_EQ(p.map_host(b, 16384)[0x3000], 77);
  ASSERT_EQ(p.va(AMDGPU_VA_OP_UNMAP, b, 0x800000, 0, 16384), 0);
  EXPECT_FALSE(space.contains(0x800000, 1));
}

// Partially resident resources: where they have no memory reads give 0, and what is written is dropped (Vulkan's
// residencyNonResidentStrict, which RADV has from GFX9 on).
TEST(Amdgpu, WhatIsWrittenWhereThereIsNoMemoryIsGoneWithTheNextSubmission) {
  Amdgpu p;
  const uint32_t a = p.create(16384);
  constexpr uint32_t nothing = AMDGPU_VM_PAGE_PRT;
  auto& space = p.file->memory()->space();
  ASSERT_EQ(p.va(AMDGPU_VA_OP_MAP, 0, 0x800000, 0, 16384, nothing), 0);
  ASSERT_EQ(p.va(AMDGPU_VA_OP_REPLACE, a, 0x801000, 4096, 4096), 0);
  EXPECT_EQ(p.wait(p.submit(store_to(0x800000, 1) + store_to(0x801000, 2) + store_to(0x803000, 3))), 0);
  EXPECT_EQ(p.wait(p.submit(store_to(0x802000, 4))), 0);
  auto word = [&](uint64_t address) { return *reinterpret_cast<const volatile uint32_t*>(space.host(address)); };
  EXPECT_EQ(word(0x800000), 0u);
  EXPECT_EQ(word(0x801000), 2u) << "has memory";
  EXPECT_EQ(word(0x803000), 0u);
  // Pages that get memory keep it, and pages that lose it read as 0.
  ASSERT_EQ(p.va(AMDGPU_VA_OP_REPLACE, a, 0x803000, 12288, 4096), 0);
  ASSERT_EQ(p.va(AMDGPU_VA_OP_REPLACE, 0, 0x801000, 0, 4096, nothing), 0);
  EXPECT_EQ(p.wait(p.submit(store_to(0x803000, 5) + store_to(0x801000, 6))), 0);
  EXPECT_EQ(p.wait(p.submit(store_to(0x802000, 7))), 0);
  EXPECT_EQ(word(0x803000), 5u);
  EXPECT_EQ(word(0x801000), 0u);
  EXPECT_EQ(p.map_host(a, 16384)[0x1000], 2);
}

TEST(Amdgpu, UnmappingWaitsForWhatRuns) {
  Amdgpu p;
  uint32_t a = p.create(4096), b = p.create(4096);
  uint8_t *host_a = p.map_host(a, 4096), *host_b = p.map_host(b, 4096);
  auto& space = p.file->memory()->space();
  ASSERT_EQ(p.va(AMDGPU_VA_OP_MAP, a, 0x900000, 0, 4096), 0);
  uint64_t first = 0, second = 0;
  ASSERT_EQ(p.submit(std::vector<uint32_t>{gate} + store_to(0x900000, 1), first, {.handles = {a}}), 0);
  p.wait_for_gate();
  // the address changes hands while the first submission runs
  ASSERT_EQ(p.va(AMDGPU_VA_OP_UNMAP, a, 0x900000, 0, 4096), 0);
  ASSERT_EQ(p.va(AMDGPU_VA_OP_MAP, b, 0x900000, 0, 4096), 0);
  ASSERT_EQ(p.submit(store_to(0x900000, 2), second, {.place = 4096, .handles = {b}}), 0);
  EXPECT_TRUE(space.contains(0x900000, 4));
  EXPECT_EQ(p.wait(first, monotonic_nanoseconds() + 5'000'000), 1);
  p.device->gate_open = true;
  EXPECT_EQ(p.wait(second), 0);
  EXPECT_EQ(host_a[0], 1);
  EXPECT_EQ(host_b[0], 2);
}

TEST(Amdgpu, FencesAreNumberedAndWritten) {
  Amdgpu p;
  uint8_t* fence = p.map_host(p.user_fence, 4096);
  for (uint64_t i = 1; i <= 5; ++i) EXPECT_EQ(p.submit({nothing}), i);
  EXPECT_EQ(p.wait(5), 0);
  uint64_t value;
  std::memcpy(&value, fence + 8, 8);
  EXPECT_EQ(value, 5u);
  EXPECT_EQ(p.wait(0), 0);
  EXPECT_EQ(p.wait(6), -EINVAL) << "not submitted";
  EXPECT_EQ(p.wait(1, 0, 77), -EINVAL) << "no such context";
  // of another ring the numbers start again
  uint64_t sequence = 0;
  ASSERT_EQ(p.submit({nothing}, sequence, {.ip = AMDGPU_HW_IP_COMPUTE, .ring = 7}), 0);
  EXPECT_EQ(sequence, 1u);
  EXPECT_EQ(p.submit({nothing}, sequence, {.ip = AMDGPU_HW_IP_COMPUTE, .ring = 8}), -EINVAL);
  EXPECT_EQ(p.submit({nothing}, sequence, {.ip = AMDGPU_HW_IP_UVD}), -EINVAL);
  EXPECT_EQ(p.submit({nothing}, sequence, {.handles = {12345}}), -ENOENT);
}

TEST(Amdgpu, ManySubmissionsWaitTheirTurn) {
  Amdgpu p;
  uint32_t counter = p.create(4096);
  uint8_t* host = p.map_host(counter, 4096);
  ASSERT_EQ(p.va(AMDGPU_VA_OP_MAP, counter, 0xa00000, 0, 4096), 0);
  uint64_t sequence = 0;
  for (uint32_t i = 0; i < 500; ++i) {
    // the room is used again after 256 submissions, more than can be under way
    ASSERT_EQ(p.submit(store_to(0xa00000 + i % 64 * 4, i), sequence, {.place = i % 256 * 64, .handles = {counter}}), 0);
  }
  EXPECT_EQ(p.wait(sequence), 0);
  for (uint32_t i = 436; i < 500; ++i) {
    uint32_t value;
    std::memcpy(&value, host + i % 64 * 4, 4);
    EXPECT_EQ(value, i);
  }
}

TEST(Amdgpu, DependenciesHoldSubmissionsBack) {
  Amdgpu p;
  drm_amdgpu_ctx other{};
  other.in.op = AMDGPU_CTX_OP_ALLOC_CTX;
  ASSERT_EQ(call(*p.file, DRM_IOCTL_AMDGPU_CTX, other), 0);
  uint32_t second_context = other.out.alloc.ctx_id;
  uint64_t first = 0, second = 0;
  ASSERT_EQ(p.submit({gate}, first, {}), 0);
  p.wait_for_gate();
  drm_amdgpu_cs_chunk_dep dependency{AMDGPU_HW_IP_GFX, 0, 0, p.context, first};
  ASSERT_EQ(p.submit({nothing}, second,
                     {.place = 4096,
                      .more = {{AMDGPU_CHUNK_ID_DEPENDENCIES, sizeof dependency / 4, reinterpret_cast<uint64_t>(&dependency)}},
                      .context = second_context,
                      .fence = false}),
            0);
  EXPECT_EQ(p.wait(second, monotonic_nanoseconds() + 20'000'000, second_context), 1);
  // either of the two, then both
  drm_amdgpu_fence fences[2] = {{p.context, AMDGPU_HW_IP_GFX, 0, 0, first}, {second_context, AMDGPU_HW_IP_GFX, 0, 0, second}};
  drm_amdgpu_wait_fences wait{};
  wait.in = {reinterpret_cast<uint64_t>(fences), 2, 0, monotonic_nanoseconds() + 1'000'000};
  ASSERT_EQ(call(*p.file, DRM_IOCTL_AMDGPU_WAIT_FENCES, wait), 0);
  EXPECT_EQ(wait.out.status, 0u);
  drm_amdgpu_fence_to_handle file{};
  file.in.fence = fences[1];
  file.in.what = AMDGPU_FENCE_TO_HANDLE_GET_SYNC_FILE_FD;
  ASSERT_EQ(call(*p.file, DRM_IOCTL_AMDGPU_FENCE_TO_HANDLE, file), 0);
  pollfd poll{int(file.out.handle), POLLIN, 0};
  EXPECT_EQ(::poll(&poll, 1, 0), 0);
  p.device->gate_open = true;
  EXPECT_EQ(::poll(&poll, 1, 10000), 1);
  ::close(poll.fd);
  wait.in = {reinterpret_cast<uint64_t>(fences), 2, 1, UINT64_MAX};
  ASSERT_EQ(call(*p.file, DRM_IOCTL_AMDGPU_WAIT_FENCES, wait), 0);
  EXPECT_EQ(wait.out.status, 1u);
}

TEST(Amdgpu, AFailureLosesItsContextAlone) {
  Amdgpu p;
  drm_amdgpu_ctx other{};
  other.in.op = AMDGPU_CTX_OP_ALLOC_CTX;
  ASSERT_EQ(call(*p.file, DRM_IOCTL_AMDGPU_CTX, other), 0);
  uint32_t second_context = other.out.alloc.ctx_id;
  EXPECT_EQ(p.wait(p.submit({error})), 0) << "whoever waits is let go";
  uint64_t sequence = 0;
  EXPECT_EQ(p.submit({nothing}, sequence, {}), -ECANCELED);
  drm_amdgpu_ctx state{};
  state.in.op = AMDGPU_CTX_OP_QUERY_STATE2;
  state.in.ctx_id = p.context;
  ASSERT_EQ(call(*p.file, DRM_IOCTL_AMDGPU_CTX, state), 0);
  EXPECT_EQ(state.out.state.flags, uint64_t(AMDGPU_CTX_QUERY2_FLAGS_RESET | AMDGPU_CTX_QUERY2_FLAGS_GUILTY));
  for (uint32_t expected : {AMDGPU_CTX_GUILTY_RESET, AMDGPU_CTX_NO_RESET}) {
    state = {};
    state.in.op = AMDGPU_CTX_OP_QUERY_STATE;
    state.in.ctx_id = p.context;
    ASSERT_EQ(call(*p.file, DRM_IOCTL_AMDGPU_CTX, state), 0);
    EXPECT_EQ(state.out.state.reset_status, expected);
  }
  EXPECT_EQ(p.submit({nothing}, sequence, {.context = second_context}), 0);
  EXPECT_EQ(p.wait(sequence, UINT64_MAX, second_context), 0);
  EXPECT_EQ(p.file->session().statistics().failed, 1u);
}

TEST(Amdgpu, ListsOfBuffersKeepThemAlive) {
  Amdgpu p;
  uint32_t buffer = p.create(4096);
  std::vector<drm_amdgpu_bo_list_entry> entries{{buffer, 0}, {p.commands, 0}};
  drm_amdgpu_bo_list a{};
  a.in = {AMDGPU_BO_LIST_OP_CREATE, 0, 2, sizeof entries[0], reinterpret_cast<uint64_t>(entries.data())};
  ASSERT_EQ(call(*p.file, DRM_IOCTL_AMDGPU_BO_LIST, a), 0);
  uint32_t list = a.out.list_handle;
  uint64_t used = p.file->session().used_bytes(AMDGPU_GEM_DOMAIN_VRAM);
  EXPECT_EQ(p.close(buffer), 0);
  EXPECT_EQ(p.file->session().used_bytes(AMDGPU_GEM_DOMAIN_VRAM), used);
  a.in = {AMDGPU_BO_LIST_OP_DESTROY, list, 0, 0, 0};
  ASSERT_EQ(call(*p.file, DRM_IOCTL_AMDGPU_BO_LIST, a), 0);
  EXPECT_EQ(p.file->session().used_bytes(AMDGPU_GEM_DOMAIN_VRAM), used - 4096);
  EXPECT_EQ(call(*p.file, DRM_IOCTL_AMDGPU_BO_LIST, a), -EINVAL);
}

TEST(Amdgpu, WaitIdleKnowsWhoUsesABuffer) {
  Amdgpu p;
  uint32_t used = p.create(4096), idle = p.create(4096);
  uint64_t sequence = 0;
  ASSERT_EQ(p.submit({gate}, sequence, {.handles = {used}}), 0);
  auto status = [&](uint32_t handle, uint64_t timeout) {
    drm_amdgpu_gem_wait_idle a{};
    a.in = {handle, 0, timeout};
    EXPECT_EQ(call(*p.file, DRM_IOCTL_AMDGPU_GEM_WAIT_IDLE, a), 0);
    return a.out.status;
  };
  EXPECT_EQ(status(idle, 0), 0u);
  EXPECT_EQ(status(used, 0), 1u);
  EXPECT_EQ(status(used, monotonic_nanoseconds() + 5'000'000), 1u);
  p.device->gate_open = true;
  EXPECT_EQ(status(used, UINT64_MAX), 0u);
}

// Brought in before a submission, taken back before its end is told; what the program writes meanwhile stays.
TEST(Amdgpu, TheProgramsOwnMemory) {
  Amdgpu p;
  alignas(4096) static uint32_t own[2048];
  own[0] = 1, own[1024] = 5;
  constexpr uint32_t writable = AMDGPU_GEM_USERPTR_ANONONLY | AMDGPU_GEM_USERPTR_VALIDATE | AMDGPU_GEM_USERPTR_REGISTER;
  drm_amdgpu_gem_userptr user{reinterpret_cast<uint64_t>(own), sizeof own, writable, 0};
  ASSERT_EQ(call(*p.file, DRM_IOCTL_AMDGPU_GEM_USERPTR, user), 0);
  drm_amdgpu_gem_mmap map{};
  map.in.handle = user.handle;
  EXPECT_EQ(call(*p.file, DRM_IOCTL_AMDGPU_GEM_MMAP, map), -EPERM);
  ASSERT_EQ(p.va(AMDGPU_VA_OP_MAP, user.handle, 0x800000, 0, sizeof own), 0);
  uint64_t sequence = 0;
  p.device->gate_open = false;
  ASSERT_EQ(p.submit(store_to(0x800000, 2) + std::vector<uint32_t>{gate}, sequence, {.handles = {user.handle}}), 0);
  p.wait_for_gate();
  own[1024] = 6;
  p.device->gate_open = true;
  EXPECT_EQ(p.wait(sequence), 0);
  EXPECT_EQ(own[0], 2u);
  EXPECT_EQ(own[1024], 6u);
  // It goes without its memory.
  EXPECT_EQ(p.close(user.handle), 0);
  own[0] = 3;
  EXPECT_EQ(p.wait(p.submit({})), 0);
  EXPECT_EQ(own[0], 3u);

  auto refused = [&](uint64_t address, uint64_t bytes, uint32_t flags) {
    drm_amdgpu_gem_userptr a{address, bytes, flags, 0};
    return call(*p.file, DRM_IOCTL_AMDGPU_GEM_USERPTR, a);
  };
  const uint64_t there = reinterpret_cast<uint64_t>(own);
  EXPECT_EQ(refused(there + 4, 4096, writable), -EINVAL);
  EXPECT_EQ(refused(there, 0, writable), -EINVAL);
  EXPECT_EQ(refused(there, 4096, 1 << 4), -EINVAL);
  EXPECT_EQ(refused(there, 4096, AMDGPU_GEM_USERPTR_ANONONLY), -EACCES);
  EXPECT_EQ(refused(0x1000, 4096, writable), -EFAULT);
  EXPECT_EQ(refused(~uint64_t(0) << 12, 4096, writable), -EFAULT);
}

// A program that makes a context anew for each frame loses each by the same fault: one line, and its count.
TEST(Amdgpu, ALossThatComesAgainIsCounted) {
  Amdgpu p;
  Session& session = p.file->session();
  EXPECT_EQ(session.count_lost("load of 4 bytes at 0x1000, lane 3"), 0u);
  EXPECT_EQ(session.count_lost("load of 4 bytes at 0xfe20, lane 12"), 1u);
  EXPECT_EQ(session.count_lost("store of 4 bytes at 0x1000, lane 3"), 0u) << "another one";
  const auto& lost = session.statistics().lost;
  EXPECT_STREQ(lost[0].why, "load of 4 bytes at 0x1000, lane 3");
  EXPECT_EQ(lost[0].times, 2u);
  EXPECT_EQ(lost[1].times, 1u);
  testing::internal::CaptureStderr();
  for (int n = 0; n < 120; n++) {
    drm_amdgpu_ctx other{};
    other.in.op = AMDGPU_CTX_OP_ALLOC_CTX;
    ASSERT_EQ(call(*p.file, DRM_IOCTL_AMDGPU_CTX, other), 0);
    p.context = other.out.alloc.ctx_id;
    EXPECT_EQ(p.wait(p.submit({error})), 0);
  }
  const std::string said = testing::internal::GetCapturedStderr();
  size_t lines = 0;
  for (size_t at = 0; (at = said.find("its context is lost", at)) != said.npos; ++at) lines++;
  EXPECT_EQ(lines, 3u) << "the first, the 10th, the 100th: " << said;
  EXPECT_NE(said.find("the 100th like it"), said.npos) << said;
  EXPECT_EQ(lost[2].times, 120u);
}

// By the mapping's flags, or since the program has given its memory to be read only: a store there loses the context.
TEST(Amdgpu, MemoryThatMayOnlyBeRead) {
  alignas(4096) static uint32_t own[1024];
  for (bool users : {false, true}) {
    Amdgpu p;
    drm_amdgpu_gem_userptr user{reinterpret_cast<uint64_t>(own), sizeof own, AMDGPU_GEM_USERPTR_READONLY, 0};
    if (users) ASSERT_EQ(call(*p.file, DRM_IOCTL_AMDGPU_GEM_USERPTR, user), 0);
    const uint32_t handle = users ? user.handle : p.create(4096), flags = AMDGPU_VM_PAGE_READABLE;
    ASSERT_EQ(p.va(AMDGPU_VA_OP_MAP, handle, 0x800000, 0, 4096, users ? flags | AMDGPU_VM_PAGE_WRITEABLE : flags), 0);
    auto& space = p.file->memory()->space();
    EXPECT_TRUE(space.contains(0x800000, 4096));
    EXPECT_FALSE(space.contains(0x800000, 4, true));
    uint64_t sequence = 0;
    ASSERT_EQ(p.submit(store_to(0x800000, 2), sequence, {.handles = {handle}}), 0);
    EXPECT_EQ(p.wait(sequence), 0);
    EXPECT_EQ(p.submit({nothing}, sequence, {}), -ECANCELED);
    EXPECT_EQ(own[0], 0u);
  }
}

TEST(Amdgpu, SyncobjsInSubmissions) {
  Amdgpu p;
  drm_syncobj_create binary{}, line{};
  ASSERT_EQ(call(*p.file, DRM_IOCTL_SYNCOBJ_CREATE, binary), 0);
  ASSERT_EQ(call(*p.file, DRM_IOCTL_SYNCOBJ_CREATE, line), 0);
  uint64_t sequence = 0;
  drm_amdgpu_cs_chunk_sem out{binary.handle};
  drm_amdgpu_cs_chunk_syncobj point{line.handle, 0, 7};
  ASSERT_EQ(p.submit({gate}, sequence,
                     {.more = {{AMDGPU_CHUNK_ID_SYNCOBJ_OUT, 1, reinterpret_cast<uint64_t>(&out)},
                               {AMDGPU_CHUNK_ID_SYNCOBJ_TIMELINE_SIGNAL, sizeof point / 4, reinterpret_cast<uint64_t>(&point)}}}),
            0);
  drm_syncobj_wait wait{};
  wait.handles = reinterpret_cast<uint64_t>(&binary.handle);
  wait.count_handles = 1;
  wait.timeout_nsec = int64_t(monotonic_nanoseconds() + 2'000'000);
  EXPECT_EQ(call(*p.file, DRM_IOCTL_SYNCOBJ_WAIT, wait), -ETIME);
  uint64_t number = 7;
  drm_syncobj_timeline_wait points{};
  points.handles = reinterpret_cast<uint64_t>(&line.handle);
  points.points = reinterpret_cast<uint64_t>(&number);
  points.count_handles = 1;
  points.flags = DRM_SYNCOBJ_WAIT_FLAGS_WAIT_AVAILABLE;
  EXPECT_EQ(call(*p.file, DRM_IOCTL_SYNCOBJ_TIMELINE_WAIT, points), 0) << "it was submitted";
  points.flags = 0;
  number = 8;
  EXPECT_EQ(call(*p.file, DRM_IOCTL_SYNCOBJ_TIMELINE_WAIT, points), -EINVAL) << "nobody will signal 8";
  number = 7;
  EXPECT_EQ(call(*p.file, DRM_IOCTL_SYNCOBJ_TIMELINE_WAIT, points), -ETIME);
  uint64_t value = 99;
  drm_syncobj_timeline_array query{};
  query.handles = points.handles;
  query.points = reinterpret_cast<uint64_t>(&value);
  query.count_handles = 1;
  ASSERT_EQ(call(*p.file, DRM_IOCTL_SYNCOBJ_QUERY, query), 0);
  EXPECT_EQ(value, 0u);
  p.device->gate_open = true;
  wait.timeout_nsec = INT64_MAX;
  EXPECT_EQ(call(*p.file, DRM_IOCTL_SYNCOBJ_WAIT, wait), 0);
  ASSERT_EQ(call(*p.file, DRM_IOCTL_SYNCOBJ_QUERY, query), 0);
  EXPECT_EQ(value, 7u);
  // host signals, resets and transfers
  value = 20;
  ASSERT_EQ(call(*p.file, DRM_IOCTL_SYNCOBJ_TIMELINE_SIGNAL, query), 0);
  number = 15;
  EXPECT_EQ(call(*p.file, DRM_IOCTL_SYNCOBJ_TIMELINE_WAIT, points), 0);
  drm_syncobj_array array{reinterpret_cast<uint64_t>(&binary.handle), 1, 0};
  ASSERT_EQ(call(*p.file, DRM_IOCTL_SYNCOBJ_RESET, array), 0);
  EXPECT_EQ(call(*p.file, DRM_IOCTL_SYNCOBJ_WAIT, wait), -EINVAL);
  drm_syncobj_transfer transfer{line.handle, binary.handle, 20, 0, 0, 0};
  ASSERT_EQ(call(*p.file, DRM_IOCTL_SYNCOBJ_TRANSFER, transfer), 0);
  EXPECT_EQ(call(*p.file, DRM_IOCTL_SYNCOBJ_WAIT, wait), 0);
  drm_syncobj_destroy destroy{binary.handle, 0};
  ASSERT_EQ(call(*p.file, DRM_IOCTL_SYNCOBJ_DESTROY, destroy), 0);
  EXPECT_EQ(call(*p.file, DRM_IOCTL_SYNCOBJ_WAIT, wait), -ENOENT);
}

TEST(Amdgpu, AWaitForALaterSubmissionIsWoken) {
  Amdgpu p;
  drm_syncobj_create object{};
  ASSERT_EQ(call(*p.file, DRM_IOCTL_SYNCOBJ_CREATE, object), 0);
  std::thread later([&] {
    ::usleep(20000);
    drm_syncobj_array array{reinterpret_cast<uint64_t>(&object.handle), 1, 0};
    EXPECT_EQ(call(*p.file, DRM_IOCTL_SYNCOBJ_SIGNAL, array), 0);
  });
  drm_syncobj_wait wait{};
  wait.handles = reinterpret_cast<uint64_t>(&object.handle);
  wait.count_handles = 1;
  wait.flags = DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT | DRM_SYNCOBJ_WAIT_FLAGS_WAIT_ALL;
  wait.timeout_nsec = INT64_MAX;
  EXPECT_EQ(call(*p.file, DRM_IOCTL_SYNCOBJ_WAIT, wait), 0);
  later.join();
}

TEST(Amdgpu, ThreadsSubmitAtOnce) {
  Amdgpu p;
  std::vector<std::thread> threads;
  std::atomic<int> failures{0};
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 100; ++i) {
        drm_amdgpu_gem_create a{};
        a.in = {4096, 4096, AMDGPU_GEM_DOMAIN_GTT, 0};
        failures += call(*p.file, DRM_IOCTL_AMDGPU_GEM_CREATE, a) != 0;
        uint32_t handle = a.out.handle;
        uint64_t address = 0x40000000 + uint64_t(handle) * 4096;
        failures += p.va(AMDGPU_VA_OP_MAP, handle, address, 0, 4096) != 0;
        drm_amdgpu_cs_chunk_ib ib{0, 0, address, 64, AMDGPU_HW_IP_GFX, 0, 0};
        drm_amdgpu_cs_chunk chunk{AMDGPU_CHUNK_ID_IB, sizeof ib / 4, reinterpret_cast<uint64_t>(&ib)};
        uint64_t pointer = reinterpret_cast<uint64_t>(&chunk);
        drm_amdgpu_cs cs{};
        cs.in.ctx_id = p.context;
        cs.in.num_chunks = 1;
        cs.in.chunks = reinterpret_cast<uint64_t>(&pointer);
        failures += call(*p.file, DRM_IOCTL_AMDGPU_CS, cs) != 0;
        failures += p.close(handle) != 0;  // while it runs, perhaps: the addresses stay until it is done
      }
    });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(p.wait(~uint64_t(0)), 0);
  EXPECT_EQ(failures, 0);
  EXPECT_EQ(p.file->session().statistics().failed, 0u);
  EXPECT_EQ(p.file->session().statistics().submissions, 800u);
}

}  // namespace
}  // namespace Atoll::drm
