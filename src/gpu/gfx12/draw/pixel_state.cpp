#include "gpu/gfx12/draw/pixel_state.h"

#include <algorithm>
#include <bit>

#include "base/half.h"
#include "gpu/gfx12/state/draw_registers.h"
#include "pixel/inner_coverage.h"

namespace Atoll::gfx12 {
namespace {

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

// Inputs that this chip alone has.
void find_coverage(ShaderContext& context, PixelState& s) {
  using Ena = SPI_PS_INPUT_ENA;
  const RegisterFile& r = context.registers;
  const bool wants_coverage = s.enabled >> gpu::amd::SAMPLE_COVERAGE & 1;
  const auto ssaa = r.read<SPI_BARYC_SSAA_CNTL>();
  if (SPI_BARYC_SSAA_CNTL::CENTER_SSAA_MODE::peek(ssaa)) context.unknown("SPI_BARYC_SSAA_CNTL.CENTER_SSAA_MODE");
  if (SPI_BARYC_SSAA_CNTL::CENTROID_SSAA_MODE::peek(ssaa)) context.unknown("SPI_BARYC_SSAA_CNTL.CENTROID_SSAA_MODE");
  const auto ena = r.read<Ena>();
  if (wants_coverage) {
    const uint32_t select = Ena::COVERAGE_TO_SHADER_SELECT::get(ena);
    s.inner_coverage = select == CovToShaderSel::INPUT_INNER_COVERAGE;
    if (s.inner_coverage)
      s.barycentrics |= pixel::inner_coverage_weights;
    else if (select != CovToShaderSel::INPUT_COVERAGE)
      context.unknown(fmt::format("SPI_PS_INPUT_ENA.COVERAGE_TO_SHADER_SELECT {}", select));
  }
  // GL_ARB_post_depth_coverage asks for what early tests have left (Mesa 25.0.7 si_state_shaders.cpp, si_create_shader_selector).
  s.coverage_before_tests = wants_coverage && !r.get<DB_SHADER_CONTROL::PRE_SHADER_DEPTH_COVERAGE_ENABLE>();
}

void find_exports(const RegisterFile& r, PixelState& s) {
  const PixelProgram& program = s.setup.shader->pixel_program();
  s.depth_format = r.get<SPI_SHADER_Z_FORMAT::Z_EXPORT_FORMAT>();
  gpu::amd::find_pixel_exports<DrawRegisters>(r, program.exported >> rdna4::DUAL_SOURCE0 & 1, s);
  s.writes_always = 0;
  if (s.dual_source || s.mask_exported) return;
  for (unsigned n = 0; n < 8 && s.target_of[n] != PixelState::no_target; n++)
    if (program.exported_by_all >> (rdna4::MRT0 + n) & 1 && s.export_format[n] != SPI_SHADER_EX_FORMAT::SPI_SHADER_ZERO)
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
  gpu::amd::find_pixel_inputs<DrawRegisters>(r, raster, s);
  find_coverage(context, s);
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
  if (lds_bytes || enabled & ~(gpu::amd::barycentric_inputs | 1u << gpu::amd::FRONT_FACE) || !may_wait()) return {};
  // Terms that have differences though their vertices are the same.
  auto varies = [](const PixelTerm& term) {
    return term.source == PixelTerm::sprite_s || term.source == PixelTerm::sprite_t || term.source == PixelTerm::vertices;
  };
  if (std::ranges::any_of(channels, [&](const PixelChannel& c) { return c.halves || varies(c.terms[0]); })) return {};
  Likeness found = setup.shader->likeness(varying_vgprs());
  found.everywhere &= std::ranges::none_of(channels, [&](const PixelChannel& c) { return varies(c.on_points[0]); });
  return found;
}

bool PixelState::same_in_primitives() const {
  auto is_flat = [](const PixelTerm& term) {
    return term.source == PixelTerm::constant || term.source == PixelTerm::flat || term.source == PixelTerm::own;
  };
  return std::ranges::all_of(channels, [&](const PixelChannel& c) { return is_flat(c.terms[0]) && is_flat(c.on_points[0]); }) &&
         uniform_pixels();
}

}  // namespace Atoll::gfx12
