// The parts of random states of AMD's families with GCN's draw registers: colour buffers' formats, blending, depth, stencil,
// samples, rasterization. `R`: a family's registers (state/draw_registers.h) and its own parts (sea_islands.h, gfx12.h).
#pragma once
#include <array>
#include <bit>

#include "random_gpu.h"

namespace Atoll::random_states {

inline constexpr unsigned width = 96, height = 80, side = 128;  // what is drawn into, and the surfaces around it
inline constexpr unsigned max_targets = 4;

struct ColourBuffer {
  uint32_t format = 0, number = 0, swap = 0, bytes = 4, components = 4;
  Content content = Content::bytes;
  bool integer = false, is_signed = false, alpha_is_one = false;
};

// The surfaces of a state, which all of its draws have.
struct Surfaces {
  unsigned log_samples = 0, targets = 1;
  // Shaders see what the tests before them left (centroids, coverage): the oracle, which has the shader run before all tests, is not
  // asked then.
  bool coverage_seen = false;
  bool over_rasterize = false;  // targets of one sample, drawn where any of several places is inside
  std::array<ColourBuffer, max_targets> colour;
  uint32_t depth_format = 0;  // DB_Z_INFO
  bool stencil = false;
};

// A pixel shader: its text, and what registers say of it.
struct PixelShader {
  std::vector<std::string> lines;
  uint32_t col_format = 0, shader_mask = 0, input_ena = 0, input_addr = 0;
  bool exports_depth = false, exports_stencil = false, exports_mask = false, kills = false;
};
inline constexpr unsigned user_sgprs = 12;

inline uint32_t bits(float value) { return std::bit_cast<uint32_t>(value); }

enum Kind : unsigned { unorm = 1, snorm = 2, uint = 4, sint = 8, floating = 16, srgb = 32 };
inline constexpr unsigned integers = uint | sint, normal = unorm | snorm;

struct FormatRow {
  uint32_t format;
  unsigned bytes, components, kinds;
  Content floats = Content::floats;  // how its floats are
};

template <class R>
ColourBuffer random_buffer(Random& r) {
  using F = typename R::CB_COLOR_INFO::FORMAT;
  using N = typename R::CB_COLOR_INFO::NUMBER_TYPE;
  static constexpr FormatRow formats[] = {
      {F::COLOR_8_8_8_8, 4, 4, normal | integers | srgb},
      {F::COLOR_8, 1, 1, normal | integers},
      {F::COLOR_16, 2, 1, normal | integers | floating, Content::halves},
      {F::COLOR_8_8, 2, 2, normal | integers},
      {F::COLOR_32, 4, 1, integers | floating},
      {F::COLOR_16_16, 4, 2, normal | integers | floating, Content::halves},
      {F::COLOR_10_11_11, 4, 3, floating, Content::bytes},
      {F::COLOR_2_10_10_10, 4, 4, unorm | uint},
      {F::COLOR_10_10_10_2, 4, 4, unorm | uint},
      {F::COLOR_32_32, 8, 2, integers | floating},
      {F::COLOR_16_16_16_16, 8, 4, normal | integers | floating, Content::halves},
      {F::COLOR_32_32_32_32, 16, 4, integers | floating},
      {F::COLOR_5_6_5, 2, 3, unorm},
      {F::COLOR_1_5_5_5, 2, 4, unorm},
      {F::COLOR_5_5_5_1, 2, 4, unorm},
      {F::COLOR_4_4_4_4, 2, 4, unorm},
  };
  const FormatRow& row = r.percent(35) ? formats[0] : formats[r.below(std::size(formats))];
  unsigned kind = r.percent(35) ? unorm : 0;
  while (!(row.kinds & kind)) kind = 1u << r.below(6);
  ColourBuffer buffer;
  static constexpr uint32_t numbers[] = {N::NUMBER_UNORM, N::NUMBER_SNORM, N::NUMBER_UINT,
                                         N::NUMBER_SINT,  N::NUMBER_FLOAT, N::NUMBER_SRGB};
  buffer.format = row.format, buffer.number = numbers[std::countr_zero(kind)];
  buffer.swap = r.percent(60) ? 0 : r.below(4);
  buffer.bytes = row.bytes, buffer.components = row.components;
  buffer.integer = kind & integers, buffer.is_signed = kind == sint;
  buffer.alpha_is_one = r.percent(12);
  if (kind == floating) buffer.content = row.floats;
  return buffer;
}

template <class R>
Surfaces random_surfaces(Random& r) {
  Surfaces s;
  s.log_samples = r.percent(55) ? 0 : 1 + r.below(3);
  s.coverage_seen = r.percent(15);
  s.over_rasterize = !s.log_samples && r.percent(12);
  s.targets = r.percent(55) ? 1 : 1 + r.below(max_targets);
  for (unsigned n = 0; n < s.targets; n++) s.colour[n] = random_buffer<R>(r);
  s.depth_format = r.percent(70) ? 1 + r.below(3) : 0;
  s.stencil = r.percent(50);
  return s;
}

template <class R>
bool random_blending(Random& r, const Surfaces& surfaces, typename R::Words& w) {
  using B = typename R::CB_BLEND_CONTROL;
  using Op = typename R::BlendOp;
  bool dual_source = false;
  for (unsigned n = 0; n < surfaces.targets; n++) {
    const bool enable = r.percent(55), separate = r.percent(50);
    uint32_t factor[4];
    for (uint32_t& f : factor) f = R::random_factor(r);
    if (r.percent(25)) factor[0] = Op::BLEND_SRC_ALPHA, factor[1] = Op::BLEND_ONE_MINUS_SRC_ALPHA;
    // Two sources are target 0's, and alone then.
    auto second = [](uint32_t f) { return f >= Op::BLEND_SRC1_COLOR && f <= Op::BLEND_INV_SRC1_ALPHA; };
    if (n > 0 || surfaces.targets > 1)
      for (uint32_t& f : factor) f = second(f) ? uint32_t(Op::BLEND_ONE) : f;
    if (n == 0 && enable)
      dual_source = second(factor[0]) || second(factor[1]) || (separate && (second(factor[2]) || second(factor[3])));
    w.context(B::address(n), B::ENABLE::of(enable) | B::SEPARATE_ALPHA_BLEND::of(separate) | B::COLOR_SRCBLEND::of(factor[0]) |
                                 B::COLOR_DESTBLEND::of(factor[1]) | B::COLOR_COMB_FCN::of(r.percent(50) ? 0 : r.below(5)) |
                                 B::ALPHA_SRCBLEND::of(factor[2]) | B::ALPHA_DESTBLEND::of(factor[3]) |
                                 B::ALPHA_COMB_FCN::of(r.percent(50) ? 0 : r.below(5)) | B::DISABLE_ROP3::of(r.percent(10)));
  }
  for (uint32_t constant :
       {R::CB_BLEND_RED::address(), R::CB_BLEND_GREEN::address(), R::CB_BLEND_BLUE::address(), R::CB_BLEND_ALPHA::address()})
    w.context(constant, bits(r.percent(80) ? r.unit() : r.real(-1, 2)));
  const uint32_t logic = r.percent(15) ? r.below(16) : 12;
  w.context(R::CB_COLOR_CONTROL::address(), R::CB_COLOR_CONTROL::MODE::of(1) | R::CB_COLOR_CONTROL::ROP3::of(logic * 17));
  w.context(R::CB_TARGET_MASK::address(), r.percent(65) ? 0xffff : r.next() & 0xffff);
  return dual_source;
}

template <class R>
void random_depth_stencil(Random& r, const Surfaces& surfaces, const PixelShader& shader, typename R::Words& w) {
  using Control = typename R::DB_DEPTH_CONTROL;
  using Ops = typename R::DB_STENCIL_CONTROL;
  using Shader = typename R::DB_SHADER_CONTROL;
  w.context(Control::address(), Control::Z_ENABLE::of(r.percent(65)) | Control::Z_WRITE_ENABLE::of(r.percent(65)) |
                                    Control::ZFUNC::of(r.below(8)) | Control::DEPTH_BOUNDS_ENABLE::of(r.percent(10)) |
                                    Control::STENCIL_ENABLE::of(r.percent(60)) | Control::BACKFACE_ENABLE::of(r.percent(50)) |
                                    Control::STENCILFUNC::of(r.below(8)) | Control::STENCILFUNC_BF::of(r.below(8)));
  w.context(Ops::address(), Ops::STENCILFAIL::of(r.below(16)) | Ops::STENCILZPASS::of(r.below(16)) |
                                Ops::STENCILZFAIL::of(r.below(16)) | Ops::STENCILFAIL_BF::of(r.below(16)) |
                                Ops::STENCILZPASS_BF::of(r.below(16)) | Ops::STENCILZFAIL_BF::of(r.below(16)));
  R::random_stencil_values(r, w);
  w.context(R::DB_DEPTH_BOUNDS_MIN::address(), bits(r.real(0, 0.5f)))
      .context(R::DB_DEPTH_BOUNDS_MAX::address(), bits(r.real(0.4f, 1)));
  const uint32_t control = Shader::Z_ORDER::of(r.below(2)) | Shader::KILL_ENABLE::of(shader.kills) |
                           Shader::Z_EXPORT_ENABLE::of(shader.exports_depth) |
                           Shader::STENCIL_TEST_VAL_EXPORT_ENABLE::of(shader.exports_stencil) |
                           Shader::MASK_EXPORT_ENABLE::of(shader.exports_mask) | Shader::DEPTH_BEFORE_SHADER::of(r.percent(12));
  w.context(Shader::address(), control);
  R::random_copies(r, surfaces, w);
  const bool any = shader.exports_depth || shader.exports_stencil || shader.exports_mask;
  w.context(R::SPI_SHADER_Z_FORMAT::address(), any ? uint32_t(R::Export::SPI_SHADER_32_ABGR) : 0);
  w.context(R::DB_COUNT_CONTROL::address(), R::DB_COUNT_CONTROL::ZPASS_ENABLE::of(r.percent(70)) |
                                                R::DB_COUNT_CONTROL::SLICE_EVEN_ENABLE::of(1) |
                                                R::DB_COUNT_CONTROL::SLICE_ODD_ENABLE::of(1));
  using ToMask = typename R::DB_ALPHA_TO_MASK;
  const bool dithers = r.percent(50);
  w.context(ToMask::address(), ToMask::ALPHA_TO_MASK_ENABLE::of(surfaces.log_samples && r.percent(20)) |
                                   ToMask::ALPHA_TO_MASK_OFFSET0::of(dithers ? 3 : 2) |
                                   ToMask::ALPHA_TO_MASK_OFFSET1::of(dithers ? 1 : 2) |
                                   ToMask::ALPHA_TO_MASK_OFFSET2::of(dithers ? 0 : 2) | ToMask::ALPHA_TO_MASK_OFFSET3::of(2) |
                                   ToMask::OFFSET_ROUND::of(dithers));
  using Eqaa = typename R::DB_EQAA;
  w.context(Eqaa::address(), Eqaa::ALPHA_TO_MASK_NUM_SAMPLES::of(r.percent(60) ? surfaces.log_samples : r.below(4)) |
                                 Eqaa::MASK_EXPORT_NUM_SAMPLES::of(r.percent(60) ? surfaces.log_samples : r.below(4)) |
                                 Eqaa::OVERRASTERIZATION_AMOUNT::of(surfaces.over_rasterize ? 4 : 0) |
                                 R::eqaa_of(surfaces.log_samples));
}

template <class R>
void random_inputs(Random& r, typename R::Words& w) {
  using Input = typename R::SPI_PS_INPUT_CNTL;
  for (uint32_t n = 0; n < 2; n++)
    w.context(Input::address(n), Input::OFFSET::of(r.percent(90) ? n : 0x20) | Input::DEFAULT_VAL::of(r.below(4)) |
                                     Input::FLAT_SHADE::of(r.percent(20)) | Input::PT_SPRITE_TEX::of(r.percent(25)));
  using Interp = typename R::SPI_INTERP_CONTROL_0;
  w.context(Interp::address(), Interp::FLAT_SHADE_ENA::of(1) | Interp::PNT_SPRITE_ENA::of(r.percent(70)) |
                                   Interp::PNT_SPRITE_OVRD_X::of(2) | Interp::PNT_SPRITE_OVRD_Y::of(3) |
                                   Interp::PNT_SPRITE_OVRD_Z::of(r.below(5)) | Interp::PNT_SPRITE_OVRD_W::of(r.below(5)) |
                                   Interp::PNT_SPRITE_TOP_1::of(r.below(2)));
}

template <class R>
void random_rasterization(Random& r, const Surfaces& surfaces, typename R::Words& w) {
  const uint32_t log = surfaces.over_rasterize ? 1 + r.below(3) : surfaces.log_samples;
  using Config = typename R::PA_SC_AA_CONFIG;
  w.context(Config::address(),
            Config::MSAA_NUM_SAMPLES::of(log) | Config::MSAA_EXPOSED_SAMPLES::of(log) | R::config_of(surfaces.log_samples));
  w.context(R::PA_SC_MODE_CNTL_0::address(), R::PA_SC_MODE_CNTL_0::MSAA_ENABLE::of(log > 0));
  w.context(R::PA_SC_MODE_CNTL_1::address(), R::PA_SC_MODE_CNTL_1::PS_ITER_SAMPLE::of(surfaces.log_samples > 0 && r.percent(30)));
  uint32_t mask = r.percent(70) ? 0xffff : r.next() & 0xffff;
  mask |= mask << 16;
  const bool masks_differ = r.percent(10), places_differ = r.percent(15);
  w.context(R::PA_SC_AA_MASK_X0Y0_X1Y0::address(), masks_differ ? r.next() : mask);
  w.context(R::PA_SC_AA_MASK_X0Y1_X1Y1::address(), masks_differ ? r.next() : mask);
  // Mostly the same places in all four pixels of a quad: four words each, from X0Y0 on.
  uint32_t places[4];
  for (uint32_t& word : places) word = r.next();
  for (uint32_t n = 0; n < 16; n++)
    w.context(R::PA_SC_AA_SAMPLE_LOCS_PIXEL_X0Y0_0::address() + n * 4, places_differ ? r.next() : places[n % 4]);
  using Mode = typename R::PA_SU_SC_MODE_CNTL;
  w.context(Mode::address(), Mode::FACE::of(r.below(2)) | Mode::CULL_BACK::of(r.percent(8)) | Mode::CULL_FRONT::of(r.percent(4)) |
                                 Mode::PROVOKING_VTX_LAST::of(r.below(2)));
  const uint32_t size = r.percent(20) ? 0x200 : 8 + r.below(120);
  w.context(R::PA_SU_POINT_SIZE::address(), size | size << 16).context(R::PA_SU_POINT_MINMAX::address(), 0xffff0000);
  w.context(R::PA_SU_LINE_CNTL::address(), r.percent(50) ? 8 : r.below(80));
  const bool cut = r.percent(20);
  const uint32_t left = cut ? r.below(60) : 0, top = cut ? r.below(50) : 0;
  constexpr uint32_t inside = R::last_pixel_is_inside ? 1 : 0;
  w.context(R::PA_SC_GENERIC_SCISSOR_TL::address(), R::scissor_flags | left | top << 16);
  const uint32_t right = cut ? left + 1 + r.below(60) : width, bottom = cut ? top + 1 + r.below(60) : height;
  w.context(R::PA_SC_GENERIC_SCISSOR_BR::address(), (right - inside) | (bottom - inside) << 16);
}

}  // namespace Atoll::random_states
