// Texture sampling in the words of the engine (wave/engine.h), specialised by a Form: what src/surface/sampler.h does lane by lane,
// in every bit. Of the engines only the recorder has the words for textures (Recorder::texture and what follows it); the
// interpreter calls surface::sample(), which is the reference. Rules and their sources stand there: wrap.h, level_choice.h,
// footprint.h, planar_kernels.cpp.
//
// Waves flush denormals as their mode says, and the reference never does. That makes a difference only where a number's sign or
// its being 0 decides: such inputs go through without_denormals().
#pragma once
#include <array>
#include <cstddef>

#include "sampling/form.h"
#include "wave/image_access.h"

namespace Atoll::sampling {

template <class E>
struct SampleRequest {
  using U32 = typename E::U32;
  wave::LodMode lod_mode = wave::LodMode::zero;
  unsigned wanted = 15;                      // components
  std::array<uint32_t, 2> coordinate_cells;  // lane registers that hold s and t
  bool has_lod = false, has_lod_clamp = false;
  uint32_t lod_cell = 0, lod_clamp_cell = 0;  // bias or level; the least level
};

template <class E>
class Sample {
public:
  using U32 = typename E::U32;
  using U64 = typename E::U64;
  using F32 = typename E::F32;
  using F64 = typename E::F64;
  using M = typename E::M;
  using Texture = typename E::Texture;

  Sample(E& e, const Form& form, Texture texture, const SampleRequest<E>& request)
      : e_(e), form_(form), texture_(texture), request_(request) {}

  // Floats' bits of the components that are wanted; the others are zero.
  std::array<U32, 4> run() {
    Levels levels = choose_levels();
    std::array<F32, 4> colour = filter(levels.first, levels.linear);
    if (levels.two) {
      std::array<F32, 4> coarser = filter(levels.second, levels.linear);
      F32 weight = cvt_f32_s32(levels.fraction) * (1.0f / surface::fixed_one);
      for (unsigned c = 0; c < 4; c++)
        if (is_computed(c)) colour[c] = mixed(colour[c], coarser[c], weight, levels.fraction == 0u);
    }
    U32 zero = e_.u32(0), one = e_.u32(0x3f800000);
    auto as_ordered = [&](unsigned c) {
      surface::Select select = select_of(c);
      if (select == surface::Select::one) return one;
      return select == surface::Select::zero ? zero : as_u32(colour[unsigned(select)]);
    };
    return {as_ordered(0), as_ordered(1), as_ordered(2), as_ordered(3)};
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
  };

  E& e_;
  const Form form_;
  const Texture texture_;
  const SampleRequest<E>& request_;

  F32 number(size_t byte) { return e_.splat(as_f32(e_.texture_word(texture_, byte))); }
  U32 count(size_t byte) { return e_.splat(e_.texture_word(texture_, byte)); }
  size_t size_at(unsigned axis) const {
    return axis == 0   ? offsetof(wave::SampledTexture, columns.size)
           : axis == 1 ? offsetof(wave::SampledTexture, rows.size)
                       : offsetof(wave::SampledTexture, slices.size);
  }

  // Which field (or constant) component c is; fields that a layout lacks are 0, the fourth 1.
  surface::Select select_of(unsigned c) const {
    surface::Select select = form_.order()[c];
    unsigned fields = surface::row(surface::Layout(form_.layout)).fields;
    if (select <= surface::Select::field_3 && unsigned(select) >= fields)
      select = select == surface::Select::field_3 ? surface::Select::one : surface::Select::zero;
    return select;
  }
  bool is_computed(unsigned field) const {
    for (unsigned c = 0; c < 4; c++)
      if (request_.wanted >> c & 1 && unsigned(select_of(c)) == field) return true;
    return false;
  }

  // A denormal becomes a number of its sign that is as good as 0 beside every other, but is not.
  F32 without_denormals(U32 bits) {
    M denormal = ((bits & 0x7fffffffu) - 1u) < 0x7fffffu;
    return as_f32(select(denormal, (bits & 0x80000000u) | 0x0d800000u, bits));
  }
  F32 lod_operand(uint32_t cell) {
    U32 bits = e_.lanes(cell);
    return form_.magnify_linear == form_.minify_linear ? as_f32(bits) : without_denormals(bits);
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

  // From the differences in the quad, whose four lanes all count, active or not.
  F32 quad_level() {
    F64 dx2 = e_.f64(0), dy2 = e_.f64(0);
    for (unsigned axis = 0; axis < 2; axis++) {
      F32 at = as_f32(e_.whole_lanes(request_.coordinate_cells[axis]));
      F32 first = quad_lane(at, 0);
      F64 scale = form_.unnormalized ? e_.f64(1) : cvt_f64_u32(count(size_at(axis)));
      F64 dx = cvt_f64_f32(quad_lane(at, 1) - first) * scale, dy = cvt_f64_f32(quad_lane(at, 2) - first) * scale;
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
    const bool same_filter = form_.magnify_linear == form_.minify_linear;
    levels.linear.always = same_filter && form_.magnify_linear;
    levels.linear.never = same_filter && !form_.magnify_linear;
    const MipFilter mips = MipFilter(form_.mip_filter);
    if (mips == MipFilter::none && same_filter) return levels;
    F32 lod = e_.f32(0);
    switch (request_.lod_mode) {
      case wave::LodMode::implicit: lod = quad_level(); break;
      case wave::LodMode::bias: lod = quad_level() + lod_operand(request_.lod_cell); break;
      case wave::LodMode::level: lod = lod_operand(request_.lod_cell); break;
      default: break;
    }
    lod = lod + number(offsetof(wave::SampledTexture, lod_bias));
    F32 least = number(offsetof(wave::SampledTexture, lod_min)), most = number(offsetof(wave::SampledTexture, lod_max));
    if (request_.has_lod_clamp) least = larger(least, lod_operand(request_.lod_clamp_cell));
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

  Taps axis(unsigned number, U32 level, const Linear& linear) {
    using surface::Wrap;
    constexpr int one = surface::fixed_one;
    const Wrap wrap = Wrap(number == 0 ? form_.wrap_s : number == 1 ? form_.wrap_t : form_.wrap_r);
    U32 n = level_size(number, level);
    F32 x = as_f32(e_.lanes(request_.coordinate_cells[number]));
    if (!form_.unnormalized && wrap == Wrap::repeat) x = x - floor(x);
    if (!form_.unnormalized && wrap == Wrap::mirror) x = x - floor(x * 0.5f) * 2.0f;
    x = select(isnan(x), e_.f32(0), x);
    F32 texels = form_.unnormalized ? x : x * cvt_f32_s32(n);
    constexpr float limit = 1 << 22;
    if (wrap != Wrap::repeat && wrap != Wrap::mirror) {
      texels = larger(texels, e_.f32(-limit));
      texels = smaller(texels, e_.f32(limit));
    }
    F32 scaled = texels * float(one);
    U32 fixed = cvt_s32_f32_inside(form_.truncate ? floor(scaled) : rndne(scaled));
    U32 fraction = e_.u32(0);
    if (!linear.never) {
      U32 shifted = fixed - uint32_t(one / 2);
      fixed = linear.always ? shifted : select(linear.lanes, shifted, fixed);
      fraction = fixed & uint32_t(form_.half_fractions ? one / 2 : one - 1);
      if (!linear.always) fraction = select(linear.lanes, fraction, e_.u32(0));
    }
    U32 i = ashr(fixed, surface::fraction_bits), j = i + 1u;
    switch (wrap) {
      case Wrap::repeat:  // -1 to n
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
        auto held = [&](U32 k) { return smin(smax(k, e_.u32(0)), n - 1u); };
        i = held(i), j = held(j);
      }
    }
    return {{i, j}, fraction};
  }

  // --- one level's filter
  std::array<F32, 4> filter(U32 level, const Linear& linear) {
    Taps s = axis(0, level, linear), t = axis(1, level, linear);
    const unsigned bytes = surface::row(surface::Layout(form_.layout)).bytes;
    U32 column[2] = {e_.texel_column(texture_, level, s.texel[0]), s.texel[1]};
    U32 row[2] = {e_.texel_row(texture_, level, t.texel[0]), t.texel[1]};
    if (linear.never) {
      U32 texel = e_.texel(texture_, column[0], row[0], -1, bytes, 0);
      return nearest_bytes(texel);
    }
    column[1] = e_.texel_column(texture_, level, s.texel[1]);
    row[1] = e_.texel_row(texture_, level, t.texel[1]);
    U32 texels[4] = {e_.texel(texture_, column[0], row[0], -1, bytes, 0), e_.texel(texture_, column[1], row[0], -1, bytes, 0),
                     e_.texel(texture_, column[0], row[1], -1, bytes, 0), e_.texel(texture_, column[1], row[1], -1, bytes, 0)};
    return linear_bytes(texels, s.fraction, t.fraction);
  }

  // n / (255 * 2^shift), rounded once, without a division: the reciprocal in two parts (tests/sampling proves it for every n).
  F32 per_255(U32 n, float shift) {
    constexpr float high = 1.0f / 255, low = float(1.0 / 255 - double(high));
    F32 x = cvt_f32_s32(n);
    return fma(x, e_.f32(high / shift), x * (low / shift));
  }
  std::array<F32, 4> nearest_bytes(U32 texel) {
    F32 none = e_.f32(0);
    std::array<F32, 4> colour = {none, none, none, none};
    for (unsigned c = 0; c < 4; c++)
      if (is_computed(c)) colour[c] = per_255((texel >> int(8 * c)) & 255u, 1);
    return colour;
  }
  // Two components in a word along s: up to 255 * 256 each. Sums are exact and rounded once.
  std::array<F32, 4> linear_bytes(const U32 (&texel)[4], U32 s_fraction, U32 t_fraction) {
    constexpr uint32_t even = 0x00ff00ff, one = surface::fixed_one;
    U32 s0 = e_.u32(one) - s_fraction, t0 = e_.u32(one) - t_fraction;
    F32 none = e_.f32(0);
    std::array<F32, 4> colour = {none, none, none, none};
    for (unsigned pair = 0; pair < 2; pair++) {
      if (!is_computed(pair) && !is_computed(pair + 2)) continue;
      auto part = [&](unsigned n) { return (pair ? texel[n] >> 8 : texel[n]) & even; };
      U32 upper = part(0) * s0 + part(1) * s_fraction, lower = part(2) * s0 + part(3) * s_fraction;
      if (is_computed(pair)) colour[pair] = per_255((upper & 0xffffu) * t0 + (lower & 0xffffu) * t_fraction, one * one);
      if (is_computed(pair + 2)) colour[pair + 2] = per_255((upper >> 16) * t0 + (lower >> 16) * t_fraction, one * one);
    }
    return colour;
  }

  // a where both are the same, or b has no weight.
  F32 mixed(F32 a, F32 b, F32 weight, M weightless) { return select((a == b) | weightless, a, a + (b - a) * weight); }
};

}  // namespace Atoll::sampling
