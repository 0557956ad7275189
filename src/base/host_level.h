// The host levels for which the work on lanes and pixels is compiled (cmake/levels.cmake), each into a namespace of its own, and
// the choice between them. A build has all three or one (ATOLL_ONLY_LEVEL: the fuzzers').
#pragma once
#include <cstdint>

#include "base/built_levels.h"

namespace Atoll {

enum class HostLevel : uint8_t { Baseline, Avx2, Avx512 };

// The best level of this host that was built; ATOLL_LEVEL=baseline|avx2|avx512 in the environment lowers it (for tests).
HostLevel host_level();

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
