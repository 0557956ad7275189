// From what lanes export, a row of them for each component, to the vectors of four components that vertices have.
#pragma once
#include <algorithm>
#include <cstring>

namespace Atoll::gpu::amd {

typedef float f32x4 __attribute__((vector_size(16)));

// Calls put(lane, vector) for the first `count` lanes with what they have of four channels, of whose lanes a multiple of four are
// readable.
template <class Put>
void each_vector(const float* const (&channel)[4], unsigned count, Put put) {
  for (unsigned lane = 0; lane < count; lane += 4) {
    f32x4 row[4];
    for (unsigned c = 0; c < 4; c++) std::memcpy(&row[c], channel[c] + lane, sizeof row[c]);
    const f32x4 xy_low = __builtin_shufflevector(row[0], row[1], 0, 4, 1, 5),
                xy_high = __builtin_shufflevector(row[0], row[1], 2, 6, 3, 7);
    const f32x4 zw_low = __builtin_shufflevector(row[2], row[3], 0, 4, 1, 5),
                zw_high = __builtin_shufflevector(row[2], row[3], 2, 6, 3, 7);
    const f32x4 vector[4] = {
        __builtin_shufflevector(xy_low, zw_low, 0, 1, 4, 5), __builtin_shufflevector(xy_low, zw_low, 2, 3, 6, 7),
        __builtin_shufflevector(xy_high, zw_high, 0, 1, 4, 5), __builtin_shufflevector(xy_high, zw_high, 2, 3, 6, 7)};
    for (unsigned n = 0; n < std::min(4u, count - lane); n++) put(lane + n, vector[n]);
  }
}

}  // namespace Atoll::gpu::amd
