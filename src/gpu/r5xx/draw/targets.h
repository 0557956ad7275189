// Colour and depth buffers in memory, as RB3D_COLOROFFSET, RB3D_COLORPITCH and US_OUT_FMT, or ZB_DEPTHOFFSET, ZB_DEPTHPITCH and
// ZB_FORMAT give them; tiles as the pipeline's blocks. R5xx Acceleration v1.3, 10.2, 10.10, 10.12; which of the shader's four
// components a format stores, and which bits of the channel mask go with them: Mesa 22.3.6 r300_texture.c
// (r300_translate_colorformat, r300_translate_out_fmt), r300_state.c (bgra_cmask and the like).
#pragma once
#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gpu/r5xx/context.h"
#include "pipeline/target.h"
#include "surface/format.h"
#include "surface/r300_tiling.h"

namespace Atoll::r5xx {

// A surface in memory, `samples` of a pixel next to each other.
struct SurfacePlace {
  uint64_t address = 0;
  surface::R300Surface surface;
  unsigned samples = 1;
  unsigned width = 0, height = 0;  // pixels that may be touched
  unsigned left = 0, top = 0;      // where in the surface the picture's first pixel lies
  uint8_t swap = 0;                // ByteSwap of what stands in memory
  bool stencil_low = false;        // 24 bits of depth stand above 8 of stencil
  bool operator==(const SurfacePlace&) const = default;
};

// Blocks of a surface. Memory that is not mapped reads as 0, is not written, and is counted.
class SurfaceTarget : public pipeline::Target {
public:
  // `like`: of the same surface, whose tables will do; or null.
  SurfaceTarget(const SurfacePlace& place, const AddressSpace& space, const SurfaceTarget* like = nullptr);
  void load(unsigned x, unsigned y, unsigned layer, uint8_t* texels) override;
  void store(unsigned x, unsigned y, unsigned layer, const uint8_t* texels) override;
  void store_depths(unsigned x, unsigned y, unsigned layer, const uint8_t* texels, unsigned samples) override;
  void fill_area(const pipeline::Rectangle& area, unsigned layer, const pipeline::PixelChange& change) override;
  unsigned samples_there() const override { return place_.samples; }
  bool is_all_there() const override { return all_mapped_; }
  // The first address that was not mapped, if any.
  std::string fault() const;
  bool mapped() const { return all_mapped_; }  // all of it, and writable
  std::span<const pipeline::MemoryRange> memory() const override { return {&memory_, 1}; }
  const SurfacePlace& place() const { return given_; }

private:
  // What a run of pixels, or a row, adds to an address: bits 10 to 6 of macro tiles are the exclusive or of both, all others the sum
  // (surface/r300_tiling.h).
  struct Part {
    uint64_t offset = 0;
    uint32_t swizzle = 0;
  };
  struct Parts {
    std::vector<Part> columns, rows;  // by run, by row; of pixels, whose samples stand next to each other
  };
  Part part_of(unsigned x, unsigned y) const;
  uint64_t run_at(unsigned run, unsigned y) const {
    const Part &column = parts_->columns[run], &row = parts_->rows[y];
    return place_.address + column.offset + row.offset + (column.swizzle ^ row.swizzle);
  }
  template <class Move>
  void each_pair(unsigned x, unsigned y, Move&& move) const;
  template <unsigned pair_bytes, bool store>
  bool move_whole(unsigned block_x, unsigned block_y, uint8_t* texels) const;
  template <bool store>
  bool move_whole(unsigned block_x, unsigned block_y, uint8_t* texels) const;
  void arrange(uint8_t* texels, unsigned pixels, bool store) const;
  bool in_strips(unsigned block_x, unsigned block_y) const;

  const SurfacePlace given_;
  SurfacePlace place_;
  pipeline::MemoryRange memory_;
  const AddressSpace& space_;
  unsigned run_ = 1;           // pixels of a row that stand next to each other in memory
  bool tiles_of_4x2_ = false;  // micro tiles of 32 bytes, two next to each other after each other
  std::shared_ptr<const Parts> parts_;
  bool all_mapped_ = false;
  std::atomic<uint64_t> unmapped_{0};
};

// One render target. Components: the pipeline's red, green, blue, alpha are the shader output's components C2, C1, C0, C3 (the
// names that the manual's masks and constants have) unless the row of the format says otherwise.
struct ColourBuffer {
  bool bound = false;
  SurfacePlace place;
  surface::Format format;
  std::array<uint8_t, 4> component{2, 1, 0, 3};  // of the pipeline's red, green, blue, alpha: the number n of Cn
  std::array<uint8_t, 4> constant{2, 1, 0, 3};   // and of the blend constant's
  std::array<uint8_t, 4> shader_channel{};       // of the pipeline's components: the shader's channel, 0 red to 3 alpha
  uint8_t write_mask = 0;
  bool is_float = false;
  uint8_t source_bits = 0;  // of a component as the shader's output has it (US_OUT_FMT); of floats 0
};

// The area to which scissors keep all drawing: pixels.
struct Area {
  unsigned width = 0, height = 0;
};
Area scissor_area_of(const RegisterFile& registers);

// Render target n for a draw with `samples`; not bound if it is not used. Nothing: its registers are invalid, and the
// context is lost.
std::optional<ColourBuffer> colour_buffer_of(Context& context, unsigned n, unsigned samples);

struct DepthBuffer {
  SurfacePlace place;
  unsigned bits = 24;  // 16 or 24
  pipeline::DepthCode code = pipeline::DepthCode::unorm;
};
std::optional<DepthBuffer> depth_buffer_of(Context& context, unsigned samples);

// The place that RB3D_AARESOLVE_OFFSET and _PITCH name; format and tiling are render target 0's.
std::optional<ColourBuffer> resolve_buffer_of(Context& context);

}  // namespace Atoll::r5xx
