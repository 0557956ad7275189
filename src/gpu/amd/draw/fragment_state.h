// From the registers of DB and CB to depth, stencil and blending as the pipeline knows them, for the families that have these registers
// under the same names (`R`: raster_state.h). Sea Islands 3D/Compute Register Reference, chapters DB and CB; Mesa 25.0.7
// src/amd/registers/gfx12.json.
#pragma once
#include <algorithm>
#include <array>

#include "gpu/amd/draw/field_lists.h"
#include "gpu/amd/register_file.h"
#include "gpu/device/reports.h"
#include "pipeline/state.h"

namespace Atoll::gpu::amd {

// CompareFrag and CompareRef number the comparisons alike, from 0.
constexpr pipeline::Compare comparison(uint32_t value) {
  using pipeline::Compare;
  constexpr Compare compares[] = {Compare::never,   Compare::less,      Compare::equal,         Compare::less_equal,
                                  Compare::greater, Compare::not_equal, Compare::greater_equal, Compare::always};
  return compares[value & 7];
}

constexpr pipeline::StencilOp stencil_operation(uint32_t value) {
  using pipeline::StencilOp;
  constexpr StencilOp operations[] = {StencilOp::keep,
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
  return operations[value & 15];
}

// The values of a face's stencil test.
struct StencilValues {
  uint32_t reference, compare_mask, write_mask, op_value;
};

// Tests of depth and stencil but for where the surfaces may only be read.
template <class R>
void tests_of(const RegisterFile& r, const StencilValues& front, const StencilValues& back, pipeline::DepthStencil& state) {
  using Cntl = typename R::DB_DEPTH_CONTROL;
  using Ops = typename R::DB_STENCIL_CONTROL;
  const auto cntl = r.read<Cntl>();
  const auto ops = r.read<Ops>();
  state.depth_test = Cntl::Z_ENABLE::get(cntl);
  state.depth_write = state.depth_test && Cntl::Z_WRITE_ENABLE::get(cntl);
  state.depth_compare = comparison(Cntl::ZFUNC::get(cntl));
  state.stencil_test = Cntl::STENCIL_ENABLE::get(cntl);
  auto face = [&](uint32_t function, uint32_t fail, uint32_t pass, uint32_t depth_fail, const StencilValues& values) {
    pipeline::StencilFace f;
    f.compare = comparison(function);
    f.fail = stencil_operation(fail), f.pass = stencil_operation(pass), f.depth_fail = stencil_operation(depth_fail);
    f.reference = uint8_t(values.reference), f.compare_mask = uint8_t(values.compare_mask);
    f.write_mask = uint8_t(values.write_mask), f.op_value = uint8_t(values.op_value);
    return f;
  };
  state.front = face(Cntl::STENCILFUNC::get(cntl), Ops::STENCILFAIL::get(ops), Ops::STENCILZPASS::get(ops),
                     Ops::STENCILZFAIL::get(ops), front);
  state.back = state.front;
  if (Cntl::BACKFACE_ENABLE::get(cntl))
    state.back = face(Cntl::STENCILFUNC_BF::get(cntl), Ops::STENCILFAIL_BF::get(ops), Ops::STENCILZPASS_BF::get(ops),
                      Ops::STENCILZFAIL_BF::get(ops), back);
  state.bounds_test = Cntl::DEPTH_BOUNDS_ENABLE::get(cntl);
  state.bounds_low = r.as_float<typename R::DB_DEPTH_BOUNDS_MIN>();
  state.bounds_high = r.as_float<typename R::DB_DEPTH_BOUNDS_MAX>();
}

// True if the tests come before the pixel shader.
template <class R>
bool tests_first(const RegisterFile& r) {
  // A shader that changes depth, or takes samples away, has to have run before the test where that could let others be seen.
  using Shader = typename R::DB_SHADER_CONTROL;
  const auto shader = r.read<Shader>();
  const bool changes = Shader::Z_EXPORT_ENABLE::get(shader) || Shader::STENCIL_TEST_VAL_EXPORT_ENABLE::get(shader) ||
                       Shader::STENCIL_OP_VAL_EXPORT_ENABLE::get(shader) || Shader::MASK_EXPORT_ENABLE::get(shader) ||
                       Shader::KILL_ENABLE::get(shader) || Shader::COVERAGE_TO_MASK_ENABLE::get(shader) ||
                       r.get<typename R::DB_ALPHA_TO_MASK::ALPHA_TO_MASK_ENABLE>();
  using Order = typename Shader::Z_ORDER;
  const uint32_t order = Order::get(shader);
  const bool late = order == Order::LATE_Z || Shader::EXEC_ON_HIER_FAIL::get(shader);
  bool first = !changes && !late;
  // Tests as the register prefers them, whatever else rules that out: first, or (late, and again after the shader) last.
  if (r.get<typename R::DB_RENDER_OVERRIDE::FORCE_SHADER_Z_ORDER>())
    first = order == Order::EARLY_Z_THEN_LATE_Z || order == Order::EARLY_Z_THEN_RE_Z;
  return Shader::DEPTH_BEFORE_SHADER::get(shader) || first;
}

// Each of DB_COUNT_CONTROL's fields is a mask of up to four counters, of which the model has one.
template <class R>
void counts_of(const RegisterFile& r, pipeline::DepthStencil& state) {
  using Count = typename R::DB_COUNT_CONTROL;
  const auto count = r.read<Count>();
  state.count_samples = Count::ZPASS_ENABLE::get(count) != 0;
  if constexpr (requires { typename Count::ZPASS_INCREMENT_DISABLE; })
    state.count_samples = state.count_samples && !Count::ZPASS_INCREMENT_DISABLE::get(count);
  state.count_depth_fails = Count::ZFAIL_ENABLE::get(count);
  state.count_stencil_fails = Count::SFAIL_ENABLE::get(count);
  state.count_bounds_fails = Count::DBFAIL_ENABLE::get(count);
  const bool even = Count::SLICE_EVEN_ENABLE::get(count), odd = Count::SLICE_ODD_ENABLE::get(count);
  const bool begins_odd = r.get<typename R::DB_DEPTH_VIEW::SLICE_START>() & 1;
  state.counted_layers = uint8_t((begins_odd ? odd : even) | (begins_odd ? even : odd) << 1);
}

template <class R>
pipeline::BlendFactor blend_factor(Reports& reports, uint32_t value) {
  using pipeline::BlendFactor;
  using Op = typename R::CB_BLEND_CONTROL::COLOR_SRCBLEND;
  struct Row {
    uint32_t value;
    BlendFactor factor;
  };
  static constexpr Row rows[] = {
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
  for (const Row& row : rows)
    if (row.value == value) return row.factor;
  reports.unknown(fmt::format("blend factor {}", value));
  return BlendFactor::one;
}

template <class R>
pipeline::BlendOp blend_combination(Reports& reports, uint32_t value) {
  using Fcn = typename R::CB_BLEND_CONTROL::COLOR_COMB_FCN;
  switch (value) {
    case Fcn::COMB_DST_PLUS_SRC: return pipeline::BlendOp::add;
    case Fcn::COMB_SRC_MINUS_DST: return pipeline::BlendOp::subtract;
    case Fcn::COMB_MIN_DST_SRC: return pipeline::BlendOp::min;
    case Fcn::COMB_MAX_DST_SRC: return pipeline::BlendOp::max;
    case Fcn::COMB_DST_MINUS_SRC: return pipeline::BlendOp::reverse_subtract;
    default: reports.unknown(fmt::format("blend combination {}", value)); return pipeline::BlendOp::add;
  }
}

// True if a factor of the target's blending is the second source.
inline bool takes_second_source(const pipeline::Blend& blend) {
  using pipeline::BlendTerm;
  for (pipeline::BlendFactor f : {blend.source_colour, blend.target_colour, blend.source_alpha, blend.target_alpha})
    if (term_of(f) == BlendTerm::second_source || term_of(f) == BlendTerm::second_source_alpha) return blend.enable;
  return false;
}

// The blending of colour target `n`. `small_components`: none of its format has more than 11 bits.
template <class R>
pipeline::Blend blend_of(const RegisterFile& r, Reports& reports, unsigned n, bool small_components) {
  using Cntl = typename R::CB_BLEND_CONTROL;
  using Info = typename R::CB_COLOR_INFO;
  const auto word = r.read<Cntl>(n);
  pipeline::Blend b;
  b.write_mask = uint8_t(TargetEnables<R>::get(r, n) & OutputEnables<R>::get(r, n));
  b.enable = Cntl::ENABLE::get(word) && !r.get<typename Info::BLEND_BYPASS>(n);
  b.logic_op = !b.enable && !Cntl::DISABLE_ROP3::get(word);  // blending overrides it, says ENABLE
  if (!b.enable) return b;
  const auto info = r.read<Info>(n);
  b.clamp_source = Info::BLEND_CLAMP::get(info) || small_components;
  b.multiply_by_zero = Info::NUMBER_TYPE::get(info) == Info::NUMBER_TYPE::NUMBER_FLOAT && !Info::SIMPLE_FLOAT::get(info);
  b.source_colour = blend_factor<R>(reports, Cntl::COLOR_SRCBLEND::get(word));
  b.target_colour = blend_factor<R>(reports, Cntl::COLOR_DESTBLEND::get(word));
  b.colour = blend_combination<R>(reports, Cntl::COLOR_COMB_FCN::get(word));
  if (Cntl::SEPARATE_ALPHA_BLEND::get(word)) {
    b.source_alpha = blend_factor<R>(reports, Cntl::ALPHA_SRCBLEND::get(word));
    b.target_alpha = blend_factor<R>(reports, Cntl::ALPHA_DESTBLEND::get(word));
    b.alpha = blend_combination<R>(reports, Cntl::ALPHA_COMB_FCN::get(word));
  } else {
    b.source_alpha = b.source_colour, b.target_alpha = b.target_colour, b.alpha = b.colour;
  }
  return b;
}

// The blend constant, the logic operation and alpha to coverage.
template <class R>
void output_state_of(const RegisterFile& r, Reports& reports, pipeline::ColourOutput& out) {
  out.constant = {r.as_float<typename R::CB_BLEND_RED>(), r.as_float<typename R::CB_BLEND_GREEN>(),
                  r.as_float<typename R::CB_BLEND_BLUE>(), r.as_float<typename R::CB_BLEND_ALPHA>()};
  // A ternary raster operation without a pattern: its four lower bits are the logic operation of source and target.
  const uint32_t rop = r.get<typename R::CB_COLOR_CONTROL::ROP3>();
  constexpr uint32_t source_copy = 0xcc;
  out.logic_op_enable = rop != source_copy;
  out.logic_op = pipeline::LogicOp(rop & 15);
  if (out.logic_op_enable && rop >> 4 != (rop & 15)) reports.unknown(fmt::format("ROP3 0x{:02x} with a pattern", rop));
  using ToMask = typename R::DB_ALPHA_TO_MASK;
  const auto mask = r.read<ToMask>();
  out.alpha_to_coverage =
      ToMask::ALPHA_TO_MASK_ENABLE::get(mask) && !r.get<typename R::DB_SHADER_CONTROL::ALPHA_TO_MASK_DISABLE>();
  // Thresholds are quarters of a sample, of which OFFSET_ROUND is half a one more.
  const uint32_t offsets[] = {ToMask::ALPHA_TO_MASK_OFFSET0::get(mask), ToMask::ALPHA_TO_MASK_OFFSET1::get(mask),
                              ToMask::ALPHA_TO_MASK_OFFSET2::get(mask), ToMask::ALPHA_TO_MASK_OFFSET3::get(mask)};
  for (unsigned n = 0; n < 4; n++) out.alpha_rounding[n] = uint8_t(2 * offsets[n] + ToMask::OFFSET_ROUND::get(mask));
  using Eqaa = typename R::DB_EQAA;
  const auto eqaa = r.read<Eqaa>();
  if constexpr (requires { typename Eqaa::ALPHA_TO_MASK_EQAA_DISABLE; })
    out.alpha_in_order = Eqaa::ALPHA_TO_MASK_EQAA_DISABLE::get(eqaa);
  out.alpha_samples = 1u << std::min(Eqaa::ALPHA_TO_MASK_NUM_SAMPLES::get(eqaa), 4u);
}

}  // namespace Atoll::gpu::amd
