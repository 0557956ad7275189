// GFX12's own part of random states (amd_states.h, amd_shaders.h). Waves of 32 lanes.
#pragma once
#include "amd_shaders.h"
#include "gpu/gfx12/state/draw_registers.h"
#include "tests/gpu/gfx12/stream.h"

namespace Atoll::random_states {

struct Gfx12States : gfx12::DrawRegisters {
  using Words = gfx12::test::Words;
  using BlendOp = gfx12::BlendOp;
  using Export = gfx12::SPI_SHADER_EX_FORMAT;
  using SPI_PS_INPUT_CNTL = gfx12::SPI_PS_INPUT_CNTL;
  using SPI_SHADER_Z_FORMAT = gfx12::SPI_SHADER_Z_FORMAT;
  using PA_SC_AA_SAMPLE_LOCS_PIXEL_X0Y0_0 = gfx12::PA_SC_AA_SAMPLE_LOCS_PIXEL_X0Y0_0;

  static constexpr uint32_t scissor_flags = 0;
  static uint32_t random_factor(Random& r) { return r.below(19); }
  static uint32_t eqaa_of(uint32_t) { return 0; }
  static uint32_t config_of(uint32_t log_samples) { return PA_SC_AA_CONFIG::PS_ITER_SAMPLES::of(log_samples); }
  static void random_stencil_values(Random& r, Words& w) {
    auto both = [&](uint32_t first, uint32_t second) { return first | second << 8; };
    auto mask = [&] { return r.percent(50) ? 0xffu : r.below(256); };
    auto reference = [&] { return r.percent(50) ? r.below(4) : r.below(256); };
    w.context(gfx12::DB_STENCIL_REF::address(), both(reference(), reference()));
    w.context(gfx12::DB_STENCIL_READ_MASK::address(), both(mask(), mask()));
    w.context(gfx12::DB_STENCIL_WRITE_MASK::address(), both(mask(), mask()));
    w.context(gfx12::DB_STENCIL_OPVAL::address(), both(r.percent(50) ? 1 : r.below(256), r.percent(50) ? 1 : r.below(256)));
    // Planes that are only read.
    using View = gfx12::DB_DEPTH_VIEW1;
    w.context(View::address(), View::Z_READ_ONLY::of(r.percent(8)) | View::STENCIL_READ_ONLY::of(r.percent(8)));
  }
  static void random_copies(Random&, const Surfaces&, Words&) {}

  static constexpr const char *e32 = "_e32", *e64 = "_e64", *exp = "export", *mode = "1", *no_export = "";
  static constexpr const char *pack_halves = "v_cvt_pk_rtz_f16_f32_e32", *pack_unorm = "v_cvt_pk_norm_u16_f32",
                              *pack_snorm = "v_cvt_pk_norm_i16_f32", *pack_u16 = "v_cvt_pk_u16_u32",
                              *pack_i16 = "v_cvt_pk_i16_i32";
  static void load(unsigned attribute, char component, Lines& lines) {
    lines.push_back(fmt::format("ds_param_load v9, attr{}.{} wait_va_vdst:0 wait_vm_vsrc:0", attribute, component));
  }
  // A quad's four lanes have P0, P10 and P20: at (0, 0) the first's value is left.
  static void first_vertex(unsigned v, unsigned attribute, char component, Lines& lines) {
    load(attribute, component, lines);
    lines.push_back("v_mov_b32_e32 v8, 0");
    lines.push_back(fmt::format("v_interp_p10_f32 v{}, v9, v8, v9 wait_exp:0", v));
  }
  static void interpolated(unsigned v, unsigned attribute, char component, Lines& lines) {
    load(attribute, component, lines);
    lines.push_back(fmt::format("v_interp_p10_f32 v{}, v9, v0, v9 wait_exp:0", v));
    lines.push_back(fmt::format("v_interp_p2_f32 v{}, v9, v1, v{} wait_exp:7", v, v));
  }
  static void keep_lanes_below_s8(unsigned v, Lines& lines) { lines.push_back(fmt::format("v_cmpx_gt_f32_e64 s8, v{}", v)); }
  static std::string export_of_halves(unsigned number, unsigned v) {
    return fmt::format("export mrt{} v{}, v{}, off, off", number, v, v + 1);
  }
  static std::string last_export(const std::string& text) { return text + " done"; }
};

}  // namespace Atoll::random_states
