// Drivers' queries about the GPU (Linux drivers/gpu/drm/i915/i915_getparam.c, i915_query.c, intel_uncore.c).
#include <libdrm/i915_drm.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <vector>

#include "base/log.h"
#include "drm/core/file.h"
#include "drm/i915/i915.h"
#include "drm/i915/regions.h"
#include "registers/dg1_mmio.h"

namespace Atoll::drm::i915 {
namespace {

constexpr uint16_t engine_classes[] = {I915_ENGINE_CLASS_RENDER, I915_ENGINE_CLASS_COPY};

// Nothing: the kernel knows no such parameter, or not for this GPU.
std::optional<int> parameter(const gpu::Chip& chip, int which) {
  switch (which) {
    case I915_PARAM_CHIPSET_ID: return chip.pci_device;
    case I915_PARAM_REVISION: return 1;
    case I915_PARAM_NUM_FENCES_AVAIL:  // there is no aperture that they could detile
    case I915_PARAM_HAS_OVERLAY:
    case I915_PARAM_HAS_BSD:
    case I915_PARAM_HAS_BSD2:
    case I915_PARAM_HAS_VEBOX:
    case I915_PARAM_HAS_LLC:
    case I915_PARAM_HAS_WT:
    case I915_PARAM_HAS_SECURE_BATCHES:
    case I915_PARAM_CMD_PARSER_VERSION:
    case I915_PARAM_HAS_RESOURCE_STREAMER:
    case I915_PARAM_HAS_POOLED_EU:
    case I915_PARAM_MIN_EU_IN_POOL: return 0;
    case I915_PARAM_HAS_BLT: return 1;
    case I915_PARAM_HAS_ALIASING_PPGTT: return I915_GEM_PPGTT_FULL;
    case I915_PARAM_SUBSLICE_TOTAL: return int(chip.shader_engines * chip.shader_arrays);
    case I915_PARAM_EU_TOTAL: return int(chip.shader_engines * chip.shader_arrays * chip.compute_units);
    case I915_PARAM_SLICE_MASK: return (1 << chip.shader_engines) - 1;
    case I915_PARAM_SUBSLICE_MASK: return (1 << chip.shader_arrays) - 1;
    case I915_PARAM_HAS_GPU_RESET: return 2;  // of one engine alone as well
    case I915_PARAM_MMAP_VERSION: return 1;
    case I915_PARAM_MMAP_GTT_VERSION: return 4;
    case I915_PARAM_HAS_SCHEDULER: return I915_SCHEDULER_CAP_ENABLED | I915_SCHEDULER_CAP_PRIORITY;
    case I915_PARAM_HAS_CONTEXT_ISOLATION: return 1 << I915_ENGINE_CLASS_RENDER | 1 << I915_ENGINE_CLASS_COPY;
    case I915_PARAM_CS_TIMESTAMP_FREQUENCY: return int(chip.crystal_clock * 1000);
    case I915_PARAM_HAS_SEMAPHORES:
    case I915_PARAM_MMAP_GTT_COHERENT:
    case I915_PARAM_HAS_GEM:
    case I915_PARAM_HAS_PAGEFLIPPING:
    case I915_PARAM_HAS_EXECBUF2:
    case I915_PARAM_HAS_RELAXED_FENCING:
    case I915_PARAM_HAS_COHERENT_RINGS:
    case I915_PARAM_HAS_RELAXED_DELTA:
    case I915_PARAM_HAS_GEN7_SOL_RESET:
    case I915_PARAM_HAS_WAIT_TIMEOUT:
    case I915_PARAM_HAS_PRIME_VMAP_FLUSH:
    case I915_PARAM_HAS_EXEC_NO_RELOC:
    case I915_PARAM_HAS_EXEC_HANDLE_LUT:
    case I915_PARAM_HAS_COHERENT_PHYS_GTT:
    case I915_PARAM_HAS_EXEC_SOFTPIN:
    case I915_PARAM_HAS_EXEC_ASYNC:
    case I915_PARAM_HAS_EXEC_FENCE:
    case I915_PARAM_HAS_EXEC_CAPTURE:
    case I915_PARAM_HAS_EXEC_BATCH_FIRST:
    case I915_PARAM_HAS_EXEC_FENCE_ARRAY:
    case I915_PARAM_HAS_EXEC_SUBMIT_FENCE:
    case I915_PARAM_HAS_EXEC_TIMELINE_FENCES:
    case I915_PARAM_HAS_USERPTR_PROBE: return 1;
    default: return {};
  }
}

// The answer to an item: its bytes, or a negative errno. Without an answer: how long it would be.
int answer(drm_i915_query_item& item, const std::vector<uint8_t>& bytes) {
  if (item.length == 0) return int(bytes.size());
  if (item.length < 0 || size_t(item.length) < bytes.size()) return -EINVAL;
  return write_user(item.data_ptr, bytes.data(), bytes.size()) ? int(bytes.size()) : -EFAULT;
}

int topology(const gpu::Chip& chip, drm_i915_query_item& item) {
  if (item.flags) return -EINVAL;
  drm_i915_query_topology_info head{};
  auto bytes_of = [](unsigned bits) { return uint16_t((bits + 7) / 8); };
  head.max_slices = uint16_t(chip.shader_engines);
  head.max_subslices = uint16_t(chip.shader_arrays);
  head.max_eus_per_subslice = uint16_t(chip.compute_units);
  head.subslice_offset = bytes_of(head.max_slices);
  head.subslice_stride = bytes_of(head.max_subslices);
  head.eu_offset = uint16_t(head.subslice_offset + head.max_slices * head.subslice_stride);
  head.eu_stride = bytes_of(head.max_eus_per_subslice);
  std::vector<uint8_t> bytes(sizeof head + head.eu_offset + size_t(head.max_slices) * head.max_subslices * head.eu_stride);
  std::memcpy(bytes.data(), &head, sizeof head);
  auto set = [&](size_t from, unsigned count) {
    for (unsigned bit = 0; bit < count; ++bit) bytes[sizeof head + from + bit / 8] |= uint8_t(1 << bit % 8);
  };
  set(0, head.max_slices);
  for (unsigned slice = 0; slice < head.max_slices; ++slice) {
    set(head.subslice_offset + size_t(slice) * head.subslice_stride, head.max_subslices);
    for (unsigned subslice = 0; subslice < head.max_subslices; ++subslice)
      set(head.eu_offset + (size_t(slice) * head.max_subslices + subslice) * head.eu_stride, head.max_eus_per_subslice);
  }
  return answer(item, bytes);
}

template <class Head, class Row>
int answer_rows(drm_i915_query_item& item, const Head& head, const std::vector<Row>& rows) {
  std::vector<uint8_t> bytes(sizeof head + rows.size() * sizeof(Row));
  std::memcpy(bytes.data(), &head, sizeof head);
  std::memcpy(bytes.data() + sizeof head, rows.data(), rows.size() * sizeof(Row));
  return answer(item, bytes);
}

int engines(drm_i915_query_item& item) {
  if (item.flags) return -EINVAL;
  std::vector<drm_i915_engine_info> rows;
  for (auto engine_class : engine_classes) {
    drm_i915_engine_info row{};
    row.engine.engine_class = engine_class;
    row.flags = I915_ENGINE_INFO_HAS_LOGICAL_INSTANCE;
    rows.push_back(row);
  }
  drm_i915_query_engine_info head{};
  head.num_engines = uint32_t(rows.size());
  return answer_rows(item, head, rows);
}

int memory_regions(File& file, drm_i915_query_item& item) {
  if (item.flags) return -EINVAL;
  std::vector<drm_i915_memory_region_info> rows;
  for (auto& region : regions(file.process().chip())) {
    drm_i915_memory_region_info row{};
    row.region.memory_class = region.memory_class;
    row.probed_size = row.probed_cpu_visible_size = region.bytes;
    // what is left of the system's memory is not told
    uint64_t used = region.memory_class == I915_MEMORY_CLASS_DEVICE ? file.session().used_bytes(region.domain()) : 0;
    row.unallocated_size = row.unallocated_cpu_visible_size = region.bytes - std::min(used, region.bytes);
    rows.push_back(row);
  }
  drm_i915_query_memory_regions head{};
  head.num_regions = uint32_t(rows.size());
  return answer_rows(item, head, rows);
}

int answer_query(File& file, drm_i915_query_item& item) {
  const gpu::Chip& chip = file.process().chip();
  switch (item.query_id) {
    case DRM_I915_QUERY_TOPOLOGY_INFO: return topology(chip, item);
    case DRM_I915_QUERY_ENGINE_INFO: return engines(item);
    case DRM_I915_QUERY_MEMORY_REGIONS: return memory_regions(file, item);
    case DRM_I915_QUERY_PERF_CONFIG:
    case DRM_I915_QUERY_HWCONFIG_BLOB:
    case DRM_I915_QUERY_GEOMETRY_SUBSLICES: return -ENODEV;
    default: log(LogLevel::info, "drm", "QUERY item {} is not there", item.query_id); return -EINVAL;
  }
}

}  // namespace

int getparam(File& file, void* argument) {
  auto& a = *static_cast<drm_i915_getparam*>(argument);
  auto value = parameter(file.process().chip(), a.param);
  if (!value) {
    log(LogLevel::info, "drm", "GETPARAM {} is not there", a.param);
    return -EINVAL;
  }
  return write_user(reinterpret_cast<uint64_t>(a.value), &*value, sizeof *value) ? 0 : -EFAULT;
}

int query(File& file, void* argument) {
  auto& a = *static_cast<drm_i915_query*>(argument);
  if (a.flags) return -EINVAL;
  for (uint32_t i = 0; i < a.num_items; ++i) {
    const uint64_t at = a.items_ptr + i * sizeof(drm_i915_query_item);
    drm_i915_query_item item;
    if (!read_user(&item, at, sizeof item)) return -EFAULT;
    if (item.query_id == 0) return -EINVAL;
    item.length = answer_query(file, item);
    if (!write_user(at, &item, sizeof item)) return -EFAULT;
  }
  return 0;
}

int reg_read(File& file, void* argument) {
  auto& a = *static_cast<drm_i915_reg_read*>(argument);
  // the lowest bit asks for one access of 64 bits
  if ((a.offset & ~uint64_t(I915_REG_READ_8B_WA)) != dg1::mmio::timestamp) {
    log(LogLevel::info, "drm", "REG_READ of register {:#x} is not allowed", a.offset);
    return -EINVAL;
  }
  auto device = file.process().device();
  if (!device) return -EINVAL;
  const uint64_t low = (*device)->read_register(dg1::mmio::timestamp), high = (*device)->read_register(dg1::mmio::timestamp + 4);
  a.val = high << 32 | low;
  return 0;
}

int get_aperture(File&, void* argument) {
  auto& a = *static_cast<drm_i915_gem_get_aperture*>(argument);
  a.aper_size = a.aper_available_size = uint64_t(4) << 30;  // the kernel's own page table
  return 0;
}

}  // namespace Atoll::drm::i915
