#include "gpu/gfx12/draw/pixel_state.h"

#include <algorithm>
#include <bit>

#include "base/half.h"
#include "gpu/gfx12/state/draw_registers.h"
#include "registers/accessors.h"

namespace Atoll::gfx12 {
namespace {

using registers::access::FieldList;

// By export of the pixel shader.
using ExportFormats = FieldList<SPI_SHADER_COL_FORMAT::COL0_EXPORT_FORMAT, SPI_SHADER_COL_FORMAT::COL1_EXPORT_FORMAT,
                                SPI_SHADER_COL_FORMAT::COL2_EXPORT_FORMAT, SPI_SHADER_COL_FORMAT::COL3_EXPORT_FORMAT,
                                SPI_SHADER_COL_FORMAT::COL4_EXPORT_FORMAT, SPI_SHADER_COL_FORMAT::COL5_EXPORT_FORMAT,
                                SPI_SHADER_COL_FORMAT::COL6_EXPORT_FORMAT, SPI_SHADER_COL_FORMAT::COL7_EXPORT_FORMAT>;
template <class R>
using PixelInputs =
    FieldList<typename R::PERSP_SAMPLE_ENA, typename R::PERSP_CENTER_ENA, typename R::PERSP_CENTROID_ENA,
              typename R::PERSP_PULL_MODEL_ENA, typename R::LINEAR_SAMPLE_ENA, typename R::LINEAR_CENTER_ENA,
              typename R::LINEAR_CENTROID_ENA, typename R::LINE_STIPPLE_TEX_ENA, typename R::POS_X_FLOAT_ENA,
              typename R::POS_Y_FLOAT_ENA, typename R::POS_Z_FLOAT_ENA, typename R::POS_W_FLOAT_ENA, typename R::FRONT_FACE_ENA,
              typename R::ANCILLARY_ENA, typename R::SAMPLE_COVERAGE_ENA, typename R::POS_FIXED_PT_ENA>;

using Cntl = SPI_PS_INPUT_CNTL;
using Interp = SPI_INTERP_CONTROL_0;

uint32_t one_of(bool half) { return half ? 0x3c00 : std::bit_cast<uint32_t>(1.0f); }

// DEFAULT_VAL. Bit 1: red, green and blue are 1; bit 0: alpha is (AMD_gfx documentation in Mesa's ac_shader_util.h,
// AC_EXP_PARAM_DEFAULT_VAL_0000 to _1111).
PixelTerm default_term(uint32_t kind, unsigned channel, bool half) {
  return {PixelTerm::constant, (channel == 3 ? kind & 1 : kind >> 1 & 1) ? one_of(half) : 0};
}

// The replacement for points, by PNT_SPRITE_OVRD_*.
PixelTerm sprite_term(const registers::access::Word<Interp>& interp, unsigned channel, bool half, PixelTerm otherwise) {
  using Override = SPI_PNT_SPRITE_OVERRIDE;
  const uint32_t selects[] = {Interp::PNT_SPRITE_OVRD_X::get(interp), Interp::PNT_SPRITE_OVRD_Y::get(interp),
                              Interp::PNT_SPRITE_OVRD_Z::get(interp), Interp::PNT_SPRITE_OVRD_W::get(interp)};
  switch (selects[channel]) {
    case Override::SPI_PNT_SPRITE_SEL_0: return {PixelTerm::constant, 0};
    case Override::SPI_PNT_SPRITE_SEL_1: return {PixelTerm::constant, one_of(half)};
    case Override::SPI_PNT_SPRITE_SEL_S: return {PixelTerm::sprite_s, 0};
    case Override::SPI_PNT_SPRITE_SEL_T: return {PixelTerm::sprite_t, 0};
    default: return otherwise;
  }
}

// One input that SPI_PS_INPUT_CNTL describes (Mesa 25.0.7 radv_cmd_buffer.c, offset_to_ps_input; si_state_shaders.cpp, si_emit_spi_map).
void find_channel(ShaderContext& context, const registers::access::Word<Cntl>& cntl,
                  const registers::access::Word<Interp>& interp, unsigned vertex_attributes, PixelChannel& c) {
  constexpr uint32_t not_a_parameter = 0x20;
  const uint32_t offset = Cntl::OFFSET::get(cntl), parameter = offset & (not_a_parameter - 1);
  const bool flat = Cntl::FLAT_SHADE::get(cntl) && Interp::FLAT_SHADE_ENA::get(interp);
  // A flat input that is no parameter has the vertices' values instead of their differences.
  const bool as_vertices = offset & not_a_parameter && flat;
  const bool has_parameter = (!(offset & not_a_parameter) || as_vertices) && parameter < vertex_attributes;
  c.halves = Cntl::FP16_INTERP_MODE::get(cntl) && !flat;
  c.parameter = uint16_t(parameter * 4 + c.channel);
  if (Cntl::DUP::peek(cntl)) context.unknown("SPI_PS_INPUT_CNTL.DUP");
  for (unsigned half = 0; half < 2; half++) {
    PixelTerm& term = c.terms[half];
    if (c.halves && !(half ? Cntl::ATTR1_VALID::get(cntl) : Cntl::ATTR0_VALID::get(cntl))) {
      term = {};
    } else if (!has_parameter || (half && Cntl::USE_DEFAULT_ATTR1::get(cntl))) {
      term = default_term(half ? Cntl::DEFAULT_VAL_ATTR1::get(cntl) : Cntl::DEFAULT_VAL::get(cntl), c.channel, c.halves);
    } else {
      term.source = Cntl::PRIM_ATTR::get(cntl) ? PixelTerm::own
                    : as_vertices              ? PixelTerm::vertices
                    : flat                     ? PixelTerm::flat
                                               : PixelTerm::smooth;
    }
    c.on_points[half] = term;
    const bool is_sprite = half ? Cntl::PT_SPRITE_TEX_ATTR1::get(cntl) : Cntl::PT_SPRITE_TEX::get(cntl);
    if (is_sprite && Interp::PNT_SPRITE_ENA::get(interp)) c.on_points[half] = sprite_term(interp, c.channel, c.halves, term);
  }
}

void find_channels(ShaderContext& context, PixelState& s, unsigned vertex_attributes) {
  const RegisterFile& r = context.registers;
  const auto interp = r.read<Interp>();
  const unsigned inputs =
      r.get<SPI_SHADER_GS_OUT_CONFIG_PS::NUM_INTERP>() + r.get<SPI_SHADER_GS_OUT_CONFIG_PS::NUM_PRIM_INTERP>();
  const bool generated = r.get<SPI_PS_IN_CONTROL::PARAM_GEN>();
  s.attributes = std::min(inputs + generated, unsigned(rdna4::attribute_count));
  s.channels.clear();
  for (uint8_t slot : s.setup.shader->pixel_program().attributes_read) {
    PixelChannel c{.attribute = uint8_t(slot / 4), .channel = uint8_t(slot % 4), .terms = {}, .on_points = {}};
    if (generated && c.attribute == inputs) {
      // Behind the interpolated ones: the place in the primitive, in Z and W (Mesa 25.0.7 si_nir_lower_abi.c,
      // nir_intrinsic_load_point_coord_maybe_flipped).
      c.terms[0].source = c.on_points[0].source = c.channel % 2 ? PixelTerm::sprite_t : PixelTerm::sprite_s;
    } else if (c.attribute < std::min(inputs, 32u)) {
      find_channel(context, r.read<Cntl>(c.attribute), interp, vertex_attributes, c);
    }
    s.channels.push_back(c);
  }
}

bool takes_second_source(const registers::access::Word<CB_BLEND_CONTROL>& blend) {
  using Op = gfx12::BlendOp;
  auto second = [](uint32_t factor) { return factor >= Op::BLEND_SRC1_COLOR && factor <= Op::BLEND_INV_SRC1_ALPHA; };
  return CB_BLEND_CONTROL::ENABLE::get(blend) &&
         (second(CB_BLEND_CONTROL::COLOR_SRCBLEND::get(blend)) || second(CB_BLEND_CONTROL::COLOR_DESTBLEND::get(blend)) ||
          (CB_BLEND_CONTROL::SEPARATE_ALPHA_BLEND::get(blend) &&
           (second(CB_BLEND_CONTROL::ALPHA_SRCBLEND::get(blend)) || second(CB_BLEND_CONTROL::ALPHA_DESTBLEND::get(blend)))));
}

void find_inputs(ShaderContext& context, const pipeline::Rasterization& raster, PixelState& s) {
  using Baryc = SPI_BARYC_CNTL;
  using Ena = SPI_PS_INPUT_ENA;
  const RegisterFile& r = context.registers;
  const uint32_t addressed = PixelInputs<SPI_PS_INPUT_ADDR>::bits(r.read<SPI_PS_INPUT_ADDR>());
  s.enabled = PixelInputs<Ena>::bits(r.read<Ena>()) & addressed;
  int vgpr = 0;
  for (unsigned n = 0; n < kPixelInputs; n++) {
    s.vgpr_of[n] = -1;
    if (!(addressed >> n & 1)) continue;
    if (s.enabled >> n & 1) s.vgpr_of[n] = vgpr;
    vgpr += int(input_vgprs[n]);
  }
  const auto baryc = r.read<Baryc>();
  s.set_of[PERSP_SAMPLE] = pipeline::PERSPECTIVE_SAMPLE;
  s.set_of[PERSP_CENTER] = Baryc::PERSP_CENTER_CNTL::get(baryc) ? pipeline::PERSPECTIVE_CENTROID : pipeline::PERSPECTIVE_CENTRE;
  s.set_of[PERSP_CENTROID] =
      Baryc::PERSP_CENTROID_CNTL::get(baryc) ? pipeline::PERSPECTIVE_CENTRE : pipeline::PERSPECTIVE_CENTROID;
  s.set_of[PERSP_PULL_MODEL] = pipeline::PERSPECTIVE_CENTRE;
  s.set_of[LINEAR_SAMPLE] = pipeline::LINEAR_SAMPLE;
  s.set_of[LINEAR_CENTER] = Baryc::LINEAR_CENTER_CNTL::get(baryc) ? pipeline::LINEAR_CENTROID : pipeline::LINEAR_CENTRE;
  s.set_of[LINEAR_CENTROID] = Baryc::LINEAR_CENTROID_CNTL::get(baryc) ? pipeline::LINEAR_CENTRE : pipeline::LINEAR_CENTROID;
  constexpr unsigned linear = pipeline::LINEAR_SAMPLE - pipeline::PERSPECTIVE_SAMPLE;
  s.no_perspective = r.get<PA_SU_SC_MODE_CNTL::PERSP_CORR_DIS>();
  if (s.no_perspective)
    for (unsigned n : {PERSP_SAMPLE, PERSP_CENTER, PERSP_CENTROID}) s.set_of[n] += linear;
  s.barycentrics = 0;
  for (unsigned n = PERSP_SAMPLE; n <= LINEAR_CENTROID; n++)
    if (s.enabled >> n & 1) s.barycentrics |= uint8_t(1u << s.set_of[n]);
  s.wants_depth = s.enabled & (1u << PERSP_PULL_MODEL | 1u << POS_Z | 1u << POS_W);
  s.position_is_corner = Baryc::POS_FLOAT_ULC::get(baryc);
  const bool wants_place = s.enabled & (1u << POS_X | 1u << POS_Y) && !s.position_is_corner;
  const uint32_t location = wants_place ? Baryc::POS_FLOAT_LOCATION::get(baryc) : 0;
  s.place = location == 1                            ? PixelState::Place::centroid
            : location == 2 && raster.sample_shading ? PixelState::Place::sample
                                                     : PixelState::Place::centre;
  s.front_face_all_bits = Baryc::FRONT_FACE_ALL_BITS::get(baryc);
  const auto ssaa = r.read<SPI_BARYC_SSAA_CNTL>();
  if (SPI_BARYC_SSAA_CNTL::CENTER_SSAA_MODE::peek(ssaa)) context.unknown("SPI_BARYC_SSAA_CNTL.CENTER_SSAA_MODE");
  if (SPI_BARYC_SSAA_CNTL::CENTROID_SSAA_MODE::peek(ssaa)) context.unknown("SPI_BARYC_SSAA_CNTL.CENTROID_SSAA_MODE");
  const auto ena = r.read<Ena>();
  if (s.enabled >> SAMPLE_COVERAGE & 1 && Ena::COVERAGE_TO_SHADER_SELECT::peek(ena) != CovToShaderSel::INPUT_COVERAGE)
    context.unknown(fmt::format("SPI_PS_INPUT_ENA.COVERAGE_TO_SHADER_SELECT {}", Ena::COVERAGE_TO_SHADER_SELECT::peek(ena)));
  // GL_ARB_post_depth_coverage asks for what early tests have left (Mesa 25.0.7 si_state_shaders.cpp, si_create_shader_selector).
  s.coverage_before_tests = s.enabled >> SAMPLE_COVERAGE & 1 && !r.get<DB_SHADER_CONTROL::PRE_SHADER_DEPTH_COVERAGE_ENABLE>();
  auto mask_of_samples = [](uint32_t log) { return log < 4 ? (1u << (1u << log)) - 1 : 0xffffu; };
  s.coverage_seen = mask_of_samples(r.get<PA_SC_AA_CONFIG::MSAA_EXPOSED_SAMPLES>());
  s.detail_to_exposed = r.get<PA_SC_AA_CONFIG::DETAIL_TO_EXPOSED_MODE>();
  s.coverage_exported = mask_of_samples(r.get<DB_EQAA::MASK_EXPORT_NUM_SAMPLES>());
  s.samples.fill(raster.sample_positions);
  for (unsigned n = 0; raster.other_pixels && n < 3; n++) s.samples[n + 1] = (*raster.other_pixels)[n].positions;
}

void find_exports(const RegisterFile& r, PixelState& s) {
  for (unsigned n = 0; n < 8; n++) s.export_format[n] = ExportFormats::get(r.read<SPI_SHADER_COL_FORMAT>(), n);
  s.depth_format = r.get<SPI_SHADER_Z_FORMAT::Z_EXPORT_FORMAT>();
  s.depth_exported = r.get<DB_SHADER_CONTROL::Z_EXPORT_ENABLE>();
  s.stencil_exported = r.get<DB_SHADER_CONTROL::STENCIL_TEST_VAL_EXPORT_ENABLE>();
  s.stencil_op_exported = r.get<DB_SHADER_CONTROL::STENCIL_OP_VAL_EXPORT_ENABLE>();
  s.mask_exported = r.get<DB_SHADER_CONTROL::MASK_EXPORT_ENABLE>();
  const uint32_t exported = s.setup.shader->pixel_program().exported;
  s.dual_source = exported >> rdna4::DUAL_SOURCE0 & 1 || takes_second_source(r.read<CB_BLEND_CONTROL>(0));
  // Exports are numbered without holes: the n-th is for the n-th target that CB_SHADER_MASK says the program writes (Mesa 25.0.7
  // si_state_shaders.cpp, si_get_spi_shader_col_format: holes are removed there, and left in the mask).
  unsigned number = 0;
  std::ranges::fill(s.target_of, PixelState::no_target);
  for (uint8_t target = 0; target < 8; target++)
    if (OutputEnables::get(r.read<CB_SHADER_MASK>(), target)) s.target_of[number++] = target;
  if (s.dual_source) s.target_of[0] = 0, s.target_of[1] = 1;  // both are target 0's
  s.writes_always = 0;
  if (s.dual_source || s.mask_exported) return;
  const uint32_t by_all = s.setup.shader->pixel_program().exported_by_all;
  for (unsigned n = 0; n < number; n++)
    if (by_all >> (rdna4::MRT0 + n) & 1 && s.export_format[n] != SPI_SHADER_EX_FORMAT::SPI_SHADER_ZERO)
      s.writes_always |= uint8_t(1u << s.target_of[n]);
}

// A difference as the fixed function makes it of numbers of 16 bits.
uint32_t half_difference(uint32_t x, uint32_t y) {
  return half_from_float(float_from_half(uint16_t(x)) - float_from_half(uint16_t(y)));
}

std::array<uint32_t, 3> term_words(const PixelTerm& term, const PixelChannel& c, const pipeline::PrimitiveAttributes& p,
                                   unsigned shift) {
  const uint32_t mask = c.halves ? 0xffff : ~0u;
  auto word = [&](const float* of) { return of ? std::bit_cast<uint32_t>(of[c.parameter]) >> shift & mask : 0; };
  switch (term.source) {
    case PixelTerm::constant: return {term.value, 0, 0};
    case PixelTerm::flat: return {word(p.provoking), 0, 0};
    case PixelTerm::own: return {word(p.own), 0, 0};
    case PixelTerm::vertices: return {word(p.a), word(p.b), word(p.c)};
    case PixelTerm::sprite_s: return {0, one_of(c.halves), 0};
    case PixelTerm::sprite_t: return {0, 0, one_of(c.halves)};
    case PixelTerm::smooth: break;
  }
  if (c.halves) {
    const uint32_t a = word(p.a);
    return {a, half_difference(word(p.b), a), half_difference(word(p.c), a)};
  }
  const float a = p.a[c.parameter];
  return {std::bit_cast<uint32_t>(a), std::bit_cast<uint32_t>(p.b[c.parameter] - a),
          std::bit_cast<uint32_t>(p.c[c.parameter] - a)};
}

}  // namespace

std::array<uint32_t, 3> parameters_of(const PixelChannel& c, const pipeline::PrimitiveAttributes& p) {
  const auto& terms = p.kind == pipeline::PrimitiveKind::point ? c.on_points : c.terms;
  std::array<uint32_t, 3> words = term_words(terms[0], c, p, 0);
  if (c.halves) {
    const std::array<uint32_t, 3> high = term_words(terms[1], c, p, 16);
    for (unsigned n = 0; n < 3; n++) words[n] |= high[n] << 16;
  }
  return words;
}

bool find_pixel_state(ShaderContext& context, const pipeline::Rasterization& raster, unsigned vertex_attributes, PixelState& s) {
  const RegisterFile& r = context.registers;
  const unsigned lanes = r.get<SPI_PS_IN_CONTROL::PS_W32_EN>() ? 32 : 64;
  if (!prepare_stage<stages::PS>(context, lanes, s.setup)) return false;
  using One = SPI_SHADER_PGM_RSRC1_PS;
  using Two = SPI_SHADER_PGM_RSRC2_PS;
  const auto two = r.read<Two>();
  // In units of 256 dwords (LLVM AMDGPUAsmPrinter.cpp, ".ps_extra_lds_size"). All of LDS that a wave can name has 64 KiB.
  s.lds_bytes = std::min(Two::EXTRA_LDS_SIZE::get(two) * 1024, 32768u);
  s.loads_provoking = r.get<One::LOAD_PROVOKING_VTX>();
  s.is_ordered = r.get<DB_SHADER_CONTROL::PRIMITIVE_ORDERED_PIXEL_SHADER>();
  if (Two::WAVE_CNT_EN::peek(two)) context.unknown("SPI_SHADER_PGM_RSRC2_PS.WAVE_CNT_EN");
  if (Two::LOAD_COLLISION_WAVEID::peek(two)) context.unknown("SPI_SHADER_PGM_RSRC2_PS.LOAD_COLLISION_WAVEID");
  if (Two::LOAD_INTRAWAVE_COLLISION::peek(two)) context.unknown("SPI_SHADER_PGM_RSRC2_PS.LOAD_INTRAWAVE_COLLISION");
  find_inputs(context, raster, s);
  find_exports(r, s);
  s.setup.status = STATUS_LDS_PARAM_RDY | (s.skips_exports() ? STATUS_SKIP_EXPORT : STATUS_EXPORT_RDY);
  find_channels(context, s, vertex_attributes);
  return true;
}

bool PixelState::skips_exports() const {
  return !depth_format && std::ranges::all_of(export_format, [](uint32_t format) { return !format; });
}

bool PixelState::may_wait() const { return setup.shader->pixel_program().only_reads; }

Likeness PixelState::likeness() const {
  constexpr uint32_t barycentric_inputs = 1u << PERSP_SAMPLE | 1u << PERSP_CENTER | 1u << PERSP_CENTROID | 1u << LINEAR_SAMPLE |
                                          1u << LINEAR_CENTER | 1u << LINEAR_CENTROID;
  if (lds_bytes || enabled & ~(barycentric_inputs | 1u << FRONT_FACE) || !may_wait()) return {};
  // Terms that have differences though their vertices are the same.
  auto varies = [](const PixelTerm& term) {
    return term.source == PixelTerm::sprite_s || term.source == PixelTerm::sprite_t || term.source == PixelTerm::vertices;
  };
  if (std::ranges::any_of(channels, [&](const PixelChannel& c) { return c.halves || varies(c.terms[0]); })) return {};
  std::vector<unsigned> varying;
  for (unsigned n = 0; n < kPixelInputs; n++)
    if (barycentric_inputs >> n & 1 && vgpr_of[n] >= 0)
      for (unsigned part = 0; part < input_vgprs[n]; part++) varying.push_back(unsigned(vgpr_of[n]) + part);
  Likeness found = setup.shader->likeness(varying);
  found.everywhere &= std::ranges::none_of(channels, [&](const PixelChannel& c) { return varies(c.on_points[0]); });
  return found;
}

bool PixelState::same_in_primitives() const {
  auto is_flat = [](const PixelTerm& term) {
    return term.source == PixelTerm::constant || term.source == PixelTerm::flat || term.source == PixelTerm::own;
  };
  return std::ranges::all_of(channels, [&](const PixelChannel& c) { return is_flat(c.terms[0]) && is_flat(c.on_points[0]); }) &&
         pixels_alike();
}

}  // namespace Atoll::gfx12
