// Graphics waves through the C library: what they start with is the caller's, what they export comes back.
#include <array>

#include "gpu.h"

namespace Atoll::api_tests {
namespace {

struct Stage {
  Gpu gpu;
  std::vector<uint32_t> words;
  std::vector<atoll_wave_start> waves;
  std::vector<atoll_export> exports = std::vector<atoll_export>(8);
  std::vector<atoll_message> messages = std::vector<atoll_message>(8);
  uint32_t export_count = 0, message_count = 0;
  atoll_graphics_options options{};
  atoll_result result = new_result();

  Stage(uint32_t engine, uint32_t stage, const char* text, size_t wave_count = 1)
      : gpu(engine), words(assemble(text, Assembler::Atoll)), waves(wave_count) {
    EXPECT_FALSE(words.empty()) << text;
    for (auto& wave : waves) wave.size = sizeof wave;
    options.size = sizeof options, options.stage = stage;
    options.wave_size = sizeof(atoll_wave_start), options.export_size = sizeof(atoll_export);
    options.message_size = sizeof(atoll_message);
  }
  atoll_status run() {
    options.words = words.data(), options.word_bytes = words.size() * 4;
    options.waves = waves.data(), options.wave_count = uint32_t(waves.size());
    options.exports = exports.data(), options.export_capacity = uint32_t(exports.size());
    options.messages = messages.data(), options.message_capacity = uint32_t(messages.size());
    return atoll_run_graphics(gpu.device, &options, &export_count, &message_count, &result);
  }
};

constexpr const char* pixel = R"(
  v_mov_b32_e32 v2, s0
  export mrt0 v0, v1, v2, off done
  s_endpgm
)";
constexpr uint32_t persp_center = 1 << 1;  // SPI_PS_INPUT_ENA

class GraphicsWaves : public testing::TestWithParam<uint32_t> {};
INSTANTIATE_TEST_SUITE_P(Engines, GraphicsWaves, testing::Values(ATOLL_ENGINE_INTERPRETER, ATOLL_ENGINE_JIT),
                         [](const auto& info) { return info.param == ATOLL_ENGINE_JIT ? "jit" : "interpreter"; });

TEST_P(GraphicsWaves, APixelWaveExportsItsInputs) {
  for (uint32_t lanes : {32u, 64u}) {
    Stage stage(GetParam(), ATOLL_STAGE_PIXEL, pixel);
    std::vector<uint32_t> i(lanes);
    for (uint32_t n = 0; n < lanes; n++) i[n] = 1000 + n;
    const uint32_t j = 77, sgpr = 0xabcd;
    const atoll_lane_values values[] = {{2, lanes, i.data()}, {3, 1, &j}};
    stage.waves[0].values = values, stage.waves[0].value_count = 2;
    stage.waves[0].user_sgprs = &sgpr, stage.waves[0].user_sgpr_count = 1;
    stage.waves[0].input_ena = persp_center;
    stage.options.wave_lanes = lanes;
    ASSERT_EQ(stage.run(), ATOLL_OK) << atoll_error_message();
    ASSERT_EQ(stage.export_count, 1u);
    const atoll_export& one = stage.exports[0];
    EXPECT_EQ(one.target, 0u);
    EXPECT_EQ(one.enabled, 7u);
    EXPECT_EQ(one.done, 1u);
    EXPECT_EQ(one.row, -1);
    EXPECT_EQ(one.lanes, lanes == 64 ? ~uint64_t(0) : 0xffffffffu);
    for (uint32_t n = 0; n < lanes; n++) {
      EXPECT_EQ(one.values[0][n], 1000 + n);
      EXPECT_EQ(one.values[1][n], 77u);
      EXPECT_EQ(one.values[2][n], 0xabcdu);
      EXPECT_EQ(one.values[3][n], 0u);
    }
    EXPECT_EQ(stage.result.waves, 1u);
    EXPECT_EQ(stage.result.instructions, 3u);
    stage.exports.clear();  // how many there are is told without places for them
    ASSERT_EQ(stage.run(), ATOLL_OK) << atoll_error_message();
    EXPECT_EQ(stage.export_count, 1u);
  }
}

TEST_P(GraphicsWaves, AGroupOfGeometryWavesExportsAndSendsMessages) {
  Stage stage(GetParam(), ATOLL_STAGE_GEOMETRY, R"(
    s_movk_i32 m0, 0x1003
    s_sendmsg sendmsg(MSG_GS_ALLOC_REQ)
    export prim v0, off, off, off done
    v_mov_b32_e32 v8, 2.0
    export pos0 v5, v8, v8, v8 done
    s_endpgm
  )",
              2);
  std::array<std::vector<uint32_t>, 2> v0{std::vector<uint32_t>(32), std::vector<uint32_t>(32)};
  const uint32_t v5 = 5;
  std::array<std::array<atoll_lane_values, 2>, 2> values;
  for (uint32_t w = 0; w < 2; w++) {
    for (uint32_t n = 0; n < 32; n++) v0[w][n] = w * 100 + n;
    values[w] = {{{0, 32, v0[w].data()}, {5, 1, &v5}}};
    stage.waves[w].values = values[w].data(), stage.waves[w].value_count = 2;
    stage.waves[w].group_primitives = 6, stage.waves[w].group_vertices = 10;
    stage.waves[w].primitives = 3, stage.waves[w].vertices = 5, stage.waves[w].wave_in_group = w;
  }
  ASSERT_EQ(stage.run(), ATOLL_OK) << atoll_error_message();
  ASSERT_EQ(stage.export_count, 4u);
  for (uint32_t w = 0; w < 2; w++) {
    const atoll_export &prim = stage.exports[2 * w], &pos = stage.exports[2 * w + 1];
    EXPECT_EQ(prim.wave, w);
    EXPECT_EQ(prim.target, 20u);
    EXPECT_EQ(prim.lanes, 0x1fu);
    EXPECT_EQ(pos.target, 12u);
    for (uint32_t n = 0; n < 32; n++) {
      EXPECT_EQ(prim.values[0][n], n < 5 ? w * 100 + n : 0);
      EXPECT_EQ(pos.values[0][n], n < 5 ? 5u : 0);
      EXPECT_EQ(pos.values[3][n], n < 5 ? 0x40000000u : 0);
    }
  }
  ASSERT_EQ(stage.message_count, 2u);
  EXPECT_EQ(stage.messages[0].m0, 0x1003u);
  EXPECT_EQ(stage.messages[0].wave + stage.messages[1].wave, 1u);
}

TEST_P(GraphicsWaves, AHullWaveLeavesItsLds) {
  Stage stage(GetParam(), ATOLL_STAGE_HULL, R"(
    v_lshlrev_b32_e32 v4, 2, v0
    ds_load_b32 v5, v4
    s_wait_dscnt 0x0
    v_add_nc_u32_e32 v5, v5, v1
    ds_store_b32 v4, v5
    s_endpgm
  )");
  std::vector<uint32_t> lane(32), lds(32);
  for (uint32_t n = 0; n < 32; n++) lane[n] = n, lds[n] = 7 * n;
  const uint32_t v1 = 1000;
  const atoll_lane_values values[] = {{0, 32, lane.data()}, {1, 1, &v1}};
  stage.waves[0].values = values, stage.waves[0].value_count = 2;
  stage.waves[0].has_exec = 1, stage.waves[0].exec = 0xff;
  stage.options.lds = lds.data(), stage.options.lds_bytes = 128;
  ASSERT_EQ(stage.run(), ATOLL_OK) << atoll_error_message();
  for (uint32_t n = 0; n < 32; n++) EXPECT_EQ(lds[n], 7 * n + (n < 8 ? 1000 : 0)) << n;
  EXPECT_EQ(stage.export_count, 0u);
}

TEST_P(GraphicsWaves, WhatGoesWrongIsAnError) {
  Stage stage(GetParam(), ATOLL_STAGE_PIXEL, pixel);
  const uint32_t some[64] = {};
  ASSERT_EQ(stage.run(), ATOLL_OK) << atoll_error_message();
  auto status = [&](auto change) {
    const auto wave = stage.waves[0];
    const auto options = stage.options;
    change(stage.waves[0], stage.options);
    const atoll_status status = stage.run();
    stage.waves[0] = wave, stage.options = options;
    return status;
  };
  atoll_lane_values values{2, 7, some};
  auto with_values = [&](auto& wave, auto&) { wave.values = &values, wave.value_count = 1, wave.input_ena = persp_center; };
  EXPECT_EQ(status(with_values), ATOLL_ERROR_MISMATCH);  // neither one nor 32
  values = {24, 1, some};
  EXPECT_EQ(status(with_values), ATOLL_ERROR_MISMATCH);
  values = {2, 65, some};
  EXPECT_EQ(status(with_values), ATOLL_ERROR_ARGUMENT);
  values = {2, 1, nullptr};
  EXPECT_EQ(status(with_values), ATOLL_ERROR_ARGUMENT);
  values = {2, 32, some};
  EXPECT_EQ(status(with_values), ATOLL_OK) << atoll_error_message();
  atoll_pixel_parameter parameter{0, 4, some, 1, 0};
  auto with_parameter = [&](auto& wave, auto&) { wave.parameters = &parameter, wave.parameter_count = 1; };
  EXPECT_EQ(status(with_parameter), ATOLL_ERROR_MISMATCH);
  parameter = {0, 0, nullptr, 1, 0};
  EXPECT_EQ(status(with_parameter), ATOLL_ERROR_ARGUMENT);
  parameter = {0, 0, some, ~0u, 0};
  EXPECT_EQ(status(with_parameter), ATOLL_ERROR_ARGUMENT);
  EXPECT_EQ(status([](auto& wave, auto&) { wave.size = 4; }), ATOLL_ERROR_ARGUMENT);
  EXPECT_EQ(status([](auto& wave, auto&) { wave.user_sgpr_count = 1; }), ATOLL_ERROR_ARGUMENT);
  EXPECT_EQ(status([](auto&, auto& o) { o.stage = 3; }), ATOLL_ERROR_ARGUMENT);
  EXPECT_EQ(status([](auto&, auto& o) { o.wave_size = 8; }), ATOLL_ERROR_ARGUMENT);
  EXPECT_EQ(status([](auto&, auto& o) { o.export_size = 8; }), ATOLL_ERROR_ARGUMENT);
  EXPECT_EQ(status([](auto&, auto& o) { o.wave_lanes = 16; }), ATOLL_ERROR_MISMATCH);
  EXPECT_EQ(status([](auto&, auto& o) { o.lds_bytes = 65537; }), ATOLL_ERROR_MISMATCH);
  EXPECT_EQ(status([](auto&, auto& o) { o.scratch_bytes = ~0u; }), ATOLL_ERROR_MISMATCH);
  EXPECT_EQ(atoll_run_graphics(nullptr, &stage.options, nullptr, nullptr, nullptr), ATOLL_ERROR_ARGUMENT);
  EXPECT_EQ(atoll_run_graphics(stage.gpu.device, nullptr, nullptr, nullptr, nullptr), ATOLL_ERROR_ARGUMENT);
  Gpu other(ATOLL_ENGINE_AUTO, "bonaire");
  EXPECT_EQ(atoll_run_graphics(other.device, &stage.options, nullptr, nullptr, nullptr), ATOLL_ERROR_UNSUPPORTED);

  stage.words = {0xbfa0ffff};  // s_branch to itself
  EXPECT_EQ(status([](auto&, auto& o) { o.timeout_seconds = 0.05; }), ATOLL_ERROR_TIMEOUT);
  stage.words = {0xffffffff, 0xffffffff, 0xffffffff};
  EXPECT_EQ(stage.run(), ATOLL_ERROR_FAULT);
  EXPECT_EQ(stage.result.fault.kind, uint32_t(ATOLL_FAULT_ILLEGAL));
}

}  // namespace
}  // namespace Atoll::api_tests
