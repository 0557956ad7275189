#include "gpu/gfx12/draw/shading_rates.h"

#include <fmt/format.h>

#include <algorithm>

#include "gpu/gfx12/draw/targets.h"
#include "registers/accessors.h"

namespace Atoll::gfx12 {
namespace {

using Mode = VRSCombinerModeSC;

// Both axes at once, a bit each: sums that do not fit are the greatest there is.
uint8_t combined(uint32_t mode, uint8_t first, uint8_t second) {
  switch (mode) {
    case Mode::SC_VRS_COMB_MODE_OVERRIDE: return second;
    case Mode::SC_VRS_COMB_MODE_MIN: return first & second;
    case Mode::SC_VRS_COMB_MODE_MAX:
    case Mode::SC_VRS_COMB_MODE_SATURATE: return first | second;
    default: return first;
  }
}

void check_mode(RegisterContext& context, const char* field, uint32_t mode) {
  if (mode > Mode::SC_VRS_COMB_MODE_SATURATE) context.unknown(fmt::format("{} {}", field, mode));
}

// Logarithms, of which -1 and -2 stand for several runs a pixel.
uint8_t rate_of_draw(RegisterContext& context) {
  const RegisterFile& r = context.registers;
  if (!r.get<VGT_DRAW_PAYLOAD_CNTL::EN_VRS_RATE>()) return 0;
  const auto rate = r.read<GE_VRS_RATE>();
  const uint32_t across = GE_VRS_RATE::RATE_X::get(rate), down = GE_VRS_RATE::RATE_Y::get(rate);
  if (across > 1) context.unknown(fmt::format("GE_VRS_RATE.RATE_X {}", across));
  if (down > 1) context.unknown(fmt::format("GE_VRS_RATE.RATE_Y {}", down));
  return across > 1 || down > 1 ? 0 : uint8_t(across << 1 | down);
}

// A byte for each 8x8 pixels, whose lower half is a VRSrate.
std::shared_ptr<const pipeline::CoarsePlaces> places_of(RegisterContext& context) {
  const std::unique_ptr<SurfaceBlocks> surface = rate_surface(context);
  if (!surface) return nullptr;
  auto places = std::make_shared<pipeline::CoarsePlaces>();
  places->columns = surface->pixels_across, places->rows = surface->pixels_down;
  places->rate.resize(size_t(places->columns) * places->rows);
  uint8_t block[pipeline::pixels_in_block];
  for (unsigned y = 0; y < places->rows; y += pipeline::block_size)
    for (unsigned x = 0; x < places->columns; x += pipeline::block_size) {
      surface->load(x / pipeline::block_size, y / pipeline::block_size, 0, block);
      for (unsigned n = 0; n < pipeline::pixels_in_block; n++) {
        const unsigned column = x + pipeline::x_in_block(n), row = y + pipeline::y_in_block(n);
        if (column < places->columns && row < places->rows)
          places->rate[size_t(row) * places->columns + column] = rate_of(block[n] & 15);
      }
    }
  return places;
}

}  // namespace

bool has_rate_surface(const RegisterFile& r) { return r.get<PA_SC_VRS_OVERRIDE_CNTL::VRS_SURFACE_ENABLE>(); }

bool find_shading_rates(RegisterContext& context, pipeline::Rasterization& raster) {
  const RegisterFile& r = context.registers;
  using Out = PA_CL_VS_OUT_CNTL;
  using Override = PA_SC_VRS_OVERRIDE_CNTL;
  const auto out = r.read<Out>();
  const auto combiners = r.read<PA_CL_VRS_CNTL>();
  const auto last = r.read<Override>();
  const uint32_t vertex_mode = PA_CL_VRS_CNTL::VERTEX_RATE_COMBINER_MODE::get(combiners),
                 primitive_mode = PA_CL_VRS_CNTL::PRIMITIVE_RATE_COMBINER_MODE::get(combiners),
                 surface_mode = PA_CL_VRS_CNTL::HTILE_RATE_COMBINER_MODE::get(combiners),
                 sample_mode = PA_CL_VRS_CNTL::SAMPLE_ITER_COMBINER_MODE::get(combiners),
                 last_mode = Override::VRS_OVERRIDE_RATE_COMBINER_MODE::get(last);
  check_mode(context, "PA_CL_VRS_CNTL.VERTEX_RATE_COMBINER_MODE", vertex_mode);
  check_mode(context, "PA_CL_VRS_CNTL.PRIMITIVE_RATE_COMBINER_MODE", primitive_mode);
  check_mode(context, "PA_CL_VRS_CNTL.HTILE_RATE_COMBINER_MODE", surface_mode);
  check_mode(context, "PA_CL_VRS_CNTL.SAMPLE_ITER_COMBINER_MODE", sample_mode);
  check_mode(context, "PA_SC_VRS_OVERRIDE_CNTL.VRS_OVERRIDE_RATE_COMBINER_MODE", last_mode);
  const bool by_vertex = !Out::BYPASS_VTX_RATE_COMBINER::get(out), by_primitive = !Out::BYPASS_PRIM_RATE_COMBINER::get(out),
             by_surface = has_rate_surface(r), by_sample = r.get<PA_SC_MODE_CNTL_1::PS_ITER_SAMPLE>();
  const uint8_t of_draw = rate_of_draw(context), of_last = rate_of(Override::VRS_RATE::get(last));
  // Vertices, primitives and places without a rate have a single pixel.
  const bool vertices_say = by_vertex && Out::USE_VTX_VRS_RATE::get(out),
             primitives_say =
                 by_primitive && r.get<SPI_SHADER_IDX_FORMAT::IDX0_EXPORT_FORMAT>() == SPI_SHADER_FORMAT::SPI_SHADER_2COMP;
  bool any = false;
  std::array<pipeline::CoarsePixel, 64> sizes{};
  for (uint8_t n = 0; n < sizes.size(); n++) {
    const uint8_t of_vertex = n & 3, of_primitive = n >> 2 & 3, of_place = n >> 4;
    uint8_t rate = of_draw;
    if (by_vertex) rate = combined(vertex_mode, rate, of_vertex);
    if (by_primitive) rate = combined(primitive_mode, rate, of_primitive);
    if (by_surface) rate = combined(surface_mode, rate, of_place);
    if (by_sample) rate = combined(sample_mode, rate, 0);
    rate = combined(last_mode, rate, of_last);
    sizes[n] = {uint8_t(1 + (rate >> 1)), uint8_t(1 + (rate & 1))};
    const bool comes = (vertices_say || !of_vertex) && (primitives_say || !of_primitive) && (by_surface || !of_place);
    any |= comes && rate;
  }
  if (!any) return true;
  if (raster.sample_shading && raster.samples > 1) {
    context.unknown("PA_CL_VRS_CNTL.SAMPLE_ITER_COMBINER_MODE: coarse pixels that are shaded by sample");
    return true;
  }
  if (by_surface && !(raster.coarse_places = places_of(context))) return !context.lost();
  raster.coarse = sizes;
  raster.coarse_by_rate = raster.has_coarse_pixels = true;
  return true;
}

}  // namespace Atoll::gfx12
