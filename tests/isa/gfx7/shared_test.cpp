// Instructions that Sea Islands shares with RDNA4: the same operands give the same results there, where they are tested on their
// own. Interpreter and JIT, several rounding and denormal modes, modifiers, edge values. Without those where RDNA4 is as a card has it
// and the manuals of both say otherwise (docs/errata.md): isa_vectors_test has these.
#include <gtest/gtest.h>

#include "eval/evaluator.h"

namespace Atoll::eval {
namespace {

struct Random {
  uint64_t state;
  uint32_t next() {
    uint64_t z = state += 0x9e3779b97f4a7c15ull;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ z >> 27) * 0x94d049bb133111ebull;
    return uint32_t((z ^ z >> 31) >> 32);
  }
  uint32_t below(uint32_t n) { return uint32_t((uint64_t(next()) * n) >> 32); }
  // An edge of integers, of f32 or of the high half of an f64 about half of the time.
  uint32_t word() {
    static constexpr uint32_t edges[] = {
        0,          1,          2,          31,         32,         33,         63,         0xff,       0xffff,     0x7fffff,
        0x800000,   0x7fffffff, 0x80000000, 0x80000001, 0xffffffff, 0xfffffffe, 0x3f800000, 0xbf800000, 0x3f000000, 0x40000000,
        0x7f800000, 0xff800000, 0x7fc00000, 0x7f800001, 0xffc12345, 0x00400000, 0x80000010, 0x7f7fffff, 0x33800000, 0x3ff00000,
        0x7ff00000, 0xfff00000, 0x7ff80000, 0x7ff00001, 0x7fefffff, 0x00100000, 0x000fffff, 0xbff80000, 0x477fe000, 0x38800000};
    return below(2) ? edges[below(std::size(edges))] : below(4) ? next() : 0x3f800000u ^ (next() >> below(20));
  }
};

enum Shape {
  V,
  VV,
  VVV,
  VK,
  KV,
  D,
  DD,
  DDD,
  VD,
  DV,
  DVV,
  DVD,
  CARRY,
  CARRY_IN,
  SCALED,
  SCALED_D,
  WIDE,
  WIDE4,
  COMPARE,
  COMPARE_D,
  CLASS_D,
  S,
  SS,
  P,
  PP,
  PS,
  SP,
  KS
};
struct Row {
  const char* gfx7;
  const char* rdna4;  // null: the same name
  Shape shape;
  bool is_float = false;  // takes NEG and ABS on 32-bit or 64-bit sources
};
constexpr bool FLOAT = true;

// Operands as text; n counts the float sources that may be modified.
std::string operands(Shape shape, const std::string& a, const std::string& b, const std::string& c) {
  switch (shape) {
    case V: return "v8, " + a;
    case VV: return "v8, " + a + ", " + b;
    case VVV: return "v8, " + a + ", " + b + ", " + c;
    case VK: return "v8, v2, v3, 0x40490fdb";
    case KV: return "v8, v2, 0x40490fdb, v3";
    case D: return "v[8:9], " + a;
    case DD: return "v[8:9], " + a + ", " + b;
    case DDD: return "v[8:9], " + a + ", " + b + ", " + c;
    case VD: return "v8, " + a;
    case DV: return "v[8:9], " + a;
    case DVV: return "v[8:9], " + a + ", v3";
    case DVD: return "v[8:9], v[2:3], v4, v[6:7]";
    case CARRY: return "v8, vcc, v2, v3";
    case CARRY_IN: return "v8, vcc, v2, v3, vcc";
    case SCALED: return "v8, vcc, v2, v3, v2";
    case SCALED_D: return "v[8:9], vcc, v[2:3], v[4:5], v[2:3]";
    case WIDE: return "v[8:9], vcc, v2, v3, v[4:5]";
    case WIDE4: return "v[8:11], v[2:3], v4, v[4:7]";
    case COMPARE: return "vcc, " + a + ", " + b;
    case COMPARE_D: return "vcc, " + a + ", " + b;
    case CLASS_D: return "vcc, " + a + ", v4";
    case S: return "s8, s2";
    case SS: return "s8, s2, s3";
    case P: return "s[8:9], s[2:3]";
    case PP: return "s[8:9], s[2:3], s[4:5]";
    case PS: return "s[8:9], s[2:3], s4";
    case SP: return "s8, s[2:3]";
    case KS: return "s2, s3";
  }
  return {};
}
bool wide(Shape shape) {
  return shape == D || shape == DD || shape == DDD || shape == VD || shape == DVV || shape == COMPARE_D || shape == CLASS_D;
}

const Row rows[] = {
    {"v_mov_b32", 0, V},
    {"v_not_b32", 0, V},
    {"v_bfrev_b32", 0, V},
    {"v_ffbh_u32", "v_clz_i32_u32", V},
    {"v_ffbl_b32", "v_ctz_i32_b32", V},
    {"v_ffbh_i32", "v_cls_i32", V},
    {"v_and_b32", 0, VV},
    {"v_or_b32", 0, VV},
    {"v_xor_b32", 0, VV},
    {"v_lshlrev_b32", 0, VV},
    {"v_lshrrev_b32", 0, VV},
    {"v_ashrrev_i32", 0, VV},
    {"v_min_i32", 0, VV},
    {"v_max_i32", 0, VV},
    {"v_min_u32", 0, VV},
    {"v_max_u32", 0, VV},
    {"v_mul_i32_i24", 0, VV},
    {"v_mul_hi_i32_i24", 0, VV},
    {"v_mul_u32_u24", 0, VV},
    {"v_mul_hi_u32_u24", 0, VV},
    {"v_mul_lo_u32", 0, VV},
    {"v_mul_lo_i32", "v_mul_lo_u32", VV},
    {"v_mul_hi_u32", 0, VV},
    {"v_mul_hi_i32", 0, VV},
    {"v_bfm_b32", 0, VV},
    {"v_bcnt_u32_b32", 0, VV},
    {"v_mbcnt_lo_u32_b32", 0, VV},
    {"v_mbcnt_hi_u32_b32", 0, VV},
    {"v_add_i32", "v_add_co_u32", CARRY},
    {"v_sub_i32", "v_sub_co_u32", CARRY},
    {"v_subrev_i32", "v_subrev_co_u32", CARRY},
    {"v_addc_u32", "v_add_co_ci_u32", CARRY_IN},
    {"v_subb_u32", "v_sub_co_ci_u32", CARRY_IN},
    {"v_subbrev_u32", "v_subrev_co_ci_u32", CARRY_IN},
    {"v_mad_i32_i24", 0, VVV},
    {"v_mad_u32_u24", 0, VVV},
    {"v_bfe_u32", 0, VVV},
    {"v_bfe_i32", 0, VVV},
    {"v_bfi_b32", 0, VVV},
    {"v_lerp_u8", 0, VVV},
    {"v_alignbit_b32", 0, VVV},
    {"v_alignbyte_b32", 0, VVV},
    {"v_min3_i32", 0, VVV},
    {"v_min3_u32", 0, VVV},
    {"v_max3_i32", 0, VVV},
    {"v_max3_u32", 0, VVV},
    {"v_med3_i32", 0, VVV},
    {"v_med3_u32", 0, VVV},
    {"v_sad_u8", 0, VVV},
    {"v_sad_hi_u8", 0, VVV},
    {"v_sad_u16", 0, VVV},
    {"v_sad_u32", 0, VVV},
    {"v_msad_u8", 0, VVV},
    {"v_qsad_pk_u16_u8", 0, DVD},
    {"v_mqsad_pk_u16_u8", 0, DVD},
    {"v_mqsad_u32_u8", 0, WIDE4},
    {"v_mad_u64_u32", "v_mad_co_u64_u32", WIDE},
    {"v_mad_i64_i32", "v_mad_co_i64_i32", WIDE},
    {"v_add_f32", 0, VV, FLOAT},
    {"v_sub_f32", 0, VV, FLOAT},
    {"v_subrev_f32", 0, VV, FLOAT},
    {"v_mul_f32", 0, VV, FLOAT},
    {"v_mul_legacy_f32", "v_mul_dx9_zero_f32", VV, FLOAT},
    {"v_min_f32", "v_min_num_f32", VV, FLOAT},
    {"v_max_f32", "v_max_num_f32", VV, FLOAT},
    {"v_min3_f32", "v_min3_num_f32", VVV, FLOAT},
    {"v_max3_f32", "v_max3_num_f32", VVV, FLOAT},
    {"v_fma_f32", 0, VVV, FLOAT},
    {"v_mullit_f32", 0, VVV, FLOAT},
    {"v_cubeid_f32", 0, VVV, FLOAT},
    {"v_div_fixup_f32", 0, VVV, FLOAT},
    {"v_trunc_f32", 0, V, FLOAT},
    {"v_ceil_f32", 0, V, FLOAT},
    {"v_floor_f32", 0, V, FLOAT},
    {"v_rndne_f32", 0, V, FLOAT},
    {"v_frexp_mant_f32", 0, V, FLOAT},
    {"v_frexp_exp_i32_f32", 0, V, FLOAT},
    {"v_ldexp_f32", 0, VV},
    {"v_add_f64", 0, DD, FLOAT},
    {"v_mul_f64", 0, DD, FLOAT},
    {"v_min_f64", "v_min_num_f64", DD, FLOAT},
    {"v_max_f64", "v_max_num_f64", DD, FLOAT},
    {"v_fma_f64", 0, DDD, FLOAT},
    {"v_div_fixup_f64", 0, DDD, FLOAT},
    {"v_trunc_f64", 0, D, FLOAT},
    {"v_ceil_f64", 0, D, FLOAT},
    {"v_floor_f64", 0, D, FLOAT},
    {"v_rndne_f64", 0, D, FLOAT},
    {"v_frexp_mant_f64", 0, D, FLOAT},
    {"v_frexp_exp_i32_f64", 0, VD, FLOAT},
    {"v_rcp_f64", 0, D, FLOAT},
    {"v_ldexp_f64", 0, DVV},
    {"v_trig_preop_f64", 0, DVV},
    {"v_cvt_i32_f64", 0, VD, FLOAT},
    {"v_cvt_u32_f64", 0, VD, FLOAT},
    {"v_cvt_f32_f64", 0, VD, FLOAT},
    {"v_cvt_f64_f32", 0, DV, FLOAT},
    {"v_cvt_f64_i32", 0, DV},
    {"v_cvt_f64_u32", 0, DV},
    {"v_cvt_f32_i32", 0, V},
    {"v_cvt_f32_u32", 0, V},
    {"v_cvt_u32_f32", 0, V, FLOAT},
    {"v_cvt_i32_f32", 0, V, FLOAT},
    {"v_cvt_f32_f16", 0, V},
    {"v_cvt_off_f32_i4", 0, V},
    {"v_cvt_f32_ubyte0", 0, V},
    {"v_cvt_f32_ubyte1", 0, V},
    {"v_cvt_f32_ubyte2", 0, V},
    {"v_cvt_f32_ubyte3", 0, V},
    {"v_cvt_pkrtz_f16_f32", "v_cvt_pk_rtz_f16_f32", VV, FLOAT},
    {"v_cvt_pk_u16_u32", 0, VV},
    {"v_cvt_pk_i16_i32", 0, VV},
    {"v_cmp_lt_i32", 0, COMPARE},
    {"v_cmp_eq_i32", 0, COMPARE},
    {"v_cmp_le_u32", 0, COMPARE},
    {"v_cmp_gt_u32", 0, COMPARE},
    {"v_cmp_ne_u32", 0, COMPARE},
    {"v_cmp_ge_i32", 0, COMPARE},
    {"v_cmp_lt_i64", 0, COMPARE_D},
    {"v_cmp_ge_u64", 0, COMPARE_D},
    {"v_cmp_eq_u64", 0, COMPARE_D},
    {"v_cmp_lt_f32", 0, COMPARE, FLOAT},
    {"v_cmp_eq_f32", 0, COMPARE, FLOAT},
    {"v_cmp_le_f32", 0, COMPARE, FLOAT},
    {"v_cmp_gt_f32", 0, COMPARE, FLOAT},
    {"v_cmp_lg_f32", 0, COMPARE, FLOAT},
    {"v_cmp_ge_f32", 0, COMPARE, FLOAT},
    {"v_cmp_o_f32", 0, COMPARE, FLOAT},
    {"v_cmp_u_f32", 0, COMPARE, FLOAT},
    {"v_cmp_nge_f32", 0, COMPARE, FLOAT},
    {"v_cmp_nlg_f32", 0, COMPARE, FLOAT},
    {"v_cmp_ngt_f32", 0, COMPARE, FLOAT},
    {"v_cmp_nle_f32", 0, COMPARE, FLOAT},
    {"v_cmp_neq_f32", 0, COMPARE, FLOAT},
    {"v_cmp_nlt_f32", 0, COMPARE, FLOAT},
    {"v_cmps_lt_f32", "v_cmp_lt_f32", COMPARE, FLOAT},
    {"v_cmps_neq_f64", "v_cmp_neq_f64", COMPARE_D, FLOAT},
    {"v_cmp_lt_f64", 0, COMPARE_D, FLOAT},
    {"v_cmp_nle_f64", 0, COMPARE_D, FLOAT},
    {"v_cmp_class_f32", 0, COMPARE},
    {"v_cmp_class_f64", 0, CLASS_D},
    {"s_mov_b32", 0, S},
    {"s_mov_b64", 0, P},
    {"s_cmov_b32", 0, S},
    {"s_cmov_b64", 0, P},
    {"s_not_b32", 0, S},
    {"s_not_b64", 0, P},
    {"s_wqm_b32", 0, S},
    {"s_wqm_b64", 0, P},
    {"s_brev_b32", 0, S},
    {"s_brev_b64", 0, P},
    {"s_bcnt0_i32_b32", 0, S},
    {"s_bcnt0_i32_b64", 0, SP},
    {"s_bcnt1_i32_b32", 0, S},
    {"s_bcnt1_i32_b64", 0, SP},
    {"s_ff1_i32_b32", "s_ctz_i32_b32", S},
    {"s_ff1_i32_b64", "s_ctz_i32_b64", SP},
    {"s_flbit_i32_b32", "s_clz_i32_u32", S},
    {"s_flbit_i32_b64", "s_clz_i32_u64", SP},
    {"s_flbit_i32", "s_cls_i32", S},
    {"s_flbit_i32_i64", "s_cls_i32_i64", SP},
    {"s_sext_i32_i8", 0, S},
    {"s_sext_i32_i16", 0, S},
    {"s_bitset0_b32", 0, S},
    {"s_bitset1_b32", 0, S},
    {"s_quadmask_b32", 0, S},
    {"s_quadmask_b64", 0, P},
    {"s_abs_i32", 0, S},
    {"s_and_saveexec_b64", 0, P},
    {"s_or_saveexec_b64", 0, P},
    {"s_xor_saveexec_b64", 0, P},
    {"s_andn2_saveexec_b64", "s_and_not1_saveexec_b64", P},
    {"s_orn2_saveexec_b64", "s_or_not1_saveexec_b64", P},
    {"s_nand_saveexec_b64", 0, P},
    {"s_nor_saveexec_b64", 0, P},
    {"s_xnor_saveexec_b64", 0, P},
    {"s_add_u32", "s_add_co_u32", SS},
    {"s_sub_u32", "s_sub_co_u32", SS},
    {"s_add_i32", "s_add_co_i32", SS},
    {"s_sub_i32", "s_sub_co_i32", SS},
    {"s_addc_u32", "s_add_co_ci_u32", SS},
    {"s_subb_u32", "s_sub_co_ci_u32", SS},
    {"s_min_i32", 0, SS},
    {"s_min_u32", 0, SS},
    {"s_cselect_b32", 0, SS},
    {"s_cselect_b64", 0, PP},
    {"s_and_b32", 0, SS},
    {"s_and_b64", 0, PP},
    {"s_or_b32", 0, SS},
    {"s_or_b64", 0, PP},
    {"s_xor_b32", 0, SS},
    {"s_xor_b64", 0, PP},
    {"s_andn2_b32", "s_and_not1_b32", SS},
    {"s_andn2_b64", "s_and_not1_b64", PP},
    {"s_orn2_b32", "s_or_not1_b32", SS},
    {"s_orn2_b64", "s_or_not1_b64", PP},
    {"s_nand_b32", 0, SS},
    {"s_nand_b64", 0, PP},
    {"s_nor_b32", 0, SS},
    {"s_nor_b64", 0, PP},
    {"s_xnor_b32", 0, SS},
    {"s_xnor_b64", 0, PP},
    {"s_lshl_b32", 0, SS},
    {"s_lshl_b64", 0, PS},
    {"s_lshr_b32", 0, SS},
    {"s_lshr_b64", 0, PS},
    {"s_ashr_i32", 0, SS},
    {"s_ashr_i64", 0, PS},
    {"s_bfm_b32", 0, SS},
    {"s_mul_i32", 0, SS},
    {"s_bfe_u32", 0, SS},
    {"s_bfe_i32", 0, SS},
    {"s_bfe_u64", 0, PS},
    {"s_bfe_i64", 0, PS},
    {"s_absdiff_i32", 0, SS},
    {"s_cmp_eq_i32", 0, KS},
    {"s_cmp_lg_i32", 0, KS},
    {"s_cmp_gt_i32", 0, KS},
    {"s_cmp_ge_i32", 0, KS},
    {"s_cmp_lt_i32", 0, KS},
    {"s_cmp_le_i32", 0, KS},
    {"s_cmp_eq_u32", 0, KS},
    {"s_cmp_lg_u32", 0, KS},
    {"s_cmp_gt_u32", 0, KS},
    {"s_cmp_ge_u32", 0, KS},
    {"s_cmp_lt_u32", 0, KS},
    {"s_cmp_le_u32", 0, KS},
    {"s_bitcmp0_b32", 0, KS},
    {"s_bitcmp1_b32", 0, KS},
};

std::string text_of(const Result& r) {
  std::string out;
  for (const auto& value : r.registers) {
    out += value.name + ":";
    for (uint64_t v : value.values) out += fmt::format(" {:x}", v);
    out += "\n";
  }
  return out;
}

TEST(Gcn2Shared, ResultsAreRdna4s) {
  auto evaluator = Evaluator::create();
  ASSERT_TRUE(evaluator) << evaluator.error().message;
  Random random{7};
  size_t compared = 0;
  for (const Row& row : rows) {
    for (int round = 0; round < 12; round++) {
      bool jit = round >= 10;
      // Modifiers of float sources; OMOD only where denormal results are flushed, without which this GPU ignores it.
      std::string source[3];
      for (int n = 0; n < 3; n++) {
        std::string r = wide(row.shape) ? fmt::format("v[{}:{}]", 2 + 2 * n, 3 + 2 * n) : fmt::format("v{}", 2 + n);
        uint32_t modifier = row.is_float && round & 1 ? random.below(4) : 0;
        source[n] = modifier == 1 ? "-" + r : modifier == 2 ? "|" + r + "|" : modifier == 3 ? "-|" + r + "|" : r;
      }
      uint32_t modes[] = {0xf0, 0xc0, 0x00, 0x30, 0xf5, 0xfa, 0xff, 0xc3, 0x0c, 0xf0, 0xf0, 0xc0};
      uint32_t mode = modes[round];
      Request request;
      request.wave = 64;
      request.engine = jit ? wave::EngineChoice::Jit : wave::EngineChoice::Interpreter;
      std::string tail = operands(row.shape, source[0], source[1], source[2]);
      for (unsigned n = 2; n <= 11; n++) {
        RegisterValue v{fmt::format("v{}", n), {}, true};
        for (int l = 0; l < 64; l++) v.values.push_back(random.word());
        request.registers.push_back(v);
        request.registers.push_back({fmt::format("s{}", n), {random.word()}, false});
      }
      request.registers.push_back({"vcc", {uint64_t(random.next()) << 32 | random.next()}, false});
      request.registers.push_back({"exec", {round % 3 ? ~uint64_t(0) : uint64_t(random.next()) << 32 | random.next()}, false});
      request.registers.push_back({"scc", {random.below(2)}, false});
      request.registers.push_back({"mode", {mode}, false});
      request.out = {"v8", "v9", "v10", "v11", "s8", "s9", "vcc", "exec", "scc"};
      request.isa = "gfx1200";
      request.text = {fmt::format("{} {}", row.rdna4 ? row.rdna4 : row.gfx7, tail)};
      auto expected = (*evaluator)->run(request);
      ASSERT_TRUE(expected) << request.text[0] << ": " << expected.error().message;
      request.isa = "gfx7";
      request.text = {fmt::format("{} {}", row.gfx7, tail)};
      auto got = (*evaluator)->run(request);
      ASSERT_TRUE(got) << request.text[0] << ": " << got.error().message;
      EXPECT_EQ(text_of(*got), text_of(*expected)) << request.text[0] << " mode " << mode << (jit ? " JIT" : "");
      compared++;
      if (HasFailure()) return;
    }
  }
  EXPECT_EQ(compared, std::size(rows) * 12);
}

}  // namespace
}  // namespace Atoll::eval
