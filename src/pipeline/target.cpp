#include "pipeline/target.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <type_traits>
#include <vector>

#include "pipeline/block_pixels.h"

namespace Atoll::pipeline {

void change_block(uint8_t* texels, const PixelChange& change, bool keeps) {
  // Texels have 1, 2, 4, 8 or 16 bytes.
  typedef uint8_t u8x16 __attribute__((vector_size(16)));
  const size_t bytes = change.texel_bytes();
  for (unsigned s = 0; s < change.samples; s++) {
    u8x16 keep, flip;
    for (size_t n = 0; n < sizeof keep; n++) {
      keep[n] = change.keep[s * bytes + n % bytes];
      flip[n] = change.flip[s * bytes + n % bytes];
    }
    for (uint8_t* end = texels + bytes * pixels_in_block; texels != end; texels += sizeof keep) {
      u8x16 v = {};
      if (keeps) std::memcpy(&v, texels, sizeof v);
      v = (v & keep) ^ flip;
      std::memcpy(texels, &v, sizeof v);
    }
  }
}

void change_pixels(uint8_t* texels, uint64_t pixels, const PixelChange& change) {
  const size_t bytes = change.texel_bytes(), plane = bytes * pixels_in_block;
  alignas(64) uint8_t changed[pixels_in_block * max_samples * max_texel_bytes];
  std::memcpy(changed, texels, plane * change.samples);
  change_block(changed, change, change.keeps());
  auto put = [&](auto size) {
    for (unsigned s = 0; s < change.samples; s++)
      for (uint64_t left = pixels; left; left &= left - 1) {
        const size_t at = s * plane + unsigned(std::countr_zero(left)) * size;
        std::memcpy(texels + at, changed + at, size);
      }
  };
  if (bytes == 4)
    put(std::integral_constant<size_t, 4>{});
  else
    put(bytes);
}

void Target::fill_area(const Rectangle& area, unsigned layer, const PixelChange& change) {
  constexpr int size = int(block_size);
  const size_t bytes = change.texel_bytes();
  const bool keeps = change.keeps();
  std::vector<uint8_t> texels(bytes * block_size * block_size * change.samples);
  const int left = std::max(area.left, 0), top = std::max(area.top, 0);
  for (int y = top / size * size; y < area.bottom; y += size)
    for (int x = left / size * size; x < area.right; x += size) {
      const uint64_t pixels = pixels_inside(area, x, y);
      const bool whole = pixels == ~uint64_t(0);
      if (!whole || keeps) load(unsigned(x / size), unsigned(y / size), layer, texels.data());
      if (whole)
        change_block(texels.data(), change, keeps);
      else
        change_pixels(texels.data(), pixels, change);
      store(unsigned(x / size), unsigned(y / size), layer, texels.data());
    }
}

void Target::store_depths(unsigned x, unsigned y, unsigned layer, const uint8_t* texels, unsigned samples) {
  std::vector<uint8_t> words(size_t(pixels_in_block) * samples * 4);
  load(x, y, layer, words.data());
  for (size_t n = 0; n < words.size(); n += 4) std::copy_n(texels + n, 3, words.data() + n);
  store(x, y, layer, words.data());
}

}  // namespace Atoll::pipeline
