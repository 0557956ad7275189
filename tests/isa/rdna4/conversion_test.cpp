// V_CVT_* against exact scalar references, in every rounding and denormal mode. RDNA4 ISA 7.6, 16.7, 16.8, 16.12.
#include "exact_floats.h"
#include "vector_check.h"

namespace Atoll::rdna4::test {
namespace {

using In = LaneInput;
using wave::FloatClass;
using wave::FloatMode;
using wave::Rounding;

FloatMode mode_of(uint32_t mode) {
  return {Rounding(mode & 3), Rounding(mode >> 2 & 3), !(mode >> 4 & 1), !(mode >> 5 & 1), !(mode >> 6 & 1), !(mode >> 7 & 1)};
}

// Edge values, numbers around the ranges of f16 (as f32), of integers (as f32), of f32 (as the high word of an f64), small
// integers.
uint32_t conversion_words(Words& w) {
  uint32_t r = w.next(), sign = r & 0x80000000u;
  auto f32 = [&](uint32_t lowest, uint32_t count) {
    return sign | (lowest + w.next() % count) << 23 | (w.next() & (r & 1 ? 0x7fffffu : 0x7ff000u));
  };
  switch (w.next() % 8) {
    case 0:
    case 1: return w.mixed();
    case 2: return f32(127 - 28, 48);
    case 3: return f32(127 - 3, 38);
    case 4: return sign | (1023 - 152 + w.next() % 284) << 20 | (w.next() & 0xfffffu);
    case 5: return sign | (w.next() & 0x7fffff);  // denormal f32
    case 6: return sign | (w.next() & 0xfffff);   // denormal f64
    default: return uint32_t(int32_t(r) >> (w.next() & 31));
  }
}

float f32(const In& in, int n, const FloatMode& mode) {
  float x = std::bit_cast<float>(n ? in.b[0] : in.a[0]);
  if (in.i->abs >> n & 1) x = std::fabs(x);
  if (in.i->neg >> n & 1) x = -x;
  return mode.flush_in32 && std::fpclassify(x) == FP_SUBNORMAL ? std::copysign(0.0f, x) : x;
}
double f64(const In& in, const FloatMode& mode) {
  double x = std::bit_cast<double>(in.a64());
  if (in.i->abs & 1) x = std::fabs(x);
  if (in.i->neg & 1) x = -x;
  return mode.flush_in64 && std::fpclassify(x) == FP_SUBNORMAL ? std::copysign(0.0, x) : x;
}
uint32_t half_bits(const In& in, int n, const FloatMode& mode) {
  uint32_t x = in.half(n);
  if (in.i->abs >> n & 1) x &= 0x7fff;
  if (in.i->neg >> n & 1) x ^= 0x8000;
  return mode.flush_in64 && is_denormal(half_format, x) ? x & 0x8000 : x;
}
uint32_t half_of(double x, const FloatMode& mode, Rounding rounding) {
  uint32_t bits = uint32_t(rounded_bits(half_format, x, rounding));
  return mode.flush_out64 && is_denormal(half_format, bits) ? bits & 0x8000 : bits;
}
uint32_t half_of_f32(float x, const FloatMode& mode, Rounding rounding) {
  uint32_t bits = std::bit_cast<uint32_t>(x);
  if (std::isnan(x)) return (bits >> 16 & 0x8000) | 0x7e00 | (bits >> 13 & 0x3ff);
  return half_of(x, mode, rounding);
}
// Flushed where the result is below the normal halves with all its digits: docs/errata.md, F15. (Halves have 11; of f32 that leaves what lies
// between the last of them and half a unit below 2^-14.)
uint32_t narrowed_half(float x, const FloatMode& mode) {
  uint32_t bits = half_of_f32(x, mode, mode.round64);
  const double size = std::fabs(double(x)), unit = 0x1p-25;
  if (!mode.flush_out64 || !(size > 0) || size >= 0x1p-14) return bits;
  const double digits = rounded_integer(std::copysign(size / unit, x), mode.round64);
  return size >= 0x1p-15 && std::fabs(digits) * unit >= 0x1p-14 ? bits : bits & 0x8000;
}
template <class F>
F clamped(const In& in, F x) {
  return !in.i->clamp ? x : x > 0 ? std::min(x, F(1)) : F(0);
}
double saturated(double x, double lowest, double highest) {
  return std::isnan(x) ? 0 : std::trunc(std::clamp(x, lowest, highest));
}
uint32_t integer(double x) { return uint32_t(int64_t(x)); }

using ModeReference = std::function<LaneOutput(const In&, const FloatMode&)>;

// In all sixteen roundings, and with denormals of f32, of f64 and f16 flushed where read, where written, both, not at all.
void check(VectorCase t, const ModeReference& reference) {
  if (testing::Test::HasFatalFailure()) return;  // an earlier row has failed
  std::string name = t.name;
  size_t narrow = name.find("f32"), wide = std::min(name.find("f64"), name.find("f16"));
  t.float_class = narrow == wide ? FloatClass::None : narrow < wide ? FloatClass::F32 : FloatClass::F64;
  if (name.find("_norm_") != std::string::npos) t.float_class = FloatClass::Nearest;
  t.words = conversion_words;
  t.rounds = 6;
  for (uint32_t rounding = 0; rounding < 16; rounding++)
    for (uint32_t denormals : {0xf0u, 0xc0u, 0x30u, 0x00u, 0xb0u, 0x70u, 0xe0u, 0xd0u}) {
      t.mode = rounding | denormals;
      FloatMode mode = mode_of(t.mode);
      check_vector(t, [&](const In& in) { return reference(in, mode); });
      if (testing::Test::HasFatalFailure()) return void(ADD_FAILURE() << t.name << " in mode " << std::hex << t.mode);
    }
}
LaneOutput word(uint32_t x) { return {{x}}; }
LaneOutput word(float x) { return {{std::bit_cast<uint32_t>(x)}}; }
LaneOutput pair(double x) {
  uint64_t bits = std::bit_cast<uint64_t>(x);
  return {{uint32_t(bits), uint32_t(bits >> 32)}};
}
LaneOutput half(const In& in, uint32_t x) {
  LaneOutput out;
  return out.half(in, x), out;
}

TEST(Conversion, HalfFromSingle) {
  check({.name = "v_cvt_f16_f32", .clamp = true, .modifiers = true, .op_sel = true, .op_sel_bits = 8},
        [](const In& in, const FloatMode& mode) { return half(in, narrowed_half(clamped(in, f32(in, 0, mode)), mode)); });
  check({.name = "v_cvt_pk_rtz_f16_f32", .clamp = true, .modifiers = true}, [](const In& in, const FloatMode& mode) {
    auto one = [&](int n) { return half_of_f32(clamped(in, f32(in, n, mode)), mode, Rounding::TowardZero); };
    return word(one(0) | one(1) << 16);
  });
}

TEST(Conversion, SingleFromHalf) {
  check({.name = "v_cvt_f32_f16", .clamp = true, .modifiers = true, .op_sel = true, .op_sel_bits = 1},
        [](const In& in, const FloatMode& mode) {
          uint32_t x = half_bits(in, 0, mode);
          if ((x & 0x7fff) > 0x7c00 && !in.i->clamp) return word((x & 0x8000) << 16 | 0x7fc00000 | (x & 0x3ff) << 13);
          return word(clamped(in, float(half_format.value(x))));
        });
}

TEST(Conversion, SingleFromDouble) {
  check({.name = "v_cvt_f32_f64", .modifiers = true}, [](const In& in, const FloatMode& mode) {
    double x = f64(in, mode);
    uint64_t bits = std::bit_cast<uint64_t>(x);
    if (std::isnan(x)) return word(uint32_t(bits >> 32 & 0x80000000) | 0x7fc00000 | uint32_t(bits >> 29 & 0x7fffff));
    uint32_t r = uint32_t(rounded_bits(single_format, x, mode.round32));
    // Flushed where the result is below the normal numbers with all its digits: docs/errata.md, F15.
    const double size = std::fabs(x), unit = 0x1p-150;
    if (mode.flush_out32 && size > 0 && size < 0x1p-126 &&
        (size < 0x1p-127 || std::fabs(rounded_integer(x / unit, mode.round32)) * unit < 0x1p-126))
      r &= 0x80000000;
    return word(r);
  });
}

TEST(Conversion, DoubleFromSingle) {
  check({.name = "v_cvt_f64_f32", .dwords = 2, .modifiers = true}, [](const In& in, const FloatMode& mode) {
    float x = f32(in, 0, mode);
    uint32_t bits = std::bit_cast<uint32_t>(x);
    if (std::isnan(x))
      return pair(std::bit_cast<double>(uint64_t(bits >> 31) << 63 | 0x7ff8000000000000 | uint64_t(bits & 0x7fffff) << 29));
    return pair(x);
  });
}

TEST(Conversion, FromIntegers) {
  struct Row {
    const char* name;
    double (*value)(const In&);
  };
  for (Row row : {Row{"v_cvt_f32_i32", [](const In& in) { return double(int32_t(in.a[0])); }},
                  Row{"v_cvt_f32_u32", [](const In& in) { return double(in.a[0]); }},
                  Row{"v_cvt_f32_ubyte0", [](const In& in) { return double(in.a[0] & 255); }},
                  Row{"v_cvt_f32_ubyte1", [](const In& in) { return double(in.a[0] >> 8 & 255); }},
                  Row{"v_cvt_f32_ubyte2", [](const In& in) { return double(in.a[0] >> 16 & 255); }},
                  Row{"v_cvt_f32_ubyte3", [](const In& in) { return double(in.a[0] >> 24); }},
                  Row{"v_cvt_off_f32_i4",
                      [](const In& in) { return ((in.a[0] & 15) >= 8 ? double(in.a[0] & 15) - 16 : in.a[0] & 15) / 16; }}})
    check({.name = row.name, .clamp = true}, [&](const In& in, const FloatMode& mode) {
      return word(clamped(in, std::bit_cast<float>(uint32_t(rounded_bits(single_format, row.value(in), mode.round32)))));
    });
  check({.name = "v_cvt_f64_i32", .dwords = 2}, [](const In& in, const FloatMode&) { return pair(int32_t(in.a[0])); });
  check({.name = "v_cvt_f64_u32", .dwords = 2}, [](const In& in, const FloatMode&) { return pair(in.a[0]); });
  check({.name = "v_cvt_f16_i16", .op_sel = true, .op_sel_bits = 9},
        [](const In& in, const FloatMode& mode) { return half(in, half_of(int16_t(in.half(0)), mode, mode.round64)); });
  check({.name = "v_cvt_f16_u16", .op_sel = true, .op_sel_bits = 9},
        [](const In& in, const FloatMode& mode) { return half(in, half_of(in.half(0), mode, mode.round64)); });
}

TEST(Conversion, ToIntegers) {
  constexpr double least = -2147483648.0, most = 2147483647.0, most_unsigned = 4294967295.0;
  auto whole = [](double x, double lowest, double highest) { return word(integer(saturated(x, lowest, highest))); };
  // A NaN gives the bound on the side of its sign: docs/errata.md, "Conversions".
  auto bounded = [=](float x, double n) {
    return std::isnan(x) ? word(std::signbit(x) ? 0x80000000u : 0x7fffffffu) : whole(n, least, most);
  };
  check({.name = "v_cvt_i32_f32", .clamp = true, .modifiers = true},
        [=](const In& in, const FloatMode& mode) { return whole(f32(in, 0, mode), least, most); });
  check({.name = "v_cvt_u32_f32", .clamp = true, .modifiers = true},
        [=](const In& in, const FloatMode& mode) { return whole(f32(in, 0, mode), 0, most_unsigned); });
  check({.name = "v_cvt_i32_f64", .modifiers = true},
        [=](const In& in, const FloatMode& mode) { return whole(f64(in, mode), least, most); });
  check({.name = "v_cvt_u32_f64", .modifiers = true},
        [=](const In& in, const FloatMode& mode) { return whole(f64(in, mode), 0, most_unsigned); });
  check({.name = "v_cvt_floor_i32_f32", .modifiers = true},
        [=](const In& in, const FloatMode& mode) { return bounded(f32(in, 0, mode), std::floor(f32(in, 0, mode))); });
  check({.name = "v_cvt_nearest_i32_f32", .modifiers = true}, [=](const In& in, const FloatMode& mode) {
    return bounded(f32(in, 0, mode), std::floor(double(f32(in, 0, mode)) + 0.5));
  });
  check({.name = "v_cvt_i16_f16", .modifiers = true, .op_sel = true, .op_sel_bits = 9}, [](const In& in, const FloatMode& mode) {
    return half(in, integer(saturated(half_format.value(half_bits(in, 0, mode)), -32768, 32767)));
  });
  check({.name = "v_cvt_u16_f16", .modifiers = true, .op_sel = true, .op_sel_bits = 9}, [](const In& in, const FloatMode& mode) {
    return half(in, integer(saturated(half_format.value(half_bits(in, 0, mode)), 0, 65535)));
  });
}

// To the nearest even, whatever MODE says: docs/errata.md, "Conversions".
uint32_t normalized(double x, double lowest, double scale) {
  return std::isnan(x) ? 0 : integer(rounded_integer(std::clamp(x, lowest, 1.0) * scale, Rounding::NearestEven)) & 0xffff;
}

TEST(Conversion, Normalized) {
  for (bool is_signed : {true, false}) {
    double lowest = is_signed ? -1 : 0, scale = is_signed ? 32767 : 65535;
    std::string kind = is_signed ? "i16" : "u16", one = "v_cvt_norm_" + kind + "_f16", two = "v_cvt_pk_norm_" + kind + "_f16",
                single = "v_cvt_pk_norm_" + kind + "_f32";
    check({.name = one.c_str(), .modifiers = true, .op_sel = true, .op_sel_bits = 9}, [=](const In& in, const FloatMode& mode) {
      return half(in, normalized(half_format.value(half_bits(in, 0, mode)), lowest, scale));
    });
    check({.name = two.c_str(), .modifiers = true, .op_sel = true, .op_sel_bits = 3}, [=](const In& in, const FloatMode& mode) {
      auto x = [&](int n) { return normalized(half_format.value(half_bits(in, n, mode)), lowest, scale); };
      return word(x(0) | x(1) << 16);
    });
    check({.name = single.c_str(), .modifiers = true}, [=](const In& in, const FloatMode& mode) {
      auto x = [&](int n) { return normalized(f32(in, n, mode), lowest, scale); };
      return word(x(0) | x(1) << 16);
    });
  }
}

TEST(Conversion, PackedIntegers) {
  auto packed = [](double lo, double hi, double lowest, double highest) {
    return word((integer(saturated(lo, lowest, highest)) & 0xffff) | integer(saturated(hi, lowest, highest)) << 16);
  };
  check({.name = "v_cvt_pk_i16_f32", .modifiers = true},
        [=](const In& in, const FloatMode& mode) { return packed(f32(in, 0, mode), f32(in, 1, mode), -32768, 32767); });
  check({.name = "v_cvt_pk_u16_f32", .modifiers = true},
        [=](const In& in, const FloatMode& mode) { return packed(f32(in, 0, mode), f32(in, 1, mode), 0, 65535); });
  check({.name = "v_cvt_pk_u16_u32"}, [=](const In& in, const FloatMode&) { return packed(in.a[0], in.b[0], 0, 65535); });
  check({.name = "v_cvt_pk_i16_i32"},
        [=](const In& in, const FloatMode&) { return packed(int32_t(in.a[0]), int32_t(in.b[0]), -32768, 32767); });
  check({.name = "v_cvt_pk_u8_f32"}, [](const In& in, const FloatMode& mode) {
    uint32_t place = in.b[0] % 4 * 8;
    const double x = f32(in, 0, mode);
    const double n =
        std::isnan(x) ? 0 : rounded_integer(std::clamp(x, 0.0, 255.0), mode.round32);  // as MODE says: docs/errata.md
    return word((in.c[0] & ~(255u << place)) | integer(n) << place);
  });
}

// --- 8-bit floats
struct Small {
  const char* name;
  const BinaryFormat& format;
  uint32_t largest, overflow, nan;
  double beyond;  // what the code above the largest number would stand for
  // FP8 has an eighth number where the format's arithmetic sees one more: 0x7f is its NaN.
  double value(uint32_t x) const { return &format == &e4m3_format && (x & 0x7f) == 0x7f ? NAN : format.value(x); }
};
const Small fp8{"fp8", e4m3_format, 0x7e, 0x7f, 0xff, 480}, bf8{"bf8", e5m2_format, 0x7b, 0x7c, 0xfe, 65536};

uint32_t small_of(const Small& small, double x, Rounding rounding, bool clamps) {
  uint32_t sign = std::signbit(x) ? 0x80 : 0;
  if (std::isnan(x)) return small.nan;  // docs/errata.md, "Conversions"; infinities too
  if (std::isinf(x)) return sign | small.overflow;
  uint32_t bits = uint32_t(rounded_bits(small.format, std::fabs(x), rounding));
  if (bits > small.largest || std::fabs(x) >= small.beyond) bits = clamps ? small.largest : small.overflow;
  return sign | bits;
}

TEST(Conversion, FromEightBitFloats) {
  for (const Small& small : {fp8, bf8}) {
    auto bits = [&](uint32_t x) {
      double value = small.value(x);
      if (!std::isnan(value)) return std::bit_cast<uint32_t>(float(value));
      return 0xffc00000u;
    };
    std::string one = std::string("v_cvt_f32_") + small.name, two = std::string("v_cvt_pk_f32_") + small.name;
    check({.name = one.c_str(), .op_sel = true, .op_sel_bits = 3}, [&](const In& in, const FloatMode&) {
      int byte = (in.i->op_sel & 1) * 2 + (in.i->op_sel >> 1 & 1);
      return word(bits(in.a[0] >> (8 * byte) & 255));
    });
    check({.name = two.c_str(), .dwords = 2, .op_sel = true, .op_sel_bits = 1},
          [&](const In& in, const FloatMode&) { return LaneOutput{{bits(in.half(0) & 255u), bits(in.half(0) >> 8)}}; });
  }
}

TEST(Conversion, ToEightBitFloats) {
  for (const Small& small : {fp8, bf8}) {
    std::string two = std::string("v_cvt_pk_") + small.name + "_f32", random = std::string("v_cvt_sr_") + small.name + "_f32";
    check({.name = two.c_str(), .op_sel = true, .op_sel_bits = 8}, [&](const In& in, const FloatMode& mode) {
      auto one = [&](int n) { return small_of(small, f32(in, n, mode), Rounding::NearestEven, false); };
      return half(in, one(0) | one(1) << 8);
    });
    check({.name = random.c_str(), .op_sel = true, .op_sel_bits = 12}, [&](const In& in, const FloatMode&) {
      const float given = std::bit_cast<float>(in.a[0]);
      int place = (in.i->op_sel >> 2) * 8, mantissa = small.format.mantissa_bits, lost = 23 - mantissa;
      uint32_t byte = small_of(small, given, Rounding::TowardZero, false);
      if (std::isfinite(given)) {
        // In units of the format's last digit there, and as many random digits below it as a normal number loses.
        int exponent;
        std::frexp(std::fabs(double(given)), &exponent);
        const int least = &small.format == &e4m3_format ? -6 : -14;
        const double unit = std::ldexp(1, std::max(given == 0 ? least : exponent - 1, least) - mantissa);
        const double noise = std::ldexp(double(in.b[0] >> (32 - lost)), -lost);
        const double digits = std::ldexp(std::floor(std::ldexp(std::fabs(double(given)) / unit, lost)), -lost);
        byte = small_of(small, std::copysign(std::floor(digits + noise) * unit, given), Rounding::TowardZero, false);
      }
      return word((in.old[0] & ~(255u << place)) | byte << place);
    });
  }
}

// Every FP8 and BF8 number comes back from f32; what stands between two goes to the even one; 7.6.2's table of overflow.
TEST(Conversion, EightBitFloatsRoundTrip) {
  for (const Small& small : {fp8, bf8})
    for (bool clamps : {false, true}) {
      SingleStep wave;
      if (clamps) wave.cell(mode_cell) |= MODE_FP16_OVFL;
      std::string to = std::string("v_cvt_pk_") + small.name + "_f32";
      auto converted = [&](double x) {
        wave.v(1, 0) = wave.v(2, 0) = std::bit_cast<uint32_t>(float(x));
        wave.run(to.c_str(), {.dst = 3, .src = {VGPR0 + 1, VGPR0 + 2}});
        return wave.v(3, 0) & 255;
      };
      for (uint32_t x = 0; x < small.largest; x++) {
        EXPECT_EQ(converted(small.value(x)), x);
        EXPECT_EQ(converted(-small.value(x)), x | 0x80);
        EXPECT_EQ(converted((small.value(x) + small.value(x + 1)) / 2), x + (x & 1)) << small.name << " above " << x;
      }
      uint32_t overflow = clamps ? small.largest : small.overflow;
      EXPECT_EQ(converted(INFINITY), small.overflow);
      EXPECT_EQ(converted(-1e6), overflow | 0x80);
      EXPECT_EQ(converted(std::nan("")), small.nan);
    }
}

}  // namespace
}  // namespace Atoll::rdna4::test
