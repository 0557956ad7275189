// Operations of fixed functions on whole surfaces: fast clears of colours, WM_HZ_OP's clears of depths and stencils, and those that mean
// nothing for surfaces that are kept plain (resolves, the ambiguation of metadata).
#pragma once
#include "gpu/dg1/draw/vertex_fetch.h"

namespace Atoll::dg1 {

// True if a draw with this state is an operation on its render target: its pixel shader does not run.
bool is_target_operation(const GraphicsState& state);
// Runs that operation. False: the context is lost.
bool run_target_operation(Context& context, const DrawParameters& parameters);

// A fast clear only marks pixels as clear: they have the colour of the clear value address that later surface states have. It is filled in
// when it comes, with the colour of its own state's address; but drivers that convert colours themselves put another address there, since
// the GPU writes to it (Mesa 25.0.7 src/intel/blorp/blorp_genX_exec_brw.h, blorp_emit_surface_state). If a state that a draw or a
// walker may read has another address, the surface is filled with the colour that stands there; likewise where a command has written another
// colour to the address: iris of Mesa 25.0.7 clears a surface that is wholly clear a second time by that write alone. False: the context is lost.
bool settle_fast_clears(Context& context);  // by the binding tables of all stages
bool settle_fast_clears(Context& context, uint64_t binding_table, uint32_t entries);
// The draw's targets are written, or resolved: they are no longer clear by a mark. False: the context is lost.
bool forget_fast_clears(Context& context);

// All samples of the state's level and layer. False: the context is lost.
bool fill_with_zeros(Context& context, const SurfaceWords& state);

// A depth clear only marks pixels as clear as well: until they are written they are as deep as 3DSTATE_CLEAR_PARAMS says when they are used.
// iris of Mesa 25.0.7 clears a buffer that is wholly clear to another depth by that command alone (22.3.6 repeats the operation: iris_clear.c,
// fast_clear_depth). Before a draw or a resolve the buffer gets the depth that it asks for now. False: the context is lost.
bool settle_depth_clears(Context& context);
// The bound level and layers are written: what is clear of them is so no longer by a mark.
void forget_depth_clears(Context& context);

// Executes what 3DSTATE_WM_HZ_OP asks for.
bool run_depth_operation(Context& context);

}  // namespace Atoll::dg1
