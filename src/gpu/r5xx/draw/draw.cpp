#include "gpu/r5xx/draw/draw.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "gpu/r5xx/draw/cleared_tiles.h"
#include "gpu/r5xx/draw/fragment_state.h"
#include "gpu/r5xx/draw/pixel_stage.h"
#include "gpu/r5xx/draw/raster_state.h"
#include "gpu/r5xx/draw/resolve.h"
#include "gpu/r5xx/draw/vertex_stage.h"
#include "gpu/r5xx/shaders/environment.h"
#include "gpu/r5xx/shaders/shader_files.h"
#include "pipeline/draw.h"
#include "pipeline/picture.h"

namespace Atoll::r5xx {
namespace {

// Writes one value to every pixel.
class FillStage : public pipeline::PixelStage {
public:
  explicit FillStage(uint32_t value) : value_(value) {}
  unsigned batch_size() const override { return 32; }
  uint8_t barycentrics() const override { return 0; }
  bool shade(unsigned, const pipeline::PixelBatch&, pipeline::PixelResults& results) override {
    results.killed = 0;
    results.outputs = 1;
    results.has_second_source = results.has_depth = results.has_stencil = results.has_stencil_op = results.has_coverage = false;
    for (auto& component : results.colour[0]) component.fill(value_);
    return true;
  }

private:
  uint32_t value_;
};

// Indices of the command stream: the wFlags of prim type 7 stand behind three indices each and mean nothing.
std::vector<uint16_t> without_flags(std::span<const uint32_t> dwords, uint32_t vertices) {
  std::vector<uint16_t> kept;
  auto half = [&](uint64_t n) { return n / 2 < dwords.size() ? uint16_t(dwords[n / 2] >> (n % 2 * 16)) : uint16_t(0); };
  for (uint64_t n = 0; kept.size() < vertices; n++)
    if (n % 4 != 3) kept.push_back(half(n));
  return kept;
}

// Indices have 24 bits (VAP_VF_MAX_VTX_INDX): Mesa counts on it where a 32-bit index and its offset are far from 0.
constexpr uint32_t index_mask = 0xffffff;
std::vector<uint32_t> of_24_bits(std::span<const uint32_t> indices) {
  std::vector<uint32_t> cut(indices.begin(), indices.end());
  for (uint32_t& index : cut) index &= index_mask;
  return cut;
}

int64_t index_offset(const RegisterFile& r) {
  uint32_t offset = r.get<VAP_INDEX_OFFSET::INDEX_OFFSET>();
  return int32_t(offset << 7) >> 7;  // 25 bits, signed
}

// One draw from its registers to its end. What returns bool: false, the context is lost.
class DrawExecution : public pipeline::WaitingDraw {
public:
  DrawExecution(DrawEngine& engine, Context& context, ShaderCache& shaders, std::shared_ptr<Textures> textures,
                pipeline::Workers& workers)
      : engine_(engine),
        c_(context),
        reports_(context),
        shaders_(shaders),
        textures_(std::move(textures)),
        workers_(workers),
        environment_(context, *textures_) {}

  bool prepare(const PrimitiveRow& primitive, const DrawCall& call) {
    const RegisterFile& r = c_.registers;
    samples_ = sample_count(r);
    outputs_ = vertex_outputs_of(r);
    draw.assembly = assembly_of(r, primitive);
    draw.viewports[0] = viewport_of(r);
    draw.clip = clip_of(c_);
    draw.rasterization = rasterization_of(c_, outputs_);
    if (!find_pixel_shader() || !bind_targets() || !make_vertex_stage(call)) return false;
    if (!make_pixel_stage(primitive.kind)) return false;
    draw.colour = colour_output_of(c_, buffers_);
    return !c_.lost();
  }
  // Whether its pixels may be drawn later. (No pixel program writes to memory.)
  bool may_wait() const {
    const RegisterFile& r = c_.registers;
    return draw.stays_open && !r.get<RB3D_AARESOLVE_CTL::AARESOLVE_MODE>() && !r.get<ZB_BW_CNTL::ZB_CB_CLEAR>() &&
           !c_.options.strict && !goes_on_measuring(r);
  }
  bool run_now() {
    const RegisterFile& r = c_.registers;
    // The halves of a buffer that both units clear are no targets of later draws.
    if (r.get<ZB_BW_CNTL::ZB_CB_CLEAR>()) draw.stays_open = false;
    if (r.get<RB3D_AARESOLVE_CTL::AARESOLVE_MODE>()) {
      if (!resolve()) return false;
    } else {
      if (!execute(draw)) return false;
      if (r.get<ZB_BW_CNTL::ZB_CB_CLEAR>() && !clear_by_depth_unit()) return false;
      if (goes_on_measuring(r)) accumulate(c_.registers, line_length_);
    }
    return finish();
  }
  void finished(const pipeline::Counters& counters, bool good) override {
    count(counters);
    if (good && !c_.stop)
      finish();
    else
      c_.say(reports_, failure().c_str());
  }
  const std::array<ColourBuffer, 4>& buffers() const { return buffers_; }

private:
  DrawEngine& engine_;
  Context& c_;
  gpu::Reports::Kept reports_;  // (stages keep their own: it says of which packet the draw is)
  ShaderCache& shaders_;
  const std::shared_ptr<Textures> textures_;
  pipeline::Workers& workers_;
  QueueEnvironment environment_;
  VertexOutputs outputs_;
  std::array<ColourBuffer, 4> buffers_;
  std::array<SurfaceTarget*, 4> colour_{};
  SurfaceTarget* depth_ = nullptr;
  std::shared_ptr<Shader> pixel_shader_;
  std::unique_ptr<VertexStage> vertex_stage_;
  std::unique_ptr<PixelStage> pixel_stage_;
  std::vector<uint16_t> indices_;
  std::vector<uint32_t> long_indices_;
  unsigned samples_ = 1;
  double line_length_ = 0;  // of what was drawn, pixels

  // Where memory is missing, what cannot be stored is to be reported of this draw.
  SurfaceTarget& target(const SurfacePlace& place) {
    SurfaceTarget& target = engine_.target(place);
    draw.stays_open = draw.stays_open && target.mapped();
    return target;
  }

  bool bind_targets() {
    draw.stays_open = true;
    const RegisterFile& r = c_.registers;
    const Area area = scissor_area_of(r);
    const unsigned copies = r.get<RB3D_CCTL::NUM_MULTIWRITES>() + 1;
    auto& t = draw.targets;
    t.width = area.width, t.height = area.height, t.samples = samples_;
    for (unsigned n = 0; n < buffers_.size(); n++) {
      // Buffers besides the first are left alone where the program gives them nothing.
      if (n > 0 && copies == 1 && !(pixel_shader_->outputs >> n & 1)) continue;
      auto buffer = colour_buffer_of(c_, n, samples_);
      if (!buffer) return false;
      buffers_[n] = *buffer;
      if (!buffer->bound) continue;
      colour_[n] = &target(buffer->place);
      t.colour[n] = {colour_[n], buffer->format, buffer->place.surface.element_bytes, false};
      t.width = std::min(t.width, buffer->place.surface.pitch);
      if (r.get<RB3D_CCTL::CMASK_ENABLE>() && !clear_colour_tiles(c_, engine_, workers_, *buffer, n)) return false;
    }
    draw.depth_stencil = depth_stencil_of(c_);
    const bool tests = draw.depth_stencil.depth_test || draw.depth_stencil.stencil_test;
    // r300g has cleared tiles written by a draw that may write depths and does not test them (22.3.6 r300_context.c,
    // dsa_decompress_zmask); which of the two lets the chip do it is not published.
    const bool fills = r.get<ZB_BW_CNTL::FAST_FILL>() && !r.get<ZB_BW_CNTL::ZB_CB_CLEAR>() &&
                       (tests || ZB_CNTL::ZWRITEENABLE::get(r.read<ZB_CNTL>()));
    if (!tests && !fills) return true;
    auto depth = depth_buffer_of(c_, samples_);
    if (!depth) return false;
    depth_ = &target(depth->place);
    if (fills && !clear_depth_tiles(c_, engine_, workers_, *depth)) return false;
    if (!tests) return true;
    t.depth = {depth_, depth->bits, nullptr, depth->bits == 24, depth->code};
    if (depth->bits == 16) draw.depth_stencil.stencil_test = false;
    t.width = std::min(t.width, depth->place.surface.pitch - std::min(depth->place.surface.pitch, depth->place.left));
    return true;
  }

  bool make_vertex_stage(const DrawCall& call) {
    const RegisterFile& r = c_.registers;
    auto& v = draw.vertices;
    v.count = call.vertices;
    uint32_t walk = VAP_VF_CNTL::PRIM_WALK::get(call.control);
    const bool immediate = walk == VAP_VF_CNTL::PRIM_WALK::State_Based_Vertex_Data;
    bool embedded = immediate || walk == VAP_VF_CNTL::PRIM_WALK::Vertex_Data, indexed = walk == VAP_VF_CNTL::PRIM_WALK::Indexes;
    if (!embedded) {
      v.lowest = r.get<VAP_VF_MIN_VTX_INDX::MIN_INDX>();
      v.highest = std::max(v.lowest, r.get<VAP_VF_MAX_VTX_INDX::MAX_INDX>());
      v.base_vertex = index_offset(r);
    }
    if (indexed) {
      v.index_bytes = VAP_VF_CNTL::INDEX_SIZE::get(call.control) ? 4 : 2;
      v.indices = reinterpret_cast<const uint8_t*>(call.dwords.data());
      v.index_limit = call.dwords.size() * 4 / v.index_bytes;
      if (VAP_VF_CNTL::PRIM_TYPE::get(call.control) == VAP_VF_CNTL::PRIM_TYPE::Triangle_with_wFlags && v.index_bytes == 2) {
        indices_ = without_flags(call.dwords, call.vertices);
        v.indices = reinterpret_cast<const uint8_t*>(indices_.data());
        v.index_limit = indices_.size();
      } else if (v.index_bytes == 4 && std::ranges::any_of(call.dwords, [](uint32_t index) { return index > index_mask; })) {
        long_indices_ = of_24_bits(call.dwords);
        v.indices = reinterpret_cast<const uint8_t*>(long_indices_.data());
      }
    }
    const bool dual_index = VAP_VF_CNTL::DUAL_INDEX_MODE::get(call.control);
    uint32_t highest = v.highest;
    if (!indexed && !embedded) highest = uint32_t(std::clamp<int64_t>(v.base_vertex + int64_t(v.count) - 1, v.lowest, v.highest));
    auto fetcher = embedded ? VertexFetcher::from_stream(r, call.dwords, call.vertex_dwords)
                            : VertexFetcher::from_arrays(r, c_.space, highest, dual_index);
    if (!fetcher) return c_.lose(fetcher.error().message);
    VertexStage::Setup setup{std::move(*fetcher),      outputs_,  nullptr, &environment_, &c_.stop, &c_.progress,
                             &engine_.kept_vertices(), call.edges};
    if (!r.get<VAP_CNTL_STATUS::PVS_BYPASS>()) {
      auto shader = shaders_.vertex(r, c_.vertex_memory);
      if (!shader) return c_.lose(shader.error().message);
      write_program(c_, **shader, "vs");
      setup.program = *shader;
    }
    vertex_stage_ = std::make_unique<VertexStage>(std::move(setup), r, c_.vertex_memory);
    draw.vertex_stage = vertex_stage_.get();
    return true;
  }

  bool find_pixel_shader() {
    auto shader = shaders_.pixel(c_.registers, c_.pixel_memory);
    if (!shader) return c_.lose(shader.error().message);
    write_program(c_, **shader, "ps");
    pixel_shader_ = *shader;
    return true;
  }

  bool make_pixel_stage(DrawnKind kind) {
    const RegisterFile& r = c_.registers;
    PixelStage::Setup setup;
    bool polygons_as_others = kind == DrawnKind::triangles && r.get<GA_POLY_MODE::POLY_MODE>();
    for (DrawnKind drawn : {DrawnKind::points, DrawnKind::lines, DrawnKind::triangles}) {
      if (drawn != kind && !polygons_as_others) continue;
      Routing& routed = setup.routing[size_t(drawn)] = routing_of(c_, outputs_, drawn);
      if (drawn == kind) draw.pixels_alike = routed.of_attributes_alone() && !r.get<FG_FOG_BLEND::ENABLE>();
    }
    unsigned copies = r.get<RB3D_CCTL::NUM_MULTIWRITES>() + 1;
    for (unsigned n = 0; n < buffers_.size(); n++)
      setup.outputs[n] = {buffers_[n].bound, uint8_t(copies > 1 ? 0 : n), buffers_[n].shader_channel};
    setup.engine = shaders_.engine();
    setup.alpha = alpha_test_of(r);
    setup.fog = fog_blend_of(r);
    auto w = r.read<US_W_FMT>();
    // From the program, or from the rasteriser where it gives one.
    const bool from_rasteriser = US_W_FMT::W_SRC::get(w);
    for (Routing& routing : setup.routing) {
      const auto given = std::ranges::find(routing.routes, true, &Route::to_depth);
      if (given != routing.routes.end() && from_rasteriser) setup.rasterised_depth = true;
      if (!from_rasteriser) std::erase_if(routing.routes, [](const Route& route) { return route.to_depth; });
    }
    setup.writes_depth =
        r.get<FG_DEPTH_SRC::DEPTH_SRC>() && US_W_FMT::W_FMT::get(w) && (!from_rasteriser || setup.rasterised_depth);
    textures_->bind(c_);
    if (!pipeline::write_back(workers_, textures_->memory())) return false;
    TextureForms forms;
    for (unsigned n = 0; n < forms.size(); n++) forms[n] = textures_->form(n);
    auto program = shaders_.sampling(pixel_shader_, forms);
    if (!program) return c_.lose(program.error().message);
    setup.program = *program;
    setup.textures = &textures_->slots();
    setup.environment = &environment_;
    setup.stop = &c_.stop;
    setup.progress = &c_.progress;
    setup.waves = &engine_.pixel_waves();
    pixel_stage_ = std::make_unique<PixelStage>(std::move(setup), r, c_.pixel_memory);
    draw.pixel_stage = pixel_stage_.get();
    return true;
  }

  void count(const pipeline::Counters& counters) {
    auto& s = c_.statistics;
    s.vertices += counters.vertices, s.primitives += counters.primitives, s.pixels += counters.pixel_invocations;
    counters.add_ways(s.pixel_ways);
    line_length_ = counters.line_length;
    c_.z_passed[0] += uint32_t(counters.samples_passed);
  }

  // Why it failed.
  std::string failure() const {
    std::string report = vertex_stage_->report();
    if (report.empty()) report = pixel_stage_->report();
    return c_.stop || report.empty() ? c_.why_stopped(report) : report;
  }

  bool execute(const pipeline::Draw& now) {
    pipeline::Counters counters;
    const bool good = pipeline::run(now, workers_, counters, c_.stop, &c_.progress);
    count(counters);
    return (good && !c_.stop) || c_.lose(failure());
  }

  // The Z unit writes ZB_DEPTHCLEARVALUE to its buffer wherever the draw's pixels are, without a look at them.
  bool clear_by_depth_unit() {
    const RegisterFile& r = c_.registers;
    auto buffer = depth_buffer_of(c_, 1);
    if (!buffer) return false;
    buffer->place.stencil_low = false;
    SurfaceTarget& target = this->target(buffer->place);
    // A buffer of 16 bits has the value's lower half (r300g writes a packed 16-bit colour into both).
    const auto value = r.whole<ZB_DEPTHCLEARVALUE>();
    FillStage fill(buffer->bits == 16 ? value & 0xffff : value);
    pipeline::Draw clear = draw;
    clear.pixel_stage = &fill;
    clear.pixels_alike = true;
    clear.colour = {};
    clear.colour.blend[0].write_mask = 0xf;
    clear.depth_stencil = {};
    clear.rasterization.samples = 1;
    clear.rasterization.sample_mask = 1;
    clear.targets = {};
    const Area area = scissor_area_of(r);
    clear.targets.width = std::min(area.width, buffer->place.surface.pitch), clear.targets.height = area.height;
    auto layout = buffer->bits == 16 ? surface::Layout::bits_16 : surface::Layout::bits_32;
    clear.targets.colour[0] = {
        &target, {layout, surface::Number::uint, surface::natural_order}, buffer->place.surface.element_bytes, false};
    if (!execute(clear)) return false;
    if (auto fault = target.fault(); !fault.empty()) return c_.lose(fault);
    return true;
  }

  bool resolve();

  bool finish() {
    for (SurfaceTarget* target : colour_)
      if (target && !target->fault().empty()) return c_.lose(target->fault());
    if (depth_ && !depth_->fault().empty()) return c_.lose(depth_->fault());
    auto waves = vertex_stage_->counters();
    waves += pixel_stage_->counters();
    c_.statistics += waves;
    c_.statistics.instructions += waves.executed();
    return true;
  }
};

// Render target 0 is the multisampled source.
bool DrawExecution::resolve() {
  const RegisterFile& r = c_.registers;
  if (!buffers_[0].bound) return c_.lose("RB3D_AARESOLVE_CTL: render target 0 is not bound");
  auto buffer = resolve_buffer_of(c_);
  if (!buffer) return false;
  auto control = r.read<RB3D_AARESOLVE_CTL>();
  SurfaceTarget& target = this->target(buffer->place);
  if (!pipeline::write_back(workers_)) return false;  // the stage reads its source's memory
  ResolveStage stage(buffers_[0], *colour_[0], RB3D_AARESOLVE_CTL::AARESOLVE_ALPHA::get(control),
                     RB3D_AARESOLVE_CTL::AARESOLVE_GAMMA::get(control), workers_.count());
  pipeline::Draw to = draw;
  to.pixels_alike = false;
  to.pixel_stage = &stage;
  to.colour = {};
  to.depth_stencil = {};
  to.rasterization.samples = 1;
  to.rasterization.sample_mask = 1;
  to.rasterization.sample_positions[0] = {8, 8}, to.rasterization.sample_grid = 16;
  to.targets = {};
  to.targets.width = std::min(draw.targets.width, buffer->place.surface.pitch), to.targets.height = draw.targets.height;
  to.targets.colour[0] = {&target, buffer->format, buffer->place.surface.element_bytes, false};
  if (!execute(to)) return false;
  return target.fault().empty() || c_.lose(target.fault());
}

}  // namespace

DrawEngine::DrawEngine(Context& context) : c_(context), shaders_(context.options.engine) {}

bool DrawEngine::draw(const DrawCall& call) {
  uint32_t type = VAP_VF_CNTL::PRIM_TYPE::get(call.control);
  const PrimitiveRow* primitive = primitive_row(type);
  if (!primitive) {
    if (type != VAP_VF_CNTL::PRIM_TYPE::None) c_.unknown(fmt::format("VAP_VF_CNTL.PRIM_TYPE {}", type));
    return !c_.lost();
  }
  c_.statistics.draws++;
  draws_++;
  c_.not_yet.at_draw(c_.registers, [&](std::string what) { c_.unknown(std::move(what), fmt::format(", draw {}", draws_)); });
  if (c_.lost()) return false;
  if (!workers_) {
    workers_ = std::make_unique<pipeline::Workers>(c_.options.deterministic ? 1 : c_.options.threads);
    kept_vertices_.resize(workers_->count());
    pixel_waves_.resize(workers_->count());
  }
  constexpr size_t max_targets = 32;
  if (targets_.size() > max_targets && !write_back()) return false;
  auto execution = std::make_unique<DrawExecution>(*this, c_, shaders_, free_textures(), *workers_);
  if (!execution->prepare(*primitive, call)) return false;
  last_buffers_ = execution->buffers();
  const bool good =
      execution->may_wait() ? pipeline::run(std::move(execution), *workers_, c_.stop, &c_.progress) : execution->run_now();
  if (!good || c_.lost()) return false;
  if (c_.after_draw) c_.after_draw(draws_);
  return !c_.lost();
}

// Those of draws that have waited longest are free first.
std::shared_ptr<Textures> DrawEngine::free_textures() {
  for (size_t tried = 0; tried < textures_.size(); tried++) {
    next_textures_ = (next_textures_ + 1) % textures_.size();
    if (textures_[next_textures_].use_count() == 1) return textures_[next_textures_];
  }
  return textures_.emplace_back(std::make_shared<Textures>(texture_cache_));
}

SurfaceTarget& DrawEngine::target(const SurfacePlace& place) {
  for (auto& target : targets_)
    if (target->place() == place) return *target;
  const SurfaceTarget* like = nullptr;
  for (auto* targets : {&targets_, &spent_})
    for (auto& target : *targets)
      if (target->place().surface == place.surface) like = target.get();
  return *targets_.emplace_back(std::make_unique<SurfaceTarget>(place, c_.space, like));
}

bool DrawEngine::write_back() {
  if (workers_) pipeline::write_back(*workers_);
  if (!targets_.empty()) spent_ = std::exchange(targets_, {});
  return !c_.lost();
}

std::vector<gpu::Picture> DrawEngine::pictures() {
  if (workers_) pipeline::write_back(*workers_);
  std::vector<gpu::Picture> all;
  for (unsigned n = 0; n < last_buffers_.size(); n++) {
    const ColourBuffer& b = last_buffers_[n];
    if (!b.bound) continue;
    SurfaceTarget target(b.place, c_.space);
    if (!target.mapped()) continue;  // a picture as large as the scissors say, of nothing
    pipeline::ColourTarget colour{&target, b.format, b.place.surface.element_bytes, false};
    gpu::Picture picture{fmt::format("draw {} colour {}", draws_, n), b.place.width, b.place.height, {}};
    std::vector<uint8_t> components = pipeline::rgba8_of(colour, picture.width, picture.height);
    picture.rgba = components;
    // The target's components are where the format has them; people see what the shader called red.
    for (size_t p = 0; p < components.size(); p += 4)
      for (unsigned c = 0; c < 4; c++) picture.rgba[p + b.shader_channel[c]] = components[p + c];
    all.push_back(std::move(picture));
  }
  return all;
}

}  // namespace Atoll::r5xx
