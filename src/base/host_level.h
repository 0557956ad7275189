// The host levels for which the work on lanes and pixels is compiled (cmake/levels.cmake), each into a namespace of its own, and
// the choice between them. A build has all three or one (ATOLL_ONLY_LEVEL: the fuzzers').
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/built_levels.h"

namespace Atoll {

enum class HostLevel : uint8_t { Baseline, Avx2, Avx512 };

// As ATOLL_LEVEL has it.
std::string_view name_of(HostLevel level);

// The best level of this host that was built; ATOLL_LEVEL=baseline|avx2|avx512 in the environment lowers it (for tests).
HostLevel host_level();

// The best whose code this host can run, whatever was built and asked for.
HostLevel best_host_level();
// The features that the host lacks for a level's code, by the names that compilers have for it (base/host_features.h).
std::vector<std::string_view> lacking_for(HostLevel level);

// The level above best_host_level(), for which this host lacks something; nullopt where that is the best of all.
std::optional<HostLevel> next_host_level();

// Why this host cannot run the one level that was built, as a sentence; empty: it can.
std::string host_level_problem();

// The one of three that host_level() names.
template <class T>
T& at_host_level(T& baseline, T& avx2, T& avx512) {
  return host_level() == HostLevel::Avx512 ? avx512 : host_level() == HostLevel::Avx2 ? avx2 : baseline;
}

// ATOLL_IN_LEVELS(declarations): the same declarations in each level's namespace.
// ATOLL_AT_LEVEL(name): the function or object `name` of the level in use.
#ifdef ATOLL_ONLY_LEVEL
#define ATOLL_IN_LEVELS(...)   \
  namespace ATOLL_ONLY_LEVEL { \
  __VA_ARGS__                  \
  }
#define ATOLL_AT_LEVEL(name) (ATOLL_ONLY_LEVEL::name)
#else
#define ATOLL_IN_LEVELS(...) \
  namespace baseline {       \
  __VA_ARGS__                \
  }                          \
  namespace avx2 {           \
  __VA_ARGS__                \
  }                          \
  namespace avx512 {         \
  __VA_ARGS__                \
  }
#define ATOLL_AT_LEVEL(name) (::Atoll::at_host_level(baseline::name, avx2::name, avx512::name))
#endif

}  // namespace Atoll
