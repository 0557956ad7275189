#include "gpu/dg1/draw/topology.h"

namespace Atoll::dg1 {

using namespace commands;
using pipeline::Topology;

namespace {

using Type = _3DSTATE_VF_TOPOLOGY::Primitive_Topology_Type;

enum class Selected : uint8_t { none, line, list, fan };  // which of 3DSTATE_SF's fields says its provoking vertex

struct Row {
  uint32_t type;
  Topology topology;
  Selected selected;
};
// Types with the same topology differ in raster_state.cpp and in strips_begin_odd below.
constexpr Row rows[] = {
    {Type::POINTLIST, Topology::points, Selected::none},
    {Type::LINELIST, Topology::lines, Selected::line},
    {Type::LINESTRIP, Topology::line_strip, Selected::line},
    {Type::TRILIST, Topology::triangles, Selected::list},
    {Type::TRISTRIP, Topology::triangle_strip, Selected::list},
    {Type::TRIFAN, Topology::triangle_fan, Selected::fan},
    {Type::QUADLIST, Topology::quads, Selected::list},
    {Type::QUADSTRIP, Topology::quad_strip, Selected::list},
    {Type::LINELIST_ADJ, Topology::lines_adjacency, Selected::line},
    {Type::LINESTRIP_ADJ, Topology::line_strip_adjacency, Selected::line},
    {Type::TRILIST_ADJ, Topology::triangles_adjacency, Selected::list},
    {Type::TRISTRIP_ADJ, Topology::triangle_strip_adjacency, Selected::list},
    {Type::POLYGON, Topology::polygon, Selected::none},
    {Type::RECTLIST, Topology::rectangles, Selected::none},
    {Type::LINELOOP, Topology::line_loop, Selected::line},
    {Type::TRISTRIP_REVERSE, Topology::triangle_strip, Selected::list},
    {Type::POINTLIST_BF, Topology::points, Selected::none},
    {Type::LINESTRIP_CONT, Topology::line_strip, Selected::line},
    {Type::LINESTRIP_BF, Topology::line_strip, Selected::line},
    {Type::LINESTRIP_CONT_BF, Topology::line_strip, Selected::line},
    {Type::TRIFAN_NOSTIPPLE, Topology::triangle_fan, Selected::fan},
};

}  // namespace

pipeline::ProvokingVertex provoking_of(const GraphicsState& state, Topology topology) {
  // The number of the vertex in its primitive; that of a triangle in a fan is 1 where APIs say the first, as the hub is 0. The
  // middle vertex of triangles, which nobody asks for, counts as the last.
  using pipeline::ProvokingVertex;
  const Row* row = std::ranges::find(rows, topology, &Row::topology);
  uint32_t vertex = 0, first = 0;
  switch (row == std::end(rows) ? Selected::none : row->selected) {
    case Selected::none: break;
    case Selected::line: vertex = uint32_t(state.get<_3DSTATE_SF::Line_Strip_List_Provoking_Vertex_Select>()); break;
    case Selected::list: vertex = uint32_t(state.get<_3DSTATE_SF::Triangle_Strip_List_Provoking_Vertex_Select>()); break;
    case Selected::fan: vertex = uint32_t(state.get<_3DSTATE_SF::Triangle_Fan_Provoking_Vertex_Select>()), first = 1; break;
  }
  return vertex <= first ? ProvokingVertex::first : ProvokingVertex::last;
}

bool find_assembly(Context& c, const DrawParameters& parameters, pipeline::Assembly& assembly) {
  const GraphicsState& state = c.graphics;
  const auto type = uint32_t(state.get<Type>());
  assembly.restart_index = uint32_t(state.get<_3DSTATE_VF::Cut_Index>());
  if (parameters.indexed) {
    assembly.restart = state.get<_3DSTATE_VF::Indexed_Draw_Cut_Index_Enable>();
  } else {
    // Vertices are counted from 0 here.
    assembly.restart = assembly.restart_without_indices = state.get<_3DSTATE_VF::Sequential_Draw_Cut_Index_Enable>();
    assembly.restart_index -= parameters.start_vertex;
  }
  if (type >= Type::PATCHLIST_1) {
    assembly.topology = Topology::patches;
    assembly.patch_vertices = type - Type::PATCHLIST_1 + 1;
    return true;
  }
  const Row* row = std::ranges::find(rows, type, &Row::type);
  if (row == std::end(rows))
    return c.lose(fmt::format("3DSTATE_VF_TOPOLOGY.Primitive Topology Type {}: there is no such value", type));
  assembly.topology = row->topology;
  // The rest of a strip that was cut behind an odd number of triangles (Intel 965 PRM volume 2, 7.2.5, "Triangle Strip Decomposition").
  assembly.strips_begin_odd = type == Type::TRISTRIP_REVERSE;
  assembly.provoking = provoking_of(state, row->topology);
  // Quads have the values of their last vertex whatever is selected (Mesa i965 brw_context.c, QuadsFollowProvokingVertexConvention).
  assembly.provoking_of_quads_is_last = row->topology == Topology::quads || row->topology == Topology::quad_strip;
  return true;
}

// The vertex fetcher adds the bases, so that vertices and instances have the numbers that shaders see.
bool find_vertices(Context& c, const DrawParameters& parameters, pipeline::Vertices& vertices) {
  const GraphicsState& state = c.graphics;
  vertices.count = parameters.vertices, vertices.instances = parameters.instances;
  if (!parameters.indexed) return true;
  using Buffer = _3DSTATE_INDEX_BUFFER;
  const auto format = uint32_t(state.get<Buffer::Index_Format>());
  if (format > Buffer::Index_Format::DWORD)
    return c.lose(fmt::format("3DSTATE_INDEX_BUFFER.Index Format {} does not exist", format));
  vertices.index_bytes = 1u << format;
  const uint64_t bytes = state.get<Buffer::Buffer_Size>(), skipped = uint64_t(parameters.start_vertex) * vertices.index_bytes;
  if (skipped >= bytes) return true;  // all of them are 0
  const uint64_t left = std::min((bytes - skipped) / vertices.index_bytes, uint64_t(parameters.vertices));
  const uint64_t address = stripped(state.get<Buffer::Buffer_Starting_Address>() + skipped);
  if (!left) return true;
  vertices.indices = c.memory(address, left * vertices.index_bytes, false, "read of indices");
  vertices.index_limit = left;
  return vertices.indices;
}

}  // namespace Atoll::dg1
