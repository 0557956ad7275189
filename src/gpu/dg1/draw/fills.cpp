// Surfaces are kept plain, whatever auxiliary surfaces they have: what an operation on those leaves of pixels is what is done here.
// Mesa 22.3.6 src/intel/blorp/blorp_clear.c (blorp_fast_clear, blorp_hiz_clear_depth_stencil), blorp_genX_exec.h (blorp_emit_gfx8_hiz_op);
// PRM volume 2a, 3DSTATE_PS, 3DSTATE_WM_HZ_OP.
#include "gpu/dg1/draw/fills.h"

#include <array>
#include <bit>
#include <memory>

#include "gpu/dg1/draw/targets.h"
#include "pipeline/draws/given_primitives.h"

namespace Atoll::dg1 {

using namespace commands;

namespace {

using Resolve = _3DSTATE_PS::Render_Target_Resolve_Type;
using HzOp = _3DSTATE_WM_HZ_OP;

// Gives every pixel one colour.
class FillStage : public pipeline::PixelStage {
public:
  explicit FillStage(const std::array<uint32_t, 4>& colour) : colour_(colour) {}
  unsigned batch_size() const override { return 64; }
  uint8_t barycentrics() const override { return 0; }
  bool wants_depth() const override { return false; }
  bool shade(unsigned, const pipeline::PixelBatch&, pipeline::PixelResults& results) override {
    results.killed = 0;
    results.outputs = 1;
    results.has_second_source = results.has_depth = results.has_stencil = results.has_stencil_op = results.has_coverage = false;
    for (unsigned n = 0; n < 4; n++) results.colour[0][n].fill(colour_[n]);
    return true;
  }

private:
  const std::array<uint32_t, 4> colour_;
};

// Draws the rectangle into these layers of the targets that `draw` has, without transformations and tests of the state.
bool fill(Context& c, pipeline::Draw& draw, const pipeline::Rectangle& area, unsigned layers, float depth) {
  draw.clip = {};
  draw.clip.enable = draw.clip.divide = draw.clip.viewport_transform = false;
  draw.viewports = {};
  draw.scissor_viewports = false;
  pipeline::Rasterization raster;
  raster.samples = draw.targets.samples;
  raster.sample_positions.fill({8, 8});
  raster.sample_mask = draw.rasterization.sample_mask;
  draw.rasterization = raster;
  draw.assembly = {};
  draw.stays_open = true;
  pipeline::Counters nobody;
  if (!c.workers) c.workers = std::make_unique<pipeline::Workers>(c.options.deterministic ? 1 : c.options.threads);
  pipeline::GivenDraw given(draw, *c.workers, c.stop, &c.progress);
  for (unsigned layer = 0; layer < layers; layer++) {
    const pipeline::GivenVertices corners = given.vertices(3);
    const int x[] = {area.left, area.right, area.left}, y[] = {area.top, area.top, area.bottom};
    for (unsigned n = 0; n < 3; n++) {
      pipeline::Vertex& v = corners.vertices[n];
      v.position[0] = float(x[n]), v.position[1] = float(y[n]), v.position[2] = depth, v.position[3] = 1;
      v.layer = layer;
    }
    pipeline::Assembled rectangle{{0, 1, 2}, 0, layer, ~0u, pipeline::PrimitiveKind::triangle};
    rectangle.rectangle = true;
    if (!given.add({&rectangle, 1})) break;
  }
  if (!given.end(nobody)) return c.lost() ? false : c.lose_stopped();
  return !c.lost();
}

}  // namespace

bool is_target_operation(const GraphicsState& state) {
  return state.get<_3DSTATE_PS::Render_Target_Fast_Clear_Enable>() ||
         state.get<_3DSTATE_PS::Render_Target_Resolve_Type>() != Resolve::RESOLVE_DISABLED;
}

bool run_target_operation(Context& c, const DrawParameters& parameters) {
  // A resolve makes pixels readable that are so here. With FAST_CLEAR_0 a fast clear is of the metadata: pixels stay as they are
  // (blorp_ccs_ambiguate).
  if (c.graphics.get<_3DSTATE_PS::Render_Target_Resolve_Type>() != Resolve::RESOLVE_DISABLED) return true;
  pipeline::Draw draw;
  std::array<uint16_t, 8> written{};
  if (!find_written_targets(c, written)) return false;
  if (!written[0]) return c.lose("3DSTATE_PS.Render Target Fast Clear Enable: the pixel shader writes no render target 0");
  if (!bind_targets(c, {written[0]}, draw)) return false;
  if (!draw.targets.colour[0].target) return true;
  // The whole level is cleared: the rectangle counts blocks of metadata (blorp_clear.c, get_fast_clear_rect).
  SurfaceWords words{};
  if (!read_target_state(c, written[0] - 1u, words)) return false;
  using Clear = structures::CLEAR_COLOR;
  std::array<uint32_t, Clear::dwords> clear{};
  constexpr size_t raw_bytes = 16;  // behind them stands what the GPU leaves for samplers
  using Surface = structures::RENDER_SURFACE_STATE;
  if (Surface::Clear_Value_Address_Enable::is_set(words) &&
      !c.load(Surface::Clear_Value_Address::get(words), clear.data(), raw_bytes, "read of a clear colour"))
    return false;
  FillStage stage({Clear::Raw_Clear_Color_Red::get(clear), Clear::Raw_Clear_Color_Green::get(clear),
                   Clear::Raw_Clear_Color_Blue::get(clear), Clear::Raw_Clear_Color_Alpha::get(clear)});
  draw.pixel_stage = &stage;
  draw.pixels_alike = true;
  draw.rasterization.sample_mask = 0xffff;
  const pipeline::Rectangle all{0, 0, int(draw.targets.width), int(draw.targets.height)};
  return fill(c, draw, all, std::min(parameters.instances, draw.targets.layers), 0);
}

bool run_depth_operation(Context& c) {
  const GraphicsState& state = c.graphics;
  const bool depth = state.get<HzOp::Depth_Buffer_Clear_Enable>(), stencil = state.get<HzOp::Stencil_Buffer_Clear_Enable>();
  // (Resolves of depths and of their hierarchy leave nothing to do.)
  if (!depth && !stencil) return true;
  pipeline::Draw draw;
  draw.rasterization.sample_mask = uint32_t(state.get<HzOp::Sample_Mask>());
  draw.depth_stencil.depth_test = draw.depth_stencil.depth_write = depth;
  draw.depth_stencil.stencil_test = stencil;
  pipeline::StencilFace& face = draw.depth_stencil.front;
  face.pass = pipeline::StencilOp::replace;
  face.reference = uint8_t(state.get<HzOp::Stencil_Clear_Value>());
  draw.depth_stencil.back = face;
  if (!bind_targets(c, {}, draw)) return false;
  draw.targets.samples = 1u << state.get<HzOp::Number_of_Multisamples>();
  pipeline::Rectangle area{int(state.get<HzOp::Clear_Rectangle_X_Min>()), int(state.get<HzOp::Clear_Rectangle_Y_Min>()),
                           int(state.get<HzOp::Clear_Rectangle_X_Max>()), int(state.get<HzOp::Clear_Rectangle_Y_Max>())};
  if (state.get<HzOp::Full_Surface_Depth_and_Stencil_Clear>()) area = {0, 0, int(draw.targets.width), int(draw.targets.height)};
  return fill(c, draw, area, 1, std::bit_cast<float>(uint32_t(state.get<_3DSTATE_CLEAR_PARAMS::Depth_Clear_Value>())));
}

}  // namespace Atoll::dg1
