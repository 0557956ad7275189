#include "gpu/r5xx/draw/pixel_stage.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "isa/r500/registers.h"
#include "surface/number.h"

namespace Atoll::r5xx {

using wave::Wave;

bool AlphaTest::passes(float alpha) const {
  if (!enable) return true;
  bool less, equal;
  if (bits) {
    uint32_t a = surface::to_unorm(alpha, bits);
    less = a < reference, equal = a == reference;
  } else {
    // Alpha comes to the comparison as the format of the reference.
    alpha = surface::from_half(surface::to_half(alpha, surface::Rounding::nearest_even));
    less = alpha < float_reference, equal = alpha == float_reference;
  }
  // The functions' numbers are masks: bit 0 less, bit 1 equal, bit 2 greater.
  return function >> (less ? 0 : equal ? 1 : 2) & 1;
}

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
  return test;
}

PixelStage::PixelStage(Setup setup, const RegisterFile& r, const PixelMemory& memory, unsigned workers)
    : setup_(std::move(setup)), workers_(workers) {
  constants_.assign(memory.constant.begin(), memory.constant.begin() + setup_.program->constants * 4);
  for (uint32_t n = 0; n < integer_constants_.size(); n++) {
    using C = US_FC_INT_CONST;
    integer_constants_[n] = FieldList<C::KR, C::KG, C::KB>::bits(r.read<C>(n));
  }
  boolean_constants_ = r.whole<US_FC_BOOL_CONST>();
  config_ = US_CONFIG::ZERO_TIMES_ANYTHING_EQUALS_ZERO::of(r.get<US_CONFIG::ZERO_TIMES_ANYTHING_EQUALS_ZERO>());
  code_offset_ = r.get<US_CODE_OFFSET::OFFSET_ADDR>();
}

unsigned PixelStage::batch_size() const { return r500::kPixels; }

uint8_t PixelStage::barycentrics() const {
  using namespace pipeline;
  unsigned wanted = 0;
  for (const Routing& routing : setup_.routing) {
    if (routing.routes.empty()) continue;
    wanted |= 1u << (routing.perspective ? PERSPECTIVE_CENTRE : LINEAR_CENTRE);
    if (routing.uses_centroid) wanted |= 1u << (routing.perspective ? PERSPECTIVE_CENTROID : LINEAR_CENTROID);
  }
  return uint8_t(wanted);
}

WorkerWave& PixelStage::prepare(unsigned n) {
  WorkerWave& worker = workers_[n];
  if (!worker.wave) {
    worker.wave = std::make_unique<wave::Storage>(wave::register_file_offset + r500::register_file_bytes);
    Wave& w = **worker.wave;
    w.lanes = r500::kPixels;
    w.stop_flag = setup_.stop;
    w.environment = setup_.environment;
    w.textures = setup_.textures;
    if (!constants_.empty()) std::memcpy(wave::bytes_of(w, r500::constant_cell(0, 0)), constants_.data(), constants_.size() * 4);
    wave::word_of(w, r500::config_cell) = config_;
    wave::word_of(w, r500::boolean_constants_cell) = boolean_constants_;
    wave::word_of(w, r500::code_offset_cell) = code_offset_;
    for (uint32_t i = 0; i < integer_constants_.size(); i++)
      wave::word_of(w, r500::integer_constant_cell(i)) = integer_constants_[i];
  }
  return worker;
}

// Lanes 4q to 4q + 3 belong to primitive q of the batch; those of the given kind are filled.
void PixelStage::fill_registers(Wave& w, const pipeline::PixelBatch& batch, pipeline::PrimitiveKind kind) const {
  using namespace pipeline;
  const Routing& routing = setup_.routing[size_t(kind)];
  const unsigned centre = routing.perspective ? PERSPECTIVE_CENTRE : LINEAR_CENTRE;
  const unsigned centroid = routing.perspective ? PERSPECTIVE_CENTROID : LINEAR_CENTROID;
  for (const Route& route : routing.routes) {
    auto* lanes =
        reinterpret_cast<float*>(wave::bytes_of(w, r500::temporary_cell(route.temporary % r500::kTemporaries, route.channel)));
    const auto& weights = batch.barycentric[route.centroid ? centroid : centre];
    const auto &i = weights[0], &j = weights[1];
    // Quads of one primitive at once, where the whole wave is.
    const unsigned together = batch.one_primitive ? batch.quads : 1, count = together * 4;
    for (unsigned q = 0; q < batch.quads; q += together) {
      const PrimitiveAttributes& p = batch.primitive[q];
      if (p.kind != kind) continue;
      const unsigned first = q * 4;
      float* out = lanes + first;
      auto all = [&](float value) { std::fill_n(out, count, value); };
      switch (route.kind) {
        case RouteKind::zero: all(0); break;
        case RouteKind::one: all(1); break;
        case RouteKind::attribute: {
          const unsigned source = p.front ? route.source : route.back_source;
          const float a = p.a[source], to_b = p.b[source] - a, to_c = p.c[source] - a;
          if (to_b == 0 && to_c == 0) {
            all(a);
            break;
          }
          for (unsigned l = 0; l < count; l++) out[l] = a + i[first + l] * to_b + j[first + l] * to_c;
          break;
        }
        case RouteKind::flat_attribute: all(p.provoking[p.front ? route.source : route.back_source]); break;
        case RouteKind::point_s: {
          const auto& s = routing.point_s;
          for (unsigned l = 0; l < count; l++) out[l] = s[0] + i[first + l] * (s[1] - s[0]);
          break;
        }
        case RouteKind::point_t: {
          const auto& t = routing.point_t;
          for (unsigned l = 0; l < count; l++) out[l] = t[0] + j[first + l] * (t[1] - t[0]);
          break;
        }
        case RouteKind::line_s: {
          const auto& s = routing.line_s;
          for (unsigned l = 0; l < count; l++) out[l] = s[0] + i[first + l] * (s[1] - s[0]);
          break;
        }
        case RouteKind::back_face: all(p.front ? 0.0f : 1.0f); break;
        case RouteKind::screen_x:
          for (unsigned l = 0; l < count; l++) out[l] = float(batch.x[first + l]);
          break;
        case RouteKind::screen_y:
          for (unsigned l = 0; l < count; l++) out[l] = float(batch.y[first + l]);
          break;
      }
    }
  }
}

bool PixelStage::shade(unsigned n, const pipeline::PixelBatch& batch, pipeline::PixelResults& results) {
  WorkerWave& worker = prepare(n);
  Wave& w = **worker.wave;
  const Shader& program = *setup_.program;
  const unsigned lanes = batch.quads * 4;
  const uint32_t present = lanes >= 32 ? ~0u : (1u << lanes) - 1;

  std::memset(wave::bytes_of(w, r500::temporary_cell(0, 0)), 0, program.temporaries * 4 * r500::kPixels * 4);
  std::memset(wave::bytes_of(w, r500::output_cell(0, 0)), 0, (r500::kOutputs + 1) * 4 * r500::kPixels * 4);
  std::memset(wave::bytes_of(w, r500::branch_cell), 0, 3 * r500::kPixels * 4);
  for (uint32_t c = 0; c < 4; c++) wave::word_of(w, r500::predicate_cell(c)) = 0;
  wave::word_of(w, r500::alu_result_cell) = 0;
  wave::word_of(w, r500::killed_cell) = 0;
  wave::word_of(w, r500::loop_register_cell) = 0;
  wave::word_of(w, r500::loop_depth_cell) = 0;
  wave::word_of(w, r500::call_depth_cell) = 0;
  wave::word_of(w, r500::active_cell) = present;
  wave::word_of(w, r500::uncovered_cell) = ~uint32_t(batch.covered);
  unsigned kinds = 0;
  for (unsigned q = 0; q < batch.quads; q++) kinds |= 1u << unsigned(batch.primitive[q].kind);
  for (unsigned kind = 0; kind < 3; kind++)
    if (kinds >> kind & 1) fill_registers(w, batch, pipeline::PrimitiveKind(kind));
  if (!worker.run(program, "pixel shader", *setup_.progress)) return false;

  results.killed = wave::word_of(w, r500::killed_cell) & present;
  auto output = [&](uint32_t number, uint32_t channel) {
    return reinterpret_cast<const uint32_t*>(wave::bytes_of(w, r500::output_cell(number, channel)));
  };
  if (setup_.alpha.enable) {
    const uint32_t* alpha = output(0, 3);
    for (unsigned l = 0; l < lanes; l++)
      if (!setup_.alpha.passes(std::bit_cast<float>(alpha[l]))) results.killed |= uint64_t(1) << l;
  }
  results.outputs = 0;
  results.has_second_source = results.has_stencil = results.has_coverage = false;
  for (unsigned t = 0; t < setup_.outputs.size(); t++) {
    const OutputRoute& route = setup_.outputs[t];
    if (!route.used) continue;
    results.outputs |= uint8_t(1u << t);
    for (unsigned c = 0; c < 4; c++)
      std::copy_n(output(route.shader_output, route.channel[c]), lanes, results.colour[t][c].begin());
  }
  results.has_depth = setup_.writes_depth;
  if (setup_.writes_depth) {
    const auto* depth = reinterpret_cast<const float*>(wave::bytes_of(w, r500::depth_cell));
    for (unsigned l = 0; l < lanes; l++) results.depth[l] = depth[l] > 0 ? std::min(depth[l], 1.0f) : 0.0f;
  }
  return true;
}

}  // namespace Atoll::r5xx
