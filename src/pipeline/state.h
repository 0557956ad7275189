// The state of a draw: plain structs with neutral enums, filled by gpu/<family> from its registers before every draw.
// Nothing here knows a register. Terms and meanings: Vulkan 1.3 chapters 21 (drawing), 25 (fixed-function vertex
// post-processing), 26 (rasterization), 27 (fragment operations), 28 (framebuffer); OpenGL 4.6 compatibility profile for what
// Vulkan lacks (quads, polygons, edge flags, logic ops on colour).
#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "surface/format.h"

namespace Atoll::pipeline {

// --- input assembly
enum class Topology : uint8_t {
  points,
  lines,
  line_strip,
  line_loop,
  triangles,
  triangle_strip,
  triangle_fan,
  quads,
  quad_strip,
  polygon,
  rectangles,  // three corners each: top left, top right or bottom left in any order; the fourth is made by parallelogram
  lines_adjacency,
  line_strip_adjacency,
  triangles_adjacency,
  triangle_strip_adjacency,
  patches,
};

enum class ProvokingVertex : uint8_t { first, last };

struct Assembly {
  Topology topology = Topology::triangles;
  ProvokingVertex provoking = ProvokingVertex::first;
  bool provoking_of_quads_is_last = false;  // quads, quad strips and polygons take flat attributes from their last vertex
  bool restart = false;                     // `restart_index` in the index buffer begins a new strip
  uint32_t restart_index = ~0u;
  bool restart_without_indices = false;  // without indices the vertex with that number begins a new strip
  unsigned patch_vertices = 0;
  uint32_t first_primitive = 0;           // the number of an instance's first primitive
  bool primitives_go_on = false;          // later instances continue the count
  bool vertices_have_primitives = false;  // VertexBatch::primitive is filled; then primitives share no vertices
  // Odd triangles of strips with adjacency begin with their vertex that comes first in the strip, not with the second one; the
  // winding is the same (input_primitives.h).
  bool odd_adjacency_from_first = false;
  // Triangles of strips, with adjacency or without, keep the order of the vertices: odd ones are wound the other way.
  bool strips_keep_order = false;
  // Strips continue others that were cut after an odd number of triangles: their even triangles are wound as odd ones are
  // elsewhere.
  bool strips_begin_odd = false;
};

// Vertex numbers of a draw. Without indices vertex n is number n + base_vertex.
struct Vertices {
  uint32_t count = 0;      // per instance
  uint32_t instances = 1;  // 0 draws nothing
  uint32_t first_instance = 0;
  const uint8_t* indices = nullptr;    // little endian, `index_bytes` each; readable for `index_limit` of them
  unsigned index_bytes = 0;            // 0 (none), 1, 2, 4
  uint64_t index_limit = 0;            // indices at or beyond are 0
  unsigned index_swap = 0;             // of bytes: exclusive or on each byte's place in its dword, all of which is readable
  int64_t base_vertex = 0;             // added to every index (modulo 2^32)
  uint32_t lowest = 0, highest = ~0u;  // vertex numbers are clamped to this range after the addition
};

// --- vertex post-processing

// Screen x = clip.x / clip.w * scale + offset, and so on; y grows downwards on the screen.
struct Viewport {
  std::array<float, 3> scale{1, 1, 1}, offset{0, 0, 0};
  float depth_low = 0, depth_high = 1;  // depth is clamped to this range after the offset of polygons
  bool depth_is_w = false;              // depth is made of w instead of z: w * scale + offset, linear on the screen
  bool operator==(const Viewport&) const = default;
};

struct Rectangle {
  int left = 0, top = 0, right = 0, bottom = 0;  // pixels; right and bottom are outside
  bool operator==(const Rectangle&) const = default;
};

// The primitives that Vertex::killed drops.
enum class Killed : uint8_t { never, by_all_vertices, by_any_vertex };

// Clipping of NaN and infinite positions, in addition to Outcode's rules (Sea Islands' PA_CL_NANINF_CNTL).
struct NonFinite {
  // A NaN in the vertex program's position counts as an infinity; an infinite distance drops the primitive.
  bool xy_nan_to_infinity = false, z_nan_to_infinity = false, w_nan_to_infinity = false, drop_infinite_distances = false;
  // On the way to the screen: infinite coordinates and reciprocals drop the primitive, 0 times anything is 0, the reciprocal of a NaN
  // is 0.
  bool drop_infinite_xy = false, drop_infinite_z = false, drop_infinite_w = false;
  bool zero_wins = false, reciprocal_nan_is_zero = false;
  bool operator==(const NonFinite&) const = default;
};

// Clipping of points at a plane: by their centre; by a circle around it, which must lie entirely beyond the plane for the point
// to be dropped; by that circle, and a point whose circle crosses a plane becomes a rectangle, which is clipped; always as a
// rectangle.
enum class PointAtPlanes : uint8_t { centre, radius, rectangle_across, rectangle };

struct Clip {
  bool enable = true;  // off: positions are used as they are, nothing is cut (window coordinates)
  bool divide = true;  // positions are in clip space; off: x, y, z are not divided by w
  bool viewport_transform = true;
  bool w_is_reciprocal = false;          // position.w holds 1/w already (where divide is off)
  bool depth_from_zero = false;          // the near plane is z = 0 (not z = -w)
  bool cut_near = true, cut_far = true;  // off: depth clamp
  bool cuts_are_edges = false;           // edges along clip planes are drawn if polygons are filled as lines or points
  uint8_t distances = 0;                 // bit n: Vertex::clip_distance[n] < 0 is cut off
  uint8_t cull_distances = 0;            // bit n: a primitive with clip_distance[n] < 0 at all vertices is dropped
  Killed killed = Killed::never;
  // Points are squares that `distances` cut, by planes in clip space; off: a point is kept or dropped by its centre.
  bool cut_points = false;
  std::array<std::array<float, 4>, 8> planes{};
  NonFinite non_finite;
  // Points have a size of their own at the planes of `point_planes`, in clip space; unused if there are no such planes.
  PointAtPlanes point_at_planes = PointAtPlanes::centre;
  uint8_t point_planes = 0;                                             // bit n: plane n, one of `distances` or `cull_distances`
  float point_radius_x = 0, point_radius_y = 0, point_cull_radius = 0;  // of a point of size 1, times w
  float point_size = 1;                                                 // where the vertex gives none
  bool point_top_is_positive = false;                                   // t is 0 at the edge with the larger y
  // Each corner goes through its own vertex's viewport, not all of them through the provoking vertex's.
  bool viewport_by_vertex = false;
  // Primitives are cut at guard band * w; the scissor removes what is inside the band but off the screen.
  float guard_band_x = 1, guard_band_y = 1;
};

// --- rasterization
enum class Fill : uint8_t { points, lines, triangles };
enum class GridRounding : uint8_t { truncate, nearest, nearest_even };

// Screen positions are rounded to multiples of 1 / `denominator` pixel.
struct Grid {
  unsigned denominator = 256;  // 12 and 16 on R5xx, 16 to 4096 on Sea Islands
  GridRounding rounding = GridRounding::nearest_even;
  float pixel_centre = 0.5f;  // the place of a pixel's centre: 0.5 (OpenGL, D3D10) or 0 (D3D9)
  float limit = 32768;        // positions beyond +-limit pixels are clamped
  unsigned dropped_bits = 0;  // low bits of a position inside its pixel that are taken as 0
};

struct SamplePosition {
  int8_t x = 0, y = 0;  // parts of a pixel, from its top left corner
  bool operator==(const SamplePosition&) const = default;
};

// The edges of a primitive that own the samples lying on them. A left edge has the inside on its right, and so on. An edge that is
// neither vertical nor horizontal counts as left or right, or (`by_rows`) as top or bottom.
struct EdgeRule {
  bool left = true, right = false, top = true, bottom = false, by_rows = false;
  bool operator==(const EdgeRule&) const = default;
};

// Pixels that are shaded as one: 1, 2 or 4 across and down, from even multiples of that on.
struct CoarsePixel {
  uint8_t width = 1, height = 1;
  bool is_single() const { return width == 1 && height == 1; }
  bool operator==(const CoarsePixel&) const = default;
};

// Rates (0 to 3) of blocks of 8x8 pixels, row after row; 0 beyond them.
struct CoarsePlaces {
  unsigned columns = 0, rows = 0;
  std::vector<uint8_t> rate;
  unsigned at(unsigned column, unsigned row) const {
    return column < columns && row < rows ? rate[size_t(row) * columns + column] & 3u : 0;
  }
};

struct Rasterization {
  Grid grid;
  EdgeRule triangle_edges, rectangle_edges, point_edges;
  // Edge rules by a line's direction: [2 * n + minor], n = right, left, down, up by its major axis; `minor`: 1 where it leans up or left.
  std::array<EdgeRule, 8> line_edges{};
  bool cull_front = false, cull_back = false, front_is_clockwise = false;  // as seen on the screen, y downwards
  Fill fill_front = Fill::triangles, fill_back = Fill::triangles;
  bool faces_back = false;  // points and lines that are no filled polygons count as seen from behind
  // `touched`: polygons cover all samples of every pixel that they touch, and a little more at sharp corners; those that are seen from
  // their side count as well. `whole`: only of the pixels that lie inside of them. All samples are at the centre then.
  enum class Conservative : uint8_t { off, touched, whole };
  Conservative conservative = Conservative::off;
  bool discard = false;  // nothing is rasterised
  bool offset_front = false, offset_back = false, offset_points_and_lines = false;
  struct DepthOffset {
    float factor = 0, units = 0, clamp = 0;
  } depth_offset_front, depth_offset_back;
  // A unit is 2^offset_exponent; for floating-point depth it is multiplied by the power of two in the primitive's greatest depth.
  int offset_exponent = -24;
  bool offset_of_floats = false;
  float line_width = 1;
  bool rectangular_lines = false;  // lines are rectangles with one sample as well
  // With several samples lines are parallelograms whose ends lie along the minor axis; their width counts along it, or (expanded) across.
  bool lines_end_along_axis = false, line_width_expanded = false;
  // Antialiased lines, of `line_width` across: rectangles that go beyond the line's ends. A pixel's source alpha is multiplied by its
  // coverage: distances from the rectangle's edges times slope plus bias, each cut to 0..1, those of both ends and of both sides, or of the
  // nearer side alone, multiplied. Not where samples lie apart.
  struct SmoothLines {
    struct Ramp {
      float slope = 1, bias = 0;  // of pixels
    } side, end;
    bool nearest_side = false;
    float beyond = 0.5f;  // pixels
  };
  std::optional<SmoothLines> smooth_lines;
  bool sort_lines = false;  // lines start at the end with the smaller x, or if those are equal with the smaller y
  // PrimitiveAttributes::along counts pixels along lines from `line_start` on: through all lines of the draw, or for each line
  // anew.
  bool measure_lines = false, measure_each_line = false;
  double line_start = 0;
  bool line_stipple = false;
  uint16_t line_stipple_pattern = 0xffff;
  unsigned line_stipple_factor = 1;
  // The pattern restarts with each strip (a list's lines are strips of one, a polygon's outline is one), with each line of a strip, or
  // never in the draw; the draw begins line_stipple_start pixels into it.
  enum class StippleReset : uint8_t { strips, lines, none } line_stipple_reset = StippleReset::strips;
  uint32_t line_stipple_start = 0;
  // A coordinate along lines, for programs: it goes on from line to line, in pixels times `scale`.
  struct LineCoordinate {
    enum class Reset : uint8_t { none, lines, strips, outlines } reset = Reset::none;  // the count restarts after each of these
    // For lines drawn as rectangles: the coordinate counts the line's own length, not its extent along the major axis; and the next line
    // continues from its exact end, not from the next whole pixel.
    bool full_length = false, fractions = false;
    bool from_first_pixel = false;  // of lines without width: the first pixel's centre has what the line begins with
    float scale = 1;
    uint32_t start = 0;  // of the draw's first line, in 1/256 pixel
  };
  std::optional<LineCoordinate> line_coordinate;
  float point_width = 1, point_height = 1;  // pixels, if the vertex gives none
  float point_least = 1, point_most = 8192;
  bool point_size_from_vertex = false;
  // Points are round: they have the samples that lie in the circle. With one sample, source alpha is multiplied by the pixel's
  // coverage, by its distance from the circle as for lines' sides.
  std::optional<SmoothLines::Ramp> round_points;
  bool sprite_origin_bottom = false;  // t of a point's coordinates grows upwards
  bool last_line_pixel = false;
  // Lines' ends by Direct3D's diamonds, which have their lower edges, not by OpenGL's, which have none.
  bool direct3d_diamonds = false;
  unsigned samples = 1;  // 1, 2, 4, 8, 16
  std::array<SamplePosition, 16> sample_positions{{{8, 8}}};
  unsigned sample_grid = 16;      // the parts that positions count: 16 (Sea Islands), 12 or 16 (R5xx)
  uint32_t sample_mask = 0xffff;  // of a pixel's samples
  // The number of samples whose depth is computed at their own place: the others take the depths of these in turn. 0: all.
  unsigned depth_samples = 0;
  // Parts of a pixel (of `sample_grid`) that are ignored at the borders of blocks of 8x8 pixels, and of quads, when testing which
  // of them a primitive touches.
  uint8_t block_margin_x = 0, block_margin_y = 0, quad_margin = 0;
  bool has_margins() const { return block_margin_x || block_margin_y || quad_margin; }
  // A pixel's only sample is not at its centre: values interpolated at the centre differ from those at the sample.
  bool off_centre_sample = false;
  // Set if each pixel of a quad has sample positions of its own: those of the top right, bottom left and bottom right one (the ones
  // above are the top left's then).
  struct PixelSamples {
    std::array<SamplePosition, 16> positions;
    uint32_t mask = 0xffff;
  };
  std::optional<std::array<PixelSamples, 3>> other_pixels;
  // Coverage is found at `samples` places for targets of one sample, which is drawn where any of them is inside; the pixel stage
  // sees all of them.
  bool over_rasterize = false;
  bool sample_shading = false;   // the pixel stage runs once a sample
  unsigned shaded_samples = 16;  // or so many times, each for one sample and those whose number is higher by a multiple of that
  // Sizes of coarse pixels, by the place's rate and the primitive's: [place * 16 + primitive]. A place's is that of its block of 8x8
  // pixels (0 where there are none); a primitive's the number of its viewport, or (coarse_by_rate) PrimitiveAttributes::rate. If
  // any is not single: for stages of one_primitive(), without sample shading and reads_colours().
  std::array<CoarsePixel, 64> coarse{};
  bool coarse_by_rate = false;
  std::shared_ptr<const CoarsePlaces> coarse_places;
  bool has_coarse_pixels = false;
  // The order in which samples are preferred as a pixel's centroid, if it is not that of their numbers; and whether samples
  // outside of the mask count as covered for it.
  std::optional<std::array<uint8_t, 16>> centroid_order;
  bool centroid_before_mask = false;
  std::vector<Rectangle> scissors;  // all of them hold
  // Pixels are drawn where bit (in0 | in1 << 1 | in2 << 2 | in3 << 3) of `rule` is set, in_n: inside clip_rectangles[n].
  bool use_clip_rectangles = false;
  std::array<Rectangle, 4> clip_rectangles{};
  uint16_t clip_rectangle_rule = 0xffff;
  // Filled polygons are drawn at pixels whose bit x % 32 is set in row y % 32.
  bool polygon_stipple = false;
  std::array<uint32_t, 32> polygon_stipple_rows{};
};

// --- fragment operations
enum class Compare : uint8_t { never, less, equal, less_equal, greater, not_equal, greater_equal, always };
enum class StencilOp : uint8_t {
  keep,
  zero,
  replace,
  increment_clamp,
  decrement_clamp,
  invert,
  increment_wrap,
  decrement_wrap,
  ones,        // all bits (Sea Islands DB_STENCIL_CONTROL)
  replace_op,  // by `op_value`
  and_op,
  or_op,
  xor_op,
  nand_op,
  nor_op,
  xnor_op,  // with `op_value`
};

struct StencilFace {
  Compare compare = Compare::always;
  StencilOp fail = StencilOp::keep, depth_fail = StencilOp::keep, pass = StencilOp::keep;
  uint8_t reference = 0, compare_mask = 0xff, write_mask = 0xff, op_value = 1;
};

// The interpretation of the words of an integer depth buffer in comparisons.
enum class DepthSign : uint8_t { none, twos_complement, magnitude };

struct DepthStencil {
  bool depth_test = false, depth_write = false, stencil_test = false;
  Compare depth_compare = Compare::always;
  DepthSign depth_sign = DepthSign::none;
  StencilFace front, back;
  bool bounds_test = false;
  float bounds_low = 0, bounds_high = 1;
  // The tests come before the pixel stage (which then cannot change their inputs), or after it. The caller decides from its
  // registers.
  bool early = true;
  bool count_samples = false;  // Counters::samples_passed counts
  // Samples are counted in layers with even numbers (bit 0) and odd ones (bit 1); also those that fail a test, if asked for.
  uint8_t counted_layers = 3;
  bool count_depth_fails = false, count_stencil_fails = false, count_bounds_fails = false;
  bool counts_fails() const { return count_depth_fails || count_stencil_fails || count_bounds_fails; }
  // Colours are written where a test fails; colours are not written where all tests pass. Only for tests after the pixel stage:
  // not `early`.
  bool colour_where_failed = false, no_colour_where_passed = false;
  bool selects_colour() const { return colour_where_failed || no_colour_where_passed; }
  // The depth buffer's value after the tests replaces output 0's red (a float), and the stencil buffer's replaces its
  // green (an integer), in all samples of a pixel that are drawn. The value is that of sample `copied_sample`, or of the first
  // drawn sample from that number on (then from 0 on).
  bool copy_depth = false, copy_stencil = false, copy_first_drawn = false;
  unsigned copied_sample = 0;
};

// A blend factor's operand: none; a component or the alpha of the source, the target, the blend constant or the second source; or
// min(source alpha, 1 - target alpha).
enum class BlendTerm : uint8_t {
  zero,
  source,
  source_alpha,
  target,
  target_alpha,
  saturate,
  constant,
  constant_alpha,
  second_source,
  second_source_alpha,
};
// The term, or one minus it: BlendFactor(term * 2 + is_one_minus). Families' tables give these for the hardware's numbers.
enum class BlendFactor : uint8_t {
  zero,
  one,
  source_colour,
  one_minus_source_colour,
  source_alpha,
  one_minus_source_alpha,
  target_colour,
  one_minus_target_colour,
  target_alpha,
  one_minus_target_alpha,
  source_alpha_saturate,
  constant_colour = 12,
  one_minus_constant_colour,
  constant_alpha,
  one_minus_constant_alpha,
  second_source_colour,
  one_minus_second_source_colour,
  second_source_alpha,
  one_minus_second_source_alpha,
};
constexpr BlendTerm term_of(BlendFactor factor) { return BlendTerm(unsigned(factor) / 2); }
constexpr bool is_one_minus(BlendFactor factor) { return unsigned(factor) % 2; }
static_assert(term_of(BlendFactor::one) == BlendTerm::zero && is_one_minus(BlendFactor::one));
static_assert(term_of(BlendFactor::source_alpha_saturate) == BlendTerm::saturate);
static_assert(term_of(BlendFactor::one_minus_second_source_alpha) == BlendTerm::second_source_alpha);
enum class BlendOp : uint8_t { add, subtract, reverse_subtract, min, max };
// Bit (source << 1 | target) of the value is the result's bit: clear 0, and 8, copy 12, xor 6, or 14, set 15.
using LogicOp = uint8_t;

// Pixels that are dropped because of their source colours: those with every component of `components` (bit 0 red, 3 alpha) below
// its bound, or not below.
struct SourceDiscard {
  enum class When : uint8_t { never, below, from } when = When::never;
  uint8_t components = 0;
  std::array<float, 4> bound{};
  bool operator==(const SourceDiscard&) const = default;
};

// The reduction of unorm components with `from` bits in a target that has fewer; 0 bits: none.
struct BitCut {
  uint8_t from = 0;
  bool rounds = false;  // to the nearest, else cut off
  bool operator==(const BitCut&) const = default;
};

// Texels that equal `colour` in the bits of `mask` have the bits of `flip` turned when they are written.
struct ColourFlip {
  bool enable = false;
  uint32_t colour = 0, mask = 0, flip = 0;
  bool operator==(const ColourFlip&) const = default;
};

struct Blend {
  bool enable = false;
  bool logic_op = true;                      // the draw's logic operation, if there is one, applies to this target
  std::optional<LogicOp> own_logic_op = {};  // or this one instead
  BlendFactor source_colour = BlendFactor::one, target_colour = BlendFactor::zero;
  BlendFactor source_alpha = BlendFactor::one, target_alpha = BlendFactor::zero;
  BlendOp colour = BlendOp::add, alpha = BlendOp::add;
  bool clamp_colour = false, clamp_alpha = false;  // the result is clamped to 0..1, even if the target could hold more
  bool clamp_source = true;                        // ColourOutput::clamp_before_blending is this target's as well
  bool clamp_constant = true;                      // clamps the blend constant as well
  // That range: the format's own, none of floats; or 0..1 or -1..1 whatever the format.
  enum class SourceRange : uint8_t { of_format, unorm, snorm } source_range = SourceRange::of_format;
  bool multiply_by_zero = false;  // the factor zero leaves no zero of infinities and NaNs
  uint8_t write_mask = 0xf;       // bit 0 red, 3 alpha, as the pixel stage has them
  SourceDiscard discard;          // where blending is enabled
  BitCut colour_cut, alpha_cut;
  bool operator==(const Blend&) const = default;
};

struct ColourOutput {
  std::array<Blend, 8> blend;
  std::array<float, 4> constant{};
  bool logic_op_enable = false;
  LogicOp logic_op = 12;
  ColourFlip flip;
  bool alpha_to_coverage = false, alpha_to_one = false;
  unsigned alpha_samples = 0;  // of which alpha lets a share through, 0: all of the targets'; fewer stand for those in turn
  // Added to that share before it is truncated to whole samples, in eighths of one, by pixel of a quad.
  std::array<uint8_t, 4> alpha_rounding{4, 4, 4, 4};
  bool alpha_in_order = false;  // the share is of the samples with the lowest numbers, whatever it is raised by
  bool dither = false;
  bool alpha_test = false;
  Compare alpha_compare = Compare::always;
  float alpha_reference = 0;
  // Colours are clamped to 0..1 (unorm) or -1..1 (snorm) before blending. Floats are not.
  bool clamp_before_blending = true;
};

}  // namespace Atoll::pipeline
