// Draws through LS and HS, with or without ES and GS, with programs, tessellation factors, ring sizes and patch shapes of any
// kind: the stream ends or its context is lost with a report, and nothing outside of the address space is touched.
#include "sea_islands_stages.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace Atoll::sea_islands::fuzz;
  static World& world = *new World(30);
  if (size < 1) return 0;
  run_stages(world, {data + 1, size - 1}, {.tessellation = true, .geometry = data[0] % 4 == 0});
  return 0;
}
