// Denormals of each kind of instruction in all four modes of cr0 (bit 7: those of f32 are kept, bit 10: those of halves), both engines.
// Sources of what is right: IGC 1.0.12504, PatternMatchPass.cpp, FlushesDenormsOnInput and FlushesDenormsOnOutput (arithmetic and
// extended math follow the bit of their type; moves, selections and conversions keep denormals, instructions of mixed floats do,
// and extended math those of halves); FloatSafe.h, Float32SafeRSQRT (the reciprocal root of denormals in both modes); Kaby Lake's
// PRM on math (quoted in Mesa's anv_device.c: those of halves are kept whatever the mode). Values come from the host's
// arithmetic.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>

#include "base/half.h"
#include "eval/evaluator.h"

namespace {

using namespace Atoll;

constexpr unsigned lanes = 16, keeps_singles = 1 << 7, keeps_halves = 1 << 10;

// The bit of cr0 that counts for an operation, if any.
enum class Keeps : uint8_t { Always, BySingles, ByHalves };

struct Operation {
  const char* text;  // D, A, B and C stand for the destination and the sources
  bool half_from, half_to;
  Keeps operands, results;
  double (*exact)(double a, double b);
  unsigned ulps;  // that a result may be from the exact one once rounded
};

double first(double a, double) { return a; }
double inverse(double a, double) { return 1 / a; }
double root(double a, double) { return std::sqrt(a); }
double inverse_root(double a, double) { return 1 / std::sqrt(a); }
double logarithm(double a, double) { return std::log2(a); }
double exponential(double a, double) { return std::exp2(a); }
double sine(double a, double) { return std::sin(a); }
double cosine(double a, double) { return std::cos(a); }
double sum(double a, double b) { return a + b; }
double product(double a, double b) { return a * b; }
double product_and_sum(double a, double b) { return a * b + a; }
double quotient(double a, double b) { return a / b; }
double fraction(double a, double) { return a - std::floor(a); }
double up(double a, double) { return std::ceil(a); }
double down(double a, double) { return std::floor(a); }

constexpr Keeps always = Keeps::Always, singles = Keeps::BySingles, halves = Keeps::ByHalves;
const Operation operations[] = {
    // extended math
    {"math.inv (16|M0) D A", false, false, singles, singles, inverse, 0},
    {"math.sqt (16|M0) D A", false, false, singles, singles, root, 0},
    {"math.rsqt (16|M0) D A", false, false, singles, singles, inverse_root, 2},
    {"math.log (16|M0) D A", false, false, singles, singles, logarithm, 1},
    {"math.exp (16|M0) D A", false, false, singles, singles, exponential, 1},
    {"math.sin (16|M0) D A", false, false, singles, singles, sine, 1},
    {"math.cos (16|M0) D A", false, false, singles, singles, cosine, 1},
    {"math.inv (16|M0) D A", true, true, always, always, inverse, 0},
    {"math.sqt (16|M0) D A", true, true, always, always, root, 0},
    {"math.rsqt (16|M0) D A", true, true, always, always, inverse_root, 1},
    {"math.log (16|M0) D A", true, true, always, always, logarithm, 1},
    {"math.exp (16|M0) D A", true, true, always, always, exponential, 1},
    {"math.sin (16|M0) D A", true, true, always, always, sine, 1},
    {"math.cos (16|M0) D A", true, true, always, always, cosine, 1},
    {"math.sqt (16|M0) D A", true, false, always, always, root, 0},
    // moves and conversions
    {"mov (16|M0) D A", false, false, always, always, first, 0},
    {"mov (16|M0) D A", true, true, always, always, first, 0},
    {"mov (16|M0) D A", true, false, always, always, first, 0},
    {"mov (16|M0) D A", false, true, always, always, first, 0},
    {"(f0.0) sel (16|M0) D A B", true, true, always, always, first, 0},
    {"(f0.0) sel (16|M0) D A B", false, false, always, always, first, 0},
    // arithmetic
    {"add (16|M0) D A B", false, false, singles, singles, sum, 0},
    {"mul (16|M0) D A B", false, false, singles, singles, product, 0},
    {"mad (16|M0) D C A B", false, false, singles, singles, product_and_sum, 0},
    {"frc (16|M0) D A", false, false, singles, singles, fraction, 0},
    {"rndu (16|M0) D A", false, false, singles, singles, up, 0},
    {"rndd (16|M0) D A", false, false, singles, singles, down, 0},
    {"add (16|M0) D A B", true, true, halves, halves, sum, 0},
    {"mul (16|M0) D A B", true, true, halves, halves, product, 0},
    {"mad (16|M0) D C A B", true, true, halves, halves, product_and_sum, 0},
    {"rndu (16|M0) D A", true, true, halves, halves, up, 0},
    {"rndd (16|M0) D A", true, true, halves, halves, down, 0},
    // halves that give floats
    {"add (16|M0) D A B", true, false, always, always, sum, 0},
    {"mul (16|M0) D A B", true, false, always, always, product, 0},
};

const uint32_t single_values[] = {0,          0x80000000, 1,          0x80000001, 0x000116c2, 0x800116c2, 0x00400000, 0x80400000,
                                  0x007fffff, 0x807fffff, 0x00800000, 0x80800000, 0x3f800000, 0xbf800000, 0x7e800000, 0x7f000000,
                                  0xff000000, 0x7f7fffff, 0xc2fc0000, 0xc2fe0000, 0xc3000000, 0xc30c0000, 0xc3150000, 0xc3160000,
                                  0x34000000, 0x33800000, 0x33000000, 0x38000000, 0x387fc000, 0xb8000000, 0x00000002, 0x1f000000};
const uint32_t half_values[] = {0,      0x8000, 1,      0x8001, 0x0012, 0x8012, 0x0200, 0x8200, 0x03ff, 0x83ff, 0x0400,
                                0x8400, 0x3c00, 0xbc00, 0x7800, 0x7bff, 0xfbff, 0xcb00, 0xcb80, 0xcc00, 0xcd00, 0xce00,
                                0xce40, 0x0100, 0x0155, 0x8155, 0x02aa, 0x0001, 0x0003, 0x2c00, 0xac00, 0x1400};

double value_of(uint32_t bits, bool half) {
  return half ? double(float_from_half(uint16_t(bits))) : double(std::bit_cast<float>(bits));
}
uint32_t bits_of(double x, bool half) { return half ? half_from_float(float(x)) : std::bit_cast<uint32_t>(float(x)); }
bool is_denormal(uint32_t bits, bool half) {
  return half ? !(bits & 0x7c00) && bits & 0x3ff : !(bits & 0x7f800000) && bits & 0x7fffff;
}
uint32_t without(uint32_t bits, bool half) { return is_denormal(bits, half) ? bits & (half ? 0x8000u : 0x80000000u) : bits; }
// Numbers in their order, so that neighbours differ by 1.
int64_t place(uint32_t bits, bool half) {
  const uint32_t sign = half ? 0x8000 : 0x80000000;
  return bits & sign ? -int64_t(bits & ~sign) : int64_t(bits);
}
bool kept(Keeps by, uint32_t mode) {
  return by == Keeps::Always || mode & (by == Keeps::BySingles ? keeps_singles : keeps_halves);
}

// D in r30, A and C in r10, B in r14, with the operation's types.
std::string text_of(const Operation& o) {
  auto region = [&](const char* r, bool half) { return std::string(r) + ".0<8;8,1>" + (half ? ":hf" : ":f"); };
  const bool three = std::strncmp(o.text, "mad", 3) == 0;
  auto source = [&](const char* r) {
    return three ? std::string(r) + ".0<8;1>" + (o.half_from ? ":hf" : ":f") : region(r, o.half_from);
  };
  std::string text;
  for (const char* c = o.text; *c; c++) {
    const bool alone = (c == o.text || c[-1] == ' ') && (!c[1] || c[1] == ' ');
    if (alone && *c == 'D')
      text += std::string("r30.0<1>") + (o.half_to ? ":hf" : ":f");
    else if (alone && *c == 'A')
      text += source("r10");
    else if (alone && *c == 'B')
      text += three ? std::string("r14.0<1>") + (o.half_from ? ":hf" : ":f") : source("r14");
    else if (alone && *c == 'C')
      text += source("r10");
    else
      text += *c;
  }
  return text;
}

std::vector<uint32_t> run(const std::string& text, const std::vector<uint32_t>& a, const std::vector<uint32_t>& b, bool half_from,
                          bool half_to, uint32_t mode, wave::EngineChoice engine) {
  static auto evaluator = std::move(*eval::Evaluator::create());
  eval::Request q;
  q.isa = "xe-lp", q.text = {text}, q.engine = engine;
  auto put = [&](unsigned first, const std::vector<uint32_t>& elements) {
    std::vector<uint8_t> bytes(64);
    for (size_t n = 0; n < lanes; n++) std::memcpy(&bytes[n * (half_from ? 2 : 4)], &elements[n], half_from ? 2 : 4);
    for (unsigned r = 0; r < 2; r++) {
      eval::RegisterValue v{"r" + std::to_string(first + r), {}, true};
      for (unsigned d = 0; d < 8; d++) {
        uint32_t word;
        std::memcpy(&word, &bytes[r * 32 + d * 4], 4);
        v.values.push_back(word);
      }
      q.registers.push_back(v);
    }
  };
  put(10, a), put(14, b);
  q.registers.push_back({"cr0", {mode}, false});
  q.registers.push_back({"f0", {0xffff}, false});
  q.out = {"r30", "r31"};
  auto result = evaluator->run(q);
  std::vector<uint32_t> found(lanes);
  if (!result) {
    ADD_FAILURE() << text << ": " << result.error().message;
    return found;
  }
  for (unsigned n = 0; n < lanes; n++) {
    const unsigned byte = n * (half_to ? 2 : 4);
    const uint32_t word = uint32_t(result->registers[byte / 32].values[byte % 32 / 4]);
    found[n] = half_to ? word >> byte % 4 * 8 & 0xffff : word;
  }
  return found;
}

TEST(XeLpDenormals, OfEveryOperationInEveryMode) {
  size_t tried = 0;
  for (const Operation& o : operations) {
    const std::string text = text_of(o);
    for (uint32_t mode : {0u, keeps_singles, keeps_halves, keeps_singles | keeps_halves})
      for (auto engine : {wave::EngineChoice::Interpreter, wave::EngineChoice::Jit})
        for (unsigned start : {0u, lanes}) {
          std::vector<uint32_t> a(lanes), b(lanes);
          for (unsigned n = 0; n < lanes; n++) {
            a[n] = o.half_from ? half_values[start + n] : single_values[start + n];
            b[n] = o.half_from ? half_values[(start + n * 7 + 12) % 32] : single_values[(start + n * 7 + 12) % 32];
          }
          const auto found = run(text, a, b, o.half_from, o.half_to, mode, engine);
          for (unsigned n = 0; n < lanes; n++) {
            tried++;
            const bool keeps = kept(o.operands, mode);
            const double x = value_of(keeps ? a[n] : without(a[n], o.half_from), o.half_from),
                         y = value_of(keeps ? b[n] : without(b[n], o.half_from), o.half_from);
            uint32_t wanted = bits_of(o.exact(x, y), o.half_to);
            if (!kept(o.results, mode)) wanted = without(wanted, o.half_to);
            if ((o.exact == sine || o.exact == cosine) && std::fabs(x) > 0x1p20) continue;  // (the place in the circle is lost)
            if (std::isnan(value_of(wanted, o.half_to))) {
              EXPECT_TRUE(std::isnan(value_of(found[n], o.half_to))) << text << " of " << x;
              continue;
            }
            const int64_t apart = std::abs(place(found[n], o.half_to) - place(wanted, o.half_to));
            const bool sign = !o.ulps && (found[n] ^ wanted) >> (o.half_to ? 15 : 31);  // of zeros
            EXPECT_TRUE(apart <= o.ulps && !sign) << text << ", cr0 " << std::hex << mode << ", engine " << int(engine) << ": of "
                                                  << a[n] << " and " << b[n] << " " << found[n] << ", not " << wanted;
          }
        }
  }
  EXPECT_EQ(tried, std::size(operations) * 4 * 2 * 32);
}

// All halves that are denormals, to floats.
TEST(XeLpDenormals, EveryHalfBecomesItsFloat) {
  for (uint32_t mode : {0u, keeps_singles, keeps_halves, keeps_singles | keeps_halves})
    for (uint32_t from = 0; from < 0x400; from += lanes / 2) {
      std::vector<uint32_t> a(lanes);
      for (uint32_t n = 0; n < lanes; n++) a[n] = (from + n / 2) | n % 2 << 15;
      const auto engine = from % 128 ? wave::EngineChoice::Interpreter : wave::EngineChoice::Jit;
      const auto found = run("mov (16|M0) r30.0<1>:f r10.0<8;8,1>:hf", a, a, true, false, mode, engine);
      for (uint32_t n = 0; n < lanes; n++)
        ASSERT_EQ(found[n], std::bit_cast<uint32_t>(std::copysign(float(from + n / 2) * 0x1p-24f, n % 2 ? -1.0f : 1.0f)))
            << std::hex << a[n] << " in mode " << mode;
    }
}

// Floats below the halves, and denormal ones, in every rounding: away from zero they give the least half, not 0.
TEST(XeLpDenormals, FloatsBelowHalvesRound) {
  const std::vector<uint32_t> a{0,          0x80000000, 1,          0x80000001, 0x007fffff, 0x807fffff, 0x00800000, 0x80800000,
                                0x33000000, 0xb3000000, 0x33000001, 0xb3000001, 0x33bfffff, 0xb3c00000, 0x387fe000, 0xb87fe000};
  for (uint32_t mode : {0u, keeps_singles, keeps_halves, keeps_singles | keeps_halves})
    for (uint32_t rounding = 0; rounding < 4; rounding++)
      for (auto engine : {wave::EngineChoice::Interpreter, wave::EngineChoice::Jit}) {
        const auto found = run("mov (16|M0) r30.0<1>:hf r10.0<8;8,1>:f", a, a, false, true, mode | rounding << 4, engine);
        for (uint32_t n = 0; n < lanes; n++) {
          const double units = std::fabs(value_of(a[n], false)) * 0x1p24;  // in least halves
          const bool negative = a[n] >> 31;
          double whole = std::nearbyint(units);
          if (rounding == 1) whole = negative ? std::floor(units) : std::ceil(units);
          if (rounding == 2) whole = negative ? std::ceil(units) : std::floor(units);
          if (rounding == 3) whole = std::floor(units);
          EXPECT_EQ(found[n], uint32_t(whole) | uint32_t(negative) << 15)
              << std::hex << a[n] << ", mode " << mode << ", rounding " << rounding << ", engine " << int(engine);
        }
      }
}

// Macros of divisions and roots, which give the result itself: denormals of f32 as everywhere.
TEST(XeLpDenormals, Macros) {
  for (uint32_t mode : {0u, keeps_singles})
    for (auto engine : {wave::EngineChoice::Interpreter, wave::EngineChoice::Jit}) {
      std::vector<uint32_t> a(lanes), b(lanes);
      for (unsigned n = 0; n < lanes; n++) a[n] = single_values[n], b[n] = single_values[(n * 5 + 7) % 32];
      for (bool division : {true, false}) {
        const std::string text = division ? "math.invm (8|M0) (eo)f0.0 r30.mme0:f r10.nomme:f r14.nomme:f"
                                          : "math.rsqtm (8|M0) (eo)f0.0 r30.mme0:f r10.nomme:f";
        const auto found = run(text, a, b, false, false, mode, engine);
        for (unsigned n = 0; n < 8; n++) {
          const double x = value_of(mode ? a[n] : without(a[n], false), false),
                       y = value_of(mode ? b[n] : without(b[n], false), false);
          uint32_t wanted = bits_of(division ? quotient(x, y) : inverse_root(x, 0), false);
          if (!mode) wanted = without(wanted, false);
          if (std::isnan(value_of(wanted, false)))
            EXPECT_TRUE(std::isnan(value_of(found[n], false))) << text << std::hex << a[n] << " " << b[n];
          else
            EXPECT_EQ(found[n], wanted) << text << std::hex << ", mode " << mode << ": " << a[n] << " " << b[n];
        }
      }
    }
}

}  // namespace
