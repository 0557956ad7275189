#include "random_state.h"

#include <algorithm>
#include <bit>

namespace Atoll::pipeline::test {

namespace {

using surface::Number;

Compare random_compare(Random& r) { return Compare(r.below(8)); }

void random_vertices(Random& r, const Case& c, RandomDraw& d) {
  using T = Topology;
  Draw& draw = d.draw;
  draw.assembly.topology = r.one_of({T::triangles, T::triangles, T::triangles, T::triangle_strip, T::triangle_fan, T::lines,
                                     T::line_strip, T::points, T::rectangles, T::rectangles, T::quads, T::polygon});
  draw.assembly.provoking = ProvokingVertex(r.below(2));
  const float w = float(c.width), h = float(c.height);
  // One depth for all (which may be the targets' own), or any.
  const bool one_depth = r.percent(30);
  const float depth = r.percent(50) ? 0.5f : float(r.below(9)) / 8;
  const bool coarse = c.layers && r.percent(40);
  float level = -1;  // of a primitive that is nearly level
  auto z = [&] {
    if (coarse) return float(r.below(5)) / 4;
    if (level >= 0) return level + r.real(-0.04f, 0.04f);
    return one_depth ? depth : r.percent(90) ? r.unit() : r.real(-0.5f, 1.5f);
  };
  auto add = [&](float x, float y) {
    Vertex vertex;
    vertex.position[0] = x, vertex.position[1] = y, vertex.position[2] = z();
    vertex.point_size = r.real(0.5f, 20);
    vertex.edge = r.percent(80);
    d.vertices.vertices.push_back(vertex);
  };
  const bool whole = r.percent(c.layers ? 90 : 40);  // covers blocks from side to side
  const bool lists = draw.assembly.topology == T::triangles || draw.assembly.topology == T::rectangles;
  for (unsigned n = whole && lists ? c.layers ? 1 + r.below(3) : 1 : 0; n > 0; n--) {
    const float margin = r.percent(50) ? 0 : r.real(-3, 9);
    const bool triangle = draw.assembly.topology == T::triangles;
    const float far = triangle ? 2.0f : 1.0f;
    level = c.layers && r.percent(60) ? r.unit() : -1;
    add(margin, margin), add(w * far - margin, margin), add(margin, h * far - margin);
    level = -1;
  }
  if (whole && draw.assembly.topology == T::points) {
    draw.rasterization.point_width = w + 5, draw.rasterization.point_height = h + 3;
    add(w / 2, h / 2);
    return;
  }
  if (c.layers && whole && lists && r.percent(60)) return;
  const unsigned count = r.percent(70) ? r.below(13) : r.below(40);
  const float reach = r.percent(50) ? std::max(w, h) : r.real(1, 20);
  for (unsigned n = 0; n < count; n += 3) {
    const float x = r.real(-5, w + 5), y = r.real(-5, h + 5);
    for (unsigned corner = 0; corner < 3; corner++) {
      float dx = r.real(-reach, reach), dy = r.real(-reach, reach);
      if (draw.assembly.topology == T::rectangles) dx = corner == 1 ? reach : 0, dy = corner == 2 ? reach : 0;
      add(x + dx, y + dy);
    }
  }
}

void random_rasterization(Random& r, const Case& c, Rasterization& raster) {
  raster.grid.denominator = r.one_of({16u, 256u, 256u, 4096u});
  raster.cull_front = r.percent(5), raster.cull_back = r.percent(5);
  raster.front_is_clockwise = r.percent(50);
  if (r.percent(15)) raster.fill_front = Fill(r.below(3)), raster.fill_back = Fill(r.below(3));
  if (r.percent(20)) {
    raster.offset_front = raster.offset_back = true;
    raster.depth_offset_front = {r.real(-2, 2), r.real(-1000, 1000), 0};
    raster.depth_offset_back = raster.depth_offset_front;
  }
  raster.line_width = r.percent(50) ? 1 : r.real(1, 9);
  raster.point_width = r.real(1, 20), raster.point_height = r.real(1, 20);
  raster.point_size_from_vertex = r.percent(40);
  raster.samples = c.samples;
  if (r.percent(10)) raster.samples = std::max(1u, c.samples / 2);
  if (c.samples == 1 && r.percent(10)) raster.over_rasterize = true, raster.samples = r.one_of({2u, 4u, 8u});
  for (SamplePosition& position : raster.sample_positions) position = {int8_t(r.below(16)), int8_t(r.below(16))};
  if (raster.samples == 1) raster.sample_positions[0] = {8, 8};
  if (r.percent(30)) raster.sample_mask = r.next() & 0xffff;
  raster.sample_shading = r.percent(25);
  if (r.percent(25)) {
    const int left = r.between(-3, int(c.width)), top = r.between(-3, int(c.height));
    raster.scissors.push_back({left, top, left + r.between(1, 60), top + r.between(1, 60)});
  }
}

void random_depth_stencil(Random& r, const Case& c, DepthStencil& state) {
  state.depth_test = r.percent(c.layers ? 90 : 60), state.depth_write = r.percent(60);
  state.depth_compare = random_compare(r);
  if (r.percent(10)) state.depth_sign = r.percent(50) ? DepthSign::twos_complement : DepthSign::magnitude;
  state.stencil_test = r.percent(c.layers ? 20 : 50);
  state.front = random_face(r), state.back = random_face(r);
  state.bounds_test = r.percent(c.layers ? 3 : 15);
  state.bounds_low = r.real(-0.1f, 0.6f), state.bounds_high = r.real(0.3f, 1.1f);
  state.early = r.percent(c.layers ? 85 : 50);
  state.count_samples = r.percent(60);
  // Under sample shading with late tests a pixel's own sample is the one that has been tested.
  if (r.percent(10)) {
    if (r.percent(40)) state.early = false;
    state.copy_depth = r.percent(70), state.copy_stencil = r.percent(70);
    state.copied_sample = r.below(16);
    state.copy_first_drawn = r.percent(50);
  }
}

// A value that blending knows, where NaNs have their usual form.
float random_constant(Random& r, bool any_nan) {
  switch (r.below(8)) {
    case 0: return r.real(-2, 3);
    case 1: return std::bit_cast<float>(any_nan ? 0x7fc00001 : usual_nan);
    case 2: return float(r.below(2));
    default: return r.unit();
  }
}

void random_colour(Random& r, const Case& c, ColourOutput& output) {
  const Blend shared = random_blend(r);
  for (unsigned n = 0; n < 8; n++) {
    Blend& blend = output.blend[n];
    blend = r.percent(50) ? shared : random_blend(r);
    if (!c.has_colour[n]) continue;
    const Number number = c.colour[n].format.number;
    const bool floats = number == Number::floating || number == Number::depth_stencil;
    if (c.any_nans && floats) blend.enable = false;
    if (!c.any_nans && number == Number::depth_stencil) blend.logic_op = false;  // (it makes NaNs of any form)
  }
  for (float& value : output.constant) value = random_constant(r, c.any_nans);
  output.logic_op_enable = r.percent(15);
  output.logic_op = LogicOp(r.below(16));
  output.alpha_to_coverage = r.percent(15), output.alpha_to_one = r.percent(10);
  if (r.percent(40)) output.alpha_samples = 1u << r.below(5);
  if (r.percent(50))
    for (uint8_t& rounding : output.alpha_rounding) rounding = uint8_t(r.below(8));
  output.alpha_in_order = r.percent(20);
  output.alpha_test = r.percent(20);
  output.alpha_compare = random_compare(r);
  output.alpha_reference = r.percent(80) ? r.unit() : random_constant(r, c.any_nans);
  output.clamp_before_blending = r.percent(80);
}

void random_shader(Random& r, const Case& c, RandomDraw& d) {
  Shader& s = d.shader;
  s.seed = r.next64();
  s.constant = r.percent(25);
  s.exact_numbers = !c.any_nans;
  s.special_percent = r.percent(40) ? 0 : r.below(25);
  s.kill_percent = r.percent(60) ? 0 : r.one_of({5u, 50u, 95u});
  s.lanes = r.one_of({4u, 12u, 16u, 32u, 64u, 64u});
  for (unsigned n = 0; n < 8; n++) {
    s.integers[n] = c.has_colour[n] ? surface::is_integer(c.colour[n].format.number) : r.percent(10);
    if (r.percent(5)) s.integers[n] = false;  // floats' bits as integers
    if (r.percent(50)) s.steps[n] = r.one_of({255u, 255u, 31u, 63u, 15u, 1023u, 65535u, 127u});
    if ((c.has_colour[n] && !r.percent(8)) || r.percent(10)) s.written |= uint8_t(1u << n);
    if (r.percent(30)) s.halves |= uint8_t(1u << n);
  }
  s.has_second_source = r.percent(25);
  if (s.has_second_source) s.integers[1] = false;  // (of any bits, they would be NaNs of any form)
  s.has_depth = r.percent(20), s.has_stencil = r.percent(15), s.has_coverage = r.percent(15);
  d.draw.uniform_pixels = s.constant;
  d.depth_only = r.percent(5);
}

}  // namespace

SourceDiscard random_discard(Random& r) {
  SourceDiscard discard{.when = r.percent(50) ? SourceDiscard::When::below : SourceDiscard::When::from,
                        .components = uint8_t(r.below(16))};
  for (float& bound : discard.bound) bound = r.one_of({0.0f, 0.25f, 0.5f, 1.0f});
  return discard;
}

Blend random_blend(Random& r) {
  Blend blend;
  blend.enable = r.percent(60);
  blend.logic_op = r.percent(80);
  if (r.percent(25)) {
    blend.source_colour = BlendFactor::source_alpha, blend.target_colour = BlendFactor::one_minus_source_alpha;
    blend.source_alpha = BlendFactor::one, blend.target_alpha = BlendFactor::one_minus_source_alpha;
  } else {
    blend.source_colour = any_factor(int(r.below(19))), blend.target_colour = any_factor(int(r.below(19)));
    blend.source_alpha = any_factor(int(r.below(19))), blend.target_alpha = any_factor(int(r.below(19)));
    blend.colour = BlendOp(r.below(5)), blend.alpha = BlendOp(r.below(5));
  }
  blend.clamp_colour = r.percent(25), blend.clamp_alpha = r.percent(25);
  blend.write_mask = r.percent(60) ? 0xf : uint8_t(r.below(16));
  if (r.percent(20)) blend.discard = random_discard(r);
  if (r.percent(30)) blend.colour_cut = {uint8_t(r.one_of({8u, 10u})), r.percent(50)};
  if (r.percent(30)) blend.alpha_cut = {uint8_t(r.one_of({8u, 10u})), r.percent(50)};
  return blend;
}

StencilFace random_face(Random& r) {
  StencilFace face;
  face.compare = random_compare(r);
  auto op = [&] { return StencilOp(r.below(16)); };
  face.fail = op(), face.depth_fail = op(), face.pass = op();
  face.reference = r.percent(50) ? uint8_t(r.below(4)) : uint8_t(r.next());
  face.compare_mask = r.percent(50) ? 0xff : uint8_t(r.next());
  face.write_mask = r.percent(50) ? 0xff : uint8_t(r.next());
  face.op_value = r.percent(50) ? 1 : uint8_t(r.next());
  return face;
}

void make_random(Random& r, const Case& c, RandomDraw& d) {
  Draw& draw = d.draw;
  draw.targets.width = c.width, draw.targets.height = c.height, draw.targets.samples = c.samples;
  draw.clip.enable = draw.clip.divide = draw.clip.viewport_transform = false;
  if (c.clamps_depth && r.percent(85))
    for (Viewport& viewport : draw.viewports) viewport.depth_low = 0.25f, viewport.depth_high = 0.75f;
  random_rasterization(r, c, draw.rasterization);
  random_depth_stencil(r, c, draw.depth_stencil);
  random_colour(r, c, draw.colour);
  random_shader(r, c, d);
  random_vertices(r, c, d);
  if (draw.rasterization.sample_shading && c.samples > 1) draw.depth_stencil.copy_first_drawn = true;
  draw.stays_open = r.percent(60);
  draw.vertices.count = uint32_t(d.vertices.vertices.size());
}

}  // namespace Atoll::pipeline::test
