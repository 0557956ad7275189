#include "cli/gpu_names.h"

#include <algorithm>

namespace Atoll::cli {

const std::vector<GpuName>& gpu_names() {
  static constexpr std::string_view code_objects = "launch: HSA code objects of clang (OpenCL C, HIP, C++)";
  static constexpr std::string_view clang = "clang/LLVM 19 code objects";
  static constexpr std::string_view radeonsi = "Mesa radeonsi (OpenGL 4.6), RADV (Vulkan 1.3), clover (OpenCL 1.1)";
  static constexpr std::string_view r300g = "Mesa r300g (OpenGL 2.1, GLES 2)";
  static constexpr std::string_view run_radeonsi = "run: Mesa radeonsi (OpenGL 4.6)";
  static constexpr std::string_view run_r300g = "run: Mesa r300g (OpenGL 2.1, GLES 2)";
  static constexpr std::string_view intel = "Intel NEO (OpenCL), Mesa iris (OpenGL), anv (Vulkan)";
  static const std::vector<GpuName> names = {
      {"gfx1200", "RDNA4", {"gfx1200"}, {"gfx1200"}, {code_objects}, clang},
      {"gfx1201", "RDNA4", {"gfx1201"}, {"gfx1201"}, {code_objects}, clang},
      {"bonaire", "Sea Islands", {"gfx7"}, {"gfx704"}, {code_objects, run_radeonsi}, radeonsi},
      {"hawaii", "Sea Islands", {"gfx7"}, {"gfx701", "gfx702"}, {code_objects, run_radeonsi}, radeonsi},
      {"kaveri", "Sea Islands", {"gfx7"}, {"gfx700"}, {code_objects, run_radeonsi}, radeonsi},
      {"kabini", "Sea Islands", {"gfx7"}, {"gfx703", "gfx705"}, {code_objects, run_radeonsi}, radeonsi},
      {"rv515", "R5xx", {"r500-vs", "r500-fs"}, {}, {run_r300g}, r300g},
      {"r520", "R5xx", {"r500-vs", "r500-fs"}, {}, {run_r300g}, r300g},
      {"rv530", "R5xx", {"r500-vs", "r500-fs"}, {}, {run_r300g}, r300g},
      {"r580", "R5xx", {"r500-vs", "r500-fs"}, {}, {run_r300g}, r300g},
      {"dg1", "Xe-LP", {"xe-lp"}, {}, {}, intel},
  };
  return names;
}

const GpuName* find_gpu(std::string_view name) {
  auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c; };
  for (auto& gpu : gpu_names())
    if (std::equal(gpu.name.begin(), gpu.name.end(), name.begin(), name.end(), [&](char a, char b) { return a == lower(b); }))
      return &gpu;
  return nullptr;
}

const GpuName* find_gpu_of_processor(std::string_view processor) {
  for (auto& gpu : gpu_names())
    if (std::find(gpu.processors.begin(), gpu.processors.end(), processor) != gpu.processors.end()) return &gpu;
  return nullptr;
}

namespace {
std::string list_of(bool (*wanted)(const GpuName&)) {
  std::string list;
  for (auto& gpu : gpu_names())
    if (wanted(gpu)) list += (list.empty() ? "" : ", ") + std::string(gpu.name);
  return list;
}
}  // namespace

std::string gpu_list() {
  return list_of([](const GpuName&) { return true; });
}
std::string launch_gpu_list() {
  return list_of([](const GpuName& gpu) { return !gpu.processors.empty(); });
}

}  // namespace Atoll::cli
