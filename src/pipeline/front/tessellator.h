// The fixed-function tessellator: the points of a patch's domain and the primitives between them, from its tessellation factors.
// Direct3D 11.3 Functional Specification "Tessellator" stage; positions are in 16.16 fixed point and split in ruler order as the
// specification's reference tessellator does it, so that neighbouring patches agree on their edges.
#pragma once
#include <cstdint>
#include <vector>

namespace Atoll::pipeline {

enum class Domain : uint8_t { isolines, triangles, quads };
enum class Partitioning : uint8_t { integer, power_of_two, fractional_odd, fractional_even };
enum class TessellatorOutput : uint8_t {
  points,
  lines,
  clockwise,
  counterclockwise
};  // triangles, as seen with v growing downwards

struct TessellatorState {
  Domain domain = Domain::triangles;
  Partitioning partitioning = Partitioning::integer;
  TessellatorOutput output = TessellatorOutput::clockwise;
};

struct Tessellation {
  std::vector<float> u, v;       // of each point; of triangles w is 1 - u - v
  std::vector<uint32_t> corner;  // places in u and v, `corners` for each primitive
  unsigned corners = 3;
  void clear() { u.clear(), v.clear(), corner.clear(); }
};

// The factors of a patch. triangles: edges u = 0, v = 0, w = 0. quads: u = 0, v = 0, u = 1, v = 1. isolines: segments of a line,
// lines. A factor that is not above 0, NaN among them, culls the patch: nothing comes out.
struct TessellationFactors {
  float edge[4] = {1, 1, 1, 1};
  float inside[2] = {1, 1};  // along u and v; triangles have the first
};

void tessellate(const TessellatorState& state, const TessellationFactors& factors, Tessellation& result);

}  // namespace Atoll::pipeline
