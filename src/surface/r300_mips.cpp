#include "surface/r300_mips.h"

#include <algorithm>
#include <bit>

namespace Atoll::surface {

namespace {

unsigned round_up(unsigned value, unsigned multiple) { return (value + multiple - 1) / multiple * multiple; }

}  // namespace

Expected<std::vector<R300Level>> mip_levels(const R300Texture& texture) {
  constexpr unsigned largest = 1u << 13;
  auto sized = [](unsigned v) { return v >= 1 && v <= largest; };
  if (!sized(texture.width) || !sized(texture.height) || !sized(texture.slices) || texture.pitch > largest)
    return fail("a texture of {} x {} x {} texels with a pitch of {}: 1 to {} are possible", texture.width, texture.height,
                texture.slices, texture.pitch, largest);
  if (!sized(texture.block_width) || !sized(texture.block_height))
    return fail("blocks of {} x {} texels", texture.block_width, texture.block_height);
  if (texture.levels < 1 || texture.levels > 14) return fail("{} mip levels: 1 to 14 are possible", texture.levels);
  auto micro_tile = r300_tile(texture.element_bytes, texture.micro, false);
  if (!micro_tile) return std::unexpected(micro_tile.error());
  auto macro_tile = r300_tile(texture.element_bytes, texture.micro, true);
  if (!macro_tile) return std::unexpected(macro_tile.error());

  // Chains, volumes and cubes have heights of powers of two.
  bool powers = texture.levels > 1 || texture.slices > 1;
  auto elements = [](unsigned texels, unsigned block) { return (texels + block - 1) / block; };
  std::vector<R300Level> levels;
  uint64_t end = 0;
  for (unsigned n = 0; n < texture.levels; n++) {
    unsigned width = std::max(1u, texture.width >> n), height = std::max(1u, texture.height >> n);
    auto fills = [&](unsigned texels, unsigned tile) { return texture.macro_ends_at_8 ? texels > tile : texels >= tile; };
    bool macro = texture.macro && (n == 0 || (fills(width, macro_tile->width) && fills(height, macro_tile->height)));
    const TileDimensions& tile = macro ? *macro_tile : *micro_tile;
    if (powers) height = std::bit_ceil(height);
    R300Level level;
    level.surface = {texture.element_bytes, round_up(elements(width, texture.block_width), tile.width), 0, texture.micro, macro};
    if (n == 0 && texture.pitch) level.surface.pitch = texture.pitch;
    if (auto sound = check(level.surface); !sound) return std::unexpected(sound.error());
    level.height = round_up(elements(height, texture.block_height), tile.height);
    level.slices = texture.volume ? std::max(1u, texture.slices >> n) : texture.slices;
    level.surface.slice_bytes = uint64_t(level.surface.pitch) * level.height * texture.element_bytes;
    level.offset = end;
    end += level.surface.slice_bytes * level.slices;
    levels.push_back(level);
  }
  return levels;
}

}  // namespace Atoll::surface
