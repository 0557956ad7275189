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

// Compiled waves write their pixels themselves (shaders/pixel_frame.h) where the pipeline does it for interpreted ones: the same.
TEST(FramedWaves, SamePixelsAsThePipelines) {
  const std::vector<std::vector<const char*>> programs = {
      {"mad o0.rgb, t0.xyz, 1, 0 | mad o0.a, t0.w, 1, 0"},
      {"mad o0.rb, t0.zyx, t0.www, t0.yyy"},
      {"mad o0.rgb, 0.5, 1, 0 | mad o0.a, 1, 1, 0"},
      {"texkill t0.xyzw", "mad o0.rgb, t0.xyz, 1, 0 | mad o0.a, t0.w, 1, 0"},
      {"mad t3.rgb, t0.xyz, t0.xyz, t5.xyz | rcp t3.a, t0.w", "mad o0.rgb, t3.xyz, 0.5, 0 | mad o0.a, t3.w, 0.25, 0"}};
  // Blending off, over what is there, and by the target's alpha.
  const uint32_t blends[] = {0, 1 | 38 << 16 | 39 << 24, 1 | 40 << 16 | 33 << 24};
  for (size_t program = 0; program < programs.size(); program++)
    for (uint32_t blend : blends)
      for (uint32_t mask : {0xfu, 0x6u}) {
        std::vector<uint32_t> pictures[2];
        for (gpu::Engine engine : {gpu::Engine::Interpreter, gpu::Engine::Jit}) {
          Scene scene{"r580", {.engine = engine, .threads = 1}};
          scene.stream.set(RB3D_BLENDCNTL::address(), {blend, 0}).set(RB3D_COLOR_CHANNEL_MASK::address(), mask);
          scene.stream.set(GA_US_VECTOR_INDEX::address(), 0);
          for (const char* line : programs[program]) {
            auto parsed = r500::parse(line);
            ASSERT_TRUE(parsed) << line << ": " << parsed.error().message;
            scene.stream.burst(GA_US_VECTOR_DATA::address(), *parsed);
          }
          const auto last = uint32_t(programs[program].size() - 1);
          scene.stream.set(US_CODE_ADDR::address(), US_CODE_ADDR::END_ADDR::of(last));
          scene.stream.set(US_CODE_RANGE::address(), US_CODE_RANGE::CODE_SIZE::of(last));
          for (unsigned n = 0; n < Scene::width * Scene::height; n++) {
            const uint32_t before = n * 2654435761u;
            std::memcpy(scene.target.host_pointer + n * 4, &before, 4);
          }
          // A large triangle, with whole blocks; small ones; values beyond what is stored, and below 0.
          scene.draw(VAP_VF_CNTL::PRIM_TYPE::Triangle_List, {{0, 0, 0.5f, 1, {-0.5f, 1, 0.25f, 1}},
                                                             {90, 3, 0.5f, 0.5f, {1.5f, 0.2f, 0, 0.5f}},
                                                             {5, 50, 0.5f, 2, {0.3f, 0.3f, 1, 0}}});
          std::vector<Point> small;
          for (unsigned n = 0; n < 30; n++) {
            const float x = float(n * 7 % 60), y = float(n * 5 % 28), value = float(n) / 20 - 0.2f;
            small.push_back({x, y, 0.5f, 1, {value, 1 - value, 0.5f, value}});
            small.push_back({x + 3.5f, y + 1, 0.5f, 1, {1 - value, value, 0.75f, 1}});
            small.push_back({x + 1, y + 4, 0.5f, 1, {0.1f, value, value, 0.6f}});
          }
          scene.draw(VAP_VF_CNTL::PRIM_TYPE::Triangle_List, small);
          scene.run();
          auto& picture = pictures[engine == gpu::Engine::Jit];
          for (unsigned y = 0; y < Scene::height; y++)
            for (unsigned x = 0; x < Scene::width; x++) picture.push_back(scene.at(x, y));
        }
        ASSERT_EQ(pictures[0], pictures[1]) << "program " << program << " blend " << std::hex << blend << " mask " << mask;
      }
}

INSTANTIATE_TEST_SUITE_P(Engines, Waves, testing::Values(gpu::Engine::Interpreter, gpu::Engine::Jit),
                         [](auto& info) { return info.param == gpu::Engine::Jit ? "jit" : "interpreter"; });

}  // namespace
}  // namespace Atoll::r5xx::test
