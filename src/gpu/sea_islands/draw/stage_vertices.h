// The vertices that a vertex-like stage (LS, ES, VS) runs on, and the VGPRs that its waves start with.
// The order of VGPRs: Mesa 22.3.6 src/gallium/drivers/radeonsi/si_shader.c (declare_vs_input_vgprs, declare_tes_input_vgprs).
#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "gpu/sea_islands/draw/grouper.h"
#include "gpu/sea_islands/draw/shader_stages.h"
#include "pipeline/stages.h"

namespace Atoll::sea_islands {

// Points that the tessellator made of the patches of one thread group.
struct DomainPoints {
  std::vector<float> u, v;
  std::vector<uint32_t> relative_patch;  // in the thread group
  std::vector<uint32_t> patch;           // in the draw's instance
  uint32_t offchip_offset = 0;           // of the thread group's hull shader outputs in their buffer, bytes
  void clear() { u.clear(), v.clear(), relative_patch.clear(), patch.clear(); }
};

// The way in which a stage's waves take their vertices.
struct VertexLoading {
  VertexKind kind = VertexKind::api;
  unsigned vgprs = 1;                          // loaded, from v0 on
  std::array<uint32_t, 2> step_rate = {1, 1};  // instances
  const DomainPoints* domain = nullptr;
  const Grouper* grouper = nullptr;  // the application's vertices are its groups
};
std::array<uint32_t, 2> instance_step_rates(const RegisterFile& registers);
template <class Stage>
VertexLoading vertex_loading(const RegisterFile& registers, VertexKind kind, const DomainPoints* domain, const Grouper* grouper) {
  return {kind, registers.get<typename Stage::Resource1::VGPR_COMP_CNT>() + 1, instance_step_rates(registers), domain, grouper};
}

// v0 and on of up to 64 vertices. api: vertex, instance by the first step rate, by the
// second (or the primitive, where the batch has it), instance. domain: u, v, patch in
// the thread group, patch in the draw; the batch's numbers are places in the list of points. copy: place in the GSVS ring.
void load_vertices(wave::Wave& wave, const VertexLoading& loading, const pipeline::VertexBatch& batch);

// Primitives whose vertices a stage has not run on yet.
struct StagePrimitives {
  VertexKind kind = VertexKind::api;
  const DomainPoints* domain = nullptr;
  std::vector<uint32_t> number, instance;  // of each vertex
  unsigned corners = 3;                    // of each primitive
  std::vector<uint32_t> corner;            // places in number[]
  std::vector<uint32_t> identifier;        // of each primitive, its number in the instance
  size_t count() const { return identifier.size(); }
  void clear() { number.clear(), instance.clear(), corner.clear(), identifier.clear(); }
};

}  // namespace Atoll::sea_islands
