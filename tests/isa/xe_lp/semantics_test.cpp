// Results of instructions, on both engines, against the scalar model: at least 256 channels of each opcode with each type that it
// takes.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <map>
#include <set>

#include "../../wave/random_programs/xe_lp_programs.h"
#include "isa/xe_lp/encode.h"
#include "isa/xe_lp/isa.h"
#include "isa/xe_lp/print.h"
#include "isa/xe_lp/registers.h"
#include "registers/lookup.h"
#include "scalar_model.h"
#include "wave/executor.h"

namespace {

using namespace Atoll;
using namespace Atoll::xe_lp;
using xe_lp::test::Eu;

constexpr uint32_t mode = 0x4c0;

Eu state_of(wave::Wave& w) {
  Eu eu;
  auto copy = [&](std::vector<uint8_t>& to, uint32_t cell) { std::memcpy(to.data(), wave::bytes_of(w, cell), to.size()); };
  copy(eu.grf, grf_cell), copy(eu.a0, address_cell), copy(eu.acc, accumulator_cell), copy(eu.acc_high, accumulator_high_cell);
  copy(eu.control, control_cell), copy(eu.state, state_cell);
  for (uint32_t n = 0; n < 2; n++) eu.flags[n] = wave::word_of(w, flag_cell(n));
  eu.active = wave::word_of(w, active_cell);
  return eu;
}

struct Bench {
  std::unique_ptr<Atoll::test::Machine> machine = Atoll::test::xe_lp_machine();
  Bench() { machine->prepare(); }

  static std::vector<uint32_t> words_of(const std::vector<Instruction>& code) {
    std::vector<uint32_t> words;
    for (const Instruction& i : code) {
      auto native = encode_native(i);
      uint32_t w[4];
      std::memcpy(w, native->half, 16);
      words.insert(words.end(), w, w + 4);
    }
    Instruction end;
    end.op = Op::Send, end.function = uint8_t(Sfid::ThreadSpawner), end.lanes = 8, end.no_mask = true, end.end_of_thread = true;
    end.descriptor = 0x02000010;
    end.dst.kind = Kind::Direct, end.src[0].kind = Kind::Direct, end.src[0].file = File::Grf, end.src[0].number = 127;
    end.src[1].kind = Kind::Direct;
    uint32_t w[4];
    std::memcpy(w, encode_native(end)->half, 16);
    words.insert(words.end(), w, w + 4);
    return words;
  }
  // The state after `code` from the state that `seed` stands for.
  Eu run(const std::vector<Instruction>& code, uint64_t seed, wave::EngineChoice engine) {
    std::vector<uint32_t> words = words_of(code);
    wave::Program program(xe_lp::isa(), Atoll::test::code_base, words);
    machine->reset(32, mode, seed);
    wave::Executor executor(program, engine, machine->wave());
    executor.run(machine->wave());
    EXPECT_EQ(executor.error(), "");
    EXPECT_EQ(int(machine->wave().stop), int(wave::Stop::End));
    return state_of(machine->wave());
  }
  Eu start(uint64_t seed) {
    machine->reset(32, mode, seed);
    return state_of(machine->wave());
  }
};

std::string difference(const Eu& expected, const Eu& is) {
  std::string text;
  auto compare = [&](const char* name, const std::vector<uint8_t>& a, const std::vector<uint8_t>& b) {
    for (size_t n = 0; n < a.size() && text.size() < 400; n += 4)
      if (std::memcmp(&a[n], &b[n], 4) != 0) {
        uint32_t x, y;
        std::memcpy(&x, &a[n], 4), std::memcpy(&y, &b[n], 4);
        text += fmt::format("  {}{}.{}: {:08x} expected, is {:08x}\n", name, n / 32, n % 32, x, y);
      }
  };
  compare("r", expected.grf, is.grf), compare("a", expected.a0, is.a0), compare("acc", expected.acc, is.acc);
  compare("acc high ", expected.acc_high, is.acc_high);
  for (int n = 0; n < 2; n++)
    if (expected.flags[n] != is.flags[n])
      text += fmt::format("  f{}: {:08x} expected, is {:08x}\n", n, expected.flags[n], is.flags[n]);
  return text;
}

// The first instruction that goes wrong.
std::string blame(Bench& bench, const std::vector<Instruction>& code, uint64_t seed, wave::EngineChoice engine) {
  for (size_t count = 1; count <= code.size(); count++) {
    std::vector<Instruction> part(code.begin(), code.begin() + std::ptrdiff_t(count));
    Eu expected = bench.start(seed);
    for (const Instruction& i : part) xe_lp::test::step(expected, i);
    std::string text = difference(expected, bench.run(part, seed, engine));
    if (!text.empty()) return print(part.back()) + "\n" + text;
  }
  return "nothing alone";
}

// Values of the manual's enumerations that instructions had.
class Met {
public:
  void add(const Instruction& i) {
    note("EU_OPCODE", unsigned(i.op));
    note("ExecSize", unsigned(std::countr_zero(i.lanes))), note("ChanOff", i.channel / 4u), note("PredCtrl", i.predicate);
    note("Saturate", i.saturate), note("AccWrCtrl", i.write_accumulator), note("FlagModifier", unsigned(i.condition));
    if (i.op == Op::Math) note("MathFC", i.function);
    add_operand(i, i.dst, -1);
    for (unsigned n = 0; n < (i.op == Op::Movi ? 1 : sources_of(i)); n++) add_operand(i, i.src[n], int(n));
  }
  // The values of an enumeration that act according to the ledger, and did not come.
  std::string missing(std::string_view name, const std::set<uint32_t>& apart = {}) const {
    const registers::Family& family = registers::dg1_tables;
    const registers::Enumeration* all = registers::find_enumeration(family, name);
    std::string out;
    if (!all) return "no such enumeration";
    for (const registers::NamedValue& v : all->values) {
      std::string_view state;
      for (const auto& row : family.enumeration_states)
        if (state.empty() && &family.enumerations[row.enumeration] == all && (row.whole || row.value == v.first))
          state = row.state;
      const uint32_t value = v.first;
      if (state == "acts" && !met_.count({std::string(name), value}) && !apart.count(value)) out += fmt::format(" {}", value);
    }
    return out;
  }

private:
  std::set<std::pair<std::string, uint32_t>> met_;
  void note(const char* name, unsigned value) { met_.emplace(name, value); }
  void add_operand(const Instruction& i, const Operand& o, int n) {
    const bool ternary = has_three_sources(i), integer = o.type <= Type::Q;
    auto stride = [](unsigned s) { return s == kVxH ? 15u : s ? unsigned(std::countr_zero(s)) + 1 : 0u; };
    if (n >= 0) note("SrcMod", o.modifiers);
    if (ternary && integer) note("TernaryDataType", unsigned(o.type));
    if (o.kind == Kind::Immediate) {
      constexpr Type types[] = {Type::UV, Type::UW, Type::UD, Type::UQ, Type::V, Type::W,
                                Type::D,  Type::Q,  Type::VF, Type::HF, Type::F};
      for (unsigned t = 0; t < std::size(types); t++)
        if (o.type == types[t]) note("ImmDataType", t);
      return;
    }
    note("AddrMode", o.kind == Kind::Indirect);
    if (!ternary) note("RegDataType", unsigned(o.type));
    note("HorzStride", stride(o.horizontal));
    if (n < 0 || (ternary && n == 2)) return;
    if (!ternary) return note("VertStride", stride(o.vertical)), note("Width", unsigned(std::countr_zero(o.width)));
    note("TernaryVertStride", o.vertical ? unsigned(std::countr_zero(o.vertical)) + (o.vertical == 1 ? 1 : 0) : 0);
  }
};

TEST(XeLpSemantics, AsTheScalarModel) {
  Bench bench;
  Met met;
  Atoll::test::Random random{2026};
  xe_lp::test::InstructionMaker maker{random};
  std::map<std::pair<Op, Type>, unsigned> vectors;
  for (unsigned number = 0; number < 128; number++) {
    const Opcode* row = find_opcode(number);
    if (!row || row->format == Format::Branch || row->format == Format::Send || row->format == Format::Sync ||
        row->op == Op::Illegal || row->op == Op::Nop)
      continue;
    int wrong = 0;
    for (int round = 0; round < 48 && wrong < 3; round++) {
      std::vector<Instruction> code;
      while (code.size() < 48) {
        Instruction i;
        if (!maker.make(row->op, i) || !xe_lp::test::is_modelled(i)) continue;
        code.push_back(i);
        vectors[{i.op, i.src[0].type}] += i.lanes;
        met.add(i);
      }
      const uint64_t seed = number * 1000 + unsigned(round);
      Eu expected = bench.start(seed);
      for (const Instruction& i : code) xe_lp::test::step(expected, i);
      for (auto engine : {wave::EngineChoice::Interpreter, wave::EngineChoice::Jit}) {
        if (engine == wave::EngineChoice::Jit && round % 8) continue;
        if (std::string text = difference(expected, bench.run(code, seed, engine)); !text.empty()) {
          ADD_FAILURE() << row->name << ", engine " << int(engine) << ": " << blame(bench, code, seed, engine);
          wrong++;
        }
      }
    }
  }
  for (auto [what, count] : vectors) {
    const bool rare = what.second == Type::V || what.second == Type::UV || what.second == Type::VF;
    if (!rare) EXPECT_GE(count, 256u) << find_opcode(unsigned(what.first))->name << " of " << name_of(what.second);
  }
  for (const char* name : {"ExecSize", "ChanOff", "PredCtrl", "Saturate", "AccWrCtrl", "FlagModifier", "SrcMod", "AddrMode",
                           "HorzStride", "VertStride", "Width", "TernaryVertStride", "RegDataType", "ImmDataType"})
    EXPECT_EQ(met.missing(name), "") << name;
  // Three sources of 64 bits, the macros and the approximations have tests of their own (engines_test.cpp, below).
  EXPECT_EQ(met.missing("TernaryDataType", {uint32_t(Type::UQ), uint32_t(Type::Q)}), "");
  std::set<uint32_t> without_model;  // branches, messages, waits: tests of their own
  for (uint32_t number = 0; number < 128; number++)
    if (const Opcode* row = find_opcode(number); row && (row->format == Format::Branch || row->format == Format::Send ||
                                                         row->format == Format::Sync || row->format == Format::Nullary))
      without_model.insert(number);
  EXPECT_EQ(met.missing("EU_OPCODE", without_model), "");
  EXPECT_EQ(met.missing("MathFC", {uint32_t(MathFunction::Rsqt), uint32_t(MathFunction::Log), uint32_t(MathFunction::Exp),
                                   uint32_t(MathFunction::Sin), uint32_t(MathFunction::Cos), uint32_t(MathFunction::Invm),
                                   uint32_t(MathFunction::Rsqtm)}),
            "");
}

// The functions that are computed by approximation: within two units in the last place of what the host's doubles give, special values
// exactly (DG1 PRM volume 2b, MathFC).
TEST(XeLpSemantics, Transcendentals) {
  Bench bench;
  struct Row {
    MathFunction f;
    double (*host)(double);
  };
  const Row rows[] = {{MathFunction::Rsqt, [](double x) { return 1 / std::sqrt(x); }},
                      {MathFunction::Log, [](double x) { return std::log2(x); }},
                      {MathFunction::Exp, [](double x) { return std::exp2(x); }},
                      {MathFunction::Sin, [](double x) { return std::sin(x); }},
                      {MathFunction::Cos, [](double x) { return std::cos(x); }}};
  for (const Row& row : rows) {
    Instruction i;
    i.op = Op::Math, i.function = uint8_t(row.f), i.lanes = 16, i.no_mask = true;
    i.dst = {.kind = Kind::Direct, .file = File::Grf, .type = Type::F, .number = 20, .horizontal = 1};
    i.src[0] = {
        .kind = Kind::Direct, .file = File::Grf, .type = Type::F, .number = 10, .vertical = 8, .width = 8, .horizontal = 1};
    for (uint64_t seed = 0; seed < 64; seed++) {
      Eu before = bench.start(seed);
      for (auto engine : {wave::EngineChoice::Interpreter, wave::EngineChoice::Jit}) {
        if (engine == wave::EngineChoice::Jit && seed % 8) continue;
        Eu after = bench.run({i}, seed, engine);
        for (size_t lane = 0; lane < 16; lane++) {
          float x, y;
          std::memcpy(&x, &before.grf[320 + lane * 4], 4), std::memcpy(&y, &after.grf[640 + lane * 4], 4);
          const double exact = row.host(double(x));
          const float wanted = float(exact);
          if (std::isnan(wanted)) {
            EXPECT_TRUE(std::isnan(y)) << math_names[i.function] << " of " << x;
          } else if (std::isinf(wanted) || wanted == 0) {
            EXPECT_EQ(y, wanted) << math_names[i.function] << " of " << x;
          } else if (std::fabs(x) < 0x1p20f || row.f < MathFunction::Sin) {
            const double unit = std::fabs(double(std::nextafter(wanted, INFINITY)) - double(wanted));
            EXPECT_LE(std::fabs(double(y) - exact), 2 * std::max(unit, 0x1p-149)) << math_names[i.function] << " of " << x;
          } else if (std::fabs(x) > 0x1p60f) {  // turns are counted in two doubles: the place in the circle is lost
            EXPECT_LE(std::fabs(y), 1) << math_names[i.function] << " of " << x;
          } else {
            EXPECT_LE(std::fabs(double(y) - exact), 0x1p-20) << math_names[i.function] << " of " << x;
          }
        }
      }
    }
  }
}

}  // namespace
