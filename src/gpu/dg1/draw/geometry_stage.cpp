#include "gpu/dg1/draw/geometry_stage.h"

#include <atomic>
#include <optional>

namespace Atoll::dg1 {

using GS = commands::_3DSTATE_GS;

namespace {

constexpr unsigned geometry_lanes = 8;
constexpr size_t most_output_rows = 1 << 18;  // of outputs, at once

// Loops, quads and neighbours do not leave a geometry shader (Intel 965 PRM volume 2, 2.3, "3D Primitives Overview").
std::optional<pipeline::Topology> output_topology(uint32_t value) {
  using T = GS::Output_Topology;
  switch (value) {
    case T::POINTLIST:
    case T::POINTLIST_BF: return pipeline::Topology::points;
    case T::LINELIST: return pipeline::Topology::lines;
    case T::LINESTRIP:
    case T::LINESTRIP_CONT:
    case T::LINESTRIP_BF:
    case T::LINESTRIP_CONT_BF: return pipeline::Topology::line_strip;
    case T::TRILIST: return pipeline::Topology::triangles;
    case T::TRISTRIP:
    case T::TRISTRIP_REVERSE: return pipeline::Topology::triangle_strip;
    case T::TRIFAN:
    case T::TRIFAN_NOSTIPPLE: return pipeline::Topology::triangle_fan;
    case T::POLYGON: return pipeline::Topology::polygon;
    case T::RECTLIST: return pipeline::Topology::rectangles;
    default: return std::nullopt;
  }
}

}  // namespace

bool GeometryStage::find(Context& context, unsigned corners, unsigned workers) {
  context_ = &context;
  const GraphicsState& s = context.graphics;
  corners_ = corners;
  if (s.get<GS::Dispatch_Mode>() != GS::Dispatch_Mode::SIMD8)
    return context.lose(fmt::format("3DSTATE_GS.Dispatch Mode {}: this GPU has SIMD8 alone", s.get<GS::Dispatch_Mode>()));
  const auto topology = output_topology(uint32_t(s.get<GS::Output_Topology>()));
  if (!topology)
    return context.lose(fmt::format("3DSTATE_GS.Output Topology {}: no geometry shader's output", s.get<GS::Output_Topology>()));
  topology_ = *topology;
  with_identifiers_ = s.get<GS::Include_Primitive_ID>(), with_handles_ = s.get<GS::Include_Vertex_Handles>();
  instances_ = unsigned(s.get<GS::Instance_Control>()) + 1;
  static_ = s.get<GS::Static_Output>(), static_count_ = unsigned(s.get<GS::Static_Output_Vertex_Count>());
  stream_ids_ = s.get<GS::Control_Data_Format>() == GS::Control_Data_Format::SID;
  default_stream_ = unsigned(s.get<GS::Default_Stream_Id>());
  control_slots_ = unsigned(s.get<GS::Control_Data_Header_Size>()) * 2;
  vertex_slots_ = unsigned(s.get<GS::Output_Vertex_Size>()) + 1;
  first_slot_ = unsigned(s.get<GS::Vertex_URB_Entry_Read_Offset>()) * 2;
  read_slots_ = unsigned(s.get<GS::Vertex_URB_Entry_Read_Length>()) * 2;
  entry_rows_ = urb_entry_rows(s, Stage::GS);
  if (!find_stage(context, Stage::GS, setup_)) return false;
  const unsigned handles = !with_handles_ ? 0 : instances_ > 1 ? (corners_ + geometry_lanes - 1) / geometry_lanes : corners_;
  const unsigned fixed = 2 + with_identifiers_ + handles, data = setup_.data_register() + corners_ * read_slots_ * 4;
  const unsigned payload = std::max(data, fixed);
  if (payload > xe_lp::kRegisters || (data > setup_.first_register && setup_.first_register < fixed))
    return context.lose(
        fmt::format("3DSTATE_GS: handles up to r{}, a payload of {} registers from r{} on: Dispatch GRF Start "
                    "Register For URB Data, Vertex URB Entry Read Length",
                    fixed, payload, setup_.first_register));
  for (unsigned n = 0; n < workers; n++) workers_.push_back(std::make_unique<UrbThreads>(setup_, n, payload));
  return true;
}

// Lanes are instances of one primitive where there are several, else primitives. `begin`: the thread's first among all of the part's.
// r1: outputs, in bits 31:27 the instance; [r2: primitives' numbers;] handles, a register a vertex, or of one primitive 8 a register;
// then constants, and of each vertex some of its slots, a register a component.
void GeometryStage::put(uint32_t* payload, Urb& urb, const StagePrimitives& primitives, const xe_lp::UrbEntries& outputs,
                        size_t first, size_t begin, unsigned here) const {
  auto primitive = [&](unsigned lane) { return first + (begin + std::min(lane, here - 1)) / instances_; };
  uint32_t* row = payload + 8;
  for (unsigned lane = 0; lane < geometry_lanes; lane++)
    row[lane] =
        lane >= here ? 0 : uint32_t(outputs.first + (begin + lane) * outputs.size) | uint32_t((begin + lane) % instances_) << 27;
  row += 8;
  if (with_identifiers_) {
    for (unsigned lane = 0; lane < geometry_lanes; lane++) row[lane] = primitives.identifier[primitive(lane)];
    row += 8;
  }
  if (with_handles_ && instances_ > 1) {
    for (unsigned c = 0; c < (corners_ + geometry_lanes - 1) / geometry_lanes * geometry_lanes; c++)
      row[c] = c < corners_ ? primitives.handle(primitive(0), c) : 0;
  } else if (with_handles_) {
    for (unsigned c = 0; c < corners_; c++)
      for (unsigned lane = 0; lane < geometry_lanes; lane++) *row++ = primitives.handle(primitive(lane), c);
  }
  const unsigned slots = primitives.vertices.size * 4;
  uint32_t* to = payload + setup_.data_register() * 8;
  for (unsigned c = 0; c < corners_; c++) {
    const uint32_t* vertex[geometry_lanes];
    for (unsigned lane = 0; lane < geometry_lanes && read_slots_; lane++)
      vertex[lane] = reinterpret_cast<const uint32_t*>(urb.at(primitives.handle(primitive(lane), c)));
    for (unsigned slot = first_slot_; slot < first_slot_ + read_slots_; slot++)
      for (unsigned component = 0; component < 4; component++)
        for (unsigned lane = 0; lane < geometry_lanes; lane++) *to++ = slot < slots ? vertex[lane][slot * 4 + component] : 0;
  }
}

// An entry: where the number of vertices is not the state's, a row of 32 bytes with it; control data; the vertices.
void GeometryStage::take_entry(Urb& urb, const xe_lp::UrbEntries& outputs, uint32_t n, uint32_t identifier) {
  const uint32_t* entry = urb.entry(outputs, n);
  const unsigned slots = entry_rows_ * 4, control = static_ ? 0 : 2, first = control + control_slots_;
  const unsigned room = slots > first ? (slots - first) / vertex_slots_ : 0;
  const uint32_t count = std::min(static_ ? static_count_ : entry[0], room);
  const uint32_t start = (outputs.first + n * outputs.size) * 4 + first;
  auto bits = [&](uint32_t vertex, unsigned each) {
    const uint32_t at = vertex * each, dword = control * 4 + at / 32;
    return at / 128 < control_slots_ ? entry[dword] >> at % 32 & ((1u << each) - 1) : 0;
  };
  for (uint32_t v = 0; v < count; v++) {
    Emitted& to = streams_[stream_ids_ && control_slots_ ? bits(v, 2) : default_stream_];
    to.order.push_back(uint32_t(to.place.size()));
    to.place.push_back(start + v * vertex_slots_);
    to.identifier.push_back(identifier);
    if (!stream_ids_ && bits(v, 1)) to.order.push_back(strip_end);
  }
  for (Emitted& to : streams_)
    if (!to.order.empty() && to.order.back() != strip_end) to.order.push_back(strip_end);
}

bool GeometryStage::run_part(Urb& urb, const StagePrimitives& primitives, size_t first, size_t count, WorkerPool& workers) {
  const auto entries = uint32_t(count * instances_);
  const xe_lp::UrbEntries outputs = urb.add(entries, entry_rows_);
  urb.zero(outputs);
  invocations_ += entries;
  // A thread has instances of one primitive, or eight primitives.
  const unsigned threads_each = instances_ > 1 ? (instances_ + geometry_lanes - 1) / geometry_lanes : 1;
  const auto threads = unsigned(instances_ > 1 ? count * threads_each : (count + geometry_lanes - 1) / geometry_lanes);
  constexpr unsigned at_once = 8;
  std::atomic<bool> fine{true};
  workers.share((threads + at_once - 1) / at_once, [&](unsigned worker, unsigned part) {
    if (!fine.load(std::memory_order_relaxed)) return;
    auto load = [&](unsigned n, uint32_t* payload) {
      const size_t thread = part * at_once + n;
      size_t begin = thread * geometry_lanes, end = entries;
      if (instances_ > 1)
        begin = thread / threads_each * instances_ + thread % threads_each * geometry_lanes,
        end = (thread / threads_each + 1) * instances_;
      const auto here = unsigned(std::min<size_t>(geometry_lanes, end - begin));
      put(payload, urb, primitives, outputs, first, begin, here);
      return (1u << here) - 1;
    };
    if (!workers_[worker]->run({urb, primitives.vertices, outputs}, std::min(at_once, threads - part * at_once), load))
      fine = false;
  });
  if (!fine) return false;
  for (Emitted& stream : streams_) stream.clear();
  for (uint32_t n = 0; n < entries; n++) take_entry(urb, outputs, n, primitives.identifier[first + n / instances_]);
  return true;
}

bool GeometryStage::run(Urb& urb, const StagePrimitives& primitives, WorkerPool& workers,
                        const std::function<bool(Streams&)>& take) {
  const uint32_t end = urb.rows();
  const size_t most = std::max<size_t>(1, most_output_rows / (size_t(entry_rows_) * instances_));
  for (size_t first = 0; first < primitives.count(); first += most) {
    if (context_->stop.load(std::memory_order_relaxed)) return context_->lose_stopped();
    if (!run_part(urb, primitives, first, std::min(most, primitives.count() - first), workers) || !take(streams_)) return false;
    urb.cut(end);
  }
  return true;
}

}  // namespace Atoll::dg1
