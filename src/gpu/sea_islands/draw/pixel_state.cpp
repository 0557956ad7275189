#include "gpu/sea_islands/draw/pixel_state.h"

#include <algorithm>
#include <bit>

#include "gpu/sea_islands/state/field_lists.h"

namespace Atoll::sea_islands {
namespace {

void find_channels(PixelState& s, const RegisterFile& r, unsigned parameters) {
  using Cntl = SPI_PS_INPUT_CNTL;
  using Interp = SPI_INTERP_CONTROL_0;
  const auto interp = r.read<Interp>();
  unsigned inputs = r.get<SPI_PS_IN_CONTROL::NUM_INTERP>();
  const bool generated = r.get<SPI_PS_IN_CONTROL::PARAM_GEN>();
  s.channels.clear();
  for (uint8_t slot : s.setup.shader->attributes_read) {
    PixelChannel c{};
    c.attribute = slot / 4, c.channel = slot % 4;
    // Behind the interpolated ones: the place in the primitive. (Mesa 22.3.6, ac_nir_to_llvm.c, has it in Z and W; docs/errata.md)
    if (generated && c.attribute == inputs) {
      c.source = c.sprite = c.channel % 2 ? PixelChannel::sprite_t : PixelChannel::sprite_s;
      s.channels.push_back(c);
      continue;
    }
    const registers::access::Word<Cntl> cntl = c.attribute < 32 && c.attribute < inputs
                                                   ? r.read<Cntl>(c.attribute)
                                                   : registers::access::Word<Cntl>(Cntl::OFFSET::of(0x20));
    uint32_t offset = Cntl::OFFSET::get(cntl);
    if (offset & 0x20 || offset >= parameters) {
      uint32_t kind = Cntl::DEFAULT_VAL::get(cntl);  // bit 1: red, green and blue; bit 0: alpha
      c.source = PixelChannel::constant;
      c.value = (c.channel == 3 ? kind & 1 : kind >> 1 & 1) ? 1.0f : 0.0f;
    } else {
      c.parameter = uint16_t(offset * 4 + c.channel);
      c.source = Cntl::FLAT_SHADE::get(cntl) && Interp::FLAT_SHADE_ENA::get(interp) ? PixelChannel::flat : PixelChannel::smooth;
      c.wraps = Cntl::CYL_WRAP::get(cntl) >> c.channel & 1;
    }
    c.sprite = c.source, c.sprite_value = c.value;
    if (Cntl::PT_SPRITE_TEX::get(cntl) && Interp::PNT_SPRITE_ENA::get(interp)) {
      uint32_t selects[] = {Interp::PNT_SPRITE_OVRD_X::get(interp), Interp::PNT_SPRITE_OVRD_Y::get(interp),
                            Interp::PNT_SPRITE_OVRD_Z::get(interp), Interp::PNT_SPRITE_OVRD_W::get(interp)};
      switch (selects[c.channel]) {
        case SPI_PNT_SPRITE_OVERRIDE::SPI_PNT_SPRITE_SEL_0: c.sprite = PixelChannel::constant, c.sprite_value = 0; break;
        case SPI_PNT_SPRITE_OVERRIDE::SPI_PNT_SPRITE_SEL_1: c.sprite = PixelChannel::constant, c.sprite_value = 1; break;
        case SPI_PNT_SPRITE_OVERRIDE::SPI_PNT_SPRITE_SEL_S: c.sprite = PixelChannel::sprite_s; break;
        case SPI_PNT_SPRITE_OVERRIDE::SPI_PNT_SPRITE_SEL_T: c.sprite = PixelChannel::sprite_t; break;
        default: break;
      }
    }
    s.channels.push_back(c);
  }
}

// The place in the primitive: of a point, or of any with generated coordinates.
bool is_place(PixelChannel::Source source) { return source == PixelChannel::sprite_s || source == PixelChannel::sprite_t; }

}  // namespace

bool find_pixel_state(ShaderContext& context, const pipeline::Rasterization& raster, PixelState& s) {
  const RegisterFile& r = context.registers;
  if (!prepare_stage<stages::PS>(context, s.setup)) return false;
  if (r.get<SPI_SHADER_PGM_RSRC2_PS::WAVE_CNT_EN>()) s.ordered_waves = r.get<SPI_PS_MAX_WAVE_ID::MAX_WAVE_ID>() + 1;
  // Beside the attributes, which are no memory here (the reference has 127 as the most that may be set).
  s.lds_bytes = std::min(r.get<SPI_SHADER_PGM_RSRC2_PS::EXTRA_LDS_SIZE>(), 127u) * 512;

  const uint32_t addressed = PixelInputsAddressed::bits(r.read<SPI_PS_INPUT_ADDR>());
  s.enabled = PixelInputsEnabled::bits(r.read<SPI_PS_INPUT_ENA>()) & addressed;
  int vgpr = 0;
  for (unsigned n = 0; n < kPixelInputs; n++) {
    s.vgpr_of[n] = -1;
    if (!(addressed >> n & 1)) continue;
    if (s.enabled >> n & 1) s.vgpr_of[n] = vgpr;
    vgpr += int(input_vgprs[n]);
  }
  if (vgpr > int(s.setup.vgprs)) s.setup.vgprs = unsigned(vgpr + 3) / 4 * 4;

  using Baryc = SPI_BARYC_CNTL;
  const auto baryc = r.read<Baryc>();
  s.set_of[PERSP_SAMPLE] = pipeline::PERSPECTIVE_SAMPLE;
  s.set_of[PERSP_CENTER] = Baryc::PERSP_CENTER_CNTL::get(baryc) ? pipeline::PERSPECTIVE_CENTROID : pipeline::PERSPECTIVE_CENTRE;
  s.set_of[PERSP_CENTROID] =
      Baryc::PERSP_CENTROID_CNTL::get(baryc) ? pipeline::PERSPECTIVE_CENTRE : pipeline::PERSPECTIVE_CENTROID;
  s.set_of[PERSP_PULL_MODEL] = pipeline::PERSPECTIVE_CENTRE;
  s.set_of[LINEAR_SAMPLE] = pipeline::LINEAR_SAMPLE;
  s.set_of[LINEAR_CENTER] = Baryc::LINEAR_CENTER_CNTL::get(baryc) ? pipeline::LINEAR_CENTROID : pipeline::LINEAR_CENTRE;
  s.set_of[LINEAR_CENTROID] = Baryc::LINEAR_CENTROID_CNTL::get(baryc) ? pipeline::LINEAR_CENTRE : pipeline::LINEAR_CENTROID;
  // (What the pull model works out itself is left as it is.)
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
  auto mask_of_samples = [](uint32_t log) { return log < 4 ? (1u << (1u << log)) - 1 : 0xffffu; };
  s.coverage_seen = mask_of_samples(r.get<PA_SC_AA_CONFIG::MSAA_EXPOSED_SAMPLES>());
  s.detail_to_exposed = r.get<PA_SC_AA_CONFIG::DETAIL_TO_EXPOSED_MODE>();
  s.coverage_exported = mask_of_samples(r.get<DB_EQAA::MASK_EXPORT_NUM_SAMPLES>());
  s.samples.fill(raster.sample_positions);
  for (unsigned n = 0; raster.other_pixels && n < 3; n++) s.samples[n + 1] = (*raster.other_pixels)[n].positions;

  for (unsigned n = 0; n < 8; n++) s.export_format[n] = ExportFormats::get(r, n);
  s.depth_exported = r.get<DB_SHADER_CONTROL::Z_EXPORT_ENABLE>();
  s.stencil_exported = r.get<DB_SHADER_CONTROL::STENCIL_TEST_VAL_EXPORT_ENABLE>();
  s.stencil_op_exported = r.get<DB_SHADER_CONTROL::STENCIL_OP_VAL_EXPORT_ENABLE>();
  s.mask_exported = r.get<DB_SHADER_CONTROL::MASK_EXPORT_ENABLE>();
  const auto blend = r.read<CB_BLEND_CONTROL>(0);
  auto second = [](uint32_t factor) {
    return factor >= sea_islands::BlendOp::BLEND_SRC1_COLOR && factor <= sea_islands::BlendOp::BLEND_INV_SRC1_ALPHA;
  };
  s.dual_source =
      CB_BLEND_CONTROL::ENABLE::get(blend) &&
      (second(CB_BLEND_CONTROL::COLOR_SRCBLEND::get(blend)) || second(CB_BLEND_CONTROL::COLOR_DESTBLEND::get(blend)) ||
       (CB_BLEND_CONTROL::SEPARATE_ALPHA_BLEND::get(blend) &&
        (second(CB_BLEND_CONTROL::ALPHA_SRCBLEND::get(blend)) || second(CB_BLEND_CONTROL::ALPHA_DESTBLEND::get(blend)))));
  // Exports are numbered without holes: the n-th is for the n-th target that CB_SHADER_MASK says the program writes (Mesa 22.3.6
  // si_state_shaders.cpp, si_get_spi_shader_col_format: holes are removed there, and left in the mask).
  unsigned exported = 0;
  std::ranges::fill(s.target_of, PixelState::no_target);
  for (uint8_t target = 0; target < 8; target++)
    if (OutputEnables::get(r, target)) s.target_of[exported++] = target;
  if (s.dual_source) s.target_of[0] = 0, s.target_of[1] = 1;  // both are target 0's
  find_channels(s, r, r.get<SPI_VS_OUT_CONFIG::VS_EXPORT_COUNT>() + 1);
  return true;
}

// True if blocks that a primitive covers whole are all alike when its attributes are the same everywhere.
bool PixelState::same_in_blocks() const {
  if (lds_bytes) return false;
  if (std::ranges::any_of(channels, [](const PixelChannel& channel) { return is_place(channel.source); })) return false;
  constexpr uint32_t barycentrics = 1u << PERSP_SAMPLE | 1u << PERSP_CENTER | 1u << PERSP_CENTROID | 1u << LINEAR_SAMPLE |
                                    1u << LINEAR_CENTER | 1u << LINEAR_CENTROID;
  if (enabled & ~(barycentrics | 1u << FRONT_FACE) || !may_wait()) return false;
  std::vector<unsigned> varying;
  for (unsigned n = 0; n < kPixelInputs; n++)
    if (barycentrics >> n & 1 && vgpr_of[n] >= 0)
      for (unsigned part = 0; part < input_vgprs[n]; part++) varying.push_back(unsigned(vgpr_of[n]) + part);
  return setup.shader->same_in_blocks(varying);
}

uint8_t PixelState::writes_always() const {
  if (mask_exported || dual_source || setup.traps.present) return 0;
  const uint32_t exported = setup.shader->covered_exports();
  uint8_t targets = 0;
  for (unsigned n = 0; n < 8; n++)
    if (exported >> n & 1 && target_of[n] != no_target && export_format[n] != SPI_SHADER_EX_FORMAT::SPI_SHADER_ZERO)
      targets |= uint8_t(1u << target_of[n]);
  return targets;
}

bool PixelState::pixels_alike() const {
  return same_in_blocks() && std::ranges::none_of(channels, [](const PixelChannel& channel) { return is_place(channel.sprite); });
}

}  // namespace Atoll::sea_islands
