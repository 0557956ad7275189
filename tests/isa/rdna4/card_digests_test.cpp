// Whole sets of operands beside an RX 9070, by the digests of card_digests.h: both engines, thousands of waves a test.
#include "card_digests.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <span>
#include <string_view>

#include "isa/rdna4/table.h"
#include "repeated.h"

namespace Atoll::rdna4::test {
namespace {

using wave::EngineChoice;

// --- digests: FNV-1a over the low bytes of a word, or over whole words as if they were bytes
constexpr uint64_t digest_begin = 14695981039346656037u;
uint64_t with_word(uint64_t digest, uint64_t word) { return (digest ^ word) * 1099511628211u; }
uint64_t with_bytes(uint64_t digest, uint64_t word, unsigned bytes) {
  for (unsigned n = 0; n < bytes; n++) digest = with_word(digest, word >> 8 * n & 255);
  return digest;
}

const Opcode* row_of(std::string_view name, Format format) {
  for (const Opcode& row : opcodes())
    if (row.name == name && row.format == format) return &row;
  return nullptr;
}
uint16_t vgpr(unsigned n) { return uint16_t(VGPR0 + n); }

// Modifiers; those of source n are bit n.
struct Modifiers {
  unsigned neg = 0, abs = 0, omod = 0, clamp = 0, op_sel = 0;
};
void modify(Instruction& i, const Modifiers& m) {
  i.neg = uint16_t(m.neg), i.abs = uint16_t(m.abs), i.omod = uint16_t(m.omod), i.clamp = uint16_t(m.clamp);
  i.op_sel = uint16_t(m.op_sel);
}
// As goc packs them: NEG in bits 0 to 2, ABS in 3 to 5, OMOD in 6 and 7, CLAMP in 8, OP_SEL from 9 on (the destination's last).
Modifiers packed_modifiers(unsigned m) { return {m & 7, m >> 3 & 7, m >> 6 & 3, m >> 8 & 1, m >> 9 & 15}; }

// Seven descriptors: DPP8 backwards, without and with FI; a row shifted by one with BOUND_CTRL and FI; lanes of a row exclusive-or 7 for
// some rows and banks.
void route(Instruction& i, unsigned descriptor) {
  i.dpp = descriptor < 2 ? Dpp::Dpp8 : Dpp::Dpp16;
  i.dpp_control = descriptor < 2 ? 0x053977 : descriptor < 6 ? 0x101 : 0x167;
  i.fetch_inactive = descriptor == 1 || descriptor == 4 || descriptor == 5;
  i.bound_control = descriptor == 3 || descriptor == 5 || descriptor == 6;
  i.row_mask = descriptor == 6 ? 0x1 : 0xf, i.bank_mask = descriptor == 6 ? 0x5 : 0xf;
}
constexpr unsigned descriptors = 7;
constexpr uint32_t masks[] = {0xffffffff, 0, 0xaaaaaaaa, 0x55555555, 1, 0x80000000, 0xffff, 0xffff0000};

class CardDigests : public testing::TestWithParam<EngineChoice> {};
INSTANTIATE_TEST_SUITE_P(Engines, CardDigests, testing::Values(EngineChoice::Interpreter, EngineChoice::Jit),
                         [](const auto& p) { return p.param == EngineChoice::Jit ? "Jit" : "Interpreter"; });

// --- division

Instruction of_three(std::string_view name) {
  Instruction i;
  i.opcode = row_of(name, Format::VOP3);
  for (unsigned n = 0; n < 3; n++) i.src[n] = vgpr(2 * n);
  i.dst = 6;
  return i;
}
void set_three(SingleStep& wave, unsigned lane, const uint64_t (&x)[3]) {
  for (unsigned n = 0; n < 3; n++) wave.set_v64(2 * n, lane, x[n]);
}

constexpr uint64_t fmas_values[2][16] = {
    {0, 0x80000000, 1, 0x80000001, 0x7fffff, 0x800000, 0x3f800000, 0xbf800000, 0x3f800001, 0x3f7fffff, 0x40000000, 0x7f7fffff,
     0x7f800000, 0xff800000, 0x7f800001, 0xffc00003},
    {0, 0x8000000000000000, 1, 0x8000000000000001, 0xfffffffffffff, 0x10000000000000, 0x3ff0000000000000, 0xbff0000000000000,
     0x3ff0000000000001, 0x3fefffffffffffff, 0x4000000000000000, 0x7fefffffffffffff, 0x7ff0000000000000, 0xfff0000000000000,
     0x7ff0000000000001, 0xfff8000000000003}};
constexpr Modifiers fmas_modifiers[] = {
    {}, {.omod = 1}, {.omod = 2}, {.omod = 3}, {.clamp = 1}, {.neg = 5, .abs = 3}, {.omod = 1, .clamp = 1}, {.neg = 7}};

// A third of an xorshift's stream; every fourth triple cancels, every fourth lies below the normal numbers.
void random_triple(bool wide, unsigned index, uint32_t& state, uint64_t (&x)[3]) {
  auto next = [&] {
    state ^= state << 13, state ^= state >> 17, state ^= state << 5;
    return state;
  };
  for (uint64_t& value : x) {
    value = next();
    if (wide) value |= uint64_t(next()) << 32;
  }
  const unsigned fraction = wide ? 52 : 23;
  const uint64_t bias = wide ? 1023 : 127, sign = uint64_t(1) << (wide ? 63 : 31);
  if (index % 4 == 0) x[1] = bias << fraction | 1, x[2] = x[0] ^ sign;
  if (index % 4 == 1) x[0] &= (uint64_t(1) << fraction) - 1, x[1] = ((bias + 1) << fraction) - 1, x[2] = 1;
}

TEST_P(CardDigests, DivFmas) {
  SingleStep wave;
  for (bool wide : {false, true})
    for (bool random : {false, true})
      for (unsigned column = 0; column < 16; column++) {
        Instruction i = of_three(wide ? "v_div_fmas_f64" : "v_div_fmas_f32");
        modify(i, fmas_modifiers[column % 8]);
        Repeated run(wave, i, GetParam());
        uint32_t state = 0x9174ab23;
        uint64_t digest = digest_begin;
        for (unsigned start = 0; start < 4096; start += 32) {
          for (unsigned lane = 0; lane < 32; lane++) {
            const unsigned n = start + lane;
            uint64_t x[3] = {fmas_values[wide][n / 256], fmas_values[wide][n / 16 % 16], fmas_values[wide][n % 16]};
            if (random) random_triple(wide, n, state, x);
            set_three(wave, lane, x);
          }
          wave.s(VCC_LO) = column / 8 ? ~0u : 0;
          run();
          for (unsigned lane = 0; lane < 32; lane++)
            digest = with_bytes(digest, wide ? wave.v64(6, lane) : wave.v(6, lane), wide ? 8 : 4);
        }
        EXPECT_EQ(digest, (random ? div_fmas_random : div_fmas_edges)[wide][column])
            << (wide ? "f64" : "f32") << (random ? " random " : " edges ") << column;
      }
}

constexpr uint64_t scale_values[2][24] = {
    {1,          0x800001,   0xb800001,  0xc000001,  0xc800001,  0x2f800001, 0x30000001, 0x30800001,
     0x3f000001, 0x3f800001, 0x40000001, 0x6f000001, 0x6f800001, 0x70000001, 0x7e000001, 0x7e800001,
     0x7f000001, 0x7f800001, 0,          0x80000000, 0x7fffff,   0xbf800000, 0x7f800000, 0xff800000},
    {1,
     0x10000000000001,
     0x340000000000001,
     0x350000000000001,
     0x360000000000001,
     0x2ff0000000000001,
     0x3000000000000001,
     0x3010000000000001,
     0x3fe0000000000001,
     0x3ff0000000000001,
     0x4000000000000001,
     0x6fe0000000000001,
     0x6ff0000000000001,
     0x7000000000000001,
     0x7fc0000000000001,
     0x7fd0000000000001,
     0x7fe0000000000001,
     0x7ff0000000000001,
     0,
     0x8000000000000000,
     0xfffffffffffff,
     0xbff0000000000000,
     0x7ff0000000000000,
     0xfff0000000000000}};

TEST_P(CardDigests, DivScale) {
  SingleStep wave;
  for (bool wide : {false, true})
    for (unsigned role = 0; role < 2; role++)
      for (unsigned clamp = 0; clamp < 2; clamp++)
        for (unsigned omod = 0; omod < 4; omod++)
          for (unsigned neg = 0; neg < 8; neg++) {
            Instruction i = of_three(wide ? "v_div_scale_f64" : "v_div_scale_f32");
            modify(i, {.neg = neg, .omod = omod, .clamp = clamp});
            i.sdst = VCC_LO;
            Repeated run(wave, i, GetParam());
            const bool other = neg >> (1 + role) & 1;
            uint64_t digest = digest_begin;
            for (unsigned start = 0; start < 576; start += 32) {
              for (unsigned lane = 0; lane < 32; lane++) {
                const unsigned n = start + lane;
                const uint64_t b = scale_values[wide][n / 24], c = scale_values[wide][n % 24];
                const uint64_t sign = uint64_t((neg & 1) != unsigned(other)) << (wide ? 63 : 31);
                set_three(wave, lane, {(role ? c : b) ^ sign, b, c});
              }
              run();
              for (unsigned lane = 0; lane < 32; lane++) {
                digest = with_bytes(digest, wide ? wave.v64(6, lane) : wave.v(6, lane), wide ? 8 : 4);
                digest = with_word(digest, wave.s(VCC_LO) >> lane & 1);
              }
            }
            EXPECT_EQ(digest, div_scale_pairs[wide][role][clamp][omod][other])
                << (wide ? "f64 " : "f32 ") << role << " clamp " << clamp << " omod " << omod << " neg " << neg;
          }
}

constexpr uint64_t fixup_values[3][16] = {
    {0, 0x8000, 1, 0x8001, 0x3ff, 0x400, 0x3c00, 0xbc00, 0x4000, 0x7bff, 0x77ff, 0x7c00, 0xfc00, 0x7c01, 0xfe03, 0x800},
    {0, 0x80000000, 1, 0x80000001, 0x7fffff, 0x800000, 0x3f800000, 0xbf800000, 0x40000000, 0x7f7fffff, 0x7effffff, 0x7f800000,
     0xff800000, 0x7f800001, 0xffc00003, 0x1000000},
    {0, 0x8000000000000000, 1, 0x8000000000000001, 0xfffffffffffff, 0x10000000000000, 0x3ff0000000000000, 0xbff0000000000000,
     0x4000000000000000, 0x7fefffffffffffff, 0x7fdfffffffffffff, 0x7ff0000000000000, 0xfff0000000000000, 0x7ff0000000000001,
     0xfff8000000000003, 0x20000000000000}};
constexpr Modifiers five_modifiers[] = {{}, {.neg = 5, .abs = 3}, {.omod = 1}, {.omod = 3}, {.omod = 2, .clamp = 1}};

TEST_P(CardDigests, DivFixup) {
  SingleStep wave;
  const char* names[] = {"v_div_fixup_f16", "v_div_fixup_f32", "v_div_fixup_f64"};
  for (unsigned type = 0; type < 3; type++)
    for (unsigned column = 0; column < 10; column++) {
      Instruction i = of_three(names[type]);
      modify(i, five_modifiers[column % 5]);
      Repeated run(wave, i, GetParam());
      wave.cell(mode_cell) = 0xf0 | (column >= 5 ? MODE_FP16_OVFL : 0);
      uint64_t digest = digest_begin;
      for (unsigned start = 0; start < 4096; start += 32) {
        for (unsigned lane = 0; lane < 32; lane++) {
          const unsigned n = start + lane;
          set_three(wave, lane, {fixup_values[type][n / 256], fixup_values[type][n / 16 % 16], fixup_values[type][n % 16]});
          wave.v(6, lane) = 0x12345678;
        }
        run();
        for (unsigned lane = 0; lane < 32; lane++)
          digest = with_bytes(digest, type == 2 ? wave.v64(6, lane) : wave.v(6, lane), type == 2 ? 8 : 4);
      }
      EXPECT_EQ(digest, div_fixup_edges[type][column]) << names[type] << " " << column;
    }
}

TEST(CardDigestsDpp, DivFixup) {
  SingleStep wave;
  constexpr uint32_t values[] = {0x80000000, 0x80010001, 0x83ff03ff, 0x84000400, 0xbc003c00, 0xfc007c00, 0xfe007e00, 0xfc017c01};
  constexpr unsigned signs[] = {0, 1, 2, 4, 8, 16, 32, 63};
  uint64_t digest = digest_begin;
  for (uint32_t mask : masks)
    for (unsigned variant = 0; variant < 256; variant++)
      for (unsigned d = 0; d < descriptors; d++) {
        Instruction i = of_three("v_div_fixup_f16");
        modify(i,
               packed_modifiers(signs[variant % 8] | (variant >> 5 & 3) << 6 | (variant >> 7) << 8 | (variant >> 3 & 15) << 9));
        route(i, d);
        for (unsigned lane = 0; lane < 32; lane++) {
          set_three(wave, lane, {values[lane % 8], values[(lane + 3) % 8], values[(lane + 5) % 8]});
          wave.v(6, lane) = 0xdead0000 + lane;
        }
        wave.set_exec(mask);
        Repeated(wave, i, EngineChoice::Interpreter)();
        for (unsigned lane = 0; lane < 32; lane++) digest = with_word(digest, wave.v(6, lane));
      }
  EXPECT_EQ(digest, div_fixup_dpp);
}

// --- cube maps

const char* const cube_names[] = {"v_cubeid_f32", "v_cubesc_f32", "v_cubetc_f32", "v_cubema_f32"};

TEST_P(CardDigests, Cube) {
  SingleStep wave;
  constexpr uint32_t values[] = {0,          0x80000000, 1,          0x80000001, 0x7fffff,   0x800000,   0x3f800000, 0xbf800000,
                                 0x40000000, 0xc0000000, 0x7effffff, 0x7f7fffff, 0x7f800000, 0xff800000, 0x7f812345, 0xffc54321};
  for (unsigned column = 0; column < 20; column++) {
    Instruction i = of_three(cube_names[column / 5]);
    modify(i, five_modifiers[column % 5]);
    Repeated run(wave, i, GetParam());
    uint64_t digest = digest_begin;
    for (unsigned start = 0; start < 4096; start += 32) {
      for (unsigned lane = 0; lane < 32; lane++) {
        const unsigned n = start + lane;
        set_three(wave, lane, {values[n / 256], values[n / 16 % 16], values[n % 16]});
      }
      run();
      for (unsigned lane = 0; lane < 32; lane++) digest = with_bytes(digest, wave.v(6, lane), 4);
    }
    EXPECT_EQ(digest, cube_edges[column]) << cube_names[column / 5] << " " << column % 5;
  }
}

TEST(CardDigestsDpp, Cube) {
  SingleStep wave;
  constexpr uint32_t values[] = {1, 0x807fffff, 0x00800000, 0x80000000, 0x7f800001, 0xff800000, 0x3f800000, 0xff7fffff};
  constexpr unsigned signs[] = {0, 1, 2, 4, 8, 16, 32, 63};
  uint64_t digest = digest_begin;
  for (uint32_t mask : masks)
    for (const char* name : cube_names)
      for (unsigned variant = 0; variant < 64; variant++)
        for (unsigned d = 0; d < descriptors; d++) {
          Instruction i = of_three(name);
          modify(i, packed_modifiers(signs[variant % 8] | variant / 8 << 6));
          route(i, d);
          for (unsigned lane = 0; lane < 32; lane++) {
            set_three(wave, lane, {values[lane % 8], values[(lane + 3) % 8], values[(lane + 5) % 8]});
            wave.v(6, lane) = 0xdead0000 + lane;
          }
          wave.set_exec(mask);
          Repeated(wave, i, EngineChoice::Interpreter)();
          for (unsigned lane = 0; lane < 32; lane++) digest = with_word(digest, wave.v(6, lane));
        }
  EXPECT_EQ(digest, cube_dpp);
}

// --- conversions to normalised integers

TEST(CardDigestsDpp, Normalized) {
  SingleStep wave;
  constexpr uint32_t values[] = {0x3800b800, 0x3bffbc00, 0x00018001, 0x7e00fc00, 0x3f000000, 0xbf000000, 0x3f7fffff, 0x7f800001};
  const char* names[] = {"v_cvt_pk_norm_i16_f32", "v_cvt_pk_norm_u16_f32", "v_cvt_pk_norm_i16_f16",
                         "v_cvt_pk_norm_u16_f16", "v_cvt_norm_i16_f16",    "v_cvt_norm_u16_f16"};
  constexpr unsigned packed[] = {0, 1, 8, 9, 2, 16, 27, 283, 512, 1024, 1536, 1819},
                     unary[] = {0, 1, 8, 9, 256, 64, 128, 192, 512, 4096, 4608, 5065};
  uint64_t digest = digest_begin;
  for (uint32_t mask : masks)
    for (unsigned op = 0; op < 6; op++)
      for (unsigned d = 0; d < descriptors; d++)
        for (unsigned variant = 0; variant < (op < 2 ? 8u : 12u); variant++) {
          Instruction i = of_three(names[op]);
          modify(i, packed_modifiers((op < 4 ? packed : unary)[variant]));
          if (op >= 4) i.src[1] = NULL_SGPR;
          i.src[2] = NULL_SGPR;
          route(i, d);
          for (unsigned lane = 0; lane < 32; lane++) {
            set_three(wave, lane, {values[lane % 8], values[(lane + 3) % 8], 0});
            wave.v(6, lane) = 0xdead0000 + lane;
          }
          wave.set_exec(mask);
          Repeated(wave, i, EngineChoice::Interpreter)();
          for (unsigned lane = 0; lane < 32; lane++) digest = with_word(digest, wave.v(6, lane));
        }
  EXPECT_EQ(digest, normalized_dpp);
}

// --- comparisons

constexpr uint64_t edges[3][16] = {
    {0, 0x8000, 1, 0x8001, 0x3ff, 0x83ff, 0x400, 0x8400, 0x3c00, 0xbc00, 0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7c01, 0x7e01},
    {0, 0x80000000, 1, 0x80000001, 0x7fffff, 0x807fffff, 0x800000, 0x80800000, 0x3f800000, 0xbf800000, 0x7f7fffff, 0xff7fffff,
     0x7f800000, 0xff800000, 0x7f800001, 0x7fc00001},
    {0, 0x8000000000000000, 1, 0x8000000000000001, 0xfffffffffffff, 0x800fffffffffffff, 0x10000000000000, 0x8010000000000000,
     0x3ff0000000000000, 0xbff0000000000000, 0x7fefffffffffffff, 0xffefffffffffffff, 0x7ff0000000000000, 0xfff0000000000000,
     0x7ff0000000000001, 0x7ff8000000000001}};

Instruction comparison(const std::string& name) {
  Instruction i;
  i.opcode = row_of(name, Format::VOP3);
  i.src[0] = vgpr(0), i.src[1] = vgpr(2);
  i.sdst = name.starts_with("v_cmpx") ? EXEC_LO : VCC_LO;
  return i;
}

TEST_P(CardDigests, Classes) {
  SingleStep wave;
  const char* types[] = {"f16", "f32", "f64"};
  for (const char* compare : {"v_cmp_class_", "v_cmpx_class_"})
    for (unsigned type = 0; type < 3; type++)
      for (unsigned m = 0; m < (type ? 4u : 16u); m++) {
        Instruction i = comparison(std::string(compare) + types[type]);
        modify(i, {.neg = m >> 1 & 1, .abs = m & 1, .op_sel = m >> 2});
        // (No text says that the classes are in a register's upper half, so that there are no words for the JIT.)
        Repeated run(wave, i, m < 8 ? GetParam() : EngineChoice::Interpreter);
        uint64_t digest = digest_begin;
        for (unsigned start = 0; start < 65536; start += 32) {
          for (unsigned lane = 0; lane < 32; lane++) {
            const uint32_t n = start + lane, random = n * 0x7395a831u ^ 0xa7925163u;
            const uint64_t x = type == 0   ? n | (65535 - n) << 16
                               : n < 32768 ? edges[type][n % 16]
                               : type == 1 ? random
                                           : uint64_t(random) << 32 | (n * 0x83a1459du ^ 0x5389d241u);
            wave.set_v64(0, lane, x);
            wave.v(2, lane) = n * 0x9e3779b9u ^ 0xa5a59669u;
          }
          wave.set_exec(~0u);
          run();
          digest = with_bytes(digest, wave.s(i.sdst), 4);
        }
        EXPECT_EQ(digest, type ? class_wide[type - 1][m] : class_f16[m]) << compare << types[type] << " " << m;
      }
}

TEST(CardDigestsDpp, Classes) {
  SingleStep wave;
  constexpr uint32_t values[2][8] = {
      {0x80000000, 0x80010001, 0x83ff03ff, 0x84000400, 0xbc003c00, 0xfc007c00, 0xfe007e00, 0xfc017c01},
      {0, 0x80000000, 1, 0x80000001, 0x3f800000, 0xbf800000, 0x7f800000, 0x7f800001}};
  const char* names[] = {"v_cmp_class_f16", "v_cmpx_class_f16", "v_cmp_class_f32", "v_cmpx_class_f32"};
  uint64_t digest = digest_begin;
  for (uint32_t mode : {0x00u, 0xf0u})
    for (unsigned batch = 0; batch < 4; batch++)
      for (uint32_t mask : masks)
        for (unsigned op = 0; op < 4; op++)
          for (unsigned m = 0; m < (op < 2 ? 16u : 4u); m++)
            for (unsigned d = 0; d < descriptors; d++) {
              Instruction i = comparison(names[op]);
              modify(i, {.neg = m >> 1 & 1, .abs = m & 1, .op_sel = m >> 2});
              route(i, d);
              for (unsigned lane = 0; lane < 32; lane++) {
                wave.v(0, lane) = values[op / 2][(lane + batch) % 8];
                wave.v(2, lane) = (lane + batch * 32) * 0x9e3779b9u ^ 0xa5a59669u;
              }
              wave.cell(mode_cell) = mode;
              wave.set_exec(mask);
              Repeated(wave, i, EngineChoice::Interpreter)();
              digest = with_word(digest, wave.s(i.sdst));
            }
  EXPECT_EQ(digest, class_dpp);
}

const char* const predicates[] = {"lt", "eq", "le", "gt", "lg", "ge", "o", "u", "nge", "nlg", "ngt", "nle", "neq", "nlt"};

TEST_P(CardDigests, ComparisonsOfDoubles) {
  SingleStep wave;
  for (unsigned kept = 0; kept < 2; kept++)
    for (unsigned p = 0; p < 14; p++) {
      uint64_t digest = digest_begin;
      for (unsigned m = 0; m < 16; m++) {
        Instruction i = comparison(std::string("v_cmp_") + predicates[p] + "_f64");
        modify(i, {.neg = m >> 2 & 3, .abs = m & 3});
        Repeated run(wave, i, GetParam());
        wave.cell(mode_cell) = kept ? 0xf0 : 0x00;
        for (unsigned start = 0; start < 4096; start += 32) {
          for (unsigned lane = 0; lane < 32; lane++) {
            const uint32_t n = start + lane;
            uint64_t a = edges[2][n % 16], b = edges[2][n / 16 % 16];
            if (n >= 256) {
              a = uint64_t(n * 0x7395a831u ^ 0xa7925163u) << 32 | (n * 0x83a1459du ^ 0x5389d241u);
              b = uint64_t(n * 0x38459317u ^ 0x187abd31u) << 32 | (n * 0x9e3779b9u ^ 0xa5a59669u);
              if (n % 4 == 0) b = a;
              if (n % 4 == 1) b = (a & 0xffffffff00000000) | uint32_t(b);
            }
            wave.set_v64(0, lane, a), wave.set_v64(2, lane, b);
          }
          run();
          digest = with_bytes(digest, wave.s(VCC_LO), 4);
        }
      }
      EXPECT_EQ(digest, compare_f64[kept][p]) << predicates[p] << (kept ? ", denormals kept" : ", denormals flushed");
    }
}

TEST(CardDigestsDpp, Comparisons) {
  SingleStep wave;
  constexpr uint32_t values[2][8] = {
      {0x80000000, 0x80010001, 0x83ff03ff, 0x84000400, 0xbc003c00, 0xfc007c00, 0xfe007e00, 0xfc017c01},
      {0, 0x80000000, 1, 0x80000001, 0x3f800000, 0xbf800000, 0x7f800000, 0x7f800001}};
  constexpr unsigned modifiers[] = {0, 1, 2, 4, 8, 15, 16, 32, 48, 49, 50, 63};
  std::vector<Instruction> all;
  for (const char* type : {"_f16", "_f32"})
    for (const char* compare : {"v_cmp_", "v_cmpx_"})
      for (const char* p : predicates) all.push_back(comparison(std::string(compare) + p + type));
  uint64_t digest = digest_begin;
  for (uint32_t mode : {0x00u, 0xf0u})
    for (unsigned batch = 0; batch < 4; batch++)
      for (uint32_t mask : masks)
        for (unsigned op = 0; op < 56; op++)
          for (unsigned variant = 0; variant < (op < 28 ? 12u : 6u); variant++)
            for (unsigned d = 0; d < descriptors; d++) {
              Instruction i = all[op];
              const unsigned m = modifiers[variant];
              modify(i, {.neg = m >> 2 & 3, .abs = m & 3, .op_sel = m >> 4});
              route(i, d);
              for (unsigned lane = 0; lane < 32; lane++) {
                wave.v(0, lane) = values[op / 28][(lane + batch) % 8];
                wave.v(2, lane) = values[op / 28][(lane * 3 + batch * 5) % 8];
              }
              wave.cell(mode_cell) = mode;
              wave.set_exec(mask);
              Repeated(wave, i, EngineChoice::Interpreter)();
              digest = with_word(digest, wave.s(i.sdst));
            }
  EXPECT_EQ(digest, compare_dpp);
}

// --- lanes, interpolation, matrices

TEST_P(CardDigests, Swizzles) {
  std::vector<unsigned> offsets;
  for (auto [first, end] : {std::pair{0xc000u, 0xc800u}, {0xe000u, 0xe020u}, {0x8000u, 0x8100u}})
    for (unsigned offset = first; offset < end; offset++) offsets.push_back(offset);
  for (unsigned n = 0; n < 32; n++) offsets.push_back(31 | n << 10);
  constexpr uint64_t of_64[] = {~uint64_t(0),      0,          0xaaaaaaaaaaaaaaaa, 0x5555555555555555, 1,
                                uint64_t(1) << 63, 0xffffffff, 0xffffffff00000000};
  for (bool wave64 : {false, true}) {
    SingleStep wave(wave64);
    uint64_t digests[8];
    std::ranges::fill(digests, digest_begin);
    for (unsigned offset : offsets) {
      Instruction i;
      i.opcode = row_of("ds_swizzle_b32", Format::VDS);
      i.address = 0, i.dst = 2, i.offset = int32_t(offset);
      // (An offset is a program of its own: the JIT has one in sixteen of them, the interpreter gives the others.)
      Repeated run(wave, i, offset % 16 ? EngineChoice::Interpreter : GetParam());
      for (unsigned m = 0; m < 8; m++) {
        for (unsigned lane = 0; lane < wave.lanes(); lane++) wave.v(0, lane) = lane + 1, wave.v(2, lane) = 0xdead0000 + lane;
        wave.set_exec(wave64 ? of_64[m] : masks[m]);
        run();
        for (unsigned lane = 0; lane < wave.lanes(); lane++) digests[m] = with_word(digests[m], wave.v(2, lane));
      }
    }
    for (unsigned m = 0; m < 8; m++)
      EXPECT_EQ(digests[m], swizzles[wave64][m]) << (wave64 ? "wave64, mask " : "wave32, mask ") << m;
  }
}

TEST_P(CardDigests, Interpolation) {
  SingleStep wave;
  uint64_t digests[36];
  std::ranges::fill(digests, digest_begin);
  auto bits = [](int n, float unit) { return std::bit_cast<uint32_t>(float(n % 64 - 32) * unit); };
  for (const char* name : {"v_interp_p10_f32", "v_interp_p2_f32"})
    for (unsigned m = 0; m < 16; m++) {
      Instruction i;
      i.opcode = row_of(name, Format::VINTERP);
      for (unsigned n = 0; n < 3; n++) i.src[n] = vgpr(n);
      i.dst = 3;
      modify(i, {.neg = m & 7, .clamp = m >> 3});
      Repeated run(wave, i, GetParam());
      for (unsigned k = 0; k < 36; k++) {
        for (int lane = 0; lane < 32; lane++) {
          wave.v(0, unsigned(lane)) = bits(lane * 13 + 7, 0.125f);
          wave.v(1, unsigned(lane)) = bits(lane * 29 + 3, 0.0625f);
          wave.v(2, unsigned(lane)) = bits(lane * 37 + 17, 0.03125f);
          wave.v(3, unsigned(lane)) = 0xdeadbeef;
        }
        constexpr uint32_t first[] = {0, ~0u, 0x55555555, 0xaaaaaaaa};
        wave.set_exec(k < 4 ? first[k] : 1u << (k - 4));
        run();
        for (unsigned lane = 0; lane < 32; lane++) digests[k] = with_bytes(digests[k], wave.v(3, lane), 4);
      }
    }
  for (unsigned k = 0; k < 36; k++) EXPECT_EQ(digests[k], interpolations[k]) << "mask " << k;
}

TEST_P(CardDigests, IntegerMatrices) {
  SingleStep wave;
  const char* names[] = {"v_wmma_i32_16x16x16_iu8", "v_wmma_i32_16x16x16_iu4", "v_wmma_i32_16x16x32_iu4"};
  constexpr uint32_t accumulators[] = {0, 0x7fffffff, 0x80000000, 0xffffffff, 0x7fffff80, 0x80000080};
  for (unsigned shape = 0; shape < 3; shape++)
    for (unsigned m = 0; m < 8; m++) {
      Instruction i;
      i.opcode = row_of(names[shape], Format::VOP3P);
      i.src[0] = vgpr(0), i.src[1] = vgpr(2), i.src[2] = vgpr(8), i.dst = 16;
      i.neg = uint16_t(m & 3), i.clamp = uint16_t(m >> 2), i.op_sel_hi = 7;
      Repeated run(wave, i, GetParam());
      for (unsigned sample = 0; sample < 2; sample++) {
        uint32_t state = 0xa3987412u + sample;
        auto next = [&] {
          state ^= state << 13, state ^= state >> 17, state ^= state << 5;
          return state;
        };
        for (unsigned n = 0; n < 6; n++)
          for (unsigned lane = 0; lane < 32; lane++) wave.v(n, lane) = next();
        for (unsigned n = 8; n < 16; n++)
          for (unsigned lane = 0; lane < 32; lane++) wave.v(n, lane) = accumulators[next() % 6];
        run();
        uint64_t digest = digest_begin;
        for (unsigned n = 16; n < 24; n++)
          for (unsigned lane = 0; lane < 32; lane++) digest = with_bytes(digest, wave.v(n, lane), 4);
        EXPECT_EQ(digest, integer_wmma[shape][sample][m]) << names[shape] << " " << m << ", inputs " << sample;
      }
    }
}

}  // namespace
}  // namespace Atoll::rdna4::test
