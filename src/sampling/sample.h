// Texture sampling in the words of the engine (wave/engine.h), specialised by a Form: what src/surface/sampler.h does lane by
// lane, in every bit. Only the recorder among the engines has the words for textures (Recorder::texture and what follows it); the
// interpreter calls surface::sample(), which is the reference. Rules and their sources stand there: wrap.h, level_choice.h,
// footprint.h, planar_kernels.cpp. Texels: texels.h.
//
// Waves flush denormals as their mode says, and the reference never does. That makes a difference only where a number's sign or
// its being 0 decides: such inputs go through without_denormals().
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>

#include "sampling/cube.h"
#include "sampling/texels.h"
#include "wave/float_mode.h"
#include "wave/image_access.h"

namespace Atoll::sampling {

// The location of a float: a lane register, all of it or one of its halves.
struct LanePlace {
  enum Part : uint8_t { whole, lower_half, upper_half };
  uint32_t cell = 0;
  Part part = whole;
  LanePlace() = default;
  LanePlace(uint32_t cell, Part part = whole) : cell(cell), part(part) {}
};

// The operands of a sample instruction; lane registers by their cells.
struct SampleRequest {
  wave::LodMode lod_mode = wave::LodMode::zero;
  unsigned wanted = 15;  // components
  bool compares = false, has_lod_clamp = false, has_offsets = false;
  std::array<LanePlace, 3> coordinates{};
  bool projected = false;
  uint32_t divisor = 0;  // where they are projected: what coordinates are divided by
  LanePlace layer;       // of arrays, where the instruction gives one
  bool has_layer = false;
  float face_base = 0;       // cubes: coordinates lie on a face, from here to here + 1, and the layer is face + 8 * cube
  LanePlace lod, lod_clamp;  // bias or level; the least level
  uint32_t reference = 0, offsets = 0;
  int gathers = -1;                   // the component of the four texels that are wanted as they are
  bool gathers_from_nearest = false;  // the four begin with the nearest one
  std::array<LanePlace, 3> dx{}, dy{};
};

// True if code of the form has the reference's bits under the mode. Floats of 32 bits that are mixed may be denormals, which the
// mode flushes.
inline bool is_exact(const Form& form, const wave::FloatMode& mode, bool compares) {
  if (mode.round32 != wave::Rounding::NearestEven || mode.round64 != wave::Rounding::NearestEven) return false;
  bool mixes = form.magnify_linear || form.minify_linear || surface::MipFilter(form.mip_filter) == surface::MipFilter::linear;
  const surface::LayoutRow& layout = surface::row(surface::Layout(form.layout));
  const auto number = surface::Number(form.number);
  bool single = number == surface::Number::depth_stencil || number == surface::Number::floats_clamped ||
                (number == surface::Number::floating && layout.field[0].bits == 32);
  return compares || !mixes || !single;
}

template <class E>
class Sample {
public:
  using U32 = typename E::U32;
  using U64 = typename E::U64;
  using F32 = typename E::F32;
  using F64 = typename E::F64;
  using M = typename E::M;
  using Texture = typename E::Texture;

  Sample(E& e, const Form& form, Texture texture, const SampleRequest& request)
      : e_(e),
        form_(form),
        texture_(texture),
        request_(request),
        texels_(e, form, texture, request.compares && !is_integer(),
                request.gathers < 0 ? request.wanted : 1u << request.gathers) {
    if (compares()) texels_.set_reference(e_.lanes(request_.reference));
    if (is_cube()) find_face();
  }
  // Differences are taken between these lanes of a quad alone, as far as they go. Without it all four count, active or not.
  void count_only(M lanes) { counted_ = lanes; }

  // Floats' bits (or integers) of the components that are wanted; the others mean nothing.
  std::array<U32, 4> run() {
    std::array<U32, 4> result = request_.gathers >= 0 ? gather() : sampled();
    if (!form_.flush_denormals) return result;
    for (unsigned c = 0; c < 4; c++)
      if (request_.wanted >> c & 1) result[c] = select((result[c] & 0x7f800000u) == 0u, result[c] & 0x80000000u, result[c]);
    return result;
  }

private:
  std::array<U32, 4> sampled() {
    Levels levels = choose_levels();
    Filtered first = filter(levels.first, levels.linear);
    if (levels.two) {
      Filtered second = filter(levels.second, levels.linear);
      if (first.mixed) first.colour = texels_.mixed(first.colour, second.colour, levels.fraction);
      if (first.summed) first.sum = texels_.mixed(first.sum, second.sum, levels.fraction);
      if (first.mixed && first.summed) first.outside = first.outside | (second.outside & (levels.fraction != 0u));
    }
    Colour<E> colour = first.summed ? first.sum : first.colour;
    if (first.mixed && first.summed) colour = texels_.chosen(first.outside, first.colour, first.sum);
    std::array<U32, 4> result = {e_.u32(0), e_.u32(0), e_.u32(0), e_.u32(0)};
    for (unsigned c = 0; c < 4; c++)
      if (request_.wanted >> c & 1) result[c] = texels_.finished(colour, c);
    return result;
  }

  // The filter of lanes: the same for all, or by lane.
  struct Linear {
    bool always = false, never = false;
    M lanes;
  };
  struct Levels {
    U32 first, second, fraction;
    bool two = false;
    Linear linear;
  };
  struct Taps {
    U32 texel[2];
    U32 fraction;
    bool two = false;       // a second texel, of some lanes
    bool bordered = false;  // `border` has a meaning: whose texel is the border's
    M border[2];
    bool runs_out = false;  // `outside` has: lanes with a texel beyond the ends, wherever that leads
    M outside;
  };
  // A level's colour in two ways, of which the reference takes the second where all texels lie inside and the format's fields are
  // bytes: mixed in floats, or sums that are rounded once (planar_filter.cpp).
  struct Filtered {
    bool mixed = false, summed = false;
    Colour<E> colour, sum;
    M outside;  // lanes that take the first, where there are both
  };

  E& e_;
  const Form form_;
  const Texture texture_;
  const SampleRequest& request_;
  Texels<E> texels_;
  std::optional<M> counted_;
  std::array<std::optional<F32>, 3> projected_;
  U32 face_{}, whole_face_{}, cube_slice_{};  // of cubes; whole_: inactive lanes' as well

  // A float's bits, of active lanes or of all.
  U32 widened(U32 word, LanePlace::Part part) {
    if (part == LanePlace::whole) return word;
    return as_u32(cvt_f32_f16(part == LanePlace::upper_half ? word >> 16 : word & 0xffffu));
  }
  U32 lanes(const LanePlace& place) { return widened(e_.lanes(place.cell), place.part); }
  U32 whole_lanes(const LanePlace& place) { return widened(e_.whole_lanes(place.cell), place.part); }

  bool is_integer() const { return surface::is_integer(surface::Number(form_.number)); }
  bool compares() const { return request_.compares && !is_integer(); }
  unsigned axes() const {
    switch (surface::Dimension(form_.dimension)) {
      case surface::Dimension::one:
      case surface::Dimension::one_array: return 1;
      case surface::Dimension::three: return 3;
      default: return 2;
    }
  }
  bool is_cube() const {
    auto d = surface::Dimension(form_.dimension);
    return d == surface::Dimension::cube || d == surface::Dimension::cube_array;
  }
  bool is_array() const {
    auto d = surface::Dimension(form_.dimension);
    return d == surface::Dimension::one_array || d == surface::Dimension::two_array;
  }

  F32 number(size_t byte) { return e_.splat(as_f32(e_.texture_word(texture_, byte))); }
  U32 count(size_t byte) { return e_.splat(e_.texture_word(texture_, byte)); }
  static size_t size_at(unsigned axis) {
    return axis == 0   ? offsetof(wave::SampledTexture, columns.size)
           : axis == 1 ? offsetof(wave::SampledTexture, rows.size)
                       : offsetof(wave::SampledTexture, slices.size);
  }

  F32 lod_operand(const LanePlace& place) {
    U32 bits = lanes(place);
    return form_.magnify_linear == form_.minify_linear ? as_f32(bits) : without_denormals(e_, bits);
  }

  // --- level of detail (level_choice.h, footprint.h)
  static F32 smaller(F32 a, F32 b) { return select(b < a, b, a); }
  static F32 larger(F32 a, F32 b) { return select(a < b, b, a); }

  // log2.h
  F64 log2_of(F64 value) {
    U64 bits = as_u64(value);
    U32 exponent = low(bits >> 52) - 1023u;
    F64 mantissa = as_f64((bits & 0xfffffffffffffull) | 0x3ff0000000000000ull);
    M upper = mantissa > 1.4142135623730951;
    mantissa = select(upper, mantissa * 0.5, mantissa);
    F64 t = (mantissa - 1.0) / (mantissa + 1.0), t2 = t * t, sum = e_.f64(1.0 / 11);
    for (double term : {1.0 / 9, 1.0 / 7, 1.0 / 5, 1.0 / 3, 1.0}) sum = sum * t2 + term;
    F64 whole = cvt_f64_s32(exponent + select(upper, e_.u32(1), e_.u32(0)));
    F64 result = whole + t * 2.0 * sum * 1.4426950408889634;
    result = select(value == 0.0, e_.f64(-__builtin_huge_val()), result);
    return select(value < __builtin_huge_val(), result, __builtin_huge_val());
  }

  // A coordinate's bits.
  U32 coordinate(unsigned axis) {
    U32 given = lanes(request_.coordinates[axis]);
    if (is_cube()) return as_u32(as_f32(given) - request_.face_base);
    if (!request_.projected) return given;
    if (!projected_[axis]) projected_[axis] = as_f32(given) / as_f32(e_.lanes(request_.divisor));
    return as_u32(*projected_[axis]);
  }

  // The change to the pixel on the right, and to the one below: in the quad's first row or column whose lanes count.
  struct Difference {
    F32 dx, dy;
  };
  Difference difference(unsigned axis) {
    if (!counted_) {
      F32 at = as_f32(whole_lanes(request_.coordinates[axis])), first = quad_lane(at, 0);
      return {quad_lane(at, 1) - first, quad_lane(at, 2) - first};
    }
    U32 lane = select(*counted_, e_.u32(1), e_.u32(0));
    F32 at = as_f32(coordinate(axis)), none = e_.f32(0);
    auto from = [&](unsigned a, unsigned b, F32 otherwise) {
      return select((quad_lane(lane, a) & quad_lane(lane, b)) != 0u, quad_lane(at, b) - quad_lane(at, a), otherwise);
    };
    return {from(0, 1, from(2, 3, none)), from(0, 2, from(1, 3, none))};
  }

  // --- cubes (footprint.cpp)
  void find_face() {
    auto face_and_cube = [&](U32 layer) {
      F32 value = rndne(as_f32(layer));
      F32 inside = select(value > 0.0f, smaller(value, e_.f32((1 << 20) - 1)), e_.f32(0));
      return cvt_s32_f32_inside(inside);
    };
    U32 number = face_and_cube(lanes(request_.layer));
    whole_face_ = umin(face_and_cube(whole_lanes(request_.layer)) & 7u, e_.u32(5));
    face_ = umin(number & 7u, e_.u32(5));
    F32 cubes = floor(cvt_f32_s32(count(size_at(2))) / 6.0f);
    cube_slice_ = umin(number >> 3, cvt_s32_f32_inside(cubes) - 1u) * 6u;
  }

  // The difference to another lane of the quad, which may be on another face, as this lane's face sees it.
  Difference cube_difference(U32 face, F32 s, F32 t, U32 other_face, F32 other_s, F32 other_t) {
    CubeFaces<E> faces(e_);
    auto seen = faces.seen_from(face, faces.direction(other_face, {other_s * 2.0f - 1.0f, other_t * 2.0f - 1.0f, e_.f32(1)}));
    M before = seen.major > 0.0f, same = face == other_face;
    F32 far = e_.f32(__builtin_huge_valf());
    F32 ds = select(before, faces.coordinate(seen.s, seen.major) - s, far),
        dt = select(before, faces.coordinate(seen.t, seen.major) - t, far);
    return {select(same, other_s - s, ds), select(same, other_t - t, dt)};
  }
  // s and t of what the pixel to the right and the one below add: of the quad's first lane where the four lie on one face, else of
  // the lane's own row and column.
  std::array<Difference, 2> cube_differences() {
    F32 s = as_f32(whole_lanes(request_.coordinates[0])) - request_.face_base;
    F32 t = as_f32(whole_lanes(request_.coordinates[1])) - request_.face_base;
    U32 face = whole_face_, lane = e_.lane_id();
    M right = (lane & 1u) != 0u, below = (lane & 2u) != 0u;
    auto beside = [&](auto x) {
      return select(below, select(right, quad_lane(x, 2), quad_lane(x, 3)), select(right, quad_lane(x, 0), quad_lane(x, 1)));
    };
    auto across = [&](auto x) {
      return select(below, select(right, quad_lane(x, 1), quad_lane(x, 0)), select(right, quad_lane(x, 3), quad_lane(x, 2)));
    };
    U32 first = quad_lane(face, 0);
    M several = (first != quad_lane(face, 1)) | (first != quad_lane(face, 2)) | (first != quad_lane(face, 3));
    Difference x = cube_difference(face, s, t, beside(face), beside(s), beside(t));
    Difference y = cube_difference(face, s, t, across(face), across(s), across(t));
    auto one = [&](F32 at, unsigned n) { return quad_lane(at, n) - quad_lane(at, 0); };
    return {Difference{select(several, x.dx, one(s, 1)), select(several, y.dx, one(s, 2))},
            Difference{select(several, x.dy, one(t, 1)), select(several, y.dy, one(t, 2))}};
  }

  // From the differences in the quad, or from the derivatives that are given.
  F32 footprint_level() {
    F64 dx2 = e_.f64(0), dy2 = e_.f64(0);
    std::array<Difference, 2> on_cube{};
    if (is_cube() && request_.lod_mode != wave::LodMode::derivatives) on_cube = cube_differences();
    for (unsigned axis = 0; axis < axes(); axis++) {
      F64 scale = form_.unnormalized ? e_.f64(1) : cvt_f64_u32(count(size_at(axis))), dx = e_.f64(0), dy = e_.f64(0);
      if (request_.lod_mode == wave::LodMode::derivatives) {
        dx = cvt_f64_f32(as_f32(lanes(request_.dx[axis])));
        dy = cvt_f64_f32(as_f32(lanes(request_.dy[axis])));
      } else {
        Difference d = is_cube() ? on_cube[axis] : difference(axis);
        dx = cvt_f64_f32(d.dx), dy = cvt_f64_f32(d.dy);
      }
      dx = dx * scale, dy = dy * scale;
      dx2 = axis ? dx2 + dx * dx : dx * dx;
      dy2 = axis ? dy2 + dy * dy : dy * dy;
    }
    F64 longer = select(dx2 < dy2, dy2, dx2);
    longer = select(isnan(longer), e_.f64(0), longer);
    return cvt_f32_f64(log2_of(longer) * 0.5);
  }

  Levels choose_levels() {
    using surface::MipFilter;
    U32 zero = e_.u32(0);
    Levels levels{zero, zero, zero, false, {}};
    const bool same_filter = is_integer() || form_.magnify_linear == form_.minify_linear;
    levels.linear.always = !is_integer() && same_filter && form_.magnify_linear;
    levels.linear.never = is_integer() || (same_filter && !form_.magnify_linear);
    const MipFilter mips = MipFilter(form_.mip_filter);
    const bool gathers = request_.gathers >= 0;
    if (mips == MipFilter::none && (same_filter || gathers)) return levels;
    const bool of_base_level = request_.lod_mode == wave::LodMode::implicit || request_.lod_mode == wave::LodMode::zero;
    if (gathers && of_base_level) return levels;
    F32 lod = e_.f32(0);
    switch (request_.lod_mode) {
      case wave::LodMode::implicit:
      case wave::LodMode::derivatives: lod = footprint_level(); break;
      case wave::LodMode::bias: lod = footprint_level() + lod_operand(request_.lod); break;
      case wave::LodMode::level: lod = lod_operand(request_.lod); break;
      case wave::LodMode::zero: break;
    }
    lod = lod + number(offsetof(wave::SampledTexture, lod_bias));
    F32 least = number(offsetof(wave::SampledTexture, lod_min)), most = number(offsetof(wave::SampledTexture, lod_max));
    if (request_.has_lod_clamp) least = larger(least, lod_operand(request_.lod_clamp));
    auto clamped = [&](F32 level) {
      level = select(level > least, level, least);
      return select(level > most, most, level);
    };
    F32 rounded = lod;
    if (form_.half_before_clamps) rounded = clamped(lod + 0.5f);
    lod = clamped(lod);
    M minified = lod > 0.0f;
    if (!same_filter) levels.linear.lanes = form_.minify_linear ? minified : ~minified;
    if (mips == MipFilter::none) return levels;
    lod = select(minified, lod, e_.f32(0));
    U32 last = count(offsetof(wave::SampledTexture, last_level));
    lod = smaller(lod, cvt_f32_s32(last));
    if (mips == MipFilter::nearest) {
      rounded = form_.half_before_clamps ? floor(smaller(rounded, cvt_f32_s32(last))) : ceil(lod + 0.5f) - 1.0f;
      F32 level = larger(e_.f32(0), rounded);
      levels.first = levels.second = cvt_s32_f32_inside(select(minified, level, e_.f32(0)));
      return levels;
    }
    U32 fixed = cvt_s32_f32_inside(rndne(lod * float(surface::fixed_one)));
    levels.first = fixed >> surface::fraction_bits;
    if (is_integer() && !gathers) return levels;
    levels.second = umin(levels.first + 1u, last);
    levels.fraction = fixed & uint32_t(surface::fixed_one - 1);
    levels.two = true;
    return levels;
  }

  // --- one axis (wrap.h, planar_kernels.cpp)
  U32 level_size(unsigned axis, U32 level) {
    U32 size = count(size_at(axis));
    return form_.mip_filter ? umax(size >> level, e_.u32(1)) : size;
  }

  // i modulo n, 0 to n - 1, of |i| < 2^23: the quotient is never rounded up to the next integer.
  static U32 modulo(U32 i, U32 n) { return i - cvt_s32_f32_inside(floor(cvt_f32_s32(i) / cvt_f32_s32(n))) * n; }

  F32 offset(unsigned axis) { return cvt_f32_s32(ashr(e_.lanes(request_.offsets) << int(26 - 8 * axis), 26)); }

  Linear axis_filter(unsigned number, const Linear& linear) const {
    auto slices = surface::SliceFilter(form_.slice_filter);
    if (number != 2 || slices == surface::SliceFilter::as_others) return linear;
    bool between = slices == surface::SliceFilter::linear && !is_integer();
    Linear own;
    own.always = between, own.never = !between;
    return own;
  }

  Taps axis(unsigned number, U32 level, const Linear& all) {
    using surface::Wrap;
    constexpr int one = surface::fixed_one;
    const Linear linear = axis_filter(number, all);
    const Wrap wrap = Wrap(number == 0 ? form_.wrap_s : number == 1 ? form_.wrap_t : form_.wrap_r);
    const bool half = wrap == Wrap::clamp_half_border || wrap == Wrap::mirror_once_half_border;
    const bool once =
        half ? wrap == Wrap::mirror_once_half_border : wrap == Wrap::mirror_once_to_edge || wrap == Wrap::mirror_once_to_border;
    const bool near_zero = wrap == Wrap::repeat || wrap == Wrap::mirror;
    U32 n = level_size(number, level);
    F32 size = cvt_f32_s32(n), offset = e_.f32(0);
    U32 bits = coordinate(number);
    // Only where a texel's place may hang on the sign of what is next to nothing.
    const bool truncates = form_.truncate || (form_.truncate_nearest && linear.never),
               truncates_some = form_.truncate_nearest && !linear.never && !linear.always;
    F32 given = wrap == Wrap::clamp_to_border && (truncates || truncates_some) ? without_denormals(e_, bits) : as_f32(bits),
        x = given;
    if (!form_.unnormalized && wrap == Wrap::repeat) x = x - floor(x);
    if (!form_.unnormalized && wrap == Wrap::mirror) x = x - floor(x * 0.5f) * 2.0f;
    x = select(isnan(x), e_.f32(0), x);
    F32 texels = form_.unnormalized ? x : x * size;
    if (request_.has_offsets) {
      offset = this->offset(number);
      texels = texels + offset;
    }
    const bool once_by_texels = once && request_.gathers >= 0;  // surface::Axis::gathers
    if (once && !once_by_texels) texels = fabs(texels);
    constexpr float limit = 1 << 22;
    if (half) {
      texels = larger(texels, once_by_texels ? e_.f32(0) - size : e_.f32(0));
      texels = smaller(texels, size);
    } else if (!near_zero) {
      texels = larger(texels, e_.f32(-limit));
      texels = smaller(texels, e_.f32(limit));
    }
    if (request_.has_offsets) texels = select(isnan(given), offset, texels);
    F32 scaled = texels * float(one);
    F32 whole = truncates ? floor(scaled) : rndne(scaled);
    if (truncates_some) whole = select(linear.lanes, whole, floor(scaled));
    U32 fixed = cvt_s32_f32_inside(whole);
    Taps taps;
    taps.fraction = e_.u32(0);
    taps.two = !linear.never;
    if (!linear.never) {
      U32 shifted = request_.gathers_from_nearest ? fixed : fixed - uint32_t(one / 2);
      fixed = linear.always ? shifted : select(linear.lanes, shifted, fixed);
      taps.fraction = fixed & uint32_t(form_.half_fractions ? one / 2 : one - 1);
      if (!linear.always) taps.fraction = select(linear.lanes, taps.fraction, e_.u32(0));
    }
    U32 i = ashr(fixed, surface::fraction_bits), j = i + 1u;
    if (!near_zero && wrap != Wrap::clamp_to_edge) {
      taps.runs_out = true;
      U32 last = linear.always ? j : linear.never ? i : select(linear.lanes, j, i);
      taps.outside = slt(i, 0) | sge(last, n);
    }
    const bool far = request_.has_offsets || request_.gathers_from_nearest;  // beyond what is said of repeating ones below
    if (near_zero && far) {
      U32 period = wrap == Wrap::mirror ? n * 2u : n;
      i = modulo(i, period), j = modulo(j, period);
    }
    switch (wrap) {
      case Wrap::repeat:  // -1 to n
        if (far) break;
        i = umin(i, i + n);
        if (!linear.always) i = umin(i, i - n);
        j = umin(j, j - n);
        break;
      case Wrap::mirror: {  // -1 to 2n
        auto mirrored = [&](U32 k) {
          k = select(sge(k, n), n * 2u - 1u - k, k);
          return smax(k, e_.u32(0));
        };
        i = mirrored(i), j = mirrored(j);
        break;
      }
      default: {
        if (once) {
          auto mirrored = [&](U32 k) { return select(slt(k, 0), ~k, k); };
          i = mirrored(i), j = mirrored(j);
        }
        if (wrap == Wrap::clamp_to_border || wrap == Wrap::mirror_once_to_border || (half && !linear.never)) {
          taps.bordered = true;
          taps.border[0] = i >= n, taps.border[1] = j >= n;
          if (half && !linear.always)
            for (M& border : taps.border) border = border & linear.lanes;
        }
        auto held = [&](U32 k) { return smin(smax(k, e_.u32(0)), n - 1u); };
        i = held(i), j = held(j);
      }
    }
    taps.texel[0] = i, taps.texel[1] = j;
    return taps;
  }

  // A layer's number: to the nearest, halves to even, and inside; NaN is the first.
  U32 layer() {
    if (!request_.has_layer) return e_.u32(0);
    F32 value = rndne(as_f32(lanes(request_.layer))), most = cvt_f32_s32(count(size_at(2)) - 1u);
    return cvt_s32_f32_inside(select(value > 0.0f, smaller(value, most), e_.f32(0)));
  }

  // One axis of a face, over whose edges indices run by one; `border` is where they do.
  Taps face_axis(unsigned number, U32 level, const Linear& linear) {
    constexpr int one = surface::fixed_one;
    U32 n = level_size(number, level);
    F32 size = cvt_f32_s32(n), x = as_f32(coordinate(number));
    x = select(isnan(x), e_.f32(0), x);
    const F32 texels = form_.unnormalized ? x : x * size;
    auto in_fixed_point = [&](F32 at, bool truncates) {
      constexpr float limit = 1 << 22;
      F32 scaled = smaller(larger(at, e_.f32(-limit)), e_.f32(limit)) * float(one);
      return cvt_s32_f32_inside(truncates ? floor(scaled) : rndne(scaled));
    };
    U32 fixed = in_fixed_point(texels, form_.truncate);
    U32 shifted = request_.gathers_from_nearest ? fixed + uint32_t(one / 2) : fixed;
    shifted = smin(smax(shifted, e_.u32(0)), n * uint32_t(one)) - uint32_t(one / 2);
    Taps taps;
    taps.two = true, taps.bordered = true;
    taps.fraction = shifted & uint32_t(form_.half_fractions ? one / 2 : one - 1);
    U32 i = ashr(shifted, surface::fraction_bits), j = i + 1u;
    taps.border[0] = slt(i, 0), taps.border[1] = sge(j, n);
    if (!linear.always) {  // else the nearest texel, held at the edge, from where offsets lead, which linear filters ignore
      if (request_.has_offsets || form_.truncate_nearest)
        fixed = in_fixed_point(request_.has_offsets ? texels + offset(number) : texels, form_.truncate || form_.truncate_nearest);
      U32 nearest = smin(smax(ashr(fixed, surface::fraction_bits), e_.u32(0)), n - 1u);
      i = select(linear.lanes, i, nearest), j = select(linear.lanes, j, nearest);
      taps.fraction = select(linear.lanes, taps.fraction, e_.u32(0));
      for (M& border : taps.border) border = border & linear.lanes;
    }
    taps.texel[0] = i, taps.texel[1] = j;
    return taps;
  }

  // The four texels of a cube's linear filter: those over an edge are the next face's, and where three faces meet there are only
  // three, whose mean is the fourth. `outside`: lanes with a texel over an edge.
  void seamless_texels(U32 level, const Taps& s, const Taps& t, RawTexel<E> (&raw)[8], Colour<E> (&colours)[8], M& outside) {
    CubeFaces<E> faces(e_);
    U32 n = level_size(0, level);
    F32 size = cvt_f32_s32(n), edge = e_.f32(1) - e_.f32(1) / size;
    M missing[4];
    outside = e_.m(false);
    for (unsigned k = 0; k < 4; k++) {
      U32 x = s.texel[k & 1], y = t.texel[k >> 1];
      M x_out = s.border[k & 1], y_out = t.border[k >> 1], out = x_out | y_out;
      outside = outside | out, missing[k] = x_out & y_out;
      auto on_this = [&](U32 i, M beyond) {
        F32 centre = cvt_f32_s32(i * 2u + 1u) / size - 1.0f;
        return select(beyond, select(slt(i, 0), e_.f32(-1), e_.f32(1)), centre);
      };
      auto d = faces.direction(face_, {on_this(x, x_out), on_this(y, y_out), edge});
      U32 face = faces.face_of(d);
      auto on = faces.seen_from(face, d);
      auto index = [&](F32 at) {
        U32 i = cvt_s32_f32_inside(floor((at + 1.0f) * 0.5f * size));
        return smin(smax(i, e_.u32(0)), n - 1u);
      };
      x = select(out, index(on.s), x), y = select(out, index(on.t), y), face = select(out, face, face_);
      raw[k] = texels_.load(e_.texel_column(texture_, level, x), e_.texel_row(texture_, level, y),
                            e_.texel_slice(texture_, level, cube_slice_ + face).id, place_in_block(x, y));
      colours[k] = texels_.decoded(raw[k], nullptr);
    }
    std::array<Colour<E>, 4> filled{};
    for (unsigned k = 0; k < 4; k++) {
      Colour<E> mean = texels_.mean_of_three(colours[k == 0 ? 1 : 0], colours[k <= 1 ? 2 : 1], colours[k <= 2 ? 3 : 2]);
      filled[k] = texels_.chosen(missing[k], mean, colours[k]);
    }
    std::copy(filled.begin(), filled.end(), colours);
  }
  Filtered seamless_filter(U32 level, const Linear& linear) {
    Taps s = face_axis(0, level, linear), t = face_axis(1, level, linear);
    RawTexel<E> raw[8];
    Colour<E> colours[8];
    Filtered result;
    seamless_texels(level, s, t, raw, colours, result.outside);
    result.mixed = true, result.summed = texels_.sums_bytes() && !request_.has_offsets;
    if (result.summed) result.sum = texels_.linear_bytes(raw, s.fraction, t.fraction);
    result.colour = texels_.mixed(texels_.mixed(colours[0], colours[1], s.fraction),
                                  texels_.mixed(colours[2], colours[3], s.fraction), t.fraction);
    return result;
  }

  // The component of four texels, from the lower left one on against the clock.
  std::array<U32, 4> gather() {
    Levels levels = choose_levels();
    U32 level =
        levels.two ? select(levels.fraction < uint32_t(surface::fixed_one / 2), levels.first, levels.second) : levels.first;
    Linear linear;
    linear.always = true;
    constexpr unsigned order[4] = {2, 3, 1, 0};
    const unsigned component = texels_.compares() ? 0 : unsigned(request_.gathers);
    std::array<U32, 4> result{};
    if (is_cube() && form_.seamless) {
      RawTexel<E> raw[8];
      Colour<E> colours[8];
      M outside = e_.m(false);
      seamless_texels(level, face_axis(0, level, linear), face_axis(1, level, linear), raw, colours, outside);
      for (unsigned n = 0; n < 4; n++) result[n] = as_u32(colours[order[n]][component]);
      return result;
    }
    Taps s = axis(0, level, linear), t;
    t.texel[0] = t.texel[1] = e_.u32(0);
    if (axes() > 1) t = axis(1, level, linear);
    const int slice = is_array()  ? e_.texel_slice(texture_, level, layer()).id
                      : is_cube() ? e_.texel_slice(texture_, level, cube_slice_ + face_).id
                                  : -1;
    for (unsigned n = 0; n < 4; n++) {
      const unsigned i = order[n] & 1, j = order[n] >> 1;
      RawTexel<E> raw = texels_.load(e_.texel_column(texture_, level, s.texel[i]), e_.texel_row(texture_, level, t.texel[j]),
                                     slice, place_in_block(s.texel[i], t.texel[j]));
      M border = e_.m(false);
      if (s.bordered) border = border | s.border[i];
      if (t.bordered) border = border | t.border[j];
      Colour<E> colour = texels_.decoded(raw, s.bordered || t.bordered ? &border : nullptr);
      result[n] = as_u32(colour[component]);
    }
    return result;
  }

  static U32 place_in_block(U32 column, U32 row) { return (row & 3u) << 2 | (column & 3u); }

  // --- one level's filter
  Filtered filter(U32 level, const Linear& linear) {
    if (is_cube() && form_.seamless && !linear.never) return seamless_filter(level, linear);
    Taps taps[3];
    const unsigned n = axes();
    bool bordered = false, runs_out = false;
    for (unsigned a = 0; a < n; a++) {
      taps[a] = axis(a, level, linear);
      bordered |= taps[a].bordered, runs_out |= taps[a].runs_out;
    }
    U32 none = e_.u32(0), columns[2] = {none, none}, rows[2] = {none, none}, slices[2] = {none, none};
    const bool sliced = n > 2 || is_array() || is_cube();
    bool two[3] = {taps[0].two, n > 1 && taps[1].two, n > 2 && taps[2].two};
    for (unsigned k = 0; k < 2; k++) {
      if (k == 0 || two[0]) columns[k] = e_.texel_column(texture_, level, taps[0].texel[k]);
      if (k == 0 || two[1]) rows[k] = e_.texel_row(texture_, level, n > 1 ? taps[1].texel[k] : none);
      if (sliced && (k == 0 || two[2]))
        slices[k] = e_.texel_slice(texture_, level, n > 2 ? taps[2].texel[k] : is_cube() ? cube_slice_ + face_ : layer());
    }
    // The texels, by bit 0 of their number the second column, by bit 1 the second row, by bit 2 the second slice.
    auto there = [&](unsigned k) { return (!(k & 1) || two[0]) && (!(k & 2) || two[1]) && (!(k & 4) || two[2]); };
    RawTexel<E> raw[8];
    for (unsigned k = 0; k < 8; k++)
      if (there(k))
        raw[k] = texels_.load(
            columns[k & 1], rows[k >> 1 & 1], sliced ? slices[k >> 2].id : -1,
            texels_.is_block() ? place_in_block(taps[0].texel[k & 1], n > 1 ? taps[1].texel[k >> 1 & 1] : none) : none);
    Filtered result;
    result.summed = n == 2 && texels_.sums_bytes() && !request_.has_offsets;
    result.mixed = !result.summed || runs_out;
    if (result.summed) {
      result.sum = two[0] ? texels_.linear_bytes(raw, taps[0].fraction, taps[1].fraction) : texels_.decoded(raw[0], nullptr);
      if (!runs_out) return result;
      result.outside = e_.m(false);
      for (const Taps& t : taps)
        if (t.runs_out) result.outside = result.outside | t.outside;
    }
    Colour<E> colours[8];
    for (unsigned k = 0; k < 8; k++) {
      if (!there(k)) continue;
      M border = e_.m(false);
      for (unsigned a = 0; a < n; a++)
        if (taps[a].bordered) border = border | taps[a].border[k >> a & 1];
      colours[k] = texels_.decoded(raw[k], bordered ? &border : nullptr);
    }
    auto row = [&](unsigned k) { return two[0] ? texels_.mixed(colours[k], colours[k | 1], taps[0].fraction) : colours[k]; };
    auto slice = [&](unsigned k) { return two[1] ? texels_.mixed(row(k), row(k | 2), taps[1].fraction) : row(k); };
    result.colour = two[2] ? texels_.mixed(slice(0), slice(4), taps[2].fraction) : slice(0);
    return result;
  }
};

}  // namespace Atoll::sampling
