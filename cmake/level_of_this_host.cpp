// For cmake/levels.cmake (ATOLL_LEVELS=host): prints the best level whose code this machine can run.
#include <cstdio>

#include "base/host_features.h"

int main() {
  const int version = Atoll::best_version(Atoll::features_of_host());
  std::fputs(version == 4 ? "avx512" : version == 3 ? "avx2" : "baseline", stdout);
}
