#include "pipeline/target.h"

#include <algorithm>
#include <cstring>
#include <vector>

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

void Target::fill_area(const Rectangle& area, unsigned layer, const PixelChange& change) {
  constexpr int size = int(block_size);
  const size_t bytes = change.texel_bytes();
  const bool keeps = change.keeps();
  std::vector<uint8_t> texels(bytes * block_size * block_size * change.samples);
  const int left = std::max(area.left, 0), top = std::max(area.top, 0);
  for (int y = top / size * size; y < area.bottom; y += size)
    for (int x = left / size * size; x < area.right; x += size) {
      const Rectangle here{std::max(x, left), std::max(y, top), std::min(x + size, area.right), std::min(y + size, area.bottom)};
      const bool whole = here == Rectangle{x, y, x + size, y + size};
      if (!whole || keeps) load(unsigned(x / size), unsigned(y / size), layer, texels.data());
      if (whole) change_block(texels.data(), change, keeps);
      for (unsigned s = 0; !whole && s < change.samples; s++)
        for (int py = here.top; py < here.bottom; py++)
          for (int px = here.left; px < here.right; px++) {
            uint8_t* texel =
                texels.data() + (size_t(s) * pixels_in_block + number_in_block(unsigned(px - x), unsigned(py - y))) * bytes;
            for (size_t n = 0; n < bytes; n++)
              texel[n] = uint8_t((texel[n] & change.keep[s * bytes + n]) ^ change.flip[s * bytes + n]);
          }
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
