// Parser and encoder against llvm-mc-19: texts of every table row, with and without the encoding suffix, must give llvm-mc's
// bytes; and every instruction of compiled kernels must go from its words to text and back as in LLVM.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <set>
#include <string>
#include <vector>

#include "../constant_spellings.h"
#include "isa/rdna4/parse.h"
#include "isa/rdna4/print.h"
#include "llvm_oracle.h"
#include "word_generator.h"

using namespace Atoll::rdna4;
using namespace Atoll::rdna4::test;

namespace {

std::string hex(std::span<const uint8_t> bytes) {
  std::string text;
  for (uint8_t byte : bytes) text += fmt::format("{:02x}", byte);
  return text;
}

// The bytes as hex, or "! why".
std::string assembled(const std::string& line, unsigned wave) {
  auto instruction = parse(line, {wave});
  if (!instruction) return "! " + instruction.error().message;
  auto words = encode(instruction->main, {wave});
  return words ? hex(words->bytes()) : "! " + words.error().message;
}

// Without its suffix a mnemonic must pick the encoding that LLVM picks.
std::string without_suffix(const std::string& line) {
  size_t end = line.find(' ');
  std::string name = line.substr(0, end), rest = end == std::string::npos ? "" : line.substr(end);
  for (std::string_view suffix : {"_e64_dpp", "_dpp", "_e32", "_e64"})
    if (name.ends_with(suffix)) return name.substr(0, name.size() - suffix.size()) + rest;
  return line;
}

// True if the halves of a VOPD have the same VGPR as the same source.
bool shares_a_source(const std::string& line) {
  auto operands = [](std::string_view half) {
    std::vector<std::string_view> list;
    for (size_t at = half.find(' '); at != half.npos && at < half.size(); at = half.find(',', at)) {
      at = half.find_first_not_of(" ,", at);
      list.push_back(half.substr(at, half.find(',', at) - at));
    }
    return list;
  };
  size_t middle = line.find(" :: ");
  if (middle == line.npos) return false;
  auto x = operands(std::string_view(line).substr(0, middle)), y = operands(std::string_view(line).substr(middle + 4));
  for (size_t n = 1; n < std::min(x.size(), y.size()); n++)
    if (x[n] == y[n] && x[n][0] == 'v') return true;
  // V_FMAMK's last source and what the other adds to are both source 2.
  return (x.size() == 4 && x[3] == y[0]) || (y.size() == 4 && y[3] == x[0]);
}

// Lines that LLVM refuses and we take, with reasons; null if we must refuse them too.
const char* leniency(const std::string& line) {
  auto has = [&](std::string_view part) { return line.find(part) != std::string::npos; };
  if (shares_a_source(line)) return "one VGPR as a source of both halves of a VOPD, which LLVM takes from version 22 on";
  if (size_t at = line.find("0x"); has("v_fma_mix") && at != line.npos && std::stoull(line.substr(at), nullptr, 16) > 0xffff)
    return "an f32 literal of V_FMA_MIX*";
  if (has("th:0x7")) return "TH 7 of loads as a number";
  if (has("th:TH_ATOMIC_0x")) return "TH values of atomics without a name";
  if (has("buffer_") && has(" tfe")) return "TFE of buffer stores, which the disassembler knows";
  if (has("_NT_RETURN scope:SCOPE_SYS")) return "non-temporal returning atomics in system scope";
  if (has("null")) return "NULL in the place of a descriptor or a base";
  if (has("v_fmaak_f16") || has("v_fmamk_f16")) return "a 16-bit literal with bits above the 16";
  if ((has("v_dual_cndmask_b32") || has("v_div_fmas_")) && has("vcc"))
    return "VCC both implied and written, which is one scalar value";
  if ((has("v_readlane_b32") || has("v_writelane_b32")) && has(", 0x"))
    return "a literal lane number, which the disassembler knows";
  if (has("image_msaa_load") && !has("dmask:0x1") && !has("dmask:0x2") && !has("dmask:0x4") && !has("dmask:0x8"))
    return "a DMASK of none or of several channels, which the disassembler knows";
  if ((has("rev_i64 v[") || has("rev_b64 v[") || has("v_mad_co_")) && line.find("0x") != line.rfind("0x"))
    return "one literal of 32 and of 64 bits, which is one scalar value";
  if (has("_f64") && (has("neg(0x") || has("|0x"))) return "a negated literal of a 64-bit operand";
  if (has("SQ_RSRC_IMG_2D_MSAA_ARRAY")) return "the four addresses of a multisampled array";
  if (has("v_wmma_bf16_16x16x16_bf16") && has("0.15915494"))
    return "1/(2*pi) as the C of this one bf16 matrix operation, which the disassembler knows (LLVM takes it as 0x3e22 only)";
  if (has("invalid_target_")) return "export targets that do not exist";
  if (has(" op_sel:[") || has(".h") || has(".l")) return "halves that LLVM 19 has not by default";
  return nullptr;
}

// Lines that LLVM takes and we refuse.
const char* strictness(const std::string& line, const std::string& ours) {
  if (ours.ends_with("a literal and DPP together")) return "a literal and DPP together, which the manual forbids";
  auto has = [&](std::string_view part) { return line.find(part) != std::string::npos; };
  if (has("v_dot2_bf16_bf16 v0, 1e-7")) return "a float of a bf16 pair that is too small for f16";
  if (has("sext(")) return "SDWA's sext() on an integer operand";
  if (has("barrier")) return "a barrier number in a register, which LLVM encodes as another operand";
  if (has("src_execz") || has("src_vccz") || has("src_pops"))
    return "sources of earlier GPUs, which LLVM refuses only without a modifier";
  if ((has("v_wmma_") || has("v_swmmac_")) && has(" null")) return "NULL in the place of a matrix";
  if (has(" src_") || has(", src_")) return "a special source in a place for registers";
  if (has("_mip") && has("SQ_RSRC_IMG_2D_MSAA_ARRAY")) return "mip levels of a multisampled array";
  return nullptr;
}

// How many words of each row make texts, and the first of them: ATOLL_COUNT, ATOLL_SEED.
long option(const char* name, long usual) {
  const char* text = std::getenv(name);
  return text ? std::strtol(text, nullptr, 0) : usual;
}

class Assembler : public testing::TestWithParam<std::tuple<const char*, unsigned>> {};

TEST_P(Assembler, EveryRowGivesLlvmsBytes) {
  auto [cpu, wave] = GetParam();
  LlvmDisassembler llvm(cpu, wave);
  WordGenerator words(7 * wave + unsigned(cpu[6]) + uint32_t(1000 * option("ATOLL_SEED", 0)));
  const long each = option("ATOLL_COUNT", 40);
  std::set<std::string> distinct;
  for (const Opcode& row : opcodes()) {
    for (long n = 0; n < each; ++n) {
      auto result = llvm(words(row));
      if (result.bytes == 0 || result.text.find("/*") != std::string::npos || result.text.find(';') != std::string::npos)
        continue;
      distinct.insert(result.text);
      distinct.insert(without_suffix(result.text));
    }
  }
  std::vector<std::string> lines(distinct.begin(), distinct.end());
  auto expected = llvm_assemble(lines, cpu, wave);
  long same = 0, refused = 0, lenient = 0, strict = 0, wrong = 0;
  for (size_t n = 0; n < lines.size(); ++n) {
    std::string ours = assembled(lines[n], wave);
    if (ours == expected[n]) {
      ++same;
    } else if (expected[n].empty() && ours.starts_with("!")) {
      ++refused;
    } else if (expected[n].empty() && leniency(lines[n]) != nullptr) {
      ++lenient;
    } else if (ours.starts_with("!") && strictness(lines[n], ours) != nullptr) {
      ++strict;
    } else if (++wrong <= 20) {
      ADD_FAILURE() << lines[n] << "\n  LLVM: " << expected[n] << "\n  ours: " << ours;
    }
  }
  EXPECT_EQ(wrong, 0);
  EXPECT_GT(same, 20000);
  fmt::print("{} wave{}: {} of {} texts give llvm-mc's bytes, {} refused by both, {} taken by us alone, {} by LLVM alone\n", cpu,
             wave, same, lines.size(), refused, lenient, strict);
}

INSTANTIATE_TEST_SUITE_P(All, Assembler, testing::Combine(testing::Values("gfx1200", "gfx1201"), testing::Values(32u, 64u)),
                         [](auto& p) {
                           return std::string(std::get<0>(p.param)) + "_wave" + std::to_string(std::get<1>(p.param));
                         });

// Constants, hardware registers, counters and modifiers in every spelling.
TEST(Assembler, SpellingsGiveLlvmsBytes) {
  std::vector<std::string> lines = Atoll::test::with_constants({"v_mov_b32 v0, %",
                                                                "v_add_f32 v0, %, v1",
                                                                "v_add_f16 v0, %, v1",
                                                                "v_add_nc_u16 v0, %, v1",
                                                                "v_add_nc_i16 v0, v1, %",
                                                                "v_pk_add_f16 v0, %, v1",
                                                                "v_pk_add_u16 v0, %, v1",
                                                                "v_pk_fma_f16 v0, v1, v2, %",
                                                                "v_add_f64 v[0:1], %, v[2:3]",
                                                                "v_lshlrev_b64 v[0:1], 1, %",
                                                                "s_mov_b32 s0, %",
                                                                "s_mov_b64 s[0:1], %",
                                                                "s_add_f32 s0, %, s1",
                                                                "s_add_f16 s0, s1, %",
                                                                "v_fma_mix_f32 v0, v1, v2, %",
                                                                "v_dot2_f32_f16 v0, v1, v2, %",
                                                                "v_cmp_lt_f16 vcc_lo, %, v1",
                                                                "v_cmp_lt_i16 vcc_lo, %, v1",
                                                                "v_cmp_lt_u64 vcc_lo, %, v[2:3]",
                                                                "v_fmaak_f32 v0, v1, v2, %",
                                                                "v_fmaak_f16 v0, v1, v2, %",
                                                                "v_add_f32 v0, neg(%), v1",
                                                                "v_add_f32_e64 v0, |%|, v1",
                                                                "v_cvt_f32_f16 v0, %",
                                                                "v_perm_b32 v0, v1, v2, %",
                                                                "v_med3_i16 v0, v1, v2, %",
                                                                "v_ldexp_f16 v0, v1, %",
                                                                "v_dot2_bf16_bf16 v0, v1, v2, %",
                                                                "v_dot2_bf16_bf16 v0, %, v2, v3",
                                                                "v_wmma_f32_16x16x16_f16 v[0:7], v[8:11], v[12:15], %"});
  for (const std::string& line : Atoll::test::other_spellings()) lines.push_back(line);
  auto expected = llvm_assemble(lines, "gfx1200", 32);
  int same = 0;
  for (size_t n = 0; n < lines.size(); ++n) {
    std::string ours = assembled(lines[n], 32);
    if (ours.starts_with("!") ? expected[n].empty() : ours == expected[n])
      same += !expected[n].empty();
    else if (expected[n].empty() ? leniency(lines[n]) == nullptr : strictness(lines[n], ours) == nullptr)
      ADD_FAILURE() << lines[n] << "\n  LLVM: " << expected[n] << "\n  ours: " << ours;
  }
  EXPECT_GT(same, 700);
}

// Every instruction that clang makes of these sources: words to text as LLVM, text to bytes as LLVM.
class Kernels : public testing::TestWithParam<std::tuple<const char*, const char*, unsigned, const char*>> {};

TEST_P(Kernels, RoundTrip) {
  auto [source, cpu, wave, level] = GetParam();
  std::string name = std::string(source).substr(0, std::string(source).find('.'));
  std::string object = fmt::format("{}/oracle_{}_{}_{}{}.co", KERNEL_FOLDER, name, cpu, wave, level);
  run(fmt::format("sh {}/tests/oracle/compile_kernel {}/tests/kernels/{} {} {} {} {}", ATOLL_SOURCE_DIR, ATOLL_SOURCE_DIR, source,
                  object, cpu, wave, level));
  auto instructions = instructions_of(object);
  ASSERT_GT(instructions.size(), 20u) << "clang or llvm-objdump gave nothing for " << source;
  LlvmDisassembler llvm(cpu, wave);
  std::vector<std::string> lines;
  for (auto& bytes : instructions) {
    auto theirs = llvm(bytes);
    auto decoded = decode(bytes, {wave});
    ASSERT_TRUE(decoded) << theirs.text << ": " << (decoded ? "" : decoded.error().message);
    EXPECT_EQ(print(decoded->main, {wave}), theirs.text);
    EXPECT_EQ(decoded->main.bytes, bytes.size());
    auto again = encode(decoded->main, {wave});
    ASSERT_TRUE(again) << theirs.text;
    EXPECT_EQ(hex(again->bytes()), hex(bytes)) << theirs.text;
    lines.push_back(theirs.text);
  }
  auto expected = llvm_assemble(lines, cpu, wave);
  for (size_t n = 0; n < lines.size(); ++n) EXPECT_EQ(assembled(lines[n], wave), expected[n]) << lines[n];
  fmt::print("{} {} wave{} {}: {} distinct instructions\n", source, cpu, wave, level, instructions.size());
}

INSTANTIATE_TEST_SUITE_P(Compiled, Kernels,
                         testing::Combine(testing::Values("half.cl", "integers.cl", "local_memory.cl"),
                                          testing::Values("gfx1200", "gfx1201"), testing::Values(32u, 64u),
                                          testing::Values("-O0", "-O2")));
INSTANTIATE_TEST_SUITE_P(Matrix, Kernels,
                         testing::Combine(testing::Values("matrix.cpp"), testing::Values("gfx1200"), testing::Values(32u),
                                          testing::Values("-O2")));

}  // namespace
