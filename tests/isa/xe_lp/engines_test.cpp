// Xe-LP instructions on both engines against a scalar model written apart: region shapes, execution sizes, types, overlap,
// predication, divergence. The text is described in docs/xe-lp-assembly.md.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "eval/evaluator.h"

namespace {

using namespace Atoll;

struct State {
  std::vector<uint8_t> grf = std::vector<uint8_t>(4096);
  uint32_t flag = 0;
};

uint64_t seed = 12345;
uint32_t random_word() {
  seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
  static constexpr uint32_t edges[] = {0,          1,          0x7fffffff, 0x80000000, 0xffffffff,
                                       0x7fa00001, 0xffc12345, 0x7f800000, 0xff800000, 0x3f800000,
                                       0xbf000000, 0x00000007, 0x7fff8000, 0x4f000000, 0x00400000};
  uint32_t w = uint32_t(seed >> 20);
  return seed % 3 ? w : edges[w % std::size(edges)];
}
State random_state() {
  State s;
  for (size_t n = 0; n < s.grf.size(); n += 4) {
    uint32_t w = random_word();
    std::memcpy(&s.grf[n], &w, 4);
  }
  s.flag = random_word() ^ random_word() << 7;
  return s;
}

State run(const State& before, const std::vector<std::string>& text, wave::EngineChoice engine) {
  static auto evaluator = std::move(*eval::Evaluator::create());
  eval::Request q;
  q.isa = "xe-lp", q.text = text, q.engine = engine;
  for (size_t r = 0; r < 128; r++) {
    eval::RegisterValue v{"r" + std::to_string(r), {}, true};
    for (size_t d = 0; d < 8; d++) {
      uint32_t w;
      std::memcpy(&w, &before.grf[r * 32 + d * 4], 4);
      v.values.push_back(w);
    }
    q.out.push_back(v.name);
    q.registers.push_back(v);
  }
  q.registers.push_back({"f0", {before.flag}, false});
  q.out.push_back("f0");
  State after;
  auto result = evaluator->run(q);
  if (!result) {
    ADD_FAILURE() << result.error().message;
    return after;
  }
  for (size_t r = 0; r < 128; r++)
    for (size_t d = 0; d < 8; d++) {
      uint32_t w = uint32_t(result->registers[r].values[d]);
      std::memcpy(&after.grf[r * 32 + d * 4], &w, 4);
    }
  after.flag = uint32_t(result->registers[128].values[0]);
  return after;
}

// Runs on both engines, which must agree; gives the state after.
State both(const State& before, const std::vector<std::string>& text) {
  State a = run(before, text, wave::EngineChoice::Interpreter), b = run(before, text, wave::EngineChoice::Jit);
  EXPECT_TRUE(a.grf == b.grf && a.flag == b.flag) << "the engines differ: " << text[0];
  return a;
}

int64_t element(const State& s, int reg, int n, const std::string& type) {
  size_t bytes = type == "w" || type == "uw" ? 2 : 4;
  uint32_t x = 0;
  std::memcpy(&x, &s.grf[size_t(reg * 32) + size_t(n) * bytes], bytes);
  return type == "w" ? int64_t(int16_t(x)) : type == "d" ? int64_t(int32_t(x)) : int64_t(x);
}
void put(State& s, int reg, int n, const std::string& type, int64_t x) {
  size_t bytes = type == "w" || type == "uw" ? 2 : 4;
  std::memcpy(&s.grf[size_t(reg * 32) + size_t(n) * bytes], &x, bytes);
}
uint32_t bits(float x) {
  uint32_t w;
  std::memcpy(&w, &x, 4);
  return w;
}
float real(uint32_t w) {
  float x;
  std::memcpy(&x, &w, 4);
  return x;
}
// The first operand that is a NaN, quieted; else the default NaN (nan.h).
uint32_t with_nan(uint32_t result, std::initializer_list<uint32_t> operands) {
  if (!std::isnan(real(result))) return result;
  for (uint32_t o : operands)
    if (std::isnan(real(o))) return o | 0x400000;
  return 0xffc00000;
}

struct Shape {
  int v, w, h;
};
constexpr Shape shapes[] = {{8, 8, 1}, {0, 1, 0}, {1, 1, 0}, {4, 4, 1}, {16, 8, 2}, {1, 4, 1}, {0, 4, 1}, {2, 2, 2}, {2, 4, 0}};
// Regions that an instruction of three sources can have: <v;h>, its width being v/h, and for the last source <h>.
constexpr Shape shapes_of_three[] = {{8, 8, 1}, {0, 1, 0}, {1, 1, 0}, {4, 4, 1}, {8, 4, 2}, {4, 2, 2}, {8, 2, 4}, {4, 1, 4}};
int place(const Shape& s, int l) { return l / s.w * s.v + l % s.w * s.h; }
std::string source(int reg, const Shape& s, const std::string& type, const char* modifier = "") {
  return fmt::format("{}r{}.0<{};{},{}>:{}", modifier, reg, s.v, s.w, s.h, type);
}

std::string source_of_three(int reg, const Shape& s, const std::string& type, const char* modifier = "") {
  return fmt::format("{}r{}.0<{};{}>:{}", modifier, reg, s.v, s.h, type);
}

TEST(XeLp, RegionsSizesTypesOverlapPredicates) {
  const std::string types[] = {"ud", "d", "uw", "w", "f"};
  int round = 0;
  for (int lanes : {1, 2, 4, 8, 16, 32})
    for (const Shape& shape : shapes)
      for (const std::string& type : types) {
        round++;
        const Shape& other = shapes[size_t(round) % std::size(shapes)];
        int stride = 1 << round % 3, form = round % 4;
        const char* predicates[] = {"", "(f0.0) ", "(~f0.0) ", "(W&f0.0) "};
        bool saturate = round % 5 == 0, negate = round % 7 < 3, absolute = round % 7 > 1 && round % 7 < 5;
        std::string modifier = std::string(negate ? "-" : "") + (absolute ? "(abs)" : "");
        const char* ops[] = {"add", "mul", "mad", "mov"};
        for (const char* name : ops) {
          std::string op = name;
          if (saturate && type != "f" && op != "add" && op != "mov" && type.back() != 'w') continue;
          bool three = op == "mad";
          Shape first = three ? shapes_of_three[size_t(round) % std::size(shapes_of_three)] : shape;
          Shape second = three ? shapes_of_three[size_t(round + 3) % std::size(shapes_of_three)] : other;
          Shape third = {round % 4 == 3 ? 4 : round % 4, 1, 0};
          int step = three ? std::min(stride, 2) : stride;
          // The destination begins inside of source 0.
          std::string text =
              fmt::format("{}{} ({}|M0) {}r11.0<{}>:{} ", predicates[form], op, lanes, saturate ? "(sat)" : "", step, type);
          text += three ? source_of_three(10, first, type, modifier.c_str()) : source(10, first, type, modifier.c_str());
          if (op != "mov") text += " " + (three ? source_of_three(40, second, type) : source(40, second, type));
          if (three) text += fmt::format(" r60.0<{}>:{}", third.v, type);
          State before = random_state(), expected = before, after = both(before, {text});
          for (int l = 0; l < lanes; l++) {
            bool flag = before.flag >> l & 1;
            if ((form == 1 || form == 3) && !flag) continue;
            if (form == 2 && flag) continue;
            int64_t a = element(before, 10, place(first, l), type), b = element(before, 40, place(second, l), type),
                    c = element(before, 60, place(third, l), type), out;
            if (type == "f") {
              if (absolute) a &= 0x7fffffff;
              if (negate) a ^= 0x80000000;
              uint32_t x = uint32_t(a), y = uint32_t(b), z = uint32_t(c), r = x;
              if (op == "add") r = with_nan(bits(real(x) + real(y)), {x, y});
              if (op == "mul") r = with_nan(bits(real(x) * real(y)), {x, y});
              if (op == "mad") r = with_nan(bits(std::fma(real(y), real(z), real(x))), {y, z, x});
              if (saturate) r = !(real(r) > 0) ? 0 : real(r) < 1 ? r : 0x3f800000;
              out = r;
            } else {
              if (absolute && a < 0) a = -a;
              if (negate) a = -a;
              __int128 r = a;
              if (op == "add") r = __int128(a) + b;
              if (op == "mul") r = __int128(a) * b;
              if (op == "mad") r = __int128(b) * c + a;
              if (saturate) {
                __int128 least = type == "d"   ? INT32_MIN
                                 : type == "w" ? INT16_MIN
                                               : 0,
                         most = type == "d"    ? INT32_MAX
                                : type == "w"  ? INT16_MAX
                                : type == "uw" ? 65535
                                               : __int128(UINT32_MAX);
                r = r < least ? least : r > most ? most : r;
              }
              out = int64_t(r);
            }
            put(expected, 11, l * step, type, out);
          }
          ASSERT_TRUE(expected.grf == after.grf && expected.flag == after.flag) << text;
        }
      }
}

// Vectors of 63 elements with gaps: code for them once lost lanes 4 to 7, 12 to 15, ...
TEST(XeLp, WideElementsApart) {
  State before = random_state(), after = both(before, {"and (32|M0) r28.1<2>:q r10.0<1;1,0>:q 0x4:uv"});
  for (int l = 0; l < 32; l++)
    for (int half = 0; half < 2; half++)
      EXPECT_EQ(element(after, 28, 2 + l * 4 + half, "ud"), half == 0 ? element(before, 10, l * 2, "ud") & 4 : 0) << l;
}

// Each nibble of a vector stands for a word of the destination: what IGC makes of offsets of dwords (0, 4, 8, 12).
TEST(XeLp, NibblesOfVectorsStandForWords) {
  State before = random_state(),
        after = both(before, {"mov (8|M0) r20.0<1>:w 0x76543210:uv", "mov (4|M0) r21.0<1>:ud 0xC080400:uv",
                              "mov (4|M0) r22.0<2>:w 0xF00E0D0C:v", "mov (2|M0) r23.0<1>:uq 0x70003:uv",
                              "mov (8|M0) r24.0<1>:f 0x76543210:uv"});
  for (int l = 0; l < 8; l++) {
    EXPECT_EQ(element(after, 20, l, "w"), l);
    EXPECT_EQ(element(after, 24, l, "ud"), int64_t(bits(float(l * 2 % 8))));
  }
  const int64_t words[] = {-4, -3, -2, 0};
  for (int l = 0; l < 4; l++) {
    EXPECT_EQ(element(after, 21, l, "ud"), l * 4);
    EXPECT_EQ(element(after, 22, l * 2, "w"), words[l]);
  }
  EXPECT_EQ(element(after, 23, 0, "ud"), 3);
  EXPECT_EQ(element(after, 23, 2, "ud"), 7);
}

// Locks that compilers make of other atomics wait so; no time passes here.
TEST(XeLp, APauseChangesNothing) {
  State before = random_state(),
        after = both(before, {"mov (1|M0) tm0.4<1>:ud 0x3E0:uw", "mov (8|M0) r20.0<1>:ud r10.0<8;8,1>:ud"});
  for (int l = 0; l < 8; l++) EXPECT_EQ(element(after, 20, l, "ud"), element(before, 10, l, "ud"));
}

// Macros give the result itself and say so by the flag.
TEST(XeLp, MathMacros) {
  State before = random_state();
  const float a[8] = {1, 3, -10, 0.5f, 7, 1e-20f, 100, 2}, b[8] = {2, 7, 4, -0.25f, 3, 1e10f, 1, 64};
  std::memcpy(&before.grf[20 * 32], a, 32), std::memcpy(&before.grf[22 * 32], b, 32);
  before.flag = 0;
  State after = both(before, {"math.invm (8|M0) (eo)f0.0 r10.mme0:f r20.nomme:f r22.nomme:f",
                              "math.rsqtm (8|M0) (eo)f0.1 r12.mme1:f r22.nomme:f"});
  for (int l = 0; l < 8; l++) {
    const float quotient = a[l] / b[l], root = float(1 / std::sqrt(double(b[l])));
    uint32_t expected[2], is[2];
    std::memcpy(&expected[0], &quotient, 4), std::memcpy(&expected[1], &root, 4);
    is[0] = uint32_t(element(after, 10, l, "ud")), is[1] = uint32_t(element(after, 12, l, "ud"));
    EXPECT_EQ(is[0], expected[0]) << l;
    if (b[l] > 0) EXPECT_EQ(is[1], expected[1]) << l;
  }
  EXPECT_EQ(after.flag, 0x00ff00ffu);
}

// Three sources of 64 bits, which the scalar model does not have.
TEST(XeLp, WideSourcesOfThree) {
  for (const std::string type : {"q", "uq"}) {
    State before = random_state();
    for (uint32_t r : {20u, 21u, 24u, 25u})
      for (uint32_t d = 0; d < 8; d += 2) {  // small numbers, some of them 0
        const uint64_t x = (r + d) % 3 ? r * 1000 + d : 0;
        std::memcpy(&before.grf[r * 32 + d * 4], &x, 8);
      }
    State after = both(
        before, {"csel (8|M0) (eq)f0.0 r10.0<1>:" + type + " r20.0<4;1>:" + type + " r22.0<4;1>:" + type + " r24.0<1>:" + type});
    for (int l = 0; l < 8; l++)
      for (int half = 0; half < 2; half++) {
        const bool zero = !element(before, 24, l * 2, "ud") && !element(before, 24, l * 2 + 1, "ud");
        EXPECT_EQ(element(after, 10, l * 2 + half, "ud"), element(before, zero ? 20 : 22, l * 2 + half, "ud")) << type << l;
      }
  }
}

TEST(XeLp, CompareAndSelect) {
  const char* conditions[] = {"eq", "ne", "gt", "ge", "lt", "le"};
  for (const std::string type : {"ud", "d", "uw", "w", "f"})
    for (int lanes : {1, 8, 16, 32})
      for (int c = 0; c < 6; c++) {
        State before = random_state();
        std::string sources = source(2, {8, 8, 1}, type) + " " + source(10, {8, 8, 1}, type);
        State after = both(before, {fmt::format("cmp ({}|M0) ({})f0.0 null<1>:{} {}", lanes, conditions[c], type, sources),
                                    fmt::format("(f0.0) sel ({}|M0) r30.0<1>:{} {}", lanes, type, sources),
                                    fmt::format("sel ({}|M0) ({})f0.0 r50.0<1>:{} {}", lanes, conditions[c], type, sources)});
        State expected = before;
        for (int l = 0; l < lanes; l++) {
          int64_t a = element(before, 2, l, type), b = element(before, 10, l, type);
          auto truth = [&](auto x, auto y) {
            switch (c) {
              case 0: return x == y;
              case 1: return x != y;
              case 2: return x > y;
              case 3: return x >= y;
              case 4: return x < y;
              default: return x <= y;
            }
          };
          bool is = type == "f" ? truth(real(uint32_t(a)), real(uint32_t(b))) : truth(a, b);
          expected.flag = (expected.flag & ~(1u << l)) | uint32_t(is) << l;
          put(expected, 30, l, type, is ? a : b);
          bool first = is || (type == "f" && c >= 2 && std::isnan(real(uint32_t(b))));
          put(expected, 50, l, type, first ? a : b);
        }
        ASSERT_EQ(expected.flag, after.flag) << type << lanes << conditions[c];
        ASSERT_TRUE(expected.grf == after.grf) << type << lanes << conditions[c];
      }
}

// Each channel counts up to a limit of its own, adds by parity, and breaks out early at a value of its own.
TEST(XeLp, NestedDivergence) {
  for (int lanes : {8, 16, 32})
    for (int form = 0; form < 2; form++) {
      State before = random_state();
      for (int l = 0; l < 32; l++) {
        put(before, 10, l, "d", int(random_word() % 12) + 1);  // limit
        put(before, 20, l, "d", int(random_word() % 15));      // break at
        put(before, 30, l, "d", 0), put(before, 40, l, "d", 0), put(before, 50, l, "d", 0);
      }
      auto with = [&](const char* text) { return fmt::format(fmt::runtime(text), lanes); };
      State after =
          both(before, {"top:", with("and ({0}|M0) r60.0<1>:d r30.0<8;8,1>:d 1:d"),
                        with("cmp ({0}|M0) (eq)f0.0 null<1>:d r60.0<8;8,1>:d 0:d"), with("(f0.0) if ({0}|M0) other end"),
                        with("add ({0}|M0) r40.0<1>:d r40.0<8;8,1>:d 1:d"),
                        with("cmp ({0}|M0) (eq)f1.0 null<1>:d r30.0<8;8,1>:d r20.0<8;8,1>:d"),
                        form ? with("(f1.0) break ({0}|M0) at_else out") : with("(f1.0) break ({0}|M0) at_else loop"),
                        "at_else:", with("else ({0}|M0) end end"), "other:", with("add ({0}|M0) r40.0<1>:d r40.0<8;8,1>:d 100:d"),
                        with("end: endif ({0}|M0) next"), "next:", with("add ({0}|M0) r30.0<1>:d r30.0<8;8,1>:d 1:d"),
                        with("cmp ({0}|M0) (lt)f0.0 null<1>:d r30.0<8;8,1>:d r10.0<8;8,1>:d"),
                        with("loop: (f0.0) while ({0}|M0) top"), "out:", with("mov ({0}|M0) r50.0<1>:d 7:d")});
      for (int l = 0; l < lanes; l++) {
        int64_t limit = element(before, 10, l, "d"), at = element(before, 20, l, "d"), n = 0, sum = 0;
        do {
          if (n % 2 == 0) {
            sum += 1;
            if (n == at) break;
          } else {
            sum += 100;
          }
          n++;
        } while (n < limit);
        EXPECT_EQ(element(after, 40, l, "d"), sum) << lanes << " channel " << l;
        EXPECT_EQ(element(after, 30, l, "d"), n);
        EXPECT_EQ(element(after, 50, l, "d"), 7);
      }
      for (int l = lanes; l < 32; l++) EXPECT_EQ(element(after, 50, l, "d"), 0);
    }
}

// The Intel Graphics Assembler's words of add (8|M0) r1.0<1>:f r2.0<8;8,1>:f r3.0<8;8,1>:f, then of the same for 16 lanes,
// compacted.
TEST(XeLp, HardwareWords) {
  auto evaluator = std::move(*eval::Evaluator::create());
  eval::Request q;
  q.isa = "dg1", q.words = {0x00030040, 0x01050aa0, 0x0a460205, 0x00460305, 0x20010040, 0x03000200};
  q.registers = {{"r2", {0x3f800000}, false}, {"r3", {0x40000000}, false}};
  q.out = {"r1"};
  for (auto engine : {wave::EngineChoice::Interpreter, wave::EngineChoice::Jit}) {
    q.engine = engine;
    auto result = evaluator->run(q);
    ASSERT_TRUE(result) << result.error().message;
    EXPECT_EQ(result->registers[0].values[0], 0x40400000u);
  }
}

TEST(XeLp, BranchesBesideInstructionsAreRefused) {
  auto evaluator = std::move(*eval::Evaluator::create());
  eval::Request q;
  q.isa = "xe-lp", q.words = {0x01030022, 0x0000c000, 0x00000014, 0x00000010};  // if (8|M0) 16 20
  auto result = evaluator->run(q);
  ASSERT_FALSE(result);
  EXPECT_NE(result.error().message.find("no instruction can stand"), std::string::npos) << result.error().message;
}

TEST(XeLp, ErrorsSayWhatIsWrong) {
  auto evaluator = std::move(*eval::Evaluator::create());
  for (const char* text :
       {"mov (8|M0) r127.0<2>:d r0.0<8;8,1>:d", "add (8|M0) r1.0<1>:f r2.0<8;8,1>:f r3.0<8;8,1>:d", "mov (3|M0) r1.0<1>:d 1:d",
        "if (8|M0) a b", "mov (8|M0) r1.0<1>:df r2.0<8;8,1>:d", "send (8|M0) r1.0<1>:d r2.0<8;8,1>:d",
        "mov (16|M24) r1.0<1>:d 1:d", "mov (8|M0) r1.0<1>:d 0x100000000:d"}) {
    eval::Request q;
    q.isa = "dg1", q.text = {text};
    EXPECT_FALSE(evaluator->run(q)) << text;
  }
}

}  // namespace
