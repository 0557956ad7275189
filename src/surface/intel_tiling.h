// Tiles of 4 KiB as Intel's GPUs have had them from the i965 on: X tiles are 8 rows of 512 bytes, Y tiles 8 columns of 32 rows of 16
// bytes. Levels and slices stand in one picture of rows, a slice `slice_rows` below the one before. PRM volume 5, "Memory Layout",
// "Tile formats"; Mesa 22.3.6 isl.h (ISL_TILING_X, ISL_TILING_Y0, ISL_MSAA_LAYOUT_ARRAY).
#pragma once
#include <cstdint>

#include "base/expected.h"

namespace Atoll::surface {

enum class IntelTiling : uint8_t { x, y };

struct IntelSurface {
  IntelTiling tiling = IntelTiling::y;
  uint32_t pitch_bytes = 0;          // whole tiles
  uint32_t x_bytes = 0, y_rows = 0;  // where the level begins
  uint32_t slice_rows = 0;
  uint32_t samples = 1;  // of a texel, a slice each, one after the other
  // Samples stand between each other in one slice, as those of depth and stencil buffers do: squares of 2x2 texels, each as often as there
  // are samples.
  bool interleaved = false;
};

inline constexpr uint32_t intel_tile_bytes = 4096;
constexpr uint32_t tile_width(IntelTiling t) { return t == IntelTiling::x ? 512 : 128; }  // bytes
constexpr uint32_t tile_rows(IntelTiling t) { return intel_tile_bytes / tile_width(t); }
// Bytes from the start of a surface to the end of its last tile: of the last row of tiles those that its first columns reach into, for a
// level may begin at any tile (Mesa's copies give a level of blocks a surface that begins with the level's first tile).
constexpr uint64_t tiled_bytes(IntelTiling t, uint64_t pitch_bytes, uint64_t row_bytes, uint64_t rows) {
  const uint64_t down = (rows + tile_rows(t) - 1) / tile_rows(t), across = (row_bytes + tile_width(t) - 1) / tile_width(t);
  return down ? (down - 1) * tile_rows(t) * pitch_bytes + across * intel_tile_bytes : 0;
}

// The address of byte `x` of row `y` of the surface.
constexpr uint64_t address(const IntelSurface& s, uint64_t x, uint64_t y) {
  const uint32_t width = tile_width(s.tiling), rows = tile_rows(s.tiling);
  const uint64_t tile = y / rows * (s.pitch_bytes / width) + x / width;
  const uint64_t column = x % width, row = y % rows;
  const uint64_t inside = s.tiling == IntelTiling::x ? row * width + column : column / 16 * (rows * 16) + row * 16 + column % 16;
  return tile * intel_tile_bytes + inside;
}

// How many elements across and down a texel of interleaved samples takes. (Standard tiles have them as well: intel_standard_tiling.h.)
struct SampleGrid {
  uint32_t across = 1, down = 1;
};
template <class Surface>
constexpr SampleGrid sample_grid(const Surface& s) {
  if (!s.interleaved) return {};
  return {s.samples >= 8 ? 4u : s.samples >= 2 ? 2u : 1u, s.samples >= 16 ? 4u : s.samples >= 4 ? 2u : 1u};
}
// Sample `sample` of texel (x, y) among them: its number's bits stand above the lowest of x and y (PRM volume 5, "Interleaved
// Multisampled Surfaces"; Mesa 22.3.6 blorp_blit.c, encode_msaa).
struct SamplePlace {
  uint32_t x, y;
};
template <class Surface>
constexpr SamplePlace interleaved_place(const Surface& s, uint32_t x, uint32_t y, uint32_t sample) {
  const SampleGrid grid = sample_grid(s);
  return {(x & ~1u) * grid.across | (sample & 4) | (sample & 1) << 1 | (x & 1),
          grid.down == 1 ? y : (y & ~1u) * grid.down | (sample & 8) >> 1 | (sample & 2) | (y & 1)};
}

// An error says what is no such surface.
inline Expected<void> check(const IntelSurface& s) {
  constexpr uint32_t most = 1u << 18;
  if (s.pitch_bytes == 0 || s.pitch_bytes > most || s.pitch_bytes % tile_width(s.tiling))
    return fail("rows of {} bytes in tiles of {}", s.pitch_bytes, tile_width(s.tiling));
  if (s.samples == 0 || s.samples > 16) return fail("{} samples", s.samples);
  if (s.x_bytes > most || s.y_rows > most || s.slice_rows > most)
    return fail("a level at byte {} of row {}, {} rows a slice", s.x_bytes, s.y_rows, s.slice_rows);
  return {};
}

}  // namespace Atoll::surface
