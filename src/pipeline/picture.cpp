#include "pipeline/picture.h"

#include <bit>

#include "surface/texel.h"

namespace Atoll::pipeline {

std::vector<uint8_t> rgba8_of(const ColourTarget& colour, unsigned width, unsigned height, unsigned layer) {
  std::vector<uint8_t> picture(size_t(width) * height * 4);
  if (!colour.target) return picture;
  // Samples of a pixel follow those of all pixels: 16 is the most there can be.
  std::vector<uint8_t> texels(size_t(16) * block_size * block_size * colour.texel_bytes);
  bool integer = surface::is_integer(colour.format.number), srgb = colour.format.number == surface::Number::srgb;
  for (unsigned by = 0; by < (height + block_size - 1) / block_size; by++)
    for (unsigned bx = 0; bx < (width + block_size - 1) / block_size; bx++) {
      colour.target->load(bx, by, layer, texels.data());
      for (unsigned n = 0; n < block_size * block_size; n++) {
        unsigned x = bx * block_size + x_in_block(n), y = by * block_size + y_in_block(n);
        if (x >= width || y >= height) continue;
        surface::Colour c = surface::read_texel(colour.format, texels.data() + size_t(n) * colour.texel_bytes);
        for (unsigned k = 0; k < 4; k++) {
          float value = std::bit_cast<float>(c[k]);
          picture[(size_t(y) * width + x) * 4 + k] = integer         ? uint8_t(c[k])
                                                     : srgb && k < 3 ? surface::to_srgb8(value)
                                                                     : uint8_t(surface::to_unorm(value, 8));
        }
      }
    }
  return picture;
}

}  // namespace Atoll::pipeline
