#include "gpu/r5xx/draw/pixel_stage.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "gpu/r5xx/draw/pixel_fog.h"
#include "gpu/r5xx/draw/unorm_bounds.h"
#include "isa/r500/registers.h"
#include "pipeline/cylinder.h"
#include "pixel/direct_waves.h"
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

void read_registers(PixelState& state, const RegisterFile& r) {
  state.alpha = alpha_test_of(r);
  state.fog = fog_blend_of(r);
  const auto w = r.read<US_W_FMT>();
  // From the program, or from the rasteriser where it gives one.
  const bool from_rasteriser = US_W_FMT::W_SRC::get(w);
  for (Routing& routing : state.routing) {
    const auto given = std::ranges::find(routing.routes, true, &Route::to_depth);
    if (given != routing.routes.end() && from_rasteriser) state.rasterised_depth = true;
    if (!from_rasteriser) std::erase_if(routing.routes, [](const Route& route) { return route.to_depth; });
  }
  state.writes_depth =
      r.get<FG_DEPTH_SRC::DEPTH_SRC>() && US_W_FMT::W_FMT::get(w) && (!from_rasteriser || state.rasterised_depth);
  for (uint32_t n = 0; n < state.integer_constants.size(); n++) {
    using C = US_FC_INT_CONST;
    state.integer_constants[n] = FieldList<C::KR, C::KG, C::KB>::bits(r.read<C>(n));
  }
  state.boolean_constants = r.whole<US_FC_BOOL_CONST>();
  state.config = US_CONFIG::ZERO_TIMES_ANYTHING_EQUALS_ZERO::of(r.get<US_CONFIG::ZERO_TIMES_ANYTHING_EQUALS_ZERO>());
  state.code_offset = r.get<US_CODE_OFFSET::OFFSET_ADDR>();
  using namespace pipeline;
  for (const Routing& routing : state.routing) {
    const bool fog = state.fog.enable || routing.fog.stuffed;
    state.wants_fog |= fog;
    state.wants_depth |= fog && routing.fog.source.kind == RouteKind::one;
    if (routing.routes.empty() && !fog) continue;
    state.barycentrics |= uint8_t(1u << (routing.perspective ? PERSPECTIVE_CENTRE : LINEAR_CENTRE));
    if (routing.uses_centroid)
      state.barycentrics |= uint8_t(1u << (routing.perspective ? PERSPECTIVE_CENTROID : LINEAR_CENTROID));
  }
}

PixelStage::PixelStage(Setup setup, const PixelMemory& memory)
    : setup_(std::move(setup)), state_(*setup_.state), workers_(setup_.waves->size()) {
  constants_.assign(memory.constant.begin(), memory.constant.begin() + setup_.program->constants * 4);
  setup_.program->executor->put_off(false);
  if (state_.direct && state_.direct->program == setup_.program.get()) direct_ = state_.direct;
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
    w.stop_flag = &setup_.stage.queue->stop;
    w.environment = setup_.environment;
    w.textures = setup_.textures;
    w.inspected = setup_.program->like.inspected;
    if (!constants_.empty()) std::memcpy(wave::bytes_of(w, r500::constant_cell(0, 0)), constants_.data(), constants_.size() * 4);
    wave::word_of(w, r500::config_cell) = state_.config;
    wave::word_of(w, r500::boolean_constants_cell) = state_.boolean_constants;
    wave::word_of(w, r500::code_offset_cell) = state_.code_offset;
    for (uint32_t i = 0; i < state_.integer_constants.size(); i++)
      wave::word_of(w, r500::integer_constant_cell(i)) = state_.integer_constants[i];
    // Outputs that are looked at, in case the program never writes them.
    auto clear = [&](uint32_t output) { std::memset(wave::bytes_of(w, r500::output_cell(output, 0)), 0, 4 * lanes_bytes); };
    if (state_.alpha.enable) clear(0);
    for (const OutputRoute& route : state_.outputs)
      if (route.used) clear(route.shader_output);
    if (state_.writes_depth) clear(r500::kOutputs);
    worker.wave = &w;
    worker.planned = false;
  }
  return worker;
}

// Registers start as 0 or as the rasteriser fills them; once compiled code says which of them may be read before they are written,
// only those do.
void PixelStage::plan(Worker& worker, const std::vector<uint32_t>* reads) const {
  worker.reads = reads, worker.planned = true;
  for (size_t kind = 0; kind < worker.routes.size(); kind++) {
    auto& routes = worker.routes[kind];
    auto& cleared = worker.cleared[kind];
    routes = state_.routing[kind].routes;
    cleared.clear();
    if (!reads) continue;
    std::erase_if(
        routes, [&](const Route& route) { return !route.to_depth && std::ranges::find(*reads, cell_of(route)) == reads->end(); });
    for (uint32_t read : *reads)
      if (read >= r500::lanes_base && std::ranges::none_of(routes, [&](const Route& route) { return cell_of(route) == read; }))
        cleared.push_back(read);
  }
}

// Lane registers that the program can name.
static void clear_lanes(Wave& w, const Shader& program) {
  std::memset(wave::bytes_of(w, r500::temporary_cell(0, 0)), 0, program.temporaries * 4 * lanes_bytes);
  std::memset(wave::bytes_of(w, r500::output_cell(0, 0)), 0, (r500::kOutputs + 1) * 4 * lanes_bytes);
  std::memset(wave::bytes_of(w, r500::branch_cell), 0, 3 * lanes_bytes);
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
  if (const auto* reads = reads_at_start(); !worker.planned || reads != worker.reads) plan(worker, reads);
  unsigned kinds = 1u << unsigned(batch.primitive[0].kind);
  if (!batch.one_primitive)
    for (unsigned q = 1; q < batch.quads; q++) kinds |= 1u << unsigned(batch.primitive[q].kind);
  if (!worker.reads) {
    clear_lanes(w, program);
  }
  for (unsigned kind = 0; kind < 3; kind++)
    if (kinds >> kind & 1)
      for (uint32_t cell : worker.cleared[kind]) std::memset(wave::bytes_of(w, cell), 0, lanes_bytes);
  clear_state(w, batch);
  for (unsigned kind = 0; kind < 3; kind++) {
    if (!(kinds >> kind & 1)) continue;
    FillRegisters& fill = ATOLL_AT_LEVEL(fill_registers);
    fill(w, batch, pipeline::PrimitiveKind(kind), state_.routing[kind], worker.routes[kind]);
  }
}

// By the program and by the alpha function.
uint64_t PixelStage::killed_of(Wave& w, unsigned lanes) const {
  uint64_t killed = r500::mask_in(w, r500::killed_cell) & ~uint64_t(0) >> (64 - lanes);
  if (!state_.alpha.enable) return killed;
  const auto* alpha = reinterpret_cast<const float*>(wave::bytes_of(w, r500::output_cell(0, 3)));
  for (unsigned l = 0; l < lanes; l++)
    if (!state_.alpha.passes(alpha[l])) killed |= uint64_t(1) << l;
  return killed;
}

void PixelStage::take_results(Wave& w, unsigned lanes, pipeline::PixelResults& results) const {
  results.killed = killed_of(w, lanes);
  auto output = [&](uint32_t number, uint32_t channel) {
    return reinterpret_cast<const uint32_t*>(wave::bytes_of(w, r500::output_cell(number, channel)));
  };
  results.outputs = 0;
  results.has_second_source = results.has_stencil = results.has_stencil_op = results.has_coverage = false;
  for (unsigned t = 0; t < state_.outputs.size(); t++) {
    const OutputRoute& route = state_.outputs[t];
    if (!route.used) continue;
    results.outputs |= uint8_t(1u << t);
    for (unsigned c = 0; c < 4; c++)
      std::memcpy(results.colour[t][c].data(), output(route.shader_output, route.channel[c]), lanes * 4);
  }
  take_depth(w, lanes, results);
}

void PixelStage::take_depth(Wave& w, unsigned lanes, pipeline::PixelResults& results) const {
  results.has_depth = state_.writes_depth;
  if (!state_.writes_depth) return;
  const auto* depth = reinterpret_cast<const float*>(wave::bytes_of(w, r500::depth_cell));
  for (unsigned l = 0; l < lanes; l++) results.depth[l] = depth[l] > 0 ? std::min(depth[l], 1.0f) : 0.0f;
}

// Outputs are registers, which are there however the program ends.
uint8_t PixelStage::writes_always() const {
  if (state_.alpha.enable || setup_.textures_kill || setup_.program->kills) return 0;
  uint8_t targets = 0;
  for (unsigned t = 0; t < state_.outputs.size(); t++) targets |= uint8_t(state_.outputs[t].used << t);
  return targets;
}

bool PixelStage::shade(unsigned n, const pipeline::PixelBatch& batch, pipeline::PixelResults& results) {
  Worker& worker = prepare(n);
  start(worker, batch);
  if (direct_ && direct_->has(pipeline::DirectKind::any)) setup_.program->framed.count_miss();
  if (!worker.run(*setup_.program, setup_.stage)) return false;
  take_results(*worker.wave, batch.quads * 4, results);
  if (state_.fog.enable) blend_with_fog(batch, results);
  return true;
}

// Colours of all outputs; alpha stays.
void PixelStage::blend_with_fog(const pipeline::PixelBatch& batch, pipeline::PixelResults& results) const {
  std::array<float, pipeline::max_pixels> amount;
  for (unsigned l = 0; l < batch.quads * 4; l++)
    amount[l] = state_.fog.amount(fog_value(batch, state_.routing[size_t(batch.primitive[l / 4].kind)], l));
  for (unsigned t = 0; t < state_.outputs.size(); t++)
    for (unsigned c = 0; c < 4; c++) {
      const uint8_t channel = state_.outputs[t].channel[c];
      if (!state_.outputs[t].used || channel == 3) continue;
      for (unsigned l = 0; l < batch.quads * 4; l++) {
        const float colour = std::bit_cast<float>(results.colour[t][c][l]);
        results.colour[t][c][l] = std::bit_cast<uint32_t>(colour + amount[l] * (state_.fog.colour[channel] - colour));
      }
    }
}

// Finds what its waves need to write their pixels themselves. False: they cannot.
bool PixelStage::make_pixel_frame(const pipeline::DirectOutputs& outputs, PixelFrame& frame) const {
  if (!outputs.kind || outputs.targets >> frame.targets.size() || state_.wants_fog || state_.rasterised_depth) return false;
  const Routing& routing = state_.routing[size_t(*outputs.kind)];
  if (routing.routes.size() > RoutePayload::max_routes) return false;
  if (outputs.interpolated || routing.routes.empty() ? false : !(routing.perspective ? outputs.perspective : outputs.linear))
    return false;
  const Shader& program = *setup_.program;
  frame.ends_anywhere = !can_be_framed(*program.program, program.first_pc);
  if (!outputs.interpolated) frame.routes = routing.routes, frame.perspective = routing.perspective;
  frame.alpha = state_.alpha;
  frame.samples = uint8_t(outputs.samples);
  frame.second_pass = outputs.second_pass || frame.ends_anywhere;
  for (unsigned n = 0; n < frame.targets.size(); n++) {
    if (!(outputs.targets >> n & 1) || !state_.outputs[n].used) continue;
    frame.targets[n] = {state_.outputs[n], {outputs.path[n], outputs.blend[n]}};
    std::ranges::fill(frame.targets[n].state.path.constant, 0.0f);  // they are data
  }
  return true;
}

pipeline::DirectKinds PixelStage::begin_direct(const pipeline::DirectOutputs& outputs) {
  Shader& shader = *setup_.program;
  direct_ = state_.direct = nullptr;
  PixelFrame frame;
  const auto why = make_pixel_frame(outputs, frame) ? pipeline::PixelPath::direct : pipeline::PixelPath::program;
  std::shared_ptr<DirectPrograms> found;
  const pipeline::DirectKinds kinds =
      pixel::find_direct_programs<PixelFrame>({*shader.program, shader.first_pc, shader.like, *shader.executor, shader.framed,
                                               setup_.engine, wave::FloatMode{.flush_in32 = true, .flush_out32 = true}},
                                              outputs, frame, why, outputs.interpolated, found);
  if (!found) return kinds;
  found->program = &shader;
  found->kind = outputs.kind.value_or(pipeline::PrimitiveKind::triangle);  // (make_pixel_frame has looked)
  found->ends_anywhere = frame.ends_anywhere;
  direct_ = state_.direct = std::move(found);
  return kinds;
}

// The value of a route's register at a primitive's reference point, and its change towards the second and third vertex, as
// fill_registers() has them.
struct RouteEnds {
  float a = 0, to_b = 0, to_c = 0;
};
static RouteEnds ends_of(const Route& route, const Routing& routing, const pipeline::PrimitiveAttributes& p) {
  const unsigned source = p.front ? route.source : route.back_source;
  switch (route.kind) {
    case RouteKind::attribute: {
      const float a = p.a[source], b = p.b[source] - a, c = p.c[source] - a;
      return route.wraps ? RouteEnds{a, pipeline::shorter_distance(b), pipeline::shorter_distance(c)} : RouteEnds{a, b, c};
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

void PixelStage::fill_routes(Worker& worker, const pipeline::PixelBatch& batch) const {
  auto& payload = *reinterpret_cast<RoutePayload*>(wave::bytes_of(*worker.wave, route_payload_cell));
  if (worker.fed.is_of(batch)) return;
  const Routing& routing = state_.routing[size_t(direct_->kind)];
  std::memset(payload.flat, 0, sizeof payload.flat);
  pixel::each_primitive(batch, [&](const pipeline::PrimitiveAttributes& p, unsigned q, unsigned end) {
    for (unsigned n = 0; n < routing.routes.size(); n++) {
      const RouteEnds ends = ends_of(routing.routes[n], routing, p);
      const bool flat = routing.routes[n].kind == RouteKind::attribute && ends.to_b == 0 && ends.to_c == 0;
      for (unsigned l = q; l < end; l++) {
        payload.a[n][l] = ends.a, payload.to_b[n][l] = ends.to_b, payload.to_c[n][l] = ends.to_c;
        payload.flat[n / 32][l] |= uint32_t(flat) << n % 32;
      }
    }
  });
}

// A worker's waves as pixel/direct_waves.h runs them.
struct PixelStage::DirectSeries {
  PixelStage& stage;
  Worker& worker;
  pixel::FramedProgram& framed;
  const DirectPrograms& direct;
  pipeline::QuadPayload& payload;

  Wave& start(const pipeline::PixelBatch& batch) {
    restart(batch);
    return *worker.wave;
  }
  void restart(const pipeline::PixelBatch& batch) {
    Wave& w = *worker.wave;
    if (const auto* reads = framed.executor.reads_at_start(framed.begin())) {
      for (uint32_t cell : *reads)
        if (cell >= r500::lanes_base && cell < quad_payload_cell) std::memset(wave::bytes_of(w, cell), 0, lanes_bytes);
    } else {
      clear_lanes(w, *stage.setup_.program);
    }
    clear_state(w, batch);
    if (direct.fills) {
      const Routing& routing = stage.state_.routing[size_t(direct.kind)];
      ATOLL_AT_LEVEL(fill_registers)(w, batch, direct.kind, routing, routing.routes);
    } else {
      stage.fill_routes(worker, batch);
    }
    w.pc = framed.begin();
  }
  void written(const pipeline::PixelBatch&, uint64_t (&lanes)[8]) const {
    std::ranges::fill(lanes, framed.second_pass ? payload.drawn[0] : payload.written);
  }
  void results(const pipeline::PixelBatch& batch, pipeline::PixelResults& results) const {
    Wave& w = *worker.wave;
    const unsigned lanes = batch.quads * 4;
    if (direct.ends_anywhere) payload.written = batch.covered & ~stage.killed_of(w, lanes);
    results.killed = batch.covered & ~payload.written;
    if (direct.alpha_to_coverage)
      stage.take_results(w, lanes, results);
    else
      stage.take_depth(w, lanes, results);
  }
  void begin_write(const pipeline::PixelBatch& batch) const {
    r500::set_mask_in(*worker.wave, r500::active_cell, ~uint64_t(0) >> (64 - batch.quads * 4));
  }
  bool run(Wave&, bool (*next)(void*), void* data) const {
    return worker.run_series(*stage.setup_.program, framed.executor, stage.setup_.stage, next, data);
  }
};

bool PixelStage::shade_direct(unsigned n, pipeline::DirectKind kind, pipeline::DirectWaves& waves, uint8_t* const* texels) {
  Worker& worker = prepare(n);
  pixel::FramedProgram& framed = *direct_->framed[size_t(kind)];
  auto& payload = *reinterpret_cast<pipeline::QuadPayload*>(wave::bytes_of(*worker.wave, quad_payload_cell));
  DirectSeries series{*this, worker, framed, *direct_, payload};
  return pixel::run_direct_waves({framed, waves, payload, texels, worker.counters, setup_.stage.queue->progress}, series);
}

}  // namespace Atoll::r5xx
