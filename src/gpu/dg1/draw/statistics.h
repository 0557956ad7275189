// The pipeline's counters, which are registers of a context: 64 bits each, that go on from draw to draw. PRM volume 2c, 3D pipeline
// statistics registers; Mesa 22.3.6 src/intel/genxml/gen12.xml.
#pragma once
#include "gpu/dg1/state/context.h"
#include "pipeline/draw.h"

namespace Atoll::dg1 {

namespace mmio {
inline constexpr uint32_t hs_invocations = 0x2300, ds_invocations = 0x2308, ia_vertices = 0x2310, ia_primitives = 0x2318,
                          vs_invocations = 0x2320, gs_invocations = 0x2328, gs_primitives = 0x2330, cl_invocations = 0x2338,
                          cl_primitives = 0x2340, ps_invocations = 0x2348, ps_depth_count = 0x2350;
}  // namespace mmio

// What a draw counted, where the state lets its stages count.
void count_statistics(Context& context, const pipeline::Counters& counters);

}  // namespace Atoll::dg1
