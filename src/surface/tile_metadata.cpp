#include "surface/tile_metadata.h"

#include <bit>
#include <iterator>

namespace Atoll::surface {

namespace {

// The tiles of one pipe in 4x4 tiles, numbered: bit i of the number is the parity of some bits of the tile's column and row.
// `shift` is the logarithm of how many of the 16 are a pipe's; where `bits` is larger the number reaches into the next group.
struct IndexBit {
  uint8_t columns, rows;
};
struct IndexRow {
  PipeConfig config;
  uint8_t shift, bits;
  IndexBit bit[3];
};
constexpr uint8_t t0 = 1, t1 = 2;  // bits 0 and 1 of a tile's column or row
constexpr IndexRow index_table[] = {
    {PipeConfig::p2, 3, 3, {{t1, t0}, {t1, t1}, {t1, 0}}},
    {PipeConfig::p4_8x16, 2, 2, {{t1, t1}, {t1, 0}}},
    {PipeConfig::p4_16x16, 2, 2, {{t1, t0}, {t1, 0}}},
    {PipeConfig::p4_16x32, 2, 2, {{t1, t0}, {t1, t1}}},
    {PipeConfig::p4_32x32, 2, 3, {{t1, t0}, {t1, t1}, {t1, 0}}},
    {PipeConfig::p8_16x32_8x16, 1, 1, {{t0, 0}}},
    {PipeConfig::p8_16x32_16x16, 1, 1, {{t0, 0}}},
    {PipeConfig::p8_32x32_8x16, 1, 2, {{t1, t1}, {t1, 0}}},
    {PipeConfig::p8_32x32_16x16, 1, 2, {{t1, t0}, {t1, 0}}},
    {PipeConfig::p8_32x32_16x32, 1, 2, {{t1, t0}, {t1, t1}}},
    {PipeConfig::p8_32x64_32x32, 1, 3, {{t1, t0}, {t1, t1}, {t1, 0}}},
    {PipeConfig::p16_32x32_8x16, 0, 2, {{t1, t1}, {t1, 0}}},
    {PipeConfig::p16_32x32_16x16, 0, 2, {{t1, t0}, {t1, 0}}},
};
static_assert(std::size(index_table) == pipe_config_count);
static_assert([] {
  for (int i = 0; i < pipe_config_count; i++)
    if (int(index_table[i].config) != i) return false;
  return true;
}());

uint64_t round_up(uint64_t value, uint64_t multiple) { return (value + multiple - 1) / multiple * multiple; }

unsigned element_bits(const TileMetadata& m) { return m.depth ? 32 : 4; }

// Tiles whose bits fill a pipe's cache line: 1024 bits of colour metadata, 16384 of depth metadata.
unsigned tiles_in_line(const TileMetadata& m) { return (m.depth ? 16384 : 1024) / element_bits(m); }

// The linear layout is padded to what its element numbers need.
unsigned linear_padding(PipeConfig config) {
  switch (config) {
    case PipeConfig::p4_32x32:
    case PipeConfig::p8_32x32_8x16:
    case PipeConfig::p8_32x32_16x16:
    case PipeConfig::p8_32x32_16x32:
    case PipeConfig::p8_32x64_32x32:
    case PipeConfig::p16_32x32_8x16:
    case PipeConfig::p16_32x32_16x16: return 64;
    default: return 32;
  }
}

}  // namespace

Expected<void> check(const TileMetadata& m) {
  if (int(m.pipe_config) >= pipe_config_count) return fail("{} is no pipe configuration", int(m.pipe_config));
  if (!std::has_single_bit(m.pipe_interleave_bytes) || m.pipe_interleave_bytes < 64 || m.pipe_interleave_bytes > 4096)
    return fail("a pipe interleave of {} bytes", m.pipe_interleave_bytes);
  constexpr unsigned largest = 1u << 16;
  if (m.pitch == 0 || m.height == 0 || m.pitch > largest || m.height > largest)
    return fail("metadata of a surface of {} x {} elements", m.pitch, m.height);
  return {};
}

TileMetadataSize size(const TileMetadata& m) {
  unsigned pipe_count = pipes(m.pipe_config);
  TileMetadataSize s{};
  if (m.linear) {
    s.line_width = s.line_height = linear_padding(m.pipe_config);
  } else {
    // as near to a square as doublings get
    unsigned width = tiles_in_line(m), height = 1;
    while (width > height * 2 * pipe_count && width % 2 == 0) width /= 2, height *= 2;
    s.line_width = 8 * width;
    s.line_height = 8 * height * pipe_count;
  }
  s.pitch = unsigned(round_up(m.pitch, s.line_width));
  s.height = unsigned(round_up(m.height, s.line_height));
  auto bytes = [&] { return uint64_t(s.pitch) * s.height / 64 * element_bits(m) / 8; };
  if (m.depth) {
    s.slice_bytes = round_up(bytes(), uint64_t(2048) * pipe_count);
  } else {
    while (bytes() % (m.pipe_interleave_bytes * pipe_count)) s.height += s.line_height;
    s.slice_bytes = bytes();
  }
  return s;
}

uint64_t first_bit(const TileMetadata& m, unsigned x, unsigned y, unsigned slice) { return first_bit(m, size(m), x, y, slice); }

uint64_t first_bit(const TileMetadata& m, const TileMetadataSize& s, unsigned x, unsigned y, unsigned slice) {
  const IndexRow& index = index_table[int(m.pipe_config)];
  unsigned pipe_count = pipes(m.pipe_config), bits = element_bits(m);
  unsigned column = x / 8, row_ = y / 8, number = 0;
  for (unsigned i = 0; i < index.bits; i++)
    number |= unsigned(std::popcount(column & index.bit[i].columns) + std::popcount(row_ & index.bit[i].rows)) % 2 << i;

  uint64_t group, line_bits;  // which 4x4 tiles, from the start of the line; where the line starts in the pipe
  if (m.linear) {
    group = uint64_t(row_ / 4) * (s.pitch / 32) + column / 4;
    uint64_t tiles = uint64_t(s.pitch / 8) * (s.height / 8);
    if (m.depth) tiles = round_up(tiles, 2048 * pipe_count / bits);
    line_bits = slice * (tiles / pipe_count) * bits;
  } else {
    group = uint64_t(y % s.line_height / 32) * (s.line_width / 32) + x % s.line_width / 32;
    uint64_t across = s.pitch / s.line_width, down = s.height / s.line_height;
    uint64_t line = (slice * down + y / s.line_height) * across + x / s.line_width;
    line_bits = line * tiles_in_line(m) * bits;
  }
  uint64_t element = (group << index.shift >> index.bits << index.bits) + number;
  uint64_t offset = element * bits + line_bits, interleave = uint64_t(m.pipe_interleave_bytes) * 8;
  return offset % interleave + (pipe_of_tile(m.pipe_config, column, row_) + offset / interleave * pipe_count) * interleave;
}

}  // namespace Atoll::surface
