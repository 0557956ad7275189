// Flow control: random programs of nested branches and loops, encoded as Mesa's r500_fragprog_emit.c encodes them, against a walk
// of each pixel through the same statements; subroutines, and the ends of what is allowed.
#include <gtest/gtest.h>

#include <bit>
#include <random>

#include "isa/r500/machine.h"
#include "isa/r500/text.h"

namespace Atoll::r500 {
namespace {

uint32_t bits(float x) { return std::bit_cast<uint32_t>(x); }
float number(uint32_t x) { return std::bit_cast<float>(x); }

struct Statement {
  enum Kind { Add, AddLoopRegister, If, Loop, Break, Continue } kind;
  int value = 0;  // what is added to t0.x; of If: t0.x is below it
  std::vector<Statement> body = {}, otherwise = {};
};
using Block = std::vector<Statement>;

class Generator {
public:
  explicit Generator(uint32_t seed) : engine_(seed) {}
  Block block(int depth, int loops) {
    Block b;
    for (uint32_t n = 0, count = 1 + engine_() % 3; n < count; n++) {
      uint32_t kind = engine_() % (depth < 5 ? 8 : 3);
      if (kind < 2)
        b.push_back({Statement::Add, int(engine_() % 7) + 1});
      else if (kind == 2)
        b.push_back({Statement::AddLoopRegister});
      else if (kind < 6) {
        Statement s{Statement::If, int(engine_() % 60), block(depth + 1, loops)};
        if (engine_() % 2) s.otherwise = block(depth + 1, loops);
        if (loops && engine_() % 2)
          (s.otherwise.empty() || engine_() % 2 ? s.body : s.otherwise)
              .push_back({engine_() % 2 ? Statement::Break : Statement::Continue});
        b.push_back(s);
      } else if (loops < 3) {
        b.push_back({Statement::Loop, 0, block(depth + 1, loops + 1)});
      }
    }
    return b;
  }

private:
  std::mt19937 engine_;
};

class Encoder {
public:
  std::vector<Words> program;
  void block(const Block& b) {
    for (const Statement& s : b) statement(s);
  }

private:
  struct OpenLoop {
    int branches;
    std::vector<size_t> breaks, continues;
  };
  std::vector<OpenLoop> loops_;
  int branches_ = 0;

  size_t add(const std::string& text) {
    auto words = parse(text);
    EXPECT_TRUE(words) << text << ": " << words.error().message;
    program.push_back(words.value_or(Words{}));
    return program.size() - 1;
  }
  void aim(size_t at, size_t target) { field<US_FC_ADDR::JUMP_ADDR>.set(program[at], uint32_t(target)); }
  void statement(const Statement& s) {
    switch (s.kind) {
      case Statement::Add: add(fmt::format("mad t0.r, t0.x, 1, c{}.x", s.value)); break;
      case Statement::AddLoopRegister: add("mad t1.r, t1.x, 1, c[al+100].x"); break;
      case Statement::If: {
        add(fmt::format("mad _, t0.x, 1, -c{}.x @alu_wmask @alu_result_op=lt", s.value));
        size_t begin = add("jump 0 @jump_func=15 @b_op0=incr @ignore_uncovered"), other = 0;
        branches_++;
        block(s.body);
        if (!s.otherwise.empty()) {
          field<US_FC_INST::B_OP1>.set(program[begin], 2);
          other = add("jump 0 @b_else @b_op1=decr @b_pop_cnt=1");
          aim(begin, other + 1);
          block(s.otherwise);
        }
        size_t end = add("jump 0 @jump_any @b_op0=decr @b_pop_cnt=1");
        branches_--;
        aim(end, end + 1);
        aim(other ? other : begin, end + 1);
        break;
      }
      case Statement::Loop: {
        size_t begin = add("loop 0 @ignore_uncovered");
        loops_.push_back({branches_});
        block(s.body);
        size_t end = add("endloop 0 @jump_func=255 @jump_any @ignore_uncovered");
        aim(begin, end), aim(end, begin + 1);
        for (size_t at : loops_.back().breaks) aim(at, end + 1);
        for (size_t at : loops_.back().continues) aim(at, end);
        loops_.pop_back();
        break;
      }
      case Statement::Break:
      case Statement::Continue: {
        bool breaks = s.kind == Statement::Break;
        size_t at = add(fmt::format("{} 0 @jump_func=255 @b_op1=decr @b_pop_cnt={} @ignore_uncovered",
                                    breaks ? "breakloop" : "continue", branches_ - loops_.back().branches));
        (breaks ? loops_.back().breaks : loops_.back().continues).push_back(at);
        break;
      }
    }
  }
};

constexpr int rounds = 5, first_register = 2, step = 3;
struct Pixel {
  float t0, t1;
  int loop_register = 0;
  enum Way { Next, Break, Continue };
  Way walk(const Block& b) {
    for (const Statement& s : b) {
      switch (s.kind) {
        case Statement::Add: t0 += float(s.value); break;
        case Statement::AddLoopRegister: t1 += float(100 + loop_register); break;
        case Statement::If:
          if (Way way = walk(t0 < float(s.value) ? s.body : s.otherwise); way != Next) return way;
          break;
        case Statement::Loop: {
          int outside = loop_register;
          for (int n = 0; n < rounds; n++) {
            loop_register = first_register + n * step;
            if (walk(s.body) == Break) break;
          }
          loop_register = outside;
          break;
        }
        case Statement::Break: return Break;
        case Statement::Continue: return Continue;
      }
    }
    return Next;
  }
};

class FlowTest : public testing::TestWithParam<wave::EngineChoice> {};
INSTANTIATE_TEST_SUITE_P(Engines, FlowTest, testing::Values(wave::EngineChoice::Interpreter, wave::EngineChoice::Jit),
                         [](const auto& info) { return info.param == wave::EngineChoice::Jit ? "Jit" : "Interpreter"; });

TEST_P(FlowTest, RandomProgramsGoEveryPixelsWay) {
  size_t split = 0, breaks = 0;
  for (uint32_t seed = 1; seed <= (GetParam() == wave::EngineChoice::Jit ? 40 : 600); seed++) {
    SCOPED_TRACE(seed);
    Block block = Generator(seed).block(0, 0);
    Encoder encoder;
    encoder.block(block);
    if (encoder.program.empty() || encoder.program.size() > 500) continue;
    Machine m;
    std::mt19937 random(seed);
    for (uint32_t n = 0; n < kConstants; n++) m.word(constant_cell(n, 0)) = bits(float(n));
    m.word(integer_constant_cell(0)) = rounds | first_register << 8 | step << 16;
    m.word(active_cell) = seed % 3 ? ~0u : random();
    std::vector<Pixel> pixels;
    for (uint32_t l = 0; l < tested_pixels; l++) {
      pixels.push_back({float(random() % 60), 0});
      m.t(0, 0, l) = bits(pixels[l].t0);
      if (m.word(active_cell) >> l & 1) pixels[l].walk(block);
    }
    const uint32_t active = m.word(active_cell);
    m.run(encoder.program, GetParam(), {});
    for (uint32_t l = 0; l < tested_pixels; l++) {
      ASSERT_EQ(number(m.t(0, 0, l)), pixels[l].t0) << "pixel " << l;
      ASSERT_EQ(number(m.t(1, 0, l)), pixels[l].t1) << "pixel " << l;
    }
    EXPECT_EQ(m.word(active_cell), active);
    EXPECT_EQ(m.word(loop_depth_cell), 0u);
    for (uint32_t l = 0; l < tested_pixels; l++) ASSERT_EQ(m.word(branch_cell + l * 4), 0u) << l;
    split += pixels[0].t0 != pixels[1].t0;
    for (const Words& w : encoder.program) breaks += type_of(w) == Type::Fc && field<US_FC_INST::OP>.get(w) == 5;
  }
  EXPECT_GT(split, 20u);
  EXPECT_GT(breaks, 20u);
}

std::vector<Words> program_of(std::initializer_list<const char*> lines) {
  std::vector<Words> program;
  for (const char* line : lines) {
    auto words = parse(line);
    EXPECT_TRUE(words) << line << ": " << words.error().message;
    program.push_back(words.value_or(Words{}));
  }
  return program;
}

// A subroutine is called twice; jump_func 255 always wants. The boolean constant decides the first jump.
TEST_P(FlowTest, CallsAndBooleanConstants) {
  for (uint32_t boolean : {0u, 1u}) {
    Machine m;
    m.word(boolean_constants_cell) = boolean << 7;
    m.run(program_of({"jump 2 @jump_func=0xaa @jump_any @bool_addr=7", "mad t1.r, 1, 1, 0",
                      "jump 5 @jump_func=255 @jump_any @a_op=push", "jump 5 @jump_func=255 @jump_any @a_op=push",
                      "jump 7 @jump_func=255", "mad t0.r, t0.x, 1, 1", "jump 0 @jump_func=255 @jump_any @a_op=pop"}),
          GetParam(), {});
    EXPECT_EQ(m.t(0, 0, 31), bits(2));
    EXPECT_EQ(m.t(1, 0, 31), boolean ? 0 : bits(1));
  }
}

TEST_P(FlowTest, PredicatesAndEmptyLoops) {
  Machine m;
  m.word(predicate_cell(2)) = 0xff;
  m.word(integer_constant_cell(1)) = 0;
  // Pixels 0 to 7 want; not all do: they wait until the counter is decremented.
  m.run(program_of({"(p.b) jump 2 @jump_func=0xcc @b_op0=incr", "mad t0.r, 1, 1, 0", "jump 3 @jump_any @b_op0=decr @b_pop_cnt=1",
                    "mad t1.r, 1, 1, 0", "rep 6 @int_addr=1", "mad t2.r, 1, 1, 0", "mad t3.r, 1, 1, 0"}),
        GetParam(), {});
  for (uint32_t l = 0; l < tested_pixels; l++) {
    EXPECT_EQ(m.t(0, 0, l), l < 8 ? 0 : bits(1)) << l;
    EXPECT_EQ(m.t(1, 0, l), bits(1)) << l;
    EXPECT_EQ(m.t(2, 0, l), 0u) << l;
    EXPECT_EQ(m.t(3, 0, l), bits(1)) << l;
  }
}

TEST_P(FlowTest, TooDeepIsAFault) {
  for (const char* line :
       {"jump 0 @jump_func=255 @a_op=push", "loop 0", "jump 0 @jump_func=255 @a_op=pop", "breakloop 0 @jump_func=255"}) {
    std::vector<Words> program = program_of({line});
    if (std::string_view(line) == "loop 0") program = program_of({"loop 0", "jump 0 @jump_func=255"});
    std::vector<uint32_t> code;
    for (const Words& words : program) code.insert(code.end(), words.begin(), words.end());
    Machine m;
    m.word(integer_constant_cell(0)) = 2;
    wave::Program steps(fragment_isa(), 0x1000, code);
    m.w->pc = 0x1000;
    wave::Executor executor(steps, GetParam(), *m.w);
    executor.run(*m.w);
    EXPECT_EQ(m.w->stop, wave::Stop::Fault) << line;
    EXPECT_EQ(m.w->fault.kind, wave::FaultKind::Illegal) << line;
  }
}

}  // namespace
}  // namespace Atoll::r500
