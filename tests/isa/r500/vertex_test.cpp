// The vertex shader on both engines: against a scalar model of one vertex that reads the words on its own and keeps loops and
// calls on a stack, both engines bit for bit on random programs, and programs in the form that Mesa's r300g gives branches and
// loops.
#include <gtest/gtest.h>
#include <immintrin.h>

#include <atomic>
#include <bit>
#include <cfloat>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <random>

#include "isa/r500/vertex_isa.h"
#include "isa/r500/vertex_text.h"
#include "wave/environment.h"
#include "wave/executor.h"

namespace Atoll::r500::vs {
namespace {

uint32_t bits(float x) { return std::bit_cast<uint32_t>(x); }
float number(uint32_t x) { return std::bit_cast<float>(x); }

class NoMemory : public wave::Environment {
public:
  bool mapped(uint64_t, uint64_t, bool) const override { return false; }
  uint64_t clock() override { return 0; }
  uint64_t message(wave::Wave&, uint32_t, uint32_t) override { return 0; }
};

struct Machine {
  Machine() {
    size_t bytes = (wave::register_file_offset + register_file_bytes + 127) / 128 * 128;
    storage.reset(static_cast<uint8_t*>(std::aligned_alloc(128, bytes)));
    std::memset(storage.get(), 0, bytes);
    w = new (storage.get()) wave::Wave;
    w->lanes = kVertices;
    w->stop_flag = &stop;
    w->environment = &environment;
    word(active_cell) = ~0u;
  }
  uint32_t& word(uint32_t cell) { return wave::word_of(*w, cell); }
  void run(const VertexProgram& program, wave::EngineChoice engine) {
    w->pc = program.start();
    wave::Executor executor(program.program(), engine, *w);
    ASSERT_EQ(executor.error(), "");
    executor.run(*w);
    executor.wait_for_compilation();
    ASSERT_EQ(w->stop, wave::Stop::End) << (w->fault.reason ? w->fault.reason : "");
    ASSERT_EQ(w->compiled + w->called + w->interpreted, program.length());
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

std::vector<uint32_t> assemble(const std::vector<const char*>& lines) {
  std::vector<uint32_t> code;
  for (const char* line : lines) {
    auto words = parse(line);
    EXPECT_TRUE(words) << line << ": " << words.error().message;
    if (words) code.insert(code.end(), words->begin(), words->end());
  }
  return code;
}

// Denormals are 0 where the model computes.
struct NoDenormals {
  unsigned before = _mm_getcsr();
  NoDenormals() { _mm_setcsr(before | 0x8040); }
  ~NoDenormals() { _mm_setcsr(before); }
};
float flushed(float x) { return bits(x) & 0x7f800000 ? x : number(bits(x) & 0x80000000); }
float times(float a, float b) { return a == 0 || b == 0 ? 0 : a * b; }

// --- the scalar model
struct Vertex {
  float t[128][4], u[20][4], in[32][4], out[32][4];
  const float (*c)[4];
  int a0[4], al;
  bool p;

  static uint32_t cut(uint32_t word, int high, int low) { return uint32_t(word << (31 - high)) >> (31 - high + low); }
  int place(uint32_t word, bool relative, bool by_loop, int offset) const {
    return by_loop ? offset + al : relative ? offset + a0[cut(word, 30, 29)] : offset;
  }
  float channel(uint32_t word, int letter_at, int sign_at) const {
    uint32_t letter = cut(word, letter_at + 2, letter_at);
    float x = letter == 5 ? 1.0f : 0.0f;
    int n = place(word, word >> 4 & 1, word >> 31, int(cut(word, 12, 5)));
    static constexpr int sizes[] = {128, 32, 256, 20};
    if (letter < 4 && n >= 0 && n < sizes[word & 3]) {
      const float(*banks[])[4] = {t, in, c, u};
      x = banks[word & 3][n][letter];
    }
    if (word >> 3 & 1) x = std::fabs(x);
    return word >> sign_at & 1 ? -x : x;
  }
  static float largest_for_infinity(float x) { return std::isinf(x) ? std::copysign(FLT_MAX, x) : x; }
  static float power(float a, float b) {
    if (std::isnan(a) || std::isnan(b)) return NAN;
    if (a == 0) return b < 0 ? INFINITY : 0;
    if (b == 0) return 1;
    float r = float(std::pow(double(std::fabs(a)), double(b)));
    return a < 0 ? -r : r;
  }
  // The results of math operation `op`, the predicate as it is to be where the operation says so.
  static void math(uint32_t op, float a, float b, float c, float* r, bool& predicate) {
    float x = 0;
    auto pred = [&](bool on, float otherwise) { predicate = on, x = on ? 0 : otherwise; };
    switch (op) {
      case 1:
        r[0] = float(std::exp2(std::floor(double(a)))), r[1] = a > 128 ? 0 : a - std::floor(a),
        r[2] = float(std::exp2(double(a))), r[3] = 1;
        return;
      case 2: {
        int e = 0;
        float m = std::frexp(std::fabs(a), &e);
        r[0] = a == 0 ? -FLT_MAX : std::isfinite(a) ? float(e - 1) : std::fabs(a);
        r[1] = a == 0 || !std::isfinite(a) ? 1 : m * 2;
        r[2] = a == 0 ? -FLT_MAX : float(std::log2(double(std::fabs(a))));
        r[3] = 1;
        return;
      }
      case 3: x = float(std::exp(double(a))); break;
      case 4: {
        float e = c > 128 ? 128 : c < -128 ? -128 : c;
        r[0] = r[3] = 1, r[1] = b > 0 ? b : 0, r[2] = b > 0 ? power(a > 0 ? a : 0, e) : 0;
        return;
      }
      case 5: x = power(a, c); break;
      case 6: x = largest_for_infinity(1 / a); break;
      case 7: x = std::isinf(1 / a) ? 0 : 1 / a; break;
      case 8: x = largest_for_infinity(float(1 / std::sqrt(double(std::fabs(a))))); break;
      case 9: x = std::isinf(1 / std::sqrt(double(std::fabs(a)))) ? 0 : float(1 / std::sqrt(double(std::fabs(a)))); break;
      case 10: x = times(a, b); break;
      case 11: x = float(std::exp2(double(a))); break;
      case 12: x = a == 0 ? -FLT_MAX : float(std::log2(double(std::fabs(a)))); break;
      case 13: x = a < b ? 0 : power(a, c); break;
      case 14: x = a < b ? 0 : a > 1 ? 1 : power(a, c); break;
      case 15: x = a <= 0 ? 0 : a > 1 ? 1 : power(a, c); break;
      case 16:
      case 17: {
        double y = std::fmin(std::fmax(double(a), double(-0x1.921fb6p+1f)), double(0x1.921fb6p+1f));
        x = std::isnan(a) ? a : float(op == 16 ? std::sin(y) : std::cos(y));
        break;
      }
      case 18: x = float(std::log2(double(std::fabs(a)))); break;
      case 19: x = 1 / a; break;
      case 20: x = float(1 / std::sqrt(double(std::fabs(a)))); break;
      case 21: pred(a == 0, 1); break;
      case 22: pred(a > 0, 1); break;
      case 23: pred(a >= 0, 1); break;
      case 24: pred(a != 0, 1); break;
      case 25: pred(false, FLT_MAX); break;
      case 26: pred(a == 1, a == 0 ? 1 : a); break;
      case 27: pred(a <= 1, a - 1); break;
      case 28: pred(a == 0, a); break;
      default: break;
    }
    for (int n = 0; n < 4; n++) r[n] = x;
  }
  static float limited(bool on, float x) { return !on ? x : !(x > 0) ? 0 : x > 1 ? 1 : x; }

  void step(const uint32_t* w) {
    NoDenormals guard;
    const uint32_t op = w[0] & 63;
    const bool is_math = w[0] >> 6 & 1, macro = w[0] >> 7 & 1, dual = !is_math && !macro && w[0] >> 28 & 1;
    float s[3][4] = {}, r[4] = {}, d[4] = {};
    for (int n = 0; n < (dual ? 2 : 3); n++)
      for (int k = 0; k < 4; k++) s[n][k] = channel(w[n + 1], 13 + k * 3, 25 + k);
    const float *a = s[0], *b = s[1], *c3 = s[2];
    // 1 of the instruction itself leaves the other factor as it is, even -0.
    auto is_one = [&](int n, int k) { return cut(w[n], 15 + k * 3, 13 + k * 3) == 5 && !(w[n] >> (25 + k) & 1); };
    auto mul = [&](int k) { return is_one(1, k) ? b[k] : is_one(2, k) ? a[k] : times(a[k], b[k]); };
    bool write[4] = {true, true, true, true}, predicate = p, dual_predicate = p, nothing = false;
    auto test = [](uint32_t how, float x) { return how == 0 ? x == 0 : how == 1 ? x > 0 : how == 2 ? x >= 0 : x != 0; };
    if (is_math) {
      math(op, a[3], b[3], c3[3], r, predicate);
      nothing = op == 0;
    } else {
      volatile float product = 0, sum = 0;
      for (int k = 0; k < 4; k++) {
        product = mul(k);
        switch (macro ? (op ? 11 : 4) : op) {
          case 0: nothing = true; break;
          case 1: sum = k ? sum + product : product; break;
          case 2: r[k] = product; break;
          case 3: r[k] = a[k] + b[k]; break;
          case 4: r[k] = product + c3[k]; break;
          case 6: r[k] = a[k] - std::floor(a[k]); break;
          case 7: r[k] = flushed(a[k] >= b[k] ? a[k] : b[k]); break;
          case 8: r[k] = flushed(a[k] < b[k] ? a[k] : b[k]); break;
          case 9: r[k] = a[k] >= b[k]; break;
          case 10: r[k] = a[k] < b[k]; break;
          case 11: product = product * 2, r[k] = product + c3[k]; break;
          case 13: r[k] = std::floor(a[k]); break;
          case 14: r[k] = std::floor(a[k] + 0.5f); break;
          case 19:
          case 20:
          case 21:
          case 22: write[k] = test(op - 19, a[k]), r[k] = b[k]; break;
          case 23:
          case 24:
          case 25: r[k] = test(op - 23, a[k]) ? b[k] : c3[k]; break;
          case 26: r[k] = a[k] > b[k]; break;
          case 27: r[k] = a[k] == b[k]; break;
          case 28: r[k] = a[k] != b[k]; break;
          default: break;
        }
      }
      if (op == 1 && !macro) r[0] = r[1] = r[2] = r[3] = sum;
      if (op == 5 && !macro) r[0] = 1, r[1] = mul(1), r[2] = a[2], r[3] = b[3];
      if (op == 12 && !macro) {
        float x = c3[3] < mul(3) ? c3[3] : c3[0] >= mul(0) ? c3[0] : mul(0);
        for (float& y : r) y = x;
      }
      if (op >= 15 && op <= 18 && !macro) {
        predicate = a[3] == 0 && test(op - 15, b[3]);
        for (float& y : r) y = predicate ? 0 : a[3] + 1;
      }
    }
    uint32_t dual_op = 0;
    if (dual) {
      dual_op = cut(w[3], 24, 21) | (w[3] >> 2 & 1) << 4;
      float x = channel(w[3], 13, 25), y = channel(w[3], 16, 26);
      math(dual_op, x, y, y, d, dual_predicate);
    }
    if (w[0] >> 26 & 1 && p != bool(w[0] >> 27 & 1)) return;
    p = predicate;
    if (dual && dual_op >= 21) p = dual_predicate;
    const uint32_t type = cut(w[0], 11, 8);
    const int n = place(w[0], w[0] >> 31, w[0] >> 12 & 1, int(cut(w[0], 19, 13)));
    for (int k = 0; k < 4; k++) {
      const int from = type == 3 ? 0 : k;
      if (!(w[0] >> (20 + k) & 1) || !write[from] || nothing) continue;
      float x = limited(w[0] >> (is_math ? 25 : 24) & 1, r[from]);
      if (type == 0 && n >= 0 && n < 128) t[n][k] = x;
      if (type == 1) a0[k] = std::isnan(x) ? 0 : int(std::fmin(255, std::fmax(-256, std::floor(x))));
      if ((type == 2 || type == 3) && n >= 0 && n < 32) out[n][k] = x;
      if (type == 4 && n >= 0 && n < 20) u[n][k] = x;
      if (type == 5 && n >= 0 && n < 32) in[n][k] = x;
    }
    const uint32_t k = cut(w[3], 28, 27);
    if (dual && dual_op) u[cut(w[3], 20, 19)][k] = limited(w[0] >> 25 & 1, d[k]);
  }

  // The whole program: loops and calls that are under way on one stack.
  size_t run(std::span<const uint32_t> code, const Flow& flow) {
    struct Entry {
      const FlowOperation* of;
      uint32_t left;
      int outer;
    };
    std::vector<Entry> stack;
    size_t steps = 0;
    for (uint32_t n = flow.first;;) {
      step(code.data() + n * 4), steps++;
      uint32_t next = n + 1;
      bool jumped = false;
      while (!stack.empty() && stack.back().of->last == n && !jumped) {
        Entry& e = stack.back();
        if (e.of->kind == FlowKind::loop) {
          al += e.of->loop_step;
          if (--e.left) {
            next = e.of->resume, jumped = true;
          } else {
            al = e.outer;
            stack.pop_back();
          }
        } else {
          next = e.of->resume, jumped = true;
          stack.pop_back();
        }
      }
      if (jumped) {
        n = next;
        continue;
      }
      for (const FlowOperation& o : flow.operations) {
        if (o.kind == FlowKind::none || o.after != n || jumped || (o.kind == FlowKind::loop && o.target_or_count == 0)) continue;
        jumped = true;
        next = o.kind == FlowKind::loop ? o.resume : o.target_or_count;
        if (o.kind == FlowKind::loop) {
          stack.push_back({&o, o.target_or_count, al});
          if (!o.keeps_index) al = o.loop_start;
        }
        if (o.kind == FlowKind::call) stack.push_back({&o, 0, 0});
      }
      if (!jumped && n == flow.last) return steps;
      n = next;
    }
  }
};

struct Constants {
  float c[256][4];
};

Vertex vertex_of(Machine& m, uint32_t lane, Constants& constants) {
  Vertex v{};
  for (uint32_t k = 0; k < 4; k++) {
    for (uint32_t n = 0; n < 128; n++) v.t[n][k] = number(m.word(temporary_cell(n, k) + lane * 4));
    for (uint32_t n = 0; n < 20; n++) v.u[n][k] = number(m.word(alternate_cell(n, k) + lane * 4));
    for (uint32_t n = 0; n < 32; n++) v.in[n][k] = number(m.word(input_cell(n, k) + lane * 4));
    for (uint32_t n = 0; n < 32; n++) v.out[n][k] = number(m.word(output_cell(n, k) + lane * 4));
    for (uint32_t n = 0; n < 256; n++) constants.c[n][k] = number(m.word(constant_cell(n, k)));
    v.a0[k] = int32_t(m.word(address_cell(k) + lane * 4));
  }
  v.c = constants.c;
  v.al = int32_t(m.word(loop_index_cell));
  v.p = m.word(predicate_cell) >> lane & 1;
  return v;
}

bool same(float a, float b, float ulps) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  if (bits(a) == bits(b)) return true;
  return ulps > 0 && std::fabs(double(a) - double(b)) <= double(ulps) * std::fmax(std::fabs(double(b)) * FLT_EPSILON, 1e-44);
}
// The first register in which they differ.
std::string difference(Machine& m, uint32_t lane, const Vertex& v, float ulps) {
  std::string found;
  auto look = [&](const char* bank, uint32_t count, const float(*of)[4], uint32_t (*cell)(uint32_t, uint32_t)) {
    for (uint32_t n = 0; n < count; n++)
      for (uint32_t k = 0; k < 4; k++) {
        float is = number(m.word(cell(n, k) + lane * 4));
        if (found.empty() && !same(is, of[n][k], ulps))
          found = fmt::format("{}{}.{}: {} instead of {}", bank, n, k, is, of[n][k]);
      }
  };
  look("t", 128, v.t, temporary_cell), look("u", 20, v.u, alternate_cell);
  look("i", 32, v.in, input_cell), look("o", 32, v.out, output_cell);
  for (uint32_t k = 0; k < 4; k++)
    if (int32_t(m.word(address_cell(k) + lane * 4)) != v.a0[k]) found += fmt::format(" a0.{}", k);
  if (bool(m.word(predicate_cell) >> lane & 1) != v.p) found += " p";
  return found;
}

class Random {
public:
  explicit Random(uint32_t seed) : engine_(seed) {}
  uint32_t below(uint32_t n) { return engine_() % n; }
  uint32_t value() {
    static const uint32_t edges[] = {0,          0x80000000, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 0x7fc00000,
                                     0x7fa00001, 1,          0x80000001, 0x7f7fffff, 0x40490fdb, 0x40000000, 0xc0490fdc};
    uint32_t kind = below(4);
    if (kind == 0) return edges[below(std::size(edges))];
    if (kind == 1) return engine_();
    return bits(float(int32_t(below(2001)) - 1000) / 64.0f);
  }
  // An instruction on registers 0 to 3. Functions are those whose last bit the host's library need not give.
  Words instruction(bool functions, bool relative) {
    for (;;) {
      Words w;
      for (uint32_t& x : w) x = engine_();
      w[0] &= ~(0x7cu << 13 | 0x20);
      if (below(4)) w[0] &= ~(1u << 26);  // most without a predicate
      if (below(4)) w[0] &= ~(1u << 28);  // and without a dual operation
      for (int n = 1; n < 4; n++) w[n] &= ~(0xfcu << 5);
      if (!relative || below(3)) {
        w[0] &= ~(1u << 31 | 1u << 12);
        for (int n = 1; n < 4; n++) w[n] &= ~(1u << 31 | 1u << 4);
      }
      if (!objection(w).empty()) continue;
      Instruction i = instruction_of(w);
      auto inexact = [](Op op) {
        return op == Op::Exp || op == Op::Log || op == Op::ExpE || op == Op::Lit || op == Op::Pow || op == Op::Rsq ||
               op == Op::RsqFf || op == Op::Ex2 || op == Op::Lg2 || (op >= Op::PowB && op <= Op::Lg2Ieee) || op == Op::RsqIeee;
      };
      if (!functions && (inexact(i.op) || (i.is_dual && inexact(i.dual.op)))) continue;
      return w;
    }
  }
  // Loops one behind the other and within each other, and a jump over what follows, in the operations' random order.
  Flow flow(uint32_t count) {
    Flow flow;
    flow.last = count - 1;
    std::vector<uint32_t> places(kFlowOperations);
    std::iota(places.begin(), places.end(), 0);
    std::shuffle(places.begin(), places.end(), engine_);
    auto loops = [&](auto& self, uint32_t from, uint32_t to, int depth) -> void {  // bodies lie within [from, to)
      while (from + 3 < to && depth < 3) {
        const uint32_t after = from + below(2), last = after + 1 + below(to - after - 1);
        FlowOperation o{FlowKind::loop, after, below(4), last, after + 1, uint8_t(below(4)), int8_t(int(below(5)) - 2),
                        bool(below(2))};
        flow.operations[places.back()] = o;
        places.pop_back();
        if (last > after + 2) self(self, after + 1, last, depth + 1);
        from = last + 1;
      }
    };
    const uint32_t jump = below(count);
    loops(loops, 0, jump, 0);
    if (jump + 2 < count) {
      FlowOperation& o = flow.operations[places.back()];
      o.kind = FlowKind::jump, o.after = jump, o.target_or_count = jump + 1 + below(count - jump - 1);
    }
    return flow;
  }
  void fill(Machine& m) {
    for (uint32_t& x : std::span(&m.word(wave::register_file_offset), register_file_bytes / 4)) x = value();
    for (uint32_t cell = active_cell; cell < lanes_base; cell += 4) m.word(cell) = 0;
    m.word(active_cell) = ~0u, m.word(predicate_cell) = engine_(), m.word(loop_index_cell) = below(4);
    for (uint32_t k = 0; k < 4; k++)
      for (uint32_t l = 0; l < kVertices; l++) m.word(address_cell(k) + l * 4) = uint32_t(int32_t(below(40)) - 20);
  }

private:
  std::mt19937 engine_;
};

std::unique_ptr<VertexProgram> program_of(const std::vector<uint32_t>& code, const Flow& flow) {
  auto program = VertexProgram::make(code, flow);
  EXPECT_TRUE(program) << program.error().message;
  return program ? std::move(*program) : nullptr;
}
Flow straight(size_t instructions) {
  Flow flow;
  flow.last = uint32_t(instructions - 1);
  return flow;
}

std::string listing(const std::vector<uint32_t>& code, const Flow& flow) {
  std::string text;
  for (size_t n = 0; n < code.size(); n += 4)
    text += fmt::format("\n{:2} {}", n / 4, print({code[n], code[n + 1], code[n + 2], code[n + 3]}));
  for (const FlowOperation& o : flow.operations)
    if (o.kind != FlowKind::none)
      text +=
          fmt::format("\nflow {} behind {}: {}, last {}, resume {}", int(o.kind), o.after, o.target_or_count, o.last, o.resume);
  return text;
}

TEST(VertexShader, EveryOperationAgainstTheModel) {
  Random random(7);
  Constants constants;
  size_t seen[size_t(Op::Count)] = {};
  for (int round = 0; round < 6000; round++) {
    Words w = random.instruction(true, true);
    seen[size_t(instruction_of(w).op)]++;
    auto program = program_of({w.begin(), w.end()}, straight(1));
    ASSERT_TRUE(program);
    Machine m;
    random.fill(m);
    std::vector<Vertex> model;
    for (uint32_t lane = 0; lane < kVertices; lane++) model.push_back(vertex_of(m, lane, constants)), model.back().step(w.data());
    ASSERT_NO_FATAL_FAILURE(m.run(*program, wave::EngineChoice::Interpreter));
    for (uint32_t lane = 0; lane < kVertices; lane++)
      ASSERT_EQ(difference(m, lane, model[lane], 2), "") << print(w) << ", vertex " << lane;
  }
  for (size_t n = 0; n < size_t(Op::Count); n++) EXPECT_GT(seen[n], 10u) << op_rows[n].name;
}

// Straight programs, and programs with loops, jumps and calls: both engines and the model.
TEST(VertexShader, RandomProgramsOnBothEngines) {
  Random random(11);
  Constants constants;
  size_t with_flow = 0;
  for (int round = 0; round < 160; round++) {
    const uint32_t count = 4 + random.below(10);
    std::vector<uint32_t> code;
    for (uint32_t n = 0; n < count; n++) {
      Words w = random.instruction(false, round % 2);
      code.insert(code.end(), w.begin(), w.end());
    }
    const Flow flow = round % 4 ? random.flow(count) : straight(count);
    auto length = length_of(flow, count);
    ASSERT_TRUE(length) << length.error().message << listing(code, flow);
    Machine start;
    random.fill(start);
    Vertex probe = vertex_of(start, 0, constants);
    for (const FlowOperation& o : flow.operations) with_flow += o.kind != FlowKind::none;
    ASSERT_EQ(probe.run(code, flow), *length);
    auto program = program_of(code, flow);
    ASSERT_TRUE(program);
    std::vector<std::vector<uint32_t>> results;
    for (auto engine : {wave::EngineChoice::Interpreter, wave::EngineChoice::Jit}) {
      Machine m;
      std::memcpy(&m.word(wave::register_file_offset), &start.word(wave::register_file_offset), register_file_bytes);
      ASSERT_NO_FATAL_FAILURE(m.run(*program, engine)) << round;
      for (uint32_t lane = 0; lane < kVertices; lane += 5) {
        Vertex v = vertex_of(start, lane, constants);
        v.run(code, flow);
        ASSERT_EQ(difference(m, lane, v, 0), "")
            << "round " << round << ", engine " << int(engine) << ", vertex " << lane << listing(code, flow);
      }
      results.emplace_back(m.registers().begin(), m.registers().end());
    }
    ASSERT_EQ(results[0], results[1]) << round;
  }
  EXPECT_GT(with_flow, 120u);
}

// Calls: a subroutine behind the program's end, called twice, once from within a loop.
TEST(VertexShader, CallsAndJumps) {
  auto code = assemble({"add t0.x, t0.xyzw, c0.x", "add t0.y, t0.xyzw, c0.x", "add t0.z, t0.xyzw, c0.x", "nop",
                        "add t0.w, t0.xyzw, c0.x", "add t1.x, t1.xyzw, c0.x"});
  Flow flow;
  flow.last = 3;
  flow.operations[0] = {FlowKind::call, 0, 4, 5, 1, 0, 0, false};
  flow.operations[5] = {FlowKind::loop, 1, 3, 2, 2, 0, 0, false};
  flow.operations[9] = {FlowKind::call, 2, 4, 5, 3, 0, 0, false};
  auto program = VertexProgram::make(code, flow);
  ASSERT_TRUE(program) << program.error().message;
  for (auto engine : {wave::EngineChoice::Interpreter, wave::EngineChoice::Jit}) {
    Machine m;
    m.word(constant_cell(0, 0)) = bits(1);
    ASSERT_NO_FATAL_FAILURE(m.run(**program, engine));
    // The loop ends behind the instruction that calls: its rounds come first, and the call once they are over.
    const float expected[] = {1, 1, 3, 2};
    for (uint32_t k = 0; k < 4; k++) EXPECT_EQ(number(m.word(temporary_cell(0, k) + 12)), expected[k]) << k;
    EXPECT_EQ(number(m.word(temporary_cell(1, 0))), 2);
  }
}

TEST(VertexShader, FlowThatLeadsAstray) {
  auto code = assemble({"nop", "nop", "nop"});
  Flow flow = straight(3);
  flow.operations[0] = {FlowKind::jump, 1, 0, 0, 0, 0, 0, false};
  auto endless = VertexProgram::make(code, flow);
  ASSERT_FALSE(endless);
  EXPECT_NE(endless.error().message.find("does not end"), std::string::npos);
  flow.operations[0].target_or_count = 7;
  auto outside = VertexProgram::make(code, flow);
  ASSERT_FALSE(outside);
  EXPECT_NE(outside.error().message.find("instruction 7"), std::string::npos);
  flow = straight(4);
  EXPECT_FALSE(VertexProgram::make(code, flow));
  flow.first = 3, flow.last = 2;
  EXPECT_FALSE(VertexProgram::make(code, flow));
}

// if (i0.x != 0) { if (i0.y != 0) o0.x = 1 else o0.x = 2 } else o0.x = 3, as radeon_vert_fc.c lowers it.
TEST(VertexShader, BranchesAsMesaWritesThem) {
  auto code = assemble({"pred_ne t1.w, i0.x", "(p) push_ne t1.w, t1.___w, i0.___y", "(p) mov o0.x, c0.x", "pred_inv t1.w, t1.w",
                        "(p) mov o0.x, c0.y", "pred_pop t1.w, t1.w", "pred_inv t1.w, t1.w", "(p) mov o0.x, c0.z",
                        "pred_pop t1.w, t1.w", "mov o1.x, c0.x"});
  // The push is not predicated (DstReg.Pred is left alone for it).
  auto push = parse("push_ne t1.w, t1.___w, i0.___y");
  ASSERT_TRUE(push);
  std::copy(push->begin(), push->end(), code.begin() + 4);
  auto program = program_of(code, straight(code.size() / 4));
  ASSERT_TRUE(program);
  for (auto engine : {wave::EngineChoice::Interpreter, wave::EngineChoice::Jit}) {
    Machine m;
    for (uint32_t k = 0; k < 3; k++) m.word(constant_cell(0, k)) = bits(float(k + 1));
    for (uint32_t l = 0; l < kVertices; l++)
      m.word(input_cell(0, 0) + l * 4) = bits(l & 1 ? 5 : 0), m.word(input_cell(0, 1) + l * 4) = bits(l & 2 ? -1 : 0);
    ASSERT_NO_FATAL_FAILURE(m.run(*program, engine));
    for (uint32_t l = 0; l < kVertices; l++) {
      EXPECT_EQ(number(m.word(output_cell(0, 0) + l * 4)), l & 1 ? (l & 2 ? 1 : 2) : 3) << l;
      EXPECT_EQ(number(m.word(output_cell(1, 0) + l * 4)), 1);
    }
    if (engine == wave::EngineChoice::Jit) EXPECT_EQ(m.w->called, 0u);
  }
}

// for (;;) { if (t0.x >= i0.x) break; for (j = 0;; j++) { if (j >= 2) break; t0.y++ } t0.x++ }: two loops of 255 rounds, left by
// predicates alone.
TEST(VertexShader, LoopsAsMesaWritesThem) {
  auto code = assemble({
      "pred_eq t2.w, t0.0",              // 0: the predicate is on
      "nop",                             // 1: BGNLOOP
      "(p) sge t1.x, t0.x, i0.x",        // 2
      "push_ne t2.w, t2.___w, t1.___x",  // 3: IF
      "(p) rcp t2.w, t0.0",              // 4: BRK of the outer loop
      "pred_pop t2.w, t2.w",             // 5: ENDIF
      "(p) mov t3.x, t0.0",              // 6: j = 0
      "add t4.w, t2.___w, t0.0",         // 7: the inner loop's own counter
      "nop",                             // 8: BGNLOOP
      "(p) sge t1.x, t3.x, c0.y",        // 9
      "push_ne t4.w, t4.___w, t1.___x",  // 10: IF
      "(p) pred_clr t4.w",               // 11: BRK
      "pred_pop t4.w, t4.w",             // 12: ENDIF
      "(p) add t0.y, t0.y, c0.x",        // 13
      "(p) add t3.x, t3.x, c0.x",        // 14
      "pred_restore t4.w, t2.w",         // 15: in front of ENDLOOP
      "nop",                             // 16: ENDLOOP
      "(p) add t0.x, t0.x, c0.x",        // 17
      "nop",                             // 18: ENDLOOP
      "mov o0.xy, t0.xyzw",              // 19
  });
  Flow flow = straight(20);
  // As ENDLOOP emits them: the inner one first. The restore is inside of the loop, behind which it would be needed.
  flow.operations[0] = {FlowKind::loop, 8, 255, 14, 9, 0, 1, false};
  flow.operations[1] = {FlowKind::loop, 1, 255, 17, 2, 0, 1, false};
  auto program = program_of(code, flow);
  ASSERT_TRUE(program);
  EXPECT_GT(program->length(), 255u * 255 * 6);
  for (auto engine : {wave::EngineChoice::Interpreter, wave::EngineChoice::Jit}) {
    Machine m;
    m.word(constant_cell(0, 0)) = bits(1), m.word(constant_cell(0, 1)) = bits(2);
    for (uint32_t l = 0; l < kVertices; l++) m.word(input_cell(0, 0) + l * 4) = bits(float(l));
    ASSERT_NO_FATAL_FAILURE(m.run(*program, engine));
    for (uint32_t l = 0; l < kVertices; l++) {
      EXPECT_EQ(number(m.word(output_cell(0, 0) + l * 4)), float(l)) << l;
      EXPECT_EQ(number(m.word(output_cell(0, 1) + l * 4)), float(2 * l)) << l;
    }
  }
}

// Constants by a0, each vertex its own; what lies behind the 256 is 0.
TEST(VertexShader, RelativeConstants) {
  auto code = assemble({"arl a0.x, i0.x", "mov o0.xyzw, c[a0.x+10].xyzw"});
  auto program = program_of(code, straight(2));
  for (auto engine : {wave::EngineChoice::Interpreter, wave::EngineChoice::Jit}) {
    Machine m;
    for (uint32_t n = 0; n < kConstants; n++) m.word(constant_cell(n, 2)) = bits(float(n) + 0.5f);
    for (uint32_t l = 0; l < kVertices; l++) m.word(input_cell(0, 0) + l * 4) = bits(float(l) * 9.5f - 19.1f);
    ASSERT_NO_FATAL_FAILURE(m.run(*program, engine));
    for (uint32_t l = 0; l < kVertices; l++) {
      int n = 10 + int(std::fmin(255, std::floor(float(l) * 9.5f - 19.1f)));
      EXPECT_EQ(number(m.word(output_cell(0, 2) + l * 4)), n < 0 || n > 255 ? 0 : float(n) + 0.5f) << l;
    }
  }
}

}  // namespace
}  // namespace Atoll::r500::vs
