#include "gpu/r5xx/draw/targets.h"

#include <fmt/format.h>

#include <string>

#include "gpu/r5xx/draw/colour_formats.h"

namespace Atoll::r5xx {
namespace {

using surface::Number;
using ColourFormat = RB3D_COLORPITCH::COLORFORMAT;
using OutFormat = US_OUT_FMT::OUT_FMT;

// BLUE_MASK lowest, and so on for each buffer.
uint32_t channel_mask(const RegisterFile& r, unsigned n) {
  using M = RB3D_COLOR_CHANNEL_MASK;
  const auto word = r.read<M>();
  switch (n) {
    case 0: return FieldList<M::BLUE_MASK, M::GREEN_MASK, M::RED_MASK, M::ALPHA_MASK>::bits(word);
    case 1: return FieldList<M::BLUE_MASK1, M::GREEN_MASK1, M::RED_MASK1, M::ALPHA_MASK1>::bits(word);
    case 2: return FieldList<M::BLUE_MASK2, M::GREEN_MASK2, M::RED_MASK2, M::ALPHA_MASK2>::bits(word);
    default: return FieldList<M::BLUE_MASK3, M::GREEN_MASK3, M::RED_MASK3, M::ALPHA_MASK3>::bits(word);
  }
}
using ShaderSelects = FieldList<US_OUT_FMT::C0_SEL, US_OUT_FMT::C1_SEL, US_OUT_FMT::C2_SEL, US_OUT_FMT::C3_SEL>;

std::nullopt_t lose(Context& context, const std::string& report) {
  context.lose(report);
  return std::nullopt;
}

std::optional<surface::R300MicroTile> micro_tile(Context& context, uint32_t value, const char* name) {
  if (value > 2) return lose(context, fmt::format("{}: micro tile mode {} is reserved", name, value));
  return surface::R300MicroTile(value);
}

// The tiling of buffers with several samples is not programmable (Mesa 22.3.6 r300_emit.c: the tiling bits of a multisampled
// buffer are the resolve buffer's) and nothing but the GPU sees it: pixels in rows here.
void arrange_samples(SurfacePlace& place) {
  if (place.samples == 1) return;
  place.surface.micro = surface::R300MicroTile::linear;
  place.surface.macro = false;
}

}  // namespace

Area scissor_area_of(const RegisterFile& r) {
  auto corner = r.read<SC_SCISSOR1>();
  return {SC_SCISSOR1::XS1::get(corner) + 1, SC_SCISSOR1::YS1::get(corner) + 1};
}

std::optional<ColourBuffer> colour_buffer_of(Context& context, unsigned n, unsigned samples) {
  const RegisterFile& r = context.registers;
  ColourBuffer b;
  const auto control = r.read<RB3D_CCTL>();
  unsigned copies = RB3D_CCTL::NUM_MULTIWRITES::get(control) + 1;
  if (copies > 1) {
    // A quad goes into several buffers: all of them are drawn as output 0 is.
    if (n >= copies) return b;
  }
  const auto out = r.read<US_OUT_FMT>(copies > 1 ? 0 : n);
  if (US_OUT_FMT::OUT_FMT::get(out) == OutFormat::UNUSED) return b;
  auto pitch = r.read<RB3D_COLORPITCH>(n);
  bool own_format = RB3D_CCTL::INDEPENDENT_COLORFORMAT_ENABLE::get(control);
  uint32_t colour_format = r.get<ColourFormat>(own_format ? n : 0);
  uint32_t out_format = US_OUT_FMT::OUT_FMT::get(out);
  bool own_mask = RB3D_CCTL::INDEPENDENT_COLOR_CHANNEL_MASK_ENABLE::get(control);
  const uint32_t mask = channel_mask(r, own_mask ? n : 0);
  if (mask == 0) return b;

  const ColourRow* row = colour_row(colour_format, out_format);
  if (!row) {
    // Such a pair is not documented: the buffer's format with the components in its usual places.
    auto pair = fmt::format("RB3D_COLORPITCH.COLORFORMAT {} with US_OUT_FMT {}", colour_format, out_format);
    row = colour_row(colour_format);
    if (!row) return lose(context, fmt::format("render target {}: {}", n, pair));
    context.unknown(pair);
  }
  bool is_signed = US_OUT_FMT::OUT_SIGN::get(out) != 0;
  Number number = row->is_float ? Number::floating : is_signed ? Number::snorm : Number::unorm;
  auto format = surface::make_format(row->layout, number, row->order);
  if (!format) return lose(context, fmt::format("render target {}: {}", n, format.error().message));
  b.bound = true;
  b.format = *format;
  b.is_float = row->is_float;
  b.source_bits = source_bits(out_format);
  b.component = row->components.component;
  b.constant = row->components.constant;
  for (unsigned c = 0; c < 4; c++) {
    // C0_SEL to C3_SEL: alpha, red, green, blue.
    uint32_t select = ShaderSelects::get(out, b.component[c]);
    b.shader_channel[c] = uint8_t((select + 3) % 4);
    if (mask >> row->components.mask_bit[c] & 1) b.write_mask |= uint8_t(1u << c);
  }
  auto micro = micro_tile(context, RB3D_COLORPITCH::COLORMICROTILE::get(pitch), "RB3D_COLORPITCH");
  if (!micro) return std::nullopt;
  Area area = scissor_area_of(r);
  b.place = {.address = r.get<RB3D_COLOROFFSET::COLOROFFSET>(n) << RB3D_COLOROFFSET::COLOROFFSET::low,
             .surface = {.element_bytes = surface::row(row->layout).bytes,
                         .pitch = RB3D_COLORPITCH::COLORPITCH::get(pitch) * 2,
                         .micro = *micro,
                         .macro = RB3D_COLORPITCH::COLORTILE::get(pitch) != 0},
             .samples = samples,
             .width = area.width,
             .height = area.height,
             .swap = uint8_t(RB3D_COLORPITCH::COLORENDIAN::get(pitch))};
  arrange_samples(b.place);
  if (auto good = surface::check(b.place.surface); !good)
    return lose(context, fmt::format("render target {}: {}", n, good.error().message));
  return b;
}

std::optional<DepthBuffer> depth_buffer_of(Context& context, unsigned samples) {
  const RegisterFile& r = context.registers;
  DepthBuffer b;
  const uint32_t format = r.get<ZB_FORMAT::DEPTHFORMAT>();
  const auto pitch = r.read<ZB_DEPTHPITCH>();
  if (format > ZB_FORMAT::DEPTHFORMAT::_24_bit_Integer_Z_8_bit_Stencil)
    return lose(context, fmt::format("ZB_FORMAT.DEPTHFORMAT {}", format));
  b.bits = format == ZB_FORMAT::DEPTHFORMAT::_24_bit_Integer_Z_8_bit_Stencil ? 24 : 16;
  if (format == ZB_FORMAT::DEPTHFORMAT::_16_bit_compressed_13E3)
    b.code = r.get<ZB_FORMAT::INVERT>() ? pipeline::DepthCode::zeros : pipeline::DepthCode::ones;
  auto micro = micro_tile(context, ZB_DEPTHPITCH::DEPTHMICROTILE::get(pitch), "ZB_DEPTHPITCH");
  if (!micro) return std::nullopt;
  Area area = scissor_area_of(r);
  b.place = {.address = r.get<ZB_DEPTHOFFSET::DEPTHOFFSET>() << ZB_DEPTHOFFSET::DEPTHOFFSET::low,
             .surface = {.element_bytes = b.bits == 16 ? 2u : 4u,
                         .pitch = ZB_DEPTHPITCH::DEPTHPITCH::get(pitch) * 4,
                         .micro = *micro,
                         .macro = ZB_DEPTHPITCH::DEPTHMACROTILE::get(pitch) != 0},
             .samples = samples,
             .width = area.width,
             .height = area.height,
             .left = r.get<ZB_DEPTHXY_OFFSET::DEPTHX_OFFSET>() << ZB_DEPTHXY_OFFSET::DEPTHX_OFFSET::low & ~31u & 0xfffu,
             .top = r.get<ZB_DEPTHXY_OFFSET::DEPTHY_OFFSET>() << 1 & ~31u & 0xfffu,
             .swap = uint8_t(ZB_DEPTHPITCH::DEPTHENDIAN::get(pitch)),
             .stencil_low = b.bits == 24};
  arrange_samples(b.place);
  if (auto good = surface::check(b.place.surface); !good)
    return lose(context, fmt::format("depth buffer: {}", good.error().message));
  return b;
}

std::optional<ColourBuffer> resolve_buffer_of(Context& context) {
  const RegisterFile& r = context.registers;
  auto b = colour_buffer_of(context, 0, 1);
  if (!b || !b->bound) return b;
  b->place.address = r.get<RB3D_AARESOLVE_OFFSET::AARESOLVE_OFFSET>() << RB3D_AARESOLVE_OFFSET::AARESOLVE_OFFSET::low;
  b->place.surface.pitch = r.get<RB3D_AARESOLVE_PITCH::AARESOLVE_PITCH>() * 2;
  if (auto good = surface::check(b->place.surface); !good)
    return lose(context, fmt::format("resolve buffer: {}", good.error().message));
  return b;
}

}  // namespace Atoll::r5xx
