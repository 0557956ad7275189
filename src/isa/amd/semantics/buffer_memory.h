// Buffer instructions on the lanes' addresses that a resource descriptor (V#) gives them, whatever its layout. An instruction set
// has `Buffer` with `LaneAddress<A> at` and `M in_range(A&, byte, bytes)`: the lanes of which bytes [byte, byte + bytes) of the
// access are in range. Bytes out of range read as zero and are not written. Southern Islands ISA 8.1.5; RDNA4 ISA 9.
#pragma once
#include <array>

#include "isa/amd/buffer_texel.h"
#include "isa/amd/semantics/half.h"
#include "isa/amd/semantics/vector_memory.h"

namespace Atoll::amd {

template <class A>
wave::MemoryAccess buffer_access(const LaneAddress<A>& at, unsigned bytes, bool sign_extend, unsigned stride) {
  return {.space = at.space, .bytes = uint8_t(bytes), .sign_extend = sign_extend, .stride = uint8_t(stride), .offset = at.offset};
}
template <class A, class Buffer>
typename A::U32 buffer_load(A& e, const Buffer& b, typename A::M in_range, uint32_t byte, unsigned bytes, bool sign_extend,
                            unsigned stride) {
  auto x = e.core.load_if(in_range, buffer_access(b.at.plus(int32_t(byte)), bytes, sign_extend, stride), b.at.low, b.at.high);
  return select(in_range, x, 0u);
}
template <class A, class Buffer>
void buffer_store(A& e, const Buffer& b, typename A::M in_range, uint32_t byte, unsigned bytes, unsigned stride,
                  typename A::U32 x, unsigned part = 0, unsigned parts = 1) {
  wave::MemoryAccess access = buffer_access(b.at.plus(int32_t(byte)), bytes, false, stride);
  access.part = uint8_t(part), access.parts = uint8_t(parts);
  e.core.store_if(in_range, access, b.at.low, b.at.high, x);
}

// --- untyped: dwords are checked one by one

template <class A>
struct FourDwords {
  typename A::U32 x[4];
};
// Loads `dwords` dwords (1 to 4); the others are undefined.
template <class A, class Buffer>
FourDwords<A> buffer_load_dwords(A& e, const Buffer& b, unsigned dwords) {
  auto dword = [&](unsigned n) { return buffer_load(e, b, b.in_range(e, 4 * n, 4), 4 * n, 4, false, 4 * dwords); };
  auto first = dword(0);
  return {{first, dwords > 1 ? dword(1) : first, dwords > 2 ? dword(2) : first, dwords > 3 ? dword(3) : first}};
}
template <class A, class Buffer>
void buffer_store_dwords(A& e, const Buffer& b, uint32_t vgpr, unsigned dwords) {
  for (unsigned n = 0; n < dwords; n++)
    buffer_store(e, b, b.in_range(e, 4 * n, 4), 4 * n, 4, 4 * dwords, e.vgpr(vgpr + n), n, dwords);
}
// One or two bytes.
template <class A, class Buffer>
typename A::U32 buffer_load_narrow(A& e, const Buffer& b, unsigned bytes, bool sign_extend) {
  return buffer_load(e, b, b.in_range(e, 0, bytes), 0, bytes, sign_extend, bytes);
}
template <class A, class Buffer>
void buffer_store_narrow(A& e, const Buffer& b, unsigned bytes, typename A::U32 x) {
  buffer_store(e, b, b.in_range(e, 0, bytes), 0, bytes, bytes, x);
}
// A compare value follows the data.
template <class A, class Buffer>
void buffer_atomic(A& e, const Buffer& b, wave::AtomicOp op, unsigned bytes, uint32_t data, bool returns, uint32_t dst) {
  auto zero = e.core.u32(0);
  bool wide = bytes == 8, compares = has_compare(op);
  uint32_t compare = data + bytes / 4;
  atomic_into(e, returns ? bytes / 4 : 0, dst, b.in_range(e, 0, bytes),
              wave::AtomicAccess{.op = op, .space = b.at.space, .bytes = uint8_t(bytes)}, b.at, e.vgpr(data),
              wide ? e.vgpr(data + 1) : zero, compares ? e.vgpr(compare) : zero, compares && wide ? e.vgpr(compare + 1) : zero);
}

// --- with a format: a texel is in range as a whole. Code is made for a format.

// How texels become components of registers: `select` has 0, 1, or 4 to 7 for each component (DST_SEL). `alpha`: the format that
// the W component is read by, where that is another.
struct TexelView {
  const BufferFormat& format;
  Width width;
  const uint8_t* select;
  const BufferFormat* alpha = nullptr;
};

// components_of_texel() in the words of the engine: component `c` of a texel's dwords. Rounds to the nearest.
inline bool has_component_code(const BufferFormat& format) {
  const bool ratio = format.number == Number::Unorm || format.number == Number::Snorm || format.number == Number::SnormOgl;
  return !ratio || format.bits[0] < 32;
}
// The half nearest to n / d, which floats hold exactly: the quotient is rounded to odd (half.h, fma16), then to a half.
template <class A>
typename A::U32 half_of_ratio(A& e, typename A::F32 n, float d) {
  auto quotient = n / d, rest = fma(-quotient, e.core.f32(d), n);
  auto bits = as_u32(quotient), before = bits - 1u;
  auto odd = select((rest < 0) ^ (n < 0), before, bits) | 1u;
  return half_in_mode(e, as_f32(select(rest != 0, odd, bits)), wave::Rounding::NearestEven);
}
// A float as a half: cut toward zero; what a NaN loses must not leave an infinity.
template <class A>
typename A::U32 half_toward_zero(A& e, typename A::U32 x) {
  auto nan = (x & 0x7fffffffu) > 0x7f800000u;
  auto payload = umax((x & 0x7fffffu) >> 13, e.core.u32(1));
  auto half = cvt_f16_f32_toward_zero(as_f32(select(nan, e.core.u32(0), x)));
  return select(nan, payload | 0x7c00u, half & 0x7fffu) | ((x >> 16) & 0x8000u);
}
template <class A>
typename A::U32 component_of_texel(A& e, const BufferFormat& format, Width width, const typename A::U32 texel[4], unsigned c) {
  using U32 = typename A::U32;
  const unsigned bits = format.bits[c];
  if (!bits) return e.core.u32(0);
  unsigned first = 0;
  for (unsigned n = 0; n < c; n++) first += format.bits[n];
  const U32 word = texel[first / 32];
  first %= 32;
  auto whole = [&] {
    U32 n = first ? word >> int(first) : word;
    return first + bits < 32 ? n & ((1u << bits) - 1) : n;
  };
  auto with_sign = [&] { return bits == 32 ? word : ashr(word << int(32 - first - bits), int(32 - bits)); };
  const float most = bits < 32 ? float((1u << (bits - 1)) - 1) : 0;
  const bool halves = width == Width::Bits16;
  auto ratio = [&](U32 n, float d) {
    auto x = cvt_f32_s32(n);
    return halves ? half_of_ratio(e, x, d) : as_u32(x / d);
  };
  // (A half has no number beyond 65504: what is far beyond is held where a float is exact.)
  auto half_of_whole = [&](auto x) { return half_in_mode(e, x, wave::Rounding::NearestEven); };
  const U32 far = e.core.u32(1u << 20);
  switch (format.number) {
    case Number::Unorm: return ratio(whole(), 2 * most + 1);
    case Number::Snorm: return most == 0 ? e.core.u32(0) : ratio(smax(with_sign(), e.core.u32(uint32_t(-int32_t(most)))), most);
    case Number::SnormOgl: return ratio(with_sign() * 2u + 1u, 2 * most + 1);
    case Number::Uscaled: return halves ? half_of_whole(cvt_f32_u32(umin(whole(), far))) : as_u32(cvt_f32_u32(whole()));
    case Number::Sscaled:
      return halves ? half_of_whole(cvt_f32_s32(smin(smax(with_sign(), ~far + 1u), far))) : as_u32(cvt_f32_s32(with_sign()));
    case Number::Uint: return halves ? whole() & 0xffffu : whole();
    case Number::Sint: return halves ? with_sign() & 0xffffu : with_sign();
    case Number::Float: break;
  }
  if (bits == 32) return halves ? half_toward_zero(e, word) : word;
  // NaNs keep their bits.
  U32 half = bits == 16 ? whole() : whole() << int(15 - bits);
  if (halves) return half;
  auto nan = (half & 0x7fffu) > 0x7c00u;
  U32 number = as_u32(cvt_f32_f16(select(nan, e.core.u32(0), half)));
  return select(nan, (half & 0x8000u) << 16 | (half & 0x3ffu) << 13 | 0x7f800000u, number);
}

// texel_of_components() in the words of the engine: what a component becomes in a field of the format.
inline bool has_field_code(const BufferFormat& format) {
  const bool ratio = format.number == Number::Unorm || format.number == Number::Snorm;
  return format.number != Number::SnormOgl && (!ratio || format.bits[0] < 32);
}
template <class A>
typename A::U32 field_of_component(A& e, const BufferFormat& format, Width width, unsigned c, typename A::U32 x) {
  using U32 = typename A::U32;
  auto& core = e.core;
  const unsigned bits = format.bits[c];
  const uint32_t all = bits == 32 ? ~0u : (1u << bits) - 1, most = all >> 1;
  if (width == Width::Bits16) {
    if (format.number == Number::Uint) {
      x = x & 0xffffu;
    } else if (format.number == Number::Sint) {
      x = ashr(x << 16, 16);
    } else {
      const U32 half = x & 0xffffu;
      if (format.number == Number::Float && bits == 16) return half;
      auto nan = (half & 0x7fffu) > 0x7c00u;  // (keeps its bits)
      const U32 number = as_u32(cvt_f32_f16(select(nan, core.u32(0), half)));
      x = select(nan, (half & 0x8000u) << 16 | (half & 0x3ffu) << 13 | 0x7f800000u, number);
    }
  }
  // The product is exact; it is rounded to the nearest.
  auto scaled = [&](double scale, double low, double high) {
    auto value = rndne(cvt_f64_f32(as_f32(x)) * scale);
    value = select(value < low, core.f64(low), value);
    value = select(value > high, core.f64(high), value);
    return select(isnan(as_f32(x)), core.f64(0), value);
  };
  switch (format.number) {
    case Number::Unorm: return cvt_u32_f64(scaled(all, 0, all));
    case Number::Snorm: return cvt_s32_f64(scaled(most, -double(most), most)) & all;
    case Number::Uscaled: return cvt_u32_f64(scaled(1, 0, all));
    case Number::Sscaled: return cvt_s32_f64(scaled(1, -double(most) - 1, most)) & all;
    case Number::Uint: return bits == 32 ? x : umin(x, core.u32(all));
    case Number::Sint: return bits == 32 ? x : smin(smax(x, core.u32(~most)), core.u32(most)) & all;
    case Number::SnormOgl:
    case Number::Float: break;
  }
  if (bits == 32) return x;
  if (bits == 16) return half_toward_zero(e, x);
  const unsigned lost = bits == 11 ? 4 : 5;  // of a half's mantissa
  auto nan = (x & 0x7fffffffu) > 0x7f800000u;
  const U32 payload = umax((x & 0x7fffffu) >> int(13 + lost), core.u32(1));
  const U32 half = cvt_f16_f32_toward_zero(as_f32(select(nan, core.u32(0), x)));
  const U32 code = select(nan, payload | (0x7c00u >> lost), half >> int(lost));
  return select(((x >> 31) != 0u) & ~nan, core.u32(0), code);
}

template <class A, class Buffer>
void buffer_load_texel(A& e, const Buffer& b, typename A::M in_range, const TexelView& view, unsigned components,
                       typename A::U32 out[4]) {
  const BufferFormat& format = view.format;
  unsigned bytes = format.bytes();
  uint32_t one = format.integer() ? 1 : view.width == Width::Bits32 ? 0x3f800000 : 0x3c00;
  typename A::U32 texel[4];
  for (unsigned n = 0; n < 4; n++)
    texel[n] = 4 * n < bytes ? buffer_load(e, b, in_range, 4 * n, bytes < 4 ? bytes : 4, false, bytes) : e.core.u32(0);
  bool as_is = view.width == Width::Bits32 && format.bits[0] == 32 && (format.integer() || format.number == Number::Float);
  if (as_is) {
    for (unsigned c = 0; c < components; c++)
      out[c] = view.select[c] == 1 ? e.core.u32(one) : view.select[c] >= 4 ? texel[view.select[c] - 4u] : e.core.u32(0);
    return;
  }
  if constexpr (A::Core::recording) {
    const wave::FloatMode& mode = e.core.float_mode();
    const bool nearest = mode.round32 == wave::Rounding::NearestEven && mode.round64 == wave::Rounding::NearestEven;
    for (unsigned c = 0; c < components; c++) out[c] = e.core.u32(0);
    if (!has_component_code(format) || !nearest) return e.core.call_instead();
    for (unsigned c = 0; c < components; c++) {
      const unsigned from = view.select[c];
      out[c] = from == 1 ? e.core.u32(one) : e.core.u32(0);
      if (from < 4) continue;
      const BufferFormat& own = view.alpha && from == 7 ? *view.alpha : format;
      auto x = own.bits[from - 4] ? component_of_texel(e, own, view.width, texel, from - 4) : e.core.u32(0);
      out[c] = select(in_range, x, 0u);
    }
    return;
  } else
    for (int l = 0; l < 32; l++) {
      uint32_t words[4] = {texel[0].v[l], texel[1].v[l], texel[2].v[l], texel[3].v[l]}, x[4];
      components_of_texel(format, view.width, words, x);
      if (view.alpha) {
        uint32_t alpha[4];
        components_of_texel(*view.alpha, view.width, words, alpha);
        x[3] = alpha[3];
      }
      for (unsigned c = 0; c < components; c++)
        out[c].v[l] = view.select[c] == 1 ? one : view.select[c] >= 4 && in_range.bits >> l & 1 ? x[view.select[c] - 4] : 0;
    }
}

// If several registers name one component of the format, the first one's value counts; components that none names are 0 (RDNA4
// ISA 9.3; older guides are silent).
template <class A, class Buffer>
void buffer_store_texel(A& e, const Buffer& b, const TexelView& view, const typename A::U32 given[4]) {
  unsigned bytes = view.format.bytes();
  auto in_range = b.in_range(e, 0, bytes);
  typename A::U32 texel[4];
  if constexpr (A::Core::recording) {
    if (!has_field_code(view.format)) return e.core.call_instead();
    for (auto& x : texel) x = e.core.u32(0);
    std::array<int, 4> from = {-1, -1, -1, -1};
    for (int c = 3; c >= 0; c--)
      if (view.select[c] >= 4) from[view.select[c] - 4u] = c;
    unsigned at = 0;
    for (unsigned c = 0; c < 4; at += view.format.bits[c++]) {
      if (!view.format.bits[c] || from[c] < 0) continue;
      const auto code = field_of_component(e, view.format, view.width, c, given[from[c]]);
      texel[at / 32] = view.format.bits[c] == 32 ? code : texel[at / 32] | code << int(at % 32);
    }
  } else
    for (int l = 0; l < 32; l++) {
      uint32_t x[4] = {}, words[4];
      for (int c = 3; c >= 0; c--)
        if (view.select[c] >= 4) x[view.select[c] - 4] = given[c].v[l];
      texel_of_components(view.format, view.width, x, words);
      for (unsigned n = 0; n < 4; n++) texel[n].v[l] = words[n];
    }
  for (unsigned n = 0; 4 * n < bytes; n++)
    buffer_store(e, b, in_range, 4 * n, bytes < 4 ? bytes : 4, bytes, texel[n], n, bytes < 4 ? 1 : bytes / 4);
}

}  // namespace Atoll::amd
