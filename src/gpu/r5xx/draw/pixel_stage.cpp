#include "gpu/r5xx/draw/pixel_stage.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "base/progress.h"
#include "gpu/r5xx/draw/pixel_fog.h"
#include "gpu/r5xx/draw/unorm_bounds.h"
#include "isa/r500/registers.h"
#include "pipeline/cylinder.h"
#include "surface/number.h"

namespace Atoll::r5xx {

using wave::Wave;

using r500::lanes_bytes;

float AlphaTest::as_stored(float alpha) { return surface::from_half(surface::to_half(alpha, surface::Rounding::nearest_even)); }

AlphaTest alpha_test_of(const RegisterFile& r) {
  AlphaTest test;
  const auto function = r.read<FG_ALPHA_FUNC>();
  const auto value = r.read<FG_ALPHA_VALUE>();
  test.enable = FG_ALPHA_FUNC::AF_EN::get(function);
  test.function = uint8_t(FG_ALPHA_FUNC::AF_FUNC::get(function));
  if (FG_ALPHA_FUNC::FP16_ENABLE::get(function)) {
    test.bits = 0;
    test.float_reference = surface::from_half(uint16_t(FG_ALPHA_VALUE::AF_VAL::get(value)));
  } else if (FG_ALPHA_FUNC::AF_EN_8BIT::get(function)) {
    test.bits = 8;
    test.reference = FG_ALPHA_FUNC::AF_VAL::get(function);
  } else {
    test.bits = 10;
    test.reference = FG_ALPHA_VALUE::AF_VAL::get(value) & 0x3ff;
  }
  if (test.enable && test.bits) {
    test.least_equal = least_of(test.reference, test.bits);
    test.least_greater = least_of(test.reference + 1, test.bits);
  }
  return test;
}

PixelStage::PixelStage(Setup setup, const RegisterFile& r, const PixelMemory& memory)
    : setup_(std::move(setup)), workers_(setup_.waves->size()) {
  constants_.assign(memory.constant.begin(), memory.constant.begin() + setup_.program->constants * 4);
  setup_.program->executor->put_off(false);
  for (uint32_t n = 0; n < integer_constants_.size(); n++) {
    using C = US_FC_INT_CONST;
    integer_constants_[n] = FieldList<C::KR, C::KG, C::KB>::bits(r.read<C>(n));
  }
  boolean_constants_ = r.whole<US_FC_BOOL_CONST>();
  config_ = US_CONFIG::ZERO_TIMES_ANYTHING_EQUALS_ZERO::of(r.get<US_CONFIG::ZERO_TIMES_ANYTHING_EQUALS_ZERO>());
  code_offset_ = r.get<US_CODE_OFFSET::OFFSET_ADDR>();
  using namespace pipeline;
  for (const Routing& routing : setup_.routing) {
    const bool fog = setup_.fog.enable || routing.fog.stuffed;
    wants_fog_ |= fog;
    wants_depth_ |= fog && routing.fog.source.kind == RouteKind::one;
    if (routing.routes.empty() && !fog) continue;
    barycentrics_ |= uint8_t(1u << (routing.perspective ? PERSPECTIVE_CENTRE : LINEAR_CENTRE));
    if (routing.uses_centroid) barycentrics_ |= uint8_t(1u << (routing.perspective ? PERSPECTIVE_CENTROID : LINEAR_CENTROID));
  }
}

unsigned PixelStage::batch_size() const { return r500::kPixels; }

const std::vector<uint32_t>* PixelStage::reads_at_start() const {
  return setup_.program->executor->reads_at_start(setup_.program->first_pc);
}

PixelStage::Worker& PixelStage::prepare(unsigned n) {
  Worker& worker = workers_[n];
  if (!worker.wave) {
    wave::Storage& storage = (*setup_.waves)[n];
    if (!storage) storage = wave::Storage(pixel_wave_bytes);
    Wave& w = storage.reset();
    w.lanes = r500::kPixels;
    w.stop_flag = setup_.stop;
    w.environment = setup_.environment;
    w.textures = setup_.textures;
    w.inspected = setup_.program->like.inspected;
    if (!constants_.empty()) std::memcpy(wave::bytes_of(w, r500::constant_cell(0, 0)), constants_.data(), constants_.size() * 4);
    wave::word_of(w, r500::config_cell) = config_;
    wave::word_of(w, r500::boolean_constants_cell) = boolean_constants_;
    wave::word_of(w, r500::code_offset_cell) = code_offset_;
    for (uint32_t i = 0; i < integer_constants_.size(); i++)
      wave::word_of(w, r500::integer_constant_cell(i)) = integer_constants_[i];
    // Outputs that are looked at, in case the program never writes them.
    auto clear = [&](uint32_t output) { std::memset(wave::bytes_of(w, r500::output_cell(output, 0)), 0, 4 * lanes_bytes); };
    if (setup_.alpha.enable) clear(0);
    for (const OutputRoute& route : setup_.outputs)
      if (route.used) clear(route.shader_output);
    if (setup_.writes_depth) clear(r500::kOutputs);
    worker.wave = &w;
    plan(worker, reads_at_start());
  }
  return worker;
}

// Registers start as 0 or as the rasteriser fills them; once compiled code says which of them may be read before they are written,
// only those do.
void PixelStage::plan(Worker& worker, const std::vector<uint32_t>* reads) const {
  worker.reads = reads;
  for (size_t kind = 0; kind < worker.routes.size(); kind++) {
    auto& routes = worker.routes[kind];
    auto& cleared = worker.cleared[kind];
    routes = setup_.routing[kind].routes;
    cleared.clear();
    if (!reads) continue;
    std::erase_if(
        routes, [&](const Route& route) { return !route.to_depth && std::ranges::find(*reads, cell_of(route)) == reads->end(); });
    for (uint32_t read : *reads)
      if (read >= r500::lanes_base && std::ranges::none_of(routes, [&](const Route& route) { return cell_of(route) == read; }))
        cleared.push_back(read);
  }
}

void PixelStage::clear_state(Wave& w, const pipeline::PixelBatch& batch) {
  for (uint32_t c = 0; c < 4; c++) r500::set_mask_in(w, r500::predicate_cell(c), 0);
  r500::set_mask_in(w, r500::alu_result_cell, 0);
  r500::set_mask_in(w, r500::killed_cell, 0);
  wave::word_of(w, r500::loop_register_cell) = 0;
  wave::word_of(w, r500::loop_depth_cell) = 0;
  wave::word_of(w, r500::call_depth_cell) = 0;
  r500::set_mask_in(w, r500::active_cell, ~uint64_t(0) >> (64 - batch.quads * 4));
  r500::set_mask_in(w, r500::uncovered_cell, ~batch.covered);
}

void PixelStage::start(Worker& worker, const pipeline::PixelBatch& batch) const {
  Wave& w = *worker.wave;
  const Shader& program = *setup_.program;
  if (const auto* reads = reads_at_start(); reads != worker.reads) plan(worker, reads);
  unsigned kinds = 1u << unsigned(batch.primitive[0].kind);
  if (!batch.one_primitive)
    for (unsigned q = 1; q < batch.quads; q++) kinds |= 1u << unsigned(batch.primitive[q].kind);
  if (!worker.reads) {
    std::memset(wave::bytes_of(w, r500::temporary_cell(0, 0)), 0, program.temporaries * 4 * lanes_bytes);
    std::memset(wave::bytes_of(w, r500::output_cell(0, 0)), 0, (r500::kOutputs + 1) * 4 * lanes_bytes);
    std::memset(wave::bytes_of(w, r500::branch_cell), 0, 3 * lanes_bytes);
  }
  for (unsigned kind = 0; kind < 3; kind++)
    if (kinds >> kind & 1)
      for (uint32_t cell : worker.cleared[kind]) std::memset(wave::bytes_of(w, cell), 0, lanes_bytes);
  clear_state(w, batch);
  for (unsigned kind = 0; kind < 3; kind++) {
    if (!(kinds >> kind & 1)) continue;
    FillRegisters& fill = ATOLL_AT_LEVEL(fill_registers);
    fill(w, batch, pipeline::PrimitiveKind(kind), setup_.routing[kind], worker.routes[kind]);
  }
}

// By the program and by the alpha function.
uint64_t PixelStage::killed_of(Wave& w, unsigned lanes) const {
  uint64_t killed = r500::mask_in(w, r500::killed_cell) & ~uint64_t(0) >> (64 - lanes);
  if (!setup_.alpha.enable) return killed;
  const auto* alpha = reinterpret_cast<const float*>(wave::bytes_of(w, r500::output_cell(0, 3)));
  for (unsigned l = 0; l < lanes; l++)
    if (!setup_.alpha.passes(alpha[l])) killed |= uint64_t(1) << l;
  return killed;
}

void PixelStage::take_results(Wave& w, unsigned lanes, pipeline::PixelResults& results) const {
  results.killed = killed_of(w, lanes);
  auto output = [&](uint32_t number, uint32_t channel) {
    return reinterpret_cast<const uint32_t*>(wave::bytes_of(w, r500::output_cell(number, channel)));
  };
  results.outputs = 0;
  results.has_second_source = results.has_stencil = results.has_stencil_op = results.has_coverage = false;
  for (unsigned t = 0; t < setup_.outputs.size(); t++) {
    const OutputRoute& route = setup_.outputs[t];
    if (!route.used) continue;
    results.outputs |= uint8_t(1u << t);
    for (unsigned c = 0; c < 4; c++)
      std::memcpy(results.colour[t][c].data(), output(route.shader_output, route.channel[c]), lanes * 4);
  }
  take_depth(w, lanes, results);
}

void PixelStage::take_depth(Wave& w, unsigned lanes, pipeline::PixelResults& results) const {
  results.has_depth = setup_.writes_depth;
  if (!setup_.writes_depth) return;
  const auto* depth = reinterpret_cast<const float*>(wave::bytes_of(w, r500::depth_cell));
  for (unsigned l = 0; l < lanes; l++) results.depth[l] = depth[l] > 0 ? std::min(depth[l], 1.0f) : 0.0f;
}

bool PixelStage::shade(unsigned n, const pipeline::PixelBatch& batch, pipeline::PixelResults& results) {
  Worker& worker = prepare(n);
  start(worker, batch);
  if (framed_[size_t(pipeline::DirectKind::any)]) setup_.program->framed.note_lack();
  if (!worker.run(*setup_.program, "pixel shader", *setup_.progress)) return false;
  take_results(*worker.wave, batch.quads * 4, results);
  if (setup_.fog.enable) blend_with_fog(batch, results);
  return true;
}

// Colours of all outputs; alpha stays.
void PixelStage::blend_with_fog(const pipeline::PixelBatch& batch, pipeline::PixelResults& results) const {
  std::array<float, pipeline::max_pixels> amount;
  for (unsigned l = 0; l < batch.quads * 4; l++)
    amount[l] = setup_.fog.amount(fog_value(batch, setup_.routing[size_t(batch.primitive[l / 4].kind)], l));
  for (unsigned t = 0; t < setup_.outputs.size(); t++)
    for (unsigned c = 0; c < 4; c++) {
      const uint8_t channel = setup_.outputs[t].channel[c];
      if (!setup_.outputs[t].used || channel == 3) continue;
      for (unsigned l = 0; l < batch.quads * 4; l++) {
        const float colour = std::bit_cast<float>(results.colour[t][c][l]);
        results.colour[t][c][l] = std::bit_cast<uint32_t>(colour + amount[l] * (setup_.fog.colour[channel] - colour));
      }
    }
}

// What its waves need to write their pixels themselves. False: they cannot.
bool PixelStage::make_pixel_frame(const pipeline::DirectOutputs& outputs, PixelFrame& frame) const {
  if (!outputs.kind || outputs.targets >> frame.targets.size() || wants_fog_ || setup_.rasterised_depth) return false;
  const Routing& routing = setup_.routing[size_t(*outputs.kind)];
  if (routing.routes.size() > RouteFeed::max_routes) return false;
  if (outputs.interpolated || routing.routes.empty() ? false : !(routing.perspective ? outputs.perspective : outputs.linear))
    return false;
  const Shader& program = *setup_.program;
  frame.ends_anywhere = !can_be_framed(*program.program, program.first_pc);
  if (!outputs.interpolated) frame.routes = routing.routes, frame.perspective = routing.perspective;
  frame.alpha = setup_.alpha;
  frame.samples = uint8_t(outputs.samples);
  frame.apart = outputs.apart || frame.ends_anywhere;
  for (unsigned n = 0; n < frame.targets.size(); n++) {
    if (!(outputs.targets >> n & 1) || !setup_.outputs[n].used) continue;
    frame.targets[n] = {setup_.outputs[n], {outputs.path[n], outputs.blend[n]}};
    std::ranges::fill(frame.targets[n].state.path.constant, 0.0f);  // they are data
  }
  return true;
}

// Where code is made in the background, the pipeline does it until there is some: the same, bit for bit.
pipeline::DirectKinds PixelStage::begin_direct(const pipeline::DirectOutputs& outputs) {
  Shader& shader = *setup_.program;
  const bool automatic = setup_.engine == wave::EngineChoice::Auto;
  PixelFrame frame;
  const bool framable = make_pixel_frame(outputs, frame);
  shader.executor->put_off(framable);  // what is in a frame takes its place
  if (automatic && !shader.executor->is_hot()) return {};
  if (!framable) return {.why = pipeline::PixelWay::program};
  auto framed = [&](bool one_primitive, bool apart) {
    frame.one_primitive = one_primitive, frame.apart = apart;
    const wave::FloatMode mode{.flush_in32 = true, .flush_out32 = true};
    return shader.framed.ready(frame, setup_.engine, mode, [&](auto state) {
      return std::make_shared<pixel::FramedProgram>(*shader.program, shader.first_pc, make_frame(std::move(state)), setup_.engine,
                                                    shader.like);
    });
  };
  using enum pipeline::DirectKind;
  const bool apart = frame.apart;
  auto& any_framed = framed_[size_t(any)] = framed(false, apart);
  // Code of their own for blocks and for pixels that come twice is made once there is much for it to do.
  const bool has_blocks = !outputs.interpolated && (!automatic || (any_framed && any_framed->has_run_long()));
  auto& blocks_framed = framed_[size_t(blocks)] = has_blocks ? framed(true, apart) : nullptr;
  const bool has_twice = outputs.has_twice && !apart && (!automatic || shader.framed.lacks());
  auto& twice_framed = framed_[size_t(twice)] = has_twice ? framed(false, true) : nullptr;
  if (any_framed) shader.executor->put_off(has_twice && !twice_framed);
  if (!blocks_framed) blocks_framed = any_framed;
  direct_kind_ = outputs.kind.value_or(pipeline::PrimitiveKind::triangle);  // (make_pixel_frame has looked)
  alpha_to_coverage_ = outputs.alpha_to_coverage, fills_ = outputs.interpolated, ends_anywhere_ = frame.ends_anywhere;
  return {.blocks = bool(blocks_framed), .any = bool(any_framed), .twice = bool(twice_framed), .apart = apart};
}

// What a route's register starts with at a primitive's reference point, and how it changes towards its second and third vertex: as
// fill_registers() has them.
struct RouteEnds {
  float a = 0, to_b = 0, to_c = 0;
};
static RouteEnds ends_of(const Route& route, const Routing& routing, const pipeline::PrimitiveAttributes& p) {
  const unsigned source = p.front ? route.source : route.back_source;
  switch (route.kind) {
    case RouteKind::attribute: {
      const float a = p.a[source], b = p.b[source] - a, c = p.c[source] - a;
      return route.wraps ? RouteEnds{a, pipeline::short_way(b), pipeline::short_way(c)} : RouteEnds{a, b, c};
    }
    case RouteKind::flat_attribute: return {p.provoking[source]};
    case RouteKind::solid: return {routing.solid[route.channel]};
    case RouteKind::triangle_s: return {routing.triangle_scale[0]};
    case RouteKind::triangle_t: return {routing.triangle_scale[1]};
    case RouteKind::back_face: return {p.front ? 0.0f : 1.0f};
    case RouteKind::point_s: return {routing.point_s[0], routing.point_s[1] - routing.point_s[0]};
    case RouteKind::point_t: return {routing.point_t[0], 0, routing.point_t[1] - routing.point_t[0]};
    case RouteKind::line_s: return {routing.line_s[0], routing.line_s[1] - routing.line_s[0]};
    case RouteKind::line_t: return {p.along[0] * routing.line_scale, (p.along[1] - p.along[0]) * routing.line_scale};
    default: return {};
  }
}

static bool is_same(const pipeline::PrimitiveAttributes& x, const pipeline::PrimitiveAttributes& y) {
  return x.a == y.a && x.b == y.b && x.c == y.c && x.provoking == y.provoking && x.front == y.front && x.along == y.along;
}

void PixelStage::feed_routes(Worker& worker, const pipeline::PixelBatch& batch) const {
  auto& feed = *reinterpret_cast<RouteFeed*>(wave::bytes_of(*worker.wave, route_feed_cell));
  const bool one = batch.one_primitive;
  const auto& first = batch.primitive[0];
  if (one && worker.fed && worker.segment == batch.segment && is_same(first, worker.primitive)) return;
  worker.fed = one, worker.primitive = first, worker.segment = batch.segment;
  const Routing& routing = setup_.routing[size_t(direct_kind_)];
  std::memset(feed.flat, 0, sizeof feed.flat);
  // A primitive's quads stand next to each other.
  for (unsigned q = 0, end; q < (one ? 1 : batch.quads); q = end) {
    const pipeline::PrimitiveAttributes& p = batch.primitive[q];
    for (end = one ? pipeline::max_quads : q + 1; !one && end < batch.quads && is_same(batch.primitive[end], p);) end++;
    for (unsigned n = 0; n < routing.routes.size(); n++) {
      const RouteEnds ends = ends_of(routing.routes[n], routing, p);
      const bool flat = routing.routes[n].kind == RouteKind::attribute && ends.to_b == 0 && ends.to_c == 0;
      for (unsigned l = q; l < end; l++) {
        feed.a[n][l] = ends.a, feed.to_b[n][l] = ends.to_b, feed.to_c[n][l] = ends.to_c;
        feed.flat[n / 32][l] |= uint32_t(flat) << n % 32;
      }
    }
  }
}

bool PixelStage::shade_direct(unsigned n, pipeline::DirectKind kind, pipeline::DirectWaves& waves, uint8_t* const* texels) {
  Worker& worker = prepare(n);
  Wave& w = *worker.wave;
  pixel::FramedProgram& framed = *framed_[size_t(kind)];
  auto& feed = *reinterpret_cast<pipeline::QuadFeed*>(wave::bytes_of(w, quad_feed_cell));
  const pipeline::PixelBatch* batch = waves.next(feed);
  if (!batch) return true;
  w.targets = texels;
  auto load = [&] {
    const auto* reads = framed.executor.reads_at_start(framed.begin());
    if (reads) {
      for (uint32_t cell : *reads)
        if (cell >= r500::lanes_base && cell < quad_feed_cell) std::memset(wave::bytes_of(w, cell), 0, lanes_bytes);
    } else {
      std::memset(wave::bytes_of(w, r500::temporary_cell(0, 0)), 0, setup_.program->temporaries * 4 * lanes_bytes);
      std::memset(wave::bytes_of(w, r500::output_cell(0, 0)), 0, (r500::kOutputs + 1) * 4 * lanes_bytes);
      std::memset(wave::bytes_of(w, r500::branch_cell), 0, 3 * lanes_bytes);
    }
    clear_state(w, *batch);
    if (fills_) {
      const Routing& routing = setup_.routing[size_t(direct_kind_)];
      ATOLL_AT_LEVEL(fill_registers)(w, *batch, direct_kind_, routing, routing.routes);
    } else {
      feed_routes(worker, *batch);
    }
    feed.covered = batch->covered;
    w.pc = framed.begin();
  };
  load();
  bool shading = true;  // (else it has written)
  auto next = [&] {
    std::array<uint64_t, 8> written;
    if (shading && ends_anywhere_) feed.written = batch->covered & ~killed_of(w, batch->quads * 4);
    written.fill(framed.apart ? feed.drawn[0] : feed.written);
    if (!framed.apart || !shading) waves.wrote(written.data());
    if (framed.apart) {
      if (shading) {
        pipeline::PixelResults& results = waves.results();
        results.killed = batch->covered & ~feed.written;
        if (alpha_to_coverage_)
          take_results(w, batch->quads * 4, results);
        else
          take_depth(w, batch->quads * 4, results);
      }
      shading = !waves.part(feed);
      if (!shading) {
        r500::set_mask_in(w, r500::active_cell, ~uint64_t(0) >> (64 - batch->quads * 4));
        w.pc = framed.write();
        return true;
      }
    }
    worker.counters.waves++;
    batch = waves.next(feed);
    if (!batch) return false;
    advance_in_a_row(*setup_.progress, worker.counters.waves);
    load();
    return true;
  };
  return worker.run_series(
      *setup_.program, framed.executor, "pixel shader", *setup_.progress,
      [](void* data) { return (*static_cast<decltype(next)*>(data))(); }, &next);
}

}  // namespace Atoll::r5xx
