#include "pipeline/tiles/tile.h"

#include <algorithm>
#include <bit>

#include "pipeline/pixel_watch.h"
#include "pipeline/tiles/scene.h"
#include "surface/texel.h"

namespace Atoll::pipeline {

namespace {

constexpr unsigned both_centres = 1u << PERSPECTIVE_CENTRE | 1u << LINEAR_CENTRE;

// True if all fields of a texel lie in words, and are numbers that are known: by bits for those that are scaled, by `known` for
// others.
template <class Known>
bool fields_are(const surface::LayoutRow& layout, const ColourPath& path, Known known) {
  if (!std::has_single_bit(unsigned(layout.bytes)) || layout.layout == surface::Layout::bits_9_9_9_e5) return false;
  auto is_known = [&](const ColourField& field) {
    switch (field.number) {
      case surface::Number::unorm: return field.bits <= 16;
      case surface::Number::snorm: return field.bits >= 2 && field.bits <= 16;
      case surface::Number::srgb: return field.bits == 8;
      default: return known(field);
    }
  };
  return std::ranges::all_of(
      path.field, [&](const ColourField& field) { return !field.bits || (field.shift + field.bits <= 32 && is_known(field)); });
}

// Can texels be encoded in lanes of words? (colour_write.cpp)
bool in_lanes(const surface::LayoutRow& layout, const ColourPath& path) {
  return fields_are(layout, path, [&](const ColourField& field) {
    switch (field.number) {
      case surface::Number::floating:
        return field.bits == 32 || (field.bits == 16 && path.rounding == surface::Rounding::nearest_even);
      case surface::Number::uint:
      case surface::Number::sint: return true;
      default: return false;
    }
  });
}

// Can waves write them themselves? (src/pixel/target_fields.h)
bool in_words(const surface::LayoutRow& layout, const ColourPath& path) {
  return fields_are(layout, path, [](const ColourField& field) {
    switch (field.number) {
      case surface::Number::floating: return field.bits == 32 || field.bits == 16 || field.bits == 11 || field.bits == 10;
      case surface::Number::depth_stencil:
      case surface::Number::floats_clamped: return false;
      default: return true;
    }
  });
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
  path.texel_bytes = uint8_t(layout.bytes);
  path.logic_op = path.logic ? blend.own_logic_op.value_or(draw.colour.logic_op) : LogicOp(12);
  path.blends = blend.enable && !path.logic && !integer && !scales;
  path.discards = blend.enable && blend.discard.when != SourceDiscard::When::never;
  path.flips = draw.colour.flip.enable && layout.bytes <= 4;
  if (draw.colour.clamp_before_blending && blend.clamp_source) {
    using Range = Blend::SourceRange;
    const bool unsigned_format = format.number == surface::Number::unorm || format.number == surface::Number::srgb;
    path.clamp_low_zero = blend.source_range == Range::of_format ? unsigned_format : blend.source_range == Range::unorm;
    path.clamp_low_minus_one =
        blend.source_range == Range::of_format ? format.number == surface::Number::snorm : blend.source_range == Range::snorm;
  }
  for (unsigned c = 0; c < 4; c++) {
    float value = draw.colour.constant[c];
    if (path.clamp_low_zero && blend.clamp_constant) value = value > 0 ? std::min(value, 1.0f) : 0;
    if (path.clamp_low_minus_one && blend.clamp_constant) value = value > -1 ? std::min(value, 1.0f) : -1;
    path.constant[c] = value;
  }
  // The fields of the components, and the bits that the mask lets through. If several components are read from one field, it stores
  // the first of them.
  bool whole = true, any = false, cuts = false;
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
    const BitCut& cut = c == 3 ? blend.alpha_cut : blend.colour_cut;
    if (format.number == surface::Number::unorm && cut.from > to.bits) to.cut = cut, cuts = true;
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
  path.reads_target = path.blends || path.logic || path.discards || !whole;
  path.in_words = !path.flips && in_words(layout, path);
  path.kind = path.logic || path.flips || !in_lanes(layout, path) ? ColourPath::Kind::texels
              : format.layout == surface::Layout::bits_8_8_8_8 && format.number == surface::Number::unorm && !cuts
                  ? ColourPath::Kind::bytes
                  : ColourPath::Kind::fields;
  return path;
}

// Depth and stencil of the draw, where it tests, writes or copies any.
bool uses_depth(const DrawConstants& constants, CachedTarget& depth) {
  const Draw& draw = *constants.draw;
  const DepthTarget& target = draw.targets.depth;
  const DepthStencil& state = draw.depth_stencil;
  bool bits_known = target.depth_bits == 16 || target.depth_bits == 24 || target.depth_bits == 32;
  depth.is_depth = true;
  depth.target = bits_known ? target.depth : nullptr;
  depth.depth_bits = depth.target ? target.depth_bits : 0;
  depth.stencil_in_upper_byte = target.stencil_in_upper_byte && depth.target && depth.depth_bits == 24;
  depth.stencil = depth.stencil_in_upper_byte ? nullptr : target.stencil;
  depth.samples = constants.samples;
  bool has_stencil = depth.stencil || depth.stencil_in_upper_byte;
  return (depth.target && (state.depth_test || state.bounds_test || state.copy_depth)) ||
         (has_stencil && (state.stencil_test || state.copy_stencil));
}

// The kind of all the draw's primitives, if its state decides that.
std::optional<PrimitiveKind> kind_of(const Draw& draw) {
  switch (draw.assembly.topology) {
    case Topology::points: return PrimitiveKind::point;
    case Topology::lines:
    case Topology::line_strip:
    case Topology::line_loop:
    case Topology::lines_adjacency:
    case Topology::line_strip_adjacency: return PrimitiveKind::line;
    case Topology::patches: return {};
    default: {
      const Rasterization& raster = draw.rasterization;
      const bool filled = raster.fill_front == Fill::triangles && raster.fill_back == Fill::triangles;
      return filled ? std::optional(PrimitiveKind::triangle) : std::nullopt;
    }
  }
}

// Asks the stage which waves can write their pixels themselves. Not where more is to be done with a pixel than that: depth made
// colours, places of samples.
DirectKinds begin_direct(const DrawConstants& constants, const DrawOutputs& outputs, bool has_overlaps) {
  const Draw& draw = *constants.draw;
  const DepthStencil& state = draw.depth_stencil;
  const ColourOutput& colour = draw.colour;
  const auto not_direct = [](PixelPath why) { return DirectKinds{.why = why}; };
  if (!draw.pixel_stage || draw.pixel_stage->batch_size() > max_pixels) return not_direct(PixelPath::program);
  const unsigned wanted = draw.pixel_stage->barycentrics();
  if (draw.pixel_stage->reads_colours() || draw.rasterization.has_coarse_pixels) return not_direct(PixelPath::program);
  if (draw.rasterization.smooth_lines || draw.rasterization.round_points) return not_direct(PixelPath::tests);
  if (state.copy_depth || state.copy_stencil) return not_direct(PixelPath::copies);
  if (colour.alpha_to_one || colour.alpha_test) return not_direct(PixelPath::tests);
  DirectOutputs direct;
  direct.samples = constants.samples;
  direct.has_overlaps = has_overlaps;
  direct.interpolated = draw.pixel_stage->wants_depth() || draw.rasterization.off_centre_sample ||
                        draw.pixel_stage->wants_centroids() || draw.pixel_stage->wants_line_coordinate() ||
                        (constants.samples_differ && (draw.rasterization.sample_shading || wanted & ~both_centres));
  direct.alpha_to_coverage = colour.alpha_to_coverage;
  direct.second_pass =
      (!state.early && (outputs.targets.has_depth || state.count_samples || state.selects_colour())) || colour.alpha_to_coverage;
  bool bytes = constants.samples == 1;
  for (unsigned n = 0; n < 8; n++) {
    if (!outputs.targets.colour[n].target) continue;
    const ColourPath& path = outputs.path[n];
    bytes &= path.kind == ColourPath::Kind::bytes;
    if (!path.in_words) return not_direct(PixelPath::format);
    // Without a clamp there are infinities; times a denormal they stay, times what a wave makes of it they become NaN.
    direct.second_pass |= path.blends && !path.clamp_low_zero && !path.clamp_low_minus_one;
    direct.targets |= uint8_t(1u << n);
    direct.path[n] = path;
    direct.blend[n] = colour.blend[n];
  }
  direct.perspective = wanted & 7, direct.linear = wanted >> 3 & 7;
  direct.kind = kind_of(draw);
  // If the pipeline has to interpolate, its own path into 8_8_8_8 is faster.
  if (direct.interpolated && bytes) return not_direct(PixelPath::program);
  DirectKinds kinds = draw.pixel_stage->begin_direct(direct);
  kinds.interpolated |= direct.interpolated;
  if (kinds.interpolated && bytes) return not_direct(PixelPath::program);
  kinds.blocks &= draw.pixel_stage->batch_size() == max_pixels && !kinds.interpolated;
  return kinds;
}

// Targets and how colours are written.
void find_targets(const DrawConstants& constants, DrawOutputs& outputs) {
  const Draw& draw = *constants.draw;
  DrawTargets& targets = outputs.targets;
  for (unsigned n = 0; n < 8; n++) {
    const ColourTarget& target = draw.targets.colour[n];
    if (!target.target || !target.texel_bytes || target.texel_bytes > max_texel_bytes || !draw.pixel_stage) continue;
    outputs.path[n] = path_of(draw, n);
    if (outputs.path[n].kind == ColourPath::Kind::none && !(draw.pixel_stage->reads_colours() >> n & 1)) continue;
    targets.colour[n] = {.target = target.target, .texel_bytes = target.texel_bytes, .samples = constants.samples};
  }
  targets.has_depth = uses_depth(constants, targets.depth);
}

}  // namespace

DrawTargets targets_of(const DrawConstants& constants) {
  DrawOutputs outputs;
  find_targets(constants, outputs);
  return outputs.targets;
}

DrawOutputs outputs_of(const DrawConstants& constants, bool has_overlaps) {
  DrawOutputs outputs;
  find_targets(constants, outputs);
  outputs.direct = begin_direct(constants, outputs, has_overlaps);
  outputs.pixel_path = outputs.direct.why;
  outputs.overdraw = overdraw_of(constants, outputs);
  return outputs;
}

void Tile::begin_draw(SceneDraw& scene_draw, unsigned worker_now) {
  this->draw = &scene_draw;
  by_pixel = scene_draw.by_pixel.get();
  pixel = 0;
  constants = by_pixel ? by_pixel->data() : &scene_draw.constants;
  worker = worker_now;
  const DrawOutputs& outputs = scene_draw.outputs;
  const Draw& draw = *scene_draw.draw;
  const DrawTargets& targets = outputs.targets;
  path = outputs.path;
  colours = 0;
  for (unsigned n = 0; n < 8; n++)
    if (targets.colour[n].target) colours = n + 1;
  const DepthStencil& state = draw.depth_stencil;
  const CachedTarget& ds = targets.depth;
  bool has_stencil = ds.stencil || ds.stencil_in_upper_byte;
  depth_stencil = (ds.target && (state.depth_test || state.bounds_test)) || (has_stencil && state.stencil_test);
  copies = targets.colour[0].target && ((ds.target && state.copy_depth) || (has_stencil && state.copy_stencil));
  early = state.early || !draw.pixel_stage;
  find_paths();
  has_coarse_pixels = draw.rasterization.has_coarse_pixels;
  if (has_coarse_pixels && !coarse) coarse = std::make_unique<Coarse>();
  covered_before = early && draw.pixel_stage && draw.pixel_stage->wants_coverage_before_tests();
  samples_passed = pixel_invocations = 0;
  if (draw.pixel_stage) draw.pixel_stage->bind_worker(worker);
  std::ranges::fill(pixels_by_path, uint64_t(0));
}

void Tile::find_paths() {
  const DrawOutputs& outputs = draw->outputs;
  const Draw& draw = *this->draw->draw;
  const DepthStencil& state = draw.depth_stencil;
  const CachedTarget& ds = outputs.targets.depth;
  const bool has_stencil = ds.stencil || ds.stencil_in_upper_byte;
  // Whole blocks at once (hierarchical_depth.cpp): nothing else may come of a failed test, nor stand between a passed one and
  // its write.
  const bool plain_words = state.depth_sign == DepthSign::none && draw.targets.depth.code == DepthCode::unorm;
  const bool by_block = early && ds.target && state.depth_test && plain_words && !state.counts_fails(),
             stencil = has_stencil && state.stencil_test;
  auto changes = [](const StencilFace& face) {
    return face.write_mask && (face.fail != StencilOp::keep || face.depth_fail != StencilOp::keep);
  };
  rejects[0] = by_block && !(stencil && changes(state.back));
  rejects[1] = by_block && !(stencil && changes(state.front));
  accepts = by_block && !stencil && !state.bounds_test;
  direct = outputs.direct;
  pixel_path = outputs.pixel_path;
  if (direct.blocks || direct.any)
    perspective = draw.pixel_stage->barycentrics() & 7, linear = draw.pixel_stage->barycentrics() >> 3 & 7;
  max_quads_now = draw.pixel_stage ? std::clamp(draw.pixel_stage->batch_size() / 4, 1u, max_quads) : max_quads;
  one_primitive = draw.pixel_stage && draw.pixel_stage->one_primitive();
  if (draw.rasterization.has_coarse_pixels) max_quads_now = max_quads;  // (shade_coarse() parts the coarse ones)
  in_halves = direct.any && !direct.second_pass && max_quads_now == max_quads && !one_primitive;
  // Waves of one primitive each are many and small, and to begin a series of them costs as much as some waves do.
  queues_waves = one_primitive && direct.any && direct.blocks && direct.parts_as_blocks && !direct.second_pass &&
                 !direct.interpolated && !by_pixel && constants->samples == 1;
}

void Tile::begin_tile(const TileCache& cache, TileCache::Tile& blocks) {
  x = blocks.place.x, y = blocks.place.y, layer = blocks.place.layer;
  for (unsigned n = 0; n < colours; n++) colour[n] = cache.colour(blocks, draw->binding, n), texels[n] = colour[n].texels;
  slopes_of = nullptr;
  whole_block_count = queued_count = 0;
  if (watch) find_paths();
  watch = draw->watch && draw->watch->in_tile(x, y, layer) ? draw->watch : nullptr;
  if (watch) {
    rejects[0] = rejects[1] = accepts = in_halves = queues_waves = false;
    one_primitive = true;
    direct = {}, pixel_path = PixelPath::program;
  }
  const DepthStencil& state = draw->draw->depth_stencil;
  const bool layer_counts = state.counted_layers >> (layer & 1) & 1;
  counts = state.count_samples && layer_counts, counts_fails = state.counts_fails() && layer_counts;
  depth = cache.depth(blocks, draw->binding);
  batch.quads = 0;
  runs = 0;
}

void Tile::end_tile(const TileCache& cache, TileCache::Tile& blocks) {
  for (unsigned n = 0; n < colours; n++) cache.put(blocks, draw->binding, n, colour[n]);
  cache.put(blocks, draw->binding, depth);
}

}  // namespace Atoll::pipeline
