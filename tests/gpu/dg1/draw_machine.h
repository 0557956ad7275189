// A context with memory for state, one kernel that writes render targets, and places for surfaces, for tests of what draws are made of.
#pragma once
#include <gtest/gtest.h>

#include <atomic>
#include <bit>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "batch.h"
#include "gpu/chips/chip.h"
#include "gpu/dg1/draw/draw_state.h"
#include "gpu/dg1/draw/targets.h"
#include "isa/xe_lp/encode.h"
#include "isa/xe_lp/parse.h"
#include "registers/lookup.h"
#include "tests/pipeline/canvas.h"

namespace Atoll::dg1 {

struct DrawMachine : ::testing::Test {
  static constexpr uint64_t dynamic_at = 0x1'0000'0000, surfaces_at = 0x2'0000'0000, kernels_at = 0x3'0000'0000,
                            colours_at = 0x4'0000'0000, depth_at = 0x5'0000'0000, stencil_at = 0x6'0000'0000, bytes = 1 << 21;
  // Offsets in the dynamic state.
  static constexpr uint32_t sf_viewports = 0, cc_viewports = 0x400, scissors = 0x500, blend = 0x600, colour_calc = 0x700;

  std::unique_ptr<AddressSpace> space = *AddressSpace::create_sectioned();
  gpu::Options options;
  std::atomic<int> stop{0};
  std::unique_ptr<Context> context;
  pipeline::Workers workers{1};
  pipeline::TableVertices vertices;
  pipeline::FunctionPixels pixels{pipeline::flat_colour};
  pipeline::Counters counters;

  DrawMachine() {
    for (uint64_t at : {dynamic_at, surfaces_at, kernels_at, colours_at, depth_at, stencil_at})
      EXPECT_TRUE(space->map(at, *space->memory().allocate(bytes), bytes));
    begin();
  }
  // State as iris leaves it for solid triangles, without depth, into one target of 64x64 in Y tiles.
  void begin() {
    context = std::make_unique<Context>(*gpu::find_chip("dg1"), gpu::QueueKind::graphics, *space, options, stop);
    context->bases.dynamic = dynamic_at, context->bases.surface = surfaces_at, context->bases.instruction = kernels_at;
    using namespace commands;
    send<_3DSTATE_CLIP>([](uint32_t* w) {
      using C = _3DSTATE_CLIP;
      C::Clip_Enable::set(w, 1), C::Viewport_XY_Clip_Test_Enable::set(w, 1), C::Guardband_Clip_Test_Enable::set(w, 1);
      C::Minimum_Point_Width::set(w, 1), C::Maximum_Point_Width::set(w, 2047);
    });
    send<_3DSTATE_SF>([](uint32_t* w) {
      using S = _3DSTATE_SF;
      S::Viewport_Transform_Enable::set(w, 1), S::Line_Width::set(w, 128), S::Point_Width::set(w, 8),
          S::Point_Width_Source::set(w, S::Point_Width_Source::State);
    });
    send<_3DSTATE_RASTER>([](uint32_t* w) {
      using R = _3DSTATE_RASTER;
      R::Cull_Mode::set(w, R::Cull_Mode::NONE), R::Viewport_Z_Near_Clip_Test_Enable::set(w, 1),
          R::Viewport_Z_Far_Clip_Test_Enable::set(w, 1);
    });
    send<_3DSTATE_SAMPLE_MASK>([](uint32_t* w) { _3DSTATE_SAMPLE_MASK::Sample_Mask::set(w, 0xffff); });
    send<_3DSTATE_DRAWING_RECTANGLE>([](uint32_t* w) { w[2] = ~0u; });
    send<_3DSTATE_VIEWPORT_STATE_POINTERS_SF_CLIP>([](uint32_t* w) { w[1] = sf_viewports; });
    send<_3DSTATE_VIEWPORT_STATE_POINTERS_CC>([](uint32_t* w) { w[1] = cc_viewports; });
    send<_3DSTATE_SCISSOR_STATE_POINTERS>([](uint32_t* w) { w[1] = scissors; });
    send<_3DSTATE_BLEND_STATE_POINTERS>([](uint32_t* w) { w[1] = blend | 1; });
    send<_3DSTATE_CC_STATE_POINTERS>([](uint32_t* w) { w[1] = colour_calc | 1; });
    send<_3DSTATE_PS_BLEND>([](uint32_t* w) { _3DSTATE_PS_BLEND::Has_Writeable_RT::set(w, 1); });
    send<_3DSTATE_PS_EXTRA>([](uint32_t* w) { _3DSTATE_PS_EXTRA::Pixel_Shader_Valid::set(w, 1); });
    send<_3DSTATE_PS>([](uint32_t* w) { _3DSTATE_PS::_8_Pixel_Dispatch_Enable::set(w, 1); });
    for (unsigned n = 0; n < 16; n++) viewport(n, 64, 64);
    write_kernel({0});
    target(0, colour(64, 64, SURFACE_FORMAT::R8G8B8A8_UNORM));
  }

  // A command whose other fields are 0; or, with change(), as they are.
  template <class Command, class Set>
  void send(Set&& set, uint32_t dwords = Command::dwords) {
    auto& words = sent_[Command::match];
    words.assign(dwords, 0);
    words[0] = Command::match | (dwords - 2);
    set(words.data());
    give(words);
  }
  template <class Command, class Set>
  void change(Set&& set) {
    auto& words = sent_[Command::match];
    if (words.empty()) words.assign(Command::dwords, 0), words[0] = Command::match | (Command::dwords - 2);
    set(words.data());
    give(words);
  }
  template <class Field>
  void put(uint64_t value) {
    change<typename Field::owner>([&](uint32_t* w) { Field::set(w, value); });
  }

  template <class T>
  T* memory(uint64_t at) {
    return reinterpret_cast<T*>(space->host(at));
  }
  uint32_t* dynamic(uint32_t offset) { return memory<uint32_t>(dynamic_at + offset); }

  // Viewport `n` over so many pixels, clip space as OpenGL has it, upside up.
  void viewport(unsigned n, float width, float height) {
    auto* f = memory<float>(dynamic_at + sf_viewports + n * 64);
    const float words[16] = {width / 2, -height / 2, 0.5f, width / 2, height / 2, 0.5f,      0, 0,
                             -8,        8,           -8,   8,         0,          width - 1, 0, height - 1};
    std::memcpy(f, words, sizeof words);
    memory<float>(dynamic_at + cc_viewports)[2 * n] = 0, memory<float>(dynamic_at + cc_viewports)[2 * n + 1] = 1;
  }
  // The kernel writes these targets, each of the binding table entry of its number.
  void write_kernel(std::initializer_list<unsigned> targets) {
    uint32_t* to = memory<uint32_t>(kernels_at);
    size_t left = targets.size();
    for (unsigned n : targets) {
      left--;
      const auto line = fmt::format("sendc.rc (8|M0) null r2 null 0x{:x} 0x{:08x}{}", n << 12,
                                    4u << 25 | 0xcu << 14 | (left ? 0u : 1u << 12) | 4u << 8 | n, left ? "" : " {EOT}");
      auto parsed = xe_lp::parse(line);
      ASSERT_TRUE(parsed) << parsed.error().message;
      auto words = xe_lp::encode_native(parsed->instruction);
      ASSERT_TRUE(words) << words.error().message;
      std::memcpy(to, words->half, sizeof words->half);
      to += 4;
    }
    context->kernels.invalidate();
  }
  // A surface state in Y tiles.
  SurfaceWords colour(unsigned width, unsigned height, uint32_t format, uint64_t at = colours_at) {
    SurfaceWords w{};
    using S = SurfaceState;
    S::Surface_Type::set(w, SurfaceType::SURFTYPE_2D), S::Surface_Format::set(w, format);
    S::Tile_Mode::set(w, TileMode::YMAJOR), S::Width::set(w, width - 1), S::Height::set(w, height - 1);
    S::Surface_Horizontal_Alignment::set(w, 3), S::Surface_Vertical_Alignment::set(w, 1);
    S::Surface_Pitch::set(w, 4095), S::Surface_QPitch::set(w, 64 / 4), S::Surface_Base_Address::set(w, at);
    for (unsigned c = 0; c < 4; c++) w[7] |= (4 + c) << (25 - 3 * c);
    return w;
  }
  void target(unsigned entry, const SurfaceWords& words) {
    *memory<uint32_t>(surfaces_at + entry * 4) = 0x1000 + entry * 64;
    std::memcpy(memory<uint32_t>(surfaces_at + 0x1000 + entry * 64), words.data(), sizeof words);
  }

  // Empty: it was found.
  std::string find(pipeline::Draw& draw) {
    draw = {};
    if (find_fixed_function(*context, draw)) return "";
    return context->report();
  }
  pipeline::Draw found() {
    pipeline::Draw draw;
    EXPECT_EQ(find(draw), "");
    return draw;
  }
  // Draws the vertices. `topology`: as given.
  void run(pipeline::Topology topology = pipeline::Topology::triangles) {
    pipeline::Draw draw;
    draw.assembly.topology = topology;
    ASSERT_TRUE(find_fixed_function(*context, draw)) << context->report();
    draw.vertices.count = uint32_t(vertices.vertices.size());
    draw.vertex_stage = &vertices;
    if (dispatches_pixels(context->graphics)) draw.pixel_stage = &pixels;
    ASSERT_TRUE(pipeline::run(draw, workers, counters, stop));
  }

private:
  std::map<uint32_t, std::vector<uint32_t>> sent_;

  void give(const std::vector<uint32_t>& words) {
    const registers::Command* row = registers::find_command(registers::dg1_tables, words[0]);
    ASSERT_TRUE(row);
    context->graphics.set(*row, words);
  }
};

}  // namespace Atoll::dg1
