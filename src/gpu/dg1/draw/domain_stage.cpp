#include "gpu/dg1/draw/domain_stage.h"

#include <atomic>
#include <bit>

namespace Atoll::dg1 {

using namespace commands;

namespace {

constexpr unsigned domain_lanes = 8;
constexpr size_t most_points = 1 << 15, most_domain_rows = 1 << 19;  // that are shaded at once, about; of the URB

}  // namespace

pipeline::TessellationFactors factors_of(const uint32_t* header, pipeline::Domain domain, float most) {
  auto factor = [&](unsigned dword) {
    const float value = std::bit_cast<float>(header[dword]);
    return value > most ? most : value;  // (what is not above zero, NaN too, drops the patch)
  };
  pipeline::TessellationFactors f;
  switch (domain) {
    case pipeline::Domain::quads:
      for (unsigned n = 0; n < 4; n++) f.edge[n] = factor(7 - n);
      f.inside[0] = factor(3), f.inside[1] = factor(2);
      break;
    case pipeline::Domain::triangles:
      for (unsigned n = 0; n < 3; n++) f.edge[n] = factor(7 - n);
      f.inside[0] = factor(4);
      break;
    case pipeline::Domain::isolines: f.edge[0] = factor(7), f.edge[1] = factor(6); break;  // a line's segments, lines
  }
  return f;
}

bool DomainStage::find(Context& context, unsigned workers) {
  context_ = &context;
  const GraphicsState& s = context.graphics;
  using TE = _3DSTATE_TE;
  using DS = _3DSTATE_DS;
  const auto domain = s.get<TE::TE_Domain>();
  if (s.get<TE::TE_Mode>() != TE::TE_Mode::HW_TESS || domain > TE::TE_Domain::ISOLINE ||
      s.get<TE::Partitioning>() > TE::Partitioning::EVEN_FRACTIONAL)
    return context.lose(fmt::format("3DSTATE_TE: TE Mode {}, TE Domain {}, Partitioning {}: one of them does not exist",
                                    s.get<TE::TE_Mode>(), domain, s.get<TE::Partitioning>()));
  state_.domain = domain == TE::TE_Domain::QUAD  ? pipeline::Domain::quads
                  : domain == TE::TE_Domain::TRI ? pipeline::Domain::triangles
                                                 : pipeline::Domain::isolines;
  const auto partitioning = s.get<TE::Partitioning>();
  const bool odd = partitioning == TE::Partitioning::ODD_FRACTIONAL;
  state_.partitioning = odd                                                 ? pipeline::Partitioning::fractional_odd
                        : partitioning == TE::Partitioning::EVEN_FRACTIONAL ? pipeline::Partitioning::fractional_even
                                                                            : pipeline::Partitioning::integer;
  switch (s.get<TE::Output_Topology>()) {
    case TE::Output_Topology::POINT: state_.output = pipeline::TessellatorOutput::points; break;
    case TE::Output_Topology::LINE: state_.output = pipeline::TessellatorOutput::lines; break;
    case TE::Output_Topology::TRI_CW: state_.output = pipeline::TessellatorOutput::clockwise; break;
    default: state_.output = pipeline::TessellatorOutput::counterclockwise;
  }
  most_ = std::bit_cast<float>(
      uint32_t(odd ? s.get<TE::Maximum_Tessellation_Factor_Odd>() : s.get<TE::Maximum_Tessellation_Factor_Not_Odd>()));
  if (!(most_ >= 1 && most_ <= 64)) return context.lose(fmt::format("3DSTATE_TE: Maximum Tessellation Factor {}", most_));
  third_ = s.get<DS::Compute_W_Coordinate_Enable>() && state_.domain == pipeline::Domain::triangles;
  const auto mode = s.get<DS::Dispatch_Mode>();
  // Threads of one patch may be had wherever those of two may.
  if (mode != DS::Dispatch_Mode::SIMD8_SINGLE_PATCH && mode != DS::Dispatch_Mode::SIMD8_SINGLE_OR_DUAL_PATCH)
    return context.lose(fmt::format("3DSTATE_DS.Dispatch Mode {}, which this GPU does not have", mode));
  first_slot_ = unsigned(s.get<DS::Patch_URB_Entry_Read_Offset>()) * 2;
  patch_rows_ = unsigned(s.get<DS::Patch_URB_Entry_Read_Length>());
  entry_rows_ = urb_entry_rows(s, Stage::DS);
  if (!find_stage(context, Stage::DS, setup_)) return false;
  constexpr unsigned fixed = 5;
  const unsigned payload = std::max(setup_.data_register() + patch_rows_, fixed);
  if (payload > xe_lp::kRegisters ||
      (setup_.data_register() + patch_rows_ > setup_.first_register && setup_.first_register < fixed))
    return context.lose(
        fmt::format("3DSTATE_DS: a payload of {} registers from r{} on: Dispatch GRF Start Register For URB Data, "
                    "Patch URB Entry Read Length",
                    payload, setup_.first_register));
  for (unsigned n = 0; n < workers; n++) workers_.push_back(std::make_unique<UrbThreads>(setup_, n, payload));
  return true;
}

pipeline::Topology DomainStage::topology() const {
  if (state_.output == pipeline::TessellatorOutput::points) return pipeline::Topology::points;
  return state_.domain == pipeline::Domain::isolines ? pipeline::Topology::lines : pipeline::Topology::triangles;
}

// r0.0: the patch's handle, r0.1: its number; r1 to r3 u, v, w of 8 points, r4 their outputs; behind the constants the patch's data.
bool DomainStage::shade(Urb& urb, const xe_lp::UrbEntries& patches, const std::vector<uint32_t>& identifiers,
                        const Points& points, const xe_lp::UrbEntries& outputs, WorkerPool& workers) {
  constexpr unsigned threads_each = 16;
  const auto count = unsigned(points.threads.size());
  std::atomic<bool> fine{true};
  workers.share((count + threads_each - 1) / threads_each, [&](unsigned worker, unsigned part) {
    if (!fine.load(std::memory_order_relaxed)) return;
    const unsigned begin = part * threads_each, here = std::min(threads_each, count - begin);
    auto load = [&](unsigned n, uint32_t* payload) {
      const Points::Thread& thread = points.threads[begin + n];
      payload[0] = patches.first + thread.patch * patches.size, payload[1] = identifiers[thread.patch];
      for (unsigned lane = 0; lane < domain_lanes; lane++) {
        const uint32_t point = thread.first + std::min(lane, thread.count - 1);
        const float u = points.u[point], v = points.v[point], w = third_ ? 1 - u - v : 0;
        payload[8 + lane] = std::bit_cast<uint32_t>(u), payload[16 + lane] = std::bit_cast<uint32_t>(v);
        payload[24 + lane] = std::bit_cast<uint32_t>(w);
        payload[32 + lane] = lane < thread.count ? outputs.first + point * outputs.size : 0;
      }
      const unsigned slots = patches.size * 4;
      uint32_t* to = payload + setup_.data_register() * 8;
      const uint32_t* from = urb.entry(patches, thread.patch);
      for (unsigned slot = first_slot_; slot < first_slot_ + patch_rows_ * 2; slot++, to += 4)
        for (unsigned c = 0; c < 4; c++) to[c] = slot < slots ? from[slot * 4 + c] : 0;
      return (1u << thread.count) - 1;
    };
    if (!workers_[worker]->run({urb, patches, outputs}, here, load)) fine = false;
  });
  return fine;
}

bool DomainStage::run(Urb& urb, const xe_lp::UrbEntries& patches, const std::vector<uint32_t>& identifiers, WorkerPool& workers,
                      const std::function<bool(const StagePrimitives&)>& take) {
  pipeline::Tessellation t;
  Points points;
  StagePrimitives primitives;
  const uint32_t end = urb.rows();
  auto flush = [&] {
    const auto count = uint32_t(points.u.size());
    if (!count) return true;
    primitives.vertices = urb.add(count, entry_rows_);
    urb.zero(primitives.vertices);
    invocations_ += count;
    if (!shade(urb, patches, identifiers, points, primitives.vertices, workers) || !take(primitives)) return false;
    points.u.clear(), points.v.clear(), points.threads.clear();
    primitives.corner.clear(), primitives.identifier.clear();
    urb.cut(end);
    return true;
  };
  for (uint32_t patch = 0; patch < identifiers.size(); patch++) {
    if (context_->stop.load(std::memory_order_relaxed)) return context_->lose_stopped();
    pipeline::tessellate(state_, factors_of(urb.entry(patches, patch), state_.domain, most_), t);
    const auto base = uint32_t(points.u.size()), here = uint32_t(t.u.size());
    points.u.insert(points.u.end(), t.u.begin(), t.u.end());
    points.v.insert(points.v.end(), t.v.begin(), t.v.end());
    for (uint32_t first = 0; first < here; first += domain_lanes)
      points.threads.push_back({patch, base + first, std::min<uint32_t>(domain_lanes, here - first)});
    primitives.corners = t.corners;
    for (uint32_t corner : t.corner) primitives.corner.push_back(base + corner);
    primitives.identifier.resize(primitives.corner.size() / t.corners, identifiers[patch]);
    if ((points.u.size() >= most_points || points.u.size() * entry_rows_ >= most_domain_rows) && !flush()) return false;
  }
  return flush();
}

}  // namespace Atoll::dg1
