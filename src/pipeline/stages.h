// Shader stages as the pipeline calls them. The GPU family implements them with waves: it fills registers from a batch, runs the
// program, takes its outputs. All calls happen on Atoll's own threads; `worker` tells them apart (0 to workers - 1), so that a
// stage keeps waves and storage for each.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pipeline/colour_path.h"
#include "pipeline/state.h"

namespace Atoll::pipeline {

inline constexpr unsigned max_attributes = 32;  // of four floats each

// A shaded vertex. Attributes stand apart: four floats each, `attribute_count` of them.
struct Vertex {
  float position[4] = {0, 0, 0, 1};
  float clip_distance[8] = {};
  float point_size = 1;
  uint32_t layer = 0, viewport = 0;
  bool edge = true;     // the edge that begins here is drawn when triangles are filled as lines
  bool killed = false;  // Clip::killed
  uint8_t rate = 0;     // of shading (Rasterization::coarse_by_rate), as the provoking vertex has it
};

// Vertices to shade: numbers after base vertex and clamping; instance n counts from first_instance.
struct VertexBatch {
  std::span<const uint32_t> number;
  std::span<const uint32_t> instance;
  std::span<const uint32_t> primitive = {};  // the primitive of each vertex (Assembly::vertices_have_primitives), else empty
};

class VertexStage {
public:
  virtual ~VertexStage() = default;
  virtual unsigned attribute_count() const = 0;
  // The number of vertices that the stage prefers in a batch (its wave's lanes).
  virtual unsigned batch_size() const = 0;
  // `attributes`: batch size * attribute_count * 4 floats, vertex after vertex. False: the shader failed (fault, hang); the stage
  // keeps the report and the draw ends.
  virtual bool shade(unsigned worker, const VertexBatch& batch, Vertex* vertices, float* attributes) = 0;
};

enum class PrimitiveKind : uint8_t { point, line, triangle };

// A primitive as its pixels see it. An attribute at a pixel is a + i * (b - a) + j * (c - a), i and j its barycentrics.
// Points: i and j are the coordinates in the point, 0 to 1 from its left and top (or bottom) edge; b and c are a. Lines: i goes
// from a to b, c is a. Sides and corners of triangles that are filled as lines or points are lines and points here.
struct PrimitiveAttributes {
  const float* a = nullptr;  // of attribute_count * 4 floats
  const float* b = nullptr;
  const float* c = nullptr;
  const float* provoking = nullptr;  // the vertex whose value flat attributes take
  PrimitiveKind kind = PrimitiveKind::triangle;
  bool front = true;
  uint32_t primitive = 0;  // its number in the draw (and instance)
  uint32_t layer = 0, viewport = 0;
  // For lines: the distances of their two vertices along them (Rasterization::measure_lines).
  std::array<float, 2> along{};
  const float* own = nullptr;  // attributes of the primitive itself, the same at all its pixels; null if it has none
  uint8_t rate = 0;            // of shading: 0 to 15, the provoking vertex's bits and the primitive's own
};

// The layer and viewport of a primitive that has its own (given_primitives.h), and its bits of the rate of shading.
struct PrimitiveValues {
  uint32_t layer = 0, viewport = 0;
  uint8_t rate = 0;
};

// The barycentrics that a stage may want; others are not computed.
enum BarycentricSet : uint8_t {
  PERSPECTIVE_SAMPLE,
  PERSPECTIVE_CENTRE,
  PERSPECTIVE_CENTROID,
  LINEAR_SAMPLE,
  LINEAR_CENTRE,
  LINEAR_CENTROID,
  kBarycentricSets,
};

inline constexpr unsigned max_pixels = 64, max_quads = max_pixels / 4;

// Pixels of one screen tile, in quads: lanes 4q to 4q + 3 are top left, top right, bottom left, bottom right of quad q.
struct PixelBatch {
  unsigned quads = 0;
  bool one_primitive = false;  // all quads are of one
  uint32_t segment = 0;        // of the draw: attributes of different segments may stand in the same place
  uint64_t covered = 0;        // lanes that are drawn; the others of the quads are helpers
  std::array<PrimitiveAttributes, max_quads> primitive;
  alignas(64) std::array<int32_t, max_pixels> x, y;  // pixels; quads begin at even ones
  alignas(64) std::array<std::array<std::array<float, max_pixels>, 2>, kBarycentricSets> barycentric;  // i, j
  alignas(64) std::array<float, max_pixels> z, one_over_w;  // at the pixel's centre, or the sample's under sample shading
  alignas(
      64) std::array<uint32_t, max_pixels> coverage;  // a bit a sample; from bit 16 on PixelStage::wants_coverage_before_tests()
  alignas(64) std::array<std::array<float, max_pixels>, 2> centroid;  // pixels from the corner; where the stage wants it
  alignas(
      64) std::array<float, max_pixels> line_coordinate;  // Rasterization::line_coordinate at the centre; 0 of what is no line
  unsigned sample = 0;                                    // under sample shading: which
  unsigned pixel = 0;  // of each quad is drawn, where they have samples of their own (Rasterization::other_pixels)
  CoarsePixel
      coarse;  // what a lane is: x and y are those of its top left pixel, quads begin at even multiples, and a coverage is all its pixels'
};

struct PixelResults {
  uint64_t killed = 0;  // lanes
  // Components of colour output n as the target's format takes them: floats' bits, or integers. [output][component][lane]
  alignas(64) std::array<std::array<std::array<uint32_t, max_pixels>, 4>, 8> colour;
  // Set for an output n that came in halves, low one first: channels 0 and 1 of a lane in row 0, 2 and 3 in row 1, in memory of the
  // stage's that is valid until its next batch. Null: `colour` has it.
  std::array<const uint32_t (*)[max_pixels], 8> halves{};
  uint8_t outputs = 0;  // bit n: colour[n] was written; targets of outputs that were not keep what they hold
  // By output: lanes that wrote other outputs but not this one; its target keeps their pixels.
  std::array<uint64_t, 8> unwritten{};
  bool has_second_source = false;  // colour[1] is the second source of output 0's blending
  bool has_depth = false, has_stencil = false, has_stencil_op = false, has_coverage = false;
  bool has_alpha = false;  // alpha to coverage goes by `alpha`, not by output 0's
  alignas(64) std::array<float, max_pixels> depth, alpha;
  alignas(64) std::array<uint32_t, max_pixels> stencil, stencil_op, coverage;  // reference, StencilFace::op_value, a bit a sample
};

// The pipeline's part of the input payload of a wave that writes its pixels itself; it lies among the wave's registers. There are
// 16 words of each kind, one for each quad, except for the slopes, which have one for each lane.
struct alignas(128) QuadPayload {
  // Planes at the middle of each quad's first pixel, and the difference of each pixel from that: 1/w, i and j times 1/w for
  // perspective, i and j for linear interpolation.
  enum Plane : uint8_t { ONE_OVER_W, PERSPECTIVE_I, PERSPECTIVE_J, LINEAR_I, LINEAR_J, kPlanes };
  float slope[kPlanes][max_pixels];
  float first[kPlanes][max_quads];
  int32_t x[max_quads], y[max_quads];  // a quad's first pixel
  uint32_t facing[max_quads];          // in the stage's own encoding
  uint32_t place[8][max_quads];        // by target: bytes from its texels in the tile to the quad's four
  float constant[8][4];                // by target: the blend constant
  uint64_t covered;
  uint64_t written;    // set by the wave if the stage asks for it
  uint64_t drawn[16];  // by sample: lanes that are written; used with several samples and in second passes
};

// The path that pixels took to their targets: the waves wrote them themselves, or the reason why not.
enum class PixelPath : uint8_t {
  direct,
  no_code,      // there is none yet
  program,      // the shader reads or does something that such waves cannot
  exports,      // its exports have a shape that such waves cannot write
  tests,        // of alpha, by the pipeline
  copies,       // depth or stencil as colours
  format,       // of a target
  overlapping,  // a pixel comes twice among those that an engine takes at once
  hidden,       // it is not drawn: a later primitive overwrites it (tiles/overdraw.h)
  kPixelPaths,
};
inline constexpr size_t pixel_paths = size_t(PixelPath::kPixelPaths);
std::string_view name(PixelPath path);

// The operations on each target for waves that write their pixels themselves (src/pixel).
struct DirectOutputs {
  uint8_t targets = 0;  // bit n: target n is written by path[n]
  ColourPath path[8];
  Blend blend[8];
  unsigned samples = 1;
  // A second pass writes: the pixels to write are known only after the shader has run (late tests, exported coverage), or blending
  // needs denormals. The wave runs to its end first.
  bool second_pass = false;
  bool has_overlaps = false;                 // waves in which a pixel comes twice have been met lately
  bool alpha_to_coverage = false;            // PixelResults::colour[0][3] is wanted in between
  bool interpolated = false;                 // batches are as shade()'s, and payloads have no planes: there are no whole blocks
  bool perspective = false, linear = false;  // the planes in the payload
  std::optional<PrimitiveKind> kind;         // the kind of all primitives, if the draw's state determines it
};

enum class DirectKind : uint8_t { blocks, any, overlapping };
struct DirectKinds {
  bool blocks = false;                 // blocks of 8x8 pixels that one primitive covers whole
  bool parts_as_blocks = false;        // the program for blocks also runs any other wave of one primitive
  bool any = false;                    // any 16 quads
  bool overlapping = false;            // waves in which a pixel comes twice, too: they write in several turns
  bool second_pass = false;            // the stage runs the shader, then the writing in a second pass
  bool interpolated = false;           // the stage wants it so
  bool uniform = false;                // blocks of a primitive whose attributes are the same everywhere get the same colours
  PixelPath why = PixelPath::no_code;  // the reason if there are none
  bool is_final = false;               // the answer is the same for other draws with the same state (WaitingDraw::state)
};

// Waves that write their pixels themselves, as a tile hands them to the stage.
class DirectWaves {
public:
  // Fills the payload of the next wave, whose previous contents are still there, and returns its batch. Only the batch's quads,
  // primitives (one, if all are of one), segment and coverage count. Null: there is none left.
  virtual const PixelBatch* next(QuadPayload& payload) = 0;
  // Reports that the wave has written. `written`: by target, the lanes that it wrote.
  virtual void wrote(const uint64_t* written) = 0;
  // For a second pass: the shader's results, without colours (except that of `alpha_to_coverage`), before part().
  virtual PixelResults& results() = 0;
  // Sets up the second pass's next writes (`drawn`, `place`). False: nothing more.
  virtual bool part(QuadPayload& payload) = 0;

protected:
  ~DirectWaves() = default;  // (nobody owns one; virtual, it would be a function of every host level under one name)
};

// A stage's program as people read it.
struct StageProgram {
  uint64_t address = 0;            // on the GPU; 0: it stands in registers, or there is none
  std::vector<std::string> lines;  // of its disassembly
};

class PixelStage {
public:
  virtual ~PixelStage() = default;
  virtual unsigned batch_size() const = 0;           // pixels: 4 to 64
  virtual uint8_t barycentrics() const = 0;          // bit n: BarycentricSet n is wanted
  virtual bool wants_depth() const { return true; }  // PixelBatch::z and one_over_w
  virtual bool wants_centroids() const { return false; }
  virtual bool wants_line_coordinate() const { return false; }
  // True if the stage wants the primitive's own coverage of targets of several samples, of which early tests leave less.
  virtual bool wants_coverage_before_tests() const { return false; }
  // True if a batch's quads have to be of one primitive (planes of attributes in a wave's registers).
  virtual bool one_primitive() const { return false; }
  // Bit n: shade() is given the contents of target n at the batch's pixels in PixelResults::colour (of its sample, under sample
  // shading), after all earlier pixels. For stages of one_primitive(), in whose batches no pixel comes twice.
  virtual uint8_t reads_colours() const { return 0; }
  // The program, for reports about a pixel.
  virtual StageProgram program() const { return {}; }
  // Called before a worker's next waves of this draw, if other draws may have used the same memory since its last ones.
  virtual void bind_worker(unsigned /*worker*/) {}
  // Bit n: all covered pixels are written in target n, in all their covered samples. The program kills none, and exports all of
  // them before any of its ends. 0 if that is not known.
  virtual uint8_t writes_always() const { return 0; }
  virtual bool shade(unsigned worker, const PixelBatch& batch, PixelResults& results) = 0;

  // The kinds of waves that can write their pixels themselves; called once a draw, before its first wave. Whole blocks need
  // batches of 64 pixels.
  virtual DirectKinds begin_direct(const DirectOutputs&) { return {}; }
  // Runs waves that write their pixels to `texels`, by target, one after the other.
  virtual bool shade_direct(unsigned /*worker*/, DirectKind, DirectWaves&, uint8_t* const* /*texels*/) { return false; }
};

}  // namespace Atoll::pipeline
