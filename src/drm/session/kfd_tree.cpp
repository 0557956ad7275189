// Linux 6.1 and 6.13 drivers/gpu/drm/amd/amdkfd/kfd_topology.c (node_show, mem_show, iolink_show, kfd_cache_show), kfd_crat.c;
// include/uapi/linux/kfd_sysfs.h.
#include "drm/session/kfd_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <string>
#include <vector>

#include "drm/session/kfd_facts.h"
#include "drm/session/session_file.h"

namespace Atoll::drm {
namespace {

namespace fs = std::filesystem;

struct Property {
  const char* name;
  uint64_t value;
};

void put_file(const fs::path& file, const std::string& text) {
  fs::create_directories(file.parent_path());
  std::ofstream out(file, std::ios::binary);
  out.exceptions(std::ios::failbit | std::ios::badbit);
  out << text;
  out.close();
}

void put_file(const fs::path& file, const std::vector<Property>& properties) {
  std::string text;
  for (auto& property : properties) text += fmt::format("{} {}\n", property.name, property.value);
  put_file(file, text);
}

constexpr uint64_t heap_system = 0, heap_public = 1;                  // HSA_MEM_HEAP_TYPE_*
constexpr uint64_t link_pcie = 2, link_enabled = 1, no_atomics = 12;  // HSA_IOLINK_TYPE_PCIEXPRESS, HSA_IOLINK_FLAGS_*
constexpr uint64_t cache_data = 1, cache_units = 8;                   // HSA_CACHE_TYPE_*
constexpr uint64_t no_processor = uint64_t(1) << 31;                  // a GPU's units are numbered from there

// The files are the same on every machine: how many processors it has and how much memory is put in when a program opens them
// (shim/host_node.cpp).
constexpr uint64_t host_memory = uint64_t(16) << 30;

void write_link(const fs::path& node, unsigned number, unsigned from, unsigned to) {
  put_file(node / "io_links" / std::to_string(number) / "properties", {{"type", link_pcie},
                                                                       {"version_major", 0},
                                                                       {"version_minor", 0},
                                                                       {"node_from", from},
                                                                       {"node_to", to},
                                                                       {"weight", 20},
                                                                       {"min_latency", 0},
                                                                       {"max_latency", 0},
                                                                       {"min_bandwidth", 0},
                                                                       {"max_bandwidth", 0},
                                                                       {"recommended_transfer_size", 0},
                                                                       {"flags", link_enabled | no_atomics}});
}

void write_host(const fs::path& node, unsigned gpus) {
  put_file(node / "gpu_id", "0\n");
  put_file(node / "name", "\n");
  put_file(node / "properties", {{"cpu_cores_count", 1},
                                 {"simd_count", 0},
                                 {"mem_banks_count", 1},
                                 {"caches_count", 0},
                                 {"io_links_count", gpus},
                                 {"cpu_core_id_base", 0},
                                 {"simd_id_base", 0},
                                 {"max_waves_per_simd", 0},
                                 {"lds_size_in_kb", 0},
                                 {"gds_size_in_kb", 0},
                                 {"num_gws", 0},
                                 {"wave_front_size", 0},
                                 {"array_count", 0},
                                 {"simd_arrays_per_engine", 0},
                                 {"cu_per_simd_array", 0},
                                 {"simd_per_cu", 0},
                                 {"max_slots_scratch_cu", 0},
                                 {"gfx_target_version", 0},
                                 {"vendor_id", 0},
                                 {"device_id", 0},
                                 {"location_id", 0},
                                 {"domain", 0},
                                 {"drm_render_minor", 0},
                                 {"hive_id", 0},
                                 {"num_sdma_engines", 0},
                                 {"num_sdma_xgmi_engines", 0},
                                 {"num_sdma_queues_per_engine", 0},
                                 {"num_cp_queues", 0},
                                 {"max_engine_clk_ccompute", 2000}});
  put_file(node / "mem_banks/0/properties",
           {{"heap_type", heap_system}, {"size_in_bytes", host_memory}, {"flags", 0}, {"width", 64}, {"mem_clk_max", 1600}});
  for (unsigned n = 0; n < gpus; n++) write_link(node, n, 0, n + 1);
}

void write_gpu(const fs::path& node, const gpu::Chip& chip, unsigned device, unsigned number) {
  const KfdFacts& facts = *kfd_facts(chip);
  const KfdSaveSizes save = kfd_save_sizes(facts, chip);
  const uint64_t units = kfd_units(chip), simds = facts.simds;
  put_file(node / "gpu_id", fmt::format("{}\n", kfd_gpu_id(device)));
  // (amdgpu_asic_name, in small letters)
  put_file(node / "name", facts.discovered ? "ip discovery\n" : fmt::format("{}\n", chip.name));
  put_file(node / "properties", {{"cpu_cores_count", 0},
                                 {"simd_count", units * simds},
                                 {"mem_banks_count", 1},
                                 {"caches_count", units},
                                 {"io_links_count", 1},
                                 {"cpu_core_id_base", 0},
                                 {"simd_id_base", no_processor + uint64_t(device) * units * simds},
                                 {"max_waves_per_simd", facts.waves},
                                 {"lds_size_in_kb", 64},
                                 {"gds_size_in_kb", 0},
                                 {"num_gws", 0},
                                 {"wave_front_size", chip.amdgpu.wave_lanes},
                                 {"array_count", uint64_t(chip.shader_engines) * chip.shader_arrays},
                                 {"simd_arrays_per_engine", chip.shader_arrays},
                                 {"cu_per_simd_array", chip.compute_units},
                                 {"simd_per_cu", simds},
                                 {"max_slots_scratch_cu", 32},
                                 {"gfx_target_version", facts.target},
                                 {"vendor_id", chip.pci_vendor},
                                 {"device_id", chip.pci_device},
                                 {"location_id", (uint64_t(device) + 1) << 8},  // bus, device, function, as in pci_slots
                                 {"domain", 0xa701},
                                 {"drm_render_minor", uint64_t(render_minor) + device},
                                 {"hive_id", 0},
                                 {"num_sdma_engines", kfd_copy_engines},
                                 {"num_sdma_xgmi_engines", 0},
                                 {"num_sdma_queues_per_engine", facts.copy_queues},
                                 {"num_cp_queues", facts.compute_queues(chip)},
                                 {"cwsr_size", save.all},
                                 {"ctl_stack_size", save.control},
                                 {"max_engine_clk_fcompute", chip.engine_clock / 1000},
                                 {"local_mem_size", 0},
                                 {"fw_version", chip.amdgpu.mec.version},
                                 // HSA_CAP_DOORBELL_TYPE: of the first kind, before 1.0, or 2.0; no watch points, no SVM
                                 {"capability", facts.discovered ? uint64_t(2) << 12 : 0},
                                 {"debug_prop", 0},
                                 {"sdma_fw_version", chip.amdgpu.sdma.version},
                                 {"unique_id", 0},
                                 {"num_xcc", 1},
                                 {"max_engine_clk_ccompute", 2000}});
  put_file(node / "mem_banks/0/properties", {{"heap_type", heap_public},
                                             {"size_in_bytes", chip.vram_bytes},
                                             {"flags", 0},
                                             {"width", chip.memory_bits},
                                             {"mem_clk_max", chip.memory_clock / 1000}});
  for (uint64_t n = 0; n < units; n++)
    put_file(
        node / "caches" / std::to_string(n) / "properties",
        fmt::format("processor_id_low {}\nlevel 1\nsize {}\ncache_line_size 64\ncache_lines_per_tag 1\nassociation 4\nlatency 0\n"
                    "type {}\nsibling_map 1\n",
                    no_processor + n * simds, facts.cache_kib, cache_data | cache_units));
  write_link(node, 0, number, 0);
}

// Invents a cache of the host's first processor if the machine tells none, as virtual ones do: libhsakmt 5.2.3 ends without any.
void write_host_cache(const fs::path& root) {
  for (const char* place : {"sys/devices/system/cpu/cpu0/cache", "sys/devices/system/node/node0/cpu0/cache"}) {
    const fs::path cache = root / place / "index0";
    constexpr struct {
      const char *name, *text;
    } files[] = {{"level", "1"},
                 {"type", "Data"},
                 {"size", "32K"},
                 {"coherency_line_size", "64"},
                 {"number_of_sets", "64"},
                 {"ways_of_associativity", "8"},
                 {"physical_line_partition", "1"},
                 {"shared_cpu_map", "1"},
                 {"shared_cpu_list", "0"},
                 {"id", "0"}};
    for (auto& file : files) put_file(cache / file.name, fmt::format("{}\n", file.text));
  }
}

}  // namespace

void write_kfd_tree(const fs::path& root, std::span<const gpu::Chip* const> chips) {
  std::vector<unsigned> known;
  for (size_t n = 0; n < chips.size(); n++)
    if (kfd_facts(*chips[n])) known.push_back(unsigned(n));
  if (known.empty()) return;
  const fs::path device = root / "sys/devices/virtual/kfd/kfd", topology = device / "topology";
  put_file(topology / "generation_id", "2\n");
  put_file(topology / "system_properties", "platform_oem 0\nplatform_id 0\nplatform_rev 0\n");
  write_host(topology / "nodes/0", unsigned(known.size()));
  for (size_t n = 0; n < known.size(); n++)
    write_gpu(topology / "nodes" / std::to_string(n + 1), *chips[known[n]], known[n], unsigned(n + 1));
  put_file(device / "dev", fmt::format("{}:0\n", kfd_major));
  put_file(device / "uevent", fmt::format("MAJOR={}\nMINOR=0\nDEVNAME=kfd\n", kfd_major));
  fs::create_directories(root / "sys/class/kfd");
  fs::create_symlink(device.lexically_relative(root / "sys/class/kfd"), root / "sys/class/kfd/kfd");
  fs::create_directories(root / "sys/dev/char");
  fs::create_symlink(device.lexically_relative(root / "sys/dev/char"), root / "sys/dev/char" / fmt::format("{}:0", kfd_major));
  // How rocminfo finds out that there is a driver at all: as lsmod does (kmod 30, libkmod-module.c).
  put_file(root / "proc/modules", "amdgpu 9000000 1 - Live 0x0000000000000000\n");
  put_file(root / "sys/module/amdgpu/initstate", "live\n");
  put_file(root / "sys/module/amdgpu/coresize", "9000000\n");
  put_file(root / "sys/module/amdgpu/refcnt", "1\n");
  fs::create_directories(root / "sys/module/amdgpu/holders");
  write_host_cache(root);
  put_file(root / "dev/kfd", "");  // the preloaded library recognises it by its inode
}

}  // namespace Atoll::drm
