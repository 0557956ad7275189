// Draws that go through stages behind the vertex shader (hull, tessellator, domain, geometry) or into stream output: their primitives are
// given to the pipeline (pipeline/draws/given_primitives.h).
#pragma once
#include "gpu/dg1/draw/vertex_stage.h"
#include "pipeline/draw.h"
#include "pipeline/workers.h"

namespace Atoll::dg1 {

// True if a draw goes through such stages.
bool is_staged(const GraphicsState& state);

// `draw`: its input assembly as 3DPRIMITIVE and the state say it, fixed functions and pixel stage; it has no vertex stage. `provoking`:
// which of its vertices a primitive of a topology has its flat attributes from. Work of draws before is done first. Adds to `counters`.
// False: the context is lost.
using ProvokingOf = pipeline::ProvokingVertex (*)(const GraphicsState& state, pipeline::Topology topology);
bool run_staged_draw(Context& context, VertexSource source, const AttributeMap& attributes, ProvokingOf provoking,
                     pipeline::Draw& draw, pipeline::Counters& counters);

}  // namespace Atoll::dg1
