// The port that collects a draw: VAP_VF_CNTL begins it, and the indices or vertices that it wants come as dwords of the command
// stream (VAP_PORT_*). R5xx Acceleration v1.3, 10.11.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "gpu/r5xx/context.h"

namespace Atoll::r5xx {

class VertexPort {
public:
  explicit VertexPort(Context& context) : c_(context) {}

  // The draw, if it wants no dwords.
  std::optional<DrawCall> begin(Word<VAP_VF_CNTL> control);
  // The draw, if these were the last dwords it waited for; they are valid until the port is used again.
  std::optional<DrawCall> take(std::span<const uint32_t> dwords);
  // Immediate mode: a vertex of the state that stands in registers, and the end of its vertices. The draw, if it has all of them.
  std::optional<DrawCall> emit_vertex();
  std::optional<DrawCall> end_vertices();
  // A draw that still waits for vertices gets none from a later packet: false, the context is lost.
  bool end_packet();
  uint64_t missing() const { return waiting_ ? wanted_ - dwords_.size() : 0; }  // dwords

private:
  Context& c_;
  bool waiting_ = false;     // for dwords
  bool assembling_ = false;  // vertices of the state
  Word<VAP_VF_CNTL> control_{0};
  uint32_t vertices_ = 0;
  uint64_t wanted_ = 0;  // dwords
  std::vector<uint32_t> dwords_;
  unsigned vertex_dwords_ = 0;
  std::vector<uint8_t> edges_;  // a vertex of the state each
};

}  // namespace Atoll::r5xx
