// Sea Islands' own part of random states (amd_states.h, amd_shaders.h).
#pragma once
#include "amd_shaders.h"
#include "gpu/sea_islands/state/draw_registers.h"
#include "tests/gpu/sea_islands/stream.h"

namespace Atoll::random_states {

using namespace sea_islands;
using sea_islands::test::Words;

struct SeaIslandsStates : sea_islands::DrawRegisters {
  using Words = sea_islands::test::Words;
  using BlendOp = sea_islands::BlendOp;
  using Export = sea_islands::SPI_SHADER_EX_FORMAT;
  using SPI_PS_INPUT_CNTL = sea_islands::SPI_PS_INPUT_CNTL;
  using SPI_SHADER_Z_FORMAT = sea_islands::SPI_SHADER_Z_FORMAT;
  using PA_SC_AA_SAMPLE_LOCS_PIXEL_X0Y0_0 = sea_islands::PA_SC_AA_SAMPLE_LOCS_PIXEL_X0Y0_0;

  static constexpr uint32_t scissor_flags = 1u << 31;  // without the window's offset
  static uint32_t random_factor(Random& r) {
    const uint32_t factor = r.below(19);
    return factor < 11 ? factor : factor + 2;  // without the two that name both
  }
  static uint32_t eqaa_of(uint32_t log_samples) { return DB_EQAA::PS_ITER_SAMPLES::of(log_samples); }
  static uint32_t config_of(uint32_t) { return 0; }
  static void random_stencil_values(Random& r, Words& w) {
    for (uint32_t address : {DB_STENCILREFMASK::address(), DB_STENCILREFMASK_BF::address()})
      w.context(address, (r.percent(50) ? r.below(4) : r.below(256)) | (r.percent(50) ? 0xffu : r.below(256)) << 8 |
                             (r.percent(50) ? 0xffu : r.below(256)) << 16 | (r.percent(50) ? 1u : r.below(256)) << 24);
  }
  // Copies of the first sample that is drawn: under sample shading others may still be to be
  // tested.
  static void random_copies(Random& r, const Surfaces& surfaces, Words& w) {
    using Render = DB_RENDER_CONTROL;
    uint32_t copies = 0;
    if (!r.percent(90))
      copies = Render::DEPTH_COPY::of(surfaces.depth_format && r.percent(70)) |
               Render::STENCIL_COPY::of(surfaces.stencil && r.percent(70)) | Render::COPY_CENTROID::of(1) |
               Render::COPY_SAMPLE::of(r.below(16));
    w.context(Render::address(), copies);
  }

  static constexpr const char *e32 = "", *e64 = "", *exp = "exp", *mode = "HW_REG_MODE",
                              *no_export = "exp null off, off, off, off";
  static constexpr const char *pack_halves = "v_cvt_pkrtz_f16_f32", *pack_unorm = "v_cvt_pknorm_u16_f32",
                              *pack_snorm = "v_cvt_pknorm_i16_f32", *pack_u16 = "v_cvt_pk_u16_u32",
                              *pack_i16 = "v_cvt_pk_i16_i32";
  static void first_vertex(unsigned v, unsigned attribute, char component, Lines& lines) {
    lines.push_back(fmt::format("v_interp_mov_f32 v{}, p0, attr{}.{}", v, attribute, component));
  }
  static void interpolated(unsigned v, unsigned attribute, char component, Lines& lines) {
    lines.push_back(fmt::format("v_interp_p1_f32 v{}, v0, attr{}.{}", v, attribute, component));
    lines.push_back(fmt::format("v_interp_p2_f32 v{}, v1, attr{}.{}", v, attribute, component));
  }
  static void keep_lanes_below_s8(unsigned v, Lines& lines) {
    lines.push_back(fmt::format("v_cmp_gt_f32 vcc, s8, v{}", v));
    lines.push_back("s_and_b64 exec, exec, vcc");
  }
  static std::string export_of_halves(unsigned number, unsigned v) {
    return fmt::format("exp mrt{} v{}, v{}, v{}, v{} compr", number, v, v, v + 1, v + 1);
  }
  static std::string last_export(const std::string& text) {
    const size_t compressed = text.find(" compr");
    return compressed == std::string::npos ? text + " done vm" : text.substr(0, compressed) + " done compr vm";
  }
};

}  // namespace Atoll::random_states
