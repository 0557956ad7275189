// Setup: assembled primitives are culled, cut, put on the grid and given their edges and planes (Vulkan 1.3 chapter 26).
#pragma once
#include "pipeline/front/assembly.h"
#include "pipeline/front/clip.h"
#include "pipeline/front/setup_part.h"

namespace Atoll::pipeline {

// False: nothing can be drawn (empty area, no targets).
bool make_constants(const Draw& draw, DrawConstants& constants);
// If the pixels of a quad have sample positions of their own (Rasterization::other_pixels): the constants of each pixel, by its lane in
// the quad. `constants`, which are the first pixel's, become those for setup, whose bounds hold for all.
std::array<DrawConstants, 4> constants_by_pixel(const std::array<Rasterization::PixelSamples, 3>& others,
                                                DrawConstants& constants);

// Values of given primitives, by Assembled::given.
struct GivenValues {
  const PrimitiveValues* values = nullptr;  // null: their provoking vertices' are
  const float* own = nullptr;               // PrimitiveAttributes::own, `own_floats` each; null: they have none
  unsigned own_floats = 0;
};

struct SetupInput {
  const DrawConstants& constants;
  const Vertex* vertices;
  const float* attributes;
  const ScreenVertex* screen;
  const std::array<GuardBand, 16>& guards;
  GivenValues given = {};

  // The primitive's layer and viewport: its own, or its provoking vertex's. Its rate is made of both.
  PrimitiveValues target_of(const Assembled& assembled) const {
    const Vertex& provoking = vertices[assembled.provoking];
    if (!given.values) return {provoking.layer, provoking.viewport, provoking.rate};
    PrimitiveValues own = given.values[assembled.given];
    own.rate |= provoking.rate;
    return own;
  }
};

// Appends what is left of the primitive to the part.
void set_up(const SetupInput& input, const Assembled& assembled, SetupPart& part);
// The same for primitives one after the other. `one_layer`: all vertices have layer, viewport and rate 0.
void set_up(const SetupInput& input, std::span<const Assembled> assembled, bool one_layer, SetupPart& part);

// --- triangles that are filled as they are, eight at once (setup_triangles.cpp)
struct TriangleSetup {
  const SetupInput& input;
  Rectangle area;            // scissors and targets
  bool perspective, linear;  // whether anybody asks for these weights: else they stay what they were
};
enum class TriangleState : uint8_t {
  dropped,
  set_up,
  uncovered,  // no sample lies inside, but it goes into a tile for whoever counts
  other,      // not for this way
};

// --- its steps, by kind of primitive
// A corner on the screen, with its weights of the original vertices b and c.
struct Corner {
  int32_t x, y;
  double z, one_over_w;
  double i, j;                // perspective weights
  double linear_i, linear_j;  // weights on the screen
  bool edge = true;
};
struct SetupTarget {
  const SetupInput& input;
  const Assembled& assembled;
  SetupPart& part;
  unsigned viewport;
  bool whole_rectangle = false;  // a rectangle that is not cut
  double polygon_offset = 0;     // of depth, for polygons' edges and corners
};
// `outer`: a bit for each edge (from corner n) that is not one between two of the triangles that a polygon is cut into.
inline constexpr unsigned all_outer = ~0u;
void set_up_triangle(const SetupTarget& target, const Corner corners[3], bool front, unsigned outer = all_outer);
void set_up_rectangle(const SetupTarget& target, const Corner corners[3], bool front);
void set_up_point(const SetupTarget& target, const Corner& corner, float size_from_vertex, const PrimitiveAttributes& attributes);
void set_up_line(const SetupTarget& target, const Corner& from, const Corner& to, const PrimitiveAttributes& attributes);

// The pixels that scissors and targets leave of what goes to a viewport (0 to 15).
Rectangle area_of(const DrawConstants& constants, unsigned viewport);
// The linear function through three corners' values; `reference` is corner 0.
Plane plane_through(const DrawConstants& constants, const Corner corners[3], double v0, double v1, double v2);
// The edge from (x0, y0) to (x1, y1); `sign` (1 or -1) says which side is inside.
void set_edge(Primitive& primitive, const EdgeRule& rule, unsigned edge, int64_t x0, int64_t y0, int64_t x1, int64_t y1,
              int sign);
// Bounds from the grid rectangle that holds the primitive, then into the bins.
void bound_and_bin(const SetupTarget& target, Primitive& primitive, int64_t left, int64_t top, int64_t right, int64_t bottom);
// Puts primitive `index` of the part into the bins of the tiles that it may touch. False: there are none.
bool put_in_bins(const DrawConstants& constants, SetupPart& part, uint32_t index);
// Planes, attributes and depth range that all kinds share; the reference point is corner 0.
void set_planes(const SetupTarget& target, Primitive& primitive, const Corner corners[3]);
PrimitiveAttributes attributes_of(const SetupInput& input, const Assembled& assembled);
double depth_offset(const DrawConstants& constants, const Rasterization::DepthOffset& offset, double slope, double max_z);

}  // namespace Atoll::pipeline
