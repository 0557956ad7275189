// The counts of a queue that events write. Mesa 22.3.6 and 25.0.7 src/gallium/drivers/radeonsi/si_query.c,
// src/amd/vulkan/radv_query.c. `Context`: a queue's, with `counters` and `uncounted` (pipeline::Counters) and `dispatches`.
#pragma once
#include <array>
#include <cstdint>

namespace Atoll::gpu::amd {

inline constexpr uint64_t count_is_there = uint64_t(1) << 63;  // bit of a 64-bit count that says it was written

// A pair of counts for each render backend, of which one half is written: 16 bytes apart. The sum does not tell which backend
// counted which sample; here the first counts them all.
template <class Context>
void write_samples_passed(Context& c, uint64_t address) {
  for (unsigned backend = 0; backend < c.chip.render_backends; backend++) {
    const uint64_t count = count_is_there | (backend == 0 ? c.counters.samples_passed : 0);
    if (!c.write(address + backend * 16, &count, 8, "occlusion result")) return;
  }
}

// The invocations of compute shaders that began while statistics ran.
template <class Context>
uint64_t compute_invocations(const Context& c) {
  return c.dispatches.invocations - c.dispatches.uncounted;
}

// The eleven that every chip has, of draws and dispatches that began while statistics ran.
template <class Context>
std::array<uint64_t, 11> pipeline_statistics(const Context& c) {
  auto counted = [&](auto what) { return c.counters.*what - c.uncounted.*what; };
  using Counters = decltype(c.counters);
  return {counted(&Counters::pixel_invocations),
          counted(&Counters::clipped_primitives_out),
          counted(&Counters::clipped_primitives_in),
          counted(&Counters::vertex_invocations),
          counted(&Counters::geometry_invocations),
          counted(&Counters::geometry_primitives),
          counted(&Counters::primitives),
          counted(&Counters::vertices),
          counted(&Counters::hull_invocations),
          counted(&Counters::domain_invocations),
          compute_invocations(c)};
}

}  // namespace Atoll::gpu::amd
