// T#s and S#s of GFX12 from numbers, for tests: bits as the manual counts them (RDNA4 ISA 10.5, 10.6), SW_MODE where Mesa's
// gfx12-rsrc.json has it.
#pragma once
#include <array>
#include <cstdint>

#include "surface/hostile_access.h"

namespace Atoll::rdna4::test {

template <size_t Words>
void put_bits(std::array<uint32_t, Words>& words, unsigned high, unsigned low, uint64_t value) {
  for (unsigned bit = low; bit <= high; bit++) {
    uint32_t& word = words[bit / 32];
    word = (word & ~(1u << bit % 32)) | uint32_t(value >> (bit - low) & 1) << bit % 32;
  }
}

struct ImageNumbers {
  uint64_t address = 0;
  unsigned type = 9, format = 42, mode = 0;
  unsigned width = 1, height = 1, depth = 0;  // depth: the last slice, or the pitch - 1
  unsigned pitch_high = 0;
  unsigned base_level = 0, last_level = 0, max_mip = 0, base_array = 0;
  unsigned select[4] = {4, 5, 6, 7};
  unsigned uav3d = 0, min_lod = 0, min_lod_warning = 0, border_swizzle = 0;

  std::array<uint32_t, 8> words() const {
    std::array<uint32_t, 8> w{};
    put_bits(w, 39, 0, address >> 8);
    put_bits(w, 48, 44, max_mip), put_bits(w, 56, 49, format), put_bits(w, 61, 57, base_level);
    put_bits(w, 77, 62, width - 1), put_bits(w, 93, 78, height - 1);
    for (unsigned c = 0; c < 4; c++) put_bits(w, 98 + 3 * c, 96 + 3 * c, select[c]);
    put_bits(w, 115, 111, last_level), put_bits(w, 120, 116, mode), put_bits(w, 123, 121, border_swizzle);
    put_bits(w, 127, 124, type);
    put_bits(w, 141, 128, depth), put_bits(w, 143, 142, pitch_high), put_bits(w, 156, 144, base_array);
    put_bits(w, 164, 164, uav3d), put_bits(w, 177, 165, min_lod_warning), put_bits(w, 198, 186, min_lod);
    return w;
  }
};

inline std::array<uint32_t, 4> random_sampler(surface::test::Random& r) {
  std::array<uint32_t, 4> w{};
  constexpr uint32_t wraps[] = {0, 0, 1, 2, 2, 3, 4, 5, 6, 7};
  for (unsigned axis = 0; axis < 3; axis++) put_bits(w, 3 * axis + 2, 3 * axis, wraps[r.below(10)]);
  put_bits(w, 14, 12, r.below(8));
  put_bits(w, 15, 15, r.below(6) == 0), put_bits(w, 19, 19, r.below(8) == 0), put_bits(w, 20, 20, r.below(4) == 0);
  put_bits(w, 27, 27, r.below(4) == 0), put_bits(w, 28, 28, r.below(4) == 0), put_bits(w, 31, 31, r.below(5) == 0);
  put_bits(w, 44, 32, r.below(3) ? 0 : r.below(1024)), put_bits(w, 57, 45, r.below(3) ? 0x1fff : r.below(2048));
  put_bits(w, 77, 64, r.below(3) ? 0 : r.below(1 << 14));
  const uint32_t magnify = r.below(2);
  put_bits(w, 85, 84, magnify), put_bits(w, 87, 86, r.below(2) ? magnify : r.below(2));
  put_bits(w, 89, 88, r.below(3)), put_bits(w, 91, 90, r.below(3));
  put_bits(w, 127, 126, r.below(3));
  return w;
}

}  // namespace Atoll::rdna4::test
