// Render targets: colour and depth surfaces as the pipeline sees them, in blocks of 8x8 pixels. The GPU family knows where
// a block lies in memory, how it is tiled and whether metadata overrides its contents (fast clears, compression);
// the pipeline keeps the blocks that it touches while it works on a screen tile.
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "pipeline/state.h"
#include "surface/format.h"

namespace Atoll::pipeline {

inline constexpr unsigned block_size = 8;  // pixels, both ways
inline constexpr unsigned pixels_in_block = block_size * block_size, quads_in_block = pixels_in_block / 4;
inline constexpr size_t max_texel_bytes = 16, max_samples = 16;

// Pixels of a block are numbered by quads: pixel 4q + l is number l (top left, top right, bottom left, bottom right) of quad q,
// and quads go by rows of four.
constexpr unsigned number_in_block(unsigned x, unsigned y) { return (y / 2 * 4 + x / 2) * 4 + y % 2 * 2 + x % 2; }
// The place of pixel `number`.
constexpr unsigned x_in_block(unsigned number) { return number / 4 % 4 * 2 + number % 2; }
constexpr unsigned y_in_block(unsigned number) { return number / 16 * 2 + number / 2 % 2; }

// Two rows of four pixels of 4 bytes each (`a`, `b`) become two quads, or two quads rows: the first halves of both, then the second ones.
[[gnu::always_inline]] inline void cross_rows(uint8_t* first, uint8_t* second, const uint8_t* a, const uint8_t* b) {
  typedef uint64_t u64x2 __attribute__((vector_size(16)));
  u64x2 low, high;
  std::memcpy(&low, a, 16);
  std::memcpy(&high, b, 16);
  const u64x2 firsts = __builtin_shufflevector(low, high, 0, 2), seconds = __builtin_shufflevector(low, high, 1, 3);
  std::memcpy(first, &firsts, 16);
  std::memcpy(second, &seconds, 16);
}

// A change of all pixels of an area: their bits become (bits & keep) ^ flip. Both are as long as a pixel, sample after sample.
struct PixelChange {
  std::span<const uint8_t> keep, flip;
  unsigned samples = 1;
  unsigned texel_bytes() const { return unsigned(keep.size()) / samples; }
  // True if the value that was there before matters.
  bool keeps() const {
    return std::ranges::any_of(keep, [](uint8_t v) { return v != 0; });
  }
};
// Changes all pixels of a block that Target::load() has loaded; it need not be loaded if nothing is kept.
void change_block(uint8_t* texels, const PixelChange& change, bool keeps);
// Changes those pixels of a block that have a bit in `pixels`.
void change_pixels(uint8_t* texels, uint64_t pixels, const PixelChange& change);

// Host memory.
struct MemoryRange {
  const uint8_t* begin = nullptr;
  uint64_t bytes = 0;
};

// The place of a pixel in memory, for finding what changes it.
struct PixelPlace {
  const uint8_t* texel = nullptr;  // the sample's bytes in memory, in the pipeline's form; null: memory has another form
  std::vector<MemoryRange> bytes;  // all memory that determines its samples: texels, and their metadata
};

class Target {
public:
  virtual ~Target() = default;
  // The texels of block (x, y), counted in blocks, of `layer`: sample s of pixel (px, py) stands at
  // (s * 64 + number_in_block(px, py)) * texel_bytes. Texels outside of the surface read as 0 and are not written. Different
  // blocks may be loaded and stored by several threads at once; one block never is.
  virtual void load(unsigned x, unsigned y, unsigned layer, uint8_t* texels) = 0;
  virtual void store(unsigned x, unsigned y, unsigned layer, const uint8_t* texels) = 0;
  // Called for up to 64 blocks of colours (a bit for each, `row` of them a row, from block (x, y) on) before they are stored,
  // when they will not be loaded again. Targets do atomic writes to shared metadata here, since those wait for all earlier
  // stores.
  virtual void before_stores(unsigned /*x*/, unsigned /*y*/, unsigned /*layer*/, unsigned /*row*/, uint64_t /*blocks*/) {}
  // The number of samples that it stores. In a block with more, these stand for the others in turn. 0: as many as the draw has.
  virtual unsigned samples_there() const { return 0; }
  // Stores words of 24 bits of depth: the upper byte of each stays as it is in memory, whatever the texels have there.
  virtual void store_depths(unsigned x, unsigned y, unsigned layer, const uint8_t* texels, unsigned samples);
  // Changes all pixels of the area that exist. Block by block, unless the family knows a shorter way.
  virtual void fill_area(const Rectangle& area, unsigned layer, const PixelChange& change);
  // True if every pixel has its memory, so that filling it later cannot fail.
  virtual bool is_all_there() const { return false; }
  // The memory that it may touch, metadata included. Empty: no other target touches the same.
  virtual std::span<const MemoryRange> memory() const { return {}; }
  // The pixel's place, as it is now. It lies inside of the target.
  virtual PixelPlace place_of(unsigned /*x*/, unsigned /*y*/, unsigned /*layer*/, unsigned /*sample*/) const { return {}; }
};

struct ColourTarget {
  Target* target = nullptr;  // null: not bound
  surface::Format format;    // of a texel; its order maps components to fields
  unsigned texel_bytes = 4;
  bool round_toward_zero = false;   // floats
  bool alpha_reads_as_one = false;  // for blending, whatever is stored
};

// The encoding of 16-bit depths: the depth itself, or a float: its upper three bits count the leading ones of the 24-bit depth (up to
// seven), its lower 13 are the bits behind the first zero (behind seven ones: those that follow). zeros: the same with all bits
// inverted, before and after.
enum class DepthCode : uint8_t { unorm, ones, zeros };

// Depth and stencil, each in its own surface: a depth texel is a float, or a unorm in the low bits of 16 or 32; a stencil texel a
// byte. Families that store both in one word hand out two Targets over it.
struct DepthTarget {
  Target* depth = nullptr;
  unsigned depth_bits = 0;  // 16 (2 bytes a texel), 24 (4 bytes, upper 8 bits kept as they are), 32: float
  Target* stencil = nullptr;
  bool stencil_in_upper_byte = false;  // of the depth's 24-bit word: `stencil` is then null
  DepthCode code = DepthCode::unorm;
};

struct Targets {
  ColourTarget colour[8];
  DepthTarget depth;
  unsigned width = 0, height = 0, layers = 1;  // the area that exists in all of them
  unsigned samples = 1;
};

}  // namespace Atoll::pipeline
