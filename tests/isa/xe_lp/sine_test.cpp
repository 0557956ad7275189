// Sines and cosines of angles of every size, their zeros and what is none, against the host's in double precision, on both engines; in a
// mode that rounds otherwise, too.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "eval/evaluator.h"

namespace {

using namespace Atoll;

constexpr unsigned lanes = 16, keeps_singles = 1 << 7;

std::vector<uint32_t> run(bool cosine, const std::vector<uint32_t>& angles, uint32_t control, wave::EngineChoice engine) {
  static auto evaluator = std::move(*eval::Evaluator::create());
  eval::Request q;
  q.isa = "xe-lp", q.engine = engine;
  q.text = {cosine ? "math.cos (16|M0) r30.0<1>:f r10.0<8;8,1>:f" : "math.sin (16|M0) r30.0<1>:f r10.0<8;8,1>:f"};
  for (unsigned r = 0; r < 2; r++) {
    eval::RegisterValue v{"r" + std::to_string(10 + r), {}, true};
    for (unsigned n = 0; n < 8; n++) v.values.push_back(angles[r * 8 + n]);
    q.registers.push_back(v);
  }
  q.registers.push_back({"cr0", {control}, false});
  q.out = {"r30", "r31"};
  auto result = evaluator->run(q);
  std::vector<uint32_t> found;
  if (!result) ADD_FAILURE() << result.error().message;
  for (unsigned n = 0; result && n < lanes; n++) found.push_back(uint32_t(result->registers[n / 8].values[n % 8]));
  return found;
}

int64_t place(uint32_t bits) { return bits >> 31 ? -int64_t(bits & 0x7fffffff) : int64_t(bits); }

void compare(const std::vector<uint32_t>& angles, uint32_t control, int64_t most) {
  for (bool cosine : {false, true}) {
    const auto found = run(cosine, angles, control, wave::EngineChoice::Jit);
    ASSERT_EQ(found, run(cosine, angles, control, wave::EngineChoice::Interpreter));
    for (unsigned n = 0; n < lanes; n++) {
      const double x = std::bit_cast<float>(angles[n]);
      const auto wanted = std::bit_cast<uint32_t>(float(cosine ? std::cos(x) : std::sin(x)));
      if (std::isnan(std::bit_cast<float>(wanted))) {
        EXPECT_TRUE(std::isnan(std::bit_cast<float>(found[n]))) << x;
        continue;
      }
      ASSERT_LE(std::abs(place(found[n]) - place(wanted)), most)
          << (cosine ? "cos " : "sin ") << std::hexfloat << x << " is not " << std::bit_cast<float>(found[n]);
      if (x == 0) EXPECT_EQ(found[n], wanted);  // with its sign
    }
  }
}

// Angles from 2^-30 to 2^24, as many of every size.
TEST(XeLpSine, OfAnglesOfEverySize) {
  std::mt19937 random(7);
  for (unsigned n = 0; n < 400; n++) {
    std::vector<uint32_t> angles;
    for (unsigned l = 0; l < lanes; l++) {
      const uint32_t exponent = 97 + random() % 54;
      angles.push_back((random() & 0x807fffff) | exponent << 23);
    }
    compare(angles, n % 2 ? keeps_singles : 0, 2);
    if (HasFatalFailure()) return;
  }
}

// Close to multiples of a quarter turn, where most of an angle falls away.
TEST(XeLpSine, CloseToQuarterTurns) {
  for (unsigned n = 0; n < 200; n++) {
    std::vector<uint32_t> angles;
    for (int l = 0; l < int(lanes); l++)
      angles.push_back(std::bit_cast<uint32_t>(float((n * 211 + 1) * 1.5707963267948966)) + uint32_t(l - 8));
    compare(angles, 0, 2);
    if (HasFatalFailure()) return;
  }
}

TEST(XeLpSine, OfZerosDenormalsAndWhatIsNoAngle) {
  compare({0, 0x80000000, 1, 0x80000001, 0x007fffff, 0x807fffff, 0x00800000, 0x80800000, 0x7f800000, 0xff800000, 0x7fc00000,
           0x7f800001, 0x477fffff, 0x47800000, 0xc7800000, 0x3f800000},
          keeps_singles, 1);
}

// Toward zero, up and down: as the result in more precision, rounded so.
TEST(XeLpSine, RoundsAsTheModeSays) {
  std::mt19937 random(11);
  for (uint32_t rounding = 1; rounding < 4; rounding++)
    for (unsigned n = 0; n < 40; n++) {
      std::vector<uint32_t> angles;
      for (unsigned l = 0; l < lanes; l++) angles.push_back((random() & 0x807fffff) | (110 + random() % 40) << 23);
      compare(angles, rounding << 4, 1);
      if (HasFatalFailure()) return;
    }
}

}  // namespace
