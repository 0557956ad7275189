#include "pipeline/target.h"

#include <algorithm>
#include <vector>

namespace Atoll::pipeline {

void Target::fill_area(const Rectangle& area, unsigned layer, const PixelChange& change) {
  constexpr int size = int(block_size);
  const size_t bytes = change.texel_bytes();
  std::vector<uint8_t> texels(bytes * block_size * block_size * change.samples);
  const int left = std::max(area.left, 0), top = std::max(area.top, 0);
  for (int y = top / size * size; y < area.bottom; y += size)
    for (int x = left / size * size; x < area.right; x += size) {
      load(unsigned(x / size), unsigned(y / size), layer, texels.data());
      for (unsigned s = 0; s < change.samples; s++)
        for (int py = std::max(y, top); py < std::min(y + size, area.bottom); py++)
          for (int px = std::max(x, left); px < std::min(x + size, area.right); px++) {
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
