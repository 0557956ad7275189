// Each of gpu::Options is obeyed (budgets: budget_test.cpp).
#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "base/files.h"
#include "isa/r500/text.h"
#include "tests/gpu/r5xx/scene.h"

namespace Atoll::r5xx {
namespace {

using test::Scene;

size_t threads_of_this_process() {
  size_t count = 0;
  for (auto& entry : std::filesystem::directory_iterator("/proc/self/task")) count += !entry.path().empty();
  return count;
}

// Threads that are there during a draw, besides those before the device was made.
size_t threads_of_a_draw(gpu::Options options) {
  const size_t before = threads_of_this_process();
  size_t during = 0;
  Scene scene("r580", options);
  scene.machine.device->after_draw = [&](uint64_t, gpu::DrawnInto&) { during = threads_of_this_process(); };
  scene.whole({1, 1, 1, 1}).run();
  return during - before;
}

TEST(Options, ThreadsAndDeterminism) {
  const size_t one = threads_of_a_draw({.engine = gpu::Engine::Interpreter, .threads = 1});
  EXPECT_EQ(threads_of_a_draw({.engine = gpu::Engine::Interpreter, .threads = 4}), one + 3);
  EXPECT_EQ(threads_of_a_draw({.engine = gpu::Engine::Interpreter, .threads = 4, .deterministic = true}), one);
}

TEST(Options, TheEngine) {
  for (const char* engine : {"interpreter", "jit"}) {
    Scene scene("r580", {.engine = *gpu::parse_engine(engine), .threads = 1});
    scene.whole({1, 1, 1, 1}).run();
    scene.machine.queue->wait_for_compilation();
    auto statistics = scene.machine.queue->statistics();
    const bool compiles = std::string_view(engine) == "jit";
    EXPECT_GT(compiles ? statistics.compiled : statistics.interpreted, 0u) << engine;
    EXPECT_EQ(compiles ? statistics.interpreted : statistics.compiled, 0u) << engine;
    EXPECT_EQ(statistics.instructions_compiled > 0, compiles);
  }
}

TEST(Options, StrictEndsWhatIsNotModelled) {
  for (bool strict : {false, true}) {
    Scene scene("r580", {.engine = gpu::Engine::Interpreter, .threads = 1, .strict = strict});
    scene.stream.set(RB3D_DITHER_CTL::address(), RB3D_DITHER_CTL::DITHER_MODE::of(RB3D_DITHER_CTL::DITHER_MODE::LUT_dither));
    scene.whole({1, 1, 1, 1});
    auto done = scene.machine.run(scene.stream);
    EXPECT_EQ(scene.machine.unknown("RB3D_DITHER_CTL: dithering by table"), 1u);
    EXPECT_EQ(bool(done), !strict);
    if (strict) EXPECT_NE(done.error().message.find("dithering by table is not understood (--strict)"), std::string::npos);
  }
}

TEST(Options, WhatStandsStillIsEnded) {
  Scene scene("r580", {.engine = gpu::Engine::Interpreter, .threads = 1, .max_still_seconds = 0.2});
  auto jump = r500::parse("jump 0 @jump_func=255 @jump_any @ignore_uncovered");
  ASSERT_TRUE(jump) << jump.error().message;
  scene.code({*jump, Scene::move(0)});
  scene.whole({1, 1, 1, 1});
  auto done = scene.machine.run(scene.stream);
  ASSERT_FALSE(done);
  EXPECT_NE(done.error().message.find("nothing moved for 0.2 s: the GPU hangs"), std::string::npos) << done.error().message;
}

class ShaderFiles : public testing::Test {
protected:
  ShaderFiles() { EXPECT_TRUE(mkdtemp(folder.data())); }
  ~ShaderFiles() override { std::filesystem::remove_all(folder); }
  // Names before the hash and the texts of files with this ending.
  std::multimap<std::string, std::string> files(const std::string& end) {
    std::multimap<std::string, std::string> all;
    if (!std::filesystem::exists(folder + "/made")) return all;
    for (auto& entry : std::filesystem::directory_iterator(folder + "/made")) {
      if (entry.path().extension() != end) continue;
      auto bytes = read_file(entry.path().string());
      std::string name = entry.path().filename().string();
      all.emplace(name.substr(0, name.rfind('-')), bytes ? std::string(bytes->begin(), bytes->end()) : bytes.error().message);
    }
    return all;
  }
  std::string folder = testing::TempDir() + "r5xx_shader_files-XXXXXX";
};

TEST_F(ShaderFiles, ThePixelShaderOfADrawOnceWithItsText) {
  Scene scene("rv515", {.engine = gpu::Engine::Interpreter, .threads = 1, .shaders = folder + "/made"});
  scene.whole({1, 1, 1, 1}).whole({0, 0, 0, 1}).run();
  auto code = Scene::move(0);
  auto binaries = files(".bin"), texts = files(".s");
  ASSERT_EQ(binaries.size(), 1u);
  ASSERT_EQ(binaries.count("rv515-ps"), 1u);
  const std::string& bytes = binaries.begin()->second;
  ASSERT_EQ(bytes.size(), sizeof code);
  EXPECT_EQ(std::memcmp(bytes.data(), code.data(), sizeof code), 0);
  ASSERT_EQ(texts.size(), 1u);
  r500::Words words;
  std::ranges::copy(code, words.begin());
  EXPECT_EQ(texts.begin()->second, "// rv515 ps, 24 bytes, begins at byte 0\n" + r500::print(words) + "\n");
  scene.code({Scene::move(0), Scene::move(0)}).whole({1, 1, 1, 1}).run();
  EXPECT_EQ(files(".bin").size(), 2u);
}

TEST_F(ShaderFiles, TheVertexShaderWithItsFlow) {
  Scene scene("r580", {.engine = gpu::Engine::Interpreter, .threads = 1, .shaders = folder + "/made"});
  // Position and texture coordinates are passed on: o0 = i0, o1 = i6; behind the first a jump to the second.
  constexpr uint32_t add = 3, zero = 0x01248000 | 1;
  auto instruction = [&](uint32_t output, uint32_t input) {
    uint32_t source = 1 | input << 5 | 0 << 13 | 1 << 16 | 2 << 19 | 3 << 22;
    return std::array<uint32_t, 4>{add | 2 << 8 | output << 13 | 0xf << 20, source, zero, zero};
  };
  scene.stream.set(VAP_CNTL_STATUS::address(), 0);
  scene.stream.set(VAP_PVS_VECTOR_INDX_REG::address(), 0);
  for (auto& words : {instruction(0, 0), instruction(1, 6)}) scene.stream.burst(VAP_PVS_VECTOR_DATA_REG::address(), words);
  scene.stream.set(VAP_PVS_CODE_CNTL_0::address(), VAP_PVS_CODE_CNTL_0::PVS_LAST_INST::of(1));
  scene.stream.set(VAP_PVS_FLOW_CNTL_OPC::address(), 1);
  scene.stream.set(VAP_PVS_FLOW_CNTL_ADDRS_LW::address(0), 0u | 1u << 16);
  scene.whole({1, 1, 1, 1});
  auto done = scene.machine.run(scene.stream);
  EXPECT_TRUE(done) << done.error().message;
  auto texts = files(".s");
  ASSERT_EQ(texts.count("r580-vs"), 1u) << texts.size();
  const std::string text = texts.find("r580-vs")->second;
  EXPECT_TRUE(text.starts_with("// r580 vs, 32 bytes, begins at byte 0\n// behind instruction 0: jump 1,")) << text;
  EXPECT_EQ(std::ranges::count(text, '\n'), 4) << text;
  EXPECT_EQ(files(".bin").find("r580-vs")->second.size(), 32u);
}

}  // namespace
}  // namespace Atoll::r5xx
