// What a kernel driver tells of each chip that Atoll can be: one row a chip, the answers of DEV_INFO and of radeon's INFO.
#pragma once
#include <cstdint>
#include <span>
#include <string_view>

namespace Atoll::gpu {

enum class Family : uint8_t { r5xx, sea_islands };

struct Chip {
  std::string_view name;  // of `atoll gpus`
  Family family;
  uint16_t pci_device;  // of vendor 0x1002
  bool integrated;      // with a CPU on one die: no memory of its own
  // amdgpu's names of the revision
  unsigned amdgpu_family, external_revision, graphics_minor;  // HW_IP_INFO: graphics version 7.x
  // 3D engines
  unsigned shader_engines, shader_arrays, compute_units;  // arrays per engine, units per array
  unsigned render_backends;                               // of the whole chip
  unsigned tile_pipes, cache_channels;                    // channels of the L2 cache (TCC)
  unsigned pixel_pipes, depth_pipes;                      // R5xx: GB pipes and Z pipes
  // clocks in kHz; memory
  unsigned engine_clock, memory_clock, crystal_clock;
  unsigned memory_bits;
  uint64_t vram_bytes, gtt_bytes;
};

std::span<const Chip> chips();
// Upper and lower case are the same; null for an unknown name.
const Chip* find_chip(std::string_view name);

}  // namespace Atoll::gpu
