// The alternate mode of floats (bit 0 of cr0) against a model of what Intel publishes of it, for every instruction of floats, both engines,
// all pairs of special values. Ivy Bridge PRM volume 4 part 3: the term "ALT mode" (what units of floats take infinities, denormals and
// NaNs for), 2.3.2 (of f32 alone, infinite results are +-fmax), 2.4.1 (floats to integers), 3.6 (conditions; overflow is that of the
// computation), the tables of add, frc, mul and the roundings, sel (by predicate as raw moves), and of each function of math, which DG1's
// PRM volume 2b (MathFC) repeats.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>

#include "eval/evaluator.h"

namespace {

using namespace Atoll;

constexpr unsigned lanes = 16, alternate = 1, kept_denormals = 1 << 7 | 1 << 10;
constexpr uint32_t fmax_bits = 0x7f7fffff, infinity = 0x7f800000, quiet_nan = 0x7fc00000;

const uint32_t values[] = {0,          0x80000000, 1,          0x807fffff, 0x00400000, 0x00800000, 0x80800000, 0x3f800000,
                           0xbf800000, 0x3f000000, 0x3fc00000, 0xc0200000, 0x3e99999a, 0x4b000001, 0xcb000003, 0x42fe0000,
                           0x43000000, 0x43010000, 0xc2fd0000, 0xc3160000, 0x7e967699, 0xfe967699, 0x60ad78ec, 0xe0ad78ec,
                           0x1e3ce508, 0x9e3ce508, fmax_bits,  0xff7fffff, infinity,   0xff800000, quiet_nan,  0xffc12345};
constexpr unsigned count = std::size(values);

float f(uint32_t bits) { return std::bit_cast<float>(bits); }
uint32_t bits(float x) { return std::bit_cast<uint32_t>(x); }

// --- the model: what goes into units of floats and what comes out of them
uint32_t flushed(uint32_t x) { return x & 0x7f800000 ? x : x & 0x80000000; }
uint32_t finite(uint32_t x) {
  if (std::isnan(f(x))) return 0;
  return std::isinf(f(x)) ? (x & 0x80000000) | fmax_bits : flushed(x);
}
// NaNs aside, as the extended math unit has it.
uint32_t finite_or_nan(uint32_t x) { return std::isnan(f(x)) ? quiet_nan : finite(x); }
float number(uint32_t x) { return f(finite(x)); }

struct Operation {
  const char* text;  // D, A, B and C: the destination and the sources
  uint32_t (*result)(uint32_t a, uint32_t b, uint32_t c);
  unsigned ulps = 0;
};

uint32_t out(float x) { return finite(bits(x)); }
// A function of math whose NaN comes from a NaN alone.
template <double (*function)(double), bool absolute = false>
uint32_t extended(uint32_t a, uint32_t, uint32_t) {
  if (std::isnan(f(a))) return quiet_nan;
  const double x = double(number(a));
  return finite_or_nan(bits(float(function(absolute ? std::fabs(x) : x))));
}
double inverse(double x) { return 1 / x; }
double inverse_root(double x) { return 1 / std::sqrt(x); }
uint32_t truth(bool x) { return x ? ~0u : 0; }
int32_t whole(float x) { return x >= 0x1p31f ? INT32_MAX : x < -0x1p31f ? INT32_MIN : int32_t(x); }

#define RESULT(expression)                                                    \
  [](uint32_t a, uint32_t b, uint32_t c) -> uint32_t {                        \
    [[maybe_unused]] const float x = number(a), y = number(b), z = number(c); \
    (void)a, (void)b, (void)c;                                                \
    return expression;                                                        \
  }
const Operation operations[] = {
    {"add (16|M0) D:f A:f B:f", RESULT(out(x + y))},
    {"add (16|M0) D:f A:f -B:f", RESULT(out(x + number(b ^ 0x80000000)))},
    {"add (16|M0) (sat)D:f A:f B:f", RESULT(x + y > 0 ? flushed(bits(std::fmin(x + y, 1.0f))) : 0)},
    {"add (16|M0) D:f A:f 0x7f800000:f", RESULT(out(x + f(fmax_bits)))},
    {"mul (16|M0) D:f A:f B:f", RESULT(out(x* y))},
    {"mul (16|M0) D:f (abs)A:f B:f", RESULT(out(number(a & 0x7fffffff) * y))},
    {"mul (16|M0) D:d A:f B:f", RESULT(uint32_t(whole(f(out(x* y)))))},
    {"mad (16|M0) D:f C:f A:f B:f", RESULT(out(std::fma(x, y, z)))},
    {"mac (16|M0) D:f A:f B:f", RESULT(out(std::fma(x, y, z)))},
    {"frc (16|M0) D:f A:f", RESULT(out(x - std::floor(x)))},
    {"rndu (16|M0) D:f A:f", RESULT(out(std::ceil(x)))},
    {"rndd (16|M0) D:f A:f", RESULT(out(std::floor(x)))},
    {"rnde (16|M0) D:f A:f", RESULT(out(std::nearbyint(x)))},
    {"rndz (16|M0) D:f A:f", RESULT(out(std::trunc(x)))},
    // moves: raw ones are of bits
    {"mov (16|M0) D:f A:f", RESULT((void(x), a))},
    {"mov (16|M0) D:f -A:f", RESULT(finite(a ^ 0x80000000))},
    {"mov (16|M0) D:f (abs)A:f", RESULT(finite(a & 0x7fffffff))},
    {"mov (16|M0) D:d A:f", RESULT(uint32_t(whole(x)))},
    {"mov (16|M0) D:f A:d", RESULT(bits(float(int32_t(a))))},
    {"(f0.0) sel (16|M0) D:f A:f B:f", RESULT((void(x), a))},
    {"sel (16|M0) (lt)f0.0 D:f A:f B:f", RESULT(finite(x < y ? a : b))},
    {"sel (16|M0) (ge)f0.0 D:f A:f B:f", RESULT(finite(x >= y ? a : b))},
    {"csel (16|M0) (gt)f0.0 D:f A:f B:f C:f", RESULT(finite(z > 0 ? a : b))},
    {"csel (16|M0) (eq)f0.0 D:f A:f B:f C:f", RESULT(finite(z == 0 ? a : b))},
    // comparisons
    {"cmp (16|M0) (eq)f0.0 D:f A:f B:f", RESULT(truth(x == y))},
    {"cmp (16|M0) (ne)f0.0 D:f A:f B:f", RESULT(truth(x != y))},
    {"cmp (16|M0) (lt)f0.0 D:f A:f B:f", RESULT(truth(x < y))},
    {"cmp (16|M0) (le)f0.0 D:f A:f B:f", RESULT(truth(x <= y))},
    {"cmp (16|M0) (gt)f0.0 D:f A:f B:f", RESULT(truth(x > y))},
    {"cmp (16|M0) (ge)f0.0 D:f A:f B:f", RESULT(truth(x >= y))},
    {"cmpn (16|M0) (lt)f0.0 D:f A:f B:f", RESULT(truth(x < y))},
    {"cmpn (16|M0) (ge)f0.0 D:f A:f B:f", RESULT(truth(x >= y))},
    // extended math
    {"math.inv (16|M0) D:f A:f", extended<inverse>},
    {"math.sqt (16|M0) D:f A:f", extended<std::sqrt, true>},
    {"math.rsqt (16|M0) D:f A:f", extended<inverse_root, true>, 1},
    {"math.log (16|M0) D:f A:f", extended<std::log2, true>, 1},
    {"math.exp (16|M0) D:f A:f", extended<std::exp2>, 1},
    {"math.sin (16|M0) D:f A:f", extended<std::sin>, 1},
    {"math.cos (16|M0) D:f A:f", extended<std::cos>, 1},
};
#undef RESULT

// With A in r10, r12, ..., B in r30, ..., C in r50, ... and D in r70, ...: `passes` times 16 lanes.
constexpr unsigned passes = 8;
std::vector<std::string> lines_of(const std::string& operation) {
  const bool three = operation.starts_with("mad") || operation.starts_with("csel"), sums = operation.starts_with("mac");
  std::vector<std::string> lines;
  for (unsigned pass = 0; pass < passes; pass++) {
    std::string line;
    unsigned sources = 0;
    auto place = [&](unsigned first) {
      const std::string r = "r" + std::to_string(first + pass * 2) + ".0";
      return r + (!three ? "<8;8,1>" : ++sources == 3 ? "<1>" : "<8;1>");
    };
    for (size_t n = 0; n < operation.size(); n++) {
      const char c = operation[n];
      const bool is_operand = n + 1 < operation.size() && operation[n + 1] == ':';
      if (is_operand && c == 'D')
        line += "r" + std::to_string(70 + pass * 2) + ".0<1>";
      else if (is_operand && c >= 'A' && c <= 'C')
        line += place(10 + unsigned(c - 'A') * 20);
      else
        line += c;
    }
    if (sums) lines.push_back("mov (16|M0) acc0.0<1>:ud r" + std::to_string(50 + pass * 2) + ".0<8;8,1>:ud");
    lines.push_back(line);
  }
  return lines;
}

eval::Evaluator& evaluator() {
  static auto evaluator = std::move(*eval::Evaluator::create());
  return *evaluator;
}
std::vector<uint32_t> run(const std::vector<std::string>& lines, const std::vector<uint32_t> (&sources)[3], uint32_t mode,
                          wave::EngineChoice engine) {
  eval::Request q;
  q.isa = "xe-lp", q.text = lines, q.engine = engine;
  for (unsigned s = 0; s < 3; s++)
    for (unsigned r = 0; r < passes * 2; r++)
      q.registers.push_back({"r" + std::to_string(10 + s * 20 + r),
                             std::vector<uint64_t>(sources[s].begin() + r * 8, sources[s].begin() + r * 8 + 8), true});
  q.registers.push_back({"cr0", {mode}, false});
  q.registers.push_back({"f0", {0xffff}, false});
  for (unsigned r = 0; r < passes * 2; r++) q.out.push_back("r" + std::to_string(70 + r));
  auto result = evaluator().run(q);
  std::vector<uint32_t> found(passes * lanes);
  if (!result) {
    ADD_FAILURE() << lines[0] << ": " << result.error().message;
    return found;
  }
  for (unsigned n = 0; n < found.size(); n++) found[n] = uint32_t(result->registers[n / 8].values[n % 8]);
  return found;
}

int64_t order(uint32_t x) { return x & 0x80000000 ? -int64_t(x & 0x7fffffff) : int64_t(x); }

TEST(XeLpAlternateFloats, OfEveryInstruction) {
  size_t tried = 0;
  for (const Operation& o : operations) {
    const std::string text = o.text;
    const auto lines = lines_of(text);
    const bool turns = text.starts_with("math.sin") || text.starts_with("math.cos");
    // (whether denormals are kept says nothing in this mode)
    for (auto [engine, mode] : {std::pair{wave::EngineChoice::Interpreter, alternate},
                                {wave::EngineChoice::Jit, alternate},
                                {wave::EngineChoice::Jit, alternate | kept_denormals}})
      for (unsigned start = 0; start < count * count; start += passes * lanes) {
        std::vector<uint32_t> sources[3];
        for (unsigned n = start; n < start + passes * lanes; n++) {
          sources[0].push_back(values[n % count]), sources[1].push_back(values[n / count]);
          sources[2].push_back(values[(n * 7 + n / count * 3) % count]);
        }
        const auto found = run(lines, sources, mode, engine);
        for (unsigned n = 0; n < found.size(); n++) {
          const uint32_t a = sources[0][n], b = sources[1][n], c = sources[2][n], wanted = o.result(a, b, c);
          tried++;
          if (std::isnan(f(wanted)) && text.starts_with("math")) {
            EXPECT_TRUE(std::isnan(f(found[n]))) << text << " of " << std::hex << a;
            continue;
          }
          if (turns && std::fabs(number(a)) > 0x1p20f) {  // (the place in the circle is lost)
            EXPECT_LE(std::fabs(f(found[n])), 1.0f) << text << " of " << std::hex << a;
            continue;
          }
          const bool near =
              std::abs(order(found[n]) - order(wanted)) <= int64_t(o.ulps) && !((found[n] ^ wanted) >> 31 && !o.ulps);
          EXPECT_TRUE(near) << text << ", engine " << int(engine) << ": of " << std::hex << a << ", " << b << ", " << c << " "
                            << found[n] << ", not " << wanted;
        }
      }
    if (HasFailure()) break;  // (one operation's failures are enough to read)
  }
  EXPECT_EQ(tried, std::size(operations) * 3 * count * count);
}

// Halves have no alternate mode, nor has what converts them.
TEST(XeLpAlternateFloats, HalvesHaveNone) {
  std::vector<uint32_t> sources[3];
  for (unsigned n = 0; n < passes * lanes; n++) {
    sources[0].push_back(values[n % count]);  // two halves each
    sources[1].push_back(n % 2 ? 0x7c00fc00 : 0x7e003c00), sources[2].push_back(n % 3 ? 0xfc007c00 : 0x00007bff);
  }
  for (const char* text : {"mul (16|M0) D:hf B:hf C:hf", "add (16|M0) D:hf B:hf C:hf", "mul (16|M0) D:f B:hf C:hf",
                           "mov (16|M0) D:hf A:f", "mov (16|M0) D:f B:hf", "math.inv (16|M0) D:hf C:hf"})
    for (auto engine : {wave::EngineChoice::Interpreter, wave::EngineChoice::Jit})
      EXPECT_EQ(run(lines_of(text), sources, alternate | kept_denormals, engine),
                run(lines_of(text), sources, kept_denormals & ~(1u << 7), engine))
          << text;
}

// The flag of overflow tells of the result that is not shown.
TEST(XeLpAlternateFloats, OverflowIsSeen) {
  std::vector<uint32_t> sources[3];
  for (unsigned n = 0; n < passes * lanes; n++)
    sources[0].push_back(n % 3 ? 0x7f000000 : 0x3f800000), sources[1].push_back(n % 2 ? 0x40000000 : 0xc1000000),
        sources[2].push_back(0x12345678);
  std::vector<std::string> lines;
  for (unsigned pass = 0; pass < passes; pass++) {
    const unsigned a = 10 + pass * 2, b = 30 + pass * 2, c = 50 + pass * 2, d = 70 + pass * 2;
    lines.push_back(fmt::format("mul (16|M0) (ov)f0.0 r{}.0<1>:f r{}.0<8;8,1>:f r{}.0<8;8,1>:f", d, a, b));
    lines.push_back(fmt::format("(f0.0) sel (16|M0) r{}.0<1>:ud r{}.0<8;8,1>:ud r{}.0<8;8,1>:ud", d, c, d));
  }
  for (auto engine : {wave::EngineChoice::Interpreter, wave::EngineChoice::Jit}) {
    const auto found = run(lines, sources, alternate, engine);
    for (unsigned n = 0; n < found.size(); n++)
      EXPECT_EQ(found[n], n % 3 ? 0x12345678u : bits(f(sources[0][n]) * f(sources[1][n]))) << n;
  }
}

// Programs change their mode as they go on.
TEST(XeLpAlternateFloats, BySoftware) {
  std::vector<uint32_t> sources[3];
  for (unsigned n = 0; n < passes * lanes; n++)
    sources[0].push_back(infinity), sources[1].push_back(n % 2 ? 0 : 0x40000000), sources[2].push_back(0);
  const std::vector<std::string> lines{
      "mul (16|M0) r70.0<1>:f r10.0<8;8,1>:f r30.0<8;8,1>:f", "(W) or (1|M0) cr0.0<1>:ud cr0.0<0;1,0>:ud 0x1:uw",
      "mul (16|M0) r72.0<1>:f r10.0<8;8,1>:f r30.0<8;8,1>:f", "(W) and (1|M0) cr0.0<1>:ud cr0.0<0;1,0>:ud 0xfffffffe:ud",
      "mul (16|M0) r74.0<1>:f r10.0<8;8,1>:f r30.0<8;8,1>:f"};
  for (auto engine : {wave::EngineChoice::Interpreter, wave::EngineChoice::Jit}) {
    const auto found = run(lines, sources, 0x4c0, engine);
    for (unsigned n = 0; n < lanes; n++) {
      EXPECT_EQ(found[lanes + n], n % 2 ? 0u : fmax_bits);
      for (unsigned other : {n, 2 * lanes + n}) EXPECT_TRUE(n % 2 ? std::isnan(f(found[other])) : found[other] == infinity);
    }
  }
}

}  // namespace
