// Operations of fixed functions on whole surfaces: fast clears of colours, WM_HZ_OP's clears of depths and stencils, and those that mean
// nothing for surfaces that are kept plain (resolves, the ambiguation of metadata).
#pragma once
#include "gpu/dg1/draw/vertex_fetch.h"

namespace Atoll::dg1 {

// Whether a draw with this state is no draw, but an operation on its render target: its pixel shader does not run.
bool is_target_operation(const GraphicsState& state);
// That operation. False: the context is lost.
bool run_target_operation(Context& context, const DrawParameters& parameters);

// What 3DSTATE_WM_HZ_OP asks for, when it comes.
bool run_depth_operation(Context& context);

}  // namespace Atoll::dg1
