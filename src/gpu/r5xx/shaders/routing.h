// How attributes travel from the vertex engine to the pixel shader: which vectors of a vertex are its position, point size,
// colours and texture coordinates (VAP_OUT_VTX_FMT), and which of their components the rasteriser writes to which register of a
// pixel (RS_IP, RS_INST, GB_ENABLE, GA_COLOR_CONTROL). R5xx Acceleration v1.3, 10.4 to 10.6, 10.11; the order of a vertex's
// vectors: Mesa 22.3.6 r300_vs.c (set_vertex_inputs_outputs), without vertex shader r300_state_derived.c (stream_loc_notcl).
#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "gpu/r5xx/context.h"

namespace Atoll::r5xx {

inline constexpr int absent = -1;

// Vectors (of the vertex shader's outputs, or of the input memory where it is bypassed) and the attributes that they become.
struct VertexOutputs {
  int position = absent, point_size = absent;
  std::array<int, 4> colour{absent, absent, absent, absent};
  std::array<int, 8> texture{absent, absent, absent, absent, absent, absent, absent, absent};
  std::array<uint8_t, 8> texture_components{};
  // Numbers of the pipeline's attributes.
  std::array<int, 4> colour_attribute{absent, absent, absent, absent};
  std::array<int, 8> texture_attribute{absent, absent, absent, absent, absent, absent, absent, absent};
  unsigned attributes = 0;
};
VertexOutputs vertex_outputs_of(const RegisterFile& registers);

enum class RouteKind : uint8_t {
  zero,
  one,
  attribute,       // interpolated
  flat_attribute,  // the provoking vertex's
  point_s,         // stuffed coordinates of points
  point_t,
  line_s,      // and of lines
  line_t,      // how far along the line
  solid,       // the fill colour
  fog,         // the fog's value, stuffed
  triangle_s,  // stuffed coordinates of triangles: places on the screen
  triangle_t,
  back_face,  // 1 for pixels of back-facing primitives
  screen_x,
  screen_y,
};

// One channel of one pixel register.
struct Route {
  RouteKind kind = RouteKind::zero;
  bool centroid = false;
  uint8_t temporary = 0, channel = 0;
  uint16_t source = 0, back_source = 0;  // attribute * 4 + component, of front- and back-facing primitives
  bool to_depth = false;                 // instead of a register: the W that takes depth's place (US_W_FMT, RS_COUNT.W_ADDR)
  bool wraps = false;                    // an attribute that goes from vertex to vertex the short way round (SU_TEX_WRAP)
  bool operator==(const Route&) const = default;
};

// The value that a pixel's fog comes from (GB_SELECT.FOG_SELECT, GA_FOG_SCALE, GA_FOG_OFFSET).
struct Fog {
  Route source;  // of the alpha of a colour; kind one: of w or z
  bool of_z = false;
  float scale = 0, offset = 0;
  bool stuffed = false;  // a route has it
};

struct Routing {
  std::vector<Route> routes;
  bool perspective = true;
  bool uses_centroid = false;
  std::array<float, 2> point_s{0, 1}, point_t{0, 1};  // at the left and right, at the top and bottom edge
  std::array<float, 2> line_s{0, 1};
  float line_scale = 0;                   // what pixels along lines are multiplied by
  std::array<float, 2> triangle_scale{};  // what a pixel's place is multiplied by
  std::array<float, 4> solid{};
  Fog fog;

  // True if a pixel's values depend only on its primitive's attributes and facing, not on its position.
  bool of_attributes_alone() const;
};

// As pipeline::PrimitiveKind has them.
enum class DrawnKind : uint8_t { points, lines, triangles };
Routing routing_of(Context& context, const VertexOutputs& outputs, DrawnKind kind);

}  // namespace Atoll::r5xx
