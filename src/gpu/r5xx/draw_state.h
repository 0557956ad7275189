// Registers to the pipeline's state, block by block: VAP and VTE to vertices, viewport and clipping; GA, SU, SC and GB to
// rasterization; ZB, FG and RB3D to fragment operations. R5xx Acceleration v1.3, 10.2 to 10.12. What a register asks for and the
// pipeline does not have is named in `unknown`.
#pragma once
#include <string>
#include <vector>

#include "gpu/r5xx/chip.h"
#include "gpu/r5xx/registers.h"
#include "gpu/r5xx/routing.h"
#include "gpu/r5xx/shader_memory.h"
#include "gpu/r5xx/targets.h"
#include "pipeline/draw.h"

namespace Atoll::r5xx {

// Null for a primitive type that draws nothing (None, the unused ones).
struct PrimitiveRow {
  uint32_t type;
  pipeline::Topology topology;
  DrawnKind kind;
};
const PrimitiveRow* primitive_row(uint32_t primitive_type);

unsigned sample_count(const RegisterFile& registers);
// Of VAP_CLIP_CNTL: bit n, plane n.
uint8_t user_clip_planes(const RegisterFile& registers);

void set_assembly(const RegisterFile& registers, const PrimitiveRow& primitive, pipeline::Assembly& assembly);
void set_viewport_and_clip(const RegisterFile& registers, pipeline::Draw& draw, std::vector<std::string>& unknown);
// The user's planes, for points; vertices have their distances from the vertex stage.
void set_clip_planes(const VertexMemory& memory, pipeline::Clip& clip);
void set_rasterization(const RegisterFile& registers, const VertexOutputs& outputs, pipeline::Rasterization& r,
                       std::vector<std::string>& unknown);
// `has_buffer`: a depth buffer is there to be read and written.
void set_depth_stencil(const RegisterFile& registers, bool has_buffer, pipeline::DepthStencil& state,
                       std::vector<std::string>& unknown);
// `buffers`: the render targets, for the components that they store.
void set_colour_output(const RegisterFile& registers, const std::array<ColourBuffer, 4>& buffers, pipeline::ColourOutput& output,
                       std::vector<std::string>& unknown);

}  // namespace Atoll::r5xx
