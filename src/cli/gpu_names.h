// The emulated GPUs by name.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace Atoll::cli {

struct GpuName {
  std::string_view name, family;
  std::vector<std::string_view> isas;        // for --isa
  std::vector<std::string_view> processors;  // of the code objects that it runs, the compilers' usual one first; empty: none
  std::vector<std::string_view> driven_by;   // verbs and drivers that work today; empty: not there yet
  std::string_view planned;                  // what is to drive it
};

const std::vector<GpuName>& gpu_names();

// Upper and lower case are the same; null for an unknown name.
const GpuName* find_gpu(std::string_view name);
// The GPU that a code object's processor is; null: none here.
const GpuName* find_gpu_of_processor(std::string_view processor);

// "gfx1200, gfx1201, …"
std::string gpu_list();
// The same for those that run code objects.
std::string launch_gpu_list();

}  // namespace Atoll::cli
