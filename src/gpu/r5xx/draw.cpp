// A draw: stages are made from the state of registers at that moment, the pipeline runs, counters move. Besides ordinary draws:
// clears in which the Z unit fills half of a colour buffer (ZB_BW_CNTL.ZB_CB_CLEAR), and the resolve of multisampled buffers
// (RB3D_AARESOLVE_CTL). R5xx Acceleration v1.3, 10.2, 10.11, 10.12.
#include <algorithm>
#include <bit>
#include <cstring>

#include "gpu/r5xx/context.h"
#include "gpu/r5xx/draw_state.h"
#include "gpu/r5xx/resolve.h"
#include "gpu/r5xx/vertex_stage.h"
#include "registers/r5xx.h"

namespace Atoll::r5xx {
namespace {

// What waves ask of the GPU around them.
class DrawEnvironment : public wave::Environment {
public:
  DrawEnvironment(const AddressSpace& space, const Textures& textures) : space_(space), textures_(textures) {}
  bool mapped(uint64_t address, uint64_t bytes) const override { return space_.contains(address, bytes); }
  uint64_t clock() override { return 0; }
  uint64_t message(wave::Wave&, uint32_t, uint32_t) override { return 0; }
  void image(wave::Wave&, wave::ImageAccess& access) override { textures_.image(access); }

private:
  const AddressSpace& space_;
  const Textures& textures_;
};

// Writes one value to every pixel.
class FillStage : public pipeline::PixelStage {
public:
  explicit FillStage(uint32_t value) : value_(value) {}
  unsigned batch_size() const override { return 32; }
  uint8_t barycentrics() const override { return 0; }
  bool shade(unsigned, const pipeline::PixelBatch&, pipeline::PixelResults& results) override {
    results.killed = 0;
    results.outputs = 1;
    results.has_second_source = results.has_depth = results.has_stencil = results.has_coverage = false;
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

}  // namespace

// One draw from its registers to its end.
class DrawExecution {
public:
  DrawExecution(Context& context, const DrawCall& call)
      : c_(context), call_(call), environment_(context.space, context.textures) {}

  void run(const PrimitiveRow& primitive) {
    const RegisterFile& r = c_.registers;
    resolves_ = r.get<RB3D_AARESOLVE_CTL::AARESOLVE_MODE>();
    samples_ = sample_count(r);
    outputs_ = vertex_outputs(r);
    set_assembly(r, primitive, draw_.assembly);
    set_viewport_and_clip(r, draw_, unknown_);
    set_clip_planes(c_.vertex_memory, draw_.clip);
    set_rasterization(r, outputs_, draw_.rasterization, unknown_);
    if (!find_pixel_program() || !bind_targets() || !make_vertex_stage()) return;
    make_pixel_stage(primitive.kind);
    set_colour_output(r, buffers_, draw_.colour, unknown_);
    for (auto& what : unknown_) c_.unknown(what);
    if (c_.lost()) return;

    bool clears = r.get<ZB_BW_CNTL::ZB_CB_CLEAR>();
    if (resolves_) {
      resolve();
    } else {
      execute(draw_);
      if (clears && !c_.lost()) clear_by_depth_unit();
    }
    if (c_.lost()) return;
    finish();
  }

private:
  Context& c_;
  const DrawCall& call_;
  DrawEnvironment environment_;
  pipeline::Draw draw_;
  VertexOutputs outputs_;
  std::array<ColourBuffer, 4> buffers_;
  std::array<std::unique_ptr<SurfaceTarget>, 4> colour_;
  std::unique_ptr<SurfaceTarget> depth_;
  std::shared_ptr<ShaderProgram> pixel_program_;
  std::unique_ptr<VertexStage> vertex_stage_;
  std::unique_ptr<PixelStage> pixel_stage_;
  std::vector<uint16_t> indices_;
  std::vector<uint32_t> long_indices_;
  std::vector<std::string> unknown_;
  unsigned samples_ = 1;
  bool resolves_ = false;

  bool lose(const Error& error) {
    c_.lose(error.message);
    return false;
  }

  bool bind_targets() {
    const RegisterFile& r = c_.registers;
    Area area = scissor_area(r);
    const unsigned copies = r.get<RB3D_CCTL::NUM_MULTIWRITES>() + 1;
    auto& t = draw_.targets;
    t.width = area.width, t.height = area.height, t.samples = samples_;
    for (unsigned n = 0; n < buffers_.size(); n++) {
      // Buffers besides the first are left alone where the program gives them nothing.
      if (n > 0 && copies == 1 && !(pixel_program_->outputs >> n & 1)) continue;
      auto buffer = colour_buffer(r, n, samples_);
      if (!buffer) return lose(buffer.error());
      buffers_[n] = *buffer;
      if (!buffer->bound) continue;
      if (!buffer->unknown.empty()) unknown_.push_back(buffer->unknown);
      colour_[n] = std::make_unique<SurfaceTarget>(buffer->place, c_.space);
      t.colour[n] = {colour_[n].get(), buffer->format, buffer->place.surface.element_bytes, false};
      t.width = std::min(t.width, buffer->place.surface.pitch);
    }
    set_depth_stencil(r, true, draw_.depth_stencil, unknown_);
    if (!draw_.depth_stencil.depth_test && !draw_.depth_stencil.stencil_test) return true;
    auto depth = depth_buffer(r, samples_);
    if (!depth) return lose(depth.error());
    depth_ = std::make_unique<SurfaceTarget>(depth->place, c_.space);
    t.depth = {depth_.get(), depth->bits, nullptr, depth->bits == 24};
    if (depth->bits == 16) draw_.depth_stencil.stencil_test = false;
    t.width = std::min(t.width, depth->place.surface.pitch);
    return true;
  }

  bool make_vertex_stage() {
    const RegisterFile& r = c_.registers;
    if (VAP_CNTL_STATUS::VC_SWAP::peek(r.read<VAP_CNTL_STATUS>())) unknown_.push_back("VAP_CNTL_STATUS.VC_SWAP");
    auto& v = draw_.vertices;
    v.count = call_.vertices;
    uint32_t walk = VAP_VF_CNTL::PRIM_WALK::get(call_.control);
    bool embedded = walk == VAP_VF_CNTL::PRIM_WALK::Vertex_Data, indexed = walk == VAP_VF_CNTL::PRIM_WALK::Indexes;
    if (!embedded) {
      v.lowest = r.get<VAP_VF_MIN_VTX_INDX::MIN_INDX>();
      v.highest = std::max(v.lowest, r.get<VAP_VF_MAX_VTX_INDX::MAX_INDX>());
      v.base_vertex = index_offset(r);
      if (VAP_VF_CNTL::DUAL_INDEX_MODE::peek(Word<VAP_VF_CNTL>(call_.control))) unknown_.push_back("VAP_VF_CNTL.DUAL_INDEX_MODE");
    }
    if (indexed) {
      v.index_bytes = VAP_VF_CNTL::INDEX_SIZE::get(call_.control) ? 4 : 2;
      v.indices = reinterpret_cast<const uint8_t*>(call_.dwords.data());
      v.index_limit = call_.dwords.size() * 4 / v.index_bytes;
      if (VAP_VF_CNTL::PRIM_TYPE::get(call_.control) == VAP_VF_CNTL::PRIM_TYPE::Triangle_with_wFlags && v.index_bytes == 2) {
        indices_ = without_flags(call_.dwords, call_.vertices);
        v.indices = reinterpret_cast<const uint8_t*>(indices_.data());
        v.index_limit = indices_.size();
      } else if (v.index_bytes == 4 && std::ranges::any_of(call_.dwords, [](uint32_t index) { return index > index_mask; })) {
        long_indices_ = of_24_bits(call_.dwords);
        v.indices = reinterpret_cast<const uint8_t*>(long_indices_.data());
      }
    }
    uint32_t highest = v.highest;
    if (!indexed && !embedded) highest = uint32_t(std::clamp<int64_t>(v.base_vertex + int64_t(v.count) - 1, v.lowest, v.highest));
    auto fetcher = embedded ? VertexFetcher::from_stream(r, call_.dwords) : VertexFetcher::from_arrays(r, c_.space, highest);
    if (!fetcher) return lose(fetcher.error());
    VertexStage::Setup setup{std::move(*fetcher), outputs_, nullptr, &environment_, &c_.stop, &c_.progress};
    if (!r.get<VAP_CNTL_STATUS::PVS_BYPASS>()) {
      auto program = c_.programs_->vertex(r, c_.vertex_memory);
      if (!program) return lose(program.error());
      setup.program = *program;
    }
    vertex_stage_ = std::make_unique<VertexStage>(std::move(setup), r, c_.vertex_memory, c_.workers_->count());
    draw_.vertex_stage = vertex_stage_.get();
    return true;
  }

  bool find_pixel_program() {
    auto program = c_.programs_->pixel(c_.registers, c_.pixel_memory);
    if (!program) return lose(program.error());
    pixel_program_ = *program;
    return true;
  }

  void make_pixel_stage(DrawnKind kind) {
    const RegisterFile& r = c_.registers;
    PixelStage::Setup setup;
    setup.program = pixel_program_;
    bool polygons_as_others = kind == DrawnKind::triangles && r.get<GA_POLY_MODE::POLY_MODE>();
    for (DrawnKind drawn : {DrawnKind::points, DrawnKind::lines, DrawnKind::triangles}) {
      if (drawn != kind && !polygons_as_others) continue;
      Routing& routed = setup.routing[size_t(drawn)] = routing(r, outputs_, drawn);
      if (drawn == kind) draw_.pixels_alike = routed.of_attributes_alone();
      for (auto& what : routed.unknown) unknown_.push_back(what);
    }
    unsigned copies = r.get<RB3D_CCTL::NUM_MULTIWRITES>() + 1;
    for (unsigned n = 0; n < buffers_.size(); n++)
      setup.outputs[n] = {buffers_[n].bound, uint8_t(copies > 1 ? 0 : n), buffers_[n].shader_channel};
    setup.alpha = alpha_test(r);
    auto w = r.read<US_W_FMT>();
    setup.writes_depth = r.get<FG_DEPTH_SRC::DEPTH_SRC>() && US_W_FMT::W_FMT::get(w) && !US_W_FMT::W_SRC::get(w);
    c_.textures.bind(r, unknown_);
    setup.environment = &environment_;
    setup.stop = &c_.stop;
    setup.progress = &c_.progress;
    pixel_stage_ = std::make_unique<PixelStage>(std::move(setup), r, c_.pixel_memory, c_.workers_->count());
    draw_.pixel_stage = pixel_stage_.get();
  }

  bool execute(const pipeline::Draw& draw) {
    pipeline::Counters counters;
    bool good = pipeline::run(draw, *c_.workers_, counters, c_.stop, &c_.progress);
    auto& s = c_.statistics;
    s.vertices += counters.vertices, s.primitives += counters.primitives, s.pixels += counters.pixel_invocations;
    c_.z_passed_[0] += uint32_t(counters.samples_passed);
    if (good && !c_.stop.load()) return true;
    std::string report = vertex_stage_->report();
    if (report.empty()) report = pixel_stage_->report();
    if (report.empty())
      report = c_.stop_report();
    else if (c_.stop.load())
      report = fmt::format("{} ({})", c_.stop_report(), report);
    c_.lose(report);
    return false;
  }

  // The Z unit writes ZB_DEPTHCLEARVALUE to its buffer wherever the draw's pixels are, without a look at them.
  void clear_by_depth_unit() {
    const RegisterFile& r = c_.registers;
    auto buffer = depth_buffer(r, 1);
    if (!buffer) return c_.lose(buffer.error().message);
    buffer->place.stencil_low = false;
    SurfaceTarget target(buffer->place, c_.space);
    // A buffer of 16 bits has the value's lower half (r300g writes a packed 16-bit colour into both).
    const auto value = r.whole<ZB_DEPTHCLEARVALUE>();
    FillStage fill(buffer->bits == 16 ? value & 0xffff : value);
    pipeline::Draw clear = draw_;
    clear.pixel_stage = &fill;
    clear.pixels_alike = true;
    clear.colour = {};
    clear.colour.blend[0].write_mask = 0xf;
    clear.depth_stencil = {};
    clear.rasterization.samples = 1;
    clear.rasterization.sample_mask = 1;
    clear.targets = {};
    Area area = scissor_area(r);
    clear.targets.width = std::min(area.width, buffer->place.surface.pitch), clear.targets.height = area.height;
    auto layout = buffer->bits == 16 ? surface::Layout::bits_16 : surface::Layout::bits_32;
    clear.targets.colour[0] = {
        &target, {layout, surface::Number::uint, surface::natural_order}, buffer->place.surface.element_bytes, false};
    execute(clear);
    if (auto fault = target.fault(); !fault.empty()) c_.lose(fault);
  }

  void resolve();

  void finish() {
    for (auto& target : colour_)
      if (target && !target->fault().empty()) return c_.lose(target->fault());
    if (depth_ && !depth_->fault().empty()) return c_.lose(depth_->fault());
    auto waves = vertex_stage_->counters();
    waves += pixel_stage_->counters();
    auto& s = c_.statistics;
    s.waves += waves.waves;
    s.compiled += waves.compiled, s.called += waves.called, s.interpreted += waves.interpreted;
    s.instructions += waves.compiled + waves.called + waves.interpreted;
    c_.last_buffers_ = buffers_;
  }
};

// Render target 0 is the multisampled source.
void DrawExecution::resolve() {
  const RegisterFile& r = c_.registers;
  if (!buffers_[0].bound) return c_.lose("RB3D_AARESOLVE_CTL: render target 0 is not bound");
  auto buffer = resolve_buffer(r);
  if (!buffer) return c_.lose(buffer.error().message);
  auto control = r.read<RB3D_AARESOLVE_CTL>();
  if (RB3D_AARESOLVE_CTL::AARESOLVE_GAMMA::peek(control)) c_.unknown("RB3D_AARESOLVE_CTL.AARESOLVE_GAMMA");
  SurfaceTarget target(buffer->place, c_.space);
  ResolveStage stage(buffers_[0], *colour_[0], RB3D_AARESOLVE_CTL::AARESOLVE_ALPHA::get(control), c_.workers_->count());
  pipeline::Draw draw = draw_;
  draw.pixels_alike = false;
  draw.pixel_stage = &stage;
  draw.colour = {};
  draw.depth_stencil = {};
  draw.rasterization.samples = 1;
  draw.rasterization.sample_mask = 1;
  draw.rasterization.sample_positions[0] = {8, 8}, draw.rasterization.sample_grid = 16;
  draw.targets = {};
  draw.targets.width = std::min(draw_.targets.width, buffer->place.surface.pitch), draw.targets.height = draw_.targets.height;
  draw.targets.colour[0] = {&target, buffer->format, buffer->place.surface.element_bytes, false};
  if (execute(draw) && !target.fault().empty()) c_.lose(target.fault());
}

void Context::draw(const DrawCall& call) {
  if (lost_) return;
  uint32_t type = VAP_VF_CNTL::PRIM_TYPE::get(call.control);
  const PrimitiveRow* primitive = primitive_row(type);
  if (!primitive) {
    if (type != VAP_VF_CNTL::PRIM_TYPE::None) unknown(fmt::format("VAP_VF_CNTL.PRIM_TYPE {}", type));
    return;
  }
  statistics.draws++;
  draws_++;
  DrawExecution(*this, call).run(*primitive);
  if (!lost_ && after_draw) after_draw(draws_);
}

}  // namespace Atoll::r5xx
