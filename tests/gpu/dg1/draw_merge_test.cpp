// Depth, stencil, blending and when tests are made: each field against what the manual and Mesa's drivers say that its values mean.
#include "blend_factors.h"
#include "draw_machine.h"

namespace Atoll::dg1 {
namespace {

using namespace commands;
using pipeline::BlendFactor;
using pipeline::BlendOp;
using pipeline::Compare;
using pipeline::StencilOp;
using DepthStencil = _3DSTATE_WM_DEPTH_STENCIL;
using Ps = _3DSTATE_PS_EXTRA;
using Header = structures::BLEND_STATE;
using Entry = structures::BLEND_STATE_ENTRY;

struct Merge : DrawMachine {
  void depth_and_stencil(uint32_t format = _3DSTATE_DEPTH_BUFFER::Surface_Format::D32_FLOAT) {
    using D = _3DSTATE_DEPTH_BUFFER;
    send<D>([&](uint32_t* w) {
      D::Surface_Type::set(w, D::Surface_Type::SURFTYPE_2D), D::Surface_Format::set(w, format), D::Depth_Write_Enable::set(w, 1);
      D::Width::set(w, 63), D::Height::set(w, 63), D::Surface_Pitch::set(w, 255), D::Surface_QPitch::set(w, 16);
      D::Surface_Base_Address::set(w, depth_at);
    });
    using S = _3DSTATE_STENCIL_BUFFER;
    send<S>([&](uint32_t* w) {
      S::Surface_Type::set(w, S::Surface_Type::SURFTYPE_2D), S::Stencil_Write_Enable::set(w, 1);
      S::Width::set(w, 63), S::Height::set(w, 63), S::Surface_Pitch::set(w, 127), S::Surface_QPitch::set(w, 16);
      S::Surface_Base_Address::set(w, stencil_at);
    });
  }
  uint32_t* header() { return dynamic(blend); }
  uint32_t* entry(unsigned n) { return dynamic(blend) + 1 + 2 * n; }
};

constexpr Compare compares[] = {Compare::always,     Compare::never,   Compare::less,      Compare::equal,
                                Compare::less_equal, Compare::greater, Compare::not_equal, Compare::greater_equal};

TEST_F(Merge, DepthTests) {
  depth_and_stencil();
  for (bool test : {false, true})
    for (bool write : {false, true})
      for (bool writable : {false, true})
        for (uint32_t function = 0; function < 8; function++) {
          put<DepthStencil::Depth_Test_Enable>(test), put<DepthStencil::Depth_Buffer_Write_Enable>(write);
          put<_3DSTATE_DEPTH_BUFFER::Depth_Write_Enable>(writable), put<DepthStencil::Depth_Test_Function>(function);
          const auto state = found().depth_stencil;
          EXPECT_EQ(state.depth_write, write && writable);
          EXPECT_EQ(state.depth_test, test || (write && writable));  // written without a test as well
          if (state.depth_test) EXPECT_EQ(state.depth_compare, test ? compares[function] : Compare::always);
        }
  put<_3DSTATE_DEPTH_BOUNDS::Depth_Bounds_Test_Enable>(1);
  put<_3DSTATE_DEPTH_BOUNDS::Depth_Bounds_Test_Min_Value>(std::bit_cast<uint32_t>(0.125f));
  put<_3DSTATE_DEPTH_BOUNDS::Depth_Bounds_Test_Max_Value>(std::bit_cast<uint32_t>(0.75f));
  EXPECT_TRUE(found().depth_stencil.bounds_test);
  EXPECT_EQ(found().depth_stencil.bounds_low, 0.125f);
  EXPECT_EQ(found().depth_stencil.bounds_high, 0.75f);
  put<_3DSTATE_DEPTH_BUFFER::Surface_Type>(7);
  EXPECT_FALSE(found().depth_stencil.bounds_test);
  EXPECT_FALSE(found().depth_stencil.depth_test);
}

TEST_F(Merge, StencilTests) {
  depth_and_stencil();
  constexpr StencilOp ops[] = {StencilOp::keep,
                               StencilOp::zero,
                               StencilOp::replace,
                               StencilOp::increment_clamp,
                               StencilOp::decrement_clamp,
                               StencilOp::increment_wrap,
                               StencilOp::decrement_wrap,
                               StencilOp::invert};
  put<DepthStencil::Stencil_Test_Enable>(1), put<DepthStencil::Stencil_Buffer_Write_Enable>(1);
  put<DepthStencil::Stencil_Test_Mask>(0x12), put<DepthStencil::Stencil_Write_Mask>(0x34),
      put<DepthStencil::Stencil_Reference_Value>(0x56);
  put<DepthStencil::Backface_Stencil_Test_Mask>(0x78), put<DepthStencil::Backface_Stencil_Write_Mask>(0x9a),
      put<DepthStencil::Backface_Stencil_Reference_Value>(0xbc);
  for (bool sides : {false, true})
    for (uint32_t n = 0; n < 8; n++) {
      put<DepthStencil::Double_Sided_Stencil_Enable>(sides);
      put<DepthStencil::Stencil_Test_Function>(n), put<DepthStencil::Backface_Stencil_Test_Function>(7 - n);
      put<DepthStencil::Stencil_Fail_Op>(n), put<DepthStencil::Stencil_Pass_Depth_Fail_Op>((n + 1) % 8),
          put<DepthStencil::Stencil_Pass_Depth_Pass_Op>((n + 2) % 8);
      put<DepthStencil::Backface_Stencil_Fail_Op>((n + 3) % 8),
          put<DepthStencil::Backface_Stencil_Pass_Depth_Fail_Op>((n + 4) % 8),
          put<DepthStencil::Backface_Stencil_Pass_Depth_Pass_Op>((n + 5) % 8);
      const auto state = found().depth_stencil;
      EXPECT_TRUE(state.stencil_test);
      auto is = [&](const pipeline::StencilFace& f, uint32_t function, uint32_t op, uint8_t test, uint8_t write,
                    uint8_t reference) {
        EXPECT_EQ(f.compare, compares[function]);
        EXPECT_EQ(f.fail, ops[op % 8]);
        EXPECT_EQ(f.depth_fail, ops[(op + 1) % 8]);
        EXPECT_EQ(f.pass, ops[(op + 2) % 8]);
        EXPECT_EQ(f.compare_mask, test);
        EXPECT_EQ(f.write_mask, write);
        EXPECT_EQ(f.reference, reference);
      };
      is(state.front, n, n, 0x12, 0x34, 0x56);
      if (sides)
        is(state.back, 7 - n, n + 3, 0x78, 0x9a, 0xbc);
      else
        is(state.back, n, n, 0x12, 0x34, 0x56);
    }
  put<DepthStencil::Stencil_Buffer_Write_Enable>(0);
  EXPECT_EQ(found().depth_stencil.front.write_mask, 0);
  EXPECT_EQ(found().depth_stencil.back.write_mask, 0);
  put<DepthStencil::Stencil_Buffer_Write_Enable>(1), put<_3DSTATE_STENCIL_BUFFER::Stencil_Write_Enable>(0);
  EXPECT_EQ(found().depth_stencil.front.write_mask, 0);
  put<_3DSTATE_STENCIL_BUFFER::Surface_Type>(7);
  EXPECT_FALSE(found().depth_stencil.stencil_test);
}

// When tests are made: before the shader unless it, or what looks at its results, may change which pixels are left.
TEST_F(Merge, EarlyAndLate) {
  depth_and_stencil();
  put<DepthStencil::Depth_Test_Enable>(1);
  using Wm = _3DSTATE_WM;
  auto early = [&](uint32_t control) {
    put<Wm::Early_Depth_Stencil_Control>(control);
    return found().depth_stencil.early;
  };
  EXPECT_TRUE(early(0));
  EXPECT_FALSE(early(1));
  EXPECT_TRUE(early(2));
  auto late = [&](auto field, uint32_t value = 1) {
    using Field = typename decltype(field)::type;
    put<Field>(value);
    EXPECT_FALSE(early(0)) << typeid(Field).name();
    EXPECT_FALSE(early(1));
    EXPECT_TRUE(early(2));
    put<Field>(0);
    EXPECT_TRUE(early(0));
  };
  late(std::type_identity<Ps::Pixel_Shader_Kills_Pixel>{});
  late(std::type_identity<Ps::oMask_Present_to_Render_Target>{});
  late(std::type_identity<Ps::Pixel_Shader_Computes_Stencil>{});
  for (uint32_t mode : {1u, 2u, 3u}) late(std::type_identity<Ps::Pixel_Shader_Computed_Depth_Mode>{}, mode);
  late(std::type_identity<_3DSTATE_PS_BLEND::Alpha_To_Coverage_Enable>{});
  late(std::type_identity<_3DSTATE_PS_BLEND::Alpha_Test_Enable>{});
  late(std::type_identity<Wm::Force_Kill_Pixel_Enable>{}, Wm::Force_Kill_Pixel_Enable::ForceON);
  // Coverage of several samples is the primitive's (OpenGL 4.6, 15.2.2, gl_SampleMaskIn); that after tests comes with early ones.
  using Coverage = Ps::Input_Coverage_Mask_State;
  using Type = _3DSTATE_DEPTH_BUFFER::Surface_Type;
  const uint32_t type = context->graphics.get<Type>();
  put<Type>(Type::SURFTYPE_NULL);  // (one of several samples is wider)
  put<_3DSTATE_MULTISAMPLE::Number_of_Multisamples>(2);
  late(std::type_identity<Coverage>{}, Coverage::NORMAL);
  put<Coverage>(Coverage::DEPTH_COVERAGE);
  EXPECT_TRUE(early(0));
  put<_3DSTATE_MULTISAMPLE::Number_of_Multisamples>(0), put<Coverage>(Coverage::NORMAL), put<Type>(type);
  EXPECT_TRUE(early(0));
  put<Coverage>(Coverage::NONE);
  put<Ps::Pixel_Shader_Kills_Pixel>(1), put<Wm::Force_Kill_Pixel_Enable>(Wm::Force_Kill_Pixel_Enable::ForceOff);
  EXPECT_TRUE(early(0));
  // Without a shader there is nothing to wait for.
  put<Wm::Force_Kill_Pixel_Enable>(0), put<Ps::Pixel_Shader_Valid>(0);
  EXPECT_TRUE(early(0) && early(1));
  put<Wm::Early_Depth_Stencil_Control>(3);
  pipeline::Draw draw;
  EXPECT_NE(find(draw).find("3DSTATE_WM.Early Depth/Stencil Control 3"), std::string::npos);
}

// A shader runs where something may come of it.
TEST_F(Merge, WhetherPixelsAreShaded) {
  auto runs = [&] { return dispatches_pixels(context->graphics); };
  using Wm = _3DSTATE_WM;
  EXPECT_TRUE(runs());
  put<Ps::Pixel_Shader_Does_not_write_to_RT>(1);
  EXPECT_FALSE(runs());
  put<Ps::Pixel_Shader_Has_UAV>(1);
  EXPECT_TRUE(runs());
  put<Ps::Pixel_Shader_Has_UAV>(0), put<Ps::Pixel_Shader_Kills_Pixel>(1);
  EXPECT_TRUE(runs());
  put<Ps::Pixel_Shader_Kills_Pixel>(0), put<Ps::Pixel_Shader_Computed_Depth_Mode>(1);
  EXPECT_TRUE(runs());
  put<Ps::Pixel_Shader_Computed_Depth_Mode>(0), put<Wm::Force_Thread_Dispatch_Enable>(Wm::Force_Thread_Dispatch_Enable::ForceON);
  EXPECT_TRUE(runs());
  put<Ps::Pixel_Shader_Does_not_write_to_RT>(0),
      put<Wm::Force_Thread_Dispatch_Enable>(Wm::Force_Thread_Dispatch_Enable::ForceOff);
  EXPECT_FALSE(runs());
  put<Wm::Force_Thread_Dispatch_Enable>(0), put<_3DSTATE_PS_BLEND::Has_Writeable_RT>(0);
  EXPECT_FALSE(runs());
  put<_3DSTATE_PS_BLEND::Has_Writeable_RT>(1), put<Ps::Pixel_Shader_Valid>(0);
  EXPECT_FALSE(runs());
  // Nothing is rasterized: anv copies by stream output with the 3DSTATE_PS_EXTRA of the draw before and a 3DSTATE_PS of zeros (Mesa
  // 22.3.6, src/intel/vulkan/genX_gpu_memcpy.c).
  using Streamout = _3DSTATE_STREAMOUT;
  put<Ps::Pixel_Shader_Valid>(1), put<Wm::Force_Thread_Dispatch_Enable>(Wm::Force_Thread_Dispatch_Enable::ForceON);
  put<Streamout::Rendering_Disable>(1);
  EXPECT_FALSE(runs());
  put<Streamout::Force_Rendering>(Streamout::Force_Rendering::Force_on);
  EXPECT_TRUE(runs());
  put<Streamout::Rendering_Disable>(0), put<Streamout::Force_Rendering>(Streamout::Force_Rendering::Force_Off);
  EXPECT_FALSE(runs());
}

TEST_F(Merge, BlendFactorsAndFunctions) {
  // By number, as the manual lists them; the others are reserved.
  auto known = [&](uint32_t value) -> const BlendFactor* {
    for (auto& [number, factor] : test::blend_factors)
      if (number == value) return &factor;
    return nullptr;
  };
  constexpr BlendOp ops[] = {BlendOp::add, BlendOp::subtract, BlendOp::reverse_subtract, BlendOp::min, BlendOp::max};
  for (bool apart : {false, true})
    for (unsigned field = 0; field < 4; field++)
      for (uint32_t value = 0; value < 32; value++) {
        begin();
        Header::Independent_Alpha_Blend_Enable::set(header(), apart);
        uint32_t* w = entry(0);
        w[0] = w[1] = 0;
        Entry::Color_Buffer_Blend_Enable::set(w, 1);
        Entry::Source_Blend_Factor::set(w, field == 0 ? value : 1),
            Entry::Destination_Blend_Factor::set(w, field == 1 ? value : 17);
        Entry::Source_Alpha_Blend_Factor::set(w, field == 2 ? value : 3),
            Entry::Destination_Alpha_Blend_Factor::set(w, field == 3 ? value : 19);
        Entry::Color_Blend_Function::set(w, value % 5), Entry::Alpha_Blend_Function::set(w, (value + 1) % 5);
        pipeline::Draw draw;
        const std::string problem = find(draw);
        const BlendFactor* factor = known(value);
        if (!factor && (field < 2 || apart)) {
          EXPECT_NE(problem.find("BLEND_STATE_ENTRY."), std::string::npos) << problem;
          continue;
        }
        ASSERT_EQ(problem, "");
        const auto& b = draw.colour.blend[0];
        EXPECT_TRUE(b.enable);
        EXPECT_EQ(b.source_colour, field == 0 ? *factor : BlendFactor::one);
        EXPECT_EQ(b.target_colour, field == 1 ? *factor : BlendFactor::zero);
        EXPECT_EQ(b.colour, ops[value % 5]);
        EXPECT_EQ(b.source_alpha, !apart ? b.source_colour : field == 2 ? *factor : BlendFactor::source_alpha);
        EXPECT_EQ(b.target_alpha, !apart ? b.target_colour : field == 3 ? *factor : BlendFactor::one_minus_source_alpha);
        EXPECT_EQ(b.alpha, apart ? ops[(value + 1) % 5] : b.colour);
      }
  for (uint32_t function : {5u, 6u, 7u}) {
    begin();
    uint32_t* w = entry(0);
    Header::Independent_Alpha_Blend_Enable::set(header(), 0);
    Entry::Source_Blend_Factor::set(w, 1), Entry::Destination_Blend_Factor::set(w, 1),
        Entry::Color_Blend_Function::set(w, function);
    pipeline::Draw draw;
    EXPECT_NE(find(draw).find("BLEND_STATE_ENTRY.Color Blend Function"), std::string::npos);
  }
  // Nothing of it counts while blending is off: drivers leave zeros.
  begin();
  std::memset(header(), 0, 12);
  EXPECT_FALSE(found().colour.blend[0].enable);
}

// Each of eight targets has its entry: masks, logic operations, blending.
TEST_F(Merge, Targets) {
  write_kernel({0, 1, 2, 3, 4, 5, 6, 7});
  for (unsigned n = 0; n < 8; n++) target(n, colour(64, 64, SURFACE_FORMAT::R8G8B8A8_UNORM, colours_at + n * 0x20000));
  for (unsigned n = 0; n < 8; n++) {
    uint32_t* w = entry(n);
    w[0] = w[1] = 0;
    Entry::Write_Disable_Red::set(w, n & 1), Entry::Write_Disable_Green::set(w, n >> 1 & 1),
        Entry::Write_Disable_Blue::set(w, n >> 2 & 1), Entry::Write_Disable_Alpha::set(w, n == 7);
    Entry::Color_Buffer_Blend_Enable::set(w, n % 2), Entry::Source_Blend_Factor::set(w, 3),
        Entry::Destination_Blend_Factor::set(w, 1 + n);
    Entry::Pre_Blend_Color_Clamp_Enable::set(w, n % 3 == 0), Entry::Post_Blend_Color_Clamp_Enable::set(w, n % 3 == 1),
        Entry::Color_Clamp_Range::set(w, n % 3);
  }
  Header::Independent_Alpha_Blend_Enable::set(header(), 0);
  auto draw = found();
  for (unsigned n = 0; n < 8; n++) {
    const auto& b = draw.colour.blend[n];
    EXPECT_EQ(b.write_mask, (~n & 7) | (n == 7 ? 0 : 8));
    EXPECT_EQ(b.enable, n % 2 == 1);
    EXPECT_EQ(b.clamp_source, n % 3 == 0);
    EXPECT_EQ(draw.targets.colour[n].target != nullptr, b.write_mask != 0);
    EXPECT_FALSE(b.clamp_colour);
  }
  EXPECT_FALSE(draw.colour.logic_op_enable);
  for (uint32_t op = 0; op < 16; op++) {
    for (unsigned n = 0; n < 8; n++)
      Entry::Logic_Op_Enable::set(entry(n), n % 3 == 0), Entry::Logic_Op_Function::set(entry(n), op);
    draw = found();
    EXPECT_TRUE(draw.colour.logic_op_enable);
    EXPECT_EQ(draw.colour.logic_op, op);
    for (unsigned n = 0; n < 8; n++) {
      EXPECT_EQ(draw.colour.blend[n].logic_op, n % 3 == 0);
      EXPECT_EQ(draw.colour.blend[n].enable, n % 2 == 1 && n % 3 != 0);  // it takes blending's place
    }
  }
}

// Clamps of floats and of snorm to 0..1 and -1..1: sources, the constant unless sources are alone, and what is not blended (Sandy Bridge PRM
// volume 2 part 1, 8.1.6). Those to -1..1 behind blending are said.
TEST_F(Merge, ClampsOfFloats) {
  const float constant[4] = {3, -3, 0.5f, -0.5f};
  std::memcpy(dynamic(colour_calc) + 2, constant, sizeof constant);
  unsigned tried = 0;
  for (const uint32_t format : {SURFACE_FORMAT::R32G32B32A32_FLOAT, SURFACE_FORMAT::R8G8B8A8_SNORM})
    for (uint32_t range = 0; range < 3; range++)
      for (uint32_t bits = 0; bits < 16; bits++) {
        const bool before = bits & 1, after = bits & 2, alone = bits & 4, blends = bits & 8;
        begin();
        target(0, colour(64, 64, format));
        uint32_t* w = entry(0);
        w[0] = w[1] = 0;
        Entry::Color_Buffer_Blend_Enable::set(w, blends);
        Entry::Source_Blend_Factor::set(w, Entry::Source_Blend_Factor::CONST_COLOR);
        Entry::Source_Alpha_Blend_Factor::set(w, Entry::Source_Blend_Factor::CONST_COLOR);
        Entry::Destination_Blend_Factor::set(w, Entry::Source_Blend_Factor::ZERO);
        Entry::Destination_Alpha_Blend_Factor::set(w, Entry::Source_Blend_Factor::ZERO);
        Entry::Color_Clamp_Range::set(w, range), Entry::Pre_Blend_Source_Only_Clamp_Enable::set(w, alone);
        Entry::Pre_Blend_Color_Clamp_Enable::set(w, before), Entry::Post_Blend_Color_Clamp_Enable::set(w, after);
        vertices.vertices.clear(), vertices.attributes.clear(), vertices.count = 1;
        for (const auto& corner : {std::pair{-1.0f, -1.0f}, std::pair{3.0f, -1.0f}, std::pair{-1.0f, 3.0f}})
          vertices.add(corner.first, corner.second, 0, 1, {2, -2, 0.75f, -0.25f});
        const bool floats = format == SURFACE_FORMAT::R32G32B32A32_FLOAT;
        const size_t bytes_each = floats ? 16 : 4;
        std::memset(memory<uint8_t>(colours_at), 0, bytes_each);
        run();
        ASSERT_TRUE(pipeline::write_back(workers));
        const float source[4] = {2, -2, 0.75f, -0.25f};
        // The range that counts where a clamp is on: the format's own of snorm, none of floats.
        const float low = range == 0 ? 0 : -1, high = 1;
        const bool has_range = range < 2 || !floats;
        for (unsigned c = 0; c < 4; c++) {
          auto clamped = [&](float v, bool on) { return on && has_range ? std::clamp(v, low, high) : v; };
          float value = clamped(source[c], before);
          if (blends) value *= clamped(constant[c], before && !alone);
          const bool modelled_after = range == 0 || !floats || !blends;
          value = clamped(value, after && modelled_after);
          float got;
          if (floats)
            got = memory<float>(colours_at)[c];
          else
            got = float(memory<int8_t>(colours_at)[c]) / 127, value = std::clamp(value, -1.0f, 1.0f);
          EXPECT_NEAR(got, value, floats ? 0 : 0.5 / 127 + 1e-6) << floats << " range " << range << " bits " << bits << " " << c;
          tried++;
        }
        const bool said = floats && blends && after && range == 1;
        ASSERT_EQ(context->unknowns().size(), unsigned(said)) << floats << range << bits;
        if (said) {
          EXPECT_EQ(context->unknowns()[0].what, "BLEND_STATE_ENTRY.Post-Blend Color Clamp Enable of floats to COLORCLAMP_SNORM");
        }
      }
  EXPECT_EQ(tried, 2u * 3 * 16 * 4);
}

// Each target has its own logic operation.
TEST_F(Merge, LogicOperationsByTarget) {
  write_kernel({0, 1, 2});
  for (unsigned n = 0; n < 3; n++) {
    target(n, colour(64, 64, SURFACE_FORMAT::R8G8B8A8_UNORM, colours_at + n * 0x20000));
    uint32_t* w = entry(n);
    w[0] = w[1] = 0;
    Entry::Logic_Op_Enable::set(w, 1), Entry::Logic_Op_Function::set(w, 3 + 5 * n);
    *memory<uint32_t>(colours_at + n * 0x20000) = 0x0f0f3355;
  }
  vertices.count = 1;
  for (const auto& corner : {std::pair{-1.0f, -1.0f}, std::pair{3.0f, -1.0f}, std::pair{-1.0f, 3.0f}})
    vertices.add(corner.first, corner.second, 0, 1, {1, 0, 1, 0});
  pixels.function = [](const pipeline::PixelBatch& batch, pipeline::PixelResults& results) {
    pipeline::flat_colour(batch, results);
    results.colour[1] = results.colour[2] = results.colour[0], results.outputs = 7;
  };
  run();
  ASSERT_TRUE(pipeline::write_back(workers));
  EXPECT_TRUE(context->unknowns().empty());
  const uint32_t s = 0x00ff00ff, t = 0x0f0f3355;
  for (unsigned n = 0; n < 3; n++) {
    const uint32_t op = 3 + 5 * n;
    const uint32_t expected = (op & 1 ? ~s & ~t : 0) | (op & 2 ? ~s & t : 0) | (op & 4 ? s & ~t : 0) | (op & 8 ? s & t : 0);
    EXPECT_EQ(*memory<uint32_t>(colours_at + n * 0x20000), expected) << n;
  }
}

TEST_F(Merge, AlphaTestAndConstants) {
  using C = structures::COLOR_CALC_STATE;
  uint32_t* c = dynamic(colour_calc);
  C::Alpha_Test_Format::set(c, C::Alpha_Test_Format::ALPHATEST_FLOAT32);
  C::Alpha_Reference_Value_As_FLOAT32::set(c, std::bit_cast<uint32_t>(0.375f));
  const std::array constant{0.1f, -2.0f, 0.3f, 1.5f};
  std::memcpy(c + 2, constant.data(), 16);
  for (bool on : {false, true})
    for (uint32_t function = 0; function < 8; function++) {
      uint32_t* h = header();
      Header::Alpha_Test_Enable::set(h, on), Header::Alpha_Test_Function::set(h, function);
      Header::Alpha_To_One_Enable::set(h, on), Header::Alpha_To_Coverage_Enable::set(h, on);
      const auto out = found().colour;
      EXPECT_EQ(out.alpha_test, on);
      EXPECT_EQ(out.alpha_compare, compares[function]);
      EXPECT_EQ(out.alpha_reference, 0.375f);
      EXPECT_EQ(out.constant, constant);
      EXPECT_EQ(out.alpha_to_one, on);
      EXPECT_EQ(out.alpha_to_coverage, on);
    }
  put<Ps::oMask_Present_to_Render_Target>(1);
  EXPECT_FALSE(found().colour.alpha_to_coverage);
  put<Ps::oMask_Present_to_Render_Target>(0);
  EXPECT_TRUE(found().colour.alpha_to_coverage);
  put<Ps::Pixel_Shader_Disables_Alpha_To_Coverage>(1);
  EXPECT_FALSE(found().colour.alpha_to_coverage);
}

}  // namespace
}  // namespace Atoll::dg1
