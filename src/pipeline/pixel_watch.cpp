#include "pipeline/pixel_watch.h"

#include <algorithm>
#include <bit>

#include "pipeline/primitive.h"
#include "surface/number.h"

namespace Atoll::pipeline {
namespace {

constexpr unsigned watched_depths = 8;

// A sample of the pixel as Target::load() leaves it. Samples that the target has not got are those that it has, in turn.
WatchedTexel load_texel(Target& target, unsigned texel_bytes, const PixelWatch& watch, unsigned samples) {
  std::vector<uint8_t> texels(size_t(max_samples) * pixels_in_block * max_texel_bytes);
  const unsigned x = unsigned(watch.x), y = unsigned(watch.y);
  target.load(x / block_size, y / block_size, watch.layer, texels.data());
  const unsigned there = target.samples_there() ? target.samples_there() : samples;
  const size_t at =
      size_t(watch.sample % std::max(1u, there)) * pixels_in_block + number_in_block(x % block_size, y % block_size);
  WatchedTexel texel{.bytes = texel_bytes};
  std::copy_n(texels.data() + at * texel_bytes, texel_bytes, texel.data.begin());
  return texel;
}

uint32_t word_of(const WatchedTexel& texel) {
  uint32_t word = 0;
  for (unsigned n = 0; n < std::min(4u, texel.bytes); n++) word |= uint32_t(texel.data[n]) << 8 * n;
  return word;
}

WatchedDepth load_depth(const DepthTarget& target, const PixelWatch& watch, unsigned samples) {
  WatchedDepth value;
  if (target.depth) {
    const uint32_t word = word_of(load_texel(*target.depth, target.depth_bits == 16 ? 2 : 4, watch, samples));
    value = watched_depth(word, target.depth_bits);
    if (target.stencil_in_upper_byte) value.has_stencil = true, value.stencil = uint8_t(word >> 24);
  }
  if (target.stencil && !target.stencil_in_upper_byte)
    value.has_stencil = true, value.stencil = load_texel(*target.stencil, 1, watch, samples).data[0];
  return value;
}

// True if the draw is a rectangle that gives all pixels of its targets the same value, whatever they held.
bool is_rectangle(const Draw& draw) {
  const Topology t = draw.assembly.topology;
  return draw.uniform_pixels && draw.vertices.instances == 1 &&
         ((t == Topology::rectangles && draw.vertices.count == 3) ||
          ((t == Topology::triangle_strip || t == Topology::triangle_fan || t == Topology::quads) && draw.vertices.count == 4) ||
          (t == Topology::triangles && draw.vertices.count == 3));
}

}  // namespace

std::string_view name(FragmentEnd end) {
  constexpr std::string_view names[fragment_ends] = {
      "drawn",   "culled_front", "culled_back", "clipped",    "scissor",  "masked",    "sample_mask", "depth_bounds",
      "stencil", "depth",        "shader",      "alpha_test", "coverage", "no_output", "write_mask",  "unfinished"};
  return names[size_t(end)];
}

WatchedDepth watched_depth(uint32_t word, unsigned bits) {
  WatchedDepth value{.has_depth = true};
  value.word = bits < 32 ? word & ((1u << bits) - 1) : word;
  value.depth = bits == 32 ? std::bit_cast<float>(word) : surface::from_unorm(value.word, bits);
  return value;
}

void PixelWatch::begin(const Targets& targets, const Draw* of) {
  draw = {};
  open.clear(), expected.clear();
  bound = targets;
  draw.change = of == nullptr;
  draw.rectangle = of && is_rectangle(*of);
  const bool inside =
      x >= 0 && y >= 0 && unsigned(x) < targets.width && unsigned(y) < targets.height && layer < std::max(1u, targets.layers);
  auto add = [&](unsigned number, const Target* target, WatchedTarget watched) {
    watched.number = number, watched.width = targets.width, watched.height = targets.height, watched.samples = targets.samples;
    if (!target->memory().empty()) watched.surface = target->memory()[0];
    watched.inside = inside;
    if (inside) watched.place = target->place_of(unsigned(x), unsigned(y), layer, sample);
    draw.targets.push_back(std::move(watched));
  };
  for (unsigned n = 0; n < 8; n++) {
    const ColourTarget& colour = targets.colour[n];
    if (!colour.target || !colour.texel_bytes || colour.texel_bytes > max_texel_bytes) continue;
    WatchedTarget watched;
    watched.format = colour.format, watched.texel_bytes = colour.texel_bytes;
    if (inside) watched.before = watched.after = load_texel(*colour.target, colour.texel_bytes, *this, targets.samples);
    add(n, colour.target, std::move(watched));
  }
  const DepthTarget& depth = targets.depth;
  if (depth.depth || depth.stencil) {
    WatchedTarget watched;
    watched.texel_bytes = depth.depth ? depth.depth_bits / 8 : 1;
    if (inside) watched.depth_before = watched.depth_after = load_depth(depth, *this, targets.samples);
    add(watched_depths, depth.depth ? depth.depth : depth.stencil, std::move(watched));
  }
  if (begun) begun(draw);
}

void PixelWatch::end() {
  for (WatchedTarget& target : draw.targets) {
    if (!target.inside) continue;
    if (target.number == watched_depths) {
      target.depth_after = load_depth(bound.depth, *this, bound.samples);
    } else {
      Target& of = *bound.colour[target.number].target;
      target.after = load_texel(of, target.texel_bytes, *this, bound.samples);
      target.place = of.place_of(unsigned(x), unsigned(y), layer, sample);
    }
  }
  // (Of several samples, the one that is looked at need not be covered.)
  for (size_t n = 0; n < draw.fragments.size(); n++) {
    Fragment& f = draw.fragments[n];
    if (f.end == FragmentEnd::unfinished && !(f.covered >> sample & 1)) f.end = FragmentEnd::coverage;
  }
  // Primitives that edges and bounds let through and that no tile met were masked out.
  for (const Fragment& f : draw.fragments) {
    const auto met = std::ranges::find(expected, f.primitive);
    if (met != expected.end()) expected.erase(met);
  }
  if (draw.rasterized && !draw.more)
    for (const uint32_t primitive : expected) {
      Fragment& f = draw.not_covered.emplace_back();
      f.primitive = primitive, f.end = FragmentEnd::masked;
    }
  if (ended) ended(draw);
  draw = {};
  open.clear(), expected.clear();
}

bool PixelWatch::in_tile(int tile_x, int tile_y, unsigned tile_layer) const {
  return active && layer == tile_layer && x >= tile_x && y >= tile_y && x < tile_x + tile_size && y < tile_y + tile_size;
}

}  // namespace Atoll::pipeline
