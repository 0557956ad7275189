#include "gpu/r5xx/draw/draw.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <optional>
#include <utility>

#include "base/recycled.h"
#include "gpu/r5xx/draw/pixel_stage.h"
#include "gpu/r5xx/draw/raster_state.h"
#include "gpu/r5xx/draw/resolve.h"
#include "gpu/r5xx/draw/vertex_stage.h"
#include "gpu/r5xx/shaders/environment.h"
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

// One draw from its state to its end. Functions that return false have lost the context.
class DrawExecution : public pipeline::WaitingDraw, public Recycled<DrawExecution> {
public:
  DrawExecution(DrawEngine& engine, Context& context, std::shared_ptr<const DrawState> state, std::shared_ptr<Textures> textures,
                pipeline::Workers& workers)
      : WaitingDraw(state->draw),
        engine_(engine),
        c_(context),
        reports_(context),
        state_(std::move(state)),
        textures_(std::move(textures)),
        workers_(workers),
        environment_(context, *textures_) {}

  bool prepare(const DrawCall& call) { return make_vertex_stage(call) && make_pixel_stage() && !c_.lost(); }
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
    const bool drawn = good && !c_.stop;
    c_.end_draw(reports_, drawn);
    if (drawn) finish();
  }

private:
  DrawEngine& engine_;
  Context& c_;
  gpu::Reports::Kept reports_;  // of its stages
  const std::shared_ptr<const DrawState> state_;
  const std::shared_ptr<Textures> textures_;
  pipeline::Workers& workers_;
  QueueEnvironment environment_;
  std::optional<VertexStage> vertex_home_;
  std::optional<PixelStage> pixel_home_;
  VertexStage* vertex_stage_ = nullptr;  // since prepare()
  PixelStage* pixel_stage_ = nullptr;
  std::vector<uint16_t> indices_;
  std::vector<uint32_t> long_indices_;
  double line_length_ = 0;  // of what was drawn, pixels

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
    VertexStage::Setup setup{
        std::move(*fetcher),      state_->outputs, state_->vertex_shader, &environment_, {"vertex shader", &c_, &reports_},
        &engine_.kept_vertices(), call.edges};
    draw.vertex_stage = vertex_stage_ = &vertex_home_.emplace(std::move(setup), r, c_.vertex_memory);
    return true;
  }

  bool make_pixel_stage() {
    textures_->bind(c_);
    if (!pipeline::write_back(workers_, textures_->memory())) return false;
    TextureForms forms;
    for (unsigned n = 0; n < forms.size(); n++) forms[n] = textures_->form(n);
    auto program = engine_.shaders().sampling(state_->pixel_shader, forms);
    if (!program) return c_.lose(program.error().message);
    PixelStage::Setup setup;
    setup.state = {state_, &state_->pixels};
    setup.program = *program;
    setup.engine = engine_.shaders().engine();
    setup.textures = &textures_->slots();
    setup.environment = &environment_;
    setup.stage = {"pixel shader", &c_, &reports_};
    setup.waves = &engine_.pixel_waves();
    setup.textures_kill = textures_->may_kill();
    draw.pixel_stage = pixel_stage_ = &pixel_home_.emplace(std::move(setup), c_.pixel_memory);
    // (Textures of other forms have another program.)
    state = pixel_stage_->has_programs_of_state() ? state_->number : 0;
    return true;
  }

  void count(const pipeline::Counters& counters) {
    auto& s = c_.statistics;
    s.vertices += counters.vertices, s.primitives += counters.primitives, s.pixels += counters.pixel_invocations;
    counters.add_paths(s.pixel_paths);
    line_length_ = counters.line_length;
    c_.z_passed[0] += uint32_t(counters.samples_passed);
  }

  bool execute(const pipeline::Draw& now) {
    pipeline::Counters counters;
    const bool good = pipeline::run(now, workers_, counters, c_.stop, &c_.progress);
    count(counters);
    const bool drawn = good && !c_.stop;
    c_.end_draw(reports_, drawn);
    return drawn;
  }

  // The Z unit writes ZB_DEPTHCLEARVALUE to its buffer wherever the draw's pixels are, without a look at them.
  bool clear_by_depth_unit() {
    const RegisterFile& r = c_.registers;
    auto buffer = depth_buffer_of(c_, 1);
    if (!buffer) return false;
    buffer->place.stencil_low = false;
    SurfaceTarget& target = engine_.target(buffer->place);
    // A buffer of 16 bits has the value's lower half (r300g writes a packed 16-bit colour into both).
    const auto value = r.whole<ZB_DEPTHCLEARVALUE>();
    FillStage fill(buffer->bits == 16 ? value & 0xffff : value);
    pipeline::Draw clear = draw;
    clear.pixel_stage = &fill;
    clear.uniform_pixels = true;
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
    for (SurfaceTarget* target : state_->colour)
      if (target && !target->fault().empty()) return c_.lose(target->fault());
    if (state_->depth && !state_->depth->fault().empty()) return c_.lose(state_->depth->fault());
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
  const ColourBuffer& source = state_->buffers[0];
  if (!source.bound) return c_.lose("RB3D_AARESOLVE_CTL: render target 0 is not bound");
  auto buffer = resolve_buffer_of(c_);
  if (!buffer) return false;
  auto control = r.read<RB3D_AARESOLVE_CTL>();
  SurfaceTarget& target = engine_.target(buffer->place);
  if (!pipeline::write_back(workers_)) return false;  // the stage reads its source's memory
  ResolveStage stage(source, *state_->colour[0], RB3D_AARESOLVE_CTL::AARESOLVE_ALPHA::get(control),
                     RB3D_AARESOLVE_CTL::AARESOLVE_GAMMA::get(control), workers_.count());
  pipeline::Draw to = draw;
  to.stays_open = to.stays_open && target.mapped();
  to.uniform_pixels = false;
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

DrawEngine::DrawEngine(Context& context) : c_(context), shaders_(context.options.engine) {
  context.tell_programs(
      shaders_, [](const Shader& shader) { return shader.first_pc; }, [](const Shader&) { return uint64_t(0); });
}

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
    workers_->look_at(c_.options.pixel_watch);
    kept_vertices_.resize(workers_->count());
    pixel_waves_.resize(workers_->count());
  }
  constexpr size_t max_targets = 32;
  if (targets_.size() > max_targets && !write_back()) return false;
  auto state = c_.options.uses ? nullptr : known_state_.of(DrawOrigin::of(c_, *primitive));
  if (!state) {
    const uint64_t report_count = c_.report_count();
    state = find_draw_state(*this, c_, *workers_, *primitive);
    if (!state) return false;
    // (What was reported of it is reported of at each draw.)
    known_state_.forget();
    if (!state->clears && c_.report_count() == report_count) known_state_.keep(state, DrawOrigin::of(c_, *primitive));
    last_buffers_ = state->buffers;
  }
  const bool may_wait = state->may_wait;
  auto execution = std::make_unique<DrawExecution>(*this, c_, std::move(state), free_textures(), *workers_);
  if (!execution->prepare(call)) return false;
  const bool good = may_wait ? pipeline::run(std::move(execution), *workers_, c_.stop, &c_.progress) : execution->run_now();
  if (!good || c_.lost()) return false;
  if (c_.asked_for_draws() && write_back()) (*c_.after_draw)(draws_, *this);
  return !c_.lost();
}

// Textures of the draws that have waited longest are free first.
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
  known_state_.forget();  // it names targets
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
