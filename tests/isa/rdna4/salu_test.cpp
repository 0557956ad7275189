// Scalar integer instructions against plain C++ written from the manual's pseudocode (RDNA4 ISA 16.1-16.4).
#include "isa/rdna4/table.h"
#include "single_step.h"

namespace Atoll::rdna4::test {
namespace {

struct In {
  uint64_t a, b, old, exec;  // sources, destination before, EXEC before
  bool scc;
};
struct Out {
  uint64_t d;
  int scc = -1;       // -1: stays
  uint64_t exec = 0;  // of forms that write EXEC
};
struct Case {
  const char* name;
  int a_bits, b_bits, d_bits;  // 0: no such operand
  Out (*reference)(const In&);
  bool writes_exec = false;
};

uint32_t lo(uint64_t x) { return uint32_t(x); }
int32_t si(uint64_t x) { return int32_t(uint32_t(x)); }
Out nonzero(uint64_t d) { return {d, d != 0}; }
Out scc_only(bool c) { return {0, c}; }
int first_one(uint64_t x, int bits, bool from_top) {
  for (int n = 0; n < bits; n++)
    if (x >> (from_top ? bits - 1 - n : n) & 1) return n;
  return -1;
}
int sign_run(uint64_t x, int bits) {
  for (int n = 1; n < bits; n++)
    if ((x >> (bits - 1 - n) & 1) != (x >> (bits - 1) & 1)) return n;
  return -1;
}
int ones(uint64_t x, int bits, bool wanted) {
  int n = 0;
  for (int k = 0; k < bits; k++) n += (x >> k & 1) == wanted;
  return n;
}
uint64_t reversed(uint64_t x, int bits) {
  uint64_t r = 0;
  for (int k = 0; k < bits; k++) r |= (x >> k & 1) << (bits - 1 - k);
  return r;
}
uint64_t field(uint64_t x, int bits, uint32_t control, bool sign) {
  int offset = int(control & uint32_t(bits - 1)), size = int(control >> 16 & 127);
  uint64_t d = 0;
  for (int k = 0; k < bits; k++) {
    int from = offset + k;
    bool bit = k < size && (from < bits ? x >> from & 1 : sign && (x >> (bits - 1) & 1));
    if (sign && size && k >= size) bit = d >> (size - 1) & 1;
    d |= uint64_t(bit) << k;
  }
  return d;
}
uint64_t quads(uint64_t x, int bits, bool whole) {
  uint64_t d = 0;
  for (int k = 0; k < bits / 4; k++)
    if (x >> 4 * k & 15) d |= whole ? 15ull << 4 * k : 1ull << k;
  return d;
}
uint64_t twice(uint32_t x) {
  uint64_t d = 0;
  for (int k = 0; k < 32; k++)
    if (x >> k & 1) d |= 3ull << 2 * k;
  return d;
}

#define R [](const In& x) -> Out
#define LOGIC(name, op)                                               \
  {"s_" name "_b32", 32, 32, 32, R{uint32_t a = lo(x.a), b = lo(x.b); \
  return nonzero(uint32_t(op));                                       \
  }                                                                   \
  }                                                                   \
  , {                                                                 \
    "s_" name "_b64", 64, 64, 64, R {                                 \
      uint64_t a = x.a, b = x.b;                                      \
      return nonzero(op);                                             \
    }                                                                 \
  }
#define EXEC_LOGIC(name, op)                                                                       \
  {"s_" name "_saveexec_b32", 32, 0, 32, R{uint32_t a = lo(x.a), b = lo(x.exec), d = uint32_t(op); \
  return {b, d != 0, (x.exec & ~0xffffffffull) | d};                                               \
  }                                                                                                \
  , true                                                                                           \
  }                                                                                                \
  , {                                                                                              \
    "s_" name "_saveexec_b64", 64, 0, 64, R {                                                      \
      uint64_t a = x.a, b = x.exec, d = op;                                                        \
      return {b, d != 0, d};                                                                       \
    }                                                                                              \
    , true                                                                                         \
  }
#define WREXEC(name, op)                                                                         \
  {"s_" name "_wrexec_b32", 32, 0, 32, R{uint32_t a = lo(x.a), b = lo(x.exec), d = uint32_t(op); \
  return {d, d != 0, (x.exec & ~0xffffffffull) | d};                                             \
  }                                                                                              \
  , true                                                                                         \
  }                                                                                              \
  , {                                                                                            \
    "s_" name "_wrexec_b64", 64, 0, 64, R {                                                      \
      uint64_t a = x.a, b = x.exec, d = op;                                                      \
      return {d, d != 0, d};                                                                     \
    }                                                                                            \
    , true                                                                                       \
  }
#define ADD_SHIFTED(name, n)                                            \
  {name, 32, 32, 32, R{uint64_t t = (uint64_t(lo(x.a)) << n) + lo(x.b); \
  return {lo(t), t >> 32 != 0};                                         \
  }                                                                     \
  }

const Case cases[] = {{"s_mov_b32", 32, 0, 32, R{return {lo(x.a)};
}  // namespace
}  // namespace Atoll::rdna4::test
, {"s_mov_b64", 64, 0, 64, R{return {x.a};
}
}
, {"s_cmov_b32", 32, 0, 32, R{return {lo(x.scc ? x.a : x.old)};
}
}
, {"s_cmov_b64", 64, 0, 64, R{return {x.scc ? x.a : x.old};
}
}
, {"s_cselect_b32", 32, 32, 32, R{return {lo(x.scc ? x.a : x.b)};
}
}
, {"s_cselect_b64", 64, 64, 64, R{return {x.scc ? x.a : x.b};
}
}
, {"s_add_co_u32", 32, 32, 32, R{uint64_t t = uint64_t(lo(x.a)) + lo(x.b);
return {lo(t), t >> 32 != 0};
}
}
, {"s_sub_co_u32", 32, 32, 32, R{return {lo(x.a) - lo(x.b), lo(x.b) > lo(x.a)};
}
}
, {"s_add_co_i32", 32, 32, 32, R{int64_t t = int64_t(si(x.a)) + si(x.b);
return {lo(uint64_t(t)), t != si(uint64_t(t))};
}
}
, {"s_sub_co_i32", 32, 32, 32, R{int64_t t = int64_t(si(x.a)) - si(x.b);
return {lo(uint64_t(t)), t != si(uint64_t(t))};
}
}
, {"s_add_co_ci_u32", 32, 32, 32, R{uint64_t t = uint64_t(lo(x.a)) + lo(x.b) + x.scc;
return {lo(t), t >> 32 != 0};
}
}
, {"s_sub_co_ci_u32", 32, 32, 32, R{return {lo(x.a) - lo(x.b) - x.scc, uint64_t(lo(x.b)) + x.scc > lo(x.a)};
}
}
, {"s_absdiff_i32", 32, 32, 32, R{uint32_t d = lo(x.a) - lo(x.b);
return nonzero(d >> 31 ? 0u - d : d);
}
}
, {"s_abs_i32", 32, 0, 32, R{return nonzero(si(x.a) < 0 ? 0u - lo(x.a) : lo(x.a));
}
}
, ADD_SHIFTED("s_lshl1_add_u32", 1), ADD_SHIFTED("s_lshl2_add_u32", 2), ADD_SHIFTED("s_lshl3_add_u32", 3),
    ADD_SHIFTED("s_lshl4_add_u32", 4), {"s_min_i32", 32, 32, 32, R{bool c = si(x.a) < si(x.b);
return {lo(c ? x.a : x.b), c};
}
}
, {"s_min_u32", 32, 32, 32, R{bool c = lo(x.a) < lo(x.b);
return {lo(c ? x.a : x.b), c};
}
}
, {"s_max_i32", 32, 32, 32, R{bool c = si(x.a) >= si(x.b);
return {lo(c ? x.a : x.b), c};
}
}
, {"s_max_u32", 32, 32, 32, R{bool c = lo(x.a) >= lo(x.b);
return {lo(c ? x.a : x.b), c};
}
}
, {"s_mul_i32", 32, 32, 32, R{return {lo(x.a * x.b)};
}
}
, {"s_mul_hi_u32", 32, 32, 32, R{return {uint64_t(lo(x.a)) * lo(x.b) >> 32};
}
}
, {"s_mul_hi_i32", 32, 32, 32, R{return {lo(uint64_t(int64_t(si(x.a)) * si(x.b)) >> 32)};
}
}
, {"s_add_nc_u64", 64, 64, 64, R{return {x.a + x.b};
}
}
, {"s_sub_nc_u64", 64, 64, 64, R{return {x.a - x.b};
}
}
, {"s_mul_u64", 64, 64, 64, R{return {x.a * x.b};
}
}
, {"s_sext_i32_i8", 32, 0, 32, R{return {uint32_t(int32_t(int8_t(x.a)))};
}
}
, {"s_sext_i32_i16", 32, 0, 32, R{return {uint32_t(int32_t(int16_t(x.a)))};
}
}
, {"s_pack_ll_b32_b16", 32, 32, 32, R{return {lo((x.b & 0xffff) << 16 | (x.a & 0xffff))};
}
}
, {"s_pack_lh_b32_b16", 32, 32, 32, R{return {lo((lo(x.b) >> 16) << 16 | (x.a & 0xffff))};
}
}
, {"s_pack_hh_b32_b16", 32, 32, 32, R{return {lo((lo(x.b) >> 16) << 16 | lo(x.a) >> 16)};
}
}
, {"s_pack_hl_b32_b16", 32, 32, 32, R{return {lo((x.b & 0xffff) << 16 | lo(x.a) >> 16)};
}
}
, LOGIC("and", a& b), LOGIC("or", a | b), LOGIC("xor", a ^ b), LOGIC("nand", ~(a& b)), LOGIC("nor", ~(a | b)),
    LOGIC("xnor", ~(a ^ b)), LOGIC("and_not1", a & ~b), LOGIC("or_not1", a | ~b), EXEC_LOGIC("and", a& b),
    EXEC_LOGIC("or", a | b), EXEC_LOGIC("xor", a ^ b), EXEC_LOGIC("nand", ~(a& b)), EXEC_LOGIC("nor", ~(a | b)),
    EXEC_LOGIC("xnor", ~(a ^ b)), EXEC_LOGIC("and_not0", ~a& b), EXEC_LOGIC("or_not0", ~a | b), EXEC_LOGIC("and_not1", a & ~b),
    EXEC_LOGIC("or_not1", a | ~b), WREXEC("and_not0", ~a& b), WREXEC("and_not1", a & ~b),
    {"s_not_b32", 32, 0, 32, R{return nonzero(lo(~x.a));
}
}
, {"s_not_b64", 64, 0, 64, R{return nonzero(~x.a);
}
}
, {"s_lshl_b32", 32, 32, 32, R{return nonzero(lo(x.a) << (x.b & 31));
}
}
, {"s_lshl_b64", 64, 32, 64, R{return nonzero(x.a << (x.b & 63));
}
}
, {"s_lshr_b32", 32, 32, 32, R{return nonzero(lo(x.a) >> (x.b & 31));
}
}
, {"s_lshr_b64", 64, 32, 64, R{return nonzero(x.a >> (x.b & 63));
}
}
, {"s_ashr_i32", 32, 32, 32, R{return nonzero(uint32_t(si(x.a) >> (x.b & 31)));
}
}
, {"s_ashr_i64", 64, 32, 64, R{return nonzero(uint64_t(int64_t(x.a) >> (x.b & 63)));
}
}
, {"s_bfm_b32", 32, 32, 32, R{return {lo(((1u << (x.a & 31)) - 1) << (x.b & 31))};
}
}
, {"s_bfm_b64", 32, 32, 64, R{return {((1ull << (x.a & 63)) - 1) << (x.b & 63)};
}
}
, {"s_bfe_u32", 32, 32, 32, R{return nonzero(field(lo(x.a), 32, lo(x.b), false));
}
}
, {"s_bfe_i32", 32, 32, 32, R{return nonzero(field(lo(x.a), 32, lo(x.b), true));
}
}
, {"s_bfe_u64", 64, 32, 64, R{return nonzero(field(x.a, 64, lo(x.b), false));
}
}
, {"s_bfe_i64", 64, 32, 64, R{return nonzero(field(x.a, 64, lo(x.b), true));
}
}
, {"s_bitset0_b32", 32, 0, 32, R{return {lo(x.old) & ~(1u << (x.a & 31))};
}
}
, {"s_bitset0_b64", 32, 0, 64, R{return {x.old & ~(1ull << (x.a & 63))};
}
}
, {"s_bitset1_b32", 32, 0, 32, R{return {lo(x.old) | 1u << (x.a & 31)};
}
}
, {"s_bitset1_b64", 32, 0, 64, R{return {x.old | 1ull << (x.a & 63)};
}
}
, {"s_brev_b32", 32, 0, 32, R{return {reversed(lo(x.a), 32)};
}
}
, {"s_brev_b64", 64, 0, 64, R{return {reversed(x.a, 64)};
}
}
, {"s_ctz_i32_b32", 32, 0, 32, R{return {uint32_t(first_one(lo(x.a), 32, false))};
}
}
, {"s_ctz_i32_b64", 64, 0, 32, R{return {uint32_t(first_one(x.a, 64, false))};
}
}
, {"s_clz_i32_u32", 32, 0, 32, R{return {uint32_t(first_one(lo(x.a), 32, true))};
}
}
, {"s_clz_i32_u64", 64, 0, 32, R{return {uint32_t(first_one(x.a, 64, true))};
}
}
, {"s_cls_i32", 32, 0, 32, R{return {uint32_t(sign_run(lo(x.a), 32))};
}
}
, {"s_cls_i32_i64", 64, 0, 32, R{return {uint32_t(sign_run(x.a, 64))};
}
}
, {"s_bcnt0_i32_b32", 32, 0, 32, R{return nonzero(uint32_t(ones(lo(x.a), 32, false)));
}
}
, {"s_bcnt0_i32_b64", 64, 0, 32, R{return nonzero(uint32_t(ones(x.a, 64, false)));
}
}
, {"s_bcnt1_i32_b32", 32, 0, 32, R{return nonzero(uint32_t(ones(lo(x.a), 32, true)));
}
}
, {"s_bcnt1_i32_b64", 64, 0, 32, R{return nonzero(uint32_t(ones(x.a, 64, true)));
}
}
, {"s_quadmask_b32", 32, 0, 32, R{return nonzero(quads(lo(x.a), 32, false));
}
}
, {"s_quadmask_b64", 64, 0, 64, R{return nonzero(quads(x.a, 64, false));
}
}
, {"s_wqm_b32", 32, 0, 32, R{return nonzero(quads(lo(x.a), 32, true));
}
}
, {"s_wqm_b64", 64, 0, 64, R{return nonzero(quads(x.a, 64, true));
}
}
, {"s_bitreplicate_b64_b32", 32, 0, 64, R{return {twice(lo(x.a))};
}
}
, {"s_cmp_eq_i32", 32, 32, 0, R{return scc_only(lo(x.a) == lo(x.b));
}
}
, {"s_cmp_lg_i32", 32, 32, 0, R{return scc_only(lo(x.a) != lo(x.b));
}
}
, {"s_cmp_gt_i32", 32, 32, 0, R{return scc_only(si(x.a) > si(x.b));
}
}
, {"s_cmp_ge_i32", 32, 32, 0, R{return scc_only(si(x.a) >= si(x.b));
}
}
, {"s_cmp_lt_i32", 32, 32, 0, R{return scc_only(si(x.a) < si(x.b));
}
}
, {"s_cmp_le_i32", 32, 32, 0, R{return scc_only(si(x.a) <= si(x.b));
}
}
, {"s_cmp_eq_u32", 32, 32, 0, R{return scc_only(lo(x.a) == lo(x.b));
}
}
, {"s_cmp_lg_u32", 32, 32, 0, R{return scc_only(lo(x.a) != lo(x.b));
}
}
, {"s_cmp_gt_u32", 32, 32, 0, R{return scc_only(lo(x.a) > lo(x.b));
}
}
, {"s_cmp_ge_u32", 32, 32, 0, R{return scc_only(lo(x.a) >= lo(x.b));
}
}
, {"s_cmp_lt_u32", 32, 32, 0, R{return scc_only(lo(x.a) < lo(x.b));
}
}
, {"s_cmp_le_u32", 32, 32, 0, R{return scc_only(lo(x.a) <= lo(x.b));
}
}
, {"s_cmp_eq_u64", 64, 64, 0, R{return scc_only(x.a == x.b);
}
}
, {"s_cmp_lg_u64", 64, 64, 0, R{return scc_only(x.a != x.b);
}
}
, {"s_bitcmp0_b32", 32, 32, 0, R{return scc_only(!(lo(x.a) >> (x.b & 31) & 1));
}
}
, {"s_bitcmp1_b32", 32, 32, 0, R{return scc_only(lo(x.a) >> (x.b & 31) & 1);
}
}
, {"s_bitcmp0_b64", 64, 32, 0, R{return scc_only(!(x.a >> (x.b & 63) & 1));
}
}
, {"s_bitcmp1_b64", 64, 32, 0, R{return scc_only(x.a >> (x.b & 63) & 1);
}
}
,
}
;

TEST(Salu, MatchesThePseudocode) {
  Words words(1);
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    SingleStep wave(true);
    for (int n = 0; n < 400 && !::testing::Test::HasFailure(); n++) {
      auto word64 = [&] { return words.mixed() | uint64_t(words.mixed()) << 32; };
      In in{word64(), word64(), word64(), word64(), bool(n & 1)};
      if (n % 8 == 0) in.b = in.a;
      if (n % 16 == 3) in.a = 0;
      bool overlap = n % 5 == 0;  // the destination is source 0
      wave.set_s64(10, in.a), wave.set_s64(12, in.b), wave.set_s64(20, in.old), wave.set_s64(EXEC_LO, in.exec);
      if (overlap) in.old = in.a;
      wave.scc() = in.scc;
      Instruction i;
      i.src[0] = 10, i.src[1] = 12, i.dst = c.d_bits ? overlap ? 10 : 20 : uint16_t(NULL_SGPR);
      if (c.a_bits == 32) in.a = uint32_t(in.a);
      if (c.b_bits == 32) in.b = uint32_t(in.b);
      wave.run(c.name, i);
      Out out = c.reference(in);
      SCOPED_TRACE(::testing::Message() << std::hex << "a=" << in.a << " b=" << in.b << " old=" << in.old << " exec=" << in.exec
                                        << " scc=" << in.scc);
      if (c.d_bits == 32) EXPECT_EQ(wave.s(i.dst), out.d) << std::hex << wave.s(i.dst);
      if (c.d_bits == 64) EXPECT_EQ(wave.s64(i.dst), out.d) << std::hex << wave.s64(i.dst);
      EXPECT_EQ(wave.scc(), out.scc < 0 ? uint32_t(in.scc) : uint32_t(out.scc));
      EXPECT_EQ(wave.s64(EXEC_LO), c.writes_exec ? out.exec : in.exec);
    }
  }
}

// Examples of the manual (16.1 S_ABSDIFF_I32, 16.3 S_CLS_I32 and others).
TEST(Salu, ManualsExamples) {
  struct Example {
    const char* name;
    uint32_t a, b, d;
  } examples[] = {
      {"s_absdiff_i32", 2, 5, 3},
      {"s_absdiff_i32", 0xffffffff, 0, 1},
      {"s_absdiff_i32", 0x80000000, 0, 0x80000000},
      {"s_absdiff_i32", 0x80000000, 1, 0x7fffffff},
      {"s_absdiff_i32", 0x80000000, 0xfffffffe, 0x7ffffffe},
      {"s_ctz_i32_b32", 0xaaaaaaaa, 0, 1},
      {"s_ctz_i32_b32", 0, 0, 0xffffffff},
      {"s_ctz_i32_b32", 0x10000, 0, 16},
      {"s_clz_i32_u32", 0xcccc, 0, 16},
      {"s_clz_i32_u32", 0x7fffffff, 0, 1},
      {"s_clz_i32_u32", 0, 0, 0xffffffff},
      {"s_cls_i32", 0xcccc, 0, 16},
      {"s_cls_i32", 0xffff3333, 0, 16},
      {"s_cls_i32", 0x7fffffff, 0, 1},
      {"s_cls_i32", 0xffffffff, 0, 0xffffffff},
      {"s_abs_i32", 0x80000001, 0, 0x7fffffff},
      {"s_bcnt0_i32_b32", 0xcccccccc, 0, 16},
      {"s_bcnt1_i32_b32", 0xffffffff, 0, 32},
  };
  SingleStep wave;
  for (auto& x : examples) {
    wave.s(1) = x.a, wave.s(2) = x.b;
    Instruction i;
    i.src[0] = 1, i.src[1] = 2, i.dst = 3;
    wave.run(x.name, i);
    EXPECT_EQ(wave.s(3), x.d) << x.name << std::hex << " " << x.a << " " << x.b;
  }
}

TEST(Salu, ImmediateForms) {
  SingleStep wave;
  Words words(2);
  for (int n = 0; n < 300; n++) {
    uint32_t old = words.mixed();
    int32_t k = int16_t(words.mixed());
    Instruction i;
    i.dst = 5, i.immediate = k;
    wave.s(5) = old, wave.scc() = n & 1;
    wave.run("s_addk_co_i32", i);
    int64_t sum = int64_t(int32_t(old)) + k;
    EXPECT_EQ(wave.s(5), uint32_t(sum));
    EXPECT_EQ(wave.scc(), uint32_t(sum != int32_t(sum)));
    wave.s(5) = old;
    wave.run("s_mulk_i32", i);
    EXPECT_EQ(wave.s(5), old * uint32_t(k));
    wave.scc() = n & 1, wave.s(5) = old;
    wave.run("s_cmovk_i32", i);
    EXPECT_EQ(wave.s(5), n & 1 ? uint32_t(k) : old);
    wave.run("s_movk_i32", i);
    EXPECT_EQ(wave.s(5), uint32_t(k));
  }
}

TEST(Salu, ConstantsAndLiterals) {
  SingleStep wave;
  auto run64 = [&](const char* name, uint16_t source, uint32_t literal) {
    Instruction i;
    i.src[0] = source, i.src[1] = INTEGER_0, i.dst = 4, i.literal = literal;
    wave.run(name, i);
    return wave.s64(4);
  };
  EXPECT_EQ(run64("s_mov_b64", INTEGER_MINUS_1, 0), ~0ull);
  EXPECT_EQ(run64("s_mov_b64", INTEGER_MINUS_16, 0), uint64_t(-16));
  EXPECT_EQ(run64("s_mov_b64", INTEGER_64, 0), 64u);
  EXPECT_EQ(run64("s_mov_b64", FLOAT_HALF + 2, 0), 0x3ff0000000000000u);
  EXPECT_EQ(run64("s_mov_b64", LITERAL, 0x80000001u), 0x80000001u);           // bits: zero-extended
  EXPECT_EQ(run64("s_ashr_i64", LITERAL, 0x80000001u), 0xffffffff80000001u);  // signed: sign-extended
  EXPECT_EQ(run64("s_mov_b64", SHARED_LIMIT, 0), 0x00020000ffffffffu);
  EXPECT_EQ(run64("s_mov_b64", PRIVATE_BASE, 0), 0x0003000000000000u);
  EXPECT_EQ(uint32_t(run64("s_mov_b32", FLOAT_INV_2PI, 0)), 0x3e22f983u);
  wave.scc() = 1;
  EXPECT_EQ(uint32_t(run64("s_mov_b32", SRC_SCC, 0)), 1u);
  EXPECT_EQ(uint32_t(run64("s_mov_b32", SRC_EXECZ, 0)), 0u);
  EXPECT_EQ(uint32_t(run64("s_mov_b32", SRC_VCCZ, 0)), 1u);
}

TEST(Salu, NullAndTrapDestinations) {
  SingleStep wave;
  wave.s(1) = 5;
  Instruction i;
  i.src[0] = 1, i.src[1] = 1, i.dst = NULL_SGPR;
  wave.run("s_and_b32", i);
  EXPECT_EQ(wave.s(NULL_SGPR), 0u);
  EXPECT_EQ(wave.scc(), 1u) << "NULL: nothing written, SCC is";
  i.dst = TTMP0 + 3, wave.scc() = 0;
  wave.run("s_and_b32", i);
  EXPECT_EQ(wave.s(TTMP0 + 3), 0u);
  EXPECT_EQ(wave.scc(), 0u) << "trap register: neither";
  i.dst = TTMP0;
  wave.s(1) = 1;
  wave.run("s_and_saveexec_b32", i);
  EXPECT_EQ(wave.exec(), 1u) << "EXEC is written whatever the destination";
}

TEST(Salu, RelativeMoves) {
  SingleStep wave;
  for (uint32_t n = 0; n < 108; n++) wave.s(n) = 1000 + n;
  Instruction i;
  i.dst = 5, i.src[0] = 7;
  wave.s(M0) = 10;
  wave.run("s_movrels_b32", i);
  EXPECT_EQ(wave.s(5), 1017u);
  wave.run("s_movreld_b32", i);
  EXPECT_EQ(wave.s(15), 1007u);
  wave.s(M0) = 20 << 16 | 10;
  wave.run("s_movrelsd_2_b32", i);
  EXPECT_EQ(wave.s(25), 1017u);
  wave.s(M0) = 100;
  wave.run("s_movrels_b32", i);
  EXPECT_EQ(wave.s(5), 1107u) << "VCC_HI is the last";
  wave.s(M0) = 101;
  wave.run("s_movrels_b32", i);
  EXPECT_EQ(wave.s(5), 1000u) << "beyond it s0 is read";
  uint32_t m0 = wave.s(M0) = 120;
  wave.run("s_movreld_b32", i);
  EXPECT_EQ(wave.s(M0), m0) << "and nothing is written";
  i.dst = 30, i.src[0] = 8, wave.s(M0) = 2;
  wave.run("s_movrels_b64", i);
  EXPECT_EQ(wave.s64(30), 1010u | 1011ull << 32);
  wave.run("s_movreld_b64", i);
  EXPECT_EQ(wave.s64(32), 1008u | 1009ull << 32);
  wave.s(M0) = 0xffffffffu;
  wave.run("s_movrels_b32", i);
  EXPECT_EQ(wave.s(30), 1000u) << "the index is unsigned";
}

TEST(Salu, EveryScalarInstructionHasSemantics) {
  int count = 0;
  for (const Opcode& row : opcodes()) {
    bool scalar = row.format == Format::SOP1 || row.format == Format::SOP2 || row.format == Format::SOPK ||
                  row.format == Format::SOPC || row.format == Format::SOPP || row.format == Format::SMEM;
    if (!scalar && !row.has(Flag::WaveMatrix)) continue;
    EXPECT_NE(find_semantics(row.name), nullptr) << row.name;
    count++;
  }
  EXPECT_GT(count, 290);
}

}  // namespace
}  // namespace Atoll::rdna4::test
