#include "gpu/sea_islands/draw/geometry_stage.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "gpu/sea_islands/state/field_lists.h"
#include "pipeline/workers.h"

namespace Atoll::sea_islands {
namespace {

constexpr unsigned lanes = 64;
constexpr uint32_t max_es_waves = 64, max_gs_waves = 64;  // at once; the rings may have room for fewer
constexpr uint32_t max_messages = 1 << 22;                // of the waves at once
constexpr uint32_t lds_granule = 512, max_lds = 65536;    // bytes

// s_sendmsg: message 2 is GS, 3 GS_DONE; bits 5:4 the operation, 9:8 the stream (Southern Islands ISA 4.4, "S_SENDMSG").
enum Message : uint32_t { GS = 2, GS_DONE = 3 };
enum Operation : uint32_t { NOP = 0, CUT = 1, EMIT = 2, EMIT_CUT = 3 };

}  // namespace

void GeometryStage::GsMessages::begin(size_t invocations) {
  events.clear();
  count = invocations;
  for (auto& lanes_of_stream : vertices) lanes_of_stream.fill(0);
  open.fill(0);
}

void GeometryStage::GsMessages::add(Event event, uint32_t max_vertices) {
  uint64_t changed = 0;
  for (uint64_t rest = event.lanes; rest; rest &= rest - 1) {
    unsigned lane = unsigned(std::countr_zero(rest));
    uint64_t bit = uint64_t(1) << lane;
    if (event.operation & EMIT && vertices[event.stream][lane] < max_vertices)
      vertices[event.stream][lane]++, open[event.stream] |= bit, changed |= bit;
    if (event.operation & CUT && open[event.stream] & bit) open[event.stream] &= ~bit, changed |= bit;
  }
  if (!changed) return;
  event.lanes = changed;
  events.push_back(event);
}

// Takes down what a GS wave says.
class GeometryStage::Environment : public QueueEnvironment {
public:
  Environment(DrawContext& context, GsMessages& messages, uint32_t max_vertices, bool without_cuts)
      : QueueEnvironment(context), messages_(messages), max_vertices_(max_vertices), without_cuts_(without_cuts) {}
  uint64_t message(wave::Wave& wave, uint32_t message, uint32_t m0) override {
    uint32_t kind = message & 15, operation = message >> 4 & 3;
    if (kind != GS && kind != GS_DONE) return QueueEnvironment::message(wave, message, m0);
    if (without_cuts_) operation &= ~uint32_t(CUT);
    if (operation != NOP)
      messages_.add({mask_of(wave, gfx7::scalar_cell(gfx7::EXEC_LO)), uint8_t(operation), uint8_t(message >> 8 & 3)},
                    max_vertices_);
    return 0;
  }

private:
  GsMessages& messages_;
  const uint32_t max_vertices_;
  const bool without_cuts_;
};

bool GeometryStage::prepare(DrawContext& context, const StageSelection& stages) {
  context_ = &context, stages_ = stages;
  const RegisterFile& r = context.registers;
  if (!prepare_stage<stages::ES>(context, es_) || !prepare_stage<stages::GS>(context, gs_)) return false;
  offchip_ = r.get<SPI_SHADER_PGM_RSRC2_ES::OC_LDS_EN>();
  es_item_ = r.get<VGT_ESGS_RING_ITEMSIZE::ITEMSIZE>();
  gs_item_ = r.get<VGT_GSVS_RING_ITEMSIZE::ITEMSIZE>();
  for (unsigned s = 0; s < 4; s++) {
    vertex_item_[s] = VertexItemSizes::get(r, s);
    stream_offset_[s] = s ? RingOffsets::get(r, s - 1) : 0;
  }
  max_vertices_ = r.get<VGT_GS_MAX_VERT_OUT::MAX_VERT_OUT>();
  const auto count = r.read<VGT_GS_INSTANCE_CNT>();
  instances_ = VGT_GS_INSTANCE_CNT::ENABLE::get(count) ? std::max(1u, VGT_GS_INSTANCE_CNT::CNT::get(count)) : 1;
  auto fitting = [](uint64_t ring_bytes, uint32_t item, uint32_t most) {
    return item ? uint32_t(std::clamp<uint64_t>(ring_bytes / (uint64_t(item) * 4 * lanes), 1, most)) : most;
  };
  using Mode = VGT_GS_MODE;
  const auto mode = r.read<Mode>();
  without_gs_ = Mode::COMPUTE_MODE::get(mode), without_cuts_ = Mode::SUPPRESS_CUTS::get(mode);
  const uint32_t onchip = Mode::ONCHIP::get(mode);
  onchip_ = onchip == 3;
  if (onchip && !onchip_) context.unknown(fmt::format("VGT_GS_MODE.ONCHIP {}", onchip));
  // The ring's sizes are in units of 256 bytes.
  es_waves_ = fitting(uint64_t(r.whole<VGT_ESGS_RING_SIZE>()) * 256, es_item_, max_es_waves);
  gs_waves_ = fitting(uint64_t(r.whole<VGT_GSVS_RING_SIZE>()) * 256, gs_item_, max_gs_waves);
  most_vertices_ = es_waves_ * lanes, most_primitives_ = ~0u;
  if (onchip_) {
    const auto limits = r.read<VGT_GS_ONCHIP_CNTL>();
    most_vertices_ = VGT_GS_ONCHIP_CNTL::ES_VERTS_PER_SUBGRP::get(limits);
    most_primitives_ = VGT_GS_ONCHIP_CNTL::GS_PRIMS_PER_SUBGRP::get(limits);
    if (!most_primitives_) return context.lose("VGT_GS_ONCHIP_CNTL: no primitives in a subgroup");
    gs_waves_ = max_gs_waves;
    lds_bytes_ = std::min(r.get<SPI_SHADER_PGM_RSRC2_ES::LDS_SIZE>() * lds_granule, max_lds);
    lds_ = wave::allocate_storage(max_lds + wave::storage_alignment);
  }
  // The waves' messages are kept until their part is drawn: at most one for each vertex, and one for each strip's end.
  gs_waves_ = std::clamp(max_messages / (lanes * 4 * 2 * std::max(1u, max_vertices_)), 1u, gs_waves_);
  return true;
}

// In memory 16 lanes stand side by side; what one lane emits is vertex after vertex, component after component, in rows of those 16.
// In LDS each lane has its own part, and each vertex in it.
uint32_t GeometryStage::ring_place(size_t wave_number, uint32_t lane, unsigned stream, uint32_t vertex) const {
  const auto wave = uint32_t(wave_number);
  if (onchip_) return (wave * lanes + lane) * gs_item_ + stream_offset_[stream] + vertex * vertex_item_[stream];
  uint32_t stride = vertex_item_[stream] * max_vertices_;  // dwords of a lane
  return (wave * gs_item_ + stream_offset_[stream]) * lanes + lane / 16 * stride * 16 + vertex * 16 + lane % 16;
}

void GeometryStage::give_lds(wave::Wave& w) const {
  if (!onchip_) return;
  w.lds = lds_.get(), w.lds_bytes = lds_bytes_;
  wave::word_of(w, gfx7::lds_allocation_cell) = lds_bytes_;
}

// Waves that share LDS run one after the other, so that what they leave there is the same each time.
bool GeometryStage::run_waves(size_t count, const std::function<bool(unsigned worker, unsigned wave)>& wave) const {
  std::atomic<bool> fine{true};
  context_->workers->share(onchip_ ? 1 : unsigned(count), [&](unsigned worker, unsigned n) {
    for (size_t w = n; w < (onchip_ ? count : n + 1); w++)
      if (fine && !wave(worker, unsigned(w))) fine = false;
  });
  return fine;
}

bool GeometryStage::run_es(const StagePrimitives& primitives, std::span<const uint32_t> vertices) {
  VertexLoading loading = vertex_loading<stages::ES>(context_->registers, stages_.before, primitives.domain, stages_.grouper);
  if (onchip_) std::memset(lds_.get(), 0, lds_bytes_);
  return run_waves((vertices.size() + lanes - 1) / lanes, [&](unsigned worker, unsigned wave) {
    QueueEnvironment environment(*context_);
    size_t first = size_t(wave) * lanes, count = std::min<size_t>(lanes, vertices.size() - first);
    uint32_t number[lanes], instance[lanes];
    for (size_t n = 0; n < count; n++) {
      number[n] = primitives.number[vertices[first + n]];
      instance[n] = primitives.kind == VertexKind::api ? primitives.instance[vertices[first + n]] : 0;
    }
    wave::Wave& w = start_wave(*context_, environment, es_, vertex_wave, lanes_mask(count));
    give_lds(w);
    unsigned sgpr = es_.user_sgprs;
    if (offchip_) {
      put_sgpr(w, sgpr++, primitives.domain ? primitives.domain->offchip_offset : 0);
      put_sgpr(w, sgpr++, 1u << 31);  // the hull shader's outputs are off chip
    }
    put_sgpr(w, sgpr++, wave * lanes * es_item_ * 4);
    if (es_.scratch) put_sgpr(w, sgpr, worker * es_.scratch_bytes_per_wave);
    load_vertices(w, loading, {{number, count}, {instance, count}});
    return finish_wave(*context_, es_, w);
  });
}

bool GeometryStage::run_gs(size_t wave, GsMessages& messages, std::span<const uint32_t> offsets,
                           const StagePrimitives& primitives, size_t first, size_t count, unsigned worker) {
  using namespace gfx7;
  messages.begin(count);
  Environment environment(*context_, messages, max_vertices_, without_cuts_);
  wave::Wave& w = start_wave(*context_, environment, gs_, vertex_wave, lanes_mask(count));
  give_lds(w);
  unsigned sgpr = gs_.user_sgprs;
  put_sgpr(w, sgpr++, uint32_t(wave) * gs_item_ * lanes * 4);
  put_sgpr(w, sgpr++, uint32_t(wave));
  if (gs_.scratch) put_sgpr(w, sgpr, worker * gs_.scratch_bytes_per_wave);
  // v0, v1, v3 to v6: the vertices' places in the ESGS ring; v2: the primitive's number; v7: the invocation.
  constexpr uint32_t vgpr_of_corner[6] = {0, 1, 3, 4, 5, 6};
  unsigned corners = std::min(primitives.corners, 6u);
  for (size_t n = 0; n < count; n++) {
    size_t primitive = (first + n) / instances_;
    for (unsigned c = 0; c < corners; c++)
      words_of(w, vgpr_cell(vgpr_of_corner[c]))[n] = offsets[primitive * primitives.corners + c];
    words_of(w, vgpr_cell(2))[n] = primitives.identifier[primitive];
    words_of(w, vgpr_cell(7))[n] = uint32_t((first + n) % instances_);
  }
  return finish_wave(*context_, gs_, w);
}

bool GeometryStage::run_part(const StagePrimitives& primitives, size_t first, size_t count, std::span<const uint32_t> vertices,
                             std::span<const uint32_t> offsets, const Consumer& consume) {
  if (!run_es(primitives, vertices)) return false;
  if (without_gs_) return true;
  size_t invocations = count * instances_, begin = first * instances_;
  invocations_ += invocations;
  messages_.resize(std::max<size_t>(messages_.size(), gs_waves_));
  for (size_t done = 0; done < invocations;) {
    size_t waves = std::min<size_t>(gs_waves_, (invocations - done + lanes - 1) / lanes);
    // The ring in memory begins anew; that in LDS has room for all, or what is beyond is lost.
    const size_t first_wave = onchip_ ? done / lanes : 0;
    if (!run_waves(waves, [&](unsigned worker, unsigned wave) {
          const size_t from = begin + done + size_t(wave) * lanes;
          return run_gs(first_wave + wave, messages_[wave], offsets, primitives, from,
                        std::min<size_t>(lanes, begin + invocations - from), worker);
        }))
      return false;
    Emitted emitted;
    for (size_t wave = 0; wave < waves; wave++)
      for (uint32_t lane = 0; lane < messages_[wave].count; lane++) {
        uint32_t vertex[4] = {};
        for (const GsMessages::Event& event : messages_[wave].events) {
          if (!(event.lanes >> lane & 1)) continue;
          auto& stream = emitted[event.stream];
          uint32_t& at = vertex[event.stream];
          if (event.operation & EMIT && at < max_vertices_)
            stream.push_back(ring_place(first_wave + wave, lane, event.stream, at++));
          if (event.operation & CUT && !stream.empty() && stream.back() != strip_end) stream.push_back(strip_end);
        }
        for (auto& stream : emitted)
          if (!stream.empty() && stream.back() != strip_end) stream.push_back(strip_end);
      }
    if (!consume(emitted)) return false;
    done += waves * lanes;
  }
  return true;
}

bool GeometryStage::run(const StagePrimitives& primitives, const Consumer& consume) {
  constexpr uint32_t nowhere = ~0u;
  std::vector<uint32_t> vertices;  // of the part: places in the list
  std::vector<uint32_t> offsets(primitives.corner.size());
  place_.assign(primitives.number.size(), nowhere);
  const size_t most = most_vertices_;
  if (primitives.corners > most) return context_->lose("the ESGS ring has no room for one primitive");
  size_t first = 0;
  auto flush = [&](size_t end) {
    if (end > first && !run_part(primitives, first, end - first, vertices, offsets, consume)) return false;
    for (uint32_t v : vertices) place_[v] = nowhere;
    vertices.clear();
    first = end;
    return true;
  };
  for (size_t p = 0; p < primitives.count(); p++) {
    if (context_->stop.load(std::memory_order_relaxed)) return context_->lose_stopped();
    const auto corners = std::span(primitives.corner).subspan(p * primitives.corners, primitives.corners);
    const auto added = size_t(std::ranges::count_if(corners, [&](uint32_t vertex) { return place_[vertex] == nowhere; }));
    if ((vertices.size() + added > most || p - first >= most_primitives_) && !flush(p)) return false;
    for (unsigned c = 0; c < primitives.corners; c++) {
      uint32_t vertex = primitives.corner[p * primitives.corners + c];
      if (place_[vertex] == nowhere) {
        size_t at = vertices.size();
        place_[vertex] = uint32_t(onchip_ ? at * es_item_ : at / lanes * lanes * es_item_ + at % lanes);
        vertices.push_back(vertex);
      }
      offsets[p * primitives.corners + c] = place_[vertex];
    }
  }
  return flush(primitives.count());
}

uint64_t primitives_in(std::span<const uint32_t> emitted, pipeline::Topology topology) {
  const uint64_t shared = topology == pipeline::Topology::points ? 0 : topology == pipeline::Topology::line_strip ? 1 : 2;
  uint64_t primitives = 0, vertices = 0;
  auto end_strip = [&] {
    primitives += vertices > shared ? vertices - shared : 0;
    vertices = 0;
  };
  for (uint32_t vertex : emitted)
    if (vertex == strip_end)
      end_strip();
    else
      vertices++;
  end_strip();
  return primitives;
}

}  // namespace Atoll::sea_islands
