// Replacements of instructions that x86-64 lacks give the results of the C library (floor and its like, fma) and of the compiler
// (_Float16), bit by bit.
#include "wave/jit/baseline_floats.h"

#include <gtest/gtest.h>
#include <llvm/Support/TargetSelect.h>
#include <xmmintrin.h>

#include <array>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <random>

#include "wave/jit/code_generator.h"
#include "wave/jit/lane_calls.h"
#include "wave/jit/object_loader.h"

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
    auto object = (*generator)->generate(module);
    EXPECT_TRUE(object) << object.error().message;
    auto code = load_object(*object, "f", memory_, process_symbol);
    EXPECT_TRUE(code) << code.error().message;
    function_ = reinterpret_cast<Function>(code->function);
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

// Operations of one operand: numbers from all over, and around each power of two and each half.
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
  auto called = [](LaneCall call) {
    return Operation([=](llvm::IRBuilder<>& b, llvm::Value* x, llvm::Value*, llvm::Value*) { return call_lanes(b, call, {x}); });
  };
  compare_one(called(LaneCall::floor), of_library<std::floor>, "floor, called");
  compare_one(called(LaneCall::ceil), of_library<std::ceil>, "ceil, called");
  compare_one(called(LaneCall::trunc), of_library<std::trunc>, "trunc, called");
  compare_one(called(LaneCall::nearest_even), of_library<std::nearbyint>, "roundeven, called");
}

TEST(BaselineFloats, Halves) {
  const Operation in_line([](llvm::IRBuilder<>& b, llvm::Value* x, llvm::Value*, llvm::Value*) { return nearest_half(b, x); });
  const Operation called([](llvm::IRBuilder<>& b, llvm::Value* x, llvm::Value*, llvm::Value*) {
    return call_lanes(b, LaneCall::nearest_half, {x});
  });
  auto operation = [&](const Words& a) {
    const Words got = in_line(a), got_called = called(a);
    for (unsigned l = 0; l < lanes; l++) EXPECT_EQ(got_called[l] & 0xffff, got[l]) << std::hex << a[l] << " by a call";
    return got;
  };
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

using Change = std::function<void(llvm::IRBuilder<>&, llvm::Value*&, llvm::Value*&, llvm::Value*&)>;
Operation fused(bool flushes, bool in_line, const Change& change) {
  return Operation([=](llvm::IRBuilder<>& b, llvm::Value* x, llvm::Value* y, llvm::Value* z) {
    if (change) change(b, x, y, z);
    return fused_multiply_add(b, x, y, z, flushes, in_line);
  });
}
// Operands of a product and a sum, three to a lane.
using Triple = std::array<uint32_t, 3>;
using Triples = std::function<Triple(std::mt19937&)>;

// Against the C library, where denormals are zeros as well if `flushes`. How many of them would be wrong if they were rounded twice.
// `change`: what the code makes of its operands; those of `operands` are so already.
size_t compare_fused(bool flushes, unsigned count, const Triples& operands, const Change& change = {}) {
  const Operation operation = fused(flushes, true, change), called = fused(flushes, false, change);
  std::mt19937 random(38);
  const unsigned plain = _mm_getcsr();
  size_t twice = 0;
  for (unsigned n = 0; n < count; n++) {
    Words a, b, c;
    for (unsigned l = 0; l < lanes; l++) {
      const Triple one = operands(random);
      a[l] = one[0], b[l] = one[1], c[l] = one[2];
    }
    if (flushes) _mm_setcsr(plain | 0x8040);
    const Words got = operation(a, b, c), got_called = called(a, b, c);
    _mm_setcsr(plain);
    for (unsigned l = 0; l < lanes; l++) {
      auto number = [&](uint32_t bits) {
        return std::bit_cast<float>(flushes && !(bits & 0x7f800000) ? bits & 0x80000000 : bits);
      };
      const float x = number(a[l]), y = number(b[l]), z = number(c[l]), exact = std::fma(x, y, z);
      auto due = std::bit_cast<uint32_t>(exact);
      // (The least normal number may come of less, which is flushed or not by a further bit.)
      if (flushes && std::fabs(exact) == std::numeric_limits<float>::min()) continue;
      if (flushes && !(due & 0x7f800000)) due &= 0x80000000;
      twice += std::bit_cast<uint32_t>(float(double(x) * double(y) + double(z))) != due && !is_nan(due);
      const bool same = got[l] == due || (is_nan(got[l]) && is_nan(due));
      EXPECT_TRUE(same) << std::hex << a[l] << " * " << b[l] << " + " << c[l] << ": " << got[l] << " where " << due << " is due";
      const bool both = got_called[l] == got[l] || (is_nan(got_called[l]) && is_nan(got[l]));
      EXPECT_TRUE(both) << std::hex << a[l] << " * " << b[l] << " + " << c[l] << ": " << got_called[l] << " by a call";
      if (!same || !both) return 0;
    }
  }
  return twice;
}

TEST(BaselineFloats, FusedProducts) {
  const Triples from_all_over = [](std::mt19937& random) -> Triple {
    auto odd = [&]() -> uint32_t {
      constexpr uint32_t numbers[] = {0,          0x80000000, 1,          0x80000001, 0x007fffff, 0x00800000, 0x7f7fffff,
                                      0xff7fffff, 0x7f800000, 0xff800000, 0x7fc00000, 0x3f800000, 0xbf800001, 0x33800000};
      return numbers[random() % std::size(numbers)];
    };
    const bool near = random() % 4 != 0;  // exponents whose sum has bits of all three, and those of denormals
    auto number = [&](uint32_t exponent, uint32_t range) -> uint32_t {
      if (random() % 32 == 0) return odd();
      const uint32_t fraction = random() % 3 ? uint32_t(random()) & 0x7fffff : uint32_t(random() & 7) << (random() % 21);
      return near ? (uint32_t(random()) & 0x80000000) | (exponent + uint32_t(random()) % range) << 23 | fraction
                  : uint32_t(random());
    };
    const uint32_t base = 40 + uint32_t(random()) % 60;
    const int of_product = int(2 * base) - 127;
    return {number(base, 8), number(base, 8), of_product > 30 ? number(uint32_t(of_product - 30), 60) : number(0, 40)};
  };
  EXPECT_GT(compare_fused(false, 500'000, from_all_over), 10u);
  EXPECT_GT(compare_fused(true, 500'000, from_all_over), 10u);
}

// Sums that lie in the middle between two f32s, or so little beside it that f64 cannot tell: an addend, and a product of half its last
// place's or a little more or less. And among denormals, whose last place is always the same.
TEST(BaselineFloats, FusedProductsNearTheMiddle) {
  auto near_the_middle = [](bool denormal) {
    return [=](std::mt19937& random) -> Triple {
      const uint32_t exponent = denormal ? 0 : 60 + uint32_t(random()) % 120;
      const uint32_t z = uint32_t(random()) << 31 | exponent << 23 | (uint32_t(random()) & 0x7fffff);
      // (1 + d)(1 - d) 2^n and its like, d being a few of the last places.
      const int half = (denormal ? 1 : int(exponent)) - 127 - 24, of_x = half / 2;
      auto factor = [&](int power) {
        const float one = random() % 4 ? 1 + float(int(random() % 9) - 4) * 0x1p-23f : 1;
        return std::bit_cast<uint32_t>(std::ldexp(one, power)) | uint32_t(random()) << 31;
      };
      return {factor(of_x), factor(half - of_x), z};
    };
  };
  EXPECT_GT(compare_fused(false, 300'000, near_the_middle(false)), 1000u);
  EXPECT_GT(compare_fused(false, 300'000, near_the_middle(true)), 1000u);
  EXPECT_GT(compare_fused(true, 300'000, near_the_middle(false)), 1000u);
}

// Operands by which a sum cannot be in doubt: a factor that is a power of two, and an addend that is what the product was rounded to.
TEST(BaselineFloats, FusedProductsRoundedOnceAnyway) {
  for (const float factor : {0.5f, -2.0f, 1.0f, 0x1p-120f, 0x1p100f}) {
    const Change by_factor = [=](llvm::IRBuilder<>&, llvm::Value*&, llvm::Value*& y, llvm::Value*&) {
      y = llvm::ConstantFP::get(y->getType(), factor);
    };
    const Triples operands = [=](std::mt19937& random) -> Triple {
      auto x = uint32_t(random());
      if (random() % 8 == 0) x &= 0x807fffff;
      // Around the product's exponent, or anywhere.
      const float product = std::bit_cast<float>(x) * factor;
      const auto near = std::bit_cast<uint32_t>(std::ldexp(product, int(random() % 64) - 32));
      return {x, std::bit_cast<uint32_t>(factor),
              random() % 4 ? (near & 0xff800000) | (uint32_t(random()) & 0x7fffff) : uint32_t(random())};
    };
    compare_fused(false, 100'000, operands, by_factor);
    compare_fused(true, 100'000, operands, by_factor);
  }
  // (By another constant it can.)
  const float close = 0x1.000002p-10f;
  const Change by_close = [=](llvm::IRBuilder<>&, llvm::Value*&, llvm::Value*& y, llvm::Value*&) {
    y = llvm::ConstantFP::get(y->getType(), close);
  };
  const Triples beside_the_middle = [=](std::mt19937& random) -> Triple {
    const uint32_t exponent = 60 + uint32_t(random()) % 120;
    const float x = std::ldexp(1 - float(random() % 3) * 0x1p-23f, int(exponent) - 127 - 24 + 10);
    const uint32_t z = uint32_t(random()) << 31 | exponent << 23 | (uint32_t(random()) & 0x7fffff);
    return {std::bit_cast<uint32_t>(x), std::bit_cast<uint32_t>(close), z};
  };
  EXPECT_GT(compare_fused(false, 100'000, beside_the_middle, by_close), 1000u);
  const Change what_is_lost = [](llvm::IRBuilder<>& b, llvm::Value*& x, llvm::Value*& y, llvm::Value*& z) {
    z = b.CreateFNeg(b.CreateFMul(y, x));
  };
  for (const bool flushes : {false, true}) {
    const Triples operands = [=](std::mt19937& random) -> Triple {
      const uint32_t least = random() % 2 ? 0x30000000 : 0x1a000000;  // products of all sizes, or about the least
      auto number = [&] { return random() % 16 ? least + uint32_t(random()) % 0x14000000 : uint32_t(random()) & 0x7fffff; };
      const uint32_t x = number(), y = number();
      auto read = [&](uint32_t bits) { return std::bit_cast<float>(flushes && !(bits & 0x7f800000) ? bits & 0x80000000 : bits); };
      const auto product = std::bit_cast<uint32_t>(-(read(x) * read(y)));
      return {x, y, flushes && !(product & 0x7f800000) ? product & 0x80000000 : product};
    };
    compare_fused(flushes, 300'000, operands, what_is_lost);
  }
}

// If a sum is in doubt a function is called, with more values at hand than the host has registers: they are all kept.
TEST(BaselineFloats, FusedProductsKeepRegisters) {
  for (const bool in_line : {true, false}) {
    constexpr int values = 40;
    const Operation operation([=](llvm::IRBuilder<>& b, llvm::Value* x, llvm::Value* y, llvm::Value* z) {
      llvm::SmallVector<llvm::Value*> kept;
      auto number = [&](int n) { return llvm::ConstantFP::get(x->getType(), n); };
      for (int n = 0; n < values; n++) kept.push_back(b.CreateFAdd(y, number(n)));
      llvm::Value* all = fused_multiply_add(b, x, y, z, false, in_line);
      for (int n = 0; n < values; n++) all = b.CreateFAdd(b.CreateFMul(all, number(2)), kept[size_t(n)]);
      return all;
    });
    // y * 3 + 2^24 is in the middle between two f32s where y is 1 or 3, and is none where it is 2.
    Words x{}, y{}, z{};
    for (unsigned l = 0; l < lanes; l++) x[l] = std::bit_cast<uint32_t>(3.0f), z[l] = std::bit_cast<uint32_t>(0x1p24f);
    for (unsigned n = 0; n < 3; n++) {
      for (unsigned l = 0; l < lanes; l++) y[l] = std::bit_cast<uint32_t>(float(1 + (l + n) % 3));
      const Words got = operation(x, y, z);
      for (unsigned l = 0; l < lanes; l++) {
        const auto of_y = std::bit_cast<float>(y[l]);
        float due = std::fma(3.0f, of_y, 0x1p24f);
        for (int k = 0; k < values; k++) due = due * 2 + (of_y + float(k));
        ASSERT_EQ(got[l], std::bit_cast<uint32_t>(due)) << l;
      }
    }
  }
}

}  // namespace
}  // namespace Atoll::wave
