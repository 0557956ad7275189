// Immediate mode: vertices that are written to state registers (VAP_VF_CNTL.PRIM_WALK 0), against the same ones as data.
#include "scene.h"

namespace Atoll::r5xx::test {
namespace {

using Prim = VAP_VF_CNTL::PRIM_TYPE;
constexpr uint32_t position = 1, colour_0 = 1 << 2, colour_1 = 1 << 3, coordinate_0 = 1 << 10;

const std::vector<Point> triangle = {{2, 3, 0.5f, 1, {1, 0, 0, 1}, {0, 1, 0, 1}},
                                     {60, 5, 0.5f, 1, {0, 1, 0, 1}, {1, 0, 1, 1}},
                                     {20, 30, 0.5f, 1, {0, 0, 1, 0.5f}, {0, 0.5f, 1, 1}}};

void begin(Stream& s, uint32_t vectors, uint32_t type, uint32_t vertices) {
  s.set(VAP_VSM_VTX_ASSM::address(), vectors).set(VAP_VF_CNTL::address(), type | vertices << 16);
}
void vector(Stream& s, uint32_t address, std::array<float, 4> v) {
  s.set(address, {bits(v[0]), bits(v[1]), bits(v[2]), bits(v[3])});
}

std::vector<uint32_t> picture(const Scene& scene) {
  std::vector<uint32_t> all(Scene::width * Scene::height);
  std::memcpy(all.data(), scene.target.host_pointer, all.size() * 4);
  return all;
}

TEST(ImmediateMode, APositionsLastComponentMakesAVertex) {
  Scene data, state;
  data.draw(Prim::Triangle_List, triangle).run();
  begin(state.stream, position | coordinate_0, Prim::Triangle_List, 3);
  for (auto& p : triangle) {
    vector(state.stream, VAP_VTX_ST_TEX_S::address(0), p.a);
    vector(state.stream, VAP_VTX_ST_POS_0_X_4::address(), {p.x, p.y, p.z, p.w});
  }
  state.run();
  EXPECT_GT(data.count(0), 0u);
  EXPECT_LT(data.count(0), Scene::width * Scene::height);
  EXPECT_EQ(picture(state), picture(data));
}

// Two components: z is 0. Three: w is 1. Components that are not written stay from vertex to vertex.
TEST(ImmediateMode, ShortPositionsAndPackedColours) {
  Scene state;
  state.coloured();
  begin(state.stream, position | colour_0 | colour_1, Prim::Quad_List, 4);
  state.stream.set(VAP_VTX_ST_CLR_PKD::address(0), 0xff4080c0);
  vector(state.stream, VAP_VTX_ST_CLR_R::address(1), {0, 0, 0, 1});
  state.stream.set(VAP_VTX_ST_POS_0_X_2::address(), {bits(0), bits(0)});
  state.stream.set(VAP_VTX_ST_POS_0_X_3::address(), {bits(64), bits(0), bits(0)});
  state.stream.set(VAP_VTX_ST_POS_0_X_2::address(), {bits(64), bits(32)});
  state.stream.set(VAP_VTX_ST_POS_0_X_3::address(), {bits(0), bits(32), bits(0)});
  state.run();
  EXPECT_EQ(state.count(0xff4080c0), Scene::width * Scene::height);
}

TEST(ImmediateMode, UserColoursStandInForColours) {
  Scene state;
  state.coloured();
  Stream& s = state.stream;
  using State = VAP_VTX_STATE_CNTL;
  s.set(State::address(), State::UPDATE_USER_COLOR_0_ENA::of(1));
  vector(s, VAP_VTX_ST_USR_CLR_R::address(), {1, 0, 0, 1});
  s.set(State::address(), State::UPDATE_USER_COLOR_1_ENA::of(1));
  s.set(VAP_VTX_ST_USR_CLR_PKD::address(), 0xffff0000);
  s.set(State::address(), 0);
  vector(s, VAP_VTX_ST_USR_CLR_R::address(), {1, 1, 1, 1});  // kept by neither
  vector(s, VAP_VTX_ST_CLR_R::address(0), {0, 1, 0, 1});
  auto points = [&](float y) {
    for (float x : {2.5f, 60.5f}) s.set(VAP_VTX_ST_POS_0_X_2::address(), {bits(x), bits(y)});
  };
  begin(s, position | colour_0 | colour_1, Prim::Line_List, 6);
  points(3.5f);
  s.set(State::address(), State::COLOR_0_ASSEMBLY_CNTL::of(1));
  points(10.5f);
  s.set(State::address(), State::COLOR_0_ASSEMBLY_CNTL::of(2));
  points(20.5f);
  state.run();
  EXPECT_EQ(state.at(30, 3), 0xff00ff00);
  EXPECT_EQ(state.at(30, 10), 0xff0000ff);
  EXPECT_EQ(state.at(30, 20), 0xffff0000);
}

TEST(ImmediateMode, TheEndOfThePacketDrawsWhatThereIs) {
  Scene state;
  begin(state.stream, position | coordinate_0, Prim::Triangle_List, 6);
  vector(state.stream, VAP_VTX_ST_TEX_S::address(0), {1, 1, 1, 1});
  for (auto& p : triangle) state.stream.set(VAP_VTX_ST_POS_0_X_2::address(), {bits(p.x), bits(p.y)});
  state.run();
  EXPECT_EQ(state.count(~0u), 0u);
  state.stream.set(VAP_VTX_ST_END_OF_PKT::address(), 0);
  state.run();
  EXPECT_GT(state.count(~0u), 100u);
}

TEST(ImmediateMode, EdgesWithoutFlagAreNotDrawn) {
  for (bool flag : {true, false}) {
    Scene state;
    Stream& s = state.stream;
    s.set(GA_POLY_MODE::address(),
          GA_POLY_MODE::POLY_MODE::of(1) | GA_POLY_MODE::FRONT_PTYPE::of(1) | GA_POLY_MODE::BACK_PTYPE::of(1));
    begin(s, position | coordinate_0, Prim::Triangle_List, 3);
    vector(s, VAP_VTX_ST_TEX_S::address(0), {1, 1, 1, 1});
    s.set(VAP_VTX_ST_EDGE_FLAGS::address(), flag).set(VAP_VTX_ST_POS_0_X_2::address(), {bits(4.5f), bits(4.5f)});
    s.set(VAP_VTX_ST_EDGE_FLAGS::address(), 1).set(VAP_VTX_ST_POS_0_X_2::address(), {bits(50.5f), bits(4.5f)});
    s.set(VAP_VTX_ST_POS_0_X_2::address(), {bits(50.5f), bits(28.5f)});
    state.run();
    EXPECT_EQ(state.at(20, 4) == ~0u, flag);
    EXPECT_EQ(state.at(50, 20), ~0u);
  }
}

TEST(ImmediateMode, AVertexWithoutADrawIsReported) {
  Machine machine;
  Stream s;
  s.set(VAP_VTX_ST_POS_0_X_2::address(), {0, 0});
  EXPECT_TRUE(machine.run(s));
  EXPECT_EQ(machine.unknown("a vertex of VAP_VTX_ST without a draw"), 1u);
}

}  // namespace
}  // namespace Atoll::r5xx::test
