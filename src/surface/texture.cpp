#include "surface/texture.h"

#include <algorithm>
#include <bit>

#include "base/removable_check.h"
#include "surface/decode_texel.h"
#include "surface/float_environment.h"

namespace Atoll::surface {

namespace {

// Far beyond every GPU's limits; keeps sums of addresses inside 64 bits.
constexpr unsigned max_texels = 1u << 16, max_slices = 1u << 16;
constexpr uint64_t max_bytes = uint64_t(1) << 44;

uint64_t round_up(uint64_t value, uint64_t multiple) { return (value + multiple - 1) / multiple * multiple; }

bool is_array(Dimension d) {
  return d == Dimension::one_array || d == Dimension::two_array || d == Dimension::two_multisampled_array;
}
bool is_cube(Dimension d) { return d == Dimension::cube || d == Dimension::cube_array; }
bool is_multisampled(Dimension d) { return d == Dimension::two_multisampled || d == Dimension::two_multisampled_array; }

struct Extent {
  unsigned columns, rows;  // elements
  unsigned slices;         // the first that does not belong to it
};

// Bytes from a level's start up to the end of what its elements may touch.
Expected<uint64_t> needed_bytes(const LinearSurface& s, const Extent& extent, unsigned element_bytes) {
  if (s.pitch_bytes > max_bytes || s.slice_bytes > max_bytes)
    return fail("{} bytes from row to row, {} from slice to slice", s.pitch_bytes, s.slice_bytes);
  if (extent.rows > 1 && s.pitch_bytes < uint64_t(extent.columns) * element_bytes)
    return fail("{} bytes from row to row are less than {} elements of {}", s.pitch_bytes, extent.columns, element_bytes);
  return (extent.slices - 1) * s.slice_bytes + (extent.rows - 1) * s.pitch_bytes + uint64_t(extent.columns) * element_bytes;
}

Expected<uint64_t> needed_bytes(const BankedSurface& s, const Extent& extent, unsigned element_bytes) {
  if (auto checked = check(s); !checked) return std::unexpected(checked.error());
  if (s.pitch > max_texels || s.height > max_texels || s.pitch < extent.columns || s.height < extent.rows ||
      s.element_bytes != element_bytes)
    return fail("{} x {} elements of {} bytes in a surface of {} x {} of {}", extent.columns, extent.rows, element_bytes, s.pitch,
                s.height, s.element_bytes);
  const ArrangementRow& arrangement = row(s.tiling.arrangement);
  uint64_t bytes = slice_bytes(s) * round_up(extent.slices, arrangement.thickness);
  // Macro tiles that are smaller than the pipes' interleave share it, up to the last byte of the last one.
  if (arrangement.macro)
    bytes = round_up(bytes, uint64_t(s.tiling.pipe_interleave_bytes) * pipes(s.tiling.pipe_config) * s.tiling.banks);
  return bytes;
}

Expected<uint64_t> needed_bytes(const R300Surface& s, const Extent& extent, unsigned element_bytes) {
  if (auto checked = check(s); !checked) return std::unexpected(checked.error());
  auto tile = r300_tile(s.element_bytes, s.micro, s.macro);
  if (!tile) return std::unexpected(tile.error());
  if (s.pitch > max_texels || s.slice_bytes > max_bytes || s.pitch < extent.columns || s.element_bytes != element_bytes)
    return fail("rows of {} elements of {} bytes in a surface of {} of {}", extent.columns, element_bytes, s.pitch,
                s.element_bytes);
  uint64_t rows = round_up(extent.rows, tile->height), start = (extent.slices - 1) * s.slice_bytes;
  if (s.micro == R300MicroTile::linear && !s.macro) return start + ((rows - 1) * s.pitch + extent.columns) * s.element_bytes;
  return start + rows * s.pitch * s.element_bytes;
}

Expected<uint64_t> needed_bytes(const IntelSurface& s, const Extent& extent, unsigned element_bytes) {
  if (auto checked = check(s); !checked) return std::unexpected(checked.error());
  const SampleGrid grid = sample_grid(s);
  auto places = [&](unsigned texels, unsigned each) { return each > 1 ? round_up(texels, 2) * each : texels; };
  const uint64_t columns = places(extent.columns, grid.across);
  if (s.pitch_bytes < s.x_bytes + columns * element_bytes)
    return fail("{} elements of {} bytes from byte {} on in rows of {}", columns, element_bytes, s.x_bytes, s.pitch_bytes);
  const uint64_t slices = uint64_t(extent.slices) * (s.interleaved ? 1 : s.samples);
  uint64_t rows = s.y_rows + (slices - 1) * s.slice_rows + places(extent.rows, grid.down);
  return tiled_bytes(s.tiling, s.pitch_bytes, s.x_bytes + columns * element_bytes, rows);
}

Expected<uint64_t> needed_bytes(const IntelStandardSurface& s, const Extent& extent, unsigned element_bytes) {
  if (auto checked = check(s); !checked) return std::unexpected(checked.error());
  const IntelStandardExtent tile = extent_of(s);
  const SampleGrid grid = sample_grid(s);
  auto places = [&](unsigned texels, unsigned each) { return each > 1 ? round_up(texels, 2) * each : texels; };
  const uint64_t columns = s.first_x + places(extent.columns, grid.across), rows = s.first_y + places(extent.rows, grid.down);
  if (s.element_bytes != element_bytes || columns * element_bytes > s.pitch_bytes)
    return fail("{} elements of {} bytes in rows of {} bytes of elements of {}", columns, element_bytes, s.pitch_bytes,
                s.element_bytes);
  const uint64_t above = uint64_t((s.first_z + extent.slices - 1) / tile.depth) * s.slice_rows;
  const uint64_t tiles_down = above / tile.height + round_up(rows, tile.height) / tile.height;
  return tiles_down * (s.pitch_bytes / (tile.width * element_bytes)) << tile_bits(s.tile);
}

Expected<uint64_t> needed_bytes(const Gfx12Surface& s, const Extent& extent, unsigned element_bytes) {
  if (auto checked = check(s); !checked) return std::unexpected(checked.error());
  const Gfx12Block block = block_of(s.swizzle, s.element_bytes, s.samples);
  const uint64_t columns = uint64_t(s.blocks_in_row) * block.width, rows = uint64_t(s.rows) * block.height;
  if (s.element_bytes != element_bytes || s.slice_bytes > max_bytes || s.first_x + extent.columns > columns ||
      s.first_y + extent.rows > rows)
    return fail("{} x {} elements of {} bytes at {}, {} of a surface of {} x {} of {}", extent.columns, extent.rows,
                element_bytes, s.first_x, s.first_y, columns, rows, s.element_bytes);
  return uint64_t((s.first_z + extent.slices - 1) / block.depth) * s.slice_bytes +
         ((uint64_t(s.rows) * s.blocks_in_row) << block_bits(s.swizzle));
}

Expected<uint64_t> needed_bytes(const PageNumbers& s, const Extent& extent, unsigned element_bytes) {
  if (!s.of || element_bytes != 1) return fail("numbers of pages in {} bytes", element_bytes);
  const Extent elements{(extent.columns + (1u << s.block_shift) - 1) >> s.block_shift,
                        (extent.rows + (1u << s.block_row_shift) - 1) >> s.block_row_shift, extent.slices};
  auto bytes = std::visit([&](const auto& place) { return needed_bytes(place, elements, s.element_bytes); }, s.of->place);
  if (!bytes) return bytes;
  return (s.of->offset + *bytes + (uint64_t(1) << s.page_shift) - 1) >> s.page_shift;
}

// The parts of a tile that is split lie in different places of a pipe and bank, and which part an element is in depends on x
// and y together; so does, with several samples, what the order makes of them.
bool is_separable(const LinearSurface&) { return true; }
bool is_separable(const R300Surface&) { return true; }
bool is_separable(const Gfx12Surface& s) { return s.samples == 1; }
// Slices begin with a tile: a row's part of the address is the same in all of them.
bool is_separable(const IntelSurface& s) { return s.samples == 1 && s.slice_rows % tile_rows(s.tiling) == 0; }
bool is_separable(const IntelStandardSurface& s) { return s.samples == 1; }
bool is_separable(const PageNumbers&) { return false; }
bool is_separable(const BankedSurface& s) {
  const ArrangementRow& arrangement = row(s.tiling.arrangement);
  if (s.samples > 1) return false;
  return !arrangement.macro || arrangement.thickness > 1 || 64 * s.element_bytes <= s.tiling.tile_split_bytes;
}

// With the swizzled bits in their places.
AddressPart joined(const SplitAddress& a, SwizzledBits bits) {
  uint64_t low = (uint64_t(1) << bits.low) - 1;
  return {uint32_t((a.offset & low) | (a.offset & ~low) << bits.count), a.swizzle << bits.low};
}

// After how many elements a row (or column) goes on as it began, but for what that element's place adds. A tail's levels begin at
// any multiple of two, Intel's small levels at any of four, or in a tail anywhere.
template <class Place>
unsigned period_of(const Place& place) {
  if constexpr (std::is_same_v<Place, Gfx12Surface>)
    if (place.first_x || place.first_y) return 1;
  if constexpr (std::is_same_v<Place, IntelSurface>)
    if (place.x_bytes % tile_width(place.tiling) || place.y_rows % 8) return 1;
  if constexpr (std::is_same_v<Place, IntelStandardSurface>)
    if (place.first_x % 8 || place.first_y % 8) return 1;
  return 8;
}

// The offsets of a row's (or column's) elements from the address of the first. No tile's equation mixes the lower three bits of a
// coordinate with those above, so that the equation is asked for one element in eight (`period`).
template <class At>
void fill_axis(std::vector<AddressPart>& parts, unsigned count, unsigned period, SwizzledBits bits, uint32_t ones, At at) {
  parts.resize(count);
  SplitAddress first = at(0), low[8], high = {};
  auto difference = [&](unsigned i) {
    SplitAddress a = at(i);
    return SplitAddress{a.offset - first.offset, a.swizzle ^ first.swizzle};
  };
  for (unsigned i = 0; i < period && i < count; i++) low[i] = difference(i);
  for (unsigned i = 0; i < count; i++) {
    if (i % period == 0) high = difference(i);
    parts[i] = joined({high.offset + low[i % period].offset, high.swizzle ^ low[i % period].swizzle}, bits);
    parts[i].offset |= ones;
  }
}

template <class Place>
void fill_tables(Texture::Level& level, const Place& place, const Extent& extent, unsigned first_slice, unsigned element_bytes) {
  SwizzledBits bits = swizzled_bits(place);
  level.separable = true;
  level.swizzled_bits = ((uint32_t(1) << bits.count) - 1) << bits.low;
  auto at = [&](ElementPlace p) { return split(address_of(place, element_bytes, p), bits); };
  const unsigned period = period_of(place);
  fill_axis(level.x, extent.columns, period, bits, level.swizzled_bits, [&](unsigned i) { return at({.x = i}); });
  fill_axis(level.y, extent.rows, period, bits, 0, [&](unsigned i) { return at({.y = i}); });
  level.z.resize(extent.slices - first_slice);
  for (unsigned i = 0; i < level.z.size(); i++) level.z[i] = joined(at({.slice = first_slice + i}), bits);
}

Expected<void> check(const TextureDescription& d) {
  if (d.dimension > Dimension::two_multisampled_array) return fail("{} is no dimension of a texture", int(d.dimension));
  if (auto format = make_format(d.format.layout, d.format.number, d.format.order); !format)
    return std::unexpected(format.error());
  if (d.width == 0 || d.height == 0 || d.depth == 0 || d.width > max_texels || d.height > max_texels || d.depth > max_slices)
    return fail("a texture of {} x {} x {} texels", d.width, d.height, d.depth);
  if (d.layers == 0 || d.layers > max_slices || d.first_layer > max_slices)
    return fail("a texture of {} layers after the first {}", d.layers, d.first_layer);
  if (is_cube(d.dimension) && (d.layers % 6 || d.width != d.height))
    return fail("a cube of {} faces of {} x {} texels", d.layers, d.width, d.height);
  if (!is_cube(d.dimension) && !is_array(d.dimension) && d.layers != 1) return fail("{} layers without an array", d.layers);
  if (d.dimension != Dimension::three && d.depth != 1) return fail("a depth of {} without a volume", d.depth);
  if ((d.dimension == Dimension::one || d.dimension == Dimension::one_array) && d.height != 1)
    return fail("a height of {} in one dimension", d.height);
  if (d.samples == 0 || d.samples > 16) return fail("{} samples", d.samples);
  if (!is_multisampled(d.dimension) && d.samples != 1) return fail("{} samples without multisampling", d.samples);
  if (d.levels.empty() || d.levels.size() > 17 || d.first_level >= d.levels.size())
    return fail("levels {} to {} of a texture", d.first_level, int(d.levels.size()) - 1);
  if (is_multisampled(d.dimension) && d.levels.size() != 1) return fail("{} levels with multisampling", d.levels.size());
  return {};
}

}  // namespace

bool Texture::layered() const { return is_array(description_.dimension); }

unsigned Texture::axes() const {
  switch (description_.dimension) {
    case Dimension::one:
    case Dimension::one_array: return 1;
    case Dimension::three: return 3;
    default: return 2;
  }
}

unsigned Texture::slices(unsigned level) const {
  return description_.dimension == Dimension::three ? levels_[level].size.depth : description_.layers;
}

Expected<Texture> Texture::make(TextureDescription description, uint8_t* base, uint64_t bytes) {
  if (auto checked = check(description); !checked) return std::unexpected(checked.error());
  Texture texture;
  texture.description_ = std::move(description);
  const TextureDescription& d = texture.description_;
  const LayoutRow& layout = row(d.format.layout);
  const unsigned shift = texture.block_shift_ = unsigned(std::countr_zero(layout.block_width)),
                 row_shift = texture.block_row_shift_ = unsigned(std::countr_zero(layout.block_height));
  texture.levels_.resize(d.levels.size());
  for (unsigned n = 0; n < d.levels.size(); n++) {
    Level& level = texture.levels_[n];
    level.size = {std::max(1u, d.width >> n), std::max(1u, d.height >> n), std::max(1u, d.depth >> n)};
    const TextureLevel& from = d.levels[n];
    if (n < d.first_level) continue;
    unsigned first_slice = d.dimension == Dimension::three ? 0 : d.first_layer;
    Extent extent = {(level.size.width + (1u << shift) - 1) >> shift, (level.size.height + (1u << row_shift) - 1) >> row_shift,
                     first_slice + texture.slices(n)};
    auto placed = std::visit(
        [&](const auto& place) -> Expected<void> {
          auto needed = needed_bytes(place, extent, layout.bytes);
          if (!needed) return std::unexpected(needed.error());
          if (from.offset > bytes || *needed > bytes - from.offset)
            return fail("bytes {} to {} of a texture of which {} are there", from.offset, from.offset + *needed, bytes);
          if constexpr (requires { place.samples; }) {
            if (place.samples < d.samples) return fail("{} samples in a surface of {}", d.samples, place.samples);
          } else if (d.samples > 1) {
            return fail("{} samples in a surface of one", d.samples);
          }
          if (*needed < uint64_t(1) << 32 && is_separable(place)) fill_tables(level, place, extent, first_slice, layout.bytes);
          return {};
        },
        from.place);
    if (!placed) return fail("level {}: {}", n, placed.error().message);
    level.base = base + from.offset;
  }
  return texture;
}

uint8_t* Texture::texel(unsigned n, unsigned x, unsigned y, unsigned z, unsigned sample) const {
  const Level& level = levels_[n];
  x >>= block_shift_;
  y >>= block_row_shift_;
  if (level.separable) return level.at(level.x[x], level.y[y], level.z[z]);
  unsigned slice = z + (description_.dimension == Dimension::three ? 0 : description_.first_layer);
  unsigned element_bytes = row(description_.format.layout).bytes;
  return level.base + std::visit([&](const auto& place) { return address_of(place, element_bytes, {x, y, slice, sample}); },
                                 description_.levels[n].place);
}

uint8_t* Texture::texel_or_null(unsigned level, uint32_t x, uint32_t y, uint32_t z, uint32_t sample) const {
  if (level < description_.first_level || level > last_level()) return nullptr;
  Size s = size(level);
  bool inside = x < s.width && y < s.height && z < slices(level) && sample < description_.samples;
  return ATOLL_CHECK("image.bounds", inside) ? texel(level, x, y, z, sample) : nullptr;
}

namespace {

uint8_t* texel_of_lane(const Texture& texture, const TexelLanes& call, unsigned lane, uint32_t& x, uint32_t& y) {
  auto word = [&](const uint32_t* lanes) { return lanes ? lanes[lane] : 0; };
  x = word(call.x);
  y = word(call.y);
  uint32_t level = word(call.level);
  if (level > texture.last_level()) return nullptr;
  return texture.texel_or_null(texture.description().first_level + level, x, y, word(call.z), word(call.sample));
}

}  // namespace

void fetch(const Texture& texture, const TexelLanes& call, std::array<Lanes, 4>& result) {
  FloatEnvironment environment;
  DecodeTexel decode = texel_decoder(texture.format());
  Four outside = std::bit_cast<Four>(call.outside);
  for (uint64_t rest = call.active; rest; rest &= rest - 1) {
    unsigned lane = unsigned(std::countr_zero(rest));
    if (lane >= call.lanes) break;
    uint32_t x, y;
    const uint8_t* texel = texel_of_lane(texture, call, lane, x, y);
    Four colour = texel ? decode(texture.format(), texel, texture.in_block(x), y & 3) : outside;
    auto words = std::bit_cast<Colour>(colour);
    for (int c = 0; c < 4; c++) result[c][lane] = words[c];
  }
}

void store(const Texture& texture, const TexelLanes& call, const std::array<Lanes, 4>& data, Rounding rounding) {
  FloatEnvironment environment;
  const Format& format = texture.format();
  ATOLL_ASSERT(texture.block_shift() == 0 && texture.block_row_shift() == 0);
  for (uint64_t rest = call.active; rest; rest &= rest - 1) {
    unsigned lane = unsigned(std::countr_zero(rest));
    if (lane >= call.lanes) break;
    uint32_t x, y;
    Colour colour = {data[0][lane], data[1][lane], data[2][lane], data[3][lane]};
    if (uint8_t* texel = texel_of_lane(texture, call, lane, x, y)) write_row(format, texel, 1, &colour, rounding);
  }
}

Colour in_order(const Format& format, const Colour& fields) {
  Colour colour;
  for (int i = 0; i < 4; i++) {
    Select select = format.order[i];
    uint32_t one = is_integer(format.number) ? 1u : std::bit_cast<uint32_t>(1.0f);
    colour[i] = select == Select::zero ? 0 : select >= Select::one ? one : fields[int(select)];
  }
  return colour;
}

}  // namespace Atoll::surface
