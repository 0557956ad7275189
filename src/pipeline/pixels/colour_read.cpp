// Colours that stand in the targets, for stages that read them there (render target reads, as OpenGL's framebuffer fetch makes them).
#include "pipeline/pixels/pixel_work.h"
#include "surface/texel.h"

namespace Atoll::pipeline::ATOLL_LEVEL {

void read_colours(Tile& tile, uint8_t targets, unsigned sample) {
  const PixelBatch& batch = tile.batch;
  for (unsigned n = 0; n < 8; n++) {
    if (!(targets >> n & 1)) continue;
    auto& colour = tile.results.colour[n];
    if (n >= tile.colours || !tile.colour[n].target) {
      for (auto& component : colour) component.fill(0);
      continue;
    }
    const surface::Format& format = tile.constants->draw->targets.colour[n].format;
    const ColourBlocks& blocks = tile.colour[n];
    const unsigned from = sample < blocks.samples ? sample : 0;
    for (unsigned q = 0; q < batch.quads; q++) {
      const unsigned block = tile.place[q] / quads_in_block, quad = tile.place[q] % quads_in_block;
      const uint8_t* texels = tile.present_colour(n, block) + (from * pixels_in_block + quad * 4) * size_t(blocks.texel_bytes);
      surface::Colour read[4];
      surface::read_row(format, texels, 4, read);
      for (unsigned lane = 0; lane < 4; lane++)
        for (unsigned c = 0; c < 4; c++) colour[c][4 * q + lane] = read[lane][c];
    }
  }
}

}  // namespace Atoll::pipeline::ATOLL_LEVEL
