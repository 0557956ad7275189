#include "gpu/r5xx/packets/vertex_port.h"

#include <fmt/format.h>

#include <algorithm>

#include "gpu/r5xx/packets/vertex_state.h"

namespace Atoll::r5xx {

using Control = VAP_VF_CNTL;

std::optional<DrawCall> VertexPort::begin(Word<Control> control) {
  const RegisterFile& r = c_.registers;
  control_ = control;
  waiting_ = assembling_ = false, wanted_ = 0, vertex_dwords_ = 0;
  dwords_.clear(), edges_.clear();
  vertices_ = Control::USE_ALT_NUM_VERTS::get(control) ? r.get<VAP_ALT_NUM_VERTICES::NUM_VERTICES>()
                                                       : Control::NUM_VERTICES::get(control);
  if (r.get<VAP_CNTL::VAP_NO_RENDER>()) return {};
  switch (Control::PRIM_WALK::get(control)) {
    case Control::PRIM_WALK::Indexes: {
      uint64_t halves = uint64_t(vertices_) * (Control::INDEX_SIZE::get(control) ? 2 : 1);
      if (Control::PRIM_TYPE::get(control) == Control::PRIM_TYPE::Triangle_with_wFlags) halves += vertices_ / 3;
      wanted_ = (halves + 1) / 2;
      break;
    }
    case Control::PRIM_WALK::Vertex_Data:
      vertex_dwords_ = r.get<VAP_VTX_SIZE::DWORDS_PER_VTX>();
      wanted_ = uint64_t(vertices_) * vertex_dwords_;
      break;
    case Control::PRIM_WALK::State_Based_Vertex_Data:
      assembling_ = true;
      vertex_dwords_ = assembled_dwords(r);
      return {};
    default: break;
  }
  // The dwords are kept until the last is there.
  if (wanted_ > c_.options.limits.dwords) {
    c_.lose(fmt::format("a draw of {} vertices wants {} dwords through the port", vertices_, wanted_));
    return {};
  }
  if (!wanted_) return DrawCall{control_, vertices_, {}, vertex_dwords_};
  waiting_ = true;
  return {};
}

std::optional<DrawCall> VertexPort::take(std::span<const uint32_t> dwords) {
  if (c_.lost()) return {};
  if (!waiting_) {
    if (!dwords.empty() && !c_.registers.get<VAP_CNTL::VAP_NO_RENDER>()) c_.unknown("dwords for a vertex port without a draw");
    return {};
  }
  const uint64_t missing = wanted_ - dwords_.size();
  if (dwords_.empty() && dwords.size() >= missing) {
    waiting_ = false;
    return DrawCall{control_, vertices_, dwords.first(size_t(missing)), vertex_dwords_};
  }
  dwords_.insert(dwords_.end(), dwords.begin(), dwords.begin() + long(std::min<uint64_t>(missing, dwords.size())));
  if (dwords_.size() < wanted_) return {};
  waiting_ = false;
  return DrawCall{control_, vertices_, dwords_, vertex_dwords_};
}

std::optional<DrawCall> VertexPort::emit_vertex() {
  if (c_.lost() || c_.registers.get<VAP_CNTL::VAP_NO_RENDER>()) return {};
  if (!assembling_) {
    c_.unknown("a vertex of VAP_VTX_ST without a draw");
    return {};
  }
  if (dwords_.size() + vertex_dwords_ > c_.options.limits.dwords) {
    c_.lose(fmt::format("a draw of {} dwords in immediate mode", dwords_.size()));
    return {};
  }
  edges_.push_back(assemble_vertex(c_, dwords_));
  dwords_.resize(edges_.size() * vertex_dwords_);  // (what a vertex has is said when the draw begins)
  if (edges_.size() < vertices_ || !vertices_) return {};
  return end_vertices();
}

std::optional<DrawCall> VertexPort::end_vertices() {
  if (!assembling_) return {};
  assembling_ = false;
  return DrawCall{control_, uint32_t(edges_.size()), dwords_, vertex_dwords_, edges_};
}

// Indices may come with a packet of their own, vertices may not.
bool VertexPort::end_packet() {
  if (!waiting_ || Control::PRIM_WALK::get(control_) != Control::PRIM_WALK::Vertex_Data) return true;
  waiting_ = false;
  return c_.lose(fmt::format("the packet has {} dwords of vertices; {} vertices need {}", dwords_.size(), vertices_, wanted_));
}

}  // namespace Atoll::r5xx
