// The initial state of graphics waves, word by word against the tables of RDNA4 ISA 3.5, written out by
// hand.
#include "gpu/rdna4/graphics_state.h"

#include <gtest/gtest.h>

#include <cstring>
#include <map>

#include "base/expected.h"

namespace Atoll::rdna4 {
namespace {

GraphicsState state_of(const GraphicsStart& start, std::vector<uint32_t> user, unsigned lanes,
                       std::optional<uint64_t> exec = {}) {
  auto state = graphics_state(start, user, lanes, exec);
  EXPECT_TRUE(state) << (state ? "" : state.error().message);
  return state ? *state : GraphicsState{};
}
std::string error_of(const GraphicsStart& start, std::vector<uint32_t> user = {}, unsigned lanes = 32) {
  auto state = graphics_state(start, user, lanes);
  return state ? "no error" : state.error().message;
}
std::map<uint32_t, uint32_t> first_lanes(const GraphicsState& state) {
  std::map<uint32_t, uint32_t> all;
  for (const auto& v : state.vgprs) all[v.number] = v.values[0];
  return all;
}

TEST(GraphicsState, PixelTermsPackTowardVgpr0) {
  PixelStart start;
  start.input_ena = 0x303;  // persp sample, persp center, x, y: the manual's first example
  auto set = [&](PixelTerm t, uint32_t value) { start.terms[size_t(t)] = {value}; };
  set(PixelTerm::persp_sample_i, 10), set(PixelTerm::persp_sample_j, 11), set(PixelTerm::persp_center_i, 12);
  set(PixelTerm::persp_center_j, 13), set(PixelTerm::pos_x, 14), set(PixelTerm::pos_y, 15);
  EXPECT_EQ(first_lanes(state_of(start, {}, 32)),
            (std::map<uint32_t, uint32_t>{{0, 10}, {1, 11}, {2, 12}, {3, 13}, {4, 14}, {5, 15}}));
  // ... and its second one, in which ADDR has places that ENA does not fill.
  start.input_addr = 0x303 | 1 << 2 | 1 << 3 | 1 << 6 | 1 << 7;
  EXPECT_EQ(first_lanes(state_of(start, {}, 32)),
            (std::map<uint32_t, uint32_t>{{0, 10}, {1, 11}, {2, 12}, {3, 13}, {12, 14}, {13, 15}}));
}

TEST(GraphicsState, AllPixelTermsHaveThePlacesOfAFullLoad) {
  // The register of each, and the bit of SPI_PS_INPUT_ENA: the manual's table.
  const std::pair<const char*, unsigned> table[] = {{"persp_sample_i", 0},
                                                    {"persp_sample_j", 0},
                                                    {"persp_center_i", 1},
                                                    {"persp_center_j", 1},
                                                    {"persp_centroid_i", 2},
                                                    {"persp_centroid_j", 2},
                                                    {"persp_pull_i_over_w", 3},
                                                    {"persp_pull_j_over_w", 3},
                                                    {"persp_pull_one_over_w", 3},
                                                    {"linear_sample_i", 4},
                                                    {"linear_sample_j", 4},
                                                    {"linear_center_i", 5},
                                                    {"linear_center_j", 5},
                                                    {"linear_centroid_i", 6},
                                                    {"linear_centroid_j", 6},
                                                    {"line_stipple", 7},
                                                    {"pos_x", 8},
                                                    {"pos_y", 9},
                                                    {"pos_z", 10},
                                                    {"pos_w", 11},
                                                    {"front_face", 12},
                                                    {"ancillary", 13},
                                                    {"sample_coverage", 14},
                                                    {"pos_fixed", 15}};
  PixelStart start;
  start.input_ena = 0xffff;
  for (unsigned t = 0; t < 24; t++) {
    EXPECT_EQ(name_of(PixelTerm(t)), table[t].first);
    EXPECT_EQ(input_bit_of(PixelTerm(t)), table[t].second);
    start.terms[t] = {100 + t};
  }
  auto vgprs = first_lanes(state_of(start, {}, 64));
  ASSERT_EQ(vgprs.size(), 24u);
  for (unsigned t = 0; t < 24; t++) EXPECT_EQ(vgprs[t], 100 + t);
}

TEST(GraphicsState, PixelSgprs) {
  PixelStart start;
  start.new_primitive = 0x8003, start.lds_offset = 0x180, start.bc_optimize = true;
  auto s = state_of(start, {7, 8}, 64);
  EXPECT_EQ(s.sgpr_count, 3u);
  EXPECT_EQ(s.sgprs[0], 7u);
  EXPECT_EQ(s.sgprs[1], 8u);
  EXPECT_EQ(s.sgprs[2], 0xc0010180u) << "BC_OPTIMIZE, a bit a quad from the second on, the parameters' offset";
  EXPECT_EQ(s.exec, ~uint64_t(0));
  start.wave_id = 0x1234, start.provoking_vertex = 0x5a;
  s = state_of(start, {}, 32, 0xff);
  EXPECT_EQ(s.sgpr_count, 3u);
  EXPECT_EQ(s.sgprs[1], 0x1234u);
  EXPECT_EQ(s.sgprs[2], 0x5au);
  EXPECT_EQ(s.exec, 0xffu);
  EXPECT_EQ(s.status, 1u << 8 | 1u << 25) << "EXPORT_RDY, LDS_PARAM_RDY";
}

TEST(GraphicsState, GeometrySgprs) {
  GeometryStart g{.address = 0x123456789a,
                  .group_primitives = 0x155,
                  .group_vertices = 0xaa,
                  .ordered_wave_id = 0x321,
                  .primitives = 20,
                  .vertices = 60,
                  .off_chip = 0xdead0000,
                  .waves_in_group = 3,
                  .wave_in_group = 2,
                  .attribute_ring = 0x7001};
  g.vgprs[0] = {primitive_word(1, 2, 3)};
  auto s = state_of(g, {0x11, 0x22}, 64);
  const uint32_t want[] = {
      0x3456789a, 0x12, 0x155u << 22 | 0xaau << 12 | 0x321, 3u << 28 | 2u << 24 | 20u << 8 | 60, 0xdead0000, 0x7001, 0, 0,
      0x11,       0x22};
  ASSERT_EQ(s.sgpr_count, std::size(want));
  for (size_t n = 0; n < std::size(want); n++) EXPECT_EQ(s.sgprs[n], want[n]) << "s" << n;
  EXPECT_EQ(s.exec, (uint64_t(1) << 60) - 1);
  EXPECT_EQ(first_lanes(s).at(0), 1u | 2u << 9 | 3u << 18);
  EXPECT_EQ(primitive_word(0, 0, 0, 7, 31), 1u << 8 | 1u << 17 | 1u << 26 | 31u << 27);

  GeometryStart mesh{
      .address = 5, .mesh = true, .group_id = {0x1111, 0x2222, 0x3333}, .waves_in_group = 1, .attribute_ring = 0x41};
  s = state_of(mesh, {}, 32);
  EXPECT_EQ(s.sgprs[2], 0u);
  EXPECT_EQ(s.sgprs[3], 1u << 28);
  EXPECT_EQ(s.sgprs[4], 0x22221111u);
  EXPECT_EQ(s.sgprs[5], 0x33330041u);
  EXPECT_EQ(s.exec, 0xffffffffu);
}

TEST(GraphicsState, HullSgprs) {
  HullStart h{.address = 0x100000002,
              .off_chip = 0x4000,
              .factor_ring = 0x3ffff,
              .first_wave = true,
              .group_size = 5,
              .patches = 9,
              .hull_vertices = 27,
              .vertices = 30,
              .wave_in_group = 17};
  for (unsigned n = 0; n < 4; n++) h.vgprs[n] = {n + 1};
  auto s = state_of(h, {1}, 32);
  const uint32_t want[] = {2, 1, 0x4000, 1u << 31 | 5u << 24 | 9u << 16 | 27u << 8 | 30, 0x3ffff, 17, 0, 0, 1};
  ASSERT_EQ(s.sgpr_count, std::size(want));
  for (size_t n = 0; n < std::size(want); n++) EXPECT_EQ(s.sgprs[n], want[n]) << "s" << n;
  EXPECT_EQ(s.exec, (1u << 30) - 1);
  EXPECT_EQ(first_lanes(s), (std::map<uint32_t, uint32_t>{{0, 1}, {1, 2}, {2, 3}, {3, 4}}));
}

TEST(GraphicsState, WhatDoesNotFitIsRefused) {
  PixelStart p;
  p.input_ena = 2;
  p.terms[size_t(PixelTerm::pos_x)] = {1};
  EXPECT_EQ(error_of(p), "pos_x: its bit 8 of input_ena is not set");
  p.terms[size_t(PixelTerm::pos_x)] = {}, p.terms[size_t(PixelTerm::persp_center_i)] = {1, 2, 3};
  EXPECT_EQ(error_of(p), "persp_center_i: 3 values, the wave has 32 lanes");
  EXPECT_NE(error_of(PixelStart{.input_ena = 3, .input_addr = 2}).find("no place for bits 0x1"), std::string::npos);
  EXPECT_NE(error_of(PixelStart{.input_ena = 0x10000}).find("16 bits"), std::string::npos);
  EXPECT_NE(error_of(PixelStart{.lds_offset = 64}).find("a multiple of 128"), std::string::npos);
  EXPECT_EQ(error_of(PixelStart{}, std::vector<uint32_t>(33)), "33 user SGPRs: at most 32");
  EXPECT_EQ(error_of(GeometryStart{.vertices = 256}), "vertices 256: it has 8 bits");
  EXPECT_EQ(error_of(GeometryStart{.mesh = true, .group_id = {0, 0x10000, 0}}), "group id y 65536: it has 16 bits");
  EXPECT_EQ(error_of(HullStart{.wave_in_group = 32}), "wave in the group 32: it has 5 bits");
}

TEST(GraphicsState, ParametersInLds) {
  PixelStart start;
  start.new_primitive = 0x12, start.lds_offset = 128;  // quads 1 and 4 begin primitives: three of them in wave64 and wave32
  start.parameters = {{.attribute = 1, .channel = 2, .primitives = {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}}}};
  EXPECT_EQ(primitives_of(start, 32), 3u);
  EXPECT_EQ(parameter_bytes(start, 32), 128u + 2 * 3 * 48);
  std::vector<uint8_t> lds(parameter_bytes(start, 32));
  ASSERT_TRUE(place_parameters(start, 32, lds));
  for (unsigned primitive = 0; primitive < 3; primitive++)
    for (unsigned part = 0; part < 3; part++) {
      uint32_t word;
      std::memcpy(&word, &lds[128 + 4 * (1 * 3 * 12 + primitive * 12 + part * 4 + 2)], 4);
      EXPECT_EQ(word, primitive * 3 + part + 1);
    }
  start.parameters[0].primitives.pop_back();
  EXPECT_EQ(place_parameters(start, 32, lds).error().message, "attr1.z: parameters of 2 primitives, the wave's quads are of 3");
  start.parameters[0].attribute = 33;
  EXPECT_FALSE(place_parameters(start, 32, lds));
  start.parameters = {{.attribute = 32, .channel = 0, .primitives = {{}, {}, {}}}};
  EXPECT_EQ(place_parameters(start, 32, lds).error().message, "attr32.x: LDS has 416 bytes");
}

}  // namespace
}  // namespace Atoll::rdna4
