// In the code generator only: the functions of its opener under their own names.
#include "wave/jit/host_functions.h"

#include <cstdlib>

#include "base/environment.h"
#include "base/expected.h"
#include "wave/jit/called_floats.h"
#include "wave/jit/own_image.h"

namespace Atoll {
namespace wave {
namespace {
HostFunctions opener;
}

void set_host_functions(const HostFunctions& host) { opener = host; }
const HostFunctions& host_functions() { return opener; }
const void* called_for_lanes(LaneCall call, unsigned lanes) { return opener.called_for_lanes(call, lanes); }
std::string symbol_of(const void* address) { return opener.symbol_of(address); }
Level host_level() { return opener.host_level(); }
const LevelEntries& level_entries() { return opener.level_entries(); }

}  // namespace wave

std::string_view environment_text(std::string_view name) { return wave::opener.environment_text(name); }
bool environment_flag(std::string_view name) { return wave::opener.environment_flag(name); }

std::string guarded_call(void (*body)(void* data), void* data, const void* library, const GuardedCallLimits& limits) {
  return wave::opener.guarded_call(body, data, library, limits);
}

void broken_promise(const char* what, const char* file, int line) {
  wave::opener.broken_promise(what, file, line);
  std::abort();
}

}  // namespace Atoll
