// 3DSTATE_VF_TOPOLOGY, provoking vertices and the index buffer as primitive assembly wants them. PRM volume 2a; volume 2b,
// 3D_Prim_Topo_Type.
#pragma once
#include "gpu/dg1/draw/vertex_fetch.h"
#include "pipeline/draw.h"

namespace Atoll::dg1 {

// The vertex that gives primitives of a topology their flat attributes.
pipeline::ProvokingVertex provoking_of(const GraphicsState& state, pipeline::Topology topology);

// False: the context is lost.
bool find_assembly(Context& context, const DrawParameters& parameters, pipeline::Assembly& assembly);
bool find_vertices(Context& context, const DrawParameters& parameters, pipeline::Vertices& vertices);

}  // namespace Atoll::dg1
