// Functions of the library or program that opened the code generator, for it to call. It gets them as pointers: the linker could
// give it only what the whole process sees, and libatoll.so is opened for itself alone in other people's processes.
#pragma once
#include <string>
#include <string_view>

#include "memory/guarded_call.h"
#include "wave/interpreter/level.h"
#include "wave/jit/called_floats.h"
#include "wave/jit/compiler.h"

namespace Atoll::wave {

struct HostFunctions {
  // For code to call (compiler.h).
  void (*call_step)(Wave& wave, uint64_t pc, const FloatMode& mode);
  const SampledTexture* (*find_texture)(Wave& wave, const TextureAccess& access, const uint32_t* words);
  const void* (*called_for_lanes)(LaneCall call, unsigned lanes);
  // For the code generator.
  std::string (*symbol_of)(const void* address);
  Level (*host_level)();
  const LevelEntries& (*level_entries)();
  std::string_view (*environment_text)(std::string_view name);
  bool (*environment_flag)(std::string_view name);
  void (*broken_promise)(const char* what, const char* file, int line);
  std::string (*guarded_call)(void (*body)(void* data), void* data, const void* library, const GuardedCallLimits& limits);
};

// In the code generator: its calls of these functions go there from now on.
void set_host_functions(const HostFunctions& host);
const HostFunctions& host_functions();

}  // namespace Atoll::wave
