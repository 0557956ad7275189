// Surfaces are kept plain, whatever auxiliary surfaces they have: what an operation on those leaves of pixels is what is done here.
// Mesa 22.3.6 src/intel/blorp/blorp_clear.c (blorp_fast_clear, blorp_hiz_clear_depth_stencil), blorp_genX_exec.h (blorp_emit_gfx8_hiz_op);
// PRM volume 2a, 3DSTATE_PS, 3DSTATE_WM_HZ_OP.
#include "gpu/dg1/draw/fills.h"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <memory>
#include <type_traits>
#include <utility>

#include "gpu/dg1/draw/draw.h"
#include "gpu/dg1/draw/new_samples.h"
#include "gpu/dg1/draw/raster_state.h"
#include "gpu/dg1/draw/targets.h"
#include "gpu/dg1/draw/viewport_state.h"

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

// A rectangle's three vertices, without attributes.
class CornerStage : public pipeline::VertexStage {
public:
  CornerStage(const pipeline::Rectangle& area, uint32_t layer, float depth) : area_(area), layer_(layer), depth_(depth) {}
  unsigned attribute_count() const override { return 0; }
  unsigned batch_size() const override { return corners; }
  bool shade(unsigned, const pipeline::VertexBatch& batch, pipeline::Vertex* vertices, float*) override {
    const int x[corners] = {area_.left, area_.right, area_.left}, y[corners] = {area_.top, area_.top, area_.bottom};
    for (size_t n = 0; n < batch.number.size(); n++) {
      const uint32_t corner = batch.number[n] % corners;
      pipeline::Vertex& v = vertices[n];
      v.position[0] = float(x[corner]), v.position[1] = float(y[corner]), v.position[2] = depth_, v.position[3] = 1;
      v.layer = layer_;
    }
    return true;
  }

  static constexpr unsigned corners = 3;

private:
  const pipeline::Rectangle area_;
  const uint32_t layer_;
  const float depth_;
};

// Draws the rectangle into these layers of the targets that `draw` has, without transformations and tests of the state: blocks that no
// draw has used yet are only noted (pipeline/draws/fill.h).
bool fill(Context& c, pipeline::Draw& draw, const pipeline::Rectangle& area, unsigned first, unsigned layers, float depth) {
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
  draw.assembly.topology = pipeline::Topology::rectangles;
  draw.vertices = {};
  draw.vertices.count = CornerStage::corners, draw.vertices.instances = 1;
  draw.uniform_pixels = true;
  draw.stays_open = true;
  c.make_workers();
  for (unsigned layer = first; layer < first + layers; layer++) {
    CornerStage stage(area, layer, depth);
    draw.vertex_stage = &stage;
    pipeline::Counters nobody;
    const bool good = pipeline::run(draw, *c.workers, nobody, c.stop, &c.progress);
    draw.vertex_stage = nullptr;
    if (!good) return c.lost() ? false : c.lose_stopped();
  }
  return !c.lost();
}

// Fills what was cleared with the colour at that address of GPU memory; without an address with 0.
bool fill_surface(Context& c, const FastClear& clear, uint64_t address) {
  using Clear = structures::CLEAR_COLOR;
  std::array<uint32_t, Clear::dwords> words{};
  // (Behind the raw colour stands what the GPU leaves for samplers.)
  if (address && !c.load(address, words.data(), FastClear::colour_bytes, "read of a clear colour")) return false;
  pipeline::Draw draw;
  if (!bind_surface(c, clear.state, draw)) return false;
  FillStage stage({Clear::Raw_Clear_Color_Red::get(words), Clear::Raw_Clear_Color_Green::get(words),
                   Clear::Raw_Clear_Color_Blue::get(words), Clear::Raw_Clear_Color_Alpha::get(words)});
  draw.pixel_stage = &stage;
  draw.rasterization.sample_mask = 0xffff;
  // The whole level is cleared: the rectangle counts blocks of metadata (blorp_clear.c, get_fast_clear_rect).
  const pipeline::Rectangle all{0, 0, int(draw.targets.width), int(draw.targets.height)};
  return fill(c, draw, all, 0, std::min(clear.layers, draw.targets.layers), 0);
}

// True if both states describe one surface, whatever its levels and layers; otherwise its memory has been given to another one.
bool is_same_surface(const SurfaceWords& a, const SurfaceWords& b) {
  auto same = [&]<class Field>(std::type_identity<Field>) { return Field::get(a) == Field::get(b); };
  return same(std::type_identity<SurfaceState::Width>{}) && same(std::type_identity<SurfaceState::Height>{}) &&
         same(std::type_identity<SurfaceState::Surface_Pitch>{}) && same(std::type_identity<SurfaceState::Tile_Mode>{}) &&
         same(std::type_identity<SurfaceState::Number_of_Multisamples>{});
}
bool is_same_place(const SurfaceWords& a, const SurfaceWords& b) {
  return SurfaceState::Surface_Base_Address::get(a) == SurfaceState::Surface_Base_Address::get(b);
}

// Surfaces of several samples are about: programs without any have their states read by shaders alone.
bool has_samples(const Context& c) { return samples_of(c.graphics) > 1 || (c.targets && c.targets->has_samples()); }

// Describes the bound depth buffer and its clear value.
DepthClear bound_depths(const GraphicsState& g, unsigned samples) {
  using Buffer = _3DSTATE_DEPTH_BUFFER;
  return {.base = stripped(g.get<Buffer::Surface_Base_Address>()),
          .format = uint32_t(g.get<Buffer::Surface_Format>()),
          .pitch = uint32_t(g.get<Buffer::Surface_Pitch>()),
          .level = uint32_t(g.get<Buffer::LOD>()),
          .layer = uint32_t(g.get<Buffer::Minimum_Array_Element>()),
          .samples = samples,
          .value = uint32_t(g.get<_3DSTATE_CLEAR_PARAMS::Depth_Clear_Value>())};
}
// A clear is a mark in the hierarchy, if there is one.
bool marks_depths(const GraphicsState& g) {
  return g.get<_3DSTATE_DEPTH_BUFFER::Hierarchical_Depth_Buffer_Enable>() &&
         g.get<_3DSTATE_CLEAR_PARAMS::Depth_Clear_Value_Valid>();
}
bool is_bound_depth(const GraphicsState& g, const DepthClear& clear) {
  const DepthClear now = bound_depths(g, clear.samples);
  return clear.base == now.base && clear.level == now.level && clear.layer >= now.layer &&
         clear.layer - now.layer <= g.get<_3DSTATE_DEPTH_BUFFER::Render_Target_View_Extent>();
}

constexpr size_t most_fast_clears = 64;  // beyond them the oldest keep the colour that they have

}  // namespace

bool fill_with_zeros(Context& c, const SurfaceWords& state) { return fill_surface(c, {.state = state, .layers = 1}, 0); }

bool is_target_operation(const GraphicsState& state) {
  return state.get<_3DSTATE_PS::Render_Target_Fast_Clear_Enable>() ||
         state.get<_3DSTATE_PS::Render_Target_Resolve_Type>() != Resolve::RESOLVE_DISABLED;
}

bool run_target_operation(Context& c, const DrawParameters& parameters) {
  // A resolve makes pixels readable that are so here. With FAST_CLEAR_0 a fast clear is of the metadata: pixels stay as they are
  // (blorp_ccs_ambiguate).
  if (c.graphics.get<_3DSTATE_PS::Render_Target_Resolve_Type>() != Resolve::RESOLVE_DISABLED)
    return settle_fast_clears(c) && forget_fast_clears(c);
  std::array<uint16_t, 8> written{};
  if (!find_written_targets(c, written)) return false;
  if (!written[0]) return c.lose("3DSTATE_PS.Render Target Fast Clear Enable: the pixel shader writes no render target 0");
  FastClear clear{.layers = parameters.instances};
  if (!read_target_state(c, written[0] - 1u, clear.state)) return false;
  if (SurfaceState::Surface_Type::get(clear.state) == SurfaceType::SURFTYPE_NULL) return true;
  uint64_t address = 0;
  if (SurfaceState::Clear_Value_Address_Enable::is_set(clear.state))
    address = SurfaceState::Clear_Value_Address::get(clear.state);
  else
    c.unknown("3DSTATE_PS.Render Target Fast Clear Enable: the surface state has no clear value address; it is cleared to 0");
  clear.address = address;
  bool filled = false;
  if (!fill_surface(c, clear, address) || !settle_new_samples(c, clear.state, true, filled)) return false;
  std::erase_if(c.fast_clears, [&](const FastClear& before) {
    return before.state == clear.state ||
           (is_same_place(before.state, clear.state) && !is_same_surface(before.state, clear.state));
  });
  if (c.fast_clears.size() >= most_fast_clears) c.fast_clears.erase(c.fast_clears.begin());
  c.fast_clears.push_back(clear);
  return true;
}

bool settle_fast_clears(Context& c, uint64_t binding_table, uint32_t entries) {
  bool filled = false;
  for (uint32_t n = 0; n < entries && (!c.fast_clears.empty() || has_samples(c)); n++) {
    // (a table may be larger than what is read of it: what is not there is nobody's)
    uint32_t pointer = 0;
    if (!c.space.contains(stripped(binding_table + n * sizeof pointer), sizeof pointer)) break;
    if (!c.load(binding_table + n * sizeof pointer, &pointer, sizeof pointer, "read of a binding table")) return false;
    const uint64_t at = c.bases.surface + structures::BINDING_TABLE_STATE::Surface_State_Pointer::get(&pointer);
    SurfaceWords state;
    if (!c.space.contains(stripped(at), sizeof state)) continue;
    if (!c.load(at, state.data(), sizeof state, "read of a surface state")) return false;
    if (!settle_new_samples(c, state, false, filled)) return false;
    if (SurfaceState::Auxiliary_Surface_Mode::get(state) == AuxiliaryMode::AUX_NONE ||
        !SurfaceState::Clear_Value_Address_Enable::is_set(state))
      continue;
    const uint64_t address = SurfaceState::Clear_Value_Address::get(state);
    std::erase_if(c.fast_clears, [&](const FastClear& clear) {
      return is_same_place(clear.state, state) && !is_same_surface(clear.state, state);
    });
    for (FastClear& clear : c.fast_clears) {
      if (!is_same_place(clear.state, state) || (clear.address == address && !clear.recoloured)) continue;
      clear.address = address, clear.recoloured = false;
      if (!fill_surface(c, clear, address)) return false;
      filled = true;
    }
  }
  return !filled || write_back(c);
}

bool settle_fast_clears(Context& c) {
  if (c.fast_clears.empty() && !has_samples(c)) return true;
  const GraphicsState& g = c.graphics;
  const std::pair<uint64_t, uint32_t> tables[] = {
      {g.get<_3DSTATE_BINDING_TABLE_POINTERS_PS::Pointer_to_PS_Binding_Table>(), g.get<_3DSTATE_PS::Binding_Table_Entry_Count>()},
      {g.get<_3DSTATE_BINDING_TABLE_POINTERS_VS::Pointer_to_VS_Binding_Table>(), g.get<_3DSTATE_VS::Binding_Table_Entry_Count>()},
      {g.get<_3DSTATE_BINDING_TABLE_POINTERS_HS::Pointer_to_HS_Binding_Table>(), g.get<_3DSTATE_HS::Binding_Table_Entry_Count>()},
      {g.get<_3DSTATE_BINDING_TABLE_POINTERS_DS::Pointer_to_DS_Binding_Table>(), g.get<_3DSTATE_DS::Binding_Table_Entry_Count>()},
      {g.get<_3DSTATE_BINDING_TABLE_POINTERS_GS::Pointer_to_GS_Binding_Table>(),
       g.get<_3DSTATE_GS::Binding_Table_Entry_Count>()}};
  for (const auto& [pointer, entries] : tables)
    if (entries && !settle_fast_clears(c, c.binding_table(pointer), entries)) return false;
  return true;
}

bool forget_fast_clears(Context& c) {
  if (c.fast_clears.empty()) return true;
  std::array<uint16_t, 8> written{};
  if (!find_written_targets(c, written)) return false;
  for (const uint16_t entry : written) {
    SurfaceWords drawn;
    if (!entry) continue;
    if (!read_target_state(c, entry - 1u, drawn)) return false;
    using S = SurfaceState;
    const uint32_t first = S::Minimum_Array_Element::get(drawn), layers = S::Render_Target_View_Extent::get(drawn) + 1;
    std::erase_if(c.fast_clears, [&](const FastClear& clear) {
      const uint32_t cleared = S::Minimum_Array_Element::get(clear.state);
      return is_same_place(clear.state, drawn) && S::MIP_Count_LOD::get(clear.state) == S::MIP_Count_LOD::get(drawn) &&
             cleared < first + layers && first < cleared + clear.layers;
    });
  }
  return true;
}

void forget_depth_clears(Context& c) {
  std::erase_if(c.depth_clears, [&](const DepthClear& clear) { return is_bound_depth(c.graphics, clear); });
}

bool settle_depth_clears(Context& c) {
  if (c.depth_clears.empty()) return true;
  const DepthClear now = bound_depths(c.graphics, 1);
  // Without marks, or as another surface, the memory has become something else. (Operations have sizes in whole blocks of the hierarchy.)
  std::erase_if(c.depth_clears, [&](const DepthClear& clear) {
    return clear.base == now.base && (!marks_depths(c.graphics) || clear.format != now.format || clear.pitch != now.pitch);
  });
  for (DepthClear& clear : c.depth_clears) {
    if (clear.value == now.value || !is_bound_depth(c.graphics, clear)) continue;
    pipeline::Draw draw;
    draw.rasterization.sample_mask = 0xffff;
    draw.depth_stencil.depth_test = draw.depth_stencil.depth_write = true;
    if (!bind_targets(c, {}, 0, draw)) return false;
    if (!draw.targets.depth.depth || clear.samples < draw.targets.samples) continue;
    draw.targets.samples = clear.samples;
    clear.value = now.value;
    const pipeline::Rectangle all{0, 0, int(draw.targets.width), int(draw.targets.height)};
    if (!fill(c, draw, all, clear.layer - now.layer, 1, std::bit_cast<float>(now.value))) return false;
  }
  return true;
}

bool run_depth_operation(Context& c) {
  const GraphicsState& state = c.graphics;
  const bool depth = state.get<HzOp::Depth_Buffer_Clear_Enable>(), stencil = state.get<HzOp::Stencil_Buffer_Clear_Enable>();
  // Resolves of depths leave no pixels that are only marked as clear; those of their hierarchy (blorp's ambiguation) drop the marks.
  if (state.get<HzOp::Depth_Buffer_Resolve_Enable>() && !settle_depth_clears(c)) return false;
  if (state.get<HzOp::Depth_Buffer_Resolve_Enable>() || state.get<HzOp::Hierarchical_Depth_Buffer_Resolve_Enable>())
    forget_depth_clears(c);
  if (!depth && !stencil) return true;
  pipeline::Draw draw;
  draw.rasterization.sample_mask = uint32_t(state.get<HzOp::Sample_Mask>());
  draw.depth_stencil.depth_test = draw.depth_stencil.depth_write = depth;
  draw.depth_stencil.stencil_test = stencil;
  pipeline::StencilFace& face = draw.depth_stencil.front;
  face.pass = pipeline::StencilOp::replace;
  face.reference = uint8_t(state.get<HzOp::Stencil_Clear_Value>());
  draw.depth_stencil.back = face;
  if (!bind_targets(c, {}, 0, draw)) return false;
  // (Samples beyond those of the draw would lie behind the blocks that it keeps.)
  const unsigned samples = 1u << state.get<HzOp::Number_of_Multisamples>();
  if (samples < draw.targets.samples)
    return c.lose(
        fmt::format("3DSTATE_WM_HZ_OP.Number of Multisamples: {} samples a pixel, of buffers that 3DSTATE_MULTISAMPLE gives {}",
                    samples, draw.targets.samples));
  draw.targets.samples = samples;
  const uint32_t width = draw.targets.width, height = draw.targets.height;
  pipeline::Rectangle area{int(state.get<HzOp::Clear_Rectangle_X_Min>()), int(state.get<HzOp::Clear_Rectangle_Y_Min>()),
                           int(state.get<HzOp::Clear_Rectangle_X_Max>()), int(state.get<HzOp::Clear_Rectangle_Y_Max>())};
  if (state.get<HzOp::Full_Surface_Depth_and_Stencil_Clear>()) area = {0, 0, int(draw.targets.width), int(draw.targets.height)};
  if (state.get<HzOp::Scissor_Rectangle_Enable>()) {
    pipeline::Rectangle scissor;
    if (!read_scissor(c, 0, scissor)) return false;
    area = both(area, scissor);
    if (area.left == area.right || area.top == area.bottom) return true;
  }
  if (!depth) return fill(c, draw, area, 0, 1, 0);
  forget_depth_clears(c);
  const DepthClear clear = bound_depths(state, samples);
  if (!fill(c, draw, area, 0, 1, std::bit_cast<float>(clear.value))) return false;
  const bool whole = area.left <= 0 && area.top <= 0 && area.right >= int(width) && area.bottom >= int(height) &&
                     state.get<HzOp::Sample_Mask>() == 0xffff;
  if (!whole || !marks_depths(state)) return true;
  if (c.depth_clears.size() >= most_fast_clears) c.depth_clears.erase(c.depth_clears.begin());
  c.depth_clears.push_back(clear);
  return true;
}

}  // namespace Atoll::dg1
