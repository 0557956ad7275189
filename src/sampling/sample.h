// Texture sampling in the words of the engine (wave/engine.h), specialised by a Form: what src/surface/sampler.h does lane by lane,
// in every bit. Of the engines only the recorder has the words for textures (Recorder::texture and what follows it); the
// interpreter calls surface::sample(), which is the reference. Rules and their sources stand there: wrap.h, level_choice.h,
// footprint.h, planar_kernels.cpp. Texels: texels.h.
//
// Waves flush denormals as their mode says, and the reference never does. That makes a difference only where a number's sign or
// its being 0 decides: such inputs go through without_denormals().
#pragma once
#include <array>
#include <cstddef>
#include <optional>

#include "sampling/texels.h"
#include "wave/float_mode.h"
#include "wave/image_access.h"

namespace Atoll::sampling {

// What an instruction asks for; lane registers by their cells.
struct SampleRequest {
  wave::LodMode lod_mode = wave::LodMode::zero;
  unsigned wanted = 15;  // components
  bool compares = false, has_lod_clamp = false, has_offsets = false;
  std::array<uint32_t, 3> coordinates{};
  bool projected = false;
  uint32_t divisor = 0;  // where they are projected: what coordinates are divided by
  uint32_t layer = 0;    // of arrays, where the instruction gives one
  bool has_layer = false;
  uint32_t lod = 0, lod_clamp = 0;  // bias or level; the least level
  uint32_t reference = 0, offsets = 0;
  std::array<uint32_t, 3> dx{}, dy{};
};

// Whether code of the form has the reference's bits under the mode. Floats that are mixed may be denormals, which the mode flushes,
// and NaNs, of which the reference's host chooses one.
inline bool is_exact(const Form& form, const wave::FloatMode& mode, bool compares) {
  if (mode.round32 != wave::Rounding::NearestEven || mode.round64 != wave::Rounding::NearestEven) return false;
  bool mixes = form.magnify_linear || form.minify_linear || surface::MipFilter(form.mip_filter) == surface::MipFilter::linear;
  bool floats =
      surface::Number(form.number) == surface::Number::floating || surface::Number(form.number) == surface::Number::depth_stencil;
  return compares || !mixes || !floats;
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
        texels_(e, form, texture, request.compares && !is_integer(), request.wanted) {
    if (compares()) texels_.set_reference(e_.lanes(request_.reference));
  }
  // Differences are taken between these lanes of a quad alone, as far as they go. Without it all four count, active or not.
  void count_only(M lanes) { counted_ = lanes; }

  // Floats' bits (or integers) of the components that are wanted; the others mean nothing.
  std::array<U32, 4> run() {
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

private:
  // Which filter lanes take: the same for all, or by lane.
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

  F32 lod_operand(uint32_t cell) {
    U32 bits = e_.lanes(cell);
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
    U32 given = e_.lanes(request_.coordinates[axis]);
    if (!request_.projected) return given;
    if (!projected_[axis]) projected_[axis] = as_f32(given) / as_f32(e_.lanes(request_.divisor));
    return as_u32(*projected_[axis]);
  }

  // What the pixel to the right adds, and the one below: of the quad's first row or column whose lanes count.
  struct Difference {
    F32 dx, dy;
  };
  Difference difference(unsigned axis) {
    if (!counted_) {
      F32 at = as_f32(e_.whole_lanes(request_.coordinates[axis])), first = quad_lane(at, 0);
      return {quad_lane(at, 1) - first, quad_lane(at, 2) - first};
    }
    U32 lane = select(*counted_, e_.u32(1), e_.u32(0));
    F32 at = as_f32(coordinate(axis)), none = e_.f32(0);
    auto from = [&](unsigned a, unsigned b, F32 otherwise) {
      return select((quad_lane(lane, a) & quad_lane(lane, b)) != 0u, quad_lane(at, b) - quad_lane(at, a), otherwise);
    };
    return {from(0, 1, from(2, 3, none)), from(0, 2, from(1, 3, none))};
  }

  // From the differences in the quad, or from the derivatives that are given.
  F32 footprint_level() {
    F64 dx2 = e_.f64(0), dy2 = e_.f64(0);
    for (unsigned axis = 0; axis < axes(); axis++) {
      F64 scale = form_.unnormalized ? e_.f64(1) : cvt_f64_u32(count(size_at(axis))), dx = e_.f64(0), dy = e_.f64(0);
      if (request_.lod_mode == wave::LodMode::derivatives) {
        dx = cvt_f64_f32(as_f32(e_.lanes(request_.dx[axis])));
        dy = cvt_f64_f32(as_f32(e_.lanes(request_.dy[axis])));
      } else {
        Difference d = difference(axis);
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
    if (mips == MipFilter::none && same_filter) return levels;
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
    lod = select(lod > least, lod, least);
    lod = select(lod > most, most, lod);
    M minified = lod > 0.0f;
    if (!same_filter) levels.linear.lanes = form_.minify_linear ? minified : ~minified;
    if (mips == MipFilter::none) return levels;
    lod = select(minified, lod, e_.f32(0));
    U32 last = count(offsetof(wave::SampledTexture, last_level));
    lod = smaller(lod, cvt_f32_s32(last));
    if (mips == MipFilter::nearest) {
      F32 level = larger(e_.f32(0), ceil(lod + 0.5f) - 1.0f);
      levels.first = levels.second = cvt_s32_f32_inside(select(minified, level, e_.f32(0)));
      return levels;
    }
    U32 fixed = cvt_s32_f32_inside(rndne(lod * float(surface::fixed_one)));
    levels.first = fixed >> surface::fraction_bits;
    if (is_integer()) return levels;
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
    F32 given = wrap == Wrap::clamp_to_border && form_.truncate ? without_denormals(e_, bits) : as_f32(bits), x = given;
    if (!form_.unnormalized && wrap == Wrap::repeat) x = x - floor(x);
    if (!form_.unnormalized && wrap == Wrap::mirror) x = x - floor(x * 0.5f) * 2.0f;
    x = select(isnan(x), e_.f32(0), x);
    F32 texels = form_.unnormalized ? x : x * size;
    if (request_.has_offsets) {
      offset = cvt_f32_s32(ashr(e_.lanes(request_.offsets) << int(26 - 8 * number), 26));
      texels = texels + offset;
    }
    if (once) texels = fabs(texels);
    constexpr float limit = 1 << 22;
    if (half) {
      texels = larger(texels, e_.f32(0));
      texels = smaller(texels, size);
    } else if (!near_zero) {
      texels = larger(texels, e_.f32(-limit));
      texels = smaller(texels, e_.f32(limit));
    }
    if (request_.has_offsets) texels = select(isnan(given), offset, texels);
    F32 scaled = texels * float(one);
    U32 fixed = cvt_s32_f32_inside(form_.truncate ? floor(scaled) : rndne(scaled));
    Taps taps;
    taps.fraction = e_.u32(0);
    taps.two = !linear.never;
    if (!linear.never) {
      U32 shifted = fixed - uint32_t(one / 2);
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
    if (near_zero && request_.has_offsets) {
      U32 period = wrap == Wrap::mirror ? n * 2u : n;
      i = modulo(i, period), j = modulo(j, period);
    }
    switch (wrap) {
      case Wrap::repeat:  // -1 to n
        if (request_.has_offsets) break;
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
    F32 value = rndne(as_f32(e_.lanes(request_.layer))), most = cvt_f32_s32(count(size_at(2)) - 1u);
    return cvt_s32_f32_inside(select(value > 0.0f, smaller(value, most), e_.f32(0)));
  }

  // --- one level's filter
  Filtered filter(U32 level, const Linear& linear) {
    Taps taps[3];
    const unsigned n = axes();
    bool bordered = false, runs_out = false;
    for (unsigned a = 0; a < n; a++) {
      taps[a] = axis(a, level, linear);
      bordered |= taps[a].bordered, runs_out |= taps[a].runs_out;
    }
    U32 none = e_.u32(0), columns[2] = {none, none}, rows[2] = {none, none}, slices[2] = {none, none};
    const bool sliced = n > 2 || is_array();
    bool two[3] = {taps[0].two, n > 1 && taps[1].two, n > 2 && taps[2].two};
    for (unsigned k = 0; k < 2; k++) {
      if (k == 0 || two[0]) columns[k] = e_.texel_column(texture_, level, taps[0].texel[k]);
      if (k == 0 || two[1]) rows[k] = e_.texel_row(texture_, level, n > 1 ? taps[1].texel[k] : none);
      if (sliced && (k == 0 || two[2])) slices[k] = e_.texel_slice(texture_, level, n > 2 ? taps[2].texel[k] : layer());
    }
    // The texels, by bit 0 of their number the second column, by bit 1 the second row, by bit 2 the second slice.
    auto there = [&](unsigned k) { return (!(k & 1) || two[0]) && (!(k & 2) || two[1]) && (!(k & 4) || two[2]); };
    RawTexel<E> raw[8];
    for (unsigned k = 0; k < 8; k++)
      if (there(k)) raw[k] = texels_.load(columns[k & 1], rows[k >> 1 & 1], sliced ? slices[k >> 2].id : -1);
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
