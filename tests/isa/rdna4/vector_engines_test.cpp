// Programs of random vector float instructions, the same bits on the interpreter and on the JIT. What the bits must be, the tests
// of single instructions say; here only the engines are compared.
#include <gtest/gtest.h>

#include <atomic>
#include <cstring>

#include "isa/rdna4/decode.h"
#include "isa/rdna4/isa.h"
#include "isa/rdna4/table.h"
#include "single_step.h"
#include "wave/executor.h"

namespace Atoll::rdna4::test {
namespace {

bool is_vector(Format format) {
  return format == Format::VOP1 || format == Format::VOP2 || format == Format::VOP3 || format == Format::VOP3P;
}
// Vector instructions on floats that stay in their lanes.
bool wanted(const Opcode& row) {
  std::string_view name = row.name;
  if (!is_vector(row.format) || name.find("_f") == name.npos) return false;
  for (std::string_view other :
       {"cvt", "dot", "wmma", "swmmac", "interp", "permlane", "lane", "cmp", "bf16", "dual", "norm", "pack", "_fi"})
    if (name.find(other) != name.npos) return false;
  return find_semantics(name) != nullptr;
}

std::vector<uint32_t> random_program(Words& words, const std::vector<const Opcode*>& rows, size_t first, size_t count) {
  std::vector<uint32_t> code;
  for (size_t n = 0; n < count; n++) {
    const Opcode& row = *rows[(first + n) % rows.size()];
    std::string_view name = row.name;
    auto vgpr = [&] { return words.next() % 24 * 2; };
    auto source = [&]() -> uint32_t {
      uint32_t r = words.next();
      if (r % 8 == 0) return 128 + r / 8 % 81;
      if (r % 8 == 1) return 240 + r / 8 % 9;
      if (r % 8 == 2) return r / 8 % 50 * 2;
      return 256 + vgpr();
    };
    bool pseudo_scalar = name.starts_with("v_s_");
    uint32_t op = row.opcode, r = words.next(), dst = pseudo_scalar ? words.next() % 50 * 2 : vgpr();
    bool has_constant = name.find("fmaak") != name.npos || name.find("fmamk") != name.npos;
    // As many sources as the instruction has, and what else it does not allow: tried until the decoder takes it.
    for (uint32_t attempt = 0; attempt < 64; attempt++, r = words.next()) {
      uint32_t sources = 3 - attempt % 3, s1 = sources > 1 ? source() : 0, s2 = sources > 2 ? source() : 0;
      std::vector<uint32_t> one;
      switch (row.format) {
        case Format::VOP1: one = {63u << 25 | dst << 17 | op << 9 | source()}; break;
        case Format::VOP2:
          one = {op << 25 | dst << 17 | vgpr() << 9 | source()};
          if (has_constant) one.push_back(words.mixed());
          break;
        case Format::VOP3: {
          uint32_t second =
              name.starts_with("v_div_scale") ? uint32_t(VCC_LO) << 8 : (r & 7 & ((1u << sources) - 1)) << 8;  // SDST, or ABS
          one = {0x35u << 26 | op << 16 | (r >> 3 & 1) << 15 | second | dst, (r >> 4 & 7 & ((1u << sources) - 1)) << 29 |
                                                                                 (r >> 7 & 1 ? (r >> 9 & 3) << 27 : 0) |
                                                                                 s2 << 18 | s1 << 9 | source()};
          break;
        }
        default: {
          uint32_t all = (1u << sources) - 1;
          one = {0xccu << 24 | op << 16 | (r >> 3 & 1) << 15 | (sources > 2 ? (r >> 4 & 1) << 14 : 0) | (r >> 5 & all) << 11 |
                     (r & all) << 8 | dst,
                 (r >> 8 & all) << 29 | (r >> 11 & 3) << 27 | s2 << 18 | s1 << 9 | source()};
        }
      }
      auto bytes = std::span(reinterpret_cast<const uint8_t*>(one.data()), one.size() * 4);
      if (!decode(bytes) || !decode(bytes, {.wave = 64})) continue;
      code.insert(code.end(), one.begin(), one.end());
      break;
    }
  }
  code.push_back(0xbfb00000);  // s_endpgm
  return code;
}

struct Outcome {
  std::vector<uint32_t> registers;  // s0-s107, then v0-v48 of all lanes
  uint64_t compiled = 0, called = 0;
};
Outcome run(const std::vector<uint32_t>& code, wave::EngineChoice engine, bool wave64, uint32_t mode, uint64_t exec,
            uint64_t seed) {
  SingleStep wave(wave64);
  Words words(seed);
  for (uint32_t n = 0; n < 108; n++) wave.s(n) = words.mixed();
  for (uint32_t n = 0; n < 50; n++)
    for (uint32_t l = 0; l < wave.lanes(); l++)
      wave.v(n, l) = words.next() & 1 ? words.mixed() : (words.next() & 0x807fffff) | (115 + words.next() % 24) << 23;
  wave.cell(mode_cell) = mode;
  wave.set_exec(exec);
  wave.w->pc = 0x1000;
  wave::Program program(isa(wave64 ? 64 : 32), 0x1000, code);
  wave::Executor executor(program, engine, *wave.w);
  EXPECT_EQ(executor.error(), "");
  executor.run(*wave.w);
  executor.settle();
  EXPECT_EQ(wave.w->stop, wave::Stop::End) << (wave.w->fault.reason ? wave.w->fault.reason : "") << " at " << wave.w->fault.pc;
  Outcome out;
  for (uint32_t n = 0; n < 108; n++) out.registers.push_back(wave.s(n));
  for (uint32_t n = 0; n < 50; n++)
    for (uint32_t l = 0; l < wave.lanes(); l++) out.registers.push_back(wave.v(n, l));
  out.compiled = wave.w->compiled, out.called = wave.w->called;
  return out;
}

TEST(VectorEngines, SameBits) {
  std::vector<const Opcode*> rows;
  for (const Opcode& row : opcodes())
    if (wanted(row)) rows.push_back(&row);
  ASSERT_GT(rows.size(), 130u);
  Words words(77);
  for (size_t n = rows.size(); n-- > 1;) std::swap(rows[n], rows[words.next() % (n + 1)]);
  uint64_t compiled = 0, called = 0;
  constexpr size_t each = 12;
  for (size_t first = 0; first < rows.size() * 4; first += each) {
    auto code = random_program(words, rows, first, each);
    uint32_t mode = first / each % 3 == 0 ? uint32_t(MODE_DEFAULT) : words.next() & 0xff;
    bool wave64 = first / each % 2;
    uint64_t exec = first / each % 4 ? ~uint64_t(0) : words.next64();
    Outcome interpreted = run(code, wave::EngineChoice::Interpreter, wave64, mode, exec, first);
    Outcome jitted = run(code, wave::EngineChoice::Jit, wave64, mode, exec, first);
    compiled += jitted.compiled, called += jitted.called;
    if (interpreted.registers == jitted.registers) continue;
    std::string listing;
    wave::Program program(isa(wave64 ? 64 : 32), 0x1000, code);
    for (uint64_t pc = 0x1000; program.contains(pc);) {
      auto& step = program.decoded(*program.at(pc));
      listing += program.isa().text(step) + "\n";
      pc += step.words * 4u;
    }
    uint32_t lanes = wave64 ? 64 : 32, shown = 0;
    for (size_t n = 0; n < interpreted.registers.size() && shown < 3; n++)
      if (interpreted.registers[n] != jitted.registers[n]) {
        shown++;
        ADD_FAILURE() << (n < 108 ? "s" + std::to_string(n)
                                  : "v" + std::to_string((n - 108) / lanes) + " lane " + std::to_string((n - 108) % lanes))
                      << std::hex << ": interpreter " << interpreted.registers[n] << ", JIT " << jitted.registers[n] << " mode "
                      << mode << "\n"
                      << listing;
      }
    return;
  }
  std::printf("  %zu instructions, %lu compiled, %lu called\n", rows.size(), (unsigned long)compiled, (unsigned long)called);
  EXPECT_GT(compiled, called) << "the JIT compiled next to nothing";
}

}  // namespace
}  // namespace Atoll::rdna4::test
