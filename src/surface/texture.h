// A texture as a sampler and a shader's image instructions see it: a dimension, levels of detail that lie somewhere in memory in
// some tiling, and a pixel format. GPU families make one from a descriptor (T# of Sea Islands, TX_* registers of R5xx) and keep
// it as long as the descriptor's words and the mapping stay the same: bounds are checked and address tables are made
// here, once, and not at every texel fetch. Terms: OpenGL 4.6 core profile, chapter 8.
#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "base/expected.h"
#include "surface/element_address.h"
#include "surface/format.h"
#include "surface/texel.h"

namespace Atoll::surface {

// One word a lane: floats' bits, or integers. Pointers into lanes below are to `lanes` words.
inline constexpr unsigned max_lanes = 64;
using Lanes = std::array<uint32_t, max_lanes>;

enum class Dimension : uint8_t {
  one,
  two,
  three,
  cube,
  one_array,
  two_array,
  cube_array,
  two_multisampled,
  two_multisampled_array
};

struct TextureLevel {
  uint64_t offset = 0;  // bytes from the texture's base
  LevelPlace place;
};

struct TextureDescription {
  Dimension dimension = Dimension::two;
  Format format;
  unsigned width = 1, height = 1, depth = 1;  // texels of levels[0]; depth of dimension three only
  // Slices of arrays and cubes that belong to the texture: layer 0 is slice `first_layer`. A cube has six slices, in the
  // order +x -x +y -y +z -z; both numbers count slices (faces).
  unsigned first_layer = 0, layers = 1;
  unsigned samples = 1;
  // levels[n] has max(1, width >> n) texels, and so on. Level of detail 0 of a sampler is levels[first_level]; levels before it
  // may be empty places (LinearSurface with pitch 0).
  std::vector<TextureLevel> levels = {};
  unsigned first_level = 0;
};

// A texel's address is the sum of what its column, row and slice add, but for the bits that name pipe and bank (R300: the piece
// of a macro tile, GFX12: those of a surface's start), which are the exclusive or of the three. In `offset` these bits are ones for columns, so that carries go
// through them, and zeros for rows and slices. Tilings of both families have this form; linear surfaces have no such bits.
struct AddressPart {
  uint32_t offset = 0, swizzle = 0;
};

class Texture {
public:
  // `base` is readable (and writable, if store() is ever called) for `bytes` bytes. An error, which names level and bytes, if the
  // description contradicts itself or a level does not lie inside of them.
  static Expected<Texture> make(TextureDescription description, uint8_t* base, uint64_t bytes);

  const TextureDescription& description() const { return description_; }
  const Format& format() const { return description_.format; }
  bool cube() const { return description_.dimension == Dimension::cube || description_.dimension == Dimension::cube_array; }
  bool layered() const;   // arrays, cubes left out
  unsigned axes() const;  // of coordinates that are filtered: 1, 2 (cubes as well: of a face), 3
  unsigned last_level() const { return unsigned(description_.levels.size()) - 1; }

  struct Size {
    unsigned width, height, depth;  // texels
  };
  Size size(unsigned level) const { return levels_[level].size; }
  // Slices that z of texel() may name at a level: the depth, or the layers (faces).
  unsigned slices(unsigned level) const;

  // The texel's bytes, or those of the block it is in. Coordinates are inside the level: x, y in texels, z the slice of a volume
  // or the layer after first_layer.
  uint8_t* texel(unsigned level, unsigned x, unsigned y, unsigned z = 0, unsigned sample = 0) const;
  // The same; null if a coordinate is outside. For atomics.
  uint8_t* texel_or_null(unsigned level, uint32_t x, uint32_t y, uint32_t z = 0, uint32_t sample = 0) const;

  struct Level {
    Size size;                         // texels
    uint8_t* base = nullptr;           // null: an empty place
    bool separable = false;            // the three tables below are there
    uint32_t swizzled_bits = 0;        // of an address
    std::vector<AddressPart> x, y, z;  // by element (texel or block), and slice after first_layer
    uint8_t* at(const AddressPart& ax, const AddressPart& ay, const AddressPart& az) const {
      uint32_t sum = ((ax.offset + ay.offset) | swizzled_bits) + az.offset;
      return base + ((sum & ~swizzled_bits) ^ ax.swizzle ^ ay.swizzle ^ az.swizzle);
    }
  };
  const Level& level(unsigned n) const { return levels_[n]; }
  size_t table_bytes() const {
    size_t sum = 0;
    for (const Level& l : levels_) sum += (l.x.size() + l.y.size() + l.z.size()) * sizeof(AddressPart);
    return sum;
  }
  // Texels in a row and rows of one element are 1 << these: 2 and 2 where the format has 4x4 blocks.
  unsigned block_shift() const { return block_shift_; }
  unsigned in_block(unsigned x) const { return x & ((1u << block_shift_) - 1); }  // the column of its block
  unsigned block_row_shift() const { return block_row_shift_; }

private:
  TextureDescription description_;
  std::vector<Level> levels_;
  unsigned block_shift_ = 0, block_row_shift_ = 0;
};

// Integer coordinates of fetch and store, a word a lane; null pointers read as 0. Lanes outside of the level (negative ones are
// large) read as `outside` and store nothing.
struct TexelLanes {
  unsigned lanes = max_lanes;
  uint64_t active = 0;
  const uint32_t* x = nullptr;
  const uint32_t* y = nullptr;
  const uint32_t* z = nullptr;      // slice of a volume, layer of an array, face of a cube (6 * cube + face)
  const uint32_t* level = nullptr;  // after first_level
  const uint32_t* sample = nullptr;
  Colour outside = {0, 0, 0, 0};
};

// result[c][lane]: component c (red, green, blue, alpha) of the texels, floats' bits or integers as the format has them. Lanes
// that are not active are left as they are, here and in all functions of sampler.h.
void fetch(const Texture& texture, const TexelLanes& call, std::array<Lanes, 4>& result);
// Lanes are stored in order. The format must not be compressed (an assertion).
void store(const Texture& texture, const TexelLanes& call, const std::array<Lanes, 4>& data,
           Rounding rounding = Rounding::nearest_even);

// `fields` (as they would stand in a texel, the fourth alpha) in the format's order: border colours of GPUs that swizzle them.
Colour in_order(const Format& format, const Colour& fields);

}  // namespace Atoll::surface
