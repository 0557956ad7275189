// The rules by which arithmetic raises exceptions, without a wave: what random operands raise, against exact results in numbers of 113 bits.
// RDNA4 ISA 3.4.10.
#include <bit>
#include <cmath>
#include <random>

#include "group_machine.h"
#include "isa/rdna4/alu_exceptions.h"
#include "isa/rdna4/watched.h"

namespace Atoll::rdna4::test {
namespace {

constexpr uint32_t I = ALU_INVALID, D = ALU_INPUT_DENORMAL, O = ALU_OVERFLOW, U = ALU_UNDERFLOW, X = ALU_INEXACT;

// Every opcode with float operands has a rule, or is one that reports nothing.
TEST(AluExceptionRules, CoverEveryOpcode) {
  for (const Opcode& row : opcodes()) {
    const std::string name = row.name;
    bool floats = false;
    for (const OperandRow& o : row.rows()) floats |= o.slot == Slot::Src0 && o.type.base == Type::F && o.type.count <= 2;
    const bool alu = row.format == Format::VOP1 || row.format == Format::VOP2 || row.format == Format::VOPC ||
                     row.format == Format::VOP3 || row.format == Format::VOP3P || row.format == Format::SOP1 ||
                     row.format == Format::SOP2 || row.format == Format::SOPC;
    if (!floats || !alu || alu_operation(row).rule != AluRule::none) continue;
    bool silent = false;
    for (const char* part : {"class", "dot", "interp", "wmma", "swmmac", "ubyte", "pack_b32", "trig_preop", "cndmask", "_mov_",
                             "cvt_off", "v_cvt_norm", "v_cvt_pk_norm", "v_cvt_pk_rtz"})  // conversions: docs/errata.md
      silent |= name.find(part) != std::string::npos;
    EXPECT_TRUE(silent) << name;
  }
}

// The exceptions that the exact result of an operation raises, from its definition, apart from what the rules compute.
struct Float {
  unsigned bits, mantissa;
  __float128 least, most;
};
const Float half_format{16, 10, 0x1p-14, 65504}, single_format{32, 23, 0x1p-126, 0x1.fffffep127},
    wide_format{64, 52, 0x1p-1022, 0x1.fffffffffffffp1023};
__float128 magnitude(__float128 x) { return x < 0 ? -x : x; }
// True if it has no bit below the last that the format has there.
bool fits(__float128 exact, const Float& to) {
  if (to.bits == 64) return __float128(double(exact)) == exact;
  if (to.bits == 32) return __float128(float(exact)) == exact;
  return magnitude(exact) <= to.most && __float128(_Float16(double(exact))) == exact;  // (what comes here has few bits)
}
uint32_t raised(__float128 exact, const Float& to, wave::Rounding rounding) {
  uint32_t flags = fits(exact, to) ? 0 : X;
  const __float128 size = magnitude(exact);
  // The last place of the largest number, and where an overflow begins.
  const __float128 last = to.most / __float128((uint64_t(2) << to.mantissa) - 1);
  __float128 limit = to.most;
  const bool away = rounding == (exact > 0 ? wave::Rounding::Up : wave::Rounding::Down);
  const bool nearest = rounding == wave::Rounding::NearestEven;
  limit += nearest ? last / 2 : last;
  if (away ? size > to.most : size >= limit) flags |= O | X;
  if (size != 0 && size < to.least) flags |= U;
  return flags;
}

// The exceptions that an RX 9070 raised for each pair of twelve operands (bjacob/goc, tests/compare_exceptions_hardware.h): 1
// invalid, 2 a denormal operand. Rows are the first operand. Denormals flushed, kept; then the same with CLAMP.
TEST(AluExceptionRules, ComparisonsAsCaptured) {
  constexpr uint64_t values[3][12] = {
      {0, 0x8000, 1, 0x3ff, 0x400, 0x3c00, 0x7c00, 0xfc00, 0x7c01, 0x7e00, 0xfe01, 0x8001},
      {0, 0x80000000, 1, 0x7fffff, 0x800000, 0x3f800000, 0x7f800000, 0xff800000, 0x7f800001, 0x7fc00000, 0xffc00001, 0x80000001},
      {0, 0x8000000000000000, 1, 0xfffffffffffff, 0x10000000000000, 0x3ff0000000000000, 0x7ff0000000000000, 0xfff0000000000000,
       0x7ff0000000000001, 0x7ff8000000000000, 0xfff8000000000001, 0x8000000000000001}};
  const char *const plain = "000000001000", *const denormal = "222222001002", *const number = "002200001002",
                    *const every = "111111111111";
  const char* const kept[] = {number, number, denormal, denormal, number, number, plain, plain, every, plain, plain, denormal};
  const char *const clamped = "000000001110", *const clamped_denormal = "222222001112", *const clamped_number = "002200001112";
  const char* const kept_clamped[] = {
      clamped_number, clamped_number, clamped_denormal, clamped_denormal, clamped_number, clamped_number, clamped, clamped, every,
      every,          every,          clamped_denormal};
  size_t operations = 0;
  for (const Opcode& row : opcodes()) {
    const AluOperation o = alu_operation(row);
    if (o.rule != AluRule::compare) continue;
    operations++;
    const unsigned type = o.from[0] == NumberType::half ? 0 : o.from[0] == NumberType::single ? 1 : 2;
    for (unsigned table = 0; table < 4; table++)
      for (unsigned a = 0; a < 12; a++)
        for (unsigned b = 0; b < 12; b++) {
          Instruction i;
          i.clamp = table / 2;
          wave::FloatMode mode;
          mode.flush_in32 = mode.flush_in64 = !(table & 1);
          const char* flushed = a == 8 || (a == 9 && i.clamp) || (a == 10 && i.clamp) ? every : i.clamp ? clamped : plain;
          const char* expected = !(table & 1) ? flushed : (i.clamp ? kept_clamped : kept)[a];
          EXPECT_EQ(alu_exceptions(o, i, {values[type][a], values[type][b]}, mode), uint32_t(expected[b] - '0'))
              << row.name << " table " << table << " of operands " << a << " and " << b;
        }
  }
  EXPECT_GE(operations, 112u);
}

TEST(AluExceptionRules, RandomArithmetic) {
  std::mt19937_64 random(7);
  struct Type {
    const char* suffix;
    const Float* format;
    int spread;  // of exponents
  };
  auto value = [](uint64_t bits, const Float& t) -> __float128 {
    if (t.bits == 64) return std::bit_cast<double>(bits);
    if (t.bits == 32) return std::bit_cast<float>(uint32_t(bits));
    return double(std::bit_cast<_Float16>(uint16_t(bits)));
  };
  auto denormal = [](uint64_t bits, const Float& t) {
    const uint64_t size = bits & ((uint64_t(1) << (t.bits - 1)) - 1);
    return size && size < uint64_t(1) << t.mantissa ? D : 0u;
  };
  const wave::Rounding roundings[] = {wave::Rounding::NearestEven, wave::Rounding::Up, wave::Rounding::Down,
                                      wave::Rounding::TowardZero};
  uint32_t met = 0;
  for (const Type& type : {Type{"f16", &half_format, 40}, Type{"f32", &single_format, 60}, Type{"f64", &wide_format, 40}}) {
    const Float& t = *type.format;
    auto operation = [&](const std::string& name) {
      for (Format format : {Format::VOP1, Format::VOP2, Format::VOP3})
        if (auto* row = find(name + "_" + type.suffix, format)) return alu_operation(*row);
      ADD_FAILURE() << name << type.suffix;
      return AluOperation{};
    };
    const AluOperation add = operation("v_add"), mul = operation("v_mul"), fma = operation("v_fma"), root = operation("v_sqrt"),
                       reciprocal = operation("v_rcp");
    const unsigned exponents = 1u << (t.bits - 1 - t.mantissa);
    // Near each other, near the ends of the format, and with few bits, so that all flags come up.
    auto number = [&](int near) {
      int exponent = near < 0 ? int(random() % (exponents - 1)) : near + int(random() % unsigned(type.spread)) - type.spread / 2;
      exponent = std::clamp(exponent, 0, int(exponents) - 2);
      uint64_t fraction = random() & ((uint64_t(1) << t.mantissa) - 1);
      if (t.bits == 64) fraction &= ~uint64_t(0) << 27;  // (so that three fit into 113 bits)
      if (random() % 4 == 0) fraction &= ~uint64_t(0) << (t.mantissa - 3);
      return (random() & 1) << (t.bits - 1) | uint64_t(exponent) << t.mantissa | fraction;
    };
    for (int n = 0; n < 100000; n++) {
      Instruction i;
      wave::FloatMode mode;
      mode.round32 = mode.round64 = roundings[n % 4];
      const wave::Rounding r = roundings[n % 4];
      const int place = int(random() % exponents), bias = int(exponents) / 2 - 1;
      const uint64_t a = number(n % 3 ? place : -1), b = number(n % 3 ? place : -1);
      const __float128 x = value(a, t), y = value(b, t);
      auto check = [&](const AluOperation& o, std::array<uint64_t, 3> from, uint32_t expected, const char* what) {
        for (unsigned k = 0; k < o.operands; k++) expected |= denormal(from[k], t);
        met |= expected;
        EXPECT_EQ(alu_exceptions(o, i, {from[0], from[1], from[2]}, mode), expected)
            << what << type.suffix << std::hex << " of " << from[0] << ", " << from[1] << ", " << from[2] << ", rounding "
            << n % 4;
      };
      if (n % 3) check(add, {a, b}, raised(x + y, t, r), "add ");
      // A product near the least and the most, too.
      const uint64_t c = number(n % 5 == 0 ? 2 * bias - (place > bias / 2 ? place - bias : place) : place);
      check(mul, {a, c}, raised(x * value(c, t), t, r), "mul ");
      const int sum = int(a >> t.mantissa & (exponents - 1)) + int(c >> t.mantissa & (exponents - 1)) - bias;
      if (sum > 0 && sum < int(exponents)) {
        const uint64_t d = number(sum) & (t.bits == 64 ? ~uint64_t(0) << 40 : ~uint64_t(0));
        const int apart = std::abs(int(d >> t.mantissa & (exponents - 1)) - sum);
        if (apart < 20) check(fma, {a, c, d}, raised(x * value(c, t) + value(d, t), t, r), "fma ");
      }
      if (const __float128 size = magnitude(x); size >= t.least) {
        // The exact root is one of the format's numbers or no number of finite bits; the exact reciprocal that of a power of 2 alone.
        const double near = std::sqrt(double(size));
        check(root, {a & ~(uint64_t(1) << (t.bits - 1))}, __float128(near) * near == size && fits(near, t) ? 0 : X, "sqrt ");
        uint32_t expected = 0;
        if (__float128 power = 1 / size; power * size != 1 || (a & ((uint64_t(1) << t.mantissa) - 1))) expected |= X;
        if (size > 1 / t.least) expected |= U | (t.bits == 32 ? X : 0);  // f32's is flushed
        check(reciprocal, {a}, expected, "rcp ");
      }
      if (testing::Test::HasFailure()) return;
    }
  }
  EXPECT_EQ(met, D | O | U | X) << "all came up";
}

TEST(AluExceptionRules, RandomConversions) {
  std::mt19937_64 random(11);
  const AluOperation to_single = alu_operation(*find("v_cvt_f32_f64", Format::VOP1)),
                     to_half = alu_operation(*find("v_cvt_f16_f32", Format::VOP1)),
                     to_i32 = alu_operation(*find("v_cvt_i32_f64", Format::VOP1)),
                     from_u32 = alu_operation(*find("v_cvt_f32_u32", Format::VOP1)),
                     from_u16 = alu_operation(*find("v_cvt_f16_u16", Format::VOP1)),
                     half_reciprocal_root = alu_operation(*find("v_rsq_f16", Format::VOP1));
  const wave::Rounding roundings[] = {wave::Rounding::NearestEven, wave::Rounding::Up, wave::Rounding::Down,
                                      wave::Rounding::TowardZero};
  for (int n = 0; n < 200000; n++) {
    wave::FloatMode mode;
    const wave::Rounding r = mode.round32 = mode.round64 = roundings[n % 4];
    Instruction i, clamped;
    clamped.clamp = 1;
    // Around the ends of f32 and f16, with bits around the last that they keep.
    auto ends = [&](int low, int high) { return (n / 4 % 2 ? low : high) + int(random() % 40) - 30; };
    const uint64_t sign = random() << 63, few = random() % 3 ? ~uint64_t(0) << (random() % 30 + 20) : ~uint64_t(0);
    const uint64_t wide = sign | uint64_t(1023 + ends(-126, 127)) << 52 | (random() & few & ((uint64_t(1) << 52) - 1));
    EXPECT_EQ(alu_exceptions(to_single, i, {wide}, mode), raised(std::bit_cast<double>(wide), single_format, r))
        << std::hex << wide;
    const uint32_t single =
        uint32_t(sign >> 32) | uint32_t(127 + ends(-14, 15)) << 23 | (uint32_t(random()) & uint32_t(few >> 29) & 0x7fffffu);
    const double from = double(std::bit_cast<float>(single));
    const __float128 scaled = magnitude(from) * 0x1p24;  // what is no multiple of 2^-24, or has more than 11 bits, is no half
    uint32_t expected = raised(from, half_format, r);
    const bool is_half = scaled == __float128(uint64_t(scaled)) && (single & 0x1fff) == 0;
    expected = (expected & ~X) | (is_half && !(expected & O) ? 0 : X);
    EXPECT_EQ(alu_exceptions(to_half, i, {single}, mode), expected) << std::hex << single;
    const double integer = std::ldexp(double(int64_t(random())), -int(random() % 40) - 20);
    const bool inside = integer > -2147483649.0 && integer < 2147483648.0;
    const uint64_t bits = std::bit_cast<uint64_t>(integer);
    EXPECT_EQ(alu_exceptions(to_i32, i, {bits}, mode), inside ? 0u : I) << integer;
    EXPECT_EQ(alu_exceptions(to_i32, clamped, {bits}, mode), !inside                               ? I
                                                             : integer == double(int64_t(integer)) ? 0u
                                                                                                   : X)
        << integer;
    const uint32_t whole = uint32_t(random() & few >> 20) >> random() % 32;
    EXPECT_EQ(alu_exceptions(from_u32, i, {whole}, mode), raised(whole, single_format, r)) << whole;
    const uint32_t small = whole & 0xffff;
    const bool kept = small <= 65504 && double(_Float16(double(small))) == small;
    EXPECT_EQ(alu_exceptions(from_u16, i, {small}, mode) & X, kept ? 0u : X) << small;
    const uint16_t h = uint16_t(0x0400 + random() % 0x7700);
    const double square = double(std::bit_cast<_Float16>(h));  // 1 / sqrt(x) is a half when it has few bits and gives x again
    const double root = 1 / std::sqrt(square);
    EXPECT_EQ(alu_exceptions(half_reciprocal_root, i, {h}, mode),
              1 / (root * root) == square && std::log2(root) == std::trunc(std::log2(root)) ? 0u : X)
        << square;
    if (testing::Test::HasFailure()) return;
  }
}

TEST(AluExceptionRules, ProgramsThatReadThem) {
  auto reads = [](const std::vector<std::string>& lines) { return reads_exceptions(assembled(lines, 32)); };
  EXPECT_TRUE(reads({"s_mov_b32 s0, 1", "s_getreg_b32 s1, hwreg(HW_REG_EXCP_FLAG_USER, 3, 2)"}));
  EXPECT_FALSE(reads({"s_getreg_b32 s1, hwreg(HW_REG_MODE)", "s_setreg_imm32_b32 hwreg(HW_REG_EXCP_FLAG_USER), 0"}));
}

}  // namespace
}  // namespace Atoll::rdna4::test
