// Draws that wait for each other: a batch that changes, right behind a draw, whatever that draw was made of, by commands that set state
// and by commands that write memory, leaves what the draw alone would leave; counters hold what draws before have counted.
#include <bit>
#include <functional>

#include "../batch.h"
#include "isa/xe_lp/program.h"

namespace Atoll::dg1 {
namespace {

using namespace commands;

constexpr uint32_t size = 32;  // pixels, both ways
constexpr uint64_t surfaces = Commands::data_at, dynamic = surfaces + 0x1000, colour_at = surfaces + 0x4000,
                   other_colour_at = surfaces + 0x6000, counts_at = surfaces + 0x8000;
constexpr uint32_t table = 0x800, blend = 0x180, colour_calc = 0x200, cc_viewports = 0x100;
constexpr uint64_t constants = surfaces + 0x2000, other_constants = surfaces + 0x2100, vertices = surfaces + 0x2800;

struct WaitingDraws : Commands, ::testing::WithParamInterface<unsigned> {
  Batch b;

  WaitingDraws() {
    open({.threads = GetParam()});
    put_memory();
    add_state();
  }
  void put(uint64_t at, const std::vector<uint32_t>& words) { write(at, words); }
  static std::vector<uint32_t> colour(float r, float g, float blue) {
    return {std::bit_cast<uint32_t>(r), std::bit_cast<uint32_t>(g), std::bit_cast<uint32_t>(blue), 0x3f800000, 0, 0, 0, 0};
  }
  // A kernel whose colour are push constants, the first of registers, and a triangle over all pixels.
  void put_memory() {
    std::vector<std::string> lines;
    for (unsigned c = 0; c < 4; c++) lines.push_back(fmt::format("mov (8|M0) r{}.0<1>:f r4.{}<0;1,0>:f", 10 + c, c));
    lines.push_back(
        fmt::format("sendc.rc (8|M0) null r10 null 0x0 0x{:08x} {{EOT}}", 4u << 25 | 0xcu << 14 | 1u << 12 | 4u << 8));
    auto words = xe_lp::assemble(lines);
    ASSERT_TRUE(words) << words.error().message;
    put(more_at, *words);
    put(constants, colour(1, 0, 0));
    put(other_constants, colour(0, 1, 0));
    const float corners[] = {-1, -1, 0, 1, 3, -1, 0, 1, -1, 3, 0, 1};
    for (unsigned n = 0; n < 3; n++) {
      const auto* bits = reinterpret_cast<const uint32_t*>(corners + 4 * n);
      put(vertices + n * 32, {0, 0, 0, 0, bits[0], bits[1], bits[2], bits[3]});
    }
    const float viewport[] = {size / 2, -float(size) / 2, 0.5f, size / 2, size / 2, 0.5f, 0, 0, -8, 8, -8, 8,
                              0,        size - 1,         0,    size - 1};
    const auto* bits = reinterpret_cast<const uint32_t*>(viewport);
    put(dynamic, {bits, bits + 16});
    put(dynamic + cc_viewports, {0, 0x3f800000});
    put(dynamic + blend, {0, 0, 0}), put(dynamic + colour_calc, {0, 0, 0, 0, 0, 0});
    target(colour_at);
    put(surfaces + table, {0x40});
  }
  static std::vector<uint32_t> state_of(uint64_t at) {
    using S = structures::RENDER_SURFACE_STATE;
    std::vector<uint32_t> w(S::dwords);
    S::Surface_Type::set(w.data(), S::Surface_Type::SURFTYPE_2D),
        S::Surface_Format::set(w.data(), SURFACE_FORMAT::R8G8B8A8_UNORM);
    S::Tile_Mode::set(w.data(), S::Tile_Mode::YMAJOR), S::Surface_Pitch::set(w.data(), 127), S::Surface_QPitch::set(w.data(), 8);
    S::Width::set(w.data(), size - 1), S::Height::set(w.data(), size - 1);
    S::Surface_Horizontal_Alignment::set(w.data(), 1), S::Surface_Vertical_Alignment::set(w.data(), 1);
    S::Shader_Channel_Select_Red::set(w.data(), 4), S::Shader_Channel_Select_Green::set(w.data(), 5);
    S::Shader_Channel_Select_Blue::set(w.data(), 6), S::Shader_Channel_Select_Alpha::set(w.data(), 7);
    S::Surface_Base_Address::set(w.data(), at);
    return w;
  }
  void target(uint64_t at) { put(surfaces + 0x40, state_of(at)); }
  void bases(uint64_t of_surfaces, uint64_t of_dynamic, uint64_t of_kernels) {
    b.add<STATE_BASE_ADDRESS>([&](uint32_t* w) {
      using Base = STATE_BASE_ADDRESS;
      Base::Surface_State_Base_Address_Modify_Enable::set(w, 1), Base::Surface_State_Base_Address::set(w, of_surfaces);
      Base::Dynamic_State_Base_Address_Modify_Enable::set(w, 1), Base::Dynamic_State_Base_Address::set(w, of_dynamic);
      Base::Instruction_Base_Address_Modify_Enable::set(w, 1), Base::Instruction_Base_Address::set(w, of_kernels);
    });
  }
  void push_constants(uint64_t at) {
    b.add<_3DSTATE_CONSTANT_PS>([&](uint32_t* w) {
      using C = _3DSTATE_CONSTANT_PS;
      C::Constant_Body_Read_Length_0::set(w, 1), C::Constant_Body_Buffer_0::set(w, at);
    });
  }
  void add_state() {
    bases(surfaces, dynamic, more_at);
    b.add<_3DSTATE_VERTEX_BUFFERS>(
        [](uint32_t* w) { w[1] = 32 | 1 << 14, w[2] = uint32_t(vertices), w[3] = uint32_t(vertices >> 32), w[4] = 96; }, 5);
    b.add<_3DSTATE_VERTEX_ELEMENTS>(
        [](uint32_t* w) {
          for (uint32_t n = 0; n < 2; n++)
            w[1 + 2 * n] = 16 * n | SURFACE_FORMAT::R32G32B32A32_FLOAT << 16 | 1 << 25, w[2 + 2 * n] = 0x11110000;
        },
        5);
    b.add<_3DSTATE_VF_TOPOLOGY>([](uint32_t* w) { w[1] = _3D_Prim_Topo_Type::_3DPRIM_TRILIST; });
    b.add<_3DSTATE_CLIP>([](uint32_t* w) {
      using C = _3DSTATE_CLIP;
      C::Clip_Enable::set(w, 1), C::Viewport_XY_Clip_Test_Enable::set(w, 1), C::Guardband_Clip_Test_Enable::set(w, 1);
    });
    b.add<_3DSTATE_SF>([](uint32_t* w) { _3DSTATE_SF::Viewport_Transform_Enable::set(w, 1); });
    b.add<_3DSTATE_RASTER>([](uint32_t* w) { _3DSTATE_RASTER::Cull_Mode::set(w, _3DSTATE_RASTER::Cull_Mode::NONE); });
    b.add<_3DSTATE_WM>([](uint32_t* w) { _3DSTATE_WM::Statistics_Enable::set(w, 1); });
    b.add<_3DSTATE_SAMPLE_MASK>([](uint32_t* w) { w[1] = 0xffff; });
    b.add<_3DSTATE_DRAWING_RECTANGLE>([](uint32_t* w) { w[2] = (size - 1) << 16 | (size - 1); });
    b.add<_3DSTATE_VIEWPORT_STATE_POINTERS_SF_CLIP>([](uint32_t*) {});
    b.add<_3DSTATE_VIEWPORT_STATE_POINTERS_CC>([](uint32_t* w) { w[1] = cc_viewports; });
    b.add<_3DSTATE_BLEND_STATE_POINTERS>([](uint32_t* w) { w[1] = blend | 1; });
    b.add<_3DSTATE_CC_STATE_POINTERS>([](uint32_t* w) { w[1] = colour_calc | 1; });
    b.add<_3DSTATE_PS_BLEND>([](uint32_t* w) { _3DSTATE_PS_BLEND::Has_Writeable_RT::set(w, 1); });
    b.add<_3DSTATE_PS_EXTRA>([](uint32_t* w) { _3DSTATE_PS_EXTRA::Pixel_Shader_Valid::set(w, 1); });
    b.add<_3DSTATE_PS>([](uint32_t* w) {
      using P = _3DSTATE_PS;
      P::_8_Pixel_Dispatch_Enable::set(w, 1), P::Dispatch_GRF_Start_Register_For_Constant_Setup_Data_0::set(w, 4);
      P::Push_Constant_Enable::set(w, 1);
    });
    b.add<_3DSTATE_BINDING_TABLE_POINTERS_PS>([](uint32_t* w) { w[1] = table; });
    push_constants(constants);
  }
  void draw() {
    b.add<_3DPRIMITIVE>(
        [](uint32_t* w) { _3DPRIMITIVE::Vertex_Count_Per_Instance::set(w, 3), _3DPRIMITIVE::Instance_Count::set(w, 1); }, 7);
  }
  // All pixels of a target; 0xdead where they are not all the same.
  uint32_t pixels(uint64_t at) {
    const auto* texels = reinterpret_cast<const uint32_t*>(space->host(at));
    for (uint32_t n = 1; n < size * size; n++)
      if (texels[n] != texels[0]) return 0xdead;
    return texels[0];
  }
};
INSTANTIATE_TEST_SUITE_P(Threads, WaitingDraws, testing::Values(1u, 2u));

constexpr uint32_t red = 0xff0000ff;

TEST_P(WaitingDraws, StateThatFollowsIsNoneOfTheirs) {
  const std::vector<std::function<void()>> changes = {
      [&] { push_constants(other_constants); },
      [&] { bases(surfaces + 0x9000, dynamic + 0x9000, more_at + 0x4000); },
      [&] { b.add<_3DSTATE_BINDING_TABLE_POINTERS_PS>([](uint32_t* w) { w[1] = table + 0x40; }); },
      [&] { b.add<_3DSTATE_PS>([](uint32_t*) {}); },
      [&] { b.add<_3DSTATE_PS_EXTRA>([](uint32_t*) {}); },
      [&] { b.add<_3DSTATE_SAMPLE_MASK>([](uint32_t*) {}); },
      [&] { b.add<_3DSTATE_DRAWING_RECTANGLE>([](uint32_t*) {}); },
      [&] { b.add<_3DSTATE_RASTER>([](uint32_t* w) { _3DSTATE_RASTER::Cull_Mode::set(w, _3DSTATE_RASTER::Cull_Mode::BOTH); }); },
      [&] { b.add<_3DSTATE_VERTEX_BUFFERS>([](uint32_t*) {}, 5); },
  };
  const Batch begin = b;
  for (size_t n = 0; n < changes.size(); n++) {
    b = begin;
    std::memset(space->host(colour_at), 0, 4096);
    draw();
    changes[n]();
    ASSERT_EQ(run(b.end_batch()), "") << n;
    EXPECT_EQ(pixels(colour_at), red) << n;
  }
}

TEST_P(WaitingDraws, MemoryThatIsWrittenBehindThem) {
  const auto elsewhere = state_of(other_colour_at);
  const std::vector<std::function<void()>> changes = {
      [&] { b.store(constants, 0).store(constants + 4, 0x3f800000); },
      [&] { b.store(surfaces + 0x40 + 32, elsewhere[8]).store(surfaces + 0x40 + 36, elsewhere[9]); },
      [&] { b.store(surfaces + table, 0x80); },
      [&] { b.store(vertices + 16, 0x40000000).store(vertices + 32 + 16, 0x40000000); },
      [&] { b.store(dynamic, 0).store(dynamic + 4, 0); },
      [&] { b.store(more_at, 0).store(more_at + 4, 0); },
      [&] { b.store(dynamic + blend + 4, 0xf << 27); },
  };
  const Batch begin = b;
  for (size_t n = 0; n < changes.size(); n++) {
    b = begin;
    put_memory();
    std::memset(space->host(colour_at), 0, 4096);
    draw();
    changes[n]();
    ASSERT_EQ(run(b.end_batch()), "") << n;
    EXPECT_EQ(pixels(colour_at), red) << n;
  }
}

// One after the other into the same target: the last one's colour, whatever was between.
TEST_P(WaitingDraws, TheirOrder) {
  const Batch begin = b;
  for (unsigned between = 0; between < 3; between++) {
    b = begin;
    for (unsigned n = 0; n < 100; n++) {
      push_constants(n % 2 ? constants : other_constants);
      draw();
      if (between == 1) b.store(counts_at + 64, n);
      if (between == 2 && n % 7 == 0) b.load(0x2600, n);
    }
    ASSERT_EQ(run(b.end_batch()), "");
    EXPECT_EQ(pixels(colour_at), red) << between;
  }
}

// Counters are read, and set, with all draws before counted.
TEST_P(WaitingDraws, Counters) {
  constexpr uint32_t pixels_shaded = 0x2348, general = 0x2600;
  const uint32_t each = size * size;
  draw(), draw();
  b.add({0x15000001, pixels_shaded, general});  // MI_LOAD_REGISTER_REG
  b.load(pixels_shaded, 5);
  draw();
  b.store_register(general, counts_at)
      .store_register(pixels_shaded, counts_at + 4)
      .store_register(pixels_shaded + 4, counts_at + 8);
  ASSERT_EQ(run(b.end_batch()), "");
  const auto* counts = reinterpret_cast<const uint32_t*>(space->host(counts_at));
  EXPECT_EQ(counts[0], 2 * each);
  EXPECT_EQ(counts[1], 5 + each);
  EXPECT_EQ(counts[2], 0u);
  EXPECT_EQ(pixels(colour_at), red);
}

}  // namespace
}  // namespace Atoll::dg1
