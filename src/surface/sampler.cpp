#include "surface/sampler.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "surface/cube_faces.h"
#include "surface/decode_texel.h"
#include "surface/float_environment.h"
#include "surface/footprint.h"
#include "surface/level_choice.h"
#include "surface/planar_filter.h"
#include "surface/wrap.h"

namespace Atoll::surface {

namespace {

Four splat(float value) { return Four{value, value, value, value}; }

// Values that all lanes of a call share.
struct Plan {
  const Texture& texture;
  const Sampler& sampler;
  Format format;  // that texels are read in: natural order for comparisons
  DecodeTexel decode;
  Four border;
  unsigned axes;
  bool cube, integers;
  bool compare, clamp_reference, special;
  unsigned first_level, last_level;  // after first_level
};

Plan plan_of(const Texture& texture, const Sampler& sampler) {
  const TextureDescription& d = texture.description();
  Format format = d.format;
  bool integers = is_integer(format.number);
  bool compare = sampler.compare && !integers;
  if (compare) format.order = natural_order;
  bool is_float = format.number == Number::floating || format.layout == Layout::bits_32_8_24;
  return {texture,
          sampler,
          format,
          texel_decoder(format),
          std::bit_cast<Four>(sampler.border),
          texture.axes(),
          texture.cube(),
          integers,
          compare,
          !is_float,
          sampler.is_special(),
          d.first_level,
          texture.last_level() - d.first_level};
}

// Values of one lane.
struct LaneState {
  std::array<float, 3> at = {};
  unsigned face = 0, slice = 0;
  std::array<int, 3> offset = {};
  float reference = 0;
  unsigned taps = 1;  // anisotropy
  std::array<float, 3> axis = {};
  bool* meets_key = nullptr;
};

bool passes(Comparison comparison, float reference, float texel) {
  switch (comparison) {
    case Comparison::never: return false;
    case Comparison::less: return reference < texel;
    case Comparison::equal: return reference == texel;
    case Comparison::less_equal: return reference <= texel;
    case Comparison::greater: return reference > texel;
    case Comparison::not_equal: return reference != texel;
    case Comparison::greater_equal: return reference >= texel;
    case Comparison::always: return true;
  }
  return false;
}

Four compared(const Plan& p, const LaneState& lane, Four texel) {
  if (p.compare) texel = splat(passes(p.sampler.comparison, lane.reference, texel[0]) ? 1.0f : 0.0f);
  if (p.sampler.alpha_is_weight != Sampler::AlphaIsWeight::no) texel[3] = 1;
  return texel;
}

Four border_of(const Plan& p, const LaneState& lane) {
  return p.sampler.alpha_is_weight == Sampler::AlphaIsWeight::without_border ? splat(0) : compared(p, lane, p.border);
}

Four read(const Plan& p, unsigned level, int x, int y, unsigned z) {
  const uint8_t* texel = p.texture.texel(level, unsigned(x), unsigned(y), z);
  return p.decode(p.format, texel, p.texture.in_block(unsigned(x)), unsigned(y) & 3);
}

bool is_in(const Plan& p, const Sampler::KeyRange& range, unsigned level, int x, int y, unsigned z) {
  Format format = p.format;
  format.order = range.order;
  const uint8_t* texel = p.texture.texel(level, unsigned(x), unsigned(y), z);
  const Four fields = texel_decoder(format)(format, texel, p.texture.in_block(unsigned(x)), unsigned(y) & 3);
  for (int c = 0; c < 4; c++) {
    const long code = std::lround(std::clamp(fields[c], 0.0f, 1.0f) * 255);
    if (code < range.least[size_t(c)] || code > range.most[size_t(c)]) return false;
  }
  return true;
}

// A texel with what Sampler::is_special() means of it.
Four read_special(const Plan& p, const LaneState& lane, unsigned level, int x, int y, unsigned z) {
  const Sampler& s = p.sampler;
  Four texel = read(p, level, x, y, z);
  if ((s.key && std::bit_cast<Colour>(texel) == *s.key) || (s.key_range && is_in(p, *s.key_range, level, x, y, z))) {
    if (lane.meets_key) *lane.meets_key = true;
    if (s.key_is_zero) return splat(0);
  }
  if (s.turns_chroma)
    for (int c : {0, 2}) texel[c] = float(int(std::lround(texel[c] * 255)) ^ 0x80) / 255;
  return texel;
}

Four read_compared(const Plan& p, const LaneState& lane, unsigned level, int x, int y, unsigned z) {
  return compared(p, lane, p.special ? read_special(p, lane, level, x, y, z) : read(p, level, x, y, z));
}

// The texel (x, y) of a face; one step outside of it, that of the face around the edge.
Four read_seamless(const Plan& p, const LaneState& lane, unsigned level, int x, int y) {
  int n = int(p.texture.size(level).width);
  const bool inside = x >= 0 && x < n && y >= 0 && y < n;
  if (inside && p.sampler.missing_faces >> lane.face & 1) return border_of(p, lane);
  if (inside) return read_compared(p, lane, level, x, y, lane.slice + lane.face);
  // The texel lies half a texel from the edge on the next face: as far from the new face's middle as this face's border texels.
  float edge = 1 - 1 / float(n);
  auto centre = [&](int i) { return float(2 * i + 1) / float(n) - 1; };
  FaceVector v = {centre(x), centre(y), 1};
  if (x < 0 || x >= n) v.s = x < 0 ? -1 : 1;
  if (y < 0 || y >= n) v.t = y < 0 ? -1 : 1;
  v.major = edge;
  Direction d = from_face(lane.face, v);
  unsigned face = cube_face(d);
  FaceVector on = on_face(face, d);
  auto index = [&](float component) { return std::clamp(int(std::floor((component + 1) * 0.5f * float(n))), 0, n - 1); };
  if (p.sampler.missing_faces >> face & 1) return border_of(p, lane);
  return read_compared(p, lane, level, index(on.s), index(on.t), lane.slice + face);
}

// The four texels of a seamless cube's linear filter. There are only three where three faces meet: the fourth is their mean.
void read_cube_corner(const Plan& p, const LaneState& lane, unsigned level, const AxisTaps& s, const AxisTaps& t,
                      Four (&texels)[2][2]) {
  int n = int(p.texture.size(level).width);
  auto outside = [&](int i) { return i < 0 || i >= n; };
  int missing_x = -1, missing_y = -1;
  Four sum = splat(0);
  for (int j = 0; j < 2; j++)
    for (int i = 0; i < 2; i++) {
      if (outside(s.texel[i]) && outside(t.texel[j])) {
        missing_x = i, missing_y = j;
        continue;
      }
      texels[j][i] = read_seamless(p, lane, level, s.texel[i], t.texel[j]);
      sum += texels[j][i];
    }
  if (missing_x >= 0) texels[missing_y][missing_x] = sum / splat(3);
}

Four read_or_border(const Plan& p, const LaneState& lane, unsigned level, int x, int y, int z) {
  const bool missing = p.cube && p.sampler.missing_faces >> lane.face & 1;
  bool outside = x == border_texel || y == border_texel || z == border_texel || missing;
  return outside ? border_of(p, lane) : read_compared(p, lane, level, x, y, unsigned(z));
}

Axis axis_of(const Plan& p, unsigned level, unsigned i, Filter filter = Filter::linear, bool minified = false) {
  Texture::Size size = p.texture.size(level);
  Axis axis;
  axis.size = int(i == 0 ? size.width : i == 1 ? size.height : size.depth);
  axis.wrap = p.sampler.wrap[i];
  axis.unnormalized = p.sampler.unnormalized;
  if (axis.unnormalized && (axis.wrap == Wrap::repeat || axis.wrap == Wrap::mirror)) axis.wrap = Wrap::clamp_to_edge;
  axis.truncate = p.sampler.truncate_coordinates || (p.sampler.truncate_nearest && filter == Filter::nearest);
  if (const auto& truncated = p.sampler.truncated)
    axis.truncate = (minified ? truncated->minified : truncated->magnified) >> i & 1;
  axis.half_fractions = p.sampler.half_fractions;
  return axis;
}

// Indices that run over a face's edges.
AxisTaps face_taps(const Axis& axis, float coordinate, int shift = 0) {
  Axis edge = axis;
  edge.wrap = Wrap::clamp_to_edge;
  int fixed = std::clamp(fixed_coordinate(edge, coordinate, 0) + shift, 0, axis.size * fixed_one) - fixed_one / 2;
  int i = fixed >> fraction_bits, fraction = fixed & (fixed_one - 1);
  if (axis.half_fractions) fraction &= fixed_one / 2;
  return {{i, i + 1}, fraction};
}

Four smaller(Four a, Four b) { return a < b ? a : b; }
Four larger(Four a, Four b) { return a > b ? a : b; }

Four blend(const Plan& p, Four a, Four b, int fraction) {
  switch (p.sampler.reduction) {
    case Reduction::minimum: return smaller(a, b);
    case Reduction::maximum: return larger(a, b);
    default: return mixed(a, b, float(fraction) / fixed_one);
  }
}

// Four texels each way, of a slice.
Four filter_four(const Plan& p, const LaneState& lane, unsigned level, int z) {
  int texel[2][4];
  const float* weight[2];
  for (unsigned i = 0; i < 2; i++) {
    const Axis axis = axis_of(p, level, i);
    const AxisTaps before = linear_taps(axis, lane.at[i], lane.offset[i] - 1);
    const AxisTaps after = linear_taps(axis, lane.at[i], lane.offset[i] + 1);
    texel[i][0] = before.texel[0], texel[i][1] = before.texel[1], texel[i][2] = after.texel[0], texel[i][3] = after.texel[1];
    constexpr int step = fixed_one / (FourTaps::phases - 1);
    weight[i] = p.sampler.four_taps->weight[i][size_t((before.fraction + step / 2) / step)].data();
  }
  Four sum = splat(0);
  for (int row = 0; row < 4; row++) {
    Four of_row = splat(0);
    for (int column = 0; column < 4; column++)
      of_row += weight[0][column] * read_or_border(p, lane, level, texel[0][column], texel[1][row], z);
    sum += weight[1][row] * of_row;
  }
  return sum;
}

// One level's filter at `at`.
Four filter_level(const Plan& p, const LaneState& lane, unsigned level, Filter filter, bool minified) {
  if (p.integers) filter = Filter::nearest;
  const std::array<float, 3>& at = lane.at;
  unsigned n = level + p.first_level;
  if (p.cube && p.sampler.seamless_cube && filter == Filter::linear) {
    AxisTaps s = face_taps(axis_of(p, n, 0, filter, minified), at[0]), t = face_taps(axis_of(p, n, 1, filter, minified), at[1]);
    Four texels[2][2];
    read_cube_corner(p, lane, n, s, t, texels);
    Four top = s.fraction ? blend(p, texels[0][0], texels[0][1], s.fraction) : texels[0][0];
    if (!t.fraction) return top;
    return blend(p, top, s.fraction ? blend(p, texels[1][0], texels[1][1], s.fraction) : texels[1][0], t.fraction);
  }
  AxisTaps taps[3] = {{{0, 0}}, {{0, 0}}, {{0, 0}}};
  for (unsigned i = 0; i < p.axes; i++) {
    Axis axis = axis_of(p, n, i, filter, minified);
    if (p.cube && p.sampler.seamless_cube) axis.wrap = Wrap::clamp_to_edge;
    bool linear = filter != Filter::nearest;
    if (i == 2 && p.sampler.slice_filter != SliceFilter::as_others)
      linear = !p.integers && p.sampler.slice_filter == SliceFilter::linear;
    taps[i] = linear ? linear_taps(axis, at[i], lane.offset[i]) : nearest_tap(axis, at[i], lane.offset[i]);
  }
  if (p.axes < 3) taps[2].texel[0] = int(lane.slice + lane.face);
  auto row = [&](int y, int z) {
    Four first = read_or_border(p, lane, n, taps[0].texel[0], y, z);
    if (!taps[0].fraction) return first;
    return blend(p, first, read_or_border(p, lane, n, taps[0].texel[1], y, z), taps[0].fraction);
  };
  auto slice = [&](int z) {
    Four first = row(taps[1].texel[0], z);
    return taps[1].fraction ? blend(p, first, row(taps[1].texel[1], z), taps[1].fraction) : first;
  };
  Four first = slice(taps[2].texel[0]);
  if (filter == Filter::four_taps && p.axes == 2 && p.sampler.four_taps) {
    const Four by_four = filter_four(p, lane, n, taps[2].texel[0]);
    for (int c = 0; c < 4; c++)
      if (p.sampler.four_taps_components >> c & 1) first[c] = by_four[c];
  }
  return taps[2].fraction ? blend(p, first, slice(taps[2].texel[1]), taps[2].fraction) : first;
}

Four filter_tap(const Plan& p, const LaneState& lane, const LevelOfDetail& lod) {
  const bool minified = (p.sampler.compares_unclamped ? lod.computed : lod.clamped) > p.sampler.base_level;
  Filter filter = minified ? p.sampler.min_filter : p.sampler.mag_filter;
  Levels levels = levels_of(p.sampler, p.last_level, lod);
  if (!minified && !p.sampler.magnified_has_levels) {
    const auto base = unsigned(std::clamp(p.sampler.lod_min, 0.0f, float(p.last_level)));
    levels = {base, base, 0};
  }
  Four first = filter_level(p, lane, levels.first, filter, minified);
  if (!levels.fraction || levels.first == levels.second || p.integers) return first;
  return blend(p, first, filter_level(p, lane, levels.second, filter, minified), levels.fraction);
}

// Taps along the longer axis of the footprint, their mean.
Four filter_footprint(const Plan& p, const LaneState& lane, const LevelOfDetail& lod) {
  unsigned taps = p.integers ? 1 : lane.taps;
  if (taps <= 1) return filter_tap(p, lane, lod);
  Four sum = splat(0);
  for (unsigned i = 0; i < taps; i++) {
    LaneState tap = lane;
    float along = float(i + 1) / float(taps + 1) - 0.5f;
    for (unsigned a = 0; a < p.axes; a++) tap.at[a] += lane.axis[a] * along;
    if (p.cube) {  // the tap may lie on another face
      Direction d = from_face(tap.face, {tap.at[0] * 2 - 1, tap.at[1] * 2 - 1, 1});
      tap.face = cube_face(d);
      FaceVector v = on_face(tap.face, d);
      tap.at = {face_coordinate(v.s, v.major), face_coordinate(v.t, v.major), 0};
    }
    Four texel = filter_tap(p, tap, lod);
    if (i == 0)
      sum = texel;
    else
      sum = p.sampler.reduction == Reduction::minimum   ? smaller(sum, texel)
            : p.sampler.reduction == Reduction::maximum ? larger(sum, texel)
                                                        : sum + texel;
  }
  return p.sampler.reduction == Reduction::average ? sum / splat(float(taps)) : sum;
}

int signed6(uint32_t word, unsigned first) { return int32_t(word << (26 - first)) >> 26; }

LaneState lane_state(const Plan& p, const SampleLanes& call, unsigned lane, const SamplePlaces& places) {
  LaneState state = {.at = {places.at[0][lane], places.at[1][lane], places.at[2][lane]}};
  state.face = places.face[lane];
  state.slice = places.slice[lane];
  if (call.offsets)
    for (unsigned i = 0; i < 3; i++) state.offset[i] = signed6(call.offsets[lane], 8 * i);
  if (p.compare) {
    state.reference = word_as_float(call.reference, lane);
    if (p.clamp_reference) state.reference = std::clamp(state.reference, 0.0f, 1.0f);
  }
  return state;
}

// A comparison's result stands in a texel's first component; the format's order makes a colour of it.
Colour finished(const Plan& p, Four value) {
  if (!p.compare) return std::bit_cast<Colour>(value);
  uint32_t result = std::bit_cast<uint32_t>(value[0]);
  Colour colour = in_order(p.texture.format(), {result, 0, 0, std::bit_cast<uint32_t>(1.0f)});
  if (p.sampler.alpha_is_weight != Sampler::AlphaIsWeight::no) colour[3] = std::bit_cast<uint32_t>(value[3]);
  return colour;
}

template <class Function>
void for_lanes(const SampleLanes& call, uint64_t lanes, Function function) {
  for (uint64_t rest = lanes; rest; rest &= rest - 1) {
    unsigned lane = unsigned(std::countr_zero(rest));
    if (lane >= call.lanes) break;
    function(lane);
  }
}

}  // namespace

// Results in whole steps of a unorm format's fields, by Sampler::step_rounding.
static Colour in_steps(const Plan& p, const Colour& colour) {
  if (!p.sampler.step_rounding || p.format.number != Number::unorm) return colour;
  const LayoutRow& layout = row(p.format.layout);
  Colour cut = colour;
  for (unsigned c = 0; c < 4; c++) {
    const auto field = unsigned(p.format.order[c]);
    if (field >= layout.fields || layout.field[field].bits > 16) continue;
    const float most = float((1u << layout.field[field].bits) - 1), value = std::bit_cast<float>(colour[c]);
    cut[c] = std::bit_cast<uint32_t>(std::floor(value * most + *p.sampler.step_rounding) / most);
  }
  return cut;
}

// Depths are left, which may stand beside a stencil's integers.
static void flush_denormals(const Texture& texture, const Sampler& sampler, const SampleLanes& call,
                            std::array<Lanes, 4>& result) {
  const Number number = texture.format().number;
  if (!sampler.flush_denormals || is_integer(number) || number == Number::depth_stencil) return;
  for_lanes(call, call.active, [&](unsigned lane) {
    for (Lanes& lanes : result)
      if (!(lanes[lane] & 0x7f800000)) lanes[lane] &= 0x80000000;
  });
}

void sample(const Texture& texture, const Sampler& sampler, const SampleLanes& call, std::array<Lanes, 4>& result) {
  FloatEnvironment environment;
  Plan p = plan_of(texture, sampler);
  SamplePlaces places;
  Footprints footprints;
  // Nothing depends on the level of detail where one level is sampled with one filter.
  bool one_level = sampler.mip_filter == MipFilter::none && sampler.min_filter == sampler.mag_filter && !sampler.truncated;
  bool has_footprint = needs_footprint(call.lod_mode) && (!one_level || sampler.max_anisotropy > 1);
  if (!has_footprint && needs_footprint(call.lod_mode)) std::fill_n(footprints.level, max_lanes, 0.0f);
  if (!has_footprint) std::fill_n(footprints.taps, max_lanes, uint8_t(1));
  find_places(texture, call, places);
  if (has_footprint) find_footprints(texture, sampler, call, places, footprints);
  for_lanes(call, filter_planar(texture, sampler, call, places, footprints, result), [&](unsigned lane) {
    const LevelOfDetail lod = level_of_detail(sampler, call, lane, footprints);
    LaneState state = lane_state(p, call, lane, places);
    if (footprints.taps[lane] > 1) {
      state.taps = footprints.taps[lane];
      for (unsigned i = 0; i < 3; i++) state.axis[i] = footprints.axis[i][lane];
    }
    bool meets_key = false;
    state.meets_key = &meets_key;
    Colour colour = in_steps(p, finished(p, filter_footprint(p, state, lod)));
    if (call.meets_key) *call.meets_key |= uint64_t(meets_key) << lane;
    for (int c = 0; c < 4; c++) result[c][lane] = colour[c];
  });
  flush_denormals(texture, sampler, call, result);
}

void gather(const Texture& texture, const Sampler& sampler, const SampleLanes& call, std::array<Lanes, 4>& result) {
  FloatEnvironment environment;
  Plan p = plan_of(texture, sampler);
  SamplePlaces places;
  Footprints footprints;
  find_places(texture, call, places);
  int shift = call.gather_from_nearest ? fixed_one / 2 : 0;
  bool has_footprint = call.lod_mode == LodMode::bias || call.lod_mode == LodMode::derivatives;
  if (has_footprint) find_footprints(texture, sampler, call, places, footprints);
  for_lanes(call, call.active, [&](unsigned lane) {
    LaneState state = lane_state(p, call, lane, places);
    unsigned level = p.first_level;
    // Without a level of their own gathers are the base level's, whatever is the least level of detail (OpenGL 4.6 8.14, "Texture Gather";
    // Vulkan 1.3, "Texel Gathering").
    if (call.lod_mode != LodMode::implicit && call.lod_mode != LodMode::zero) {
      const LevelOfDetail lod = level_of_detail(sampler, call, lane, footprints);
      Levels levels = levels_of(p.sampler, p.last_level, lod);
      level += levels.fraction >= fixed_one / 2 ? levels.second : levels.first;
    }
    Four texels[2][2];  // [row][column]
    bool seamless = p.cube && sampler.seamless_cube;
    Axis x = axis_of(p, level, 0), y = axis_of(p, level, 1);
    x.gathers = y.gathers = true;
    if (seamless) {
      read_cube_corner(p, state, level, face_taps(x, state.at[0], shift), face_taps(y, state.at[1], shift), texels);
    } else {
      AxisTaps s = linear_taps(x, state.at[0], state.offset[0], shift), t = {{0, 0}};
      if (p.axes > 1) t = linear_taps(y, state.at[1], state.offset[1], shift);
      for (int j = 0; j < 2; j++)
        for (int i = 0; i < 2; i++)
          texels[j][i] = read_or_border(p, state, level, s.texel[i], t.texel[j], int(state.slice + state.face));
    }
    unsigned component = p.compare ? 0 : call.gather_component & 3;
    Four order[4] = {texels[1][0], texels[1][1], texels[0][1], texels[0][0]};
    for (int c = 0; c < 4; c++) result[c][lane] = std::bit_cast<Colour>(order[c])[component];
  });
  flush_denormals(texture, sampler, call, result);
}

void query_lod(const Texture& texture, const Sampler& sampler, const SampleLanes& call, std::array<Lanes, 4>& result) {
  FloatEnvironment environment;
  Plan p = plan_of(texture, sampler);
  SamplePlaces places;
  Footprints footprints;
  find_places(texture, call, places);
  if (needs_footprint(call.lod_mode)) find_footprints(texture, sampler, call, places, footprints);
  for_lanes(call, call.active, [&](unsigned lane) {
    LevelOfDetail lod = level_of_detail(sampler, call, lane, footprints);
    Levels levels = levels_of(p.sampler, p.last_level, lod);
    float taken = float(levels.first) + (levels.first == levels.second ? 0 : float(levels.fraction) / fixed_one);
    result[0][lane] = std::bit_cast<uint32_t>(taken);
    result[1][lane] = std::bit_cast<uint32_t>(lod.computed);
    result[2][lane] = result[3][lane] = 0;
  });
}

}  // namespace Atoll::surface
