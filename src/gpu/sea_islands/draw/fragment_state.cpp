#include "gpu/sea_islands/draw/fragment_state.h"

#include <bit>

#include "gpu/sea_islands/draw/colour_format.h"
#include "gpu/sea_islands/state/field_lists.h"

namespace Atoll::sea_islands {

using pipeline::BlendFactor;
using pipeline::Compare;

namespace {

// CompareFrag and CompareRef number the comparisons alike.
constexpr Compare compares[] = {Compare::never,   Compare::less,      Compare::equal,         Compare::less_equal,
                                Compare::greater, Compare::not_equal, Compare::greater_equal, Compare::always};

pipeline::StencilOp stencil_op(uint32_t op) {
  using pipeline::StencilOp;
  static constexpr StencilOp ops[] = {StencilOp::keep,
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
  return ops[op & 15];
}

struct FactorRow {
  uint32_t value;
  BlendFactor factor;
};
using Op = sea_islands::BlendOp;
constexpr FactorRow factors[] = {
    {Op::BLEND_ZERO, BlendFactor::zero},
    {Op::BLEND_ONE, BlendFactor::one},
    {Op::BLEND_SRC_COLOR, BlendFactor::source_colour},
    {Op::BLEND_ONE_MINUS_SRC_COLOR, BlendFactor::one_minus_source_colour},
    {Op::BLEND_SRC_ALPHA, BlendFactor::source_alpha},
    {Op::BLEND_ONE_MINUS_SRC_ALPHA, BlendFactor::one_minus_source_alpha},
    {Op::BLEND_DST_ALPHA, BlendFactor::target_alpha},
    {Op::BLEND_ONE_MINUS_DST_ALPHA, BlendFactor::one_minus_target_alpha},
    {Op::BLEND_DST_COLOR, BlendFactor::target_colour},
    {Op::BLEND_ONE_MINUS_DST_COLOR, BlendFactor::one_minus_target_colour},
    {Op::BLEND_SRC_ALPHA_SATURATE, BlendFactor::source_alpha_saturate},
    {Op::BLEND_CONSTANT_COLOR, BlendFactor::constant_colour},
    {Op::BLEND_ONE_MINUS_CONSTANT_COLOR, BlendFactor::one_minus_constant_colour},
    {Op::BLEND_SRC1_COLOR, BlendFactor::second_source_colour},
    {Op::BLEND_INV_SRC1_COLOR, BlendFactor::one_minus_second_source_colour},
    {Op::BLEND_SRC1_ALPHA, BlendFactor::second_source_alpha},
    {Op::BLEND_INV_SRC1_ALPHA, BlendFactor::one_minus_second_source_alpha},
    {Op::BLEND_CONSTANT_ALPHA, BlendFactor::constant_alpha},
    {Op::BLEND_ONE_MINUS_CONSTANT_ALPHA, BlendFactor::one_minus_constant_alpha},
};

BlendFactor factor(RegisterContext& context, uint32_t value) {
  for (const FactorRow& row : factors)
    if (row.value == value) return row.factor;
  context.unknown(fmt::format("blend factor {}", value));
  return BlendFactor::one;
}

pipeline::BlendOp combination(RegisterContext& context, uint32_t value) {
  using Fcn = CB_BLEND_CONTROL::COLOR_COMB_FCN;
  switch (value) {
    case Fcn::COMB_DST_PLUS_SRC: return pipeline::BlendOp::add;
    case Fcn::COMB_SRC_MINUS_DST: return pipeline::BlendOp::subtract;
    case Fcn::COMB_MIN_DST_SRC: return pipeline::BlendOp::min;
    case Fcn::COMB_MAX_DST_SRC: return pipeline::BlendOp::max;
    case Fcn::COMB_DST_MINUS_SRC: return pipeline::BlendOp::reverse_subtract;
    default: context.unknown(fmt::format("blend combination {}", value)); return pipeline::BlendOp::add;
  }
}

}  // namespace

pipeline::DepthStencil depth_stencil_of(RegisterContext& context) {
  const RegisterFile& r = context.registers;
  using Cntl = DB_DEPTH_CONTROL;
  const auto cntl = r.read<Cntl>();
  const auto shader = r.read<DB_SHADER_CONTROL>();
  const auto view = r.read<DB_DEPTH_VIEW>();
  const auto render = r.read<DB_RENDER_CONTROL>();
  const auto count = r.read<DB_COUNT_CONTROL>();
  pipeline::DepthStencil state;
  state.depth_test = Cntl::Z_ENABLE::get(cntl);
  state.depth_write = state.depth_test && Cntl::Z_WRITE_ENABLE::get(cntl) && !DB_DEPTH_VIEW::Z_READ_ONLY::get(view);
  state.depth_compare = compares[Cntl::ZFUNC::get(cntl)];
  state.stencil_test = Cntl::STENCIL_ENABLE::get(cntl);
  struct Values {
    uint32_t reference, compare_mask, write_mask, op_value;
  };
  auto face = [&](uint32_t function, uint32_t fail, uint32_t pass, uint32_t depth_fail, const Values& values) {
    pipeline::StencilFace f;
    f.compare = compares[function];
    f.fail = stencil_op(fail), f.pass = stencil_op(pass), f.depth_fail = stencil_op(depth_fail);
    f.reference = uint8_t(values.reference), f.compare_mask = uint8_t(values.compare_mask);
    f.write_mask = DB_DEPTH_VIEW::STENCIL_READ_ONLY::get(view) ? 0 : uint8_t(values.write_mask);
    f.op_value = uint8_t(values.op_value);
    return f;
  };
  using Ops = DB_STENCIL_CONTROL;
  using Front = DB_STENCILREFMASK;
  using Back = DB_STENCILREFMASK_BF;
  const auto ops = r.read<Ops>();
  const auto front = r.read<Front>();
  const auto back = r.read<Back>();
  state.front =
      face(Cntl::STENCILFUNC::get(cntl), Ops::STENCILFAIL::get(ops), Ops::STENCILZPASS::get(ops), Ops::STENCILZFAIL::get(ops),
           {Front::STENCILTESTVAL::get(front), Front::STENCILMASK::get(front), Front::STENCILWRITEMASK::get(front),
            Front::STENCILOPVAL::get(front)});
  state.back = !Cntl::BACKFACE_ENABLE::get(cntl) ? state.front
                                                 : face(Cntl::STENCILFUNC_BF::get(cntl), Ops::STENCILFAIL_BF::get(ops),
                                                        Ops::STENCILZPASS_BF::get(ops), Ops::STENCILZFAIL_BF::get(ops),
                                                        {Back::STENCILTESTVAL_BF::get(back), Back::STENCILMASK_BF::get(back),
                                                         Back::STENCILWRITEMASK_BF::get(back), Back::STENCILOPVAL_BF::get(back)});
  state.bounds_test = Cntl::DEPTH_BOUNDS_ENABLE::get(cntl);
  state.bounds_low = r.as_float<DB_DEPTH_BOUNDS_MIN>();
  state.bounds_high = r.as_float<DB_DEPTH_BOUNDS_MAX>();
  // Clearing draws write the clear values whatever the primitive's depth is.
  if (DB_RENDER_CONTROL::DEPTH_CLEAR_ENABLE::get(render))
    state.depth_test = state.depth_write = true, state.depth_compare = Compare::always;
  if (DB_RENDER_CONTROL::STENCIL_CLEAR_ENABLE::get(render)) {
    state.stencil_test = true;
    state.front = {};
    state.front.fail = state.front.pass = state.front.depth_fail = pipeline::StencilOp::replace;
    state.front.reference = uint8_t(r.get<DB_STENCIL_CLEAR::CLEAR>());
    state.back = state.front;
  }
  // Copies into target 0: depth is the red and stencil the green of what is written, in all samples of a pixel the same; the
  // other components are the shader's. That is how the formats of such copies have them (CB_COLOR_INFO: COLOR_8_24, COLOR_24_8
  // and COLOR_X24_8_32_FLOAT under Mesa 22.3.6 si_translate_colorswap()); the manual does not say it. "Lit" are the samples that
  // are written after all tests.
  using Render = DB_RENDER_CONTROL;
  state.copy_depth = Render::DEPTH_COPY::get(render), state.copy_stencil = Render::STENCIL_COPY::get(render);
  state.copy_first_drawn = Render::COPY_CENTROID::get(render), state.copied_sample = Render::COPY_SAMPLE::get(render);
  // A shader that changes depth, or takes samples away, has to have run before the test where that could let others be seen.
  using Shader = DB_SHADER_CONTROL;
  bool changes = Shader::Z_EXPORT_ENABLE::get(shader) || Shader::STENCIL_TEST_VAL_EXPORT_ENABLE::get(shader) ||
                 Shader::STENCIL_OP_VAL_EXPORT_ENABLE::get(shader) || Shader::MASK_EXPORT_ENABLE::get(shader) ||
                 Shader::KILL_ENABLE::get(shader) || Shader::COVERAGE_TO_MASK_ENABLE::get(shader) ||
                 r.get<DB_ALPHA_TO_MASK::ALPHA_TO_MASK_ENABLE>();
  bool late = Shader::Z_ORDER::get(shader) == Shader::Z_ORDER::LATE_Z || Shader::EXEC_ON_HIER_FAIL::get(shader);
  state.colour_where_failed = Cntl::ENABLE_COLOR_WRITES_ON_DEPTH_FAIL::get(cntl);
  state.no_colour_where_passed = Cntl::DISABLE_COLOR_WRITES_ON_DEPTH_PASS::get(cntl);
  bool first = !changes && !late;
  // What the register prefers, whatever else says that it cannot be: to test first, or (late, and again after the shader) last.
  if (r.get<DB_RENDER_OVERRIDE::FORCE_SHADER_Z_ORDER>()) {
    const uint32_t order = Shader::Z_ORDER::get(shader);
    first = order == Shader::Z_ORDER::EARLY_Z_THEN_LATE_Z || order == Shader::Z_ORDER::EARLY_Z_THEN_RE_Z;
  }
  state.early = (Shader::DEPTH_BEFORE_SHADER::get(shader) || first) && !state.selects_colour();
  state.count_samples = DB_COUNT_CONTROL::ZPASS_ENABLE::get(count) != 0 && !DB_COUNT_CONTROL::ZPASS_INCREMENT_DISABLE::get(count);
  // Each is a mask of up to four counters, of which the model has one.
  using Count = DB_COUNT_CONTROL;
  state.count_depth_fails = Count::ZFAIL_ENABLE::get(count);
  state.count_stencil_fails = Count::SFAIL_ENABLE::get(count);
  state.count_bounds_fails = Count::DBFAIL_ENABLE::get(count);
  const bool even = Count::SLICE_EVEN_ENABLE::get(count), odd = Count::SLICE_ODD_ENABLE::get(count);
  const bool begins_odd = DB_DEPTH_VIEW::SLICE_START::get(view) & 1;
  state.counted_layers = uint8_t((begins_odd ? odd : even) | (begins_odd ? even : odd) << 1);
  return state;
}

namespace {

// Whether a factor of the target's blending is the second source.
bool takes_second_source(const pipeline::Blend& blend) {
  using pipeline::BlendTerm;
  for (BlendFactor f : {blend.source_colour, blend.target_colour, blend.source_alpha, blend.target_alpha})
    if (term_of(f) == BlendTerm::second_source || term_of(f) == BlendTerm::second_source_alpha) return blend.enable;
  return false;
}

}  // namespace

pipeline::ColourOutput colour_output_of(RegisterContext& context) {
  const RegisterFile& r = context.registers;
  pipeline::ColourOutput out;
  const auto control = r.read<CB_COLOR_CONTROL>();
  const bool disabled =
      CB_COLOR_CONTROL::MODE::get(control) == CB_COLOR_CONTROL::MODE::CB_DISABLE || r.get<DB_RENDER_OVERRIDE::FORCE_COLOR_KILL>();
  for (unsigned n = 0; n < out.blend.size(); n++) {
    using Blend = CB_BLEND_CONTROL;
    const auto word = r.read<Blend>(n);
    pipeline::Blend& b = out.blend[n];
    b.write_mask = disabled ? 0 : uint8_t(TargetEnables::get(r, n) & OutputEnables::get(r, n));
    b.enable = Blend::ENABLE::get(word) && !r.get<CB_COLOR_INFO::BLEND_BYPASS>(n);
    b.logic_op = !b.enable && !Blend::DISABLE_ROP3::get(word);  // blending overrides it, says ENABLE
    if (!b.enable) continue;
    const auto info = r.read<CB_COLOR_INFO>(n);
    b.clamp_source = CB_COLOR_INFO::BLEND_CLAMP::get(info) ||
                     (has_small_components(info) && !r.get<CB_HW_CONTROL::DISABLE_INTNORM_LE11BPC_CLAMPING>());
    b.multiply_by_zero = CB_COLOR_INFO::NUMBER_TYPE::get(info) == CB_COLOR_INFO::NUMBER_TYPE::NUMBER_FLOAT &&
                         !CB_COLOR_INFO::SIMPLE_FLOAT::get(info);
    b.source_colour = factor(context, Blend::COLOR_SRCBLEND::get(word));
    b.target_colour = factor(context, Blend::COLOR_DESTBLEND::get(word));
    b.colour = combination(context, Blend::COLOR_COMB_FCN::get(word));
    if (Blend::SEPARATE_ALPHA_BLEND::get(word)) {
      b.source_alpha = factor(context, Blend::ALPHA_SRCBLEND::get(word));
      b.target_alpha = factor(context, Blend::ALPHA_DESTBLEND::get(word));
      b.alpha = combination(context, Blend::ALPHA_COMB_FCN::get(word));
    } else {
      b.source_alpha = b.source_colour, b.target_alpha = b.target_colour, b.alpha = b.colour;
    }
  }
  if (takes_second_source(out.blend[0]) && !r.get<CB_HW_CONTROL::ALLOW_MRT_WITH_DUAL_SOURCE>())
    for (unsigned n = 2; n < out.blend.size(); n++) out.blend[n].write_mask = 0;
  out.constant = {r.as_float<CB_BLEND_RED>(), r.as_float<CB_BLEND_GREEN>(), r.as_float<CB_BLEND_BLUE>(),
                  r.as_float<CB_BLEND_ALPHA>()};
  // A ternary raster operation without a pattern: its four lower bits are the logic operation of source and target.
  uint32_t rop = CB_COLOR_CONTROL::ROP3::get(control);
  out.logic_op_enable = rop != CB_COLOR_CONTROL::ROP3::SRCCOPY;
  out.logic_op = pipeline::LogicOp(rop & 15);
  if (out.logic_op_enable && rop >> 4 != (rop & 15)) context.unknown(fmt::format("ROP3 0x{:02x} with a pattern", rop));
  out.alpha_to_coverage = r.get<DB_ALPHA_TO_MASK::ALPHA_TO_MASK_ENABLE>() && !r.get<DB_SHADER_CONTROL::ALPHA_TO_MASK_DISABLE>();
  // Thresholds are quarters of a sample, of which OFFSET_ROUND is half a one more.
  using ToMask = DB_ALPHA_TO_MASK;
  const auto mask = r.read<ToMask>();
  uint32_t offsets[] = {ToMask::ALPHA_TO_MASK_OFFSET0::get(mask), ToMask::ALPHA_TO_MASK_OFFSET1::get(mask),
                        ToMask::ALPHA_TO_MASK_OFFSET2::get(mask), ToMask::ALPHA_TO_MASK_OFFSET3::get(mask)};
  for (unsigned n = 0; n < 4; n++) out.alpha_rounding[n] = uint8_t(2 * offsets[n] + ToMask::OFFSET_ROUND::get(mask));
  out.alpha_in_order = r.get<DB_EQAA::ALPHA_TO_MASK_EQAA_DISABLE>();
  out.alpha_samples = 1u << std::min(r.get<DB_EQAA::ALPHA_TO_MASK_NUM_SAMPLES>(), 4u);
  return out;
}

}  // namespace Atoll::sea_islands
