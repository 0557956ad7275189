#include "pipeline/tiles/watched_tile.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>

#include "pipeline/pixel_watch.h"

namespace Atoll::pipeline {
namespace {

struct Spot {
  unsigned block, number;  // pixel `number` of the block
};
Spot spot_of(const Tile& tile) {
  const unsigned x = unsigned(tile.watch->x - tile.x), y = unsigned(tile.watch->y - tile.y);
  return {y / block_size * block_row + x / block_size, number_in_block(x % block_size, y % block_size)};
}

// The lane of the wave at hand that the pixel is.
std::optional<unsigned> lane_of(const Tile& tile) {
  const Spot spot = spot_of(tile);
  for (unsigned q = 0; q < tile.batch.quads; q++)
    if (tile.place[q] == spot.block * quads_in_block + spot.number / 4 && (tile.batch.covered >> (4 * q + spot.number % 4) & 1))
      return 4 * q + spot.number % 4;
  return {};
}

Fragment* fragment_of(Tile& tile, const Primitive* primitive) {
  PixelWatch& watch = *tile.watch;
  for (size_t n = watch.draw.fragments.size(); n-- > 0;)
    if (watch.open[n] == primitive) return &watch.draw.fragments[n];
  return nullptr;
}
Fragment* fragment_at(Tile& tile, unsigned& lane) {
  const auto at = lane_of(tile);
  if (!at) return nullptr;
  lane = *at;
  return fragment_of(tile, tile.primitive[lane / 4]);
}

void close(Tile& tile, Fragment& fragment, FragmentEnd end) {
  PixelWatch& watch = *tile.watch;
  fragment.end = end;
  watch.open[size_t(&fragment - watch.draw.fragments.data())] = nullptr;
}

unsigned sample_of(const Tile& tile) { return tile.watch->sample % std::max(1u, tile.constants->samples); }

WatchedDepth depth_now(Tile& tile) {
  DepthBlocks& blocks = tile.depth;
  const bool has_stencil = blocks.stencil || blocks.stencil_in_upper_byte;
  if (!tile.depth_stencil || (!blocks.depth && !has_stencil)) return {};
  const Spot spot = spot_of(tile);
  tile.present_depth(spot.block);
  const size_t at = (size_t(spot.block) * blocks.samples + sample_of(tile)) * pixels_in_block + spot.number;
  WatchedDepth value;
  if (blocks.depth) value = watched_depth(blocks.depths[at], blocks.bits);
  if (has_stencil) {
    tile.present_stencil(spot.block);
    value.has_stencil = true, value.stencil = blocks.stencils[at];
  }
  return value;
}

WatchedTexel texel_now(Tile& tile, unsigned target) {
  const Spot spot = spot_of(tile);
  const unsigned bytes = tile.colour[target].texel_bytes;
  const uint8_t* texels = tile.present_colour(target, spot.block);
  WatchedTexel texel{.bytes = bytes};
  std::copy_n(texels + (size_t(sample_of(tile)) * pixels_in_block + spot.number) * bytes, bytes, texel.data.begin());
  return texel;
}

template <class T>
bool holds(Compare compare, T a, T b) {
  switch (compare) {
    case Compare::never: return false;
    case Compare::less: return a < b;
    case Compare::equal: return a == b;
    case Compare::less_equal: return a <= b;
    case Compare::greater: return a > b;
    case Compare::not_equal: return a != b;
    case Compare::greater_equal: return a >= b;
    case Compare::always: break;
  }
  return true;
}

// True if the value written does not depend on what the target holds; that may be so with blending as well.
bool replaces(const ColourPath& path, const Blend& blend) {
  if (path.flips) return false;
  if (!path.reads_target) return true;
  const bool whole = std::ranges::all_of(path.word_mask, [](uint32_t mask) { return mask == ~0u; });
  if (!path.blends || path.discards || !whole) return false;
  auto reads = [](BlendOp op, BlendFactor source, BlendFactor target) {
    const BlendTerm term = term_of(source);
    return op == BlendOp::min || op == BlendOp::max || target != BlendFactor::zero || term == BlendTerm::target ||
           term == BlendTerm::target_alpha || term == BlendTerm::saturate;
  };
  return !reads(blend.colour, blend.source_colour, blend.target_colour) &&
         !reads(blend.alpha, blend.source_alpha, blend.target_alpha);
}

// The test that a failed fragment fails: depth bounds come first, then stencil, then depth. `reference`: the stage's own.
FragmentEnd failed_test(const Tile& tile, const Fragment& f, std::optional<uint8_t> reference) {
  const DepthStencil& state = tile.constants->draw->depth_stencil;
  if (state.bounds_test && f.before.has_depth) {
    const unsigned bits = tile.depth.bits;
    auto code = [&](float v) { return std::floor(double(std::clamp(v, 0.0f, 1.0f)) * double((1u << bits) - 1) + 0.5); };
    const bool within = bits == 32 ? f.before.depth >= state.bounds_low && f.before.depth <= state.bounds_high
                                   : f.before.word >= code(state.bounds_low) && f.before.word <= code(state.bounds_high);
    if (!within) return FragmentEnd::depth_bounds;
  }
  if (state.stencil_test && f.before.has_stencil) {
    const StencilFace& face = f.front ? state.front : state.back;
    const uint8_t with = reference.value_or(face.reference);
    if (!holds<int>(face.compare, with & face.compare_mask, f.before.stencil & face.compare_mask)) return FragmentEnd::stencil;
  }
  return FragmentEnd::depth;
}

}  // namespace

void watch_covered(Tile& tile, const Primitive& primitive, unsigned block, const uint64_t* covered, unsigned places) {
  PixelWatch& watch = *tile.watch;
  const Spot spot = spot_of(tile);
  if (block != spot.block || (tile.by_pixel && spot.number % 4 != tile.pixel)) return;
  uint32_t samples = 0;
  for (unsigned s = 0; s < places; s++) samples |= uint32_t(covered[s] >> spot.number & 1) << s;
  if (!samples) return;
  if (watch.draw.fragments.size() >= PixelWatch::max_fragments) {
    watch.draw.more++;
    return;
  }
  Fragment& f = watch.draw.fragments.emplace_back();
  watch.open.push_back(&primitive);
  f.primitive = primitive.attributes.primitive, f.kind = primitive.attributes.kind, f.front = primitive.attributes.front;
  f.covered = samples;
  const unsigned s = sample_of(tile);
  const double dx = watch.x + tile.constants->depth_dx[s] - primitive.x, dy = watch.y + tile.constants->depth_dy[s] - primitive.y;
  f.depth =
      std::clamp(float(primitive.z.at + primitive.z.y * dy + primitive.z.x * dx), primitive.depth_low, primitive.depth_high);
  f.before = f.after = depth_now(tile);
}

void watch_tested(Tile& tile, const Primitive& primitive, unsigned block, const uint64_t* covered, unsigned samples) {
  const Spot spot = spot_of(tile);
  if (block != spot.block) return;
  Fragment* f = fragment_of(tile, &primitive);
  if (!f) return;
  uint32_t left = 0;
  for (unsigned s = 0; s < samples; s++) left |= uint32_t(covered[s] >> spot.number & 1) << s;
  f->after = depth_now(tile);
  f->drawn = left;
  if (!left)
    close(tile, *f, failed_test(tile, *f, {}));
  else if (!tile.constants->draw->pixel_stage)
    close(tile, *f, FragmentEnd::drawn);
}

bool watches_any(const Tile& tile, uint32_t samples) { return samples >> sample_of(tile) & 1; }

void watch_shaded(Tile& tile) {
  unsigned lane = 0;
  Fragment* f = fragment_at(tile, lane);
  if (!f) return;
  const PixelResults& results = tile.results;
  f->shaded = true, f->lane = lane;
  if (tile.watch->draw.program.lines.empty()) tile.watch->draw.program = tile.constants->draw->pixel_stage->program();
  f->outputs = results.outputs;
  for (unsigned n = 0; n < 8; n++)
    for (unsigned c = 0; c < 4 && (results.outputs >> n & 1); c++) f->output[n][c] = results.colour[n][c][lane];
  if (results.has_depth) f->depth = results.depth[lane];
  for (unsigned n = 0; n < tile.colours; n++)
    if (tile.colour[n].target) f->texel_before[n] = f->texel_after[n] = texel_now(tile, n);
  if (!tile.early) f->before = f->after = depth_now(tile);
  f->drawn = 0;
  if (results.killed >> lane & 1) close(tile, *f, FragmentEnd::shader);
}

void watch_left(Tile& tile, const uint64_t* lanes) {
  unsigned lane = 0;
  Fragment* f = fragment_at(tile, lane);
  if (!f) return;
  for (unsigned s = 0; s < tile.constants->samples; s++) f->drawn |= uint32_t(lanes[s] >> lane & 1) << s;
  if (f->drawn) return;
  const ColourOutput& output = tile.constants->draw->colour;
  const float alpha = std::bit_cast<float>(tile.results.colour[0][3][lane]);
  const bool by_alpha = output.alpha_test && (f->outputs & 1) && !holds(output.alpha_compare, alpha, output.alpha_reference);
  close(tile, *f, by_alpha ? FragmentEnd::alpha_test : FragmentEnd::coverage);
}

void watch_late(Tile& tile, unsigned sample, uint64_t before, uint64_t lanes) {
  unsigned lane = 0;
  Fragment* f = fragment_at(tile, lane);
  if (!f || !(before >> lane & 1)) return;
  if (!(lanes >> lane & 1)) f->drawn &= ~(1u << sample);
  if (!tile.early) f->after = depth_now(tile);
}

void watch_written(Tile& tile) {
  unsigned lane = 0;
  Fragment* f = fragment_at(tile, lane);
  if (!f) return;
  const Draw& draw = *tile.constants->draw;
  const PixelResults& results = tile.results;
  bool bound = false, masked = false;
  for (unsigned n = 0; n < 8; n++) {
    if (!draw.targets.colour[n].target) continue;
    bound = true;
    if (!draw.colour.blend[n].write_mask) masked = true;
    if (n >= tile.colours || !tile.colour[n].target) continue;
    f->texel_after[n] = texel_now(tile, n);
    const ColourPath& path = tile.path[n];
    if (path.kind == ColourPath::Kind::none || !(f->outputs >> n & 1) || !(f->drawn >> sample_of(tile) & 1)) continue;
    f->written |= uint8_t(1u << n);
    if (replaces(path, draw.colour.blend[n])) f->replaced |= uint8_t(1u << n);
  }
  if (f->drawn && (f->written || !bound)) return close(tile, *f, FragmentEnd::drawn);
  if (f->drawn) {
    const bool other_sample = !(f->drawn >> sample_of(tile) & 1);
    return close(tile, *f, other_sample ? FragmentEnd::coverage : masked ? FragmentEnd::write_mask : FragmentEnd::no_output);
  }
  const auto reference = results.has_stencil ? std::optional(uint8_t(results.stencil[lane])) : std::nullopt;
  close(tile, *f, failed_test(tile, *f, reference));
}

}  // namespace Atoll::pipeline
