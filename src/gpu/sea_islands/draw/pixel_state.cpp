#include "gpu/sea_islands/draw/pixel_state.h"

#include <algorithm>

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

  gpu::amd::find_pixel_inputs<DrawRegisters>(r, raster, s);
  if (s.vgprs > s.setup.vgprs) s.setup.vgprs = (s.vgprs + 3) / 4 * 4;
  gpu::amd::find_pixel_exports<DrawRegisters>(r, false, s);
  find_channels(s, r, r.get<SPI_VS_OUT_CONFIG::VS_EXPORT_COUNT>() + 1);
  return true;
}

// True if blocks that a primitive covers whole are uniform when its attributes are the same everywhere.
bool PixelState::same_in_blocks() const {
  if (lds_bytes) return false;
  if (std::ranges::any_of(channels, [](const PixelChannel& channel) { return is_place(channel.source); })) return false;
  if (enabled & ~(gpu::amd::barycentric_inputs | 1u << gpu::amd::FRONT_FACE) || !may_wait()) return false;
  return setup.shader->same_in_blocks(varying_vgprs());
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

bool PixelState::uniform_pixels() const {
  return same_in_blocks() && std::ranges::none_of(channels, [](const PixelChannel& channel) { return is_place(channel.sprite); });
}

}  // namespace Atoll::sea_islands
