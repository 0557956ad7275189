// PRM volume 2a, BLEND_STATE, COLOR_CALC_STATE; volume 2b, enumerations 3D_Color_Buffer_Blend_Factor, _Function, 3D_Logic_Op_Function.
#include "gpu/dg1/draw/blend_state.h"

#include <bit>

#include "gpu/dg1/draw/draw_state.h"

namespace Atoll::dg1 {
namespace {

using namespace commands;
using pipeline::BlendFactor;
using pipeline::Compare;
using Header = structures::BLEND_STATE;
using Entry = structures::BLEND_STATE_ENTRY;
using Constants = structures::COLOR_CALC_STATE;
using Factor = Entry::Source_Blend_Factor;  // all four fields have its values

bool factor_of(Context& context, const char* field, uint32_t value, BlendFactor& factor) {
  switch (value) {
    case Factor::ONE: factor = BlendFactor::one; return true;
    case Factor::SRC_COLOR: factor = BlendFactor::source_colour; return true;
    case Factor::SRC_ALPHA: factor = BlendFactor::source_alpha; return true;
    case Factor::DST_ALPHA: factor = BlendFactor::target_alpha; return true;
    case Factor::DST_COLOR: factor = BlendFactor::target_colour; return true;
    case Factor::SRC_ALPHA_SATURATE: factor = BlendFactor::source_alpha_saturate; return true;
    case Factor::CONST_COLOR: factor = BlendFactor::constant_colour; return true;
    case Factor::CONST_ALPHA: factor = BlendFactor::constant_alpha; return true;
    case Factor::SRC1_COLOR: factor = BlendFactor::second_source_colour; return true;
    case Factor::SRC1_ALPHA: factor = BlendFactor::second_source_alpha; return true;
    case Factor::ZERO: factor = BlendFactor::zero; return true;
    case Factor::INV_SRC_COLOR: factor = BlendFactor::one_minus_source_colour; return true;
    case Factor::INV_SRC_ALPHA: factor = BlendFactor::one_minus_source_alpha; return true;
    case Factor::INV_DST_ALPHA: factor = BlendFactor::one_minus_target_alpha; return true;
    case Factor::INV_DST_COLOR: factor = BlendFactor::one_minus_target_colour; return true;
    case Factor::INV_CONST_COLOR: factor = BlendFactor::one_minus_constant_colour; return true;
    case Factor::INV_CONST_ALPHA: factor = BlendFactor::one_minus_constant_alpha; return true;
    case Factor::INV_SRC1_COLOR: factor = BlendFactor::one_minus_second_source_colour; return true;
    case Factor::INV_SRC1_ALPHA: factor = BlendFactor::one_minus_second_source_alpha; return true;
    default: return refuse(context, field, value);
  }
}

bool function_of(Context& context, const char* field, uint32_t value, pipeline::BlendOp& op) {
  using Function = Entry::Color_Blend_Function;
  switch (value) {
    case Function::ADD: op = pipeline::BlendOp::add; return true;
    case Function::SUBTRACT: op = pipeline::BlendOp::subtract; return true;
    case Function::REVERSE_SUBTRACT: op = pipeline::BlendOp::reverse_subtract; return true;
    case Function::MIN: op = pipeline::BlendOp::min; return true;
    case Function::MAX: op = pipeline::BlendOp::max; return true;
    default: return refuse(context, field, value);
  }
}

// Colours are clamped to what the target's format can hold (COLORCLAMP_RTFORMAT, which drivers ask for), or to 0..1 or -1..1; the blend
// constant with the sources, where these are not said to be alone.
bool find_clamps(Context& context, const uint32_t* w, pipeline::Blend& b) {
  using Range = Entry::Color_Clamp_Range;
  const uint32_t range = Range::get(w);
  if (range > Range::COLORCLAMP_RTFORMAT) return refuse(context, "BLEND_STATE_ENTRY.Color Clamp Range", range);
  b.clamp_source = Entry::Pre_Blend_Color_Clamp_Enable::get(w);
  b.clamp_constant = !Entry::Pre_Blend_Source_Only_Clamp_Enable::get(w);
  using Source = pipeline::Blend::SourceRange;
  b.source_range = range == Range::COLORCLAMP_UNORM   ? Source::unorm
                   : range == Range::COLORCLAMP_SNORM ? Source::snorm
                                                      : Source::of_format;
  const bool after = Entry::Post_Blend_Color_Clamp_Enable::get(w);
  b.clamp_colour = b.clamp_alpha = after && range == Range::COLORCLAMP_UNORM;
  return true;
}

bool find_blend(Context& context, const uint32_t* w, bool alpha_apart, pipeline::Blend& b) {
  b = {};
  b.write_mask = uint8_t(!Entry::Write_Disable_Red::get(w) | !Entry::Write_Disable_Green::get(w) << 1 |
                         !Entry::Write_Disable_Blue::get(w) << 2 | !Entry::Write_Disable_Alpha::get(w) << 3);
  if (!find_clamps(context, w, b)) return false;
  b.logic_op = Entry::Logic_Op_Enable::get(w);
  b.enable = Entry::Color_Buffer_Blend_Enable::get(w) && !b.logic_op;
  if (!b.enable) return true;
  if (!factor_of(context, "BLEND_STATE_ENTRY.Source Blend Factor", Entry::Source_Blend_Factor::get(w), b.source_colour) ||
      !factor_of(context, "BLEND_STATE_ENTRY.Destination Blend Factor", Entry::Destination_Blend_Factor::get(w),
                 b.target_colour) ||
      !function_of(context, "BLEND_STATE_ENTRY.Color Blend Function", Entry::Color_Blend_Function::get(w), b.colour))
    return false;
  if (!alpha_apart) {
    b.source_alpha = b.source_colour, b.target_alpha = b.target_colour, b.alpha = b.colour;
    return true;
  }
  return factor_of(context, "BLEND_STATE_ENTRY.Source Alpha Blend Factor", Entry::Source_Alpha_Blend_Factor::get(w),
                   b.source_alpha) &&
         factor_of(context, "BLEND_STATE_ENTRY.Destination Alpha Blend Factor", Entry::Destination_Alpha_Blend_Factor::get(w),
                   b.target_alpha) &&
         function_of(context, "BLEND_STATE_ENTRY.Alpha Blend Function", Entry::Alpha_Blend_Function::get(w), b.alpha);
}

// 3DSTATE_CC_STATE_POINTERS: the blend constant and the alpha test's reference.
bool find_constants(Context& context, pipeline::ColourOutput& out) {
  const GraphicsState& g = context.graphics;
  if (!g.get<_3DSTATE_CC_STATE_POINTERS::Color_Calc_State_Pointer_Valid>()) return true;
  uint32_t w[Constants::dwords];
  const uint64_t at = context.bases.dynamic + g.get<_3DSTATE_CC_STATE_POINTERS::Color_Calc_State_Pointer>();
  if (!context.load_state("COLOR_CALC_STATE", at, w, "read of COLOR_CALC_STATE")) return false;
  auto value = [](uint64_t bits) { return std::bit_cast<float>(uint32_t(bits)); };
  out.constant = {value(Constants::Blend_Constant_Color_Red::get(w)), value(Constants::Blend_Constant_Color_Green::get(w)),
                  value(Constants::Blend_Constant_Color_Blue::get(w)), value(Constants::Blend_Constant_Color_Alpha::get(w))};
  if (Constants::Alpha_Test_Format::get(w) == Constants::Alpha_Test_Format::ALPHATEST_FLOAT32) {
    out.alpha_reference = value(Constants::Alpha_Reference_Value_As_FLOAT32::get(w));
    return true;
  }
  out.alpha_reference = float(Constants::Alpha_Reference_Value_As_UNORM8::get(w) & 0xff) / 255;
  if (out.alpha_test) context.unknown("COLOR_CALC_STATE.Alpha Test Format ALPHATEST_UNORM8");
  return true;
}

}  // namespace

Compare compare_of(uint32_t function) {
  constexpr Compare compares[] = {Compare::always,     Compare::never,   Compare::less,      Compare::equal,
                                  Compare::less_equal, Compare::greater, Compare::not_equal, Compare::greater_equal};
  return compares[function & 7];
}

void settle_clamps(Context& context, pipeline::Draw& draw) {
  const GraphicsState& g = context.graphics;
  using Pointer = _3DSTATE_BLEND_STATE_POINTERS;
  using Range = Entry::Color_Clamp_Range;
  for (unsigned n = 0; n < draw.colour.blend.size() && g.get<Pointer::Blend_State_Pointer_Valid>(); n++) {
    const pipeline::ColourTarget& target = draw.targets.colour[n];
    pipeline::Blend& blend = draw.colour.blend[n];
    const surface::Number number = target.format.number;
    if (!target.target || !blend.write_mask || (number != surface::Number::floating && number != surface::Number::snorm))
      continue;
    uint32_t w[Entry::dwords];
    const uint64_t at = context.bases.dynamic + g.get<Pointer::Blend_State_Pointer>() + (Header::dwords + n * Entry::dwords) * 4;
    if (!context.load(at, w, sizeof w, "read of BLEND_STATE")) return;
    const bool to_snorm = Entry::Post_Blend_Color_Clamp_Enable::peek(w) && Range::peek(w) == Range::COLORCLAMP_SNORM;
    if (blend.enable) {
      if (to_snorm && number == surface::Number::floating)
        context.unknown("BLEND_STATE_ENTRY.Post-Blend Color Clamp Enable of floats to COLORCLAMP_SNORM");
      continue;
    }
    // Values that are not blended are clamped all the same: as a sum of the source alone.
    using Source = pipeline::Blend::SourceRange;
    if (to_snorm && !blend.clamp_source) blend.clamp_source = true, blend.source_range = Source::snorm;
    if (blend.logic_op || (!blend.clamp_colour && !(blend.clamp_source && blend.source_range != Source::of_format))) continue;
    blend.enable = true;
    blend.source_colour = blend.source_alpha = BlendFactor::one, blend.target_colour = blend.target_alpha = BlendFactor::zero;
    blend.colour = blend.alpha = pipeline::BlendOp::add;
  }
}

bool find_colour_output(Context& context, uint8_t targets, pipeline::Draw& draw) {
  const GraphicsState& g = context.graphics;
  pipeline::ColourOutput& out = draw.colour;
  using Pointer = _3DSTATE_BLEND_STATE_POINTERS;
  uint32_t words[Header::dwords + 8 * Entry::dwords] = {};
  // Entries behind the last target need not be there.
  const unsigned entries = unsigned(std::bit_width(unsigned(targets | 1)));
  if (g.get<Pointer::Blend_State_Pointer_Valid>() &&
      !context.load(context.bases.dynamic + g.get<Pointer::Blend_State_Pointer>(), words,
                    (Header::dwords + entries * Entry::dwords) * sizeof *words, "read of BLEND_STATE"))
    return false;
  if (g.get<Pointer::Blend_State_Pointer_Valid>()) {
    const uint64_t at = context.bases.dynamic + g.get<Pointer::Blend_State_Pointer>();
    context.tell_use("BLEND_STATE", at, std::span(words, Header::dwords));
    for (unsigned n = 0; n < entries; n++) {
      const size_t begin = Header::dwords + n * Entry::dwords;
      context.tell_use("BLEND_STATE_ENTRY", at + begin * 4, std::span(words + begin, Entry::dwords));
    }
  }
  const bool alpha_apart = Header::Independent_Alpha_Blend_Enable::get(words);
  std::optional<pipeline::LogicOp> logic_op;
  for (unsigned n = 0; n < out.blend.size(); n++) {
    out.blend[n] = {};
    out.blend[n].write_mask = 0;
    if (!(targets >> n & 1)) continue;
    const uint32_t* entry = words + Header::dwords + n * Entry::dwords;
    if (!find_blend(context, entry, alpha_apart, out.blend[n])) return false;
    if (!out.blend[n].logic_op) continue;
    // The manual's numbers are those of the bits that result (source << 1 | target).
    const auto function = pipeline::LogicOp(Entry::Logic_Op_Function::get(entry));
    if (!logic_op) logic_op = function;
    if (function != *logic_op) out.blend[n].own_logic_op = function;
  }
  out.logic_op_enable = logic_op.has_value();
  out.logic_op = logic_op.value_or(12);
  out.alpha_test = Header::Alpha_Test_Enable::get(words);
  out.alpha_compare = compare_of(Header::Alpha_Test_Function::get(words));
  out.alpha_to_one = Header::Alpha_To_One_Enable::get(words);
  // (A shader that sends a mask has none: Skylake PRM volume 7, "Alpha Coverage", quoted in Mesa 22.3.6 brw_fs.cpp.)
  out.alpha_to_coverage = Header::Alpha_To_Coverage_Enable::get(words) &&
                          !g.get<_3DSTATE_PS_EXTRA::Pixel_Shader_Disables_Alpha_To_Coverage>() &&
                          !g.get<_3DSTATE_PS_EXTRA::oMask_Present_to_Render_Target>();
  return find_constants(context, out);
}

}  // namespace Atoll::dg1
