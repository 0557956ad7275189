// Code that LLVM's passes cannot translate is an error, and the process lives.
#include "wave/jit/code_generator.h"

#include <gtest/gtest.h>
#include <llvm/AsmParser/Parser.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/Support/ErrorHandling.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/TargetSelect.h>

#include "wave/jit/object_loader.h"

namespace Atoll::wave {
namespace {

constexpr const char* sum_text =
    "define i64 @f(ptr %wave, i32 %n) {\n  %r = zext i32 %n to i64\n  %s = add i64 %r, 40\n  ret i64 %s\n}\n";
// A text that the assembler refuses: a complaint that ends the process, though the passes go on.
constexpr const char* unassembled_text =
    "define i64 @f(ptr %wave, i32 %n) {\n  call void asm sideeffect \"no such instruction\", \"\"()\n  ret i64 0\n}\n";

class CodeGeneratorTest : public testing::TestWithParam<Tier> {
protected:
  static std::unique_ptr<CodeGenerator> make(const GuardedCallLimits& limits = {}) {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    llvm::InitializeNativeTargetAsmParser();
    auto made = CodeGenerator::create(GetParam(), limits);
    EXPECT_TRUE(made) << made.error().message;
    return std::move(*made);
  }
  static std::unique_ptr<llvm::Module> parse(const CodeGenerator& generator, const char* text, llvm::LLVMContext& context) {
    llvm::SMDiagnostic complaint;
    auto module = llvm::parseAssemblyString(text, complaint, context);
    EXPECT_TRUE(module) << complaint.getMessage().str();
    generator.prepare(*module);
    return module;
  }
  CodeMemory memory;
};

TEST_P(CodeGeneratorTest, CodeRuns) {
  auto generator = make();
  llvm::LLVMContext context;
  auto module = parse(*generator, sum_text, context);
  auto object = generator->generate(*module);
  ASSERT_TRUE(object) << object.error().message;
  EXPECT_FALSE(generator->broken());
  auto code = load_object(*object, "f", memory, process_symbol);
  ASSERT_TRUE(code) << code.error().message;
  EXPECT_EQ(code->function(nullptr, 2), 42u);
}

// Steps of our own that end as a pass of LLVM's might.
__attribute__((noinline, no_sanitize("undefined", "address"))) uint32_t descend(uint32_t depth) {
  volatile uint32_t frame[64];
  frame[depth % 64] = depth;
  return depth == ~0u ? 0 : descend(depth + 1) + frame[depth % 64];
}
__attribute__((no_sanitize("undefined", "address"))) void read_nothing() {
  volatile uintptr_t none = 12;
  (void)*reinterpret_cast<volatile uint32_t*>(none);
}

struct Step {
  void (*run)(llvm::Module& module);
  const char* told;
};
const Step steps[] = {
    {[](llvm::Module&) { llvm::report_fatal_error("a stand-in cannot select\nand goes on", false); }, "a stand-in cannot select"},
    {[](llvm::Module& module) { module.getContext().emitError("a stand-in complains"); }, "a stand-in complains"},
    {[](llvm::Module&) { descend(0); }, "LLVM overflows its stack of 512 KiB"},
    {[](llvm::Module&) { read_nothing(); }, "LLVM crashes (SIGSEGV at "},
};

TEST_P(CodeGeneratorTest, WhatCannotBeTranslatedIsAnError) {
  for (const Step& step : steps) {
    auto* generator = make({.stack_bytes = 512 << 10}).release();  // broken: never destroyed
    generator->first_step = step.run;
    auto* context = new llvm::LLVMContext;
    auto* module = parse(*generator, sum_text, *context).release();
    auto code = generator->generate(*module);
    ASSERT_FALSE(code) << step.told;
    EXPECT_TRUE(generator->broken());
    EXPECT_NE(code.error().message.find(step.told), std::string::npos) << code.error().message;
    EXPECT_EQ(code.error().message.find('\n'), std::string::npos);
  }
  auto next = make();
  llvm::LLVMContext context;
  auto module = parse(*next, sum_text, context);
  EXPECT_TRUE(next->generate(*module));
}

// A text that the assembler refuses.
TEST_P(CodeGeneratorTest, WhatCannotBeAssembledIsAnError) {
  auto* generator = make().release();
  auto* context = new llvm::LLVMContext;
  auto* module = parse(*generator, unassembled_text, *context).release();
  auto code = generator->generate(*module);
  ASSERT_FALSE(code);
  EXPECT_TRUE(generator->broken());
  EXPECT_FALSE(code.error().message.empty());
  EXPECT_EQ(code.error().message.find('\n'), std::string::npos);
}

TEST_P(CodeGeneratorTest, WhatTakesTooLongIsAnError) {
  auto* generator = make({.processor_seconds = 0.05}).release();
  auto* context = new llvm::LLVMContext;
  auto* module = parse(*generator, sum_text, *context).release();
  // More than a second's work for either tier.
  llvm::Function* f = module->getFunction("f");
  llvm::IRBuilder<> b(&f->getEntryBlock().front());
  llvm::Value* sum = f->getArg(1);
  for (int n = 0; n < 300000; n++) {
    llvm::Value* to = b.CreateConstGEP1_64(b.getInt32Ty(), f->getArg(0), unsigned(n));
    sum = b.CreateXor(b.CreateMul(sum, b.CreateLoad(b.getInt32Ty(), to, true)), sum);
    b.CreateStore(sum, to, true);
  }
  auto code = generator->generate(*module);
  ASSERT_FALSE(code);
  EXPECT_TRUE(generator->broken());
  EXPECT_EQ(code.error().message, "LLVM takes too long");
  auto next = make();
  llvm::LLVMContext other;
  auto small = parse(*next, sum_text, other);
  EXPECT_TRUE(next->generate(*small));
}

INSTANTIATE_TEST_SUITE_P(Tiers, CodeGeneratorTest, testing::Values(Tier::Quick, Tier::Full));

}  // namespace
}  // namespace Atoll::wave
