// The rows. Ids: Mesa 22.3.6 include/pci_ids/radeonsi_pci_ids.h, r300_pci_ids.h; family and revision:
// src/amd/addrlib/src/amdgpu_asic_addr.h; engines: Linux drivers/gpu/drm/amd/amdgpu/gfx_v7_0.c (gfx_v7_0_gpu_early_init); pipes
// of R5xx: drivers/gpu/drm/radeon/r420.c (r420_pipes_init), rv515.c. Clocks and sizes of memory are those of a usual board and
// decide nothing but what a driver prints and how much it asks for.
#include "gpu/device/chip.h"

#include <algorithm>

namespace Atoll::gpu {
namespace {

constexpr uint64_t MiB = uint64_t(1) << 20;
constexpr auto sea = Family::sea_islands, r5 = Family::r5xx;
constexpr unsigned CI = 120, KV = 125;

// clang-format off
constexpr Chip rows[] = {
    // name      family  PCI     APU    amdgpu          SE SH CU RB  pipes TCC  GB Z  clocks                  bits  VRAM        GTT
    {"bonaire", sea, 0x6658, false, CI, 0x14, 2,  2, 1, 7,  4,  4, 4,   0, 0,  1000000, 1500000, 27000,  128,  2048 * MiB, 2048 * MiB},
    {"hawaii",  sea, 0x67b0, false, CI, 0x28, 3,  4, 1, 11, 16, 16, 16, 0, 0,  1000000, 1250000, 27000,  512,  4096 * MiB, 4096 * MiB},
    {"kaveri",  sea, 0x1304, true,  KV, 0x01, 1,  1, 1, 8,  2,  4, 4,   0, 0,  720000,  933000,  100000, 128,  1024 * MiB, 2048 * MiB},
    {"kabini",  sea, 0x9830, true,  KV, 0x81, 2,  1, 1, 2,  1,  2, 2,   0, 0,  600000,  800000,  100000, 64,   512 * MiB,  2048 * MiB},
    {"rv515",   r5,  0x7146, false, 0,  0,    0,  0, 0, 0,  0,  0, 0,   1, 1,  450000,  250000,  27000,  128,  256 * MiB,  512 * MiB},
    {"r520",    r5,  0x7100, false, 0,  0,    0,  0, 0, 0,  0,  0, 0,   4, 1,  500000,  500000,  27000,  256,  256 * MiB,  512 * MiB},
    {"rv530",   r5,  0x71c0, false, 0,  0,    0,  0, 0, 0,  0,  0, 0,   1, 2,  600000,  690000,  27000,  128,  256 * MiB,  512 * MiB},
    {"r580",    r5,  0x7249, false, 0,  0,    0,  0, 0, 0,  0,  0, 0,   4, 1,  650000,  775000,  27000,  256,  256 * MiB,  512 * MiB},
};
// clang-format on

constexpr char lower(char c) { return c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c; }

}  // namespace

std::span<const Chip> chips() { return rows; }

const Chip* find_chip(std::string_view name) {
  for (auto& row : rows)
    if (std::equal(row.name.begin(), row.name.end(), name.begin(), name.end(), [](char a, char b) { return a == lower(b); }))
      return &row;
  return nullptr;
}

}  // namespace Atoll::gpu
