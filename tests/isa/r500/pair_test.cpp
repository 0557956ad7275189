// R5xx pairs on both engines: against values worked out by hand, against a scalar model of one pixel written apart from the
// semantics, and both engines bit for bit on random programs.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstring>
#include <memory>
#include <random>

#include "isa/r500/isa.h"
#include "isa/r500/registers.h"
#include "isa/r500/text.h"
#include "wave/environment.h"
#include "wave/executor.h"

namespace Atoll::r500 {
namespace {

class NoMemory : public wave::Environment {
public:
  bool mapped(uint64_t, uint64_t) const override { return false; }
  uint64_t clock() override { return 0; }
  uint64_t message(wave::Wave&, uint32_t, uint32_t) override { return 0; }
};

struct Machine {
  Machine() {
    size_t bytes = (wave::register_file_offset + register_file_bytes + 127) / 128 * 128;
    storage.reset(static_cast<uint8_t*>(std::aligned_alloc(128, bytes)));
    std::memset(storage.get(), 0, bytes);
    w = new (storage.get()) wave::Wave;
    w->lanes = kPixels;
    w->stop_flag = &stop;
    w->environment = &environment;
    word(active_cell) = ~0u;
  }
  uint32_t& word(uint32_t cell) { return wave::word_of(*w, cell); }
  uint32_t& t(uint32_t n, uint32_t c, uint32_t pixel) { return word(temporary_cell(n, c) + pixel * 4); }
  uint32_t& o(uint32_t n, uint32_t c, uint32_t pixel) { return word(output_cell(n, c) + pixel * 4); }
  uint32_t& i(uint32_t n, uint32_t c, uint32_t pixel) { return word(input_cell(n, c) + pixel * 4); }
  void run(const std::vector<Pair>& pairs, wave::EngineChoice engine) {
    std::vector<uint32_t> code;
    for (const Pair& p : pairs)
      for (uint32_t word : words_of(p)) code.push_back(word);
    wave::Program program(fragment_isa(), 0x1000, code);
    w->pc = 0x1000;
    wave::Executor executor(program, engine, *w);
    ASSERT_EQ(executor.error(), "");
    executor.run(*w);
    executor.settle();
    // A program ends by running past its last instruction.
    ASSERT_EQ(w->stop, wave::Stop::Fault);
    ASSERT_EQ(w->fault.kind, wave::FaultKind::Fetch);
    ASSERT_EQ(w->fault.pc, 0x1000 + code.size() * 4);
    if (engine == wave::EngineChoice::Jit) {
      EXPECT_GE(w->compiled, pairs.size());
      EXPECT_EQ(w->called, 0u);
    }
  }
  std::span<const uint32_t> registers() {
    return {reinterpret_cast<uint32_t*>(wave::bytes_of(*w, wave::register_file_offset)), register_file_bytes / 4};
  }
  struct Free {
    void operator()(uint8_t* p) const { std::free(p); }
  };
  std::unique_ptr<uint8_t, Free> storage;
  wave::Wave* w;
  std::atomic<int> stop{0};
  NoMemory environment;
};

uint32_t bits(float x) { return std::bit_cast<uint32_t>(x); }
float number(uint32_t x) { return std::bit_cast<float>(x); }

// --- the scalar model: one pixel, plain C++ floats -----------------------------------------------------------------------------
struct Pixel {
  float t[kTemporaries][4], c[kConstants][4], i[kInputs][4], o[kOutputs][4];
  bool p[4];

  float read(const Source& s, int channel) const {
    const float(*bank)[4] = s.bank == Bank::Temporary ? t : s.bank == Bank::Constant ? c : i;
    float x = 0;
    switch (uint8_t z = s.swizzle[channel]) {
      case 4: x = 0; break;
      case 5: x = 0.5f; break;
      case 6: x = 1; break;
      default: x = bank[s.index][z];
    }
    if (s.modifiers & 2) x = std::fabs(x);
    return s.modifiers & 1 ? -x : x;
  }
  float channel_result(const Half& h, int n) const {
    float a = read(h.source[0], n), b = read(h.source[1], n), third = read(h.source[2], n);
    switch (h.op) {
      case Op::Mad: {
        volatile float product = a * b;  // not fused
        return product + third;
      }
      case Op::Min: return a < b ? a : b;
      case Op::Max: return a >= b ? a : b;
      case Op::Cnd: return third > 0.5f ? a : b;
      case Op::Cmp: return third >= 0 ? a : b;
      case Op::Frc: return a - std::floor(a);
      case Op::Ex2: return float(std::exp2(double(a)));
      case Op::Ln2: return float(std::log2(double(a)));
      case Op::Rcp: return 1 / a;
      case Op::Rsq: return a < 0 ? NAN : float(1 / std::sqrt(double(a)));
      default: return 0;
    }
  }
  void step(const Pair& pair) {
    float value[4];
    for (int n = 0; n < 4; n++) value[n] = channel_result(n < 3 ? pair.rgb : pair.alpha, n);
    const Half& r = pair.rgb;
    if (r.op == Op::Dp3 || r.op == Op::Dp4 || r.op == Op::D2a) {
      volatile float sum = 0, product = 0;
      for (int n = 0; n < (r.op == Op::Dp4 ? 4 : r.op == Op::Dp3 ? 3 : 2); n++) {
        product = read(r.source[0], n) * read(r.source[1], n);
        sum = n ? sum + product : product;
      }
      if (r.op == Op::D2a) sum = sum + read(r.source[2], 2);
      value[0] = value[1] = value[2] = sum;
      if (pair.alpha.op == Op::Dp) value[3] = sum;
    }
    if (r.op == Op::Sop) value[0] = value[1] = value[2] = value[3];
    const bool before[4] = {p[0], p[1], p[2], p[3]};
    for (int n = 0; n < 4; n++) {
      const Half& h = n < 3 ? pair.rgb : pair.alpha;
      if (h.predicate && before[h.predicate == 1 ? n : h.predicate - 2] == bool(h.predicate_inverted)) continue;
      float x = value[n];
      if (h.omod >= 1 && h.omod <= 3) x *= float(1 << h.omod);
      if (h.omod >= 4 && h.omod <= 6) x /= float(1 << (h.omod - 3));
      if (h.clamp) x = !(x > 0) ? 0 : x > 1 ? 1 : x;
      if (h.mask >> n & 1) t[h.destination][n] = x;
      if (!(h.extra_mask >> n & 1)) continue;
      if (h.extra == Extra::Output) o[h.target][n] = x;
      if (h.extra == Extra::Predicate) p[n] = h.target == 0 ? x == 0 : h.target == 1 ? x < 0 : h.target == 2 ? x >= 0 : x != 0;
    }
  }
};

Pixel pixel_of(Machine& m, uint32_t l) {
  Pixel x{};
  for (uint32_t c = 0; c < 4; c++) {
    for (uint32_t n = 0; n < kTemporaries; n++) x.t[n][c] = number(m.t(n, c, l));
    for (uint32_t n = 0; n < kConstants; n++) x.c[n][c] = number(m.word(constant_cell(n, c)));
    for (uint32_t n = 0; n < kInputs; n++) x.i[n][c] = number(m.i(n, c, l));
    for (uint32_t n = 0; n < kOutputs; n++) x.o[n][c] = number(m.o(n, c, l));
    x.p[c] = m.word(predicate_cell(c)) >> l & 1;
  }
  return x;
}
void expect_like(uint32_t is, float model, const char* what, uint32_t n, uint32_t c, uint32_t l) {
  if (std::isnan(model))
    EXPECT_TRUE(std::isnan(number(is))) << what << n << " channel " << c << " pixel " << l << ": " << number(is);
  else
    EXPECT_EQ(is, bits(model)) << what << n << " channel " << c << " pixel " << l << ": " << number(is) << ", not " << model;
}

// --- random programs -----------------------------------------------------------------------------------------------------------
class Random {
public:
  explicit Random(uint32_t seed) : engine_(seed) {}
  uint32_t below(uint32_t n) { return engine_() % n; }
  uint32_t value() {
    static const uint32_t edges[] = {0,          0x80000000, 0x3f800000, 0xbf800000, 0x3f000000, 0x7f800000,
                                     0xff800000, 0x7fc00000, 0x7fa00001, 0xffc12345, 1,          0x80000001,
                                     0x007fffff, 0x7f7fffff, 0x40490fdb, 0xc2c80000};
    uint32_t kind = below(4);
    if (kind == 0) return edges[below(std::size(edges))];
    if (kind == 1) return engine_();
    return bits(float(int32_t(below(2001)) - 1000) / 64.0f);
  }
  Half half(bool alpha, bool functions) {
    Half h;
    do h.op = Op(below(uint32_t(Op::Count)));
    while (!functions && (h.op == Op::Ex2 || h.op == Op::Ln2 || h.op == Op::Rsq));
    uint32_t channels = alpha ? 8 : 7;
    h.destination = uint8_t(below(4));
    h.mask = uint8_t(below(16) & channels);
    h.extra_mask = below(2) ? uint8_t(below(16) & channels) : 0;
    h.extra = !h.extra_mask ? Extra::None : below(3) ? Extra::Predicate : Extra::Output;
    if (h.extra != Extra::None) h.target = uint8_t(below(4));
    h.omod = below(2) ? 0 : uint8_t(below(8));
    h.clamp = below(4) == 0;
    h.predicate = below(2) ? 0 : uint8_t(below(PREDICATE_COUNT));
    h.predicate_inverted = h.predicate && below(2);
    for (int n = 0; n < row_of(h.op).sources; n++) {
      Source& s = h.source[n];
      s.bank = Bank(below(3)), s.index = uint8_t(below(4)), s.modifiers = uint8_t(below(4));
      for (int c = alpha ? 3 : 0; c < (alpha || h.op == Op::Dp4 ? 4 : 3); c++) s.swizzle[c] = uint8_t(below(SWIZZLE_COUNT));
    }
    return h;
  }
  Pair pair(bool functions) {
    for (;;)
      if (Pair p{half(false, functions), half(true, functions)}; objection(p).empty() && pair_of(words_of(p))) return p;
  }
  void fill(Machine& m) {
    for (uint32_t c = 0; c < 4; c++) {
      for (uint32_t n = 0; n < 4; n++) {
        m.word(constant_cell(n, c)) = value();
        for (uint32_t l = 0; l < kPixels; l++) m.t(n, c, l) = value(), m.i(n, c, l) = value(), m.o(n, c, l) = value();
      }
      m.word(predicate_cell(c)) = engine_();
    }
    m.word(active_cell) = below(2) ? ~0u : engine_();
  }

private:
  std::mt19937 engine_;
};

TEST(Engines, RandomProgramsGiveTheSameBits) {
  for (uint32_t seed = 1; seed <= 200; seed++) {
    SCOPED_TRACE(seed);
    Random random(seed);
    std::vector<Pair> pairs;
    for (int n = 0; n < 12; n++) pairs.push_back(random.pair(true));
    Machine a, b;
    random.fill(a);
    std::memcpy(wave::bytes_of(*b.w, wave::register_file_offset), a.registers().data(), register_file_bytes);
    a.run(pairs, wave::EngineChoice::Interpreter);
    b.run(pairs, wave::EngineChoice::Jit);
    ASSERT_TRUE(std::ranges::equal(a.registers(), b.registers()));
  }
}

class Pairs : public testing::TestWithParam<wave::EngineChoice> {
protected:
  Machine m;
  // Every pixel's t, i from its own values; constants shared.
  void run(std::initializer_list<const char*> text) {
    std::vector<Pair> pairs;
    for (const char* line : text) {
      auto parsed = parse(line);
      ASSERT_TRUE(parsed) << line << ": " << parsed.error().message;
      pairs.push_back(*parsed);
    }
    m.run(pairs, GetParam());
  }
  void set(uint32_t n, float x, float y, float z, float w) {
    const float v[] = {x, y, z, w};
    for (uint32_t c = 0; c < 4; c++)
      for (uint32_t l = 0; l < kPixels; l++) m.t(n, c, l) = bits(v[c]);
  }
  void constant(uint32_t n, float x, float y, float z, float w) {
    const float v[] = {x, y, z, w};
    for (uint32_t c = 0; c < 4; c++) m.word(constant_cell(n, c)) = bits(v[c]);
  }
  void expect(uint32_t n, float x, float y, float z, float w) {
    const float v[] = {x, y, z, w};
    for (uint32_t c = 0; c < 4; c++)
      for (uint32_t l = 0; l < kPixels; l++)
        ASSERT_EQ(m.t(n, c, l), bits(v[c])) << "channel " << c << " pixel " << l << ": " << number(m.t(n, c, l));
  }
};
INSTANTIATE_TEST_SUITE_P(Engines, Pairs, testing::Values(wave::EngineChoice::Interpreter, wave::EngineChoice::Jit),
                         [](const auto& info) { return info.param == wave::EngineChoice::Jit ? "Jit" : "Interpreter"; });

TEST_P(Pairs, SwizzlesModifiersAndMasks) {
  set(0, 9, 9, 9, 9), set(1, 1, 2, 3, 4), set(2, -8, 0.25f, 5, -16), constant(0, 10, 20, 30, 40);
  run({"mad t0.rb, t1.zyx, c0.wh1, -t2.zzz | rcp t0.a, |t2.w|"});
  expect(0, 3 * 40 - 5, 9, 1 * 1 - 5, 1.0f / 16);
}

TEST_P(Pairs, BothReadBeforeEitherWrites) {
  set(0, 1, 2, 3, 4);
  run({"mad t0.rgb, t0.www, 1, t0.yzx | mad t0.a, t0.x, 1, t0.y"});
  expect(0, 6, 7, 5, 3);
}

TEST_P(Pairs, DotsAndTheOtherUnitsResult) {
  set(1, 1, 2, 3, 4), constant(3, 10, 20, 30, 40);
  run({"dp3 t0.rgb, t1, c3 | dp t0.a", "dp4 t2.g, t1.xyzw, c3.wzyx | dp t2.a", "d2a t3.b, t1, c3, c3.xyw",
       "sop t4.rgb | ex2 t4.a, t1.z"});
  expect(0, 140, 140, 140, 140);
  expect(2, 0, 200, 0, 200);
  expect(3, 0, 0, 90, 0);
  expect(4, 8, 8, 8, 8);
}

TEST_P(Pairs, OutputModifiers) {
  set(1, 0.25f, 3, -2, 4);
  run({"mad.x4 t0.rgb, t1, 1, 0 | mad.d8 t0.a, t1.w, 1, 0", "mad.sat.x2 t2.rgb, t1, 1, 0 | ln2.sat t2.a, t1.x",
       "frc t3.rgb, -t1.xxy | rsq t3.a, t1.w", "mad o2.rgb+t5.r, t1, 1, 0 | min.exact o2.a, t1.w, t1.y"});
  expect(0, 1, 12, -8, 0.5f);
  expect(2, 0.5f, 1, 0, 0);
  expect(3, 0.75f, 0.75f, 0, 0.5f);
  expect(5, 0.25f, 0, 0, 0);
  EXPECT_EQ(m.o(2, 0, 31), bits(0.25f));
  EXPECT_EQ(m.o(2, 3, 31), bits(3));
}

TEST_P(Pairs, PredicateOfEveryPixel) {
  for (uint32_t l = 0; l < kPixels; l++) m.i(0, 0, l) = bits(float(l) - 10), m.i(0, 1, l) = bits(l % 2 ? 1.0f : 0.0f);
  set(7, -1, -1, -1, -1);
  m.word(active_cell) = 0x7fffffff;
  run({"mad.lt p.rg, i0.xyx, 1, 0", "(p.r) mad t7.rgb, 1, 1, 0 | (!p.r) mad t7.a, 1, 1, 1", "mad.ne t8.g+p.g, i0.xyx, 1, 0",
       "(p) mad t9.rgb, 1, 1, 1"});
  for (uint32_t l = 0; l < kPixels; l++) {
    bool active = l < 31, less = l < 10, odd = l % 2;
    EXPECT_EQ(m.t(7, 0, l), bits(active && less ? 1 : -1)) << l;
    EXPECT_EQ(m.t(7, 3, l), bits(active && !less ? 2 : -1)) << l;
    EXPECT_EQ(m.t(8, 1, l), bits(active && odd ? 1 : 0)) << l;
    EXPECT_EQ(m.t(9, 0, l), bits(active && less ? 2 : 0)) << l;
    EXPECT_EQ(m.t(9, 1, l), bits(active && odd ? 2 : 0)) << l;
    EXPECT_EQ(m.t(9, 2, l), 0u) << l;
  }
}

TEST_P(Pairs, NaN) {
  set(1, NAN, 1, -1, NAN), set(2, 2, NAN, 3, 5);
  run({"min t0.rgb, t1, t2 | max t0.a, t1.w, t2.w", "cmp t3.rgb, 1, 0, t1.xyz | cnd t3.a, 1, 0, t1.x",
       "mad.sat t4.rgb, t1.x, 1, 0", "mad.ne p.r, t1.x, 1, 0 | mad.ge p.a, t1.w, 1, 0"});
  EXPECT_EQ(m.t(0, 0, 0), bits(2));
  EXPECT_TRUE(std::isnan(number(m.t(0, 1, 0))));
  EXPECT_EQ(m.t(0, 2, 0), bits(-1));
  EXPECT_EQ(m.t(0, 3, 0), bits(5));
  expect(3, 0, 1, 0, 0);
  expect(4, 0, 0, 0, 0);
  EXPECT_EQ(m.word(predicate_cell(0)), ~0u);
  EXPECT_EQ(m.word(predicate_cell(3)), 0u);
}

TEST_P(Pairs, RandomPairsGiveWhatTheModelSays) {
  Random random(99);
  for (int round = 0; round < 60; round++) {
    Machine machine;
    random.fill(machine);
    std::vector<Pair> pairs = {random.pair(false), random.pair(false)};
    SCOPED_TRACE(print(pairs[0]) + " ; " + print(pairs[1]));
    std::vector<Pixel> model;
    for (uint32_t l = 0; l < kPixels; l++) {
      model.push_back(pixel_of(machine, l));
      if (machine.word(active_cell) >> l & 1)
        for (const Pair& p : pairs) model[l].step(p);
    }
    machine.run(pairs, GetParam());
    for (uint32_t l = 0; l < kPixels; l++)
      for (uint32_t c = 0; c < 4; c++) {
        for (uint32_t n = 0; n < 4; n++) {
          expect_like(machine.t(n, c, l), model[l].t[n][c], "t", n, c, l);
          expect_like(machine.o(n, c, l), model[l].o[n][c], "o", n, c, l);
        }
        EXPECT_EQ(machine.word(predicate_cell(c)) >> l & 1, uint32_t(model[l].p[c])) << "p " << c << " pixel " << l;
      }
    if (HasFailure()) return;
  }
}

// The functions against the host's in f64: at most the last bit differs, and special values do not.
TEST_P(Pairs, Functions) {
  Random random(5);
  for (const char* line : {"ex2 t1.a, t0.x", "ln2 t1.a, t0.x", "rcp t1.a, t0.x", "rsq t1.a, t0.x"}) {
    SCOPED_TRACE(line);
    auto pair = parse(line);
    ASSERT_TRUE(pair);
    for (int round = 0; round < 60; round++) {
      for (uint32_t l = 0; l < kPixels; l++) m.t(0, 0, l) = random.value();
      m.run({*pair}, GetParam());
      for (uint32_t l = 0; l < kPixels; l++) {
        Pixel x = pixel_of(m, l);
        x.step(*pair);
        uint32_t is = m.t(1, 3, l), wanted = bits(x.t[1][3]);
        if (std::isnan(number(wanted)))
          EXPECT_TRUE(std::isnan(number(is))) << x.t[0][0];
        else
          EXPECT_LE(is > wanted ? is - wanted : wanted - is, std::isfinite(number(wanted)) ? 1u : 0u)
              << x.t[0][0] << ": " << number(is);
      }
    }
  }
}

}  // namespace
}  // namespace Atoll::r500
