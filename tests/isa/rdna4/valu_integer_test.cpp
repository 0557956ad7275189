// Integer and bit instructions of the vector ALU against scalar references in wide arithmetic. RDNA4 ISA 16.7, 16.8, 16.12.
#include "vector_check.h"

namespace Atoll::rdna4::test {
namespace {

using In = LaneInput;
using Wide = __int128;
int64_t s24(uint32_t x) { return int32_t(x << 8) >> 8; }
int64_t s32(uint32_t x) { return int32_t(x); }
int64_t s16(uint32_t x) { return int16_t(x); }

// `exact` cut to bits, or held in the type's range when CLAMP asks.
uint64_t limited(Wide exact, int bits, bool is_signed, bool clamp) {
  Wide high = (Wide(1) << (is_signed ? bits - 1 : bits)) - 1, low = is_signed ? -high - 1 : 0;
  if (clamp) exact = exact > high ? high : exact < low ? low : exact;
  return uint64_t(exact) & (bits == 64 ? ~uint64_t(0) : (uint64_t(1) << bits) - 1);
}

struct Row {
  const char* name;
  bool clamp;
  uint32_t (*value)(const In&);
};

uint32_t median(int64_t x, int64_t y, int64_t z) {
  std::array<int64_t, 3> n{x, y, z};
  std::sort(n.begin(), n.end());
  return uint32_t(n[1]);
}
uint32_t field(uint32_t x, uint32_t offset, uint32_t width, bool is_signed) {
  uint32_t r = 0;
  for (uint32_t n = 0; n < width; n++) {
    uint32_t at = offset + n;
    bool bit = at < 32 ? x >> at & 1 : is_signed && x >> 31;
    r |= uint32_t(bit) << n;
  }
  if (is_signed && width && r >> (width - 1) & 1)
    for (uint32_t n = width; n < 32; n++) r |= 1u << n;
  return r;
}
uint32_t difference(uint32_t x, uint32_t y) { return x > y ? x - y : y - x; }
uint32_t byte(uint64_t x, int n) { return uint32_t(x >> (8 * n)) & 255; }
uint64_t sad8(uint32_t a, uint32_t b, bool masked) {
  uint64_t sum = 0;
  for (int n = 0; n < 4; n++)
    if (!masked || byte(b, n)) sum += difference(byte(a, n), byte(b, n));
  return sum;
}
uint32_t permute(uint64_t data, uint32_t selector) {
  if (selector >= 13) return 0xff;
  if (selector == 12) return 0;
  if (selector >= 8) return data >> (16 * (selector - 8) + 15) & 1 ? 0xff : 0;
  return byte(data, int(selector));
}
uint64_t both(const In& in) { return uint64_t(in.a[0]) << 32 | in.b[0]; }

const Row rows[] = {
    {"v_not_b32", false, [](const In& in) { return ~in.a[0]; }},
    {"v_bfrev_b32", false,
     [](const In& in) {
       uint32_t r = 0;
       for (int n = 0; n < 32; n++) r |= (in.a[0] >> n & 1) << (31 - n);
       return r;
     }},
    {"v_clz_i32_u32", false,
     [](const In& in) {
       for (uint32_t n = 0; n < 32; n++)
         if (in.a[0] >> (31 - n) & 1) return n;
       return ~0u;
     }},
    {"v_ctz_i32_b32", false,
     [](const In& in) {
       for (uint32_t n = 0; n < 32; n++)
         if (in.a[0] >> n & 1) return n;
       return ~0u;
     }},
    {"v_cls_i32", false,
     [](const In& in) {
       for (uint32_t n = 1; n < 32; n++)
         if ((in.a[0] >> (31 - n) & 1) != in.a[0] >> 31) return n;
       return ~0u;
     }},
    {"v_and_b32", false, [](const In& in) { return in.a[0] & in.b[0]; }},
    {"v_or_b32", false, [](const In& in) { return in.a[0] | in.b[0]; }},
    {"v_xor_b32", false, [](const In& in) { return in.a[0] ^ in.b[0]; }},
    {"v_xnor_b32", false, [](const In& in) { return ~(in.a[0] ^ in.b[0]); }},
    {"v_lshlrev_b32", false, [](const In& in) { return in.b[0] << (in.a[0] % 32); }},
    {"v_lshrrev_b32", false, [](const In& in) { return in.b[0] >> (in.a[0] % 32); }},
    {"v_ashrrev_i32", false, [](const In& in) { return uint32_t(s32(in.b[0]) >> (in.a[0] % 32)); }},
    {"v_min_i32", false, [](const In& in) { return uint32_t(std::min(s32(in.a[0]), s32(in.b[0]))); }},
    {"v_max_i32", false, [](const In& in) { return uint32_t(std::max(s32(in.a[0]), s32(in.b[0]))); }},
    {"v_min_u32", false, [](const In& in) { return std::min(in.a[0], in.b[0]); }},
    {"v_max_u32", false, [](const In& in) { return std::max(in.a[0], in.b[0]); }},
    {"v_mul_i32_i24", true, [](const In& in) { return uint32_t(limited(s24(in.a[0]) * s24(in.b[0]), 32, true, in.i->clamp)); }},
    {"v_mul_hi_i32_i24", false, [](const In& in) { return uint32_t((s24(in.a[0]) * s24(in.b[0])) >> 32); }},
    {"v_mul_u32_u24", true,
     [](const In& in) { return uint32_t(limited(Wide(in.a[0] & 0xffffff) * (in.b[0] & 0xffffff), 32, false, in.i->clamp)); }},
    {"v_mul_hi_u32_u24", false, [](const In& in) { return uint32_t(uint64_t(in.a[0] & 0xffffff) * (in.b[0] & 0xffffff) >> 32); }},
    {"v_mul_lo_u32", false, [](const In& in) { return in.a[0] * in.b[0]; }},
    {"v_mul_hi_u32", false, [](const In& in) { return uint32_t(uint64_t(in.a[0]) * in.b[0] >> 32); }},
    {"v_mul_hi_i32", false, [](const In& in) { return uint32_t(s32(in.a[0]) * s32(in.b[0]) >> 32); }},
    {"v_bfm_b32", false,
     [](const In& in) {
       uint32_t r = 0;
       for (uint32_t n = 0; n < in.a[0] % 32; n++)
         if (n + in.b[0] % 32 < 32) r |= 1u << (n + in.b[0] % 32);
       return r;
     }},
    {"v_bcnt_u32_b32", false,
     [](const In& in) {
       uint32_t r = in.b[0];
       for (int n = 0; n < 32; n++) r += in.a[0] >> n & 1;
       return r;
     }},
    {"v_mbcnt_lo_u32_b32", false,
     [](const In& in) {
       uint32_t r = in.b[0];
       for (uint32_t n = 0; n < 32 && n < in.lane; n++) r += in.a[0] >> n & 1;
       return r;
     }},
    {"v_mbcnt_hi_u32_b32", false,
     [](const In& in) {
       uint32_t r = in.b[0];
       for (uint32_t n = 32; n < in.lane; n++) r += in.a[0] >> (n - 32) & 1;
       return r;
     }},
    {"v_bfe_u32", false, [](const In& in) { return field(in.a[0], in.b[0] % 32, in.c[0] % 32, false); }},
    {"v_bfe_i32", false, [](const In& in) { return field(in.a[0], in.b[0] % 32, in.c[0] % 32, true); }},
    {"v_bfi_b32", false,
     [](const In& in) {
       uint32_t r = 0;
       for (int n = 0; n < 32; n++) r |= ((in.a[0] >> n & 1 ? in.b[0] : in.c[0]) >> n & 1) << n;
       return r;
     }},
    {"v_lerp_u8", false,
     [](const In& in) {
       uint32_t r = 0;
       for (int n = 0; n < 4; n++) r |= ((byte(in.a[0], n) + byte(in.b[0], n) + (byte(in.c[0], n) & 1)) >> 1) << (8 * n);
       return r;
     }},
    {"v_alignbit_b32", false, [](const In& in) { return uint32_t(both(in) >> (in.c[0] % 32)); }},
    {"v_alignbyte_b32", false, [](const In& in) { return uint32_t(both(in) >> (in.c[0] % 4 * 8)); }},
    {"v_min3_i32", false, [](const In& in) { return uint32_t(std::min({s32(in.a[0]), s32(in.b[0]), s32(in.c[0])})); }},
    {"v_min3_u32", false, [](const In& in) { return std::min({in.a[0], in.b[0], in.c[0]}); }},
    {"v_max3_i32", false, [](const In& in) { return uint32_t(std::max({s32(in.a[0]), s32(in.b[0]), s32(in.c[0])})); }},
    {"v_max3_u32", false, [](const In& in) { return std::max({in.a[0], in.b[0], in.c[0]}); }},
    {"v_med3_i32", false, [](const In& in) { return median(s32(in.a[0]), s32(in.b[0]), s32(in.c[0])); }},
    {"v_med3_u32", false, [](const In& in) { return median(in.a[0], in.b[0], in.c[0]); }},
    {"v_maxmin_i32", false, [](const In& in) { return uint32_t(std::min(std::max(s32(in.a[0]), s32(in.b[0])), s32(in.c[0]))); }},
    {"v_maxmin_u32", false, [](const In& in) { return std::min(std::max(in.a[0], in.b[0]), in.c[0]); }},
    {"v_minmax_i32", false, [](const In& in) { return uint32_t(std::max(std::min(s32(in.a[0]), s32(in.b[0])), s32(in.c[0]))); }},
    {"v_minmax_u32", false, [](const In& in) { return std::max(std::min(in.a[0], in.b[0]), in.c[0]); }},
    {"v_xor3_b32", false, [](const In& in) { return in.a[0] ^ in.b[0] ^ in.c[0]; }},
    {"v_or3_b32", false, [](const In& in) { return in.a[0] | in.b[0] | in.c[0]; }},
    {"v_and_or_b32", false, [](const In& in) { return (in.a[0] & in.b[0]) | in.c[0]; }},
    {"v_xad_u32", false, [](const In& in) { return (in.a[0] ^ in.b[0]) + in.c[0]; }},
    {"v_add3_u32", false, [](const In& in) { return in.a[0] + in.b[0] + in.c[0]; }},
    {"v_lshl_add_u32", false, [](const In& in) { return (in.a[0] << (in.b[0] % 32)) + in.c[0]; }},
    {"v_add_lshl_u32", false, [](const In& in) { return (in.a[0] + in.b[0]) << (in.c[0] % 32); }},
    {"v_lshl_or_b32", false, [](const In& in) { return (in.a[0] << (in.b[0] % 32)) | in.c[0]; }},
    {"v_add_nc_u32", true, [](const In& in) { return uint32_t(limited(Wide(in.a[0]) + in.b[0], 32, false, in.i->clamp)); }},
    {"v_sub_nc_u32", true, [](const In& in) { return uint32_t(limited(Wide(in.a[0]) - in.b[0], 32, false, in.i->clamp)); }},
    {"v_subrev_nc_u32", true, [](const In& in) { return uint32_t(limited(Wide(in.b[0]) - in.a[0], 32, false, in.i->clamp)); }},
    {"v_add_nc_i32", true,
     [](const In& in) { return uint32_t(limited(Wide(s32(in.a[0])) + s32(in.b[0]), 32, true, in.i->clamp)); }},
    {"v_sub_nc_i32", true,
     [](const In& in) { return uint32_t(limited(Wide(s32(in.a[0])) - s32(in.b[0]), 32, true, in.i->clamp)); }},
    {"v_mad_u32_u24", true,
     [](const In& in) {
       return uint32_t(limited(Wide(in.a[0] & 0xffffff) * (in.b[0] & 0xffffff) + in.c[0], 32, false, in.i->clamp));
     }},
    {"v_mad_i32_i24", true,
     [](const In& in) { return uint32_t(limited(Wide(s24(in.a[0])) * s24(in.b[0]) + s32(in.c[0]), 32, true, in.i->clamp)); }},
    {"v_sad_u8", true,
     [](const In& in) { return uint32_t(limited(Wide(sad8(in.a[0], in.b[0], false)) + in.c[0], 32, false, in.i->clamp)); }},
    {"v_msad_u8", true,
     [](const In& in) { return uint32_t(limited(Wide(sad8(in.a[0], in.b[0], true)) + in.c[0], 32, false, in.i->clamp)); }},
    {"v_sad_hi_u8", true,
     [](const In& in) { return uint32_t(limited(Wide(sad8(in.a[0], in.b[0], false) << 16) + in.c[0], 32, false, in.i->clamp)); }},
    {"v_sad_u16", true,
     [](const In& in) {
       return uint32_t(
           limited(Wide(difference(in.a[0] & 0xffff, in.b[0] & 0xffff)) + difference(in.a[0] >> 16, in.b[0] >> 16) + in.c[0], 32,
                   false, in.i->clamp));
     }},
    {"v_sad_u32", true,
     [](const In& in) { return uint32_t(limited(Wide(difference(in.a[0], in.b[0])) + in.c[0], 32, false, in.i->clamp)); }},
};

TEST(ValuInteger, ThirtyTwoBits) {
  for (const Row& row : rows)
    check_vector({.name = row.name, .clamp = row.clamp}, [&](const In& in) { return LaneOutput{{row.value(in)}}; });
}

TEST(ValuInteger, PermuteTakesAnySelector) {
  auto words = [](Words& w) { return w.next() & (w.next() & 1 ? 0x0f0f0f0fu : ~0u); };
  check_vector({.name = "v_perm_b32", .words = words}, [](const In& in) {
    uint32_t r = 0;
    for (int n = 0; n < 4; n++) r |= permute(both(in), byte(in.c[0], n)) << (8 * n);
    return LaneOutput{{r}};
  });
}

// {name, minuend first?, subtracts, reads a carry}
TEST(ValuInteger, Carries) {
  auto check = [](const char* name, int sign, bool reversed, bool carry_in) {
    check_vector({.name = name, .writes_mask = true, .reads_mask = carry_in, .clamp = true}, [=](const In& in) {
      Wide x = reversed ? in.b[0] : in.a[0], y = reversed ? in.a[0] : in.b[0];
      Wide exact = x + sign * (y + (carry_in && in.carry ? 1 : 0));
      return LaneOutput{{uint32_t(limited(exact, 32, false, in.i->clamp))}, exact < 0 || exact > 0xffffffffll};
    });
  };
  check("v_add_co_u32", 1, false, false);
  check("v_sub_co_u32", -1, false, false);
  check("v_subrev_co_u32", -1, true, false);
  check("v_add_co_ci_u32", 1, false, true);
  check("v_sub_co_ci_u32", -1, false, true);
  check("v_subrev_co_ci_u32", -1, true, true);
}

LaneOutput pair_of(uint64_t x, bool mask = false) { return {{uint32_t(x), uint32_t(x >> 32)}, mask}; }

TEST(ValuInteger, SixtyFourBits) {
  check_vector({.name = "v_mad_co_u64_u32", .dwords = 2, .writes_mask = true, .clamp = true}, [](const In& in) {
    unsigned __int128 exact = (unsigned __int128)(in.a[0]) * in.b[0] + in.c64();
    return pair_of(in.i->clamp && exact >> 64 ? ~uint64_t(0) : uint64_t(exact), exact >> 64 & 1);
  });
  check_vector({.name = "v_mad_co_i64_i32", .dwords = 2, .writes_mask = true, .clamp = true}, [](const In& in) {
    Wide exact = Wide(s32(in.a[0])) * s32(in.b[0]) + int64_t(in.c64());
    return pair_of(limited(exact, 64, true, in.i->clamp), exact < 0);
  });
  check_vector({.name = "v_lshlrev_b64", .dwords = 2}, [](const In& in) { return pair_of(in.b64() << (in.a[0] % 64)); });
  check_vector({.name = "v_lshrrev_b64", .dwords = 2}, [](const In& in) { return pair_of(in.b64() >> (in.a[0] % 64)); });
  check_vector({.name = "v_ashrrev_i64", .dwords = 2},
               [](const In& in) { return pair_of(uint64_t(int64_t(in.b64()) >> (in.a[0] % 64))); });
  for (bool masked : {false, true})
    check_vector({.name = masked ? "v_mqsad_pk_u16_u8" : "v_qsad_pk_u16_u8", .dwords = 2, .clamp = true}, [=](const In& in) {
      uint64_t r = 0;
      for (int n = 0; n < 4; n++)
        r |= limited(Wide(sad8(uint32_t(in.a64() >> (8 * n)), in.b[0], masked)) + (in.c64() >> (16 * n) & 0xffff), 16, false,
                     in.i->clamp)
             << (16 * n);
      return pair_of(r);
    });
  check_vector({.name = "v_mqsad_u32_u8", .dwords = 4, .clamp = true}, [](const In& in) {
    LaneOutput out;
    for (int n = 0; n < 4; n++)
      out.d[n] = uint32_t(limited(Wide(sad8(uint32_t(in.a64() >> (8 * n)), in.b[0], true)) + in.c[n], 32, false, in.i->clamp));
    return out;
  });
}

// Scalar sources of 64-bit instructions: an inline constant, a literal, a pair of SGPRs.
TEST(ValuInteger, ScalarSourcesOfPairs) {
  SingleStep wave;
  wave.v(1, 3) = 4;
  wave.set_s64(10, 0x8000000000000001);
  wave.run("v_ashrrev_i64", {.dst = 2, .src = {VGPR0 + 1, 10}});
  EXPECT_EQ(wave.v64(2, 3), 0xf800000000000000u);
  wave.run("v_ashrrev_i64", {.dst = 2, .src = {VGPR0 + 1, INTEGER_MINUS_16}});
  EXPECT_EQ(wave.v64(2, 3), ~uint64_t(0));
  wave.run("v_lshlrev_b64", {.dst = 2, .src = {INTEGER_0 + 8, LITERAL}, .literal = 0x80000000});
  EXPECT_EQ(wave.v64(2, 3), 0x8000000000u);
  wave.run("v_mqsad_u32_u8", {.dst = 2, .src = {10, VGPR0, INTEGER_0}});
  EXPECT_EQ(wave.w->stop, wave::Stop::Fault);
}

// --- 16 bits
struct Row16 {
  const char* name;
  bool is_signed, clamp;
  Wide (*exact)(int64_t a, int64_t b, int64_t c);
};
const Row16 rows16[] = {
    {"v_add_nc_u16", false, true, [](int64_t a, int64_t b, int64_t) { return Wide(a + b); }},
    {"v_sub_nc_u16", false, true, [](int64_t a, int64_t b, int64_t) { return Wide(a - b); }},
    {"v_mul_lo_u16", false, true, [](int64_t a, int64_t b, int64_t) { return Wide(a * b); }},
    {"v_add_nc_i16", true, true, [](int64_t a, int64_t b, int64_t) { return Wide(a + b); }},
    {"v_sub_nc_i16", true, true, [](int64_t a, int64_t b, int64_t) { return Wide(a - b); }},
    {"v_mad_u16", false, true, [](int64_t a, int64_t b, int64_t c) { return Wide(a * b + c); }},
    {"v_mad_i16", true, true, [](int64_t a, int64_t b, int64_t c) { return Wide(a * b + c); }},
    {"v_max_u16", false, false, [](int64_t a, int64_t b, int64_t) { return Wide(std::max(a, b)); }},
    {"v_min_u16", false, false, [](int64_t a, int64_t b, int64_t) { return Wide(std::min(a, b)); }},
    {"v_max_i16", true, false, [](int64_t a, int64_t b, int64_t) { return Wide(std::max(a, b)); }},
    {"v_min_i16", true, false, [](int64_t a, int64_t b, int64_t) { return Wide(std::min(a, b)); }},
    {"v_max3_u16", false, false, [](int64_t a, int64_t b, int64_t c) { return Wide(std::max({a, b, c})); }},
    {"v_min3_u16", false, false, [](int64_t a, int64_t b, int64_t c) { return Wide(std::min({a, b, c})); }},
    {"v_max3_i16", true, false, [](int64_t a, int64_t b, int64_t c) { return Wide(std::max({a, b, c})); }},
    {"v_min3_i16", true, false, [](int64_t a, int64_t b, int64_t c) { return Wide(std::min({a, b, c})); }},
    {"v_med3_u16", false, false, [](int64_t a, int64_t b, int64_t c) { return Wide(median(a, b, c)); }},
    {"v_med3_i16", true, false, [](int64_t a, int64_t b, int64_t c) { return Wide(int32_t(median(a, b, c))); }},
    {"v_lshlrev_b16", false, false, [](int64_t a, int64_t b, int64_t) { return Wide(b << (a & 15)); }},
    {"v_lshrrev_b16", false, false, [](int64_t a, int64_t b, int64_t) { return Wide(b >> (a & 15)); }},
    {"v_ashrrev_i16", true, false, [](int64_t a, int64_t b, int64_t) { return Wide(b >> (a & 15)); }},
    {"v_and_b16", false, false, [](int64_t a, int64_t b, int64_t) { return Wide(a & b); }},
    {"v_or_b16", false, false, [](int64_t a, int64_t b, int64_t) { return Wide(a | b); }},
    {"v_xor_b16", false, false, [](int64_t a, int64_t b, int64_t) { return Wide(a ^ b); }},
    {"v_not_b16", false, false, [](int64_t a, int64_t, int64_t) { return Wide(~a); }},
};

TEST(ValuInteger, SixteenBits) {
  for (const Row16& row : rows16)
    check_vector({.name = row.name, .clamp = row.clamp, .op_sel = true}, [&](const In& in) {
      auto source = [&](int n) { return row.is_signed ? s16(in.half(n)) : int64_t(in.half(n)); };
      LaneOutput out;
      out.half(in, uint32_t(limited(row.exact(source(0), source(1), source(2)), 16, row.is_signed, in.i->clamp)));
      return out;
    });
}

uint32_t modified(const In& in, int n) {
  uint32_t x = in.half(n);
  if (in.i->abs >> n & 1) x &= 0x7fff;
  if (in.i->neg >> n & 1) x ^= 0x8000;
  return x;
}

TEST(ValuInteger, HalvesMovedAndWidened) {
  check_vector({.name = "v_mov_b16", .modifiers = true, .op_sel = true}, [](const In& in) {
    LaneOutput out;
    return out.half(in, modified(in, 0)), out;
  });
  check_vector({.name = "v_cndmask_b16", .reads_mask = true, .modifiers = true, .op_sel = true}, [](const In& in) {
    LaneOutput out;
    return out.half(in, modified(in, in.carry ? 1 : 0)), out;
  });
  check_vector({.name = "v_pack_b32_f16", .modifiers = true, .op_sel = true, .op_sel_bits = 3}, [](const In& in) {
    auto quiet = [&](int n) {  // docs/errata.md: NaNs are quieted
      uint32_t x = modified(in, n);
      return (x & 0x7fff) > 0x7c00 ? x | 0x200 : x;
    };
    return LaneOutput{{quiet(1) << 16 | quiet(0)}};
  });
  check_vector({.name = "v_mad_u32_u16", .clamp = true, .op_sel = true, .op_sel_bits = 3}, [](const In& in) {
    return LaneOutput{{uint32_t(limited(Wide(in.half(0)) * in.half(1) + in.c[0], 32, false, in.i->clamp))}};
  });
  check_vector({.name = "v_mad_i32_i16", .clamp = true, .op_sel = true, .op_sel_bits = 3}, [](const In& in) {
    return LaneOutput{{uint32_t(limited(Wide(s16(in.half(0))) * s16(in.half(1)) + s32(in.c[0]), 32, true, in.i->clamp))}};
  });
  check_vector({.name = "v_cvt_i32_i16", .op_sel = true, .op_sel_bits = 1},
               [](const In& in) { return LaneOutput{{uint32_t(s16(in.half(0)))}}; });
  check_vector({.name = "v_cvt_u32_u16", .op_sel = true, .op_sel_bits = 1},
               [](const In& in) { return LaneOutput{{in.half(0)}}; });
  check_vector({.name = "v_sat_pk_u8_i16", .op_sel = true, .op_sel_bits = 8}, [](const In& in) {
    LaneOutput out;
    auto saturated = [](int64_t x) { return uint32_t(x < 0 ? 0 : x > 255 ? 255 : x); };
    return out.half(in, saturated(s16(in.a[0])) | saturated(s16(in.a[0] >> 16)) << 8), out;
  });
}

TEST(ValuInteger, Swaps) {
  SingleStep wave(true);
  for (uint32_t lane = 0; lane < 64; lane++) wave.v(1, lane) = 0x11110000 + lane, wave.v(2, lane) = 0x22220000 + 256 * lane;
  wave.set_exec(0x80000000'00000001);
  wave.run("v_swap_b32", {.dst = 1, .src = {VGPR0 + 2}});
  EXPECT_EQ(wave.v(1, 63), 0x22220000u + 63 * 256);
  EXPECT_EQ(wave.v(2, 63), 0x1111003fu);
  EXPECT_EQ(wave.v(1, 1), 0x11110001u);
  wave.run("v_swap_b16", {.dst = 1, .src = {VGPR0 + 2}, .op_sel = 8});  // v1.h with v2.l
  EXPECT_EQ(wave.v(1, 63), 0x003f3f00u);
  EXPECT_EQ(wave.v(2, 63), 0x11112222u);
  wave.run("v_swap_b16", {.dst = 1, .src = {VGPR0 + 1}, .op_sel = 1});  // v1.l with v1.h
  EXPECT_EQ(wave.v(1, 63), 0x3f00003fu);
}

}  // namespace
}  // namespace Atoll::rdna4::test
