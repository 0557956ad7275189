#include "pipeline/tile.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "surface/texel.h"

namespace Atoll::pipeline {

namespace {

constexpr size_t max_texel_bytes = 16;

// Rows of a target's block (eight pixels each) to quads, or back.
template <bool to_quads, unsigned bytes>
void reorder(const uint8_t* from, uint8_t* to) {
  for (unsigned row = 0; row < 4; row++)
    for (unsigned quad = 0; quad < 4; quad++)
      for (unsigned half = 0; half < 2; half++) {
        size_t rows = ((row * 2 + half) * 8 + quad * 2) * bytes, quads = ((row * 4 + quad) * 4 + half * 2) * bytes;
        std::memcpy(to + (to_quads ? quads : rows), from + (to_quads ? rows : quads), 2 * bytes);
      }
}

template <bool to_quads>
void reorder(const uint8_t* from, uint8_t* to, unsigned bytes, unsigned samples) {
  for (unsigned s = 0; s < samples; s++, from += 64 * bytes, to += 64 * bytes) {
    switch (bytes) {
      case 1: reorder<to_quads, 1>(from, to); break;
      case 2: reorder<to_quads, 2>(from, to); break;
      case 3: reorder<to_quads, 3>(from, to); break;
      case 4: reorder<to_quads, 4>(from, to); break;
      case 6: reorder<to_quads, 6>(from, to); break;
      case 8: reorder<to_quads, 8>(from, to); break;
      case 12: reorder<to_quads, 12>(from, to); break;
      case 16: reorder<to_quads, 16>(from, to); break;
    }
  }
}

// Can texels be encoded in lanes of words? (colour_write.cpp)
bool in_lanes(const surface::LayoutRow& layout, const ColourPath& path) {
  if (!std::has_single_bit(unsigned(layout.bytes)) || layout.layout == surface::Layout::bits_9_9_9_e5) return false;
  for (const ColourField& field : path.field) {
    if (!field.bits) continue;
    if (field.shift + field.bits > 32) return false;
    switch (field.number) {
      case surface::Number::unorm:
        if (field.bits > 16) return false;
        break;
      case surface::Number::snorm:
        if (field.bits < 2 || field.bits > 16) return false;
        break;
      case surface::Number::floating:
        if (field.bits != 32 && (field.bits != 16 || path.rounding != surface::Rounding::nearest_even)) return false;
        break;
      case surface::Number::srgb:
        if (field.bits != 8) return false;
        break;
      case surface::Number::uint:
      case surface::Number::sint: break;
      default: return false;
    }
  }
  return true;
}

// How target `n` of the draw is written.
ColourPath path_of(const Draw& draw, unsigned n) {
  const ColourTarget& target = draw.targets.colour[n];
  const Blend& blend = draw.colour.blend[n];
  const surface::Format& format = target.format;
  const surface::LayoutRow& layout = surface::row(format.layout);
  ColourPath path;
  if (layout.block_width != 1 || layout.bytes != target.texel_bytes) return path;
  path.rounding = target.round_toward_zero ? surface::Rounding::toward_zero : surface::Rounding::nearest_even;
  path.target_alpha_is_one = target.alpha_reads_as_one;
  bool integer = surface::is_integer(format.number);
  bool scales = format.number == surface::Number::uscaled || format.number == surface::Number::sscaled;
  path.logic = draw.colour.logic_op_enable && blend.logic_op && format.number != surface::Number::floating &&
               format.number != surface::Number::srgb;
  path.blends = blend.enable && !path.logic && !integer && !scales;
  if (draw.colour.clamp_before_blending) {
    path.clamp_low_zero = format.number == surface::Number::unorm || format.number == surface::Number::srgb;
    path.clamp_low_minus_one = format.number == surface::Number::snorm;
  }
  for (unsigned c = 0; c < 4; c++) {
    float value = draw.colour.constant[c];
    if (path.clamp_low_zero) value = value > 0 ? std::min(value, 1.0f) : 0;
    if (path.clamp_low_minus_one) value = value > -1 ? std::min(value, 1.0f) : -1;
    path.constant[c] = value;
  }
  // Where components lie, and the bits of those that the mask lets through. A field takes the first component that is drawn from
  // it.
  bool whole = true, any = false;
  unsigned taken = 0;
  auto let_through = [&](unsigned bit) { path.word_mask[bit / 32] |= 1u << bit % 32; };
  for (unsigned c = 0; c < 4; c++) {
    auto select = format.order[c];
    ColourField& to = path.field[c];
    to.otherwise = select == surface::Select::one || select == surface::Select::field_3 ? 1 : 0;
    if (select > surface::Select::field_3 || unsigned(select) >= layout.fields) continue;
    unsigned f = unsigned(select);
    const surface::Field& field = layout.field[f];
    to.word = field.first_bit / 32, to.shift = field.first_bit % 32, to.bits = field.bits;
    to.number = format.number == surface::Number::srgb && c == 3 ? surface::Number::unorm : format.number;  // alpha has no curve
    to.encoded = !(taken >> f & 1);
    if (!to.encoded) continue;
    taken |= 1u << f;
    if (!(blend.write_mask >> c & 1)) {
      whole = false;
      continue;
    }
    any = true;
    for (unsigned bit = field.first_bit; bit < unsigned(field.first_bit + field.bits); bit++) let_through(bit);
  }
  if (!any) return path;
  // The shared exponent belongs to all three; it is written with any.
  if (format.layout == surface::Layout::bits_9_9_9_e5)
    for (unsigned bit = 27; bit < 32; bit++) let_through(bit);
  if (whole) std::fill_n(path.word_mask, 4, ~0u);  // bits that belong to no component are written as 0
  path.reads_target = path.blends || path.logic || !whole;
  path.kind = path.logic || !in_lanes(layout, path) ? ColourPath::Kind::texels
              : format.layout == surface::Layout::bits_8_8_8_8 && format.number == surface::Number::unorm
                  ? ColourPath::Kind::bytes
                  : ColourPath::Kind::fields;
  return path;
}

}  // namespace

void Tile::begin_draw(const DrawConstants& now, unsigned worker_now) {
  constants = &now;
  worker = worker_now;
  const Draw& draw = *now.draw;
  colours = 0;
  for (unsigned n = 0; n < 8; n++) {
    ColourBlocks& blocks = colour[n];
    const ColourTarget& target = draw.targets.colour[n];
    path[n] = {};
    blocks.target = nullptr;
    if (!target.target || !target.texel_bytes || target.texel_bytes > max_texel_bytes || !draw.pixel_stage) continue;
    path[n] = path_of(draw, n);
    if (path[n].kind == ColourPath::Kind::none) continue;
    blocks.target = target.target;
    blocks.texel_bytes = target.texel_bytes;
    blocks.samples = now.samples;
    blocks.block_bytes = size_t(64) * now.samples * target.texel_bytes;
    if (blocks.texels.size() < blocks.block_bytes * blocks_in_tile) blocks.texels.resize(blocks.block_bytes * blocks_in_tile);
    colours = n + 1;
  }
  const DepthTarget& target = draw.targets.depth;
  const DepthStencil& state = draw.depth_stencil;
  bool bits_known = target.depth_bits == 16 || target.depth_bits == 24 || target.depth_bits == 32;
  depth.depth = bits_known ? target.depth : nullptr;
  depth.bits = depth.depth ? target.depth_bits : 0;
  depth.stencil_in_upper_byte = target.stencil_in_upper_byte && depth.depth && depth.bits == 24;
  depth.stencil = depth.stencil_in_upper_byte ? nullptr : target.stencil;
  depth.samples = now.samples;
  bool has_stencil = depth.stencil || depth.stencil_in_upper_byte;
  depth_stencil = (depth.depth && (state.depth_test || state.bounds_test)) || (has_stencil && state.stencil_test);
  copies = colour[0].target && ((depth.depth && state.copy_depth) || (has_stencil && state.copy_stencil));
  early = state.early || !draw.pixel_stage;
  if (depth_stencil || copies) {
    size_t texels = size_t(64) * now.samples * blocks_in_tile;
    if (depth.depths.size() < texels) depth.depths.resize(texels), depth.stencils.resize(texels);
  }
  max_quads_now = draw.pixel_stage ? std::clamp(draw.pixel_stage->batch_size() / 4, 1u, max_quads) : max_quads;
  if (stamp.empty()) stamp.assign(blocks_in_tile * quads_in_block, 0);
  batch.quads = 0;
  runs = 0;
  samples_passed = pixel_invocations = 0;
}

void Tile::begin_tile(int tile_x, int tile_y, unsigned tile_layer) {
  x = tile_x, y = tile_y, layer = tile_layer;
  for (unsigned n = 0; n < colours; n++) colour[n].present = colour[n].dirty = 0;
  depth.present = depth.depth_dirty = depth.stencil_dirty = 0;
  batch.quads = 0;
  runs = 0;
}

uint8_t* Tile::present_colour(unsigned n, unsigned block) {
  ColourBlocks& blocks = colour[n];
  uint8_t* texels = blocks.block(block);
  if (blocks.present >> block & 1) return texels;
  uint16_t written = blocks.dirty >> block & 1 ? blocks.written[block] : 0;
  if (written == 0xffff) {  // nothing of what is in memory is left
    blocks.present |= uint64_t(1) << block;
    return texels;
  }
  alignas(64) uint8_t rows[64 * 16 * max_texel_bytes];
  unsigned bx = unsigned(x) / block_size + block % block_row, by = unsigned(y) / block_size + block / block_row;
  blocks.target->load(bx, by, layer, rows);
  blocks.present |= uint64_t(1) << block;
  if (!written) {
    reorder<true>(rows, texels, blocks.texel_bytes, blocks.samples);
    return texels;
  }
  // Some quads were written already (one sample a pixel only).
  alignas(64) uint8_t quads[64 * max_texel_bytes];
  reorder<true>(rows, quads, blocks.texel_bytes, 1);
  size_t quad_bytes = 4 * blocks.texel_bytes;
  for (unsigned q = 0; q < quads_in_block; q++)
    if (!(written >> q & 1)) std::memcpy(texels + q * quad_bytes, quads + q * quad_bytes, quad_bytes);
  return texels;
}

void Tile::present_depth(unsigned block) {
  if (depth.present >> block & 1) return;
  depth.present |= uint64_t(1) << block;
  alignas(64) uint8_t rows[64 * 16 * 4], quads[64 * 16 * 4];
  unsigned bx = unsigned(x) / block_size + block % block_row, by = unsigned(y) / block_size + block / block_row;
  size_t count = size_t(64) * depth.samples;
  uint32_t* depths = depth.depths.data() + block * count;
  uint8_t* stencils = depth.stencils.data() + block * count;
  if (depth.depth) {
    unsigned bytes = depth.bits == 16 ? 2 : 4;
    depth.depth->load(bx, by, layer, rows);
    if (bytes == 4) {
      reorder<true>(rows, reinterpret_cast<uint8_t*>(depths), 4, depth.samples);
      if (depth.bits == 24) {
        for (size_t n = 0; n < count; n++) {
          stencils[n] = uint8_t(depths[n] >> 24);
          depths[n] &= 0xffffff;
        }
      }
    } else {
      reorder<true>(rows, quads, 2, depth.samples);
      for (size_t n = 0; n < count; n++) depths[n] = quads[2 * n] | uint32_t(quads[2 * n + 1]) << 8;
    }
  }
  // The upper byte of a word of 24 bits of depth is kept as it is where it is no stencil.
  if (depth.stencil && depth.bits != 24) {
    depth.stencil->load(bx, by, layer, rows);
    reorder<true>(rows, stencils, 1, depth.samples);
  } else if (depth.stencil) {
    depth.stencil->load(bx, by, layer, rows);
    reorder<true>(rows, quads, 1, depth.samples);
    for (size_t n = 0; n < count; n++) {
      depths[n] |= uint32_t(stencils[n]) << 24;
      stencils[n] = quads[n];
    }
  }
}

void Tile::end_tile() {
  alignas(64) uint8_t rows[64 * 16 * max_texel_bytes], quads[64 * 16 * 4];
  for (unsigned n = 0; n < colours; n++) {
    ColourBlocks& blocks = colour[n];
    if (!blocks.target) continue;
    for (uint64_t left = blocks.dirty; left; left &= left - 1) {
      unsigned block = unsigned(std::countr_zero(left));
      present_colour(n, block);
      reorder<false>(blocks.block(block), rows, blocks.texel_bytes, blocks.samples);
      blocks.target->store(unsigned(x) / block_size + block % block_row, unsigned(y) / block_size + block / block_row, layer,
                           rows);
    }
    blocks.present = blocks.dirty = 0;
  }
  size_t count = size_t(64) * depth.samples;
  for (uint64_t left = depth.depth_dirty | depth.stencil_dirty; left; left &= left - 1) {
    unsigned block = unsigned(std::countr_zero(left));
    unsigned bx = unsigned(x) / block_size + block % block_row, by = unsigned(y) / block_size + block / block_row;
    uint32_t* depths = depth.depths.data() + block * count;
    uint8_t* stencils = depth.stencils.data() + block * count;
    bool word = depth.depth && ((depth.depth_dirty >> block & 1) || depth.stencil_in_upper_byte);
    if (word && depth.bits == 16) {
      for (size_t n = 0; n < count; n++) quads[2 * n] = uint8_t(depths[n]), quads[2 * n + 1] = uint8_t(depths[n] >> 8);
      reorder<false>(quads, rows, 2, depth.samples);
      depth.depth->store(bx, by, layer, rows);
    } else if (word) {
      // (Where the stencil lies elsewhere, the word still has its upper byte.)
      if (depth.bits == 24 && !depth.stencil)
        for (size_t n = 0; n < count; n++) depths[n] = (depths[n] & 0xffffff) | uint32_t(stencils[n]) << 24;
      reorder<false>(reinterpret_cast<const uint8_t*>(depths), rows, 4, depth.samples);
      depth.depth->store(bx, by, layer, rows);
    }
    if (depth.stencil && (depth.stencil_dirty >> block & 1)) {
      reorder<false>(stencils, rows, 1, depth.samples);
      depth.stencil->store(bx, by, layer, rows);
    }
  }
  depth.present = depth.depth_dirty = depth.stencil_dirty = 0;
}

}  // namespace Atoll::pipeline
