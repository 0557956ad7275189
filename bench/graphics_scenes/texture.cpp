#include "texture.h"

#include <cstddef>

namespace scenes {

std::vector<std::vector<uint8_t>> texture_levels() {
  std::vector<uint8_t> level(size_t(texture_size) * texture_size * 4);
  for (int y = 0; y < texture_size; y++)
    for (int x = 0; x < texture_size; x++) {
      uint8_t* texel = &level[(size_t(y) * texture_size + size_t(x)) * 4];
      texel[0] = uint8_t(x / 2);
      texel[1] = uint8_t(y / 2);
      texel[2] = (x / 32 + y / 32) % 2 ? 200 : 60;
      texel[3] = 255;
    }
  std::vector<std::vector<uint8_t>> levels;
  for (int side = texture_size; side > 0; side /= 2) {
    levels.push_back(level);
    std::vector<uint8_t> next(size_t(side / 2) * size_t(side / 2) * 4);
    for (size_t n = 0; n < next.size(); n++) {
      size_t row = size_t(side) * 4, at = n / 4 / size_t(side / 2) * 2 * row + n / 4 % size_t(side / 2) * 8 + n % 4;
      next[n] = uint8_t((level[at] + level[at + 4] + level[at + row] + level[at + row + 4] + 2) / 4);
    }
    level = next;
  }
  return levels;
}

}  // namespace scenes
