// One pixel that is looked at while draws are executed: what each draw's primitives did to it, fragment by fragment, and what its
// targets held before and after. While it is looked at no draw is deferred, filled in its place or left out; in the pixel's tile every
// primitive has waves of its own, which the pipeline merges. All of that gives the same bits as drawing does otherwise.
#pragma once
#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "pipeline/draw.h"

namespace Atoll::pipeline {

// The end of a primitive at the pixel.
enum class FragmentEnd : uint8_t {
  drawn,  // it wrote
  // Its shape has the pixel, and it was not rasterised there.
  culled_front,
  culled_back,
  clipped,  // beyond a plane, or not drawn as what it is
  scissor,
  masked,       // clip rectangles, stipple, margins of blocks
  sample_mask,  // no sample that it covers is in the mask
  // A fragment was made, and a test ended it.
  depth_bounds,
  stencil,
  depth,
  shader,      // the pixel stage killed it
  alpha_test,  // of the pipeline's
  coverage,    // no sample was left: alpha to coverage, or the stage's own mask
  no_output,   // the stage left nothing for any target that is bound
  write_mask,  // no component of a target may be written
  unfinished,  // the draw failed before
};
inline constexpr size_t fragment_ends = size_t(FragmentEnd::unfinished) + 1;
std::string_view name(FragmentEnd end);
constexpr bool is_not_covered(FragmentEnd end) { return end >= FragmentEnd::culled_front && end <= FragmentEnd::sample_mask; }

// A texel as its target's format has it; `bytes` 0: not known.
struct WatchedTexel {
  unsigned bytes = 0;
  std::array<uint8_t, max_texel_bytes> data{};
  bool operator==(const WatchedTexel&) const = default;
};
// Depth as a float and as its bits in memory, and stencil.
struct WatchedDepth {
  bool has_depth = false, has_stencil = false;
  uint32_t word = 0;
  float depth = 0;
  uint8_t stencil = 0;
  bool operator==(const WatchedDepth&) const = default;
};

// The depth in a word of a buffer of 16, 24 or 32 (floats) bits.
WatchedDepth watched_depth(uint32_t word, unsigned bits);

struct Fragment {
  uint32_t primitive = 0;  // its number in the draw (and instance)
  PrimitiveKind kind = PrimitiveKind::triangle;
  bool front = true;
  FragmentEnd end = FragmentEnd::unfinished;
  uint32_t covered = 0, drawn = 0;  // samples, a bit each: inside of the primitive, and written
  float depth = 0;                  // the fragment's, at the sample that is looked at
  WatchedDepth before, after;
  bool shaded = false;  // the pixel stage ran
  uint8_t outputs = 0;  // bit n: the stage wrote output n
  std::array<std::array<uint32_t, 4>, 8> output{};
  uint8_t written = 0, replaced = 0;  // by target: it was written; whatever it held
  std::array<WatchedTexel, 8> texel_before, texel_after;
  unsigned lane = 0;  // of its wave
};

// A target of the draw at hand.
struct WatchedTarget {
  unsigned number = 0;  // of colours; 8: depth and stencil
  surface::Format format;
  unsigned texel_bytes = 0, width = 0, height = 0, samples = 1;
  MemoryRange surface;  // its memory on the host, without metadata
  PixelPlace place;     // of the pixel, all samples
  bool inside = false;  // the pixel is
  WatchedTexel before, after;
  WatchedDepth depth_before, depth_after;
};

struct WatchedDraw {
  bool change = false;     // an area that is changed without primitives: a clear of a chip's tiles
  bool rectangle = false;  // of equal pixels, as drivers clear and fill
  bool rasterized = true;  // false: scissors and targets leave nothing, or nothing is rasterised
  uint64_t primitives = 0;
  // The pixels between which their shapes lie, without scissors; none: of no shape any part is within the target.
  std::optional<Rectangle> extent;
  StageProgram program;  // of its pixels, where one of them was shaded
  std::vector<WatchedTarget> targets;
  std::vector<Fragment> fragments;    // in their order
  std::vector<Fragment> not_covered;  // whose shape has the pixel
  uint64_t more = 0;                  // fragments that there was no room for
};

// The watched pixel; belongs to whoever looks, who sets the first members while no queue runs.
struct PixelWatch {
  int x = 0, y = 0;
  unsigned layer = 0, sample = 0;
  bool active = false;
  // Called on the queue's thread when a draw begins, whose targets are known; and when it has ended.
  std::function<void(const WatchedDraw& draw)> begun, ended;

  static constexpr size_t max_fragments = 1 << 16;
  WatchedDraw draw;  // at hand

  // --- the pipeline's
  void begin(const Targets& targets, const Draw* draw);
  void end();
  bool in_tile(int tile_x, int tile_y, unsigned tile_layer) const;

  std::vector<const void*> open;   // by fragment: the primitive while it is under way, else null
  std::vector<uint32_t> expected;  // primitives that cover the pixel, as far as their edges and bounds say
  Targets bound;                   // of the draw at hand
};

}  // namespace Atoll::pipeline
