// What stands for the instructions that x86-64 lacks gives their results: the C library's (floor and its like, fma) and the
// compiler's (_Float16), bit by bit.
#include "wave/jit/baseline_floats.h"

#include <gtest/gtest.h>
#include <llvm/Support/TargetSelect.h>

#include <array>
#include <bit>
#include <cmath>
#include <functional>
#include <random>

#include "wave/jit/code_generator.h"

namespace Atoll::wave {
namespace {

constexpr unsigned lanes = 8;
using Words = std::array<uint32_t, lanes>;
using Make = std::function<llvm::Value*(llvm::IRBuilder<>&, llvm::Value*, llvm::Value*, llvm::Value*)>;

// Code of one operation: operands a, b, c and its result as words of lanes.
class Operation {
public:
  explicit Operation(const Make& make) {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    auto generator = CodeGenerator::create(Tier::Full);
    EXPECT_TRUE(generator) << generator.error().message;
    llvm::LLVMContext context;
    llvm::Module module("operation", context);
    (*generator)->prepare(module);
    llvm::IRBuilder<> b(context);
    auto* pointer = b.getPtrTy();
    auto* function = llvm::Function::Create(llvm::FunctionType::get(b.getVoidTy(), {pointer, pointer, pointer, pointer}, false),
                                            llvm::Function::ExternalLinkage, "f", module);
    b.SetInsertPoint(llvm::BasicBlock::Create(context, "", function));
    auto* floats = llvm::FixedVectorType::get(b.getFloatTy(), lanes);
    llvm::Value* operands[3];
    for (unsigned n = 0; n < 3; n++) operands[n] = b.CreateAlignedLoad(floats, function->getArg(n), llvm::Align(4));
    b.CreateAlignedStore(make(b, operands[0], operands[1], operands[2]), function->getArg(3), llvm::Align(4));
    b.CreateRetVoid();
    const std::vector<std::string> names{"f"};
    auto code = (*generator)->generate(module, names, memory_);
    EXPECT_TRUE(code) << code.error().message;
    function_ = reinterpret_cast<Function>(code->functions[0]);
  }
  Words operator()(const Words& a, const Words& b = {}, const Words& c = {}) const {
    Words out;
    function_(a.data(), b.data(), c.data(), out.data());
    return out;
  }

private:
  using Function = void (*)(const uint32_t*, const uint32_t*, const uint32_t*, uint32_t*);
  CodeMemory memory_;
  Function function_ = nullptr;
};

bool is_nan(uint32_t bits) { return (bits & 0x7fffffff) > 0x7f800000; }

// Of one operand: numbers from all over, and around each power of two and each half.
template <class Expected>
void compare_one(const Operation& operation, Expected expected, const char* what) {
  size_t compared = 0;
  auto compare = [&](const Words& a) {
    const Words got = operation(a);
    for (unsigned l = 0; l < lanes; l++, compared++) {
      const uint32_t due = expected(a[l]);
      ASSERT_TRUE(got[l] == due || (is_nan(a[l]) && is_nan(got[l]) && is_nan(due)))
          << what << " of " << std::hex << a[l] << ": " << got[l] << " where " << due << " is due";
    }
  };
  Words a{};
  for (uint64_t bits = 0; bits < uint64_t(1) << 32; bits += 1009 * lanes) {
    for (unsigned l = 0; l < lanes; l++) a[l] = uint32_t(bits + 1009 * l);
    compare(a);
  }
  for (int exponent = -30; exponent < 40; exponent++)
    for (int half = 0; half < 64; half++)
      for (uint32_t sign : {0u, 0x80000000u}) {
        const uint32_t at = std::bit_cast<uint32_t>(std::ldexp(1 + float(half) / 64, exponent));
        for (unsigned l = 0; l < lanes; l++) a[l] = (at + l - 4) | sign;
        compare(a);
      }
  EXPECT_GT(compared, 4'000'000u);
}

template <float (*function)(float)>
uint32_t of_library(uint32_t bits) {
  return std::bit_cast<uint32_t>(function(std::bit_cast<float>(bits)));
}

TEST(BaselineFloats, IntegralNumbers) {
  auto rounding = [](Toward toward) {
    return Operation([=](llvm::IRBuilder<>& b, llvm::Value* x, llvm::Value*, llvm::Value*) { return to_integral(b, x, toward); });
  };
  compare_one(rounding(Toward::down), of_library<std::floor>, "floor");
  compare_one(rounding(Toward::up), of_library<std::ceil>, "ceil");
  compare_one(rounding(Toward::zero), of_library<std::trunc>, "trunc");
  compare_one(rounding(Toward::nearest_even), of_library<std::nearbyint>, "roundeven");
}

TEST(BaselineFloats, Halves) {
  const Operation operation([](llvm::IRBuilder<>& b, llvm::Value* x, llvm::Value*, llvm::Value*) { return nearest_half(b, x); });
  auto half = [](uint32_t bits) -> uint32_t { return std::bit_cast<uint16_t>(_Float16(std::bit_cast<float>(bits))); };
  size_t compared = 0;
  for (uint64_t bits = 0; bits < uint64_t(1) << 32; bits += 509 * lanes) {
    Words a{};
    for (unsigned l = 0; l < lanes; l++) a[l] = uint32_t(bits + 509 * l);
    const Words got = operation(a);
    for (unsigned l = 0; l < lanes; l++, compared++) ASSERT_EQ(got[l], half(a[l])) << std::hex << a[l];
  }
  // The middle between any two halves, and its neighbours.
  for (uint32_t h = 0; h < 0x7c00; h++) {
    const auto lower = float(std::bit_cast<_Float16>(uint16_t(h))), upper = float(std::bit_cast<_Float16>(uint16_t(h + 1)));
    const float middle = h == 0x7bff ? 65520.0f : lower + (upper - lower) / 2;
    Words a{};
    for (unsigned l = 0; l < lanes; l++) a[l] = (std::bit_cast<uint32_t>(middle) + l / 2 - 1) | (l % 2 ? 0x80000000u : 0);
    const Words got = operation(a);
    for (unsigned l = 0; l < lanes; l++, compared++) ASSERT_EQ(got[l], half(a[l])) << std::hex << a[l];
  }
  EXPECT_GT(compared, 8'000'000u);
}

TEST(BaselineFloats, FusedProducts) {
  const Operation operation(
      [](llvm::IRBuilder<>& b, llvm::Value* x, llvm::Value* y, llvm::Value* z) { return fused_multiply_add(b, x, y, z); });
  std::mt19937 random(38);
  auto odd = [&]() -> uint32_t {
    constexpr uint32_t numbers[] = {0,          0x80000000, 1,          0x80000001, 0x007fffff, 0x00800000, 0x7f7fffff,
                                    0xff7fffff, 0x7f800000, 0xff800000, 0x7fc00000, 0x3f800000, 0xbf800001, 0x33800000};
    return numbers[random() % std::size(numbers)];
  };
  size_t compared = 0, twice = 0;
  for (unsigned n = 0; n < 500'000; n++) {
    Words a, b, c;
    for (unsigned l = 0; l < lanes; l++) {
      const bool near = random() % 4 != 0;  // exponents whose sum has bits of all three, and those of denormals
      auto number = [&](uint32_t exponent, uint32_t range) -> uint32_t {
        if (random() % 32 == 0) return odd();
        const uint32_t fraction = random() % 3 ? uint32_t(random()) & 0x7fffff : uint32_t(random() & 7) << (random() % 21);
        return near ? (uint32_t(random()) & 0x80000000) | (exponent + uint32_t(random()) % range) << 23 | fraction
                    : uint32_t(random());
      };
      const uint32_t base = 40 + uint32_t(random()) % 60;
      a[l] = number(base, 8), b[l] = number(base, 8);
      const int of_product = int(2 * base) - 127;
      c[l] = of_product > 30 ? number(uint32_t(of_product - 30), 60) : number(0, 40);
    }
    const Words got = operation(a, b, c);
    for (unsigned l = 0; l < lanes; l++, compared++) {
      const auto x = std::bit_cast<float>(a[l]), y = std::bit_cast<float>(b[l]), z = std::bit_cast<float>(c[l]);
      const auto due = std::bit_cast<uint32_t>(std::fma(x, y, z));
      twice += std::bit_cast<uint32_t>(float(double(x) * double(y) + double(z))) != due && !is_nan(due);
      ASSERT_TRUE(got[l] == due || (is_nan(got[l]) && is_nan(due)))
          << std::hex << a[l] << " * " << b[l] << " + " << c[l] << ": " << got[l] << " where " << due << " is due";
    }
  }
  EXPECT_GT(twice, 10u);  // cases that rounding twice has wrong
}

}  // namespace
}  // namespace Atoll::wave
