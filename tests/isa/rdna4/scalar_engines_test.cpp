// Programs of random scalar instructions, the same bits on the interpreter and on the JIT. The tests of single instructions
// say what the bits must be; here only the engines are compared.
#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <memory>

#include "isa/rdna4/isa.h"
#include "isa/rdna4/print.h"
#include "isa/rdna4/table.h"
#include "single_step.h"
#include "wave/executor.h"

namespace Atoll::rdna4::test {
namespace {

// Instructions that leave the straight line, or ask the world outside, are not for this test.
bool straight(const Opcode& row) {
  std::string_view name = row.name;
  for (std::string_view other : {"pc_b64", "s_rfe", "s_call", "s_sendmsg", "barrier", "s_alloc", "s_sleep", "reg_", "s_setreg"})
    if (name.find(other) != name.npos) return false;
  return row.format == Format::SOP1 || row.format == Format::SOP2 || row.format == Format::SOPC || row.format == Format::SOPK;
}

std::vector<uint32_t> random_program(Words& words, const std::vector<const Opcode*>& rows, size_t first, size_t count) {
  std::vector<uint32_t> code;
  for (size_t n = 0; n < count; n++) {
    const Opcode& row = *rows[(first + n) % rows.size()];
    uint32_t literal = words.mixed();
    bool has_literal = false;
    auto source = [&]() -> uint32_t {
      uint32_t r = words.next();
      if (r % 8 == 0) return 128 + r / 8 % 81;  // integers
      if (r % 8 == 1) return 240 + r / 8 % 9;   // floats
      if (r % 16 == 2) return VCC_LO;
      if (r % 16 == 10) return EXEC_LO;
      if (r % 16 == 3 && !std::string_view(row.name).starts_with("s_movrel")) return has_literal = true, LITERAL;
      return r / 8 % 32 * 2;
    };
    auto plain = [&] { return words.next() % 32 * 2; };
    uint32_t dst = plain(), op = row.opcode, s0 = source(), s1 = source();
    if (std::string_view(row.name).starts_with("s_movrel")) s0 = plain();
    if (has_literal && s0 != LITERAL && s1 != LITERAL) has_literal = false;
    switch (row.format) {
      case Format::SOP2: code.push_back(2u << 30 | op << 23 | dst << 16 | s1 << 8 | s0); break;
      case Format::SOP1: code.push_back(381u << 23 | dst << 16 | op << 8 | s0), has_literal = s0 == LITERAL; break;
      case Format::SOPC: code.push_back(382u << 23 | op << 16 | s1 << 8 | s0); break;
      default: code.push_back(11u << 28 | op << 23 | dst << 16 | (words.next() & 0xffff)), has_literal = false; break;
    }
    if (row.format == Format::SOP2 &&
        (std::string_view(row.name) == "s_fmaak_f32" || std::string_view(row.name) == "s_fmamk_f32"))
      has_literal = true;
    if (has_literal) code.push_back(literal);
  }
  code.push_back(0xbfb00000);  // s_endpgm
  return code;
}

struct Outcome {
  std::vector<uint32_t> registers;  // s0-s105, VCC, M0, EXEC, SCC
  uint64_t compiled = 0;
};
Outcome run(const std::vector<uint32_t>& code, wave::EngineChoice engine, bool wave64, uint32_t mode, uint64_t seed) {
  SingleStep wave(wave64);
  Words words(seed);
  for (uint32_t n = 0; n < 108; n++) wave.s(n) = words.mixed();
  wave.s(M0) = words.next() % 8 * 2;
  wave.cell(mode_cell) = mode;
  wave.w->pc = 0x1000;
  wave::Program program(isa(wave64 ? 64 : 32), 0x1000, code);
  wave::Executor executor(program, engine, *wave.w);
  EXPECT_EQ(executor.error(), "");
  executor.run(*wave.w);
  executor.wait_for_compilation();
  EXPECT_EQ(wave.w->stop, wave::Stop::End) << (wave.w->fault.reason ? wave.w->fault.reason : "");
  Outcome out;
  for (uint32_t n = 0; n < 108; n++) out.registers.push_back(wave.s(n));
  for (uint32_t n : {uint32_t(M0), uint32_t(EXEC_LO), uint32_t(EXEC_HI)}) out.registers.push_back(wave.s(n));
  out.registers.push_back(wave.scc());
  out.compiled = wave.w->compiled;
  return out;
}

TEST(ScalarEngines, SameBits) {
  std::vector<const Opcode*> rows;
  for (const Opcode& row : opcodes())
    if (straight(row)) rows.push_back(&row);
  ASSERT_GT(rows.size(), 170u);
  Words words(31);
  for (size_t n = rows.size(); n-- > 1;) std::swap(rows[n], rows[words.next() % (n + 1)]);
  uint64_t compiled = 0;
  size_t each = 24;
  for (size_t first = 0; first < rows.size() * 8; first += each) {
    auto code = random_program(words, rows, first, each);
    uint32_t mode = first / each % 3 == 0 ? uint32_t(MODE_DEFAULT) : words.next() & 0xff;
    bool wave64 = first / each % 2;
    Outcome interpreted = run(code, wave::EngineChoice::Interpreter, wave64, mode, first);
    Outcome jitted = run(code, wave::EngineChoice::Jit, wave64, mode, first);
    compiled += jitted.compiled;
    if (interpreted.registers == jitted.registers) continue;
    std::string listing;
    wave::Program program(isa(wave64 ? 64 : 32), 0x1000, code);
    for (uint64_t pc = 0x1000; program.contains(pc);) {
      auto& step = program.decoded(*program.at(pc));
      listing += program.isa().text(step) + "\n";
      pc += step.words * 4u;
    }
    for (size_t n = 0; n < interpreted.registers.size(); n++)
      if (interpreted.registers[n] != jitted.registers[n])
        ADD_FAILURE() << "register " << n << std::hex << ": interpreter " << interpreted.registers[n] << ", JIT "
                      << jitted.registers[n] << " mode " << mode << "\n"
                      << listing;
    return;
  }
  EXPECT_GT(compiled, rows.size()) << "the JIT compiled next to nothing";
}

}  // namespace
}  // namespace Atoll::rdna4::test
