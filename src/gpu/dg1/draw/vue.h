// A vertex as it stands in the URB (its "VUE"): slots of four dwords. Slot 0 is the header, 1 the position, 2 and 3 are clip and cull
// distances where a program has some; attributes follow. PRM volume 2a, "Vertex URB Entry (VUE) Formats"; Mesa 22.3.6 brw_vue_map.c.
#pragma once
#include <cstdint>

#include "gpu/dg1/draw/attributes.h"
#include "pipeline/stages.h"

namespace Atoll::dg1 {

// The stage whose vertices are drawn: the last one that is enabled.
Stage last_vertex_stage(const GraphicsState& state);

// 3DSTATE_CLIP's bits for clip and cull distances where it forces them, else those of the last stage.
struct DistanceBits {
  uint8_t clip = 0, cull = 0;
};
DistanceBits find_distances(const GraphicsState& state);

// The fields of a vertex that the fixed functions read.
struct VueReader {
  bool layer = false;                              // header dword 1, unless CLIP forces 0
  uint32_t most_viewports = 0;                     // header dword 2 up to that: CLIP's Maximum VP Index; numbers beyond are 0
  bool point_size = false;                         // header dword 3, where SF says that it is the vertex's
  bool distances[2] = {};                          // the slots behind the positions
  unsigned position = 1, positions = 1;            // slot of the replica's, and how many there are
  uint32_t layer_offset = 0, viewport_offset = 0;  // of the replica
  unsigned first_attribute = 0;                    // slot
  unsigned attributes = 0;

  // `slots`: how many the entry has room for; those beyond are 0. `attributes`: four floats each, raw bits.
  void read(const uint32_t* vue, unsigned slots, pipeline::Vertex& vertex, float* attributes) const;
};
VueReader find_vue_reader(const GraphicsState& state, const AttributeMap& attributes, unsigned replica = 0);

// Replicas of each primitive that are drawn, one behind the other in vertices' positions: those of the mask, of as many as there are.
// 3DSTATE_PRIMITIVE_REPLICATION as anv's multiview sets it (Mesa 22.3.6 genX_pipeline.c, emit_3dstate_primitive_replication; positions
// stand in the slots from 1 on, distances behind them: brw_vue_map.c).
struct Replicas {
  unsigned count = 1;
  uint32_t mask = 1;
};
Replicas find_replicas(const GraphicsState& state);

}  // namespace Atoll::dg1
