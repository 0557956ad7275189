// Comparisons into lane masks against scalar references. RDNA4 ISA 16.9.
#include <cmath>

#include "vector_check.h"

namespace Atoll::rdna4::test {
namespace {

using In = LaneInput;

double half_value(uint32_t x) {
  int exponent = x >> 10 & 31;
  double m = x & 0x3ff, r = exponent == 31 ? (m ? NAN : INFINITY)
                            : exponent     ? std::ldexp(1024 + m, exponent - 25)
                                           : std::ldexp(m, -24);
  return x & 0x8000 ? -r : r;
}
template <class F, class B>
double with_modifiers(const In& in, int n, B bits) {
  F x = std::bit_cast<F>(bits);
  if (in.i->abs >> n & 1) x = std::fabs(x);
  if (in.i->neg >> n & 1) x = -x;
  return double(x);
}
double f16(const In& in, int n) {
  uint32_t x = in.half(n);
  if (in.i->abs >> n & 1) x &= 0x7fff;
  if (in.i->neg >> n & 1) x ^= 0x8000;
  return half_value(x);
}
double f32(const In& in, int n) { return with_modifiers<float>(in, n, n ? in.b[0] : in.a[0]); }
double f64(const In& in, int n) { return with_modifiers<double>(in, n, n ? in.b64() : in.a64()); }

// Equal operands are as likely as edge values.
uint32_t repeated(Words& w) {
  static uint32_t last = 0;
  if (w.next() & 1) last = w.mixed();
  return last;
}

void check_both(const std::string& name, bool modifiers, bool op_sel, wave::FloatClass c,
                const std::function<bool(const In&)>& truth) {
  for (bool x : {false, true}) {
    std::string full = (x ? "v_cmpx_" : "v_cmp_") + name;
    check_vector({.name = full.c_str(),
                  .dwords = 0,
                  .writes_mask = true,
                  .writes_exec = x,
                  .modifiers = modifiers,
                  .op_sel = op_sel,
                  .op_sel_bits = 3,
                  .float_class = c,
                  .words = repeated,
                  .rounds = 20},
                 [&](const In& in) { return LaneOutput{{}, truth(in)}; });
  }
}

template <class T>
void check_integers(const char* type, bool op_sel, T (*get)(const In&, int)) {
  auto check = [&](const char* condition, bool (*truth)(T, T)) {
    check_both(std::string(condition) + "_" + type, false, op_sel, wave::FloatClass::None,
               [=](const In& in) { return truth(get(in, 0), get(in, 1)); });
  };
  check("lt", [](T a, T b) { return a < b; });
  check("eq", [](T a, T b) { return a == b; });
  check("le", [](T a, T b) { return a <= b; });
  check("gt", [](T a, T b) { return a > b; });
  check("ne", [](T a, T b) { return a != b; });
  check("ge", [](T a, T b) { return a >= b; });
}

TEST(Vopc, Integers) {
  check_integers<int16_t>("i16", true, [](const In& in, int n) { return int16_t(in.half(n)); });
  check_integers<uint16_t>("u16", true, [](const In& in, int n) { return in.half(n); });
  check_integers<int32_t>("i32", false, [](const In& in, int n) { return int32_t(n ? in.b[0] : in.a[0]); });
  check_integers<uint32_t>("u32", false, [](const In& in, int n) { return n ? in.b[0] : in.a[0]; });
  check_integers<int64_t>("i64", false, [](const In& in, int n) { return int64_t(n ? in.b64() : in.a64()); });
  check_integers<uint64_t>("u64", false, [](const In& in, int n) { return n ? in.b64() : in.a64(); });
}

TEST(Vopc, Floats) {
  struct Type {
    const char* name;
    double (*get)(const In&, int);
    wave::FloatClass float_class;
  };
  struct Condition {
    const char* name;
    bool (*truth)(double, double);
  };
  const Condition conditions[] = {
      {"lt", [](double a, double b) { return a < b; }},
      {"eq", [](double a, double b) { return a == b; }},
      {"le", [](double a, double b) { return a <= b; }},
      {"gt", [](double a, double b) { return a > b; }},
      {"lg", [](double a, double b) { return a < b || a > b; }},
      {"ge", [](double a, double b) { return a >= b; }},
      {"o", [](double a, double b) { return !std::isnan(a) && !std::isnan(b); }},
      {"u", [](double a, double b) { return std::isnan(a) || std::isnan(b); }},
      {"nge", [](double a, double b) { return !(a >= b); }},
      {"nlg", [](double a, double b) { return !(a < b || a > b); }},
      {"ngt", [](double a, double b) { return !(a > b); }},
      {"nle", [](double a, double b) { return !(a <= b); }},
      {"neq", [](double a, double b) { return a != b; }},
      {"nlt", [](double a, double b) { return !(a < b); }},
  };
  for (Type type : {Type{"f16", f16, wave::FloatClass::F64}, Type{"f32", f32, wave::FloatClass::F32},
                    Type{"f64", f64, wave::FloatClass::F64}})
    for (const Condition& c : conditions)
      check_both(std::string(c.name) + "_" + type.name, true, type.get == f16, type.float_class,
                 [=](const In& in) { return c.truth(type.get(in, 0), type.get(in, 1)); });
}

// Denormals compare as zeros where MODE flushes what is read.
TEST(Vopc, FlushedDenormalsAreEqual) {
  SingleStep wave;
  for (uint32_t lane = 0; lane < 32; lane++) wave.v(1, lane) = lane, wave.v(2, lane) = 0;
  for (auto [name, c, keep] :
       {std::tuple{"v_cmp_eq_f32", wave::FloatClass::F32, 0x10u}, {"v_cmp_eq_f16", wave::FloatClass::F64, 0x40u}}) {
    wave.cell(mode_cell) = keep;
    wave.run(name, {.sdst = 10, .src = {VGPR0 + 1, VGPR0 + 2}}, c);
    EXPECT_EQ(wave.s(10), 1u) << name;
    wave.cell(mode_cell) = 0;
    wave.run(name, {.sdst = 10, .src = {VGPR0 + 1, VGPR0 + 2}}, c);
    EXPECT_EQ(wave.s(10), 0xffffffffu) << name;
  }
}

// The class number of a float given as sign, "exponent all ones", exponent, fraction, quiet bit. RDNA4 ISA 16.9 V_CMP_CLASS_F32.
uint32_t class_of(bool negative, uint32_t exponent, uint32_t top, uint64_t fraction, bool quiet) {
  if (exponent == top && fraction) return quiet ? 1 : 0;
  if (exponent == top) return negative ? 2 : 9;
  if (exponent) return negative ? 3 : 8;
  if (fraction) return negative ? 4 : 7;
  return negative ? 5 : 6;
}

TEST(Vopc, Classes) {
  auto sign = [](const In& in, bool s) {
    if (in.i->abs & 1) s = false;
    return in.i->neg & 1 ? !s : s;
  };
  check_both("class_f16", true, true, wave::FloatClass::F64, [=](const In& in) {
    uint32_t x = in.half(0), y = in.half(1);
    return y >> class_of(sign(in, x >> 15), x >> 10 & 31, 31, x & 0x3ff, x & 0x200) & 1;
  });
  check_both("class_f32", true, false, wave::FloatClass::F32, [=](const In& in) {
    uint32_t x = in.a[0];
    return in.b[0] >> class_of(sign(in, x >> 31), x >> 23 & 255, 255, x & 0x7fffff, x & 0x400000) & 1;
  });
  check_both("class_f64", true, false, wave::FloatClass::F64, [=](const In& in) {
    uint64_t x = in.a64();
    return in.b[0] >> class_of(sign(in, x >> 63), x >> 52 & 2047, 2047, x & 0xfffffffffffff, x & 0x8000000000000) & 1;
  });
}

}  // namespace
}  // namespace Atoll::rdna4::test
