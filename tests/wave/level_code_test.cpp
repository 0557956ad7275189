// Compiled code holds no instruction that the host level does without, and none of a higher one: a module that has a use for each of
// them, taken apart again. CTest runs it at each level (atoll_level_test).
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <llvm-c/Disassembler.h>
#include <llvm-c/Target.h>
#include <llvm/AsmParser/Parser.h>
#include <llvm/Support/SourceMgr.h>

#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "base/host_features.h"
#include "base/host_level.h"
#include "wave/jit/code_generator.h"
#include "wave/jit/object_loader.h"

namespace Atoll::wave {
namespace {

struct Need {
  std::string feature;
  bool of_mnemonic;
  std::regex expression;
};

std::vector<Need> needs() {
  std::vector<Need> out;
  std::ifstream file(FEATURE_INSTRUCTIONS);
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("#") || line.starts_with("feature\t")) continue;
    std::istringstream parts(line);
    std::string feature, part, expression;
    std::getline(parts, feature, '\t'), std::getline(parts, part, '\t'), std::getline(parts, expression);
    out.push_back({feature, part == "mnemonic", std::regex(expression)});
  }
  return out;
}

// Counts of zeros, swapped loads and stores, shifts, masks, conversions, products: of every width, scalar and of 16 lanes.
std::string functions(std::vector<std::string>& names) {
  std::string text;
  auto add = [&](const std::string& declaration, const std::string& body) {
    if (text.find(declaration) == text.npos) text += declaration;
    names.push_back(fmt::format("f{}", names.size()));
    text += fmt::format("define void @{}(ptr %a, ptr %b) {{\n{}  ret void\n}}\n", names.back(), body);
  };
  for (const char* type : {"i16", "i32", "i64", "<8 x i32>", "<16 x i32>", "<8 x i64>"}) {
    std::string suffix = type;
    if (suffix[0] == '<')
      suffix = fmt::format("v{}{}", suffix.substr(1, suffix.find(' ') - 1), suffix.substr(suffix.find('i'), 3));
    for (const char* count : {"ctlz", "cttz"})
      for (const char* zero : {"true", "false"})
        add(fmt::format("declare {0} @llvm.{1}.{2}({0}, i1)\n", type, count, suffix),
            fmt::format("  %x = load {0}, ptr %a\n  %r = call {0} @llvm.{1}.{2}({0} %x, i1 {3})\n  store {0} %r, ptr %b\n", type,
                        count, suffix, zero));
    for (const char* one : {"bswap", "ctpop"})
      add(fmt::format("declare {0} @llvm.{1}.{2}({0})\n", type, one, suffix),
          fmt::format("  %x = load {0}, ptr %a\n  %r = call {0} @llvm.{1}.{2}({0} %x)\n  store {0} %r, ptr %b\n", type, one,
                      suffix));
    for (const char* shift : {"shl", "lshr", "ashr"})
      add("", fmt::format("  %x = load {0}, ptr %a\n  %y = load {0}, ptr %b\n  %r = {1} {0} %x, %y\n  store {0} %r, ptr %b\n",
                          type, shift));
    add("", fmt::format(
                "  %x = load {0}, ptr %a\n  %y = load {0}, ptr %b\n  %z = sub {0} %x, %y\n  %r = and {0} %x, %z\n  store {0} %r, "
                "ptr %b\n",
                type));
  }
  for (const char* lanes : {"4", "8", "16"}) {
    add(fmt::format("declare <{0} x float> @llvm.fma.v{0}f32(<{0} x float>, <{0} x float>, <{0} x float>)\n", lanes),
        fmt::format("  %x = load <{0} x float>, ptr %a\n  %y = load <{0} x float>, ptr %b\n  %r = call <{0} x float> "
                    "@llvm.fma.v{0}f32(<{0} x float> %x, <{0} x float> %y, <{0} x float> %x)\n  store <{0} x float> %r, ptr %b\n",
                    lanes));
    add("", fmt::format(
                "  %x = load <{0} x half>, ptr %a\n  %r = fpext <{0} x half> %x to <{0} x float>\n  store <{0} x float> %r, ptr "
                "%b\n",
                lanes));
    add("", fmt::format(
                "  %x = load <{0} x i32>, ptr %a\n  %c = icmp sgt <{0} x i32> %x, zeroinitializer\n  %r = select <{0} x i1> %c, "
                "<{0} x i32> %x, <{0} x i32> zeroinitializer\n  store <{0} x i32> %r, ptr %b\n",
                lanes));
  }
  return text;
}

class LevelCode : public testing::TestWithParam<Tier> {};

TEST_P(LevelCode, HoldsOnlyWhatTheLevelAsksFor) {
  LLVMInitializeX86TargetInfo(), LLVMInitializeX86Target(), LLVMInitializeX86TargetMC(), LLVMInitializeX86AsmPrinter();
  LLVMInitializeX86AsmParser(), LLVMInitializeX86Disassembler();
  const int version = host_level() == HostLevel::Avx512 ? 4 : host_level() == HostLevel::Avx2 ? 3 : 1;
  std::set<std::string> forbidden;  // (at the best level LLVM may use what the host has beyond it)
  for (auto& feature : host_features)
    if (feature.version > version || !feature.used) forbidden.insert(feature.name);
  if (version < 4) forbidden.insert("beyond");

  auto generator = CodeGenerator::create(GetParam());
  ASSERT_TRUE(generator) << generator.error().message;
  std::vector<std::string> names;
  const std::string text = functions(names);
  llvm::LLVMContext context;
  llvm::SMDiagnostic complaint;
  auto module = llvm::parseAssemblyString(text, complaint, context);
  ASSERT_TRUE(module) << complaint.getMessage().str();
  (*generator)->prepare(*module);
  CodeMemory memory;
  auto object = (*generator)->generate(*module);
  ASSERT_TRUE(object) << object.error().message;

  const std::vector<Need> table = needs();
  ASSERT_GE(table.size(), 15u);
  LLVMDisasmContextRef disassembler = LLVMCreateDisasmCPU("x86_64-pc-linux-gnu", "znver4", nullptr, 0, nullptr, nullptr);
  ASSERT_TRUE(disassembler);
  size_t instructions = 0;
  std::map<std::string, size_t> found;
  for (size_t n = 0; n < names.size(); n++) {
    auto code = load_object(*object, names[n], memory, process_symbol);
    ASSERT_TRUE(code) << code.error().message;
    const auto* at = reinterpret_cast<const uint8_t*>(code->function);
    for (bool returned = false; !returned;) {  // (the functions have one block each)
      char line[256];
      const uint64_t left = uint64_t(code->block.executed + code->block.bytes - at);
      const size_t bytes = LLVMDisasmInstruction(disassembler, const_cast<uint8_t*>(at), left, uint64_t(at), line, sizeof line);
      ASSERT_GT(bytes, 0u) << names[n];
      at += bytes;
      instructions++;
      std::string_view rest = line;
      rest.remove_prefix(std::min(rest.size(), rest.find_first_not_of('\t')));
      const std::string mnemonic(rest.substr(0, rest.find('\t'))), operands(rest.substr(std::min(rest.size(), mnemonic.size())));
      returned = mnemonic.starts_with("ret");
      for (const Need& need : table)
        if (need.of_mnemonic ? std::regex_match(mnemonic, need.expression) : std::regex_search(operands, need.expression)) {
          found[need.feature]++;
          EXPECT_FALSE(forbidden.contains(need.feature)) << need.feature << ":" << line;
        }
    }
  }
  LLVMDisasmDispose(disassembler);
  EXPECT_GT(instructions, 3 * names.size());
  // Features that a level asks for are used by it: otherwise the texts above do not reach it.
  for (const char* used : {"avx2", "fma"}) EXPECT_EQ(found[used] > 0, version >= 3) << used;
  EXPECT_EQ(found["avx512f"] > 0, version == 4);
}

INSTANTIATE_TEST_SUITE_P(Tiers, LevelCode, testing::Values(Tier::Quick, Tier::Full));

}  // namespace
}  // namespace Atoll::wave
