// Shaders that Mesa 25 compiled, from their initial registers to their exports. Their texts are no part of the project: ATOLL_RECORDINGS
// names the folder that has them (gfx12/shaders), else these tests are skipped. The results of some are worked out here; all of
// them have to do the same on both engines.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <thread>

#include "base/half.h"
#include "stage_memory.h"

namespace Atoll::rdna4::test {
namespace {

// The upper half alone (RADV), or in the second word of a V# with records of 16 bytes (radeonsi).
std::string within_window(const std::string& line) {
  static const std::regex alone("^(s_movk_i32 s\\d+), 0x8000$"), word("^(s_mov_b32 s\\d+), 0xc0108000$");
  return std::regex_replace(std::regex_replace(line, alone, "$1, 0x10"), word, "$1, 0xc0100010");
}

// By name ("vk-tri-gs-w64-1065210f"); a high half of addresses that the window does not have becomes one that it has.
const std::map<std::string, std::string>& shaders() {
  static const std::map<std::string, std::string> all = [] {
    std::map<std::string, std::string> found;
    const char* given = std::getenv("ATOLL_RECORDINGS");
    const std::filesystem::path folder =
        std::filesystem::path(given ? given : ATOLL_SOURCE_DIR "/../shared/findings/data") / "gfx12/shaders";
    std::error_code none;
    for (const auto& entry : std::filesystem::directory_iterator(folder, none)) {
      std::ifstream file(entry.path());
      std::string name;
      for (std::string line; std::getline(file, line);) {
        if (line.starts_with("// "))
          name = line.substr(3);
        else if (!name.empty())
          found[name] += within_window(line) + "\n";
      }
    }
    return found;
  }();
  return all;
}

class MesaShaders : public StageMemory, public testing::TestWithParam<hsa::Engine> {
protected:
  void SetUp() override {
    if (shaders().empty()) GTEST_SKIP() << "no shaders: ATOLL_RECORDINGS names their folder";
  }
  void load(const std::string& name) {
    ASSERT_TRUE(shaders().contains(name)) << name;
    assemble(shaders().at(name), 64);
  }
  GraphicsResult run() { return StageMemory::run(GetParam()); }
};
INSTANTIATE_TEST_SUITE_P(Engines, MesaShaders, testing::Values(hsa::Engine::Interpreter, hsa::Engine::Jit),
                         [](const auto& info) { return info.param == hsa::Engine::Jit ? "jit" : "interpreter"; });

LaneValues lanes_from(uint32_t first, unsigned count = 64) {
  LaneValues values;
  for (uint32_t n = 0; n < count; n++) values.push_back(first + n);
  return values;
}

// The strip of a clear or copy: vertex 1 right, vertex 2 below (of the shader's y), a layer by instance.
TEST_P(MesaShaders, VerticesOfARectangle) {
  load("vk-tri-gs-w64-1065210f");
  GeometryStart start{.address = ring_table, .primitives = 1, .vertices = 3};
  start.vgprs[0] = {primitive_word(0, 1, 2)};
  start.vgprs[3] = lanes_from(0), start.vgprs[4] = {4};
  group.waves = {{start, {0, 10}}};
  auto result = run();
  ASSERT_EQ(result.exports[0].size(), 3u);
  const Export &pos0 = result.exports[0][0], &pos1 = result.exports[0][1], &prim = result.exports[0][2];
  EXPECT_EQ(pos0.lanes, 7u);
  for (unsigned v = 0; v < 3; v++) {
    EXPECT_EQ(pos0.values[0][v], bits(v < 2 ? -1.0f : 1.0f)) << v;
    EXPECT_EQ(pos0.values[1][v], bits(v & 1 ? 1.0f : -1.0f))
        << "whether a signalling NaN is of the classes that the vertex's number has";
    EXPECT_EQ(pos0.values[2][v], 0u);
    EXPECT_EQ(pos0.values[3][v], bits(1.0f));
    EXPECT_EQ(pos1.values[2][v], 14u) << "instance and first instance";
  }
  EXPECT_EQ(pos1.enabled, 4u);
  EXPECT_TRUE(pos1.done && !pos0.done && prim.done);
  EXPECT_EQ(prim.lanes, 1u);
  EXPECT_EQ(prim.values[0][0], primitive_word(0, 1, 2));
}

TEST_P(MesaShaders, VerticesOfTheTriangle) {
  load("vk-tri-gs-w64-1947b62c");
  constexpr unsigned vertices = 30, primitives = 10, first = 3;
  buffer(descriptors, data, 32, 64);
  buffer(ring_table + 0xa0, ring, 0, 64);
  word(ring_table + 0xac) &= ~(3u << 28);
  for (unsigned v = 0; v < 64; v++)
    for (unsigned c = 0; c < 8; c++) number(data + v * 32 + c * 4) = float(v) - float(c) / 8;
  GeometryStart start{.address = ring_table, .primitives = primitives, .vertices = vertices, .attribute_ring = 2};
  for (uint32_t p = 0; p < 64; p++) start.vgprs[0].push_back(primitive_word(3 * p, 3 * p + 1, 3 * p + 2));
  start.vgprs[3] = lanes_from(0);
  const float factor[] = {2, -1, 0.5f, 4};
  group.waves = {{start, {uint32_t(descriptors), first, bits(2), bits(-1), bits(0.5f), bits(4)}}};
  auto result = run();
  ASSERT_EQ(result.exports[0].size(), 2u);
  const Export &pos = result.exports[0][0], &prim = result.exports[0][1];
  EXPECT_EQ(pos.lanes, (1u << vertices) - 1);
  EXPECT_EQ(prim.lanes, (1u << primitives) - 1);
  for (unsigned v = 0; v < vertices; v++)
    for (unsigned c = 0; c < 4; c++) {
      EXPECT_EQ(pos.values[c][v], bits(factor[c] * (float(v + first) - float(c) / 8)));
      EXPECT_EQ(number(ring + 1024 + v * 16 + c * 4), float(v + first) - float(c + 4) / 8) << "its colour in the attribute ring";
    }
  for (unsigned p = 0; p < primitives; p++) EXPECT_EQ(prim.values[0][p], primitive_word(3 * p, 3 * p + 1, 3 * p + 2));
}

TEST_P(MesaShaders, PixelsOfOneColour) {
  load("vk-tri-ps-w64-2b3f5445");
  group.waves = {{PixelStart{}, {0, 0, bits(0.25f), bits(-3.0f), bits(1.0f), bits(65520.0f)}, 0x00ff00ff00ff0000}};
  auto result = run();
  ASSERT_EQ(result.exports[0].size(), 1u);
  const Export& e = result.exports[0][0];
  EXPECT_EQ(e.lanes, 0x00ff00ff00ff0000u);
  for (unsigned lane : {16u, 23u, 55u}) {
    EXPECT_EQ(e.values[0][lane], half_from_float(0.25f) | uint32_t(half_from_float(-3)) << 16);
    EXPECT_EQ(e.values[1][lane], half_from_float(1) | 0x7bffu << 16) << "what is too large is the largest toward zero";
  }
  load("vk-tri-ps-w64-784d3264");
  result = run();
  ASSERT_EQ(result.exports[0].size(), 1u);
  EXPECT_EQ(result.exports[0][0].enabled, 0u);
  EXPECT_TRUE(result.exports[0][0].done);
}

TEST_P(MesaShaders, MeshOfTwentyTriangles) {
  load("vk-mesh-gs-w64-72fee479");
  buffer(descriptors, data, 0, 0x6000);
  buffer(ring_table + 0xa0, ring, 0, 64);
  word(ring_table + 0xac) &= ~(3u << 28);
  for (unsigned n = 0; n < 128 * 4; n++) number(data + n * 4) = float(n) / 4;
  group.lds_bytes = 2048;
  group.waves = {{GeometryStart{.address = ring_table, .mesh = true, .group_id = {1, 0, 0}}, {uint32_t(descriptors)}}};
  auto result = run();
  ASSERT_EQ(result.exports[0].size(), 2u);
  const Export &pos = result.exports[0][0], &prim = result.exports[0][1];
  EXPECT_EQ(pos.row, 0u);
  EXPECT_EQ(pos.lanes, (uint64_t(1) << 60) - 1);
  for (unsigned v = 0; v < 60; v++)
    for (unsigned c = 0; c < 4; c++) {
      EXPECT_EQ(pos.values[c][v], bits(float((64 + v) * 4 + c) / 4)) << "of group 1";
      EXPECT_EQ(number(ring + v * 16 + c * 4), float(v * 4 + c) / 4);
    }
  EXPECT_EQ(prim.lanes, (1u << 20) - 1);
  for (unsigned p = 0; p < 20; p++) EXPECT_EQ(prim.values[0][p], primitive_word(3 * p, 3 * p + 1, 3 * p + 2));
  ASSERT_EQ(result.messages.size(), 1u);
  EXPECT_EQ(result.messages[0].m0, 60u | 20u << 12);
}

// Patches of three control points: positions, a sum with the next point's attribute, factors of the first one's.
TEST_P(MesaShaders, HullOfPatches) {
  for (float factor : {3.0f, 1.0f, -2.0f}) {
    load("vk-tess-hs-w64-05162164");
    constexpr unsigned patches = 4, points = 12;
    constexpr uint64_t off_chip = ring, factors = data + 0x4000;
    buffer(descriptors, data, 32, 64);
    buffer(ring_table + 0x50, factors, 0, 0x100);
    buffer(ring_table + 0x60, off_chip, 0, 0x2000);
    for (unsigned n = 0; n < 0x100; n += 4) word(factors + n) = 0x55555555;
    auto input = [&](unsigned v, unsigned c) { return c == 4 ? factor : float(v) + float(c) / 8; };
    for (unsigned v = 0; v < points; v++)
      for (unsigned c = 0; c < 8; c++) number(data + v * 32 + c * 4) = input(v, c);
    HullStart start{.address = ring_table,
                    .first_wave = true,
                    .group_size = 1,
                    .patches = patches,
                    .hull_vertices = points,
                    .vertices = points};
    for (unsigned lane = 0; lane < 64; lane++) start.vgprs[1].push_back(lane / 3 | lane % 3 << 8);
    start.vgprs[2] = lanes_from(0);
    const float scale[] = {2, 3, 4, 5};
    group.lds_bytes = 4096;
    group.waves = {{start, {uint32_t(descriptors), 0, bits(2), bits(3), bits(4), bits(5)}}};
    auto result = run();
    EXPECT_TRUE(result.exports[0].empty());
    for (unsigned v = 0; v < points; v++)
      for (unsigned c = 0; c < 4; c++) {
        const unsigned next = v / 3 * 3 + (v + 1) % 3;
        EXPECT_EQ(number(off_chip + v * 16 + c * 4), scale[c] * input(v, c));
        EXPECT_EQ(number(off_chip + 3072 + v * 16 + c * 4), input(v, 4 + c) + input(next, 4 + c)) << v << " " << c;
      }
    if (factor == 3) {
      for (unsigned p = 0; p < patches; p++)
        for (unsigned n = 0; n < 4; n++) EXPECT_EQ(number(factors + p * 16 + n * 4), factor);
      EXPECT_TRUE(result.messages.empty());
    } else {  // all of them are one, or none: a message instead
      EXPECT_EQ(word(factors), 0x55555555u);
      ASSERT_EQ(result.messages.size(), 1u);
      EXPECT_EQ(result.messages[0].message, 2u);
    }
    EXPECT_EQ(word(factors + patches * 16), 0x55555555u);
  }
}

// The shaders find descriptors of one small buffer everywhere. Shaders with images wait for these.
TEST(AllMesaShaders, BothEnginesDoTheSame) {
  if (shaders().empty()) GTEST_SKIP() << "no shaders: ATOLL_RECORDINGS names their folder";
  unsigned ran = 0, ended = 0, exported = 0;
  uint64_t compiled = 0, instructions = 0;
  for (const auto& [name, text] : shaders()) {
    const bool pixel = name.find("-ps-") != name.npos, hull = name.find("-hs-") != name.npos,
               geometry = name.find("-gs-") != name.npos;
    if (!pixel && !hull && !geometry) continue;
    if (text.find("image_") != text.npos) continue;
    struct Outcome {
      GraphicsResult result;
      std::vector<uint8_t> memory;
    };
    auto run = [&](hsa::Engine engine) {
      StageMemory m;
      m.assemble(text, 64);
      for (uint64_t at = ring_table; at < ring_table + 0x2000; at += 16) m.buffer(at, data, 16, 64);
      for (unsigned n = 0; n < 0x1000; n += 4) m.number(data + n) = float(n % 37) / 16 - 1;
      std::vector<uint32_t> user(16, uint32_t(descriptors));
      GraphicsStart start;
      if (pixel) {
        PixelStart p;
        p.input_ena = 0x302, p.new_primitive = 0x4812;
        for (auto t : {PixelTerm::persp_center_i, PixelTerm::persp_center_j, PixelTerm::pos_x, PixelTerm::pos_y})
          for (unsigned lane = 0; lane < 64; lane++) p.terms[size_t(t)].push_back(bits(float(lane) / (64 + float(t))));
        start = p;
        m.group.lds.assign(16384, 0);
        for (unsigned n = 0; n < 16384; n += 4) {
          const float x = float(n % 101) / 32;
          std::memcpy(&m.group.lds[n], &x, 4);
        }
      } else if (geometry) {
        GeometryStart g{.address = ring_table,
                        .group_primitives = 32,
                        .group_vertices = 60,
                        .primitives = 32,
                        .vertices = 60,
                        .attribute_ring = 8};
        for (uint32_t lane = 0; lane < 64; lane++)
          g.vgprs[0].push_back(primitive_word(lane % 60, (lane + 1) % 60, (lane + 2) % 60));
        for (unsigned n : {1, 3, 5, 6}) g.vgprs[n] = lanes_from(0);
        start = g;
      } else {
        HullStart h{
            .address = ring_table, .first_wave = true, .group_size = 1, .patches = 16, .hull_vertices = 48, .vertices = 48};
        for (unsigned lane = 0; lane < 64; lane++) h.vgprs[1].push_back(lane / 3 | lane % 3 << 8);
        h.vgprs[2] = lanes_from(0);
        start = h;
      }
      m.group.lds_bytes = 65536;
      m.group.waves = {{start, user}};
      std::atomic<int> stop{0};
      std::atomic<bool> done{false};
      std::thread watch([&] {
        for (int n = 0; n < 500 && !done; n++) std::this_thread::sleep_for(std::chrono::milliseconds(10));
        stop = 1;
      });
      auto result = run_graphics(m.group, *m.space, {.engine = engine, .stop = &stop});
      done = true;
      watch.join();
      EXPECT_TRUE(result) << name << ": " << (result ? "" : result.error().message);
      const uint8_t* from = m.space->host(ring_table);
      return Outcome{result ? *result : GraphicsResult{}, std::vector<uint8_t>(from, from + 0x10000)};
    };
    Outcome a = run(hsa::Engine::Interpreter), b = run(hsa::Engine::Jit);
    ran++;
    if (a.result.stopped || b.result.stopped) continue;
    ASSERT_EQ(bool(a.result.fault), bool(b.result.fault)) << name;
    if (a.result.fault) {
      EXPECT_EQ(a.result.fault->instruction_text, b.result.fault->instruction_text) << name;
      EXPECT_EQ(a.result.fault->address, b.result.fault->address) << name;
    } else {
      ended++;
      compiled += b.result.compiled, instructions += b.result.compiled + b.result.called + b.result.interpreted;
    }
    ASSERT_EQ(a.result.exports[0].size(), b.result.exports[0].size()) << name;
    exported += unsigned(a.result.exports[0].size());
    for (size_t n = 0; n < a.result.exports[0].size(); n++) {
      const Export &x = a.result.exports[0][n], &y = b.result.exports[0][n];
      EXPECT_TRUE(x.target == y.target && x.enabled == y.enabled && x.done == y.done && x.row == y.row && x.lanes == y.lanes)
          << name;
      for (unsigned c = 0; c < 4; c++)
        for (size_t lane = 0; lane < x.values[c].size(); lane++)
          if (x.lanes >> lane & 1)
            EXPECT_EQ(x.values[c][lane], y.values[c][lane]) << name << " " << export_target_text(x.target) << " lane " << lane;
    }
    ASSERT_EQ(a.result.messages.size(), b.result.messages.size()) << name;
    for (size_t n = 0; n < a.result.messages.size(); n++) EXPECT_EQ(a.result.messages[n].m0, b.result.messages[n].m0) << name;
    EXPECT_EQ(a.memory, b.memory) << name;
  }
  std::printf("%u shaders, %u came to their end, %u exports; %.1f %% of %llu instructions compiled\n", ran, ended, exported,
              100 * double(compiled) / double(std::max<uint64_t>(instructions, 1)),
              static_cast<unsigned long long>(instructions));
  EXPECT_GT(ended, ran / 2);
}

}  // namespace
}  // namespace Atoll::rdna4::test
