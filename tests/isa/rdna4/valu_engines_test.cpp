// Programs of random instructions of every vector format, the same bits on the interpreter and on the JIT, in every float mode.
// The tests of single instructions say what the bits must be; here only the engines are compared.
#include <gtest/gtest.h>

#include <map>
#include <optional>

#include "group_machine.h"
#include "isa/rdna4/encode.h"
#include "isa/rdna4/isa.h"
#include "isa/rdna4/table.h"
#include "single_step.h"
#include "wave/executor.h"

namespace Atoll::rdna4::test {
namespace {

constexpr uint32_t saved_exec = 40;  // SGPRs that no instruction writes

bool wanted(const Opcode& row) {
  std::string_view name = row.name;
  for (std::string_view other : {"wmma", "swmmac", "movrel", "swaprel"})  // matrices and indices go far in the register file
    if (name.find(other) != name.npos) return false;
  for (Format f : {Format::VOP1, Format::VOP2, Format::VOPC, Format::VOP3, Format::VOP3P})
    if (row.format == f) return true;
  return false;
}

// An instruction of the row with random operands, modifiers, DPP and literal, of which the encoder accepts the words.
std::optional<rdna4::Words> random_instruction(test::Words& words, const Opcode& row, CodeOptions options) {
  auto one_of = [&](uint32_t n) { return words.next() % n; };
  for (int attempt = 0; attempt < 200; attempt++) {
    bool plain = attempt % 4 == 3;  // no modifiers, only VGPRs where they are taken
    Instruction i;
    i.opcode = &row;
    i.literal = words.mixed();
    auto source = [&](Kind kind) -> uint16_t {
      if (kind == Kind::Vgpr) return uint16_t(VGPR0 + one_of(24));
      if (kind == Kind::Mask || kind == Kind::Sgpr) return uint16_t(one_of(16) * 2);
      if (kind == Kind::ImpliedVcc) return VCC_LO;
      uint32_t r = plain ? 9 : one_of(16);
      if (r == 0) return VCC_LO;
      if (r == 1) return LITERAL;
      if (r < 4) return uint16_t(INTEGER_0 + one_of(81));
      if (r < 6) return uint16_t(FLOAT_HALF + one_of(9));
      if (r < 8 || kind == Kind::ScalarSource) return uint16_t(one_of(16) * 2);
      return uint16_t(VGPR0 + one_of(24));
    };
    for (const OperandRow& operand : row.rows()) {
      bool scalar = operand.kind == Kind::Mask || operand.kind == Kind::Sgpr;
      switch (operand.slot) {
        case Slot::Dst: i.dst = uint16_t(scalar ? one_of(16) * 2 : one_of(24)); break;
        case Slot::Sdst:
          i.sdst = uint16_t(operand.kind == Kind::ImpliedVcc ? uint32_t(VCC_LO)
                            : one_of(9)                      ? one_of(16) * 2
                                                             : uint32_t(NULL_SGPR));
          break;
        case Slot::Src0: i.src[0] = source(operand.kind); break;
        case Slot::Src1: i.src[1] = source(operand.kind); break;
        case Slot::Src2: i.src[2] = source(operand.kind); break;
        default: break;
      }
      if (operand.slot == Slot::Dst && scalar) i.sdst = i.dst;
    }
    if (std::string_view(row.name).starts_with("v_cmpx")) i.sdst = EXEC_LO;
    if (row.has(Flag::Packed)) i.op_sel_hi = 7;
    if (!plain) {
      if (one_of(2)) i.neg = words.next() & row.neg, i.abs = words.next() & row.abs, i.neg_hi = words.next() & row.neg_hi;
      if (one_of(2)) i.op_sel = words.next() & row.op_sel;
      if (row.has(Flag::Packed) && one_of(2)) i.op_sel_hi = words.next() & 7;
      if (row.has(Flag::Clamp)) i.clamp = !one_of(3);
      if (row.has(Flag::Omod) && !one_of(3)) i.omod = words.next() & 3;
      if (row.has(Flag::Dpp) && i.src[0] >= VGPR0 && !one_of(8)) {
        i.dpp = one_of(2) ? Dpp::Dpp8 : Dpp::Dpp16;
        i.dpp_control = i.dpp == Dpp::Dpp8 ? words.next() & 0xffffff : one_of(2) ? one_of(256) : 0x101 + one_of(15);
        if (i.dpp == Dpp::Dpp16) i.row_mask = words.next() & 15, i.bank_mask = words.next() & 15, i.bound_control = one_of(2);
        i.fetch_inactive = one_of(2);
      }
    }
    if (auto encoded = encode(i, options)) return *encoded;
  }
  return {};
}

struct Outcome {
  std::vector<uint32_t> registers;
  uint64_t compiled = 0;
};
Outcome run(const std::vector<uint32_t>& code, wave::EngineChoice engine, bool wave64, uint32_t mode, uint64_t seed) {
  SingleStep wave(wave64);
  test::Words words(seed);
  for (uint32_t n = 0; n < 32; n++)
    for (uint32_t lane = 0; lane < wave.lanes(); lane++) wave.v(n, lane) = words.mixed();
  for (uint32_t n = 0; n < 108; n++) wave.s(n) = words.mixed();
  wave.set_exec(seed % 3 ? words.next64() | 1 : ~uint64_t(0));
  wave.set_s64(saved_exec, wave.s64(EXEC_LO));
  wave.s(M0) = words.next() % 8;
  wave.cell(mode_cell) = mode;
  wave.w->pc = 0x1000;
  wave::Program program(isa(wave64 ? 64 : 32), 0x1000, code);
  wave::Executor executor(program, engine, *wave.w);
  EXPECT_EQ(executor.error(), "");
  executor.run(*wave.w);
  executor.wait_for_compilation();
  Outcome out;
  out.registers.push_back(uint32_t(wave.w->stop));
  for (uint32_t n = 0; n < 128; n++)
    if (n != NULL_SGPR) out.registers.push_back(wave.s(n));
  for (uint32_t n = 0; n < 32; n++)
    for (uint32_t lane = 0; lane < wave.lanes(); lane++) out.registers.push_back(wave.v(n, lane));
  out.compiled = wave.w->compiled;
  return out;
}

TEST(ValuEngines, SameBits) {
  std::vector<const Opcode*> rows;
  for (const Opcode& row : opcodes())
    if (wanted(row)) rows.push_back(&row);
  ASSERT_GT(rows.size(), 700u);
  test::Words words(17);
  for (size_t n = rows.size(); n-- > 1;) std::swap(rows[n], rows[words.next() % (n + 1)]);
  constexpr size_t each = 10;
  uint64_t compiled = 0;
  size_t made = 0;
  std::map<std::string, int> never;
  int failures = 0;
  for (size_t first = 0; first < rows.size() * 3 && failures < 20; first += each) {
    bool wave64 = first / each % 2;
    CodeOptions options{.wave = wave64 ? 64u : 32u};
    std::vector<uint32_t> code;
    for (size_t n = 0; n < each; n++) {
      const Opcode& row = *rows[(first + n) % rows.size()];
      auto instruction = random_instruction(words, row, options);
      if (!instruction) {
        never[row.name]++;
        continue;
      }
      made++;
      code.insert(code.end(), instruction->dwords.begin(), instruction->dwords.begin() + instruction->count);
      if (std::string_view(row.name).starts_with("v_cmpx"))
        code.push_back(wave64 ? 0xbefe0128 : 0xbefe0028);  // s_mov exec, s[40:41]
    }
    code.push_back(0xbfb00000);  // s_endpgm
    uint32_t mode = first / each % 3 ? words.next() & 0xff : uint32_t(MODE_DEFAULT);
    Outcome interpreted = run(code, wave::EngineChoice::Interpreter, wave64, mode, first);
    Outcome jitted = run(code, wave::EngineChoice::Jit, wave64, mode, first);
    compiled += jitted.compiled;
    if (interpreted.registers == jitted.registers) continue;
    failures++;
    std::string listing;
    wave::Program program(isa(wave64 ? 64 : 32), 0x1000, code);
    for (uint64_t pc = 0x1000; program.contains(pc);) {
      auto& step = program.decoded(*program.at(pc));
      listing += program.isa().text(step) + "\n";
      pc += step.words * 4u;
    }
    uint32_t lanes = wave64 ? 64 : 32;
    for (size_t n = 0; n < interpreted.registers.size(); n++)
      if (interpreted.registers[n] != jitted.registers[n]) {
        std::string place =
            n < 128 ? fmt::format("scalar {}", n - 1) : fmt::format("v{} lane {}", (n - 128) / lanes, (n - 128) % lanes);
        ADD_FAILURE() << place << std::hex << ": interpreter " << interpreted.registers[n] << ", JIT " << jitted.registers[n]
                      << " mode " << mode << " wave" << std::dec << lanes << "\n"
                      << listing;
        break;
      }
  }
  std::string missing;
  for (auto& [name, count] : never) missing += name + " ";
  EXPECT_EQ(missing, "") << "no words found for these";
  EXPECT_GT(compiled, made / 3) << "the JIT compiled next to nothing";
  std::printf("  %zu instructions made, %lu compiled\n", made, (unsigned long)compiled);
  RecordProperty("made", int(made));
}

// A denormal that stands in the instruction is a zero where MODE flushes operands, whatever modifiers it has: compiled code must not
// decide by its sign.
TEST(ValuEngines, DenormalConstantsAreFlushed) {
  for (const char* line : {"v_cmp_le_f64_e64 s[6:7], |v[2:3]|, -|42|", "v_cmp_ge_f64_e64 s[6:7], -|42|, |v[2:3]|",
                           "v_cmp_le_f32_e64 s[6:7], |v4|, -|5|", "v_cmp_lt_f32_e64 s[6:7], -|v4|, |5|"})
    for (bool flushes : {true, false})
      for (wave::EngineChoice engine : both_engines) {
        GroupMachine m({64, 1}, {line});
        m.cell(0, mode_cell) = flushes ? 0 : 0xf0;
        for (unsigned lane = 0; lane < 64; lane++) m.v(0, 2, lane) = m.v(0, 3, lane) = m.v(0, 4, lane) = 0;
        ASSERT_EQ(m.run(engine).stop, wave::Stop::End) << line;
        const bool less = std::string_view(line).find("_lt_") != std::string_view::npos;
        EXPECT_EQ(m.s(0, 6), flushes != less ? ~0u : 0u)
            << line << (engine == wave::EngineChoice::Jit ? " compiled" : " interpreted");
      }
}

}  // namespace
}  // namespace Atoll::rdna4::test
