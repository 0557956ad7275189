#include "gpu/sea_islands/draw/resolve.h"

#include <bit>

#include "surface/texel.h"

namespace Atoll::sea_islands {

bool resolve(RegisterContext& context, const ColourSurface& from, const ColourSurface& to, unsigned width, unsigned height) {
  context.write_back_targets();
  TiledBlocks &source = *from.blocks, &target = *to.blocks;
  constexpr unsigned pixels = block_size * block_size;
  std::vector<uint8_t> in(size_t(source.samples) * pixels * source.texel_bytes),
      out(size_t(target.samples) * pixels * target.texel_bytes);
  bool integer = surface::is_integer(from.format.number);
  width = std::min({width, source.width, target.width}), height = std::min({height, source.height, target.height});
  for (unsigned layer = 0; layer < std::min(source.layers, target.layers); layer++)
    for (unsigned by = 0; by * block_size < height; by++) {
      if (!goes_on(context)) return false;
      for (unsigned bx = 0; bx * block_size < width; bx++) {
        source.load(bx, by, layer, in.data());
        target.load(bx, by, layer, out.data());
        for (unsigned p = 0; p < pixels; p++) {
          if (bx * block_size + pipeline::x_in_block(p) >= width || by * block_size + pipeline::y_in_block(p) >= height) continue;
          surface::Colour mean = surface::read_texel(from.format, &in[size_t(p) * source.texel_bytes]);
          if (!integer) {
            float sum[4] = {};
            for (unsigned s = 0; s < source.samples; s++) {
              surface::Colour c = surface::read_texel(from.format, &in[(size_t(s) * pixels + p) * source.texel_bytes]);
              for (unsigned k = 0; k < 4; k++) sum[k] += std::bit_cast<float>(c[k]);
            }
            for (unsigned k = 0; k < 4; k++) mean[k] = std::bit_cast<uint32_t>(sum[k] / float(source.samples));
          }
          for (unsigned s = 0; s < target.samples; s++)
            surface::write_texel(to.format, &out[(size_t(s) * pixels + p) * target.texel_bytes], mean);
        }
        target.store(bx, by, layer, out.data());
      }
    }
  return true;
}

}  // namespace Atoll::sea_islands
