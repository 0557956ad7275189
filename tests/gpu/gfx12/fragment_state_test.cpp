// Registers of DB and CB, a field after the other, as pipeline state. Places and meanings: Mesa 25.0.7 src/amd/registers/gfx12.json,
// src/gallium/drivers/radeonsi/si_state.c.
#include "gpu/gfx12/draw/fragment_state.h"

#include "gpu/gfx12/draw_registers.h"

namespace Atoll::gfx12::test {
namespace {

using pipeline::BlendFactor;
using pipeline::BlendOp;
using pipeline::Compare;
using pipeline::StencilOp;

struct FragmentState : DrawRegistersTest {
  pipeline::DepthStencil tests() { return depth_stencil_of(context); }
  pipeline::ColourOutput colours() { return colour_output_of(context); }
};
constexpr uint32_t depth_control = 0x28070, stencil_control = 0x28074, shader_control = 0x2806c;

TEST_F(FragmentState, Depth) {
  for (uint32_t n = 0; n < 8; n++) {
    set(depth_control, 2 | n << 4);
    EXPECT_EQ(tests().depth_compare, Compare(n));  // both count from `never` in OpenGL's order
    EXPECT_TRUE(tests().depth_test && !tests().depth_write);
  }
  set(depth_control, 4u);  // written only where tested
  EXPECT_FALSE(tests().depth_write);
  set(depth_control, 6u);
  EXPECT_TRUE(tests().depth_write);
  set(0x28008, 1u << 24);  // DB_DEPTH_VIEW1.Z_READ_ONLY
  EXPECT_FALSE(tests().depth_write);
  set(depth_control, 8u);
  set_float(0x28050, 0.25f), set_float(0x28054, 0.75f);
  EXPECT_TRUE(tests().bounds_test);
  EXPECT_EQ(tests().bounds_low, 0.25f);
  EXPECT_EQ(tests().bounds_high, 0.75f);
}

TEST_F(FragmentState, Stencil) {
  const StencilOp ops[] = {StencilOp::keep,
                           StencilOp::zero,
                           StencilOp::ones,
                           StencilOp::replace,
                           StencilOp::replace_op,
                           StencilOp::increment_clamp,
                           StencilOp::decrement_clamp,
                           StencilOp::invert,
                           StencilOp::increment_wrap,
                           StencilOp::decrement_wrap,
                           StencilOp::and_op,
                           StencilOp::or_op,
                           StencilOp::xor_op,
                           StencilOp::nand_op,
                           StencilOp::nor_op,
                           StencilOp::xnor_op};
  set({{0x28088, 0x11 | 0x22 << 8}, {0x2808c, 0x33 | 0x44 << 8}, {0x28090, 0x55 | 0x66 << 8}, {0x28094, 0x77 | 0x88 << 8}});
  for (uint32_t n = 0; n < 16; n++) {
    const uint32_t next = (n + 1) % 16, after = (n + 2) % 16;
    set(depth_control, 1 | 1 << 7 | (n % 8) << 8 | (7 - n % 8) << 20);
    set(stencil_control, n | next << 4 | after << 8 | after << 12 | n << 16 | next << 20);
    const auto state = tests();
    EXPECT_TRUE(state.stencil_test);
    EXPECT_EQ(state.front.compare, Compare(n % 8));
    EXPECT_EQ(state.back.compare, Compare(7 - n % 8));
    EXPECT_EQ(state.front.fail, ops[n]);
    EXPECT_EQ(state.front.pass, ops[next]);
    EXPECT_EQ(state.front.depth_fail, ops[after]);
    EXPECT_EQ(state.back.fail, ops[after]);
    EXPECT_EQ(state.back.pass, ops[n]);
    EXPECT_EQ(state.back.depth_fail, ops[next]);
  }
  auto state = tests();
  EXPECT_EQ(state.front.reference, 0x11);
  EXPECT_EQ(state.back.reference, 0x22);
  EXPECT_EQ(state.front.op_value, 0x33);
  EXPECT_EQ(state.back.op_value, 0x44);
  EXPECT_EQ(state.front.compare_mask, 0x55);
  EXPECT_EQ(state.back.compare_mask, 0x66);
  EXPECT_EQ(state.front.write_mask, 0x77);
  EXPECT_EQ(state.back.write_mask, 0x88);
  set(depth_control, 1u);  // without BACKFACE_ENABLE both are the front's
  EXPECT_EQ(tests().back.reference, 0x11);
  set(0x28008, 1u << 25);  // STENCIL_READ_ONLY
  EXPECT_EQ(tests().front.write_mask, 0);
}

TEST_F(FragmentState, TestsComeBeforeTheShaderWhereTheyMay) {
  constexpr uint32_t early_then_late = 1 << 4;
  auto early = [&](uint32_t control) {
    set(shader_control, control);
    return tests().early;
  };
  EXPECT_TRUE(early(early_then_late));
  EXPECT_FALSE(early(0));  // LATE_Z
  for (uint32_t bit : {0u, 1u, 2u, 6u, 7u, 8u}) EXPECT_FALSE(early(early_then_late | 1u << bit)) << bit;
  EXPECT_FALSE(early(early_then_late | 1 << 9));  // EXEC_ON_HIER_FAIL
  EXPECT_TRUE(early(1 << 6 | 1 << 12));           // DEPTH_BEFORE_SHADER
  set(0x2807c, 1u);                               // ALPHA_TO_MASK_ENABLE
  EXPECT_FALSE(early(early_then_late));
  set(0x2800c, 1u << 6);  // FORCE_SHADER_Z_ORDER
  EXPECT_TRUE(early(early_then_late | 1 << 6));
}

TEST_F(FragmentState, Counts) {
  set(0x28060, 1u << 8 | 1u << 24 | 1u << 28);
  EXPECT_TRUE(tests().count_samples && !tests().counts_fails());
  EXPECT_EQ(tests().counted_layers, 3);
  set(0x28060, 1u << 12 | 1u << 16 | 1u << 20 | 1u << 24);
  const auto state = tests();
  EXPECT_TRUE(!state.count_samples && state.count_depth_fails && state.count_stencil_fails && state.count_bounds_fails);
  EXPECT_EQ(state.counted_layers, 1);
}

TEST_F(FragmentState, BlendFactors) {
  // GFX11's numbers (si_translate_blend_factor): from the constant colour on they are others than Sea Islands'.
  const BlendFactor factors[] = {BlendFactor::zero,
                                 BlendFactor::one,
                                 BlendFactor::source_colour,
                                 BlendFactor::one_minus_source_colour,
                                 BlendFactor::source_alpha,
                                 BlendFactor::one_minus_source_alpha,
                                 BlendFactor::target_alpha,
                                 BlendFactor::one_minus_target_alpha,
                                 BlendFactor::target_colour,
                                 BlendFactor::one_minus_target_colour,
                                 BlendFactor::source_alpha_saturate,
                                 BlendFactor::constant_colour,
                                 BlendFactor::one_minus_constant_colour,
                                 BlendFactor::second_source_colour,
                                 BlendFactor::one_minus_second_source_colour,
                                 BlendFactor::second_source_alpha,
                                 BlendFactor::one_minus_second_source_alpha,
                                 BlendFactor::constant_alpha,
                                 BlendFactor::one_minus_constant_alpha};
  const BlendOp combinations[] = {BlendOp::add, BlendOp::subtract, BlendOp::min, BlendOp::max, BlendOp::reverse_subtract};
  set({{0x28850, ~0u}, {0x28854, ~0u}, {0x28858, 0xcc0010}});
  for (uint32_t n = 0; n < 19; n++) {
    const uint32_t other = (n + 7) % 19, third = (n + 11) % 19, fourth = (n + 13) % 19, c = n % 5, d = (n + 2) % 5;
    const uint32_t word = n | c << 5 | other << 8 | third << 16 | d << 21 | fourth << 24 | 1u << 30;
    set(0x28780 + 8, word);
    pipeline::Blend b = colours().blend[2];
    EXPECT_TRUE(b.enable && !b.logic_op);
    EXPECT_EQ(b.source_colour, factors[n]);
    EXPECT_EQ(b.target_colour, factors[other]);
    EXPECT_EQ(b.colour, combinations[c]);
    EXPECT_EQ(b.source_alpha, factors[n]);
    EXPECT_EQ(b.target_alpha, factors[other]);
    EXPECT_EQ(b.alpha, combinations[c]);
    set(0x28780 + 8, word | 1u << 29);
    b = colours().blend[2];
    EXPECT_EQ(b.source_alpha, factors[third]);
    EXPECT_EQ(b.target_alpha, factors[fourth]);
    EXPECT_EQ(b.alpha, combinations[d]);
  }
  EXPECT_EQ(unknown(), "");
  set(0x28780 + 8, 31 | 1u << 30);
  colours();
  EXPECT_EQ(unknown(), "blend factor 31\n");
}

TEST_F(FragmentState, MasksAndModes) {
  set({{0x28850, 0xf6543210}, {0x28854, 0x3fffffff}, {0x28858, 0xcc0010}});
  auto out = colours();
  for (unsigned n = 0; n < 7; n++) EXPECT_EQ(out.blend[n].write_mask, n);
  EXPECT_EQ(out.blend[7].write_mask, 3);
  EXPECT_FALSE(out.logic_op_enable);
  // The second source is no target's colour.
  set(0x28780, 1 | 13 << 8 | 1u << 30);
  EXPECT_EQ(colours().blend[1].write_mask, 0);
  EXPECT_EQ(colours().blend[7].write_mask, 0);
  set(0x28780, 1 | 5 << 8 | 1u << 30);
  set(0x28ec0, 1u << 16);  // CB_COLOR0_INFO.BLEND_BYPASS
  EXPECT_FALSE(colours().blend[0].enable);
  set(0x28ec0, 1u << 15);  // BLEND_CLAMP
  EXPECT_TRUE(colours().blend[0].clamp_source);
  set(0x28ec0, 7u << 8);  // floats, not SIMPLE_FLOAT
  EXPECT_TRUE(colours().blend[0].multiply_by_zero && !colours().blend[0].clamp_source);
  set(0x28ec0, 7u << 8 | 1u << 17);
  EXPECT_FALSE(colours().blend[0].multiply_by_zero);
  set(0x28858, 0x660010u);  // ROP3: exclusive or
  EXPECT_TRUE(colours().logic_op_enable);
  EXPECT_EQ(colours().logic_op, 6);
  set_float(0x28414, 0.5f), set_float(0x28420, 0.25f);
  EXPECT_EQ(colours().constant, (std::array{0.5f, 0.0f, 0.0f, 0.25f}));
  set(0x28858, 0xcc0000u);  // CB_DISABLE
  EXPECT_EQ(colours().blend[5].write_mask, 0);
  EXPECT_EQ(unknown(), "");
  set(0x28858, 0xcc0030u);
  colours();
  EXPECT_EQ(unknown(), "CB_COLOR_CONTROL.MODE 3\n");
}

TEST_F(FragmentState, AlphaToCoverage) {
  set({{0x2807c, 1 | 3 << 8 | 1 << 10 | 0 << 12 | 2 << 14 | 1 << 16}, {0x28078, 3 << 12}});  // dithered, 8 samples
  auto out = colours();
  EXPECT_TRUE(out.alpha_to_coverage);
  EXPECT_EQ(out.alpha_rounding, (std::array<uint8_t, 4>{7, 3, 1, 5}));
  EXPECT_EQ(out.alpha_samples, 8u);
  set(shader_control, 1u << 11);  // ALPHA_TO_MASK_DISABLE
  EXPECT_FALSE(colours().alpha_to_coverage);
}

}  // namespace
}  // namespace Atoll::gfx12::test
