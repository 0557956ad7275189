// Waves stay from draw to draw: a draw sees nothing of what the one before left in them.
#include <gtest/gtest.h>

#include "isa/r500/text.h"
#include "tests/gpu/r5xx/scene.h"

namespace Atoll::r5xx::test {
namespace {

class Waves : public testing::TestWithParam<gpu::Engine> {
protected:
  Scene scene{"r580", {.engine = GetParam(), .threads = 1}};

  // Draws so often that the program has been compiled as well.
  void draw(std::initializer_list<const char*> lines, std::array<float, 4> a) {
    scene.stream.set(GA_US_VECTOR_INDEX::address(), 0);
    for (const char* line : lines) {
      auto words = r500::parse(line);
      ASSERT_TRUE(words) << line << ": " << words.error().message;
      scene.stream.burst(GA_US_VECTOR_DATA::address(), *words);
    }
    const auto last = uint32_t(lines.size() - 1);
    scene.stream.set(US_CODE_ADDR::address(), US_CODE_ADDR::END_ADDR::of(last));
    scene.stream.set(US_CODE_RANGE::address(), US_CODE_RANGE::CODE_SIZE::of(last));
    for (unsigned n = 0; n < 3; n++) {
      // (two triangles of different values: no clear in effect)
      scene.draw(VAP_VF_CNTL::PRIM_TYPE::Triangle_List, {{0, 0, 0.5f, 1, a}, {128, 0, 0.5f, 1, a}, {0, 64, 0.5f, 1, a}});
      scene.run();
    }
  }
};

// Registers that a program reads and never writes, outputs of which it writes a part, or none.
TEST_P(Waves, RegistersAreZero) {
  draw({"mad t5.rgb, t0.xyz, 1, 0 | mad t5.a, t0.w, 1, 0", "mad o0.rgb, t5.xyz, 1, 0 | mad o0.a, t5.w, 1, 0"}, {1, 1, 1, 1});
  EXPECT_EQ(scene.at(10, 10), 0xffffffffu);
  draw({"mad o0.r, t0.xyz, 1, 0"}, {1, 1, 1, 1});
  EXPECT_EQ(scene.at(10, 10), 0x000000ffu);
  draw({"mad o0.rgb, t5.xyz, 1, 0 | mad o0.a, t0.w, 1, 0"}, {1, 1, 1, 1});
  EXPECT_EQ(scene.at(10, 10), 0xff000000u);
}

// Components of a vertex's vector that no element writes.
TEST_P(Waves, VectorsAreZero) {
  const std::initializer_list<const char*> pass = {"mad o0.rgb, t0.xyz, 1, 0 | mad o0.a, t0.w, 1, 0"};
  draw(pass, {1, 1, 1, 1});
  EXPECT_EQ(scene.at(10, 10), 0xffffffffu);
  scene.stream.set(VAP_PROG_STREAM_CNTL_EXT::address(0), 0x3688f688);
  draw(pass, {1, 1, 1, 1});
  EXPECT_EQ(scene.at(10, 10), 0x0000ffffu);
}

INSTANTIATE_TEST_SUITE_P(Engines, Waves, testing::Values(gpu::Engine::Interpreter, gpu::Engine::Jit),
                         [](auto& info) { return info.param == gpu::Engine::Jit ? "jit" : "interpreter"; });

}  // namespace
}  // namespace Atoll::r5xx::test
