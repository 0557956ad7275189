// Draws whose pixels wait for those of later ones (pipeline/tiles/scene.h): what they read is what it was when they were asked for, who
// asks for what they leave finds it, and what goes wrong is said of the first of them.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "isa/r500/text.h"
#include "pipeline/tiles/scene.h"
#include "tests/gpu/r5xx/scene.h"

namespace Atoll::r5xx::test {
namespace {

class WaitingDraws : public testing::TestWithParam<gpu::Engine> {
protected:
  Scene scene{"r580", {.engine = GetParam(), .threads = 2}};
  Buffer texels = scene.machine.allocate(64 * 1024);

  void TearDown() override { pipeline::scene_limits() = {}; }

  void code(std::initializer_list<const char*> lines) {
    scene.stream.set(GA_US_VECTOR_INDEX::address(), 0);
    for (const char* line : lines) {
      auto words = r500::parse(line);
      ASSERT_TRUE(words) << line << ": " << words.error().message;
      scene.stream.burst(GA_US_VECTOR_DATA::address(), *words);
    }
    const auto last = uint32_t(lines.size() - 1);
    scene.stream.set(US_CODE_ADDR::address(), US_CODE_ADDR::END_ADDR::of(last));
    scene.stream.set(US_CODE_RANGE::address(), US_CODE_RANGE::CODE_SIZE::of(last));
  }
  void constant(float value) {
    scene.stream.set(GA_US_VECTOR_INDEX::address(), GA_US_VECTOR_INDEX::TYPE::of(1));
    scene.stream.burst(GA_US_VECTOR_DATA::address(), {bits(value), bits(value), bits(value), bits(value)});
  }
  // 16 by 16 texels of 8 bits.
  void texture(uint64_t address) {
    scene.stream.set(TX_FORMAT0::address(0), 15 | 15 << 11);
    scene.stream.set(TX_FORMAT1::address(0), 12 | 3 << 9 | 1 << 15 | 2 << 18);
    scene.stream.set(TX_FORMAT2::address(0), 0);
    scene.stream.set(TX_OFFSET::address(0), uint32_t(address));
    scene.stream.set(TX_FILTER0::address(0), 1 << 9 | 1 << 11).set(TX_FILTER1::address(0), 1 << 3);
    scene.stream.set(TX_ENABLE::address(), 1);
  }
  // Two triangles of different values: no clear in effect. Channels are written by a mask.
  void draw(uint32_t mask) {
    scene.stream.set(RB3D_COLOR_CHANNEL_MASK::address(), mask);
    scene.draw(VAP_VF_CNTL::PRIM_TYPE::Triangle_List,
               {{0, 0, 0.5f, 1, {}}, {128, 0, 0.5f, 1, {0.5f, 0.5f, 0.5f, 0.5f}}, {0, 64, 0.5f, 1, {}}});
  }
};
INSTANTIATE_TEST_SUITE_P(Engines, WaitingDraws, testing::Values(gpu::Engine::Interpreter, gpu::Engine::Jit));

TEST_P(WaitingDraws, ConstantsAreTheirOwn) {
  code({"mad o0.rgb, c0.xyz, 1, 0 | mad o0.a, c0.w, 1, 0"});
  constant(0.25f);
  draw(1);
  constant(0.5f);
  draw(2);
  constant(1);
  draw(4);
  scene.run();
  EXPECT_EQ(scene.at(31, 15), 0x00ff8040u);
}

TEST_P(WaitingDraws, CodeIsTheirOwn) {
  code({"mad o0.rgb, 0.25, 1, 0 | mad o0.a, 0.25, 1, 0"});
  draw(1);
  code({"mad o0.rgb, 1, 1, 0 | mad o0.a, 1, 1, 0"});
  draw(2);
  scene.run();
  EXPECT_EQ(scene.at(31, 15), 0x0000ff40u);
}

// Layers that a later one covers are not drawn, unless it may kill pixels: by an instruction, the alpha function, a texel's colour.
TEST_P(WaitingDraws, LayersThatAreCovered) {
  std::memset(texels.host_pointer, 0x40, 1024);
  auto hidden = [&] {
    const auto ways = scene.machine.queue->statistics().pixel_paths;
    const auto found = ways.find("hidden");
    return found == ways.end() ? 0 : found->second;
  };
  enum { plain, sampling, killing, alpha, key, ways };
  for (unsigned way = 0; way < ways; way++) {
    const uint64_t before = hidden(), pixels = scene.machine.queue->statistics().pixels;
    scene.stream.set(FG_ALPHA_FUNC::address(), 0).set(TX_ENABLE::address(), 0);
    for (float value : {0.25f, 0.5f}) {
      code({"mad o0.rgb, c0.xyz, 1, 0 | mad o0.a, c0.w, 1, 0"});
      constant(value);
      draw(0xf);
    }
    constant(1);
    if (way == killing) code({"texkill t0.xyzw", "mad o0.rgb, c0.xyz, 1, 0 | mad o0.a, c0.w, 1, 0"});
    if (way == sampling || way == key) {
      texture(texels.gpu_address);
      code({"ld t1.rgba, tex0.xyzw, t0.xyzw", "mad o0.rgb, t1.xyz, 1, 0 | mad o0.a, t1.w, 1, 0"});
    }
    if (way == key) {
      scene.stream.set(TX_FILTER1::address(0), 1 << 3 | TX_FILTER1::CHROMA_KEY_MODE::of(1));
      scene.stream.set(TX_CHROMA_KEY::address(0), 0x40404040);
    }
    if (way == alpha)
      scene.stream.set(FG_ALPHA_FUNC::address(), FG_ALPHA_FUNC::AF_EN::of(1) | FG_ALPHA_FUNC::AF_EN_8BIT::of(1) |
                                                     FG_ALPHA_FUNC::AF_FUNC::of(FG_ALPHA_FUNC::AF_FUNC::AF_LESS) |
                                                     FG_ALPHA_FUNC::AF_VAL::of(128));
    draw(0xf);
    scene.run();
    const bool covers = way == plain || way == sampling;
    EXPECT_EQ(hidden() - before, (covers ? 2ull : 1ull) * Scene::width * Scene::height) << way;
    EXPECT_EQ(scene.machine.queue->statistics().pixels - pixels, 3ull * Scene::width * Scene::height) << way;
    EXPECT_EQ(scene.at(31, 15), way == sampling ? 0x40404040u : way == alpha || way == key ? 0x80808080u : ~0u) << way;
  }
}

TEST_P(WaitingDraws, TexturesAreTheirOwn) {
  std::memset(texels.host_pointer, 0x40, 1024);
  std::memset(texels.host_pointer + 4096, 0x80, 1024);
  code({"ld t1.rgba, tex0.xyzw, t0.xyzw", "mad o0.rgb, t1.xyz, 1, 0 | mad o0.a, t1.w, 1, 0"});
  for (unsigned n = 0; n < 2; n++) {
    texture(texels.gpu_address);
    draw(1);
    texture(texels.gpu_address + 4096);
    draw(2);
    scene.stream.set(TX_ENABLE::address(), 0);  // alpha is 1, the others 0
    draw(0xc);
    scene.run();
    EXPECT_EQ(scene.at(31, 15), 0xff008040u);
  }
}

// A target that is sampled is drawn before.
TEST_P(WaitingDraws, TexturesThatWereDrawn) {
  code({"mad o0.rgb, c0.xyz, 1, 0 | mad o0.a, c0.w, 1, 0"});
  constant(0.25f);
  scene.stream.set(RB3D_COLOROFFSET::address(0), uint32_t(texels.gpu_address));
  draw(0xf);
  scene.stream.set(RB3D_COLOROFFSET::address(0), uint32_t(scene.target.gpu_address));
  code({"ld t1.rgba, tex0.xyzw, t0.xyzw", "mad o0.rgb, t1.xyz, 1, 0 | mad o0.a, t1.w, 1, 0"});
  texture(texels.gpu_address);
  draw(0xf);
  scene.run();
  EXPECT_EQ(scene.at(31, 15), 0x40404040u);
}

TEST_P(WaitingDraws, RegistersThatWriteWhatPixelsRead) {
  std::memset(texels.host_pointer, 0x40, 1024);
  code({"ld t1.rgba, tex0.xyzw, t0.xyzw", "mad o0.rgb, t1.xyz, 1, 0 | mad o0.a, t1.w, 1, 0"});
  texture(texels.gpu_address);
  draw(1);
  scene.stream.set(SCRATCH_ADDR::address(), uint32_t(texels.gpu_address)).set(SCRATCH_UMSK::address(), 1);
  scene.stream.set(SCRATCH_REG::address(0), 0xffffffff);
  draw(2);
  scene.run();
  EXPECT_EQ(scene.at(0, 0), 0x0000ff40u);
  EXPECT_EQ(scene.at(31, 15), 0x00004040u);
}

// Samples that passed are counted where the stream asks for them.
TEST_P(WaitingDraws, SamplesPassed) {
  scene.stream.set(SU_REG_DEST::address(), 1);
  for (unsigned n = 0; n < 3; n++) {
    scene.stream.set(ZB_ZPASS_ADDR::address(), uint32_t(texels.gpu_address) + 4 * n);
    draw(0xf);
  }
  scene.run();
  const auto* counted = reinterpret_cast<const uint32_t*>(texels.host_pointer);
  EXPECT_EQ(counted[1] - counted[0], counted[2] - counted[1]);
  EXPECT_EQ(counted[0], 0u);
  EXPECT_GE(counted[1], Scene::width * Scene::height);
}

TEST_P(WaitingDraws, TheFirstDrawIsNamed) {
  for (unsigned limit : {1u, 64u}) {
    pipeline::scene_limits().draws = limit;
    Scene own{"r580", {.engine = GetParam(), .threads = 2}};
    std::swap(scene.stream, own.stream);
    std::swap(scene.machine, own.machine);
    std::swap(scene.target, own.target);
    code({"ld t1.rgba, tex0.xyzw, t0.xyzw", "mad o0.rgb, t1.xyz, 1, 0 | mad o0.a, t1.w, 1, 0"});
    scene.stream.set(TX_ENABLE::address(), 0);
    draw(0xf);
    texture(0xf0000000);  // nothing is mapped there
    draw(1);
    code({"nop", "ld t1.rgba, tex0.xyzw, t0.xyzw", "mad o0.rgb, t1.xyz, 1, 0 | mad o0.a, t1.w, 1, 0"});
    draw(2);
    scene.stream.words.push_back(1u << 30);  // a packet of type 1
    auto done = scene.machine.run(scene.stream);
    ASSERT_FALSE(done);
    EXPECT_NE(done.error().message.find("3D_DRAW_IMMD_2 at"), std::string::npos) << done.error().message;
    EXPECT_NE(done.error().message.find("pixel shader at code byte 0x0"), std::string::npos) << done.error().message;
    EXPECT_EQ(scene.at(31, 15) >> 24, 0xffu);  // the draw before is there
  }
}

TEST_P(WaitingDraws, WhoLooksAfterEachDrawInMemory) {
  std::vector<uint32_t> seen;
  scene.machine.device->after_draw = [&](uint64_t, gpu::DrawnInto&) { seen.push_back(scene.at(31, 15)); };
  code({"mad o0.rgb, c0.xyz, 1, 0 | mad o0.a, c0.w, 1, 0"});
  constant(0.25f);
  draw(1);
  draw(2);
  scene.run();
  EXPECT_EQ(seen, (std::vector<uint32_t>{0x40, 0x4040}));
}

}  // namespace
}  // namespace Atoll::r5xx::test
