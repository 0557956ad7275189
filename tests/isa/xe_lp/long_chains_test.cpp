// Accesses to the register file that overlap one after the other over kilobytes: code for them is made, and in time. (LLVM 19 makes a
// vector of all their bytes where some are of bytes, for which it makes no code in minutes.)
#include <gtest/gtest.h>

#include "eval/evaluator.h"

namespace Atoll {
namespace {

std::vector<uint64_t> registers_after(const std::vector<std::string>& text, wave::EngineChoice engine) {
  static auto evaluator = std::move(*eval::Evaluator::create());
  eval::Request request;
  request.isa = "xe-lp", request.text = text, request.engine = engine;
  for (uint64_t r = 0; r < 64; r++) {
    eval::RegisterValue value{"r" + std::to_string(r), {}, true};
    for (uint64_t dword = 0; dword < 8; dword++) value.values.push_back((r * 8 + dword) * 0x9e3779b9 % 0xffffffff);
    request.out.push_back(value.name);
    request.registers.push_back(value);
  }
  auto result = evaluator->run(request);
  EXPECT_TRUE(result) << result.error().message;
  std::vector<uint64_t> words;
  if (result)
    for (const auto& value : result->registers) words.insert(words.end(), value.values.begin(), value.values.end());
  return words;
}

TEST(XeLpLongChains, OfOverlappingAccessesAreCompiled) {
  const std::vector<std::string> programs[] = {
      {"ror (16|M0) (lt)f1.0 r33.9<1>:b r26.16<16;16,1>:b r38.22<0;1,0>:ub",
       "(~f0.0) and (32|M0) r15.5<4>:d r12.1<8;8,1>:d r0.0<16;1,0>:uq", "rol (32|M0) r24.6<2>:d r6.0<8;8,1>:d r9.3<0;1,0>:uw",
       "rndd (16|M0) (sat)r25.14<1>:uw -r28.12<32;2,2>:hf"},
      {"mov (32|M0) r2.5<4>:ub r9.0<32;16,2>:ub", "add (32|M0) r5.0<4>:d r3.1<16;8,2>:w r8.3<0;1,0>:b",
       "mov (32|M0) r14.4<4>:w r20.6<32;8,4>:w", "xor (32|M0) r24.2<2>:q r20.0<8;4,2>:q r30.1<16;1,0>:ub"}};
  for (const auto& program : programs) {
    const auto expected = registers_after(program, wave::EngineChoice::Interpreter);
    EXPECT_EQ(expected.size(), 64u * 8);
    EXPECT_EQ(registers_after(program, wave::EngineChoice::Jit), expected) << program[0];
  }
}

}  // namespace
}  // namespace Atoll
