#include "surface/banked_mips.h"

#include <algorithm>
#include <bit>

namespace Atoll::surface {

namespace {

constexpr unsigned largest = 1u << 16;  // texels an edge; no GPU of the kind has more than 2^14

uint64_t round_up(uint64_t value, uint64_t multiple) { return (value + multiple - 1) / multiple * multiple; }

unsigned tile_bytes(const BankedSurface& s) {
  unsigned bytes = 64 * row(s.tiling.arrangement).thickness * s.element_bytes * s.samples;
  return std::min(bytes, s.tiling.tile_split_bytes);
}

// Levels smaller than a macro tile, or whose part in a pipe or bank is smaller than the pipe's interleave, have micro tiles. Thick
// ones stay thick however few slices are left of them (Mesa 25.0.7 ciaddrlib.cpp, HwlDegradeThickTileMode; the generation before
// makes them thin).
Arrangement arrangement_of_level(const BankedSurface& s) {
  const BankedTiling& t = s.tiling;
  const Arrangement arrangement = t.arrangement;
  if (!row(arrangement).macro) return arrangement;
  MacroTile macro = macro_tile(t);
  bool small = s.pitch < macro.width || s.height < macro.height;
  if (row(arrangement).thickness > 1) return small ? Arrangement::micro_thick : arrangement;
  unsigned bytes = tile_bytes(s);
  small |= t.pipe_interleave_bytes > bytes * pipes(t.pipe_config) * t.bank_width * t.macro_aspect;
  small |= t.pipe_interleave_bytes > bytes * t.bank_width * t.bank_height;
  return small ? Arrangement::micro_thin : arrangement;
}

// Pitch and height as the tiles want them; slices of micro tiled and linear surfaces fill whole interleaves.
void pad(BankedSurface& s) {
  unsigned interleave = s.tiling.pipe_interleave_bytes;
  if (s.tiling.arrangement == Arrangement::linear) {
    unsigned step = std::max(8u, 64 / s.element_bytes);
    s.pitch = unsigned(round_up(s.pitch, step));
    unsigned whole = std::max(64u, interleave / s.element_bytes);
    while (uint64_t(s.pitch) * s.height % whole) s.pitch += step;
    return;
  }
  MacroTile tile = macro_tile(s.tiling);
  s.pitch = unsigned(round_up(s.pitch, tile.width));
  s.height = unsigned(round_up(s.height, tile.height));
  if (row(s.tiling.arrangement).macro) return;
  while (slice_bytes(s) * row(s.tiling.arrangement).thickness % interleave) s.pitch += 8;
}

}  // namespace

uint64_t base_alignment(const BankedSurface& s) {
  const BankedTiling& t = s.tiling;
  if (t.arrangement == Arrangement::linear || !row(t.arrangement).macro) return t.pipe_interleave_bytes;
  return uint64_t(pipes(t.pipe_config)) * t.bank_width * t.banks * t.bank_height * tile_bytes(s);
}

Expected<std::vector<BankedLevel>> mip_levels(const BankedTexture& texture) {
  auto sized = [](unsigned v) { return v >= 1 && v <= largest; };
  if (!sized(texture.width) || !sized(texture.height) || !sized(texture.slices) || texture.pitch > largest)
    return fail("a texture of {} x {} x {} texels with a pitch of {}: 1 to {} are possible", texture.width, texture.height,
                texture.slices, texture.pitch, largest);
  if (texture.levels < 1 || texture.levels > 17) return fail("{} mip levels: 1 to 17 are possible", texture.levels);
  if (!sized(texture.block_width) || !sized(texture.block_height))
    return fail("blocks of {} x {} texels", texture.block_width, texture.block_height);
  if (texture.levels > 1 && texture.samples > 1) return fail("{} mip levels with {} samples", texture.levels, texture.samples);
  unsigned interleave = texture.tiling.pipe_interleave_bytes;
  if (interleave < 64 || interleave > 4096 || !std::has_single_bit(interleave))
    return fail("a pipe interleave of {} bytes", interleave);
  // One macro tile is checked in place of the surface, whose size is yet to be found.
  MacroTile tile = int(texture.tiling.arrangement) < arrangement_count && int(texture.tiling.pipe_config) < pipe_config_count &&
                           texture.tiling.macro_aspect != 0
                       ? macro_tile(texture.tiling)
                       : MacroTile{1, 1};
  if (auto sound = check(BankedSurface{texture.tiling, texture.element_bytes, tile.width, tile.height, texture.samples}); !sound)
    return std::unexpected(sound.error());

  bool chain = texture.levels > 1;
  auto elements = [](unsigned texels, unsigned block) { return (texels + block - 1) / block; };
  std::vector<BankedLevel> levels;
  uint64_t end = 0;
  for (unsigned n = 0; n < texture.levels; n++) {
    BankedSurface s{texture.tiling, texture.element_bytes, 0, 0, texture.samples};
    // Below the base level the width comes from its pitch.
    if (n == 0)
      s.pitch = texture.pitch ? texture.pitch : elements(texture.width, texture.block_width);
    else
      s.pitch = elements(std::max(1u, levels[0].surface.pitch * texture.block_width >> n), texture.block_width);
    s.height = elements(std::max(1u, texture.height >> n), texture.block_height);
    unsigned slices = texture.volume ? std::max(1u, texture.slices >> n) : texture.slices;
    if (chain) {
      s.pitch = std::bit_ceil(s.pitch);
      s.height = std::bit_ceil(s.height);
      slices = std::bit_ceil(slices);
    }
    if (n > 0 && s.tiling.arrangement != Arrangement::linear) s.tiling.arrangement = arrangement_of_level(s);
    pad(s);
    slices = unsigned(round_up(slices, row(s.tiling.arrangement).thickness));
    BankedLevel level{s, round_up(end, base_alignment(s)), slices, slice_bytes(s)};
    end = level.offset + level.bytes_per_slice * slices;
    levels.push_back(level);
  }
  return levels;
}

}  // namespace Atoll::surface
