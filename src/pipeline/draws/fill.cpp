#include "pipeline/draws/fill.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

#include "pipeline/draws/front_end.h"
#include "pipeline/front/setup.h"
#include "pipeline/pixel_watch.h"

namespace Atoll::pipeline {
namespace {

// Below it, drawing takes as long as finding out how to fill.
constexpr int64_t least_pixels = 1024;

// Four pixels next to each other, the first at even coordinates, hold all zeros, all ones, and two patterns; the rest of the
// surface repeats them.
class Probe : public Target {
public:
  Probe(unsigned texel_bytes, unsigned samples) : bytes_(texel_bytes), samples_(samples) {}

  void load(unsigned, unsigned, unsigned, uint8_t* texels) override {
    for (unsigned s = 0; s < samples_; s++)
      for (unsigned pixel = 0; pixel < pixels_in_block; pixel++)
        for (unsigned n = 0; n < bytes_; n++) *texels++ = before(pixel % 4, s * bytes_ + n);
  }
  void store(unsigned, unsigned, unsigned, const uint8_t* texels) override {
    after_.assign(texels, texels + size_t(samples_) * block_size * block_size * bytes_);
  }

  // Makes `keep` and `flip` of what was stored around pixel (x, y). False: no such change explains it.
  bool change(int x, int y) {
    keep.assign(size_t(samples_) * bytes_, 0xff);
    flip.assign(keep.size(), 0);
    if (after_.empty()) return true;
    for (unsigned s = 0; s < samples_; s++)
      for (unsigned n = 0; n < bytes_; n++) {
        auto after = [&](unsigned number) {
          const unsigned pixel = number_in_block(unsigned(x) % block_size + number % 2, unsigned(y) % block_size + number / 2);
          return after_[(s * pixels_in_block + pixel) * bytes_ + n];
        };
        const unsigned at = s * bytes_ + n;
        flip[at] = after(0);
        keep[at] = after(0) ^ after(1);
        for (unsigned number : {2u, 3u})
          if (after(number) != uint8_t((before(number, at) & keep[at]) ^ flip[at])) return false;
      }
    return true;
  }
  bool changes() const {
    return std::ranges::any_of(keep, [](uint8_t v) { return v != 0xff; }) ||
           std::ranges::any_of(flip, [](uint8_t v) { return v; });
  }
  unsigned samples() const { return samples_; }

  std::vector<uint8_t> keep, flip;

private:
  static uint8_t before(unsigned number, unsigned byte) {
    constexpr uint8_t least[4] = {0, 0xff, 0x35, 0xc6};
    return number < 2 ? least[number] : uint8_t(least[number] + 0x4d * byte);
  }

  unsigned bytes_, samples_;
  std::vector<uint8_t> after_;
};

bool decided(Compare compare) { return compare == Compare::always || compare == Compare::never; }
bool is_bitwise(StencilOp op) {
  return op == StencilOp::keep || op == StencilOp::zero || op == StencilOp::replace || op == StencilOp::invert ||
         op == StencilOp::ones;
}

// True if so many vertices may be an upright rectangle.
bool may_be_rectangle(const Draw& draw) {
  switch (draw.assembly.topology) {
    case Topology::points: return draw.vertices.count == 1;
    case Topology::rectangles: return draw.vertices.count == 3;
    case Topology::triangle_strip:
    case Topology::triangle_fan:
    case Topology::quads:
    case Topology::quad_strip:
    case Topology::polygon: return draw.vertices.count == 4;
    default: return false;
  }
}

// True if a pixel's new value is decided bit by bit, and by nothing that differs from pixel to pixel.
bool can_fill(const Draw& draw) {
  const Rasterization& raster = draw.rasterization;
  if (raster.discard || raster.use_clip_rectangles || raster.polygon_stipple || raster.sample_shading) return false;
  if (raster.other_pixels || raster.has_margins() || raster.has_coarse_pixels) return false;  // (shaders' runs are counted)
  if (draw.targets.layers != 1 || raster.over_rasterize || raster.conservative != Rasterization::Conservative::off) return false;

  const DepthStencil& depth = draw.depth_stencil;
  if (depth.counts_fails() || depth.selects_colour()) return false;
  if (depth.bounds_test || depth.copy_depth || depth.copy_stencil || (depth.depth_test && !decided(depth.depth_compare)))
    return false;
  if (depth.stencil_test)
    for (const StencilFace* face : {&depth.front, &depth.back})
      if (!decided(face->compare) || !is_bitwise(face->fail) || !is_bitwise(face->depth_fail) || !is_bitwise(face->pass))
        return false;

  const ColourOutput& colour = draw.colour;
  if (colour.alpha_to_coverage || colour.dither || colour.logic_op_enable) return false;
  for (unsigned n = 0; n < 8; n++)
    if (draw.targets.colour[n].target && colour.blend[n].enable) return false;
  return true;
}

// The pixels of which all samples that count are inside; nothing if there are pixels with some inside and some not, or the
// primitive is no upright rectangle.
std::optional<Rectangle> whole_pixels(const DrawConstants& constants, const Primitive& primitive) {
  Rectangle area{primitive.left, primitive.top, primitive.right, primitive.bottom};
  for (unsigned e = 0; e < primitive.edges; e++) {
    const int64_t a = primitive.a[e], b = primitive.b[e];
    if ((a == 0) == (b == 0)) return {};
    const int64_t step = a ? a : b, length = step < 0 ? -step : step;
    std::optional<int64_t> bound;  // the first pixel inside where the step is positive, else the last
    for (unsigned s = 0; s < constants.samples; s++) {
      if (!(constants.sample_mask >> s & 1)) continue;
      int64_t at = constants.floor_divide(primitive.c[e] + a * constants.sample_x[s] + b * constants.sample_y[s]);
      int64_t steps = at >= 0 ? at / length : -((-at + length - 1) / length);  // rounded down
      int64_t here = step > 0 ? -steps : steps;
      if (bound && *bound != here) return {};
      bound = here;
    }
    if (!bound) return {};
    const int limit = int(std::clamp<int64_t>(*bound, -(1 << 20), 1 << 20));
    if (step > 0) {
      int& least = a ? area.left : area.top;
      least = std::max(least, limit);
    } else {
      int& most = a ? area.right : area.bottom;
      most = std::min(most, limit + 1);
    }
  }
  return area;
}

// True if interpolation of a value that all vertices have gives just that: infinities and NaNs become others, a zero may lose its
// sign.
bool stays(float value) { return std::isfinite(value) && !(value == 0 && std::signbit(value)); }

// The vertices and primitives of a draw, set up.
class Shape {
public:
  Shape(const Draw& draw, const DrawConstants& constants, const GivenGroup& group)
      : constants_(constants),
        count_(group.vertices.size()),
        primitives_(group.primitives),
        vertices_(group.vertices),
        attributes_(group.attributes) {
    auto is_there = [&](const Assembled& p) { return std::max({p.slot[0], p.slot[1], p.slot[2], p.provoking}) < count_; };
    if (primitives_.size() > most_filled_primitives || count_ > corners || !std::ranges::all_of(primitives_, is_there))
      primitives_ = {};
    if (primitives_.empty()) return;
    std::array<GuardBand, 16> guards;
    for (unsigned n = 0; n < guards.size(); n++) guards[n] = guard_band(constants, draw.viewports[n]);
    for (size_t n = 0; n < count_; n++) {
      const unsigned viewport = std::min(vertices_[n].viewport, 15u);
      screen_[n] = to_screen(constants, draw.viewports[viewport], vertices_[n].position);
      screen_[n].outcode |= outcode(constants, vertices_[n], guards[viewport]);
    }
    SetupInput input{constants, vertices_.data(), attributes_.data(), screen_.data(), guards};
    for (auto& primitive : primitives_) set_up(input, primitive, part);
  }

  // The pixels, if each is drawn once, whole, and with the same depth and attributes.
  std::optional<Rectangle> area() const {
    if (primitives_.empty() || part.count != primitives_.size() || !is_uniform()) return {};
    if (primitives_[0].kind == PrimitiveKind::point) return whole_pixels(constants_, part.primitives[0]);
    if (primitives_.size() == 1) return rectangle();
    return primitives_.size() == 2 && count_ == corners ? two_triangles() : std::nullopt;
  }

  SetupPart part;

private:
  static constexpr size_t corners = most_filled_vertices;

  bool is_uniform() const {
    const size_t floats = constants_.attribute_floats;
    const ScreenVertex& first = screen_[0];
    if (!std::isnormal(first.one_over_w) || !std::isfinite(first.z)) return false;
    for (size_t n = 0; n < count_; n++) {
      if (screen_[n].outcode || screen_[n].z != first.z || screen_[n].one_over_w != first.one_over_w) return false;
      if (vertices_[n].viewport != vertices_[0].viewport || vertices_[n].layer != vertices_[0].layer) return false;
      for (size_t f = 0; f < floats; f++)
        if (!stays(attributes_[f]) || attributes_[n * floats + f] != attributes_[f]) return false;
    }
    return true;
  }

  // A rectangle of the hardware's, with three vertices.
  std::optional<Rectangle> rectangle() const {
    const Primitive& whole = part.primitives[0];
    if (whole.edges != 4 || whole.attributes.kind != PrimitiveKind::triangle || whole.z.x != 0 || whole.z.y != 0) return {};
    return whole_pixels(constants_, whole);
  }

  // An upright rectangle of two triangles that share its diagonal.
  std::optional<Rectangle> two_triangles() const {
    const Primitive &one = part.primitives[0], &other = part.primitives[1];
    if (one.edges != 3 || other.edges != 3 || one.attributes.front != other.attributes.front) return {};
    if (one.attributes.kind != PrimitiveKind::triangle || one.z.at != other.z.at) return {};
    for (const Primitive* p : {&one, &other})
      if (p->z.x != 0 || p->z.y != 0) return {};
    int32_t left = screen_[0].x, right = left, top = screen_[0].y, bottom = top;
    for (auto& vertex : screen_) {
      left = std::min(left, vertex.x), right = std::max(right, vertex.x);
      top = std::min(top, vertex.y), bottom = std::max(bottom, vertex.y);
    }
    // The corner that each vertex is: all four, opposite ones add up to 3.
    unsigned corner[corners], all = 0;
    for (size_t n = 0; n < corners; n++) {
      const ScreenVertex& v = screen_[n];
      if ((v.x != left && v.x != right) || (v.y != top && v.y != bottom)) return {};
      corner[n] = unsigned(v.x == right) | unsigned(v.y == bottom) << 1;
      all |= 1u << corner[n];
    }
    if (left == right || top == bottom || all != 0xf) return {};
    // Each triangle lacks a corner; they share the diagonal if those are opposite.
    unsigned missing[2] = {0xf, 0xf};
    for (unsigned t = 0; t < 2; t++)
      for (uint32_t slot : primitives_[t].slot) missing[t] &= ~(1u << corner[slot]);
    if (!std::has_single_bit(missing[0]) || !std::has_single_bit(missing[1])) return {};
    if (std::countr_zero(missing[0]) + std::countr_zero(missing[1]) != 3) return {};

    // Samples on the diagonal have to belong to exactly one triangle.
    const EdgeRule& rule = constants_.draw->rasterization.triangle_edges;
    if (rule.left == rule.right || rule.top == rule.bottom) return {};
    Primitive whole;
    whole.edges = 4;
    set_edge(whole, rule, 0, left, top, right, top, 1);
    set_edge(whole, rule, 1, right, top, right, bottom, 1);
    set_edge(whole, rule, 2, right, bottom, left, bottom, 1);
    set_edge(whole, rule, 3, left, bottom, left, top, 1);
    const Rectangle area = area_of(constants_, std::min(vertices_[0].viewport, 15u));
    whole.left = area.left, whole.top = area.top, whole.right = area.right, whole.bottom = area.bottom;
    return whole_pixels(constants_, whole);
  }

  const DrawConstants& constants_;
  const size_t count_;
  std::span<const Assembled> primitives_;
  const std::span<const Vertex> vertices_;
  const std::span<const float> attributes_;
  std::array<ScreenVertex, corners> screen_{};
};

constexpr unsigned depth_number = depth_target, stencil_number = 9;  // after the colours
struct Filled {
  unsigned number;
  Target* target;
  Probe probe;
};

// Notes the fill in the tile cache; false: it is to be done in memory.
bool note(const DrawConstants& constants, std::span<const Filled> filled, const Rectangle& area, TileCache& cache) {
  TargetChanges changes;
  for (const Filled& f : filled) {
    if (!f.probe.changes()) continue;
    OwnedChange& change = f.number == stencil_number ? changes.depth.stencils
                          : f.number == depth_number ? changes.depth.texels
                                                     : changes.colour[f.number].texels;
    change = {f.probe.keep, f.probe.flip, constants.samples};
  }
  const DrawTargets targets = targets_of(constants);
  return cache.has_room(targets) && cache.fill(cache.bind(targets), area, changes);
}

// Draws the group, into targets that no other draw has.
bool probe_group(const Draw& draw, const GivenGroup& group, Workers& workers, Counters& counters, const std::atomic<int>& stop) {
  Storage& storage = workers.storage();
  Scene& scene = storage.at_once;
  TileCache& cache = storage.probe_cache;
  SceneDraw& d = scene.begin(draw, false, stop, nullptr);
  FrontEnd front(d, scene, cache, workers);
  bool good = front.begin();
  if (good) {
    std::ranges::copy(group.vertices, front.open_group(group.vertices.size(), 0).begin());
    std::copy_n(group.attributes.begin(), group.vertices.size() * d.constants.attribute_floats, front.attributes());
    good = front.close_group(group.primitives, {}, nullptr, 0);
  }
  good = front.end() && good;
  good = scene.flush(cache, workers, false) && good && !d.stopped();
  scene.drop(d);
  counters += d.counters;
  cache.write_back(workers);
  return good;
}

std::optional<bool> fill_group(const Draw& draw, const DrawConstants& constants, const GivenGroup& group, Workers& workers,
                               Counters& counters, const std::atomic<int>& stop, std::atomic<uint64_t>* progress) {
  Shape shape(draw, constants, group);
  auto area = shape.area();
  if (!area) return {};
  const int64_t width = area->right - area->left, height = area->bottom - area->top;
  if (width < 4 || height < 4 || width * height < least_pixels) return {};
  // All that waits would be drawn first, and stored much later: too much for a small part of the picture.
  const int64_t all_pixels = int64_t(draw.targets.width) * draw.targets.height;
  if (width * height * 4 < all_pixels && workers.storage().scene.waits()) return {};

  std::vector<Filled> filled;
  filled.reserve(10);
  Draw small = draw;
  small.vertex_stage = nullptr, small.given_attributes = draw.attribute_count();
  auto probe = [&](unsigned number, Target*& target, unsigned bytes) {
    if (!target) return;
    filled.push_back({number, target, Probe(bytes, constants.samples)});
    target = &filled.back().probe;
  };
  for (unsigned n = 0; n < 8; n++) probe(n, small.targets.colour[n].target, small.targets.colour[n].texel_bytes);
  probe(depth_number, small.targets.depth.depth, small.targets.depth.depth_bits == 16 ? 2 : 4);
  probe(stencil_number, small.targets.depth.stencil, 1);
  // In the middle of the upper side, where no diagonal comes.
  const int x = ((area->left + area->right) / 2) & ~1, y = (area->top + 1) & ~1;
  constexpr int side = 2;
  small.rasterization.scissors.push_back({x, y, x + side, y + side});
  Counters probed;
  if (!probe_group(small, group, workers, probed, stop)) return false;

  constexpr uint64_t pixels = side * side;
  if (probed.samples_passed % pixels || probed.pixel_invocations % pixels) return {};
  for (Filled& f : filled)
    if (!f.probe.change(x, y)) return {};
  if (!draw_waiting(workers)) return false;
  // (A fill that would be written back at once is done in memory instead.)
  if (!draw.stays_open || !note(constants, filled, *area, workers.storage().tile_cache)) {
    if (!write_back(workers)) return false;
    for (Filled& f : filled)
      if (f.probe.changes()) f.target->fill_area(*area, 0, {f.probe.keep, f.probe.flip, constants.samples});
  }

  const uint64_t all = uint64_t(width) * uint64_t(height);
  counters.clipped_primitives_in += shape.part.in, counters.clipped_primitives_out += shape.part.out;
  counters.samples_passed += probed.samples_passed / pixels * all;
  counters.pixel_invocations += probed.pixel_invocations / pixels * all;
  counters.pixels_by_path[size_t(PixelPath::direct)] += probed.pixel_invocations / pixels * all;
  if (progress) progress->fetch_add(1, std::memory_order_relaxed);
  return true;
}

}  // namespace

std::optional<bool> fill_rectangle(const Draw& draw, Workers& workers, Counters& counters, const std::atomic<int>& stop,
                                   std::atomic<uint64_t>* progress) {
  DrawConstants constants;
  if (!draw.vertex_stage || !may_be_rectangle(draw) || draw.vertices.instances != 1 || draw.assembly.vertices_have_primitives)
    return {};
  if (!can_fill(draw) || !make_constants(draw, constants)) return {};
  Storage& storage = workers.storage();
  Segment& segment = storage.segment;
  Assembler assembler(draw, storage.cache);
  assembler.next(segment);
  const size_t count = segment.number.size();
  const unsigned batch = draw.vertex_stage->batch_size();
  if (segment.primitives.size() > most_filled_primitives || count > std::min<size_t>(most_filled_vertices, batch)) return {};
  GivenGroup& group = storage.group;
  group.primitives = segment.primitives;
  group.vertices.assign(batch, {});
  group.attributes.resize((size_t(batch) + 1) * constants.attribute_floats);
  if (!draw.vertex_stage->shade(0, {{segment.number.data(), count}, {segment.instance.data(), count}}, group.vertices.data(),
                                group.attributes.data()))
    return false;
  group.vertices.resize(count);
  Counters filled;
  const std::optional<bool> good = fill_group(draw, constants, group, workers, filled, stop, progress);
  if (!good || !*good) return good;
  filled.vertices = assembler.vertices_read(), filled.primitives = assembler.primitives_read();
  filled.vertex_invocations = count;
  counters += filled;
  return true;
}

bool may_fill_given(const Draw& draw) {
  // (Where lines end is told by those that are drawn.)
  return draw.uniform_pixels && !draw.vertex_stage && !draw.lines_end && can_fill(draw);
}

std::optional<bool> fill_given(const Draw& draw, const GivenGroup& group, Workers& workers, Counters& counters,
                               const std::atomic<int>& stop, std::atomic<uint64_t>* progress) {
  DrawConstants constants;
  if (!may_fill_given(draw) || !make_constants(draw, constants)) return {};
  return fill_group(draw, constants, group, workers, counters, stop, progress);
}

bool change_areas(const Targets& targets, unsigned number, std::span<const Rectangle> areas, const OwnedChange& change,
                  Workers& workers) {
  if (!draw_waiting(workers)) return false;
  PixelWatch* const watch = workers.watched();
  if (watch) {
    if (!write_back(workers)) return false;
    Targets changed = targets;
    for (unsigned n = 0; n < 8; n++)
      if (n != number) changed.colour[n].target = nullptr;
    if (number != depth_target) changed.depth = {};
    watch->begin(changed, nullptr);
  }
  const bool is_depth = number == depth_target;
  Target& target = is_depth ? *targets.depth.depth : *targets.colour[number].target;
  DrawTargets one;
  TargetChanges changes;
  if (is_depth) {
    one.has_depth = true;
    one.depth = {.target = &target,
                 .is_depth = true,
                 .depth_bits = targets.depth.depth_bits,
                 .stencil_in_upper_byte = targets.depth.stencil_in_upper_byte,
                 .samples = targets.samples};
    changes.depth.texels = change;
  } else {
    one.colour[number] = {.target = &target, .texel_bytes = targets.colour[number].texel_bytes, .samples = targets.samples};
    changes.colour[number].texels = change;
  }
  TileCache& cache = workers.storage().tile_cache;
  for (const Rectangle& area : areas) {
    if (cache.has_room(one) && cache.fill(cache.bind(one), area, changes)) continue;
    if (!write_back(workers)) return false;
    target.fill_area(area, 0, change.view());
  }
  if (!watch) return true;
  const bool good = write_back(workers);
  watch->end();
  return good;
}

}  // namespace Atoll::pipeline
