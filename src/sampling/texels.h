// Texels in the words of the engine: loaded by Recorder::texel(), decoded as surface/number.h and decode_texel.h say, compared and
// mixed as sampler.cpp and planar_kernels.cpp do.
#pragma once
#include <array>
#include <cstddef>

#include "sampling/blocks.h"
#include "sampling/form.h"
#include "sampling/reciprocal.h"

namespace Atoll::sampling {

// Red, green, blue, alpha: floats, or integers' bits. Only the components that are wanted mean anything.
template <class E>
using Colour = std::array<typename E::F32, 4>;

// The dwords of a texel, or of its block, that are needed.
template <class E>
struct RawTexel {
  std::array<typename E::U32, 4> dwords{};
  typename E::U32 in_block{};  // which of its 16 texels
  typename E::U32 operator[](size_t n) const { return dwords[n]; }
};

// A denormal becomes a number of its sign that is as good as 0 beside every other, but is not.
template <class E>
typename E::F32 without_denormals(E&, typename E::U32 bits) {
  auto denormal = ((bits & 0x7fffffffu) - 1u) < 0x7fffffu;
  return as_f32(select(denormal, (bits & 0x80000000u) | 0x0d800000u, bits));
}

template <class E>
class Texels {
public:
  using U32 = typename E::U32;
  using F32 = typename E::F32;
  using M = typename E::M;

  Texels(E& e, const Form& form, typename E::Texture texture, bool compares, unsigned wanted)
      : e_(e),
        texture_(texture),
        form_(form),
        layout_(surface::row(surface::Layout(form.layout))),
        number_(surface::Number(form.number)),
        compares_(compares),
        wanted_(compares ? 1 : wanted) {}

  // Sets a comparison's reference, with which texels' first field is compared, as it comes.
  void set_reference(U32 bits) {
    reference_bits_ = number_ == surface::Number::floats_clamped ? within_one(bits, bits) : bits;
    F32 reference = without_denormals(e_, bits);
    if (is_float()) {
      reference_ = reference;
      return;
    }
    reference = select(reference < 0.0f, e_.f32(0), reference);
    reference_ = select(reference > 1.0f, e_.f32(1), reference);
  }

  bool compares() const { return compares_; }
  bool is_block() const { return layout_.block_width > 1; }

  // `in_block`: of blocks.
  RawTexel<E> load(U32 column, U32 row, int slice, U32 in_block) {
    U32 none = e_.u32(0);
    RawTexel<E> raw = {{none, none, none, none}, in_block};
    unsigned needed = 0;
    for (unsigned f = 0; f < 4; f++)
      if (is_needed(f)) needed |= dwords_of(f);
    for (unsigned n = 0; n < 4; n++)
      if (needed >> n & 1) raw.dwords[n] = e_.texel(texture_, column, row, slice, layout_.bytes, 4 * n);
    return raw;
  }

  // --- bytes of a word, n / 255 each
  bool sums_bytes() const {
    return !compares_ && number_ == surface::Number::unorm &&
           (layout_.layout == surface::Layout::bits_8_8_8_8 || layout_.layout == surface::Layout::bits_8_8 ||
            layout_.layout == surface::Layout::bits_8);
  }
  // Two fields in a word along s: up to 255 * 256 each. Sums are exact and rounded once.
  Colour<E> linear_bytes(const RawTexel<E> (&raw)[8], U32 s_fraction, U32 t_fraction) {
    constexpr uint32_t even = 0x00ff00ff, one = surface::fixed_one;
    U32 s0 = e_.u32(one) - s_fraction, t0 = e_.u32(one) - t_fraction;
    F32 fields[4] = {e_.f32(0), e_.f32(0), e_.f32(0), e_.f32(0)};
    for (unsigned pair = 0; pair < 2; pair++) {
      if (!is_needed(pair) && !is_needed(pair + 2)) continue;
      auto part = [&](unsigned n) { return (pair ? raw[n][0] >> 8 : raw[n][0]) & even; };
      U32 upper = part(0) * s0 + part(1) * s_fraction, lower = part(2) * s0 + part(3) * s_fraction;
      if (is_needed(pair)) fields[pair] = per_255((upper & 0xffffu) * t0 + (lower & 0xffffu) * t_fraction, one * one);
      if (is_needed(pair + 2)) fields[pair + 2] = per_255((upper >> 16) * t0 + (lower >> 16) * t_fraction, one * one);
    }
    Colour<E> colour = nothing();
    for (unsigned c = 0; c < 4; c++) {
      surface::Select select = select_of(c);
      if (wanted_ >> c & 1) colour[c] = select <= surface::Select::field_3 ? fields[unsigned(select)] : constant(select);
    }
    return colour;
  }

  // --- any format
  // The texel's colour, or the border's where `outside`; of comparisons 1.0 or 0.0 in the first component.
  Colour<E> decoded(const RawTexel<E>& raw, const M* outside) {
    Colour<E> colour = nothing();
    for (unsigned c = 0; c < 4; c++) {
      if (!(wanted_ >> c & 1)) continue;
      surface::Select from = select_of(c);
      colour[c] = from <= surface::Select::field_3 ? field(raw, unsigned(from)) : constant(from);
      if (outside) colour[c] = select(*outside, border(c), colour[c]);
    }
    if (compares_) colour[0] = select(passes(colour[0]), e_.f32(1), e_.f32(0));
    return colour;
  }

  // a where both are the same, or b has no weight (in 1 / fixed_one).
  Colour<E> mixed(const Colour<E>& a, const Colour<E>& b, U32 fraction) {
    Colour<E> result = nothing();
    F32 weight = cvt_f32_s32(fraction) * (1.0f / surface::fixed_one);
    M weightless = fraction == 0u;
    for (unsigned c = 0; c < 4; c++)
      if (wanted_ >> c & 1)
        result[c] = select((a[c] == b[c]) | weightless, a[c], with_host_nans(a[c], b[c], a[c] + (b[c] - a[c]) * weight));
    return result;
  }
  Colour<E> mean_of_three(const Colour<E>& a, const Colour<E>& b, const Colour<E>& c) {
    Colour<E> result = nothing();
    for (unsigned n = 0; n < 4; n++)
      if (wanted_ >> n & 1) result[n] = (((e_.f32(0) + a[n]) + b[n]) + c[n]) / 3.0f;
    return result;
  }
  Colour<E> chosen(M first, const Colour<E>& a, const Colour<E>& b) {
    Colour<E> result = nothing();
    for (unsigned c = 0; c < 4; c++)
      if (wanted_ >> c & 1) result[c] = select(first, a[c], b[c]);
    return result;
  }

  // A register's result. A comparison's result stands in a texel's first field; the format's order makes a colour of it.
  U32 finished(const Colour<E>& colour, unsigned c) {
    if (!compares_) return as_u32(colour[c]);
    surface::Select from = form_.order()[c];
    if (from == surface::Select::field_0) return as_u32(colour[0]);
    bool one = from == surface::Select::field_3 || from == surface::Select::one;
    return e_.u32(one ? 0x3f800000u : 0u);
  }

private:
  E& e_;
  const typename E::Texture texture_;
  const Form form_;
  const surface::LayoutRow& layout_;
  const surface::Number number_;
  const bool compares_;
  const unsigned wanted_;
  F32 reference_{};
  U32 reference_bits_{};

  Colour<E> nothing() {
    F32 none = e_.f32(0);
    return {none, none, none, none};
  }
  // The source of component c; fields that a layout lacks are 0, the fourth 1. Comparisons take texels as they stand.
  surface::Select select_of(unsigned c) const {
    surface::Select select = compares_ ? surface::Select(c) : form_.order()[c];
    if (select <= surface::Select::field_3 && unsigned(select) >= layout_.fields)
      select = select == surface::Select::field_3 ? surface::Select::one : surface::Select::zero;
    return select;
  }
  bool is_needed(unsigned field) const {
    for (unsigned c = 0; c < 4; c++)
      if (wanted_ >> c & 1 && unsigned(select_of(c)) == field) return true;
    return false;
  }
  // The dwords that a field occupies.
  unsigned dwords_of(unsigned field) const {
    switch (layout_.layout) {
      case surface::Layout::bits_9_9_9_e5: return 1;
      case surface::Layout::bc1:
      case surface::Layout::bc4: return 3;
      case surface::Layout::bc2:
      case surface::Layout::bc3: return field < 3 ? 12 : 3;
      case surface::Layout::bc5: return field ? 12 : 3;
      default: return 1u << layout_.field[field].first_bit / 32;
    }
  }
  F32 constant(surface::Select select) {
    uint32_t one = surface::is_integer(number_) ? 1u : 0x3f800000u;
    return as_f32(e_.u32(select == surface::Select::one ? one : 0u));
  }
  F32 border(unsigned c) { return e_.splat(as_f32(e_.texture_word(texture_, offsetof(wave::SampledTexture, border) + 4 * c))); }

  // n / (255 * scale), rounded once, without a division: the reciprocal in two parts (right for every n below 2^24: tests/sampling).
  F32 per_255(U32 n, float scale) {
    F32 x = cvt_f32_s32(n);
    return fma(x, e_.f32(reciprocal_255_high / scale), x * (reciprocal_255_low / scale));
  }

  // number.cpp: decode_field().
  // The reference's NaNs are its host's: the first operand's, else the second's, else the one with a sign.
  F32 with_host_nans(F32 a, F32 b, F32 result) {
    if ((number_ != surface::Number::floating && number_ != surface::Number::floats_clamped) || compares_) return result;
    U32 bits = select(isnan(result), e_.u32(0xffc00000u), as_u32(result));
    bits = select(isnan(b), as_u32(b) | 0x400000u, bits);
    return as_f32(select(isnan(a), as_u32(a) | 0x400000u, bits));
  }
  bool is_float() const {
    return number_ == surface::Number::floating || number_ == surface::Number::floats_clamped ||
           layout_.layout == surface::Layout::bits_32_8_24;
  }
  // A float's bits within 0 to 1; of NaNs `otherwise`.
  U32 within_one(U32 bits, U32 otherwise) {
    U32 within = select(slt(bits, e_.u32(0)), e_.u32(0), select(bits > 0x3f800000u, e_.u32(0x3f800000u), bits));
    return select((bits & 0x7fffffffu) > 0x7f800000u, otherwise, within);
  }
  F32 block_field(const RawTexel<E>& raw, unsigned f) {
    using surface::Layout;
    Block<E> block(e_, raw.dwords, raw.in_block);
    const bool srgb = number_ == surface::Number::srgb, is_signed = number_ == surface::Number::snorm;
    switch (layout_.layout) {
      case Layout::bc1: return f < 3 ? block.colour(0, true, srgb, f) : block.bc1_alpha();
      case Layout::bc2: return f < 3 ? block.colour(2, false, srgb, f) : block.bc2_alpha();
      case Layout::bc3: return f < 3 ? block.colour(2, false, srgb, f) : block.ramp(0, false);
      default: return block.ramp(f ? 2 : 0, is_signed);  // bc4, bc5
    }
  }
  F32 field(const RawTexel<E>& raw, unsigned f) {
    using surface::Number;
    if (is_block()) return block_field(raw, f);
    if (layout_.layout == surface::Layout::bits_9_9_9_e5) {
      F32 scale = as_f32(((raw[0] >> 27) + (127u - 15 - 9)) << 23);
      return cvt_f32_s32((raw[0] >> int(9 * f)) & 0x1ffu) * scale;
    }
    const surface::Field place = layout_.field[f];
    const unsigned bits = place.bits, first = place.first_bit % 32;
    U32 word = raw[place.first_bit / 32];
    auto whole = [&] {
      U32 n = first ? word >> int(first) : word;
      return first + bits < 32 ? n & ((1u << bits) - 1) : n;
    };
    auto with_sign = [&] { return bits == 32 ? word : ashr(word << int(32 - first - bits), int(32 - bits)); };
    auto unorm = [&] {
      U32 n = whole();
      if (bits == 8) return per_255(n, 1);
      return cvt_f32_s32(n) / float((1u << bits) - 1);
    };
    switch (number_) {
      case Number::unorm: return unorm();
      case Number::snorm: {
        F32 x = cvt_f32_s32(with_sign()) / float((1u << (bits - 1)) - 1);
        return select(x < -1.0f, e_.f32(-1), x);
      }
      case Number::uint: return as_f32(whole());
      case Number::sint: return as_f32(with_sign());
      case Number::uscaled: return cvt_f32_u32(whole());
      case Number::sscaled: return cvt_f32_s32(with_sign());
      case Number::srgb:
        if (is_linear(layout_.layout, compares_ ? surface::natural_order : form_.order(), f)) return unorm();
        return as_f32(e_.constant_word(surface::srgb_fields(bits).data(), 8, whole()));
      case Number::depth_stencil: return bits == 8 || bits == 32 ? as_f32(whole()) : unorm();
      case Number::floats_clamped: return as_f32(within_one(word, e_.u32(0)));
      case Number::floating:
      case Number::signed_first:
      case Number::floats_first:
      case Number::floats_6e4_first: break;  // (mixed ones are not compiled: form.cpp)
    }
    if (bits == 32) return as_f32(word);
    return cvt_f32_f16(bits == 16 ? whole() : whole() << int(15 - bits));
  }

  // --- comparisons
  // Floats' bits in an order of signed integers; both zeros are one.
  static U32 in_order(U32 bits) {
    U32 one_zero = select((bits << 1) == 0u, bits ^ bits, bits);
    return one_zero ^ (ashr(one_zero, 31) & 0x7fffffffu);
  }
  M passes(F32 texel) {
    using surface::Comparison;
    M less = e_.m(false), equal = e_.m(false), ordered = e_.m(true);
    if (is_float()) {  // texels may be denormals themselves
      U32 t = as_u32(texel);
      ordered = ~((t & 0x7fffffffu) > 0x7f800000u) & ~((reference_bits_ & 0x7fffffffu) > 0x7f800000u);
      less = slt(in_order(reference_bits_), in_order(t)) & ordered;
      equal = (in_order(reference_bits_) == in_order(t)) & ordered;
    } else {
      less = reference_ < texel;
      equal = reference_ == texel;
      ordered = ~isnan(reference_) & ~isnan(texel);
    }
    switch (Comparison(form_.comparison)) {
      case Comparison::never: return e_.m(false);
      case Comparison::less: return less;
      case Comparison::equal: return equal;
      case Comparison::less_equal: return less | equal;
      case Comparison::greater: return ordered & ~(less | equal);
      case Comparison::not_equal: return ~equal;
      case Comparison::greater_equal: return ordered & ~less;
      case Comparison::always: break;
    }
    return e_.m(true);
  }
};

}  // namespace Atoll::sampling
