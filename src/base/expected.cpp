#include "base/expected.h"

#include <cstdio>
#include <cstdlib>

namespace Atoll {

void broken_promise(const char* what, const char* file, int line) {
  std::fprintf(stderr, "atoll: internal error at %s:%d: %s\n", file, line, what);
  std::abort();
}

}  // namespace Atoll
